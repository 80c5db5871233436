/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linux AIO. The kernel maps the ring of completions into the process. If the layout of the ring is
 * known, completions are read from it without a system call, as libaio itself does. */
#include <libaio.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "common/block/backend.h"
#include "common/files.h"

#define RING_MAGIC 0xa10a10a1u

struct ring { /* struct aio_ring of the kernel (fs/aio.c) */
	unsigned int id, nr;
	_Atomic unsigned int head, tail;
	unsigned int magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};

struct block_queue {
	io_context_t context;
	struct ring *ring; /* NULL: unknown layout */
	int fd;
	bool is_block;
	struct iocb *iocb;     /* iocb[n_slots] */
	struct io_event *event; /* event[n_slots] */
	/* at_once[n_slots]: discards, which are complete when they are submitted */
	struct block_done *at_once;
	uint32_t n_slots, n_at_once;
	const sigset_t *waiting;
};

static int open_error(int code, uint32_t n, struct err *e)
{
	char *max = file_read_line("/proc/sys/fs/aio-max-nr"),
	     *now = file_read_line("/proc/sys/fs/aio-nr");
	int ret = code == EAGAIN
		      ? err_set(e, code,
				"libaio: %u requests in flight are more than the system allows: "
				"the limit /proc/sys/fs/aio-max-nr is %s, and %s are in use; "
				"raise the limit, or reduce --depth (microbench: "
				"--queue-depth)",
				n, max ? max : "unknown", now ? now : "unknown")
		      : err_sys(e, code, "libaio: cannot set up a queue of %u requests", n);
	FREE_EACH(max, now);
	return ret;
}

static void libaio_close(struct block_queue *q)
{
	if (q && q->context)
		io_destroy(q->context);
	if (q)
		FREE_EACH(q->iocb, q->event, q->at_once);
	free(q);
}

static int libaio_open(struct block_queue **out, const struct block_queue_config *c,
		       struct strbuf *notes, struct err *e)
{
	(void)notes;
	struct block_queue *q = *out = xcalloc(1, sizeof *q);
	*q = (struct block_queue){.fd = c->fd,
				  .is_block = c->is_block,
				  .n_slots = c->n_slots,
				  .waiting = c->waiting};
	int ret = io_setup((int)c->n_slots, &q->context);
	if (ret < 0) {
		q->context = NULL;
		return open_error(-ret, c->n_slots, e);
	}
	struct ring *ring = (struct ring *)q->context;
	if (ring->magic == RING_MAGIC && !ring->incompat_features && !c->harvester)
		q->ring = ring;
	q->iocb = xcalloc(c->n_slots, sizeof *q->iocb);
	q->event = xcalloc(c->n_slots, sizeof *q->event);
	q->at_once = xcalloc(c->n_slots, sizeof *q->at_once);
	return 0;
}

static void command_prepare(const struct block_queue *q, struct iocb *b,
			    const struct block_command *c)
{
	if (c->direction == BLOCK_READ)
		io_prep_pread(b, q->fd, c->buffer, c->length, (long long)c->offset);
	else if (c->direction == BLOCK_WRITE)
		io_prep_pwrite(b, q->fd, c->buffer, c->length, (long long)c->offset);
	else
		io_prep_fdsync(b, q->fd);
	b->aio_rw_flags = c->fua ? RWF_DSYNC : 0;
	b->data = (void *)(uintptr_t)c->slot;
}

static int discard_now(struct block_queue *q, const struct block_command *c)
{
	q->at_once[q->n_at_once++] =
	    (struct block_done){c->slot, block_discard(q->fd, q->is_block, c->offset, c->length)};
	return 1;
}

static int libaio_submit(struct block_queue *q, const struct block_command *command, uint32_t n)
{
	struct iocb *list[256];
	uint32_t k = 0;
	for (; k < n && k < 256 && command[k].direction != BLOCK_DISCARD; k++) {
		list[k] = &q->iocb[command[k].slot];
		command_prepare(q, list[k], &command[k]);
	}
	return k ? io_submit(q->context, k, list) : n ? discard_now(q, command) : 0;
}

static void done_of(struct block_done *d, const struct io_event *v)
{
	long res = (long)v->res;
	*d = (struct block_done){(uint32_t)(uintptr_t)v->data, (int32_t)res};
}

static uint32_t ring_take(struct ring *ring, struct block_done *done, uint32_t max)
{
	unsigned int head = atomic_load_explicit(&ring->head, memory_order_relaxed), n = 0;
	unsigned int tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
	while (head != tail && n < max) {
		done_of(&done[n++], &ring->events[head]);
		head = head + 1 < ring->nr ? head + 1 : 0;
	}
	if (n)
		atomic_store_explicit(&ring->head, head, memory_order_release);
	return n;
}

static int libaio_harvest(struct block_queue *q, struct block_done *done, uint32_t max,
			  int64_t wait_ns)
{
	uint32_t n = 0;
	while (q->n_at_once && n < max)
		done[n++] = q->at_once[--q->n_at_once];
	if (q->ring)
		n += ring_take(q->ring, done + n, max - n);
	if (n || (q->ring && !wait_ns))
		return (int)n;
	struct timespec wait = {wait_ns / 1000000000, wait_ns % 1000000000};
	const uint32_t most = max < q->n_slots ? max : q->n_slots;
	int got = q->waiting && wait_ns ? io_pgetevents(q->context, 1, most, q->event, &wait,
							(sigset_t *)q->waiting)
					: io_getevents(q->context, wait_ns ? 1 : 0, most, q->event,
						       &wait);
	if (got == -EINTR)
		return 0;
	for (int i = 0; i < got; i++)
		done_of(&done[i], &q->event[i]);
	return got;
}

const struct block_backend block_libaio = {
	.name = "libaio",
	.help = "Linux AIO",
	.bundle_max = 256,
	.open = libaio_open,
	.close = libaio_close,
	.submit = libaio_submit,
	.harvest = libaio_harvest,
};
