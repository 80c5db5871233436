/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which part of a file is in the page cache. */
#pragma once

#include "common/std.h"

struct residency {
	/* pages; dirty: or under writeback, 0 with mincore */
	uint64_t n_cached, n_dirty;
	/* by cachestat(2) (Linux 6.5), else by mincore(2) */
	bool by_cachestat;
};

/* Of all files of a set (capture/fileset/fileset.h). */
struct fileset_residency {
	/* dirty only where cachestat(2) exists, else 0 */
	uint64_t total_bytes, cached_bytes, dirty_bytes;
	bool by_cachestat;				 /* otherwise mincore(2) */
};

/* Pages of [offset, offset + n_bytes) in the cache; n_bytes 0: to the end of the file.
 * `by_cachestat` false: uses mincore at once. Returns 0 or a negative errno. mincore reports all
 * pages as cached unless the caller owns or may write the file. */
int residency_get(int fd, uint64_t offset, uint64_t n_bytes, bool by_cachestat,
		  struct residency *r);
