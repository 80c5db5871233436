/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/process_waits.h"

#include <stdlib.h>

#include "common/xalloc.h"
#include "replay/load/u64_map.h"

struct threads { /* of each process, and the requests of each */
	const struct load *l;
	const struct slots *s;
	uint32_t *first; /* first[n_threads + 1]: into `of` */
	uint32_t *of;	 /* of[n]: requests, thread by thread, in their order */
	uint32_t *from, *to; /* threads [from[p], to[p]) of process p */
};

static void threads_find(struct threads *t)
{
	const struct load *l = t->l;
	struct u64_map of_pid = {.cell = NULL};
	t->first = xcalloc((size_t)l->n_threads + 1, sizeof *t->first);
	t->of = xmalloc(((size_t)l->n + 1) * sizeof *t->of);
	t->from = xcalloc((size_t)t->s->n_processes + 1, sizeof *t->from);
	t->to = xcalloc((size_t)t->s->n_processes + 1, sizeof *t->to);
	for (uint32_t i = 0; i < t->s->n_processes; i++)
		u64_map_at(&of_pid, t->s->process[i].pid, i);
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t *p = u64_map_find(&of_pid, l->thread[i].pid);
		t->first[i + 1] = t->first[i] + l->thread[i].n_requests;
		if (!p)
			continue;
		t->from[*p] = t->to[*p] ? t->from[*p] : i;
		t->to[*p] = i + 1;
	}
	for (uint32_t i = 0; i < l->n; i++)
		t->of[t->first[l->request[i].thread] + l->request[i].index] = i;
	u64_map_release(&of_pid);
}

static void threads_release(struct threads *t)
{
	free(t->first);
	free(t->of);
	free(t->from);
	free(t->to);
}

/* Requests of a thread that began before `ns`. */
static uint32_t n_begun(const struct threads *t, uint32_t thread, int64_t ns)
{
	uint32_t low = t->first[thread], high = t->first[thread + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (t->l->request[t->of[middle]].begin_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low - t->first[thread];
}

static void wait_add(struct process_waits *p, uint32_t request, uint32_t earlier)
{
	GROW(p->wait, p->n, p->cap);
	p->wait[p->n++] = (struct process_wait){request, earlier};
}

/* The request waits for the last of each thread of the process that had ended by then. */
static void wait_for_process(struct process_waits *p, const struct threads *t, uint32_t request, uint32_t process, int64_t ns)
{
	for (uint32_t thread = t->from[process]; thread < t->to[process]; thread++) {
		uint32_t n = n_begun(t, thread, ns), first = t->first[thread];
		while (n && load_end_ns(t->l, &t->l->request[t->of[first + n - 1]]) > ns)
			n--;
		if (n)
			wait_add(p, request, t->of[first + n - 1]);
	}
}

static void birth_find(struct process_waits *p, const struct threads *t, uint32_t process)
{
	const struct slot_process *x = &t->s->process[process];
	uint32_t request = NONE32;
	for (uint32_t thread = t->from[process]; thread < t->to[process]; thread++)
		if (t->first[thread] < t->first[thread + 1] && t->of[t->first[thread]] < request)
			request = t->of[t->first[thread]];
	if (request == NONE32 || x->parent == NONE32 || x->parent == process)
		return;
	int64_t begin_ns = t->l->request[request].begin_ns;
	wait_for_process(p, t, request, x->parent, x->parent_told && x->birth_ns < begin_ns ? x->birth_ns : begin_ns);
}

static void end_find(struct process_waits *p, const struct threads *t, uint32_t process)
{
	const struct slot_process *x = &t->s->process[process];
	if (!x->waited || x->waiter == NONE32)
		return;
	uint32_t at = t->first[x->waiter] + n_begun(t, x->waiter, x->waited_ns);
	if (at < t->first[x->waiter + 1])
		wait_for_process(p, t, t->of[at], process, t->l->request[t->of[at]].begin_ns);
}

static int compare(const void *a, const void *b)
{
	const struct process_wait *x = a, *y = b;
	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return (x->earlier > y->earlier) - (x->earlier < y->earlier);
}

void process_waits_find(struct process_waits *p, const struct load *l, const struct slots *s)
{
	struct threads t = {.l = l, .s = s};
	*p = (struct process_waits){.n = 0};
	if (s->n_processes < 2)
		return;
	threads_find(&t);
	for (uint32_t i = 0; i < s->n_processes; i++) {
		birth_find(p, &t, i);
		end_find(p, &t, i);
	}
	if (p->n)
		qsort(p->wait, p->n, sizeof *p->wait, compare);
	threads_release(&t);
}

void process_waits_release(struct process_waits *p)
{
	free(p->wait);
	*p = (struct process_waits){.n = 0};
}
