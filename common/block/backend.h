/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How requests reach the kernel and come back: one row and one file for each way. A queue belongs
 * to one worker. */
#ifndef COMMON_BLOCK_BACKEND_H
#define COMMON_BLOCK_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/block/direction.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "common/vm.h"

struct block_command { /* one request as it is handed over */
	uint64_t offset, length;
	void *buffer;
	/* comes back with its completion; below block_queue_config.n_slots, and one at a time */
	uint32_t slot;
	uint8_t direction; /* enum block_direction */
	bool fua;
	bool content; /* the buffer is in the region of written content, not in that of reads */
};

struct block_done {
	uint32_t slot;
	int32_t result; /* bytes moved, or a negative errno */
};

struct block_queue_config {
	int fd;
	bool is_block; /* a device, rather than a file */
	uint32_t n_slots;
	bool sq_poll, registered;
	bool harvester; /* completions are fetched by another thread than the one that hands over */
	/* all buffers lie in these; content may be empty */
	const struct vm_region *reads, *content;
};

struct block_queue; /* each backend's own */

struct block_backend {
	const char *name, *help;
	uint32_t bundle_max; /* commands that one submission takes */
	/* What could not be had and is done without goes to `notes`, a sentence a line. Errors:
	 * EPERM, ENOSYS where the kernel has not got it or forbids it; EAGAIN, ENOMEM for a limit
	 * that is too low, which is named. */
	int (*open)(struct block_queue **q, const struct block_queue_config *c,
		    struct strbuf *notes, struct err *e);
	void (*close)(struct block_queue *q);
	/* Hands over the first of command[n]; returns how many, or a negative errno that the first
	 * one failed with; -EAGAIN: harvest first. */
	int (*submit)(struct block_queue *q, const struct block_command *command, uint32_t n);
	/* Fetches up to `max` completions, waiting up to `wait_ns` for the first (0: not at all).
	 * Returns how many, or a negative errno. */
	int (*harvest)(struct block_queue *q, struct block_done *done, uint32_t max,
		       int64_t wait_ns);
};

extern const struct block_backend block_libaio, block_uring, block_psync;
extern const struct block_backend *const block_backends[]; /* the best first; NULL-terminated */

/* A discard, which waits until it is done: 0 or a negative errno. For backends that have no other.
 */
int block_discard(int fd, bool is_block, uint64_t offset, uint64_t length);

#endif
