/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a replay makes reads.
 *
 * `current`: as calls; the present cache decides which pages come from storage. `original`: the
 * cache at capture decides. Pages that were missed then are read from storage; pages that were
 * found are touched if they are cached, and otherwise left alone. `none`: makes neither reads nor
 * other requests that change nothing. It brings a file system into the state that the trace leaves,
 * as fast as possible. Source: Joukov, Wong and Zadok (FAST 2005), section 2.5, which replays
 * page-level reads inside the kernel; doc/replay-engines.md describes the substitute here. */
#pragma once

#include "replay/load/slots.h"

/* The pages that a request missed in the page cache at capture (page_cache_add in
 * doc/formats/trace.md). */
struct miss {
	uint32_t request; /* index into load.request: a call, or a touch */
	bool asked;	  /* some of the pages were requested; otherwise all were read ahead */
	uint64_t offset, length; /* bytes of the file of the request, whole pages */
};

struct misses {
	struct miss *miss; /* miss[n], by request, then by offset */
	uint32_t n, cap;
	uint64_t n_elsewhere; /* added pages that belong to no request */
};

struct reads {
	enum replay_reads mode;
	struct misses misses; /* original */
};

/* Marks the requests that are left out (PASS_READ), finds the misses and sets l->reads. Call it
 * before the order is derived. Errors: EINVAL for `original` with a trace that has no misses. */
int reads_prepare(struct load *l, const struct slots *s, const struct trace *t,
		  enum replay_reads mode, struct err *e);

/* Assigns the pages that were added to the page cache to requests. */
void misses_find(struct misses *m, const struct load *l, const struct slots *s);
/* The misses of one request: a pointer to the first and *n. NULL if it missed nothing. */
const struct miss *misses_of(const struct misses *m, uint32_t request, uint32_t *n);

enum read_action {
	READ_AS_IS,
	READ_BY_PAGES, /* original: see calls_cached.c */
	READ_SKIPPED,  /* none: only the file position moves */
};
/* How a request that is not skipped is replayed; without l->reads as it is. */
enum read_action reads_action(const struct reads *x, const struct slots *s,
			      const struct load_request *r);
