/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a replay makes reads.
 *
 * `current`: as calls; the present cache decides which pages come from storage. `original`: the
 * cache at capture decides. Pages that were not in the cache at capture are read from storage.
 * Pages that were in the cache are touched if they are cached now, and otherwise not read. `none`:
 * skips reads and other requests that change nothing. It brings a file system into the state that
 * the trace leaves, as fast as possible. Source: Joukov, Wong and Zadok (FAST 2005), section 2.5,
 * which replays page-level reads inside the kernel; doc/replay-engines.md describes the replacement
 * that is used here. */
#pragma once

#include "replay/load/slots.h"

/* The pages that a request missed in the page cache at capture (page_cache_add in
 * doc/formats/trace.md). */
struct miss {
	uint32_t request; /* index into load.request: a call, or a touch */
	/* some of the pages were requested; otherwise all pages were read ahead */
	bool asked;
	uint64_t offset, length; /* bytes of the request's file, in whole pages */
};

struct misses {
	struct miss *miss; /* miss[n], ordered by request and offset */
	uint32_t n, cap;
	uint64_t n_elsewhere; /* number of added pages that belong to no request */
};

struct reads {
	enum replay_reads mode;
	struct misses misses; /* original */
};

/* Marks the requests that are not replayed (SKIP_READ), finds the misses and sets l->reads. Call it
 * before the order is derived. Errors: EINVAL for `original` if the trace has no misses. */
int reads_prepare(struct load *l, const struct slots *s, const struct trace *t,
		  enum replay_reads mode, struct err *e);

/* Assigns the pages that were added to the page cache to requests. */
void misses_find(struct misses *m, const struct load *l, const struct slots *s);
/* The misses of a request: a pointer to the first miss, and their number *n. NULL if the request
 * missed no page. */
const struct miss *misses_of(const struct misses *m, uint32_t request, uint32_t *n);

enum read_action {
	READ_AS_IS,
	READ_BY_PAGES, /* original: see calls_cached.c */
	READ_SKIPPED,  /* none: only the file position moves */
};
/* How a request that is not skipped is replayed. Without l->reads it is replayed unchanged. */
enum read_action reads_action(const struct reads *x, const struct slots *s,
			      const struct load_request *r);
