/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/load.h"

#include "common/u64_map.h"

/* largest number of channels of a thread; further requests stay in the thread itself */
#define CHANNELS_MAX 1024u

static bool hands_over(uint16_t op)
{
	return op == OP_IO_SUBMIT || op == OP_IO_URING_ENTER;
}

/* --- times --------------------------------------------------------------- */

static bool instants_make(struct load *l)
{
	bool moved = false;
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		struct load_more *m = load_more(l, r);
		const int64_t end_ns = load_end_ns(l, r);
		if (!m || end_ns == INT64_MAX)
			continue;
		if (hands_over(r->op)) {
			m->from = (uint64_t)end_ns;
			load_end_set(l, r, r->begin_ns);
		} else if (r->op == OP_IO_GETEVENTS && r->rvalue > 0) {
			m->from = (uint64_t)r->begin_ns;
			moved |= r->begin_ns != end_ns;
			r->begin_ns = end_ns;
			load_end_set(l, r, end_ns);
		}
	}
	return moved;
}

/* Ends requests before the close of their descriptor. The kernel completes a request whose
 * descriptor is closed in the meantime. But in the replay the worker of the channel would find the
 * descriptor closed. */
static void closes_settle(struct load *l)
{
	/* (pid, fd) -> last asynchronous request */
	SCOPED(u64_map_release) struct u64_map latest = {.cell = NULL};
	SCOPED_FREE uint32_t *before = xmalloc(((size_t)l->n + 1) * sizeof *before);
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const bool async = load_is_async(r), replaces = r->op == OP_DUP2 && r->rvalue >= 0;
		if ((!async && r->op != OP_CLOSE && !replaces) || (!replaces && !r->has_fd))
			continue;
		uint32_t *at = u64_map_at(&latest, u64_pair(l->thread[r->thread].pid,
			replaces ? (uint32_t)r->rvalue : (uint32_t)r->fd), NONE32);
		for (uint32_t q = async ? NONE32 : *at; q != NONE32; q = before[q])
			if (load_end_ns(l, &l->request[q]) > r->begin_ns &&
			    load_end_ns(l, &l->request[q]) != INT64_MAX)
				load_end_set(l, &l->request[q], r->begin_ns);
		before[i] = *at;
		*at = async ? i : NONE32;
	}
}

bool load_async_settle(struct load *l)
{
	closes_settle(l);
	return instants_make(l);
}

/* --- channels ------------------------------------------------------------ */

struct channels { /* of one thread */
	uint32_t *thread; /* thread[n]: of the load */
	int64_t *free_ns; /* free_ns[n]: end of the last request of each channel */
	uint32_t n, threads_cap, times_cap;
};

struct spread {
	struct load *l;
	struct channels *of; /* of[n_own] */
	uint32_t n_own;	     /* threads that the program had */
	uint32_t cap;	     /* of l->thread */
	uint32_t next_tid;
	struct u64_map known; /* (pid, tid) of all */
};

/* Adds a channel. It gets the greatest thread number that the process does not use, so that
 * channels are sorted after all threads. */
static uint32_t channel_add(struct spread *s, uint32_t owner)
{
	struct load *l = s->l;
	const uint32_t pid = l->thread[owner].pid;
	while (u64_map_find(&s->known, u64_pair(pid, s->next_tid)))
		s->next_tid--;
	const struct load_thread made = {
	    .pid = pid, .tid = s->next_tid--, .of = owner, .is_channel = true};
	if (l->n_threads == s->cap) {
		s->cap = s->cap * 2;
		l->thread = xrealloc(l->thread, s->cap * sizeof *l->thread);
	}
	l->thread[l->n_threads] = made;
	l->n_channels++;
	return l->n_threads++;
}

/* Returns the first channel that is free when the request begins, or a new channel; NONE32 if there
 * are too many. */
static uint32_t channel_take(struct spread *s, const struct load_request *r)
{
	struct channels *c = &s->of[r->thread];
	uint32_t i = 0;
	while (i < c->n && c->free_ns[i] > r->begin_ns)
		i++;
	if (i == c->n && (c->n == CHANNELS_MAX || s->l->n_threads == REPLAY_MAX_THREADS))
		return NONE32;
	if (i == c->n) {
		GROW(c->thread, c->n, c->threads_cap);
		GROW(c->free_ns, c->n, c->times_cap);
		c->thread[c->n++] = channel_add(s, r->thread);
	}
	c->free_ns[i] = load_end_ns(s->l, r);
	return c->thread[i];
}

static uint32_t *next_find(const struct load *l)
{
	uint32_t *next = xmalloc(((size_t)l->n + 1) * sizeof *next);
	SCOPED_FREE uint32_t *later = xmalloc(((size_t)l->n_threads + 1) * sizeof *later);
	for (uint32_t i = 0; i < l->n_threads; i++)
		later[i] = NONE32;
	for (uint32_t i = l->n; i-- > 0; later[l->request[i].thread] = i)
		next[i] = later[l->request[i].thread];
	return next;
}

/* Whether the last synchronous call of the thread submitted the request. */
static bool handed_over(const struct load *l, uint32_t call, const struct load_request *r)
{
	const struct load_request *c = call != NONE32 ? &l->request[call] : NULL;
	return c && hands_over(c->op) && (int64_t)l->more[c->more].from >= r->begin_ns;
}

void load_async_spread(struct load *l)
{
	struct spread s = {
	    .l = l, .n_own = l->n_threads, .cap = l->n_threads, .next_tid = UINT32_MAX};
	uint32_t *next = next_find(l), *call = xmalloc(((size_t)s.n_own + 1) * sizeof *call);
	s.of = xcalloc((size_t)s.n_own + 1, sizeof *s.of);
	for (uint32_t i = 0; i < s.n_own; i++) {
		call[i] = NONE32;
		u64_map_at(&s.known, u64_pair(l->thread[i].pid, l->thread[i].tid), i);
	}
	for (uint32_t i = 0; i < l->n; i++) {
		struct load_request *r = &l->request[i];
		if (!load_is_async(r)) {
			call[r->thread] = i;
			continue;
		}
		const int64_t end_ns = load_end_ns(l, r);
		const bool overlapped = next[i] != NONE32 &&
			l->request[next[i]].begin_ns < end_ns && end_ns != INT64_MAX;
		const uint32_t channel = overlapped ? channel_take(&s, r) : NONE32;
		r->flags = handed_over(l, call[r->thread], r) ? LOAD_HANDED_OVER : 0;
		if (channel != NONE32)
			r->thread = channel & 0x7fffu;
	}
	for (uint32_t i = 0; i < s.n_own; i++)
		FREE_EACH(s.of[i].thread, s.of[i].free_ns);
	u64_map_release(&s.known);
	FREE_EACH(s.of, call, next);
}
