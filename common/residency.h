/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures which part of a file is in the page cache. */
#pragma once

#include "common/std.h"

struct residency {
	/* pages; n_dirty: dirty or under writeback, always 0 with mincore */
	uint64_t n_cached, n_dirty;
	/* measured by cachestat(2) (Linux 6.5), otherwise by mincore(2) */
	bool by_cachestat;
};

/* For all files of a set (capture/fileset/fileset.h). */
struct fileset_residency {
	/* dirty_bytes: 0 if the kernel has no cachestat(2) */
	uint64_t total_bytes, cached_bytes, dirty_bytes;
	bool by_cachestat; /* use cachestat(2); otherwise mincore(2) */
};

/* Counts the cached pages of [offset, offset + n_bytes). n_bytes 0: to the end of the file.
 * `by_cachestat` false: uses only mincore(), which reports all pages as cached unless the caller
 * owns the file or may write it. Returns 0 or a negative errno. */
int residency_get(int fd, uint64_t offset, uint64_t n_bytes, bool by_cachestat,
		  struct residency *r);
