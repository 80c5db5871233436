/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submission of requests to the kernel, and their completion. Each backend has a row and a file. A
 * queue belongs to one worker. */
#pragma once

#include <signal.h>

#include "common/block/direction.h"
#include "common/vm.h"

struct block_command { /* a request that will be submitted */
	uint64_t offset, length;
	void *buffer;
	/* returned in the completion; below block_queue_config.n_slots; used by one request at a
	 * time */
	uint32_t slot;
	uint8_t direction; /* enum block_direction */
	bool fua;
	bool content; /* the buffer is in the region `content`, not in `reads` */
};

struct block_done {
	uint32_t slot;
	int32_t result; /* transferred bytes, or a negative errno */
};

struct block_queue_config {
	int fd;
	bool is_block; /* the target is a device, not a file */
	uint32_t n_slots;
	bool sq_poll, registered;
	bool harvester; /* a thread other than the submitting thread takes completions */
	/* regions that contain all buffers; `content` may be empty */
	const struct vm_region *reads, *content;
	/* signal mask while harvest waits, so that a signal can end the wait; borrowed; NULL: the
	 * mask of the thread */
	const sigset_t *waiting;
};

struct block_queue; /* each backend defines its own struct */

struct block_backend {
	const char *name, *help;
	uint32_t bundle_max; /* largest number of commands in a submission */
	/* `notes` gets a line for each missing feature that the backend can do without. Errors:
	 * EPERM, ENOSYS: the kernel forbids or lacks the backend; EAGAIN, ENOMEM: a limit, named in
	 * the message, is too low. */
	int (*open)(struct block_queue **q, const struct block_queue_config *c,
		    struct strbuf *notes, struct err *e);
	void (*close)(struct block_queue *q);
	/* Submits a prefix of command[n]. Returns the number of submitted commands, or the negative
	 * errno of the first command. -EAGAIN: call harvest first. */
	int (*submit)(struct block_queue *q, const struct block_command *command, uint32_t n);
	/* Takes up to `max` completions. Waits up to `wait_ns` for the first completion (0: does
	 * not wait), or until a signal. Returns the number of completions, or a negative errno. */
	int (*harvest)(struct block_queue *q, struct block_done *done, uint32_t max,
		       int64_t wait_ns);
};

extern const struct block_backend block_libaio, block_uring, block_psync;
extern const struct block_backend *const block_backends[]; /* the best first; NULL-terminated */

/* A synchronous discard, for backends that cannot discard otherwise. Returns 0 or a negative
 * errno. */
int block_discard(int fd, bool is_block, uint64_t offset, uint64_t length);
