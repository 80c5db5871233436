/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asynchronous requests. What an io_submit handed over is handed over by one again, through the kernel's own interface, and ends when
 * an io_getevents of its process fetches it; begin and end of such a request are those of the two calls, as in the trace. Requests
 * of the C library's own kind (aio_read) are made by a thread of that library: here the call itself is made, at their place. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "replay/calls/calls_private.h"

#define SUBMIT_MAX 1024
#define EVENTS_MAX 1024

struct pending {
	struct outcome *out;
};

static uint16_t command_of(uint16_t op)
{
	switch (op) {
	case OP_AIO_WRITE:
	case OP_AIO_WRITEV: /* of one buffer: how it was divided is not in the trace */
		return IOCB_CMD_PWRITE;
	case OP_AIO_FSYNC:
		return IOCB_CMD_FSYNC;
	case OP_AIO_FDATASYNC:
		return IOCB_CMD_FDSYNC;
	default:
		return IOCB_CMD_PREAD;
	}
}

static bool context_ready(struct call_process *p)
{
	return p->aio != 0;
}

static void block_fill(const struct caller *k, struct iocb *b, const struct call *c, struct outcome *out)
{
	*b = (struct iocb){
		.aio_data = (uint64_t)(uintptr_t)out,
		.aio_lio_opcode = command_of(c->op),
		.aio_fildes = (uint32_t)call_fd(k, c->slot),
		.aio_buf = (uint64_t)(uintptr_t)k->buffer,
		.aio_nbytes = c->length,
		.aio_offset = (int64_t)c->offset,
	};
	if (c->op == OP_AIO_FSYNC || c->op == OP_AIO_FDATASYNC)
		b->aio_buf = b->aio_nbytes = 0, b->aio_offset = 0;
}

void call_io_submit(struct caller *k)
{
	struct call_process *p = &k->calls->process[k->c->process];
	struct iocb block[SUBMIT_MAX], *list[SUBMIT_MAX];
	long n = 0, wanted = k->c->traced < SUBMIT_MAX ? (long)k->c->traced : SUBMIT_MAX;
	if (k->calls->in_lanes) {
		const struct lane *a = &k->p->lane[k->site->index];
		for (uint32_t i = k->c->first; n < wanted && i < a->n; i++) {
			const struct hot_request *h = &a->request[i];
			if (h->op == HOT_PASSED) /* a read that is left out */
				continue;
			const struct call *c = h->op == HOT_CALL ? &k->calls->call[h->length] : NULL;
			if (!c || !(c->bits & CALL_SUBMITTED))
				break;
			block_fill(k, &block[n], c, &a->outcome[i]);
			list[n] = &block[n];
			n++;
		}
	}
	if (!n || !context_ready(p)) { /* they are made where they stand */
		CALL(k, 0);
		k->out->rvalue = k->c->traced;
		return;
	}
	for (long i = 0; i < n; i++)
		*(struct outcome *)(uintptr_t)block[i].aio_data = (struct outcome){.rvalue = -EINPROGRESS};
	atomic_fetch_add(&p->n_in_flight, n);
	CALL(k, syscall(SYS_io_submit, p->aio, n, list));
	long got = k->out->rvalue > 0 ? (long)k->out->rvalue : 0;
	if (got == n)
		k->out->rvalue = k->c->traced <= SUBMIT_MAX ? k->c->traced : n; /* with those that are left out */
	for (long i = 0; i < got; i++) {
		struct outcome *out = (struct outcome *)(uintptr_t)block[i].aio_data;
		out->begin_ticks = k->out->begin_ticks;
		if (!out->end_ticks)
			out->end_ticks = k->out->begin_ticks;
	}
	atomic_fetch_sub(&p->n_in_flight, n - got);
}

static void events_take(struct call_process *p, const struct io_event *event, long n, uint64_t end)
{
	for (long i = 0; i < n; i++) {
		struct outcome *out = (struct outcome *)(uintptr_t)event[i].data;
		out->end_ticks = end;
		out->rvalue = event[i].res;
	}
	if (n > 0)
		atomic_fetch_sub(&p->n_in_flight, n);
}

void call_io_getevents(struct caller *k)
{
	struct call_process *p = &k->calls->process[k->c->process];
	struct io_event event[EVENTS_MAX];
	long there = (long)atomic_load(&p->n_in_flight), n = k->c->traced < EVENTS_MAX ? (long)k->c->traced : EVENTS_MAX;
	struct timespec none = {0};
	n = n > there ? there : n;
	if (!context_ready(p) || n < 0) {
		CALL(k, 0);
		k->out->rvalue = k->c->traced < 0 ? k->c->traced : 0;
		return;
	}
	if (n == 0)
		CALL(k, syscall(SYS_io_getevents, p->aio, 0, 1, event, &none));
	else
		CALL(k, syscall(SYS_io_getevents, p->aio, n, n, event, NULL));
	events_take(p, event, (long)k->out->rvalue, k->out->end_ticks);
	if (k->out->rvalue > 0)
		k->out->rvalue = 0;
}

/* Where it stands in its thread. It may have been handed over before. */
void call_async(struct caller *k)
{
	const struct call *c = k->c;
	int fd = call_fd(k, c->slot);
	if (c->bits & CALL_SUBMITTED && k->out->begin_ticks) {
		if (k->publish)
			gate_publish(&k->site->gates, k->site->index, k->begun);
		return;
	}
	switch (command_of(c->op)) {
	case IOCB_CMD_PREAD:
		CALL(k, pread(fd, k->buffer, c->length, (off_t)c->offset));
		break;
	case IOCB_CMD_PWRITE:
		CALL(k, pwrite(fd, k->buffer, c->length, (off_t)c->offset));
		break;
	case IOCB_CMD_FSYNC:
		CALL(k, fsync(fd));
		break;
	default:
		CALL(k, fdatasync(fd));
	}
}

void call_async_finish(struct call_table *c, struct call_process *p, const struct clock *clock)
{
	struct io_event event[EVENTS_MAX];
	(void)c;
	for (long left; context_ready(p) && (left = (long)atomic_load(&p->n_in_flight)) > 0;) {
		long n = left < EVENTS_MAX ? left : EVENTS_MAX, got = syscall(SYS_io_getevents, p->aio, n, n, event, NULL);
		if (got <= 0)
			break;
		events_take(p, event, got, clock_end(clock));
	}
	if (context_ready(p))
		syscall(SYS_io_destroy, p->aio);
	p->aio = 0;
}
