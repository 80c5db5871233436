/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order_private.h"

/* number of last calls whose places can change: many calls overlap a long call */
#define WINDOW 1024
#define PULLED_MAX 3
#define MOVABLE 64 /* number of last calls that move_earlier() tries at another place */
#define TRIES_A_REQUEST 16
#define TRIES_MORE 1000000
#define GIVE_EVERY 4096 /* requests settled */

struct placed { /* for the last WINDOW calls */
	size_t mark; /* mark in the model's journal before the call */
	size_t n_events; /* likewise */
	bool forced;
};

struct linear_search {
	const struct load *l;
	struct fs_model model;
	uint32_t *out, n;
	struct placed placed[WINDOW]; /* by place modulo WINDOW */
	/* next[t]: index of the first request of the thread without a place */
	uint32_t *next;
	struct flight flight;
	uint64_t tries;
	struct linear *result;
	uint32_t *of;	       /* of[result->first[t] + k]: the k-th request of thread t */
	fs_events_take *take;  /* NULL: events are not used */
	void *ctx;
	struct fs_events events;   /* not yet passed to `take` */
	uint32_t n_given;      /* places whose events were passed */
};

static const struct load_request *request_of(const struct linear_search *s, uint32_t i)
{
	return &s->l->request[i];
}

static bool is_next(const struct linear_search *s, uint32_t i)
{
	return request_of(s, i)->index == s->next[request_of(s, i)->thread];
}

static bool calls_overlap(const struct linear_search *s, uint32_t a, uint32_t b)
{
	const struct load_request *x = request_of(s, a), *y = request_of(s, b);
	return x->thread != y->thread && load_end_ns(s->l, x) > y->begin_ns &&
	       load_end_ns(s->l, y) > x->begin_ns;
}

/* --- placing and undoing ------------------------------------------------- */

static bool call_place(struct linear_search *s, uint32_t request, bool force)
{
	size_t mark = fs_model_mark(&s->model), n_events = s->events.n;
	s->model.force = force;
	s->tries -= s->tries > 0;
	bool ok = fs_model_apply(&s->model, request);
	s->model.force = false;
	if (!ok)
		return false;
	s->placed[s->n % WINDOW] = (struct placed){mark, n_events, force};
	s->out[s->n++] = request;
	s->next[request_of(s, request)->thread]++;
	return true;
}

static void calls_undo(struct linear_search *s, uint32_t n)
{
	while (s->n > n) {
		s->n--;
		s->next[request_of(s, s->out[s->n])->thread]--;
		fs_model_back(&s->model, s->placed[s->n % WINDOW].mark);
		s->events.n = s->placed[s->n % WINDOW].n_events;
	}
}

struct tail { /* copy of the calls after some place */
	uint32_t request[WINDOW], n;
	bool forced[WINDOW];
};

static void tail_copy(const struct linear_search *s, uint32_t from, struct tail *t)
{
	t->n = s->n - from;
	for (uint32_t i = 0; i < t->n; i++) {
		t->request[i] = s->out[from + i];
		t->forced[i] = s->placed[(from + i) % WINDOW].forced;
	}
}

/* Restores the copied places from `from` on. All other attempts were undone in the model, so each
 * call fits again. */
static void tail_restore(struct linear_search *s, uint32_t from, const struct tail *t)
{
	uint32_t same = from; /* unchanged calls stay in place */
	while (same < s->n && same - from < t->n && s->out[same] == t->request[same - from])
		same++;
	calls_undo(s, same);
	for (uint32_t i = same - from; i < t->n; i++)
		if (!call_place(s, t->request[i], t->forced[i]))
			call_place(s, t->request[i], true);
}

/* --- explanations -------------------------------------------------------- */

/* Tries to place some calls that had begun before the request, and then the request. */
static bool calls_pull(struct linear_search *s, uint32_t request, int depth)
{
	for (uint32_t i = 0; i < s->flight.n && s->tries; i++) {
		uint32_t p = s->flight.item[i];
		if (p == request || !is_next(s, p) || !call_place(s, p, false))
			continue;
		if (call_place(s, request, false) ||
		    (depth > 1 && calls_pull(s, request, depth - 1)))
			return true;
		calls_undo(s, s->n - 1);
	}
	return false;
}

static uint32_t window_start(const struct linear_search *s)
{
	return s->n > WINDOW - PULLED_MAX - 1 ? s->n - (WINDOW - PULLED_MAX - 1) : 0;
}

static bool tail_put_from(struct linear_search *s, const struct tail *t, uint32_t first)
{
	for (uint32_t i = first; i < t->n; i++)
		if (!call_place(s, t->request[i], t->forced[i]))
			return false;
	return true;
}

/* Tries to place the request before calls that ended before it. Later places are tried first. */
static bool put_before(struct linear_search *s, uint32_t request)
{
	struct tail t;
	uint32_t n = s->n, at = n, start = window_start(s);
	while (at > start && calls_overlap(s, s->out[at - 1], request))
		at--;
	if (at == n)
		return false;
	tail_copy(s, at, &t);
	for (uint32_t place_at = n; place_at-- > at && s->tries;) {
		calls_undo(s, place_at);
		if (!call_place(s, request, false))
			continue;
		if (tail_put_from(s, &t, place_at - at))
			return true;
		calls_undo(s, place_at);
	}
	tail_restore(s, at, &t);
	return false;
}

/* Tries to move the call at place `from` to an earlier place so that the request fits. */
static bool move_and_put(struct linear_search *s, uint32_t from, uint32_t lowest,
			 const struct tail *t, uint32_t request)
{
	uint32_t moved = t->request[from - lowest];
	calls_undo(s, from);
	for (uint32_t i = from + 1 - lowest; i < t->n; i++)
		if (request_of(s, t->request[i])->thread != request_of(s, moved)->thread &&
		    !call_place(s, t->request[i], t->forced[i]))
			return false;
	bool fits = request_of(s, request)->thread != request_of(s, moved)->thread
			? call_place(s, request, false)
			: true;
	if (!fits)
		return false;
	for (uint32_t to = from;
	     to-- > lowest && s->tries && calls_overlap(s, t->request[to - lowest], moved);) {
		calls_undo(s, to);
		if (!call_place(s, moved, false))
			continue;
		bool ok = true;
		for (uint32_t i = to - lowest; ok && i < t->n; i++)
			ok = i == from - lowest || call_place(s, t->request[i], t->forced[i]);
		if (ok && call_place(s, request, false))
			return true;
	}
	return false;
}

/* Tries to move an earlier call before calls that ended before it. */
static bool move_earlier(struct linear_search *s, uint32_t request)
{
	struct tail t;
	uint32_t n = s->n, lowest = window_start(s);
	tail_copy(s, lowest, &t);
	for (uint32_t from = n; from-- > lowest + 1 && from + MOVABLE > n && s->tries;) {
		if (!calls_overlap(s, t.request[from - 1 - lowest], t.request[from - lowest]))
			continue;
		if (move_and_put(s, from, lowest, &t, request))
			return true;
		tail_restore(s, lowest, &t);
	}
	return false;
}

/* Tries all orders of the last calls that their times permit. Calls that have begun in the meantime
 * may be placed between them. */
#define AGAIN_MAX 24	/* calls */
#define AGAIN_TRIES 4000 /* in one search */

struct again {
	/* the first n_must calls have ended and must be placed; the other calls may be placed */
	uint32_t request[AGAIN_MAX + 8], n, n_must;
	bool forced[AGAIN_MAX + 8], done[AGAIN_MAX + 8];
	uint64_t tries;
};

static bool may_be_next(const struct linear_search *s, const struct again *a, uint32_t i)
{
	if (a->done[i] || !is_next(s, a->request[i]))
		return false;
	int64_t begin = request_of(s, a->request[i])->begin_ns;
	for (uint32_t k = 0; k < a->n_must; k++)
		if (!a->done[k] && k != i &&
		    load_end_ns(s->l, request_of(s, a->request[k])) <= begin)
			return false;
	return true;
}

static bool again_search(struct linear_search *s, struct again *a, uint32_t n_left)
{
	if (!n_left)
		return true;
	for (uint32_t i = 0; i < a->n && a->tries; i++) {
		if (!may_be_next(s, a, i))
			continue;
		a->tries--;
		if (!call_place(s, a->request[i], a->forced[i]))
			continue;
		a->done[i] = true;
		if (again_search(s, a, n_left - (i < a->n_must)))
			return true;
		a->done[i] = false;
		calls_undo(s, s->n - 1);
	}
	return false;
}

static bool put_again(struct linear_search *s, uint32_t request, uint32_t n_again)
{
	struct tail t;
	struct again a = {.n = 0, .tries = AGAIN_TRIES < s->tries ? AGAIN_TRIES : s->tries};
	uint32_t from = s->n - n_again;
	for (uint32_t i = 0; i < n_again; i++) {
		a.request[a.n] = s->out[from + i];
		a.forced[a.n++] = s->placed[(from + i) % WINDOW].forced;
	}
	a.request[a.n++] = request;
	a.n_must = a.n;
	for (uint32_t i = 0; i < s->flight.n && a.n < AGAIN_MAX + 8; i++)
		if (s->flight.item[i] != request && is_next(s, s->flight.item[i]))
			a.request[a.n++] = s->flight.item[i];
	tail_copy(s, from, &t);
	calls_undo(s, from);
	if (again_search(s, &a, a.n_must))
		return true;
	tail_restore(s, from, &t);
	return false;
}

static bool order_again(struct linear_search *s, uint32_t request)
{
	for (uint32_t n = 4; n < AGAIN_MAX && n < s->n && n < s->n - window_start(s) && s->tries;
	     n += n / 2)
		if (put_again(s, request, n))
			return true;
	return false;
}

static void call_settle(struct linear_search *s, uint32_t request)
{
	if (call_place(s, request, false))
		return;
	if (s->tries && (calls_pull(s, request, PULLED_MAX) || put_before(s, request) ||
			 move_earlier(s, request) || order_again(s, request))) {
		s->result->n_moved++;
		return;
	}
	/* accept any number of entries: other processes may change directories, and a file system
	 * may or may not list an entry of a directory that changes in the meantime */
	s->model.any_count = true;
	const bool explained = call_place(s, request, false);
	s->model.any_count = false;
	if (explained) {
		s->placed[(s->n - 1) % WINDOW].forced = true;
		return;
	}
	s->result->n_unexplained++;
	call_place(s, request, true);
}

/* Passes on the events of the calls before place `to`, whose places are final. */
static void settled_give(struct linear_search *s, uint32_t to)
{
	if (!s->take || to < s->n_given || (to < s->l->n && to - s->n_given < GIVE_EVERY))
		return;
	const size_t n = to < s->n ? s->placed[to % WINDOW].n_events : s->events.n;
	struct fs_events *v = &s->events;
	s->take(s->ctx, v->word, n);
	v->n -= n;
	if (v->n)
		memmove(v->word, v->word + n, v->n * sizeof *v->word);
	for (uint32_t i = to; i < s->n; i++)
		s->placed[i % WINDOW].n_events -= n;
	s->n_given = to;
}

/* Called when the request has ended. Places the remaining requests of its thread up to it. */
static void request_end(struct linear_search *s, uint32_t request)
{
	const struct load_request *q = request_of(s, request);
	while (!(request_of(s, request)->index < s->next[request_of(s, request)->thread]))
		call_settle(s, s->of[s->result->first[q->thread] + s->next[q->thread]]);
	if (s->model.n_undo > 65536) {
		uint32_t from = s->n > WINDOW ? s->n - WINDOW : 0;
		size_t base = s->n ? s->placed[from % WINDOW].mark : s->model.n_undo;
		memmove(s->model.undo, s->model.undo + base,
			(s->model.n_undo - base) * sizeof *s->model.undo);
		s->model.n_undo -= base;
		for (uint32_t i = from; i < s->n; i++)
			s->placed[i % WINDOW].mark -= base;
	}
	settled_give(s, window_start(s));
}

/* --- the walk ------------------------------------------------------------ */

static void calls_walk(struct linear_search *s)
{
	const struct load *l = s->l;
	for (uint32_t i = 0, q; i < l->n; i++) {
		while ((q = flight_pop_ended(&s->flight, l, l->request[i].begin_ns)) != NONE32)
			request_end(s, q);
		flight_push(&s->flight, l, i);
	}
	for (uint32_t q; (q = flight_pop_ended(&s->flight, l, INT64_MAX)) != NONE32;)
		request_end(s, q);
	settled_give(s, s->n);
}

/* --- the search ---------------------------------------------------------- */

static int memory_get(struct linear_search *s, struct linear *out, struct err *e)
{
	const struct load *l = s->l;
	out->request = malloc(((size_t)l->n + 1) * sizeof *out->request);
	out->first = calloc((size_t)l->n_threads + 1, sizeof *out->first);
	s->of = malloc(((size_t)l->n + 1) * sizeof *s->of);
	s->next = calloc((size_t)l->n_threads + 1, sizeof *s->next);
	if (!s->next || !s->of || !out->request || !out->first)
		return err_set(e, ENOMEM, "not enough memory to derive the order");
	s->out = out->request;
	return 0;
}

int order_linearise(struct linear *out, const struct load *l, const struct slots *slots,
		    fs_events_take *take, void *ctx, struct err *e)
{
	struct linear_search *s = xcalloc(1, sizeof *s);
	*out = (struct linear){.request = NULL};
	s->l = l;
	s->result = out;
	s->tries = TRIES_MORE + (uint64_t)l->n * TRIES_A_REQUEST;
	int ret = memory_get(s, out, e);
	if (!ret) {
		load_index(l, out->first, s->of);
		fs_model_init(&s->model, l, slots);
		s->take = take;
		s->ctx = ctx;
		s->model.events = take ? &s->events : NULL;
		calls_walk(s);
	}
	fs_model_release(&s->model);
	FREE_EACH(s->flight.item, s->events.word, s->of, s->next, s);
	if (ret)
		linear_release(out);
	return ret;
}

void linear_release(struct linear *x)
{
	FREE_EACH(x->request, x->first);
	*x = (struct linear){.request = NULL};
}
