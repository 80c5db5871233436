/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_uring. The descriptor and the buffers are registered if the kernel allows it, so that the
 * kernel need not look them up for each request. Completions are delivered when the worker asks for
 * them (IORING_SETUP_DEFER_TASKRUN), so that they do not interrupt it. Exceptions: the kernel is
 * too old, or another thread takes the completions. */
#include <liburing.h>
#include <linux/fs.h>
#include <sys/resource.h>
#include <sys/uio.h>

#include "common/block/backend.h"
#include "common/units.h"

#define RING_ENTRIES 256u
#define MOST_REGISTERED ((size_t)1 << 30) /* the kernel's limit for one buffer */

enum { BUFFER_READS, BUFFER_CONTENT };

struct block_queue {
	struct io_uring ring;
	bool has_ring, fixed_file, fixed_buffers, is_block;
	bool apart; /* another thread harvests; it must not touch the submission queue */
	const sigset_t *waiting;
	int device_fd;
	int fd; /* the descriptor, or its index (0) among the registered descriptors */
	/* at_once[n_slots]: discards, which are complete when they are submitted */
	struct block_done *at_once;
	uint32_t n_at_once;
	/* requests in the ring that the kernel has not yet taken; if `apart`, only the submitting
	 * thread uses it */
	uint32_t n_left;
};

static void uring_close(struct block_queue *q)
{
	if (q && q->has_ring) {
		/* the kernel releases registered files some time after the ring, but the device
		 * must be free now */
		if (q->fixed_file)
			io_uring_unregister_files(&q->ring);
		if (q->fixed_buffers)
			io_uring_unregister_buffers(&q->ring);
		io_uring_queue_exit(&q->ring);
	}
	if (q)
		free(q->at_once);
	free(q);
}

/* Tries the best flags first. An older kernel refuses unknown flags with EINVAL. */
static int ring_make(struct block_queue *q, const struct block_queue_config *c)
{
	static const unsigned int ways[] = {
	    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, 0};
	int ret = -EINVAL;
	uint32_t cq_entries = c->n_slots > RING_ENTRIES ? c->n_slots : RING_ENTRIES;
	for (size_t i = c->sq_poll || c->harvester ? 2 : 0;
	     ret == -EINVAL && i < sizeof ways / sizeof *ways; i++) {
		struct io_uring_params p = {.flags =
						ways[i] | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
					    .cq_entries = cq_entries};
		if (c->sq_poll) {
			p.flags |= IORING_SETUP_SQPOLL;
			p.sq_thread_idle = 1000;
		}
		ret = io_uring_queue_init_params(RING_ENTRIES, &q->ring, &p);
	}
	q->has_ring = ret == 0;
	return ret;
}

static void registered_note(struct strbuf *notes, int code, size_t n_bytes)
{
	struct rlimit limit;
	if (code == ENOMEM && !getrlimit(RLIMIT_MEMLOCK, &limit)) {
		strbuf_addf(notes, "io_uring: %s of buffers are not registered: the limit of "
			"locked memory (ulimit -l) is %s\n", size_text(n_bytes).s,
			size_text(limit.rlim_cur).s);
	} else {
		strbuf_addf(notes, "io_uring: buffers are not registered: %s\n", strerror(code));
	}
}

static void things_register(struct block_queue *q, const struct block_queue_config *c,
			    struct strbuf *notes)
{
	const struct vm_region *region[] = {c->reads, c->content};
	struct iovec v[2];
	unsigned int n = 0;
	size_t n_bytes = 0;
	for (size_t i = 0; i < 2 && region[i] && region[i]->n_bytes; i++, n++) {
		v[n] = (struct iovec){region[i]->base, region[i]->n_bytes};
		n_bytes += region[i]->n_bytes;
		if (region[i]->n_bytes > MOST_REGISTERED)
			return;
	}
	q->fixed_file = io_uring_register_files(&q->ring, &c->fd, 1) == 0;
	int ret = io_uring_register_buffers(&q->ring, v, n);
	q->fixed_buffers = ret == 0;
	if (ret < 0)
		registered_note(notes, -ret, n_bytes);
}

static int uring_open(struct block_queue **out, const struct block_queue_config *c,
		      struct strbuf *notes, struct err *e)
{
	struct block_queue *q = *out = xcalloc(1, sizeof *q);
	*q = (struct block_queue){
	    .fd = c->fd, .device_fd = c->fd, .is_block = c->is_block, .apart = c->harvester,
	    .waiting = c->waiting};
	int ret = ring_make(q, c);
	if (ret == -ENOMEM)
		return err_sys(e, ENOMEM, "io_uring: cannot create a ring of %u requests; the "
			"limit of locked memory (ulimit -l) may be too low", c->n_slots);
	if (ret)
		return err_sys(e, -ret, "cannot set up io_uring");
	if (c->registered)
		things_register(q, c, notes);
	if (q->fixed_file)
		q->fd = 0;
	q->at_once = xcalloc(c->n_slots, sizeof *q->at_once);
	return 0;
}

static void transfer_prepare(const struct block_queue *q, struct io_uring_sqe *s,
			     const struct block_command *c)
{
	bool write = c->direction == BLOCK_WRITE;
	int buffer = c->content ? BUFFER_CONTENT : BUFFER_READS;
	if (q->fixed_buffers && write)
		io_uring_prep_write_fixed(s, q->fd, c->buffer, (unsigned int)c->length, c->offset,
					  buffer);
	else if (q->fixed_buffers)
		io_uring_prep_read_fixed(s, q->fd, c->buffer, (unsigned int)c->length, c->offset,
					 buffer);
	else if (write)
		io_uring_prep_write(s, q->fd, c->buffer, (unsigned int)c->length, c->offset);
	else
		io_uring_prep_read(s, q->fd, c->buffer, (unsigned int)c->length, c->offset);
	s->rw_flags = c->fua ? RWF_DSYNC : 0;
}

static void command_prepare(const struct block_queue *q, struct io_uring_sqe *s,
			    const struct block_command *c)
{
	if (c->direction == BLOCK_FLUSH)
		io_uring_prep_fsync(s, q->fd, IORING_FSYNC_DATASYNC);
	else
		transfer_prepare(q, s, c);
	if (q->fixed_file)
		s->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data64(s, c->slot);
}

/* Offers requests to the kernel. Requests that the kernel does not take stay in the ring until the
 * next harvest. If another thread harvests, this function repeats until the kernel has taken
 * all. */
static void requests_offer(struct block_queue *q, uint32_t n)
{
	int got;
	q->n_left += n;
	do {
		got = io_uring_submit(&q->ring);
		q->n_left -= got > 0 ? (uint32_t)got : 0;
	} while (q->apart && q->n_left &&
		 (got > 0 || got == -EAGAIN || got == -EBUSY || got == -EINTR));
}

static int uring_submit(struct block_queue *q, const struct block_command *command, uint32_t n)
{
	struct io_uring_sqe *s;
	uint32_t k = 0;
	if (n && command->direction == BLOCK_DISCARD) {
		q->at_once[q->n_at_once++] = (struct block_done){
		    command->slot,
		    block_discard(q->device_fd, q->is_block, command->offset, command->length)};
		return 1;
	}
	for (; k < n && command[k].direction != BLOCK_DISCARD && (s = io_uring_get_sqe(&q->ring));
	     k++)
		command_prepare(q, s, &command[k]);
	if (!k)
		return n ? -EAGAIN : 0;
	requests_offer(q, k);
	return (int)k;
}

static uint32_t ring_take(struct block_queue *q, struct block_done *done, uint32_t max)
{
	struct io_uring_cqe *cqe;
	unsigned int head;
	uint32_t n = 0;
	io_uring_for_each_cqe(&q->ring, head, cqe) {
		if (n == max)
			break;
		done[n++] = (struct block_done){(uint32_t)io_uring_cqe_get_data64(cqe), cqe->res};
	}
	io_uring_cq_advance(&q->ring, n);
	return n;
}

static int uring_harvest(struct block_queue *q, struct block_done *done, uint32_t max,
			 int64_t wait_ns)
{
	uint32_t n = 0;
	if (!q->apart && q->n_left)
		requests_offer(q, 0);
	while (q->n_at_once && n < max)
		done[n++] = q->at_once[--q->n_at_once];
	n += ring_take(q, done + n, max - n);
	if (n)
		return (int)n;
	const unsigned int waiting = IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW;
	if (!wait_ns) { /* the kernel has completions that only a system call delivers */
		if (!(IO_URING_READ_ONCE(*q->ring.sq.kflags) & waiting))
			return 0;
		io_uring_get_events(&q->ring);
		return (int)ring_take(q, done, max);
	}
	struct io_uring_cqe *cqe;
	struct __kernel_timespec wait = {.tv_sec = wait_ns / 1000000000,
					 .tv_nsec = wait_ns % 1000000000};
	int ret = io_uring_wait_cqes(&q->ring, &cqe, 1, &wait, (sigset_t *)q->waiting);
	if (ret == -ETIME || ret == -EINTR || ret == -EAGAIN)
		return 0;
	return ret < 0 ? ret : (int)ring_take(q, done, max);
}

const struct block_backend block_uring = {
	.name = "io_uring",
	.help = "io_uring, with registered files and buffers",
	.bundle_max = RING_ENTRIES,
	.open = uring_open,
	.close = uring_close,
	.submit = uring_submit,
	.harvest = uring_harvest,
};
