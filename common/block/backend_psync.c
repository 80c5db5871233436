/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One request at a time, by blocking system calls. For comparison with asynchronous I/O. */
#include <sys/uio.h>

#include "common/block/backend.h"

struct block_queue {
	int fd;
	bool is_block, full;
	struct block_done done;
};

static int psync_open(struct block_queue **q, const struct block_queue_config *c,
		      struct strbuf *notes, struct err *e)
{
	(void)notes, (void)e;
	*q = xcalloc(1, sizeof **q);
	**q = (struct block_queue){.fd = c->fd, .is_block = c->is_block};
	return 0;
}

static void psync_close(struct block_queue *q)
{
	free(q);
}

static int64_t command_perform(const struct block_queue *q, const struct block_command *c)
{
	struct iovec v = {c->buffer, c->length};
	switch (c->direction) {
	case BLOCK_READ:
		return pread(q->fd, c->buffer, c->length, (off_t)c->offset);
	case BLOCK_WRITE:
		return c->fua ? pwritev2(q->fd, &v, 1, (off_t)c->offset, RWF_DSYNC)
			      : pwrite(q->fd, c->buffer, c->length, (off_t)c->offset);
	case BLOCK_FLUSH:
		return fdatasync(q->fd);
	default:
		errno = -block_discard(q->fd, q->is_block, c->offset, c->length);
		return errno ? -1 : 0;
	}
}

static int psync_submit(struct block_queue *q, const struct block_command *command, uint32_t n)
{
	if (!n || q->full)
		return n ? -EAGAIN : 0;
	int64_t got = command_perform(q, command);
	q->done = (struct block_done){command->slot, got < 0 ? -errno : (int32_t)got};
	q->full = true;
	return 1;
}

static int psync_harvest(struct block_queue *q, struct block_done *done, uint32_t max,
			 int64_t wait_ns)
{
	(void)wait_ns;
	if (!q->full || !max)
		return 0;
	*done = q->done;
	q->full = false;
	return 1;
}

const struct block_backend block_psync = {
	.name = "psync",
	.help = "pread and pwrite, one request at a time per worker",
	.bundle_max = 1,
	.open = psync_open,
	.close = psync_close,
	.submit = psync_submit,
	.harvest = psync_harvest,
};
