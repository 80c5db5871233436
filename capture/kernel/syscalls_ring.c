/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of io_uring are calls that begin at their submission and end when the kernel completes
 * them. Requests of libaio end when io_getevents() returns their results. */

#include "capture/kernel/syscalls_private.h"

struct ring_request {
	uint64_t request;
	bool is_aio;
	uint64_t index; /* index in the list of the io_submit() */
	struct syscall_thread t; /* copy of the submitting thread */
	struct syscall_memory memory[SYSCALL_MEMORIES];
	struct ring_request *next;
};

static struct ring_request **place_of(struct syscalls *c, uint64_t request)
{
	struct ring_request **p = &c->ring[(request * 0x9e3779b97f4a7c15u) >> 56];
	while (*p && (*p)->request != request)
		p = &(*p)->next;
	return p;
}

static void request_drop(struct syscalls *c, struct ring_request **place)
{
	SCOPED_FREE struct ring_request *p = *place;
	*place = p->next;
	syscall_process_leave(c, p->t.process);
}

/* Returns NULL if the thread is hidden. */
static struct ring_request *request_begin(struct syscalls *c, uint32_t tid, int64_t ns,
	uint64_t request, const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS])
{
	const struct syscall_thread *t = syscall_thread_of(c, tid);
	struct ring_request **place = place_of(c, request);
	if (t->hidden)
		return NULL;
	if (*place) { /* the end of an earlier request with this number is missing */
		c->counts.n_ring_unread++;
		syscall_abandon(c, &(*place)->t);
		request_drop(c, place);
	}
	struct ring_request *p = xcalloc(1, sizeof *p);
	p->request = request;
	p->t = (struct syscall_thread){.tid = tid, .pid = t->pid, .process = t->process};
	p->t.process->n_threads++;
	p->next = *(place = &c->ring[(request * 0x9e3779b97f4a7c15u) >> 56]);
	*place = p;
	c->counts.n_ring_requests++;
	syscall_begin(c, &p->t, ns, row, arg);
	return p;
}

void syscalls_ring_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
			 const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS],
			 const struct syscall_memory memory[SYSCALL_MEMORIES])
{
	struct ring_request *p = request_begin(c, tid, ns, request, row, arg);
	if (p)
		memcpy(p->memory, memory, sizeof p->memory);
}

void syscalls_aio_begin(struct syscalls *c, uint32_t tid, int64_t ns, uint64_t request,
	uint64_t index, const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS])
{
	struct ring_request *p = request_begin(c, tid, ns, request, row, arg);
	if (p) {
		p->is_aio = true;
		p->index = index;
	}
}

void syscall_aio_refused(struct syscalls *c, const struct syscall_thread *t, uint64_t n)
{
	if (n == t->arg[1])
		return;
	for (size_t i = 0; i < SYSCALL_RING_SLOTS; i++)
		for (struct ring_request **place = &c->ring[i]; *place;) {
			struct ring_request *p = *place;
			if (!p->is_aio || p->t.tid != t->tid || p->t.begin_ns <= t->before_ns ||
			    p->index < n) {
				place = &p->next;
				continue;
			}
			record_queue_drop(c->queue, p->t.ticket);
			c->counts.n_ring_requests--;
			request_drop(c, place);
		}
}

int syscalls_ring_end(struct syscalls *c, int64_t ns, uint64_t request, int64_t result,
		      struct err *e)
{
	struct ring_request **place = place_of(c, request);
	if (!*place)
		return 0;
	const int ret =
	    syscall_end(c, &(*place)->t, ns, (*place)->t.row, result, (*place)->memory, e);
	request_drop(c, place);
	return ret;
}

void syscall_rings_abandon(struct syscalls *c)
{
	for (size_t i = 0; i < SYSCALL_RING_SLOTS; i++)
		while (c->ring[i]) {
			c->counts.n_ring_unread++;
			syscall_abandon(c, &c->ring[i]->t);
			request_drop(c, &c->ring[i]);
		}
}
