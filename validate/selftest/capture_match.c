/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/capture_match.h"

#include "capture/op.h"
#include "common/fnv1a.h"
#include "common/sort.h"

#define SLACK_MONOTONIC_NS 2000 /* difference between two calibrations of the time-stamp counter */
/* the wall clock may be slewed by up to 500 ppm over some seconds */
#define SLACK_WALL_NS 1000000

struct match_call {
	uint64_t key;
	int64_t begin_ns, end_ns; /* on the common clock */
	uint32_t tid;
	uint16_t op;
};

struct match_calls {
	struct match_call *call;
	size_t n, cap;
};

struct match_span { /* time span of a thread's requests in its own trace */
	uint32_t tid;
	int64_t first_ns, last_ns;
};

struct match_job {
	struct match_calls own, captured;
	struct match_span *span;
	size_t n_spans, cap_spans;
	int64_t slack_ns;
	bool wall;
};

/* --- keys ---------------------------------------------------------------- */

/* Returns a hash of the last part of a path. Paths can be relative to different roots, so only
 * their last parts are compared. */
static uint64_t last_part(const struct trace *t, uint32_t object)
{
	const struct trace_object *o = object == OBJECT_NONE ? NULL : trace_object(t, object);
	if (!o)
		return 0;
	const char *slash = strrchr(o->name, '/'), *name = slash ? slash + 1 : o->name;
	return fnv1a(FNV1A_START, name, strlen(name));
}

static uint64_t key_of(const struct trace *t, const struct trace_record *r)
{
	const unsigned int uses = op_info(r->op)->uses;
	const uint64_t parts[] = {
	    r->tid, r->op,
	    uses & OP_HAS_FD && r->fd >= 0 ? (uint32_t)r->fd : last_part(t, r->object),
	    uses & OP_HAS_OFFSET ? r->offset : 0, uses & OP_HAS_LENGTH ? r->length : 0,
	    uses & OP_RESULT_VARIES ? r->rvalue == -1 : (uint64_t)r->rvalue, (uint64_t)r->error};
	return fnv1a(FNV1A_START, parts, sizeof parts);
}

/* --- reading ------------------------------------------------------------- */

static struct match_span *span_find(const struct match_job *j, uint32_t tid)
{
	for (size_t i = 0; i < j->n_spans; i++)
		if (j->span[i].tid == tid)
			return &j->span[i];
	return NULL;
}

static void span_extend(struct match_job *j, const struct match_call *c)
{
	struct match_span *s = span_find(j, c->tid);
	if (!s) {
		GROW(j->span, j->n_spans, j->cap_spans);
		s = &j->span[j->n_spans++];
		*s = (struct match_span){c->tid, c->begin_ns, c->end_ns};
	}
	s->first_ns = c->begin_ns < s->first_ns ? c->begin_ns : s->first_ns;
	s->last_ns = c->end_ns > s->last_ns ? c->end_ns : s->last_ns;
}

static bool call_wanted(const struct match_job *j, const struct match_call *c)
{
	const struct match_span *s = span_find(j, c->tid);
	return s && c->begin_ns >= s->first_ns - j->slack_ns && c->begin_ns <= s->last_ns;
}

static int calls_read(struct match_job *j, struct trace *t, bool own, struct err *e)
{
	struct match_calls *to = own ? &j->own : &j->captured;
	const struct trace_record *r;
	int64_t zero_ns = j->wall ? trace_meta(t)->wall_epoch_ns : trace_meta(t)->epoch_ns;
	int ret = trace_rewind(t, e);
	while (!ret && (ret = trace_next(t, &r, e)) == 1) {
		ret = 0;
		if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE ||
		    op_info(r->op)->family == FAMILY_PAGE)
			continue;
		struct match_call c = {0, zero_ns + r->begin_ns, zero_ns + r->end_ns, r->tid,
				       r->op};
		if (own)
			span_extend(j, &c);
		else if (!call_wanted(j, &c))
			continue;
		c.key = key_of(t, r);
		APPEND(to->call, to->n, to->cap, c);
	}
	return ret;
}

/* --- pairs --------------------------------------------------------------- */

ORDER_BY(by_key, struct match_call, key, begin_ns)

static void pair_add(struct capture_op *o, const struct match_call *own,
		     const struct match_call *captured)
{
	double own_ns = (double)(own->end_ns - own->begin_ns);
	APPEND(o->pair, o->n, o->cap,
	       (struct capture_pair){(double)(captured->end_ns - captured->begin_ns) - own_ns,
				     (double)(captured->begin_ns - own->begin_ns), own_ns});
}

static bool calls_overlap(const struct match_call *a, const struct match_call *b, int64_t slack_ns)
{
	return a->key == b->key && a->begin_ns <= b->end_ns + slack_ns &&
	       b->begin_ns <= a->end_ns + slack_ns;
}

/* Decides which of the two next calls has no partner: -1: the program's own call, 1: the captured
 * call, 0: neither. A call with the largest key comes after all calls. Calls that just miss each
 * other are a pair unless the next call fits better. Otherwise a call immediately before the
 * program's own calls would shift all equal calls. */
static int lone_call(const struct match_call *own, const struct match_call *captured,
		     int64_t slack_ns)
{
	if (own->key != captured->key)
		return own->key < captured->key ? -1 : 1;
	if (!calls_overlap(own, captured, slack_ns))
		return own->end_ns < captured->begin_ns ? -1 : 1;
	if (calls_overlap(own, captured, 0))
		return 0;
	return calls_overlap(own, captured + 1, 0)   ? 1
	       : calls_overlap(own + 1, captured, 0) ? -1 : 0;
}

/* Whether a captured call is within the span. Captured calls outside it belong to other work of the
 * thread. */
static bool within_span(const struct match_job *j, const struct match_call *captured)
{
	const struct match_span *s = span_find(j, captured->tid);
	return captured->begin_ns >= s->first_ns && captured->end_ns <= s->last_ns;
}

static void calls_sort(struct match_calls *c)
{
	SORT(c->call, c->n, by_key);
	c->call = xreallocarray(c->call, c->n + 2, sizeof *c->call);
	c->call[c->n] = c->call[c->n + 1] = (struct match_call){.key = UINT64_MAX};
}

static void calls_match(struct capture_match *m, struct match_job *j)
{
	size_t i = 0, k = 0;
	calls_sort(&j->own);
	calls_sort(&j->captured);
	while (i < j->own.n || k < j->captured.n) {
		const struct match_call *own = &j->own.call[i], *captured = &j->captured.call[k];
		int which = i == j->own.n        ? 1
			    : k == j->captured.n ? -1
						 : lone_call(own, captured, j->slack_ns);
		if (which > 0)
			m->op[captured->op].n_extra += within_span(j, captured);
		else
			m->op[own->op].n_own++;
		if (which < 0)
			m->op[own->op].n_missed++;
		else if (!which)
			pair_add(&m->op[own->op], own, captured);
		i += which <= 0;
		k += which >= 0;
	}
}

/* Chooses the clock: the monotonic clock if both traces have it, because the wall clock can be set
 * and slewed. */
static int clock_choose(struct match_job *j, const struct trace_meta *own,
			const struct trace_meta *captured, struct err *e)
{
	j->wall = !own->epoch_ns || !captured->epoch_ns;
	j->slack_ns = (int64_t)ceil(2 * (own->clock_resolution_ns +
		captured->clock_resolution_ns)) + (j->wall ? SLACK_WALL_NS : SLACK_MONOTONIC_NS);
	if (j->wall && (!own->wall_epoch_ns || !captured->wall_epoch_ns))
		return err_set(e, EINVAL, "the captured times cannot be compared with the "
			"program's own: the time of the first request is unknown in one of the two "
			"traces");
	return 0;
}

int capture_match_add(struct capture_match *m, const char *own, const char *captured, struct err *e)
{
	struct trace *t = NULL, *x = NULL;
	struct match_job j = {0};
	int ret = trace_open(&t, own, e);
	ret = ret ? ret : trace_open(&x, captured, e);
	ret = ret ? ret : clock_choose(&j, trace_meta(t), trace_meta(x), e);
	ret = ret ? ret : calls_read(&j, t, true, e);
	ret = ret ? ret : calls_read(&j, x, false, e);
	if (!ret) {
		calls_match(m, &j);
		m->resolution_ns = fmax(m->resolution_ns, trace_meta(x)->clock_resolution_ns);
		m->n_lost += trace_meta(x)->n_events_lost;
	}
	FREE_EACH(j.own.call, j.captured.call, j.span);
	trace_close(x);
	trace_close(t);
	return ret;
}

void capture_match_release(struct capture_match *m)
{
	for (size_t i = 0; i < OP_N; i++)
		free(m->op[i].pair);
	memset(m, 0, sizeof *m);
}
