/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"
#include "replay/order/order_private.h"

struct threads { /* the threads of each process and their requests */
	const struct load *l;
	const struct slots *s;
	uint32_t *first; /* first[n_threads + 1]: indices into `of` */
	uint32_t *of;	 /* of[n]: requests, ordered by thread and index */
	uint32_t *from, *to; /* threads [from[p], to[p]) of process p */
};

static void threads_find(struct threads *t)
{
	const struct load *l = t->l;
	SCOPED(u64_map_release) struct u64_map of_pid = {.cell = NULL};
	t->first = xcalloc((size_t)l->n_threads + 1, sizeof *t->first);
	t->of = xmalloc(((size_t)l->n + 1) * sizeof *t->of);
	t->from = xcalloc((size_t)t->s->n_processes + 1, sizeof *t->from);
	t->to = xcalloc((size_t)t->s->n_processes + 1, sizeof *t->to);
	for (uint32_t i = 0; i < t->s->n_processes; i++)
		u64_map_at(&of_pid, t->s->process[i].pid, i);
	for (uint32_t i = 0; i < l->n_threads; i++) {
		const uint32_t *p = u64_map_find(&of_pid, l->thread[i].pid);
		if (!p)
			continue;
		t->from[*p] = t->to[*p] ? t->from[*p] : i;
		t->to[*p] = i + 1;
	}
	load_index(l, t->first, t->of);
}

/* Returns the number of requests of a thread that began before `ns`. */
static uint32_t n_begun(const struct threads *t, uint32_t thread, int64_t ns)
{
	uint32_t low = t->first[thread];
	BISECT(low, t->first[thread + 1], i, t->l->request[t->of[i]].begin_ns < ns)
	return low - t->first[thread];
}

static void wait_add(struct process_waits *p, uint32_t request, uint32_t earlier)
{
	APPEND(p->wait, p->n, p->cap, (struct process_wait){request, earlier});
}

/* limit for the number of requests of a thread that had begun but not ended at one time */
#define OVERLAP_MAX 64

/* Makes the request wait for the last request of the thread that had ended at `ns`. */
static void wait_for_thread(struct process_waits *p, const struct threads *t, uint32_t request,
			    uint32_t thread, int64_t ns)
{
	uint32_t n = n_begun(t, thread, ns), first = t->first[thread],
		 least = n > OVERLAP_MAX ? n - OVERLAP_MAX : 0;
	while (n > least && load_end_ns(t->l, &t->l->request[t->of[first + n - 1]]) > ns)
		n--;
	if (n > least)
		wait_add(p, request, t->of[first + n - 1]);
}

/* Makes the request wait for the last request of each thread of the process that had ended at
 * `ns`. */
static void wait_for_process(struct process_waits *p, const struct threads *t, uint32_t request,
			     uint32_t process, int64_t ns)
{
	for (uint32_t thread = t->from[process]; thread < t->to[process]; thread++)
		wait_for_thread(p, t, request, thread, ns);
}

/* Makes the first request of each thread of `process` wait for the process `other`. */
static void process_waits_for(struct process_waits *p, const struct threads *t, uint32_t process,
			      uint32_t other, int64_t ns)
{
	for (uint32_t thread = t->from[process]; thread < t->to[process]; thread++)
		if (t->first[thread] < t->first[thread + 1])
			wait_for_process(p, t, t->of[t->first[thread]], other, ns);
}

static void spawn_find(struct process_waits *p, const struct threads *t, uint32_t process)
{
	const struct slot_process *x = &t->s->process[process];
	uint32_t request = NONE32;
	for (uint32_t thread = t->from[process]; thread < t->to[process]; thread++)
		if (t->first[thread] < t->first[thread + 1] && t->of[t->first[thread]] < request)
			request = t->of[t->first[thread]];
	if (request == NONE32 || x->parent == NONE32 || x->parent == process)
		return;
	int64_t begin_ns = t->l->request[request].begin_ns;
	process_waits_for(p, t, process, x->parent,
			  x->parent_known && x->birth_ns < begin_ns ? x->birth_ns : begin_ns);
}

static void end_find(struct process_waits *p, const struct threads *t, uint32_t process)
{
	const struct slot_process *x = &t->s->process[process];
	if (x->knows == NONE32)
		return;
	uint32_t at = t->first[x->knows] + n_begun(t, x->knows, x->knows_ns);
	if (at < t->first[x->knows + 1])
		wait_for_process(p, t, t->of[at], process, t->l->request[t->of[at]].begin_ns);
}

/* The first request of thread `thread`, if it has any, waits for thread `other`. */
static void thread_waits_for(struct process_waits *p, const struct threads *t, uint32_t thread,
			     uint32_t other, int64_t ns)
{
	if (t->first[thread] == t->first[thread + 1])
		return;
	const uint32_t request = t->of[t->first[thread]];
	const int64_t begin_ns = t->l->request[request].begin_ns;
	wait_for_thread(p, t, request, other, ns < begin_ns ? ns : begin_ns);
}

/* The creator of a thread, and the thread that waited for its end. */
static void thread_find(struct process_waits *p, const struct threads *t,
			const struct slot_thread *x)
{
	if (x->creator != NONE32)
		thread_waits_for(p, t, x->thread, x->creator, x->created_ns);
	if (x->joiner == NONE32)
		return;
	const uint32_t at = t->first[x->joiner] + n_begun(t, x->joiner, x->joined_ns);
	if (at < t->first[x->joiner + 1])
		wait_for_thread(p, t, t->of[at], x->thread, t->l->request[t->of[at]].begin_ns);
}

/* --- children of one process or thread, one after another ----------------- */

#define ENDED_MAX 256u

struct moment { /* an event: a process or thread begins, or its parent has waited for its end */
	int64_t ns;
	uint32_t parent, child;
	bool spawn;
};

ORDER_BY(compare_moments, struct moment, parent, ns, spawn, child)

static struct moment *process_moments(const struct slots *s, uint32_t *n)
{
	struct moment *all = xmalloc(((size_t)s->n_spawns * 2 + 1) * sizeof *all);
	*n = 0;
	for (uint32_t i = 0; i < s->n_spawns; i++) {
		const struct slot_spawn *x = &s->spawn[i];
		all[(*n)++] = (struct moment){x->birth_ns, x->parent, x->process, true};
		if (x->ended)
			all[(*n)++] = (struct moment){x->ended_ns, x->parent, x->process, false};
	}
	return all;
}

static struct moment *thread_moments(const struct slots *s, uint32_t *n)
{
	struct moment *all = xmalloc(((size_t)s->n_threads * 2 + 1) * sizeof *all);
	*n = 0;
	for (uint32_t i = 0; i < s->n_threads; i++) {
		const struct slot_thread *x = &s->thread[i];
		if (x->creator != NONE32)
			all[(*n)++] = (struct moment){x->created_ns, x->creator, x->thread, true};
		if (x->joiner != NONE32)
			all[(*n)++] = (struct moment){x->joined_ns, x->joiner, x->thread, false};
	}
	return all;
}

/* Children for whose end a parent has waited, except children for which a child that ended later
 * had waited. */
struct known_ends {
	uint32_t child[ENDED_MAX], number[ENDED_MAX]; /* number: count of ended children */
	uint32_t n;
};

static void end_note(struct known_ends *k, uint32_t child, uint32_t number, uint32_t n_before)
{
	uint32_t kept = 0;
	for (uint32_t i = k->n == ENDED_MAX; i < k->n; i++) {
		if (k->number[i] < n_before) /* `child` began after its end */
			continue;
		k->child[kept] = k->child[i];
		k->number[kept++] = k->number[i];
	}
	k->child[kept] = child;
	k->number[kept] = number;
	k->n = kept + 1;
}

/* Finds waits between siblings: a child begins after the end of the children for which its parent
 * had waited, even if the parent makes no request in between. `waits_for` adds the wait of a child
 * for another child. */
static void siblings_find(struct process_waits *p, const struct threads *t, struct moment *all,
			  uint32_t n, uint32_t n_children,
			  void (*waits_for)(struct process_waits *p, const struct threads *t,
					    uint32_t child, uint32_t other, int64_t ns))
{
	uint32_t n_ended = 0;
	/* number of ends that the parent had observed when the child began */
	SCOPED_FREE uint32_t *n_before = xcalloc((size_t)n_children + 1, sizeof *n_before);
	struct known_ends known = {.n = 0};
	SORT(all, n, compare_moments);
	for (uint32_t i = 0; i < n; i++) {
		const struct moment *m = &all[i];
		if (i && m->parent != all[i - 1].parent)
			known.n = 0;
		if (!m->spawn) {
			end_note(&known, m->child, n_ended++, n_before[m->child]);
			continue;
		}
		n_before[m->child] = n_ended;
		for (uint32_t k = 0; k < known.n; k++)
			waits_for(p, t, m->child, known.child[k], m->ns);
	}
}

ORDER_BY(compare, struct process_wait, request, earlier)

void process_waits_find(struct process_waits *p, const struct load *l, const struct slots *s)
{
	struct threads t = {.l = l, .s = s};
	*p = (struct process_waits){.n = 0};
	if (s->n_processes < 2 && !s->n_threads)
		return;
	threads_find(&t);
	for (uint32_t i = 0; i < s->n_processes; i++) {
		spawn_find(p, &t, i);
		end_find(p, &t, i);
	}
	for (uint32_t i = 0; i < s->n_threads; i++)
		thread_find(p, &t, &s->thread[i]);
	uint32_t n;
	struct moment *all = process_moments(s, &n);
	siblings_find(p, &t, all, n, s->n_processes, process_waits_for);
	free(all);
	all = thread_moments(s, &n);
	siblings_find(p, &t, all, n, l->n_threads, thread_waits_for);
	free(all);
	SORT(p->wait, p->n, compare);
	FREE_EACH(t.first, t.of, t.from, t.to);
}

void process_waits_release(struct process_waits *p)
{
	free(p->wait);
	*p = (struct process_waits){.n = 0};
}

/* --- asynchronous requests ----------------------------------------------- */

struct waits_finder {
	struct process_waits *p;
	const struct load *l;
	struct u64_map fetched; /* (process, end) -> call that fetched requests with this end */
	uint32_t *last;	  /* last[n_threads]: latest request of each thread, NONE32 none */
	/* before[n_threads]: last request of the thread that had ended when `last` began; NONE32
	 * none */
	uint32_t *before;
	/* ended[n_threads]: list of the thread's ended requests in channels for which no request
	 * waits yet, linked by next_ended; NONE32: end */
	uint32_t *ended;
	uint32_t *next_ended; /* next_ended[l->n] */
};

static uint64_t fetch_key(const struct load *l, const struct load_request *r)
{
	return (uint64_t)load_end_ns(l, r) * UINT64_C(0x9e3779b97f4a7c15) ^
	       l->thread[r->thread].pid;
}

/* Returns the call that fetched the request, or NONE32. A call at the same time, but earlier in
 * issue order, did not wait for the request: the request may depend on what follows that call. */
static uint32_t fetch_of(const struct waits_finder *f, const struct load_request *r)
{
	const uint32_t *known = u64_map_find(&f->fetched, fetch_key(f->l, r));
	const struct load_request *g = known ? &f->l->request[*known] : NULL;
	return g > r && g->begin_ns == load_end_ns(f->l, r) &&
		       f->l->thread[g->thread].pid == f->l->thread[r->thread].pid
		   ? *known
		   : NONE32;
}

static void request_ended(struct waits_finder *f, uint32_t q)
{
	const struct load_request *r = &f->l->request[q];
	const struct load_thread *t = &f->l->thread[r->thread];
	const uint32_t fetch = fetch_of(f, r);
	if (fetch != NONE32 && f->l->request[fetch].thread != r->thread)
		wait_add(f->p, fetch, q);
	if (fetch != NONE32 || !t->is_channel)
		return;
	f->next_ended[q] = f->ended[t->of];
	f->ended[t->of] = q;
}

static void request_begins(struct waits_finder *f, uint32_t i)
{
	const struct load_request *r = &f->l->request[i];
	const struct load_thread *t = &f->l->thread[r->thread];
	const uint32_t own = t->is_channel ? t->of : r->thread, last = f->last[own];
	/* if the last request has not ended, which is possible for a submission, the request before
	 * it is used */
	const bool ended = last != NONE32 && load_end_ns(f->l, &f->l->request[last]) <= r->begin_ns;
	const uint32_t latest = ended ? last : f->before[own];
	if (t->is_channel) {
		if (latest != NONE32)
			wait_add(f->p, i, latest);
		return;
	}
	for (; f->ended[own] != NONE32; f->ended[own] = f->next_ended[f->ended[own]])
		wait_add(f->p, i, f->ended[own]);
	f->before[own] = latest;
	f->last[own] = i;
}

void async_waits_find(struct process_waits *p, const struct load *l)
{
	struct waits_finder f = {.p = p, .l = l};
	struct flight flight = {.item = NULL};
	*p = (struct process_waits){.n = 0};
	for (uint32_t i = 0; i < f.l->n; i++)
		if (f.l->request[i].op == OP_IO_GETEVENTS && f.l->request[i].rvalue > 0)
			u64_map_at(&f.fetched, fetch_key(f.l, &f.l->request[i]), i);
	if (!l->n_channels && !f.fetched.n)
		return;
	f.last = xmalloc(l->n_threads * sizeof *f.last);
	f.before = xmalloc(l->n_threads * sizeof *f.before);
	f.ended = xmalloc(l->n_threads * sizeof *f.ended);
	f.next_ended = xmalloc((size_t)l->n * sizeof *f.next_ended);
	for (uint32_t i = 0; i < l->n_threads; i++)
		f.last[i] = f.before[i] = f.ended[i] = NONE32;
	for (uint32_t i = 0, q; i < l->n; i++) {
		while ((q = flight_pop_ended(&flight, l, l->request[i].begin_ns)) != NONE32)
			request_ended(&f, q);
		request_begins(&f, i);
		if (load_is_async(&l->request[i]))
			flight_push(&flight, l, i);
	}
	SORT(p->wait, p->n, compare);
	free(flight.item);
	u64_map_release(&f.fetched);
	FREE_EACH(f.last, f.before, f.ended, f.next_ended);
}
