/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each request missed in the page cache when it was captured: the pages that came into the
 * cache in its course (page_cache_add; doc/formats/trace.md). */
#ifndef REPLAY_MISSES_H
#define REPLAY_MISSES_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/load/load.h"
#include "replay/load/slots.h"

struct miss {
	uint32_t request; /* index into load.request: a call, or a touch */
	bool asked;	  /* for some of it; else read ahead */
	uint64_t offset, length; /* bytes of the request's file, whole pages */
};

struct misses {
	struct miss *miss; /* miss[n], by request, then by offset */
	uint32_t n, cap;
	/* additions that belong to no request: of other files, of nobody's fault */
	uint64_t n_elsewhere;
};

/* An addition belongs to the call of its thread that was under way, if that is on the same file, or
 * else to the thread's last touch of that file. */
void misses_find(struct misses *m, const struct load *l, const struct slots *s);
void misses_release(struct misses *m); /* an all-zero one is fine */

/* Those of one request: the first and how many. NULL where it missed nothing. */
const struct miss *misses_of(const struct misses *m, uint32_t request, uint32_t *n);

#endif
