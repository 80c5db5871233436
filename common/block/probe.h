/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the backend for a target. io_uring first tries each request without waiting (RWF_NOWAIT).
 * If the target cannot do that, a kernel thread (io-wq) makes the request, which costs two context
 * switches. So io_uring is chosen only if the target accepts such requests. */
#pragma once

#include "common/block/backend.h"

#define BLOCK_PROBE_MAX 16u
#define BLOCK_WHY_BYTES 120

struct block_choice {
	const struct block_backend *backend;
	char why[BLOCK_WHY_BYTES]; /* the reason, without the backend's name */
};

struct block_probe {
	/* descriptor open for reading with O_DIRECT */
	int fd;
	/* bytes; the reads begin here and must not reach beyond the end of the target */
	uint64_t offset;
	/* length[n] in bytes, n at most BLOCK_PROBE_MAX: as long as the later requests, because a
	 * device that splits a request cannot take it without waiting. */
	uint64_t length[BLOCK_PROBE_MAX];
	uint32_t n;
};

/* Chooses in up to three steps. A read of no bytes with RWF_NOWAIT, which does not reach the
 * device, shows whether the target supports the flag. If that read is refused, or if a request is
 * longer than 64 KiB, a burst of reads with RWF_NOWAIT shows how many of them the target refuses.
 * If it refuses reads, a burst without RWF_NOWAIT follows. Then libaio is chosen, unless the target
 * makes io_submit wait for each request. Reads are at most 1 MiB long. The function cannot fail: if
 * nothing can be measured, it chooses io_uring, and `why` states this. */
void block_choose(struct block_choice *c, const struct block_probe *p);
