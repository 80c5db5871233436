/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What becomes of reads in a replay.
 *
 * `current`: they are made, and the cache as it is decides what comes from storage. `original`: the
 * cache as it was when the trace was captured decides: pages that were missed then are read from
 * storage, those that were found are touched where they are cached and left alone where they are
 * not. `none`: no reads, and nothing else that changes no state: to bring a file system into the
 * state that the trace leaves behind, as fast as possible. Source: Joukov, Wong and Zadok (FAST
 * 2005), section 2.5, which replays page-level reads inside the kernel; doc/replay-engines.md says
 * what stands for them here. */
#ifndef REPLAY_READS_H
#define REPLAY_READS_H

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/misses.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "replay/options/config.h"

struct reads {
	enum replay_reads mode;
	struct misses misses; /* original */
};

/* Before the order is derived: marks the requests that are left out (PASS_READ), and finds what was
 * missed; l->reads is it then. Errors: EINVAL where `original` is asked for and the trace does not
 * tell. */
int reads_prepare(struct load *l, const struct slots *s, const struct trace *t,
		  enum replay_reads mode, struct err *e);
void reads_free(struct reads *r); /* NULL is fine */

enum read_action {
	READ_AS_IS,
	READ_BY_PAGES, /* original: as calls_cached.c does */
	READ_SKIPPED,  /* none: only the position moves */
};
/* How a request that is not skipped is made. */
enum read_action reads_action(const struct reads *x, const struct slots *s,
			      const struct load_request *r);

#endif
