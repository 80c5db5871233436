/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes over a pair of traces until every point of observation has received the requests in its
 * order. One pass is usually enough. A further pass is needed if the assumed order was wrong, or if
 * a threshold depends on results of the first pass. */
#include "validate/metrics/metrics.h"

#include "common/each.h"
#include "validate/metrics/metrics_private.h"

/* buffer threshold if requests are lost, as a multiple of the reference's highest level */
#define BT_PER_LEVEL 4

void metrics_release(struct metrics *m)
{
	side_release(&m->reference);
	side_release(&m->replay);
	issue_error_release(&m->issue_error);
	issue_error_release(&m->schedule);
	for (int point = 0; point < POINT_N; point++) {
		struct disorder d;
		for (int s = 0; s < SCOPE_N; s++) {
			memset(&d, 0, sizeof d);
			d.total = m->order[point].total[s];
			disorder_release(&d);
		}
		free(m->worst_object[point]);
	}
	memset(m, 0, sizeof *m);
}

double metrics_execution_ns(const struct metrics_side *s)
{
	return s->n_issued ? (double)(s->last_ns - s->first_begin_ns) : NAN;
}

double metrics_throughput(const struct metrics_side *s)
{
	double ns = metrics_execution_ns(s);
	return ns > 0 ? (double)(s->n_issued - s->n_unfinished) / ns * 1e9 : NAN;
}

/* --- passes -------------------------------------------------------------- */

struct metrics_work { /* work that remains */
	const struct metrics_origin *reference, *replay;
	const struct metrics_options *o;
	struct metrics *m;
	bool tally;
	bool left[LANE_N], runs[LANE_N]; /* runs: sort with ARRIVALS_RUNS */
	/* pairs must be sorted, because the reference's file is not in order */
	bool sort_reference, unsorted;
	bool late_reference; /* matched by key, and the replay skips requests */
	uint64_t bt;
	bool order_only; /* the levels are already known */
	struct warmup_cut warmup;
};

static const enum metrics_point point_of[LANE_N] = {
    [LANE_ISSUE] = POINT_ISSUE, [LANE_DISPATCH] = POINT_DISPATCH, [LANE_COMPLETE] = POINT_COMPLETE};

static struct observation_options lane_options(const struct metrics_work *w,
					       enum metrics_lane_kind kind)
{
	unsigned int parts = w->o->parts;
	bool has_levels = kind == LANE_REFERENCE || kind == LANE_ISSUE;
	bool order =
	    kind != LANE_REFERENCE && (parts & PART_ORDER) && w->m->order[point_of[kind]].observed;
	return (struct observation_options){
	    .scopes = order ? w->o->scopes : 0,
	    .levels = has_levels && !w->order_only &&
		      (parts & PART_CONCURRENCY || kind == LANE_REFERENCE),
	    .lifetimes = has_levels && !w->order_only && (parts & PART_LIFETIME),
	    .sort_reference = w->sort_reference && kind != LANE_REFERENCE,
	    .by_place = w->sort_reference || w->late_reference,
	    .in_order = !w->unsorted && !w->late_reference && kind == LANE_REFERENCE,
	    .mode = w->runs[kind] ? ARRIVALS_RUNS : ARRIVALS_WINDOW, .sorting = w->o->sorting,
	    .order = {w->o->dt, w->bt},
	};
}

static void pass_do(void *passes, size_t i)
{
	struct metrics_pass *p = (struct metrics_pass *)passes + i;
	p->ret = pass_run(p, &p->e);
}

static void take_worst(struct metrics *m, const struct metrics_pass *p, enum metrics_point point,
		       enum order_scope scope, const struct disorder *d)
{
	uint32_t best = UINT32_MAX;
	double share = 0;
	for (uint32_t i = 0; i < d->n_sequences; i++) {
		const struct disorder_sequence *s = &d->sequence[i];
		double x = s->n ? (double)s->n_reordered / (double)s->n : 0;
		if (x > share || (x > 0 && x == share && s->n > d->sequence[best].n)) {
			best = i;
			share = x;
		}
	}
	m->order[point].worst[scope].exists = best != UINT32_MAX;
	if (best == UINT32_MAX)
		return;
	const struct disorder_sequence *s = &d->sequence[best];
	const struct sequences *keys = scope == SCOPE_OBJECT ? &p->objects : &p->threads;
	const uint64_t key = best < keys->n ? keys->of[best].key : 0;
	m->order[point].worst[scope].key = key;
	m->order[point].worst[scope].n_received = s->n;
	m->order[point].worst[scope].n_reordered = s->n_reordered;
	m->order[point].worst[scope].max_extent = s->max_extent;
	if (scope != SCOPE_OBJECT || !p->reference.trace || key >= OBJECT_NONE)
		return;
	const struct trace_object *object = trace_object(p->reference.trace, (uint32_t)key);
	free(m->worst_object[point]);
	m->worst_object[point] = object ? xstrdup(object->name) : NULL;
}

/* Moves the results of a lane to the metrics. */
static void take_lane(struct metrics_work *w, const struct metrics_pass *p,
		      enum metrics_lane_kind kind, struct observation *o)
{
	struct metrics *m = w->m;
	struct metrics_side *side = kind == LANE_REFERENCE ? &m->reference : &m->replay;
	if (o->options.levels) {
		side->concurrency = o->concurrency;
		memset(&o->concurrency, 0, sizeof o->concurrency);
	}
	if (o->options.lifetimes) {
		side->mean_lifetime_level = lifetime_finish(&o->lifetime);
		side->n_lifetimes = o->lifetime.n_defined;
	}
	if (kind == LANE_REFERENCE || !o->options.scopes)
		return;
	struct metrics_order *order = &m->order[point_of[kind]];
	order->bt = w->bt;
	for (int s = 0; s < SCOPE_N; s++) {
		if (s != SCOPE_ALL)
			take_worst(m, p, point_of[kind], (enum order_scope)s, &o->scope[s]);
		SCOPED(disorder_release) struct disorder old = {.total = order->total[s]};
		order->total[s] = o->scope[s].total;
		memset(&o->scope[s].total, 0, sizeof o->scope[s].total);
	}
}

static void pass_plan(struct metrics_pass *p, const struct metrics_work *w, unsigned int thread,
		      unsigned int n_threads)
{
	*p = (struct metrics_pass){.o = w->o, .warmup = w->warmup, .m = w->m, .match = w->m->match,
		.tally = w->tally && thread == 0, .e = ERR_INIT, .may_be_unsorted = w->unsorted,
		.late_reference = w->late_reference,
		.by_index = w->m->match == MATCH_KEY && !w->unsorted};
	for (int i = 0; i < LANE_N; i++) {
		bool second = n_threads > 1 && (i == LANE_COMPLETE || i == LANE_DISPATCH);
		p->lane[i].wanted = w->left[i] && second == (thread == 1);
		p->lane[i].options = lane_options(w, (enum metrics_lane_kind)i);
	}
}

static int passes_run(struct metrics_pass *p, const struct metrics_work *w, unsigned int n,
		      struct err *e)
{
	int ret = 0;
	for (unsigned int i = 0; i < n && !ret; i++) {
		pass_plan(&p[i], w, i, n);
		ret = pass_init(&p[i], w->reference, w->replay, e);
	}
	if (ret)
		return ret;
	each_do(n, pass_do, p);
	for (unsigned int i = 0; i < n && !ret; i++) {
		ret = p[i].ret;
		if (ret && e)
			*e = p[i].e;
	}
	return ret;
}

static void tally_reset(struct metrics *m)
{
	side_release(&m->reference);
	side_release(&m->replay);
	issue_error_release(&m->issue_error);
	issue_error_release(&m->schedule);
	memset(&m->issue_error, 0, sizeof m->issue_error);
	memset(&m->schedule, 0, sizeof m->schedule);
	m->n_matched = m->n_lost = m->n_skipped = m->n_extra = m->n_mismatched = 0;
	m->n_compared = m->n_same_request = 0;
	side_init(&m->reference);
	side_init(&m->replay);
}

static bool has_work(const struct metrics_work *w)
{
	bool any = w->tally;
	for (int i = 0; i < LANE_N; i++)
		any |= w->left[i];
	return any;
}

/* Makes a pass, with two threads if both have work. */
static int work_once(struct metrics_work *w, struct err *e)
{
	SCOPED_FREE struct metrics_pass *p = xcalloc(2, sizeof *p);
	bool second = w->left[LANE_COMPLETE] || w->left[LANE_DISPATCH];
	bool first = w->tally || w->left[LANE_REFERENCE] || w->left[LANE_ISSUE];
	unsigned int n = w->o->n_threads > 1 && first && second ? 2 : 1;
	int ret = passes_run(p, w, n, e);
	bool unsorted = false, needs_reference_again = false;
	for (unsigned int i = 0; i < n; i++) {
		unsorted |= p[i].reference_unsorted;
		needs_reference_again |= p[i].needs_late_reference;
	}
	bool again = unsorted || needs_reference_again;
	if (!ret && again) {
		w->late_reference |= needs_reference_again;
		w->unsorted |= unsorted;
		w->sort_reference |= unsorted;
		tally_reset(w->m);
		ret = warmup_find(&w->warmup, w->reference, w->o, w->unsorted, e);
	}
	for (int i = 0; i < LANE_N && !ret && !again; i++)
		for (unsigned int k = 0; k < n; k++) {
			struct metrics_lane *l = &p[k].lane[i];
			if (!l->wanted)
				continue;
			w->runs[i] |= l->late;
			w->left[i] = l->late;
			if (!l->late)
				take_lane(w, &p[k], (enum metrics_lane_kind)i, &l->observation);
		}
	w->tally &= ret || again;
	for (unsigned int i = 0; i < n; i++)
		pass_release(&p[i]);
	return ret;
}

/* If requests were lost and no threshold is set, chooses a threshold and returns true: the order
 * metrics must be repeated. */
static bool choose_bt(struct metrics_work *w)
{
	bool again = false;
	if (w->bt != DENSITY_UNBOUNDED || !(w->o->parts & PART_ORDER))
		return false;
	size_t level = w->m->reference.concurrency.highest;
	w->bt = BT_PER_LEVEL * (level ? level : 1);
	for (int i = LANE_ISSUE; i < LANE_N; i++) {
		const struct metrics_order *order = &w->m->order[point_of[i]];
		bool needed = false;
		for (int s = 0; s < SCOPE_N; s++)
			needed |= order->observed && order->total[s].needs_bt;
		w->left[i] = needed;
		again |= needed;
	}
	w->order_only = true;
	return again;
}

static void work_plan(struct metrics_work *w, bool dispatch)
{
	const struct metrics_options *o = w->o;
	unsigned int points = o->points ? o->points : 1u << POINT_ISSUE | 1u << POINT_COMPLETE |
						      (dispatch ? 1u << POINT_DISPATCH : 0);
	bool order = o->parts & PART_ORDER, levels = o->parts & (PART_CONCURRENCY | PART_LIFETIME);
	for (int point = 0; point < POINT_N && order; point++)
		w->m->order[point].observed = points >> point & 1;
	w->left[LANE_REFERENCE] = levels || (order && o->bt == DENSITY_UNBOUNDED);
	w->left[LANE_ISSUE] = levels || w->m->order[POINT_ISSUE].observed;
	w->left[LANE_DISPATCH] = w->m->order[POINT_DISPATCH].observed;
	w->left[LANE_COMPLETE] = w->m->order[POINT_COMPLETE].observed;
	w->sort_reference = w->m->match == MATCH_KEY;
	w->tally = true;
	w->bt = o->bt;
}

static int check_side(const struct metrics_side *s, const char *name, struct err *e)
{
	if (s->n_issued > s->n_unfinished)
		return 0;
	return err_set(
	    e, ENODATA, "%s: none of the %llu requests of the trace was issued and completed%s",
	    name, (unsigned long long)s->n_records, s->n_warmup ? " after the warm-up" : "");
}

static void metrics_begin(struct metrics *m, const struct metrics_options *o)
{
	memset(m, 0, sizeof *m);
	side_init(&m->reference);
	side_init(&m->replay);
	m->parts = o->parts;
	m->scopes = o->scopes;
	m->warmup_requests = o->warmup_requests;
	m->warmup_ns = o->warmup_ns;
}

/* Makes all passes, with the matching method of m->match. */
static int compute_matched(struct metrics_work *w, bool dispatch, struct err *e)
{
	int ret = warmup_find(&w->warmup, w->reference, w->o, false, e);
	work_plan(w, dispatch);
	while (!ret && has_work(w)) {
		ret = work_once(w, e);
		if (!ret && !has_work(w))
			choose_bt(w);
	}
	return ret;
}

static int compute_by_key_instead(struct metrics *m, const struct metrics_work *first,
				    bool dispatch, struct err *e)
{
	struct metrics_work w = {.reference = first->reference, .replay = first->replay,
				 .o = first->o, .m = m};
	uint64_t n_compared = m->n_compared, n_same_request = m->n_same_request;
	metrics_release(m);
	metrics_begin(m, w.o);
	m->match = MATCH_KEY;
	m->match_reason = MATCHED_OTHER_REQUESTS;
	int ret = compute_matched(&w, dispatch, e);
	m->n_compared = n_compared;
	m->n_same_request = n_same_request;
	return ret;
}

int metrics_compute(struct metrics *m, const struct metrics_origin *reference,
	const struct metrics_origin *replay, const struct metrics_options *o, struct err *e)
{
	struct metrics_work w = {.reference = reference, .replay = replay, .o = o, .m = m};
	bool dispatch;
	metrics_begin(m, o);
	int ret = metrics_match_decide(m, reference, replay, o, &dispatch, e);
	ret = ret ? ret : compute_matched(&w, dispatch, e);
	/* most records are requests other than those of the reference: the metadata is wrong */
	if (!ret && o->match == MATCH_AUTO && m->match == MATCH_NUMBER &&
	    2 * m->n_same_request < m->n_compared)
		ret = compute_by_key_instead(m, &w, dispatch, e);
	ret = ret ? ret : check_side(&m->reference, reference->name, e);
	ret = ret ? ret : check_side(&m->replay, replay->name, e);
	m->has_issue_error = m->issue_error.sum.n;
	if (ret)
		metrics_release(m);
	return ret;
}
