/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pass over both traces in parallel, with requests matched by number. */
#include "capture/op.h"
#include "capture/unseen.h"
#include "validate/metrics/metrics_private.h"

int pass_init(struct metrics_pass *p, const struct metrics_origin *reference,
	      const struct metrics_origin *replay, struct err *e)
{
	p->first_pair_ns[0] = p->first_pair_ns[1] = INT64_MAX;
	p->reference_begin_ns = INT64_MIN;
	for (unsigned int op = 0; op < OP_N; op++)
		p->moves_bytes[op] = op_info(op)->uses & OP_RETURNS_BYTES;
	int ret = reference->open(reference, &p->reference, e);
	ret = ret ? ret : replay->open(replay, &p->replay, e);
	if (ret)
		return ret;
	matcher_init(&p->matcher, p->replay.trace, p->reference.trace);
	bool by_name = p->match != MATCH_KEY && p->reference.trace && p->replay.trace;
	p->compare = by_name && (p->o->parts & PART_FIDELITY || p->o->match == MATCH_AUTO);
	if (p->match == MATCH_KEY) {
		ret = key_match_init(&p->keys, p->reference.trace, p->replay.trace,
				     sizeof(struct trace_record), 0, e);
		positions_init(&p->positions[0]);
		positions_init(&p->positions[1]);
	}
	for (int i = 0; i < LANE_N && !ret; i++)
		if (p->lane[i].wanted) {
			p->has_order |= p->lane[i].options.scopes;
			ret = observation_init(&p->lane[i].observation, &p->lane[i].options, e);
		}
	return ret;
}

void pass_release(struct metrics_pass *p)
{
	for (int i = 0; i < LANE_N; i++)
		if (p->lane[i].wanted)
			observation_release(&p->lane[i].observation);
	matcher_release(&p->matcher);
	key_match_release(&p->keys);
	positions_release(&p->positions[0]);
	positions_release(&p->positions[1]);
	sequences_release(&p->threads);
	sequences_release(&p->objects);
	free(p->thread_begin_ns);
	if (p->reference.close)
		p->reference.close(p->reference.context);
	if (p->replay.close)
		p->replay.close(p->replay.context);
}

/* --- invalid requests ---------------------------------------------------- */

static bool is_negative(const struct trace_record *r)
{
	return r->begin_ns != TIME_NONE && r->end_ns != TIME_NONE && r->end_ns < r->begin_ns;
}

int check_batch(const struct metrics_pass *p, const struct metrics_source *s,
		const struct trace_record *r, size_t n, uint64_t index, struct err *e)
{
	for (size_t i = 0; i < n && !p->o->lenient; i++)
		if (__builtin_expect(is_negative(&r[i]), 0))
			return err_set(
			    e, EINVAL,
			    "%s: record %llu (%s from %lld ns to %lld ns) ends before it begins "
			    "(--lenient accepts it)",
			    s->name, (unsigned long long)(index + i), op_name(r[i].op),
			    (long long)r[i].begin_ns, (long long)r[i].end_ns);
	return 0;
}

/* --- observing ----------------------------------------------------------- */

void check_thread_order(struct metrics_pass *p, uint32_t thread, const struct trace_record *r,
		uint64_t index)
{
	while (thread >= p->thread_cap) {
		size_t was = p->thread_cap;
		p->thread_cap = was ? 2 * was : 64;
		p->thread_begin_ns =
		    xreallocarray(p->thread_begin_ns, p->thread_cap, sizeof *p->thread_begin_ns);
		for (size_t i = was; i < p->thread_cap; i++)
			p->thread_begin_ns[i] = INT64_MIN;
	}
	if (r->begin_ns < p->thread_begin_ns[thread] && p->tally && !p->m->reference.n_backwards++)
		p->m->reference.first_backwards = index;
	p->thread_begin_ns[thread] = r->begin_ns;
}

static void find_sequences(struct metrics_pass *p, const struct trace_record *r, struct arrival *a)
{
	uint64_t thread = (uint64_t)r->pid << 32 | r->tid;
	uint32_t k;
	if (!p->has_last || thread != p->last_thread_key)
		p->last_thread = sequences_place(&p->threads, thread, &k);
	p->last_thread_key = thread;
	a->thread = p->last_thread;
	if (p->has_order) {
		uint64_t object = metrics_object_key(r);
		if (!p->has_last || object != p->last_object_key)
			p->last_object = sequences_place(&p->objects, object, &k);
		p->last_object_key = object;
		a->object = p->last_object;
	}
	p->has_last = true;
}

/* Returns the end of a request. A request that ends before it begins is treated as length 0. */
static int64_t end_of(const struct trace_record *r)
{
	return is_negative(r) ? r->begin_ns : r->end_ns;
}

int observe_reference(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
		      struct err *e)
{
	if (r->begin_ns == TIME_NONE)
		return 0;
	check_reference_order(p, r);
	return observe_reference_late(p, r, index, e);
}

int observe_reference_late(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
			   struct err *e)
{
	struct metrics_lane *l = &p->lane[LANE_REFERENCE];
	if (!l->wanted || (p->reference_unsorted && !p->may_be_unsorted))
		return 0;
	struct arrival a = {
	    .begin_ns = r->begin_ns, .end_ns = end_of(r), .file_place = (uint32_t)index};
	return observation_add_extra(&l->observation, &a, e);
}

/* At most AT_ONCE requests. */
static int observe_references(struct metrics_pass *p, const struct trace_record *r, size_t n,
			      struct err *e)
{
	struct metrics_lane *l = &p->lane[LANE_REFERENCE];
	struct arrival a[AT_ONCE];
	size_t n_issued = 0;
	int ret = 0;
	if (!l->wanted || !l->options.in_order) {
		for (size_t i = 0; i < n && !ret; i++)
			ret = observe_reference(p, &r[i], p->n_reference + i, e);
		return ret;
	}
	for (size_t i = 0; i < n; i++) {
		if (r[i].begin_ns == TIME_NONE)
			continue;
		check_reference_order(p, &r[i]);
		a[n_issued].begin_ns = r[i].begin_ns;
		a[n_issued++].end_ns = end_of(&r[i]);
	}
	return p->reference_unsorted ? 0 : observation_take_levels(&l->observation, a, n_issued, e);
}

int observe_extra(struct metrics_pass *p, const struct trace_record *x, uint64_t index,
		  struct err *e)
{
	struct metrics_lane *l = &p->lane[LANE_ISSUE];
	struct arrival a = {
	    .begin_ns = x->begin_ns, .end_ns = end_of(x), .file_place = (uint32_t)index};
	return l->wanted && x->begin_ns != TIME_NONE ? observation_add_extra(&l->observation, &a, e)
						     : 0;
}

int observe_pair(struct metrics_pass *p, const struct trace_record *r, uint64_t of_r,
		 const struct trace_record *x, uint64_t of_x, struct err *e)
{
	struct arrival a = {
	    .begin_ns = TIME_NONE, .end_ns = TIME_NONE, .file_place = (uint32_t)of_x};
	find_sequences(p, r, &a);
	/* with matching by key, requests arrive here in the order of their partners */
	if (p->match != MATCH_KEY)
		check_thread_order(p, a.thread, r, of_r);
	/* sort key for the order of the reference */
	int64_t place = p->by_index ? (int64_t)of_r : r->begin_ns;
	bool issued = x && x->begin_ns != TIME_NONE;
	if (issued && x->rvalue > 0 && p->moves_bytes[x->op])
		a.bytes = x->rvalue < UINT32_MAX ? (uint32_t)x->rvalue : UINT32_MAX;
	int ret = 0;
	if (p->lane[LANE_ISSUE].wanted) {
		a.begin_ns = issued ? x->begin_ns : TIME_NONE;
		a.end_ns = issued ? end_of(x) : TIME_NONE;
		ret =
		    observation_add(&p->lane[LANE_ISSUE].observation, &a, place, (uint32_t)of_r, e);
	}
	a.end_ns = TIME_NONE;
	if (p->lane[LANE_COMPLETE].wanted && !ret) {
		a.begin_ns = issued && !is_negative(x) ? x->end_ns : TIME_NONE;
		ret = observation_add(&p->lane[LANE_COMPLETE].observation, &a, place,
				      (uint32_t)of_r, e);
	}
	if (p->lane[LANE_DISPATCH].wanted && !ret) {
		a.begin_ns = issued ? x->dispatch_ns : TIME_NONE;
		ret = observation_add(&p->lane[LANE_DISPATCH].observation, &a, place,
				      (uint32_t)of_r, e);
	}
	return ret;
}

/* --- matching by number -------------------------------------------------- */

int batch_fill(struct batch *b, struct metrics_source *s, struct err *e)
{
	if (b->n || b->ended)
		return 0;
	int ret = s->next(s->context, &b->r, &b->n, e);
	b->ended = ret == 0;
	if (ret <= 0)
		b->n = 0;
	return ret < 0 ? ret : 0;
}

/* Observes a batch of records. Record i of the replay replays record i of the reference. Either
 * side is NULL if the other trace is longer. */
static int take_numbered(struct metrics_pass *p, const struct trace_record *r,
			 const struct trace_record *x, size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && p->tally; i++) {
		bool expected = r && r[i].begin_ns != TIME_NONE,
		     issued = x && x[i].begin_ns != TIME_NONE;
		if (expected && issued)
			tally_pair(p, &r[i], &x[i], p->n_replay + i);
		p->m->n_lost += expected && !issued;
		p->m->n_extra += issued && !expected;
	}
	if (r)
		ret = observe_references(p, r, n, e);
	for (size_t i = 0; i < n && !ret; i++) {
		if (r && r[i].begin_ns != TIME_NONE)
			ret = observe_pair(p, &r[i], p->n_reference + i, x ? &x[i] : NULL,
					   p->n_replay + i, e);
		else if (x)
			ret = observe_extra(p, &x[i], p->n_replay + i, e);
	}
	return ret;
}

/* Why a request of the reference and its replay are skipped. */
enum leaving { LEAVE_NOT, LEAVE_WARMUP, LEAVE_SKIPPED };

/* Skips records. Only the order of skipped requests matters. */
static void skip_numbered(struct metrics_pass *p, const struct trace_record *r,
			  const struct trace_record *x, size_t n, enum leaving why)
{
	for (size_t i = 0; i < n; i++)
		check_reference_order(p, &r[i]);
	if (!p->tally) /* another thread counts */
		return;
	if (why == LEAVE_SKIPPED) {
		p->m->n_skipped += n;
		return;
	}
	p->m->reference.n_warmup += n;
	for (size_t i = 0; i < n && x; i++)
		p->m->replay.n_warmup += x[i].begin_ns != TIME_NONE;
}

/* Returns the decision for record i of the batch; x NULL: no record replays it. */
static inline enum leaving leaving_of(const struct metrics_pass *p, const struct trace_record *r,
				      const struct trace_record *x, size_t i)
{
	if (p->warmup.on && warmup_covers(&p->warmup, &r[i], p->n_reference + i))
		return LEAVE_WARMUP;
	return x && match_skipped(&x[i]) && r[i].begin_ns != TIME_NONE ? LEAVE_SKIPPED
									   : LEAVE_NOT;
}

/* Returns the number of records, counted from the first, that have the same decision. The decision
 * is stored in *why. */
static size_t leaving_span(const struct metrics_pass *p, const struct trace_record *r,
			   const struct trace_record *x, size_t n, enum leaving *why)
{
	size_t i = 1;
	*why = leaving_of(p, r, x, 0);
	while (i < n && leaving_of(p, r, x, i) == *why)
		i++;
	return i;
}

void batch_pass(struct batch *b, size_t n, uint64_t *index, struct metrics_side *side, bool tally)
{
	if (!b->n)
		return;
	*index += n;
	b->r += n;
	b->n -= n;
	if (tally)
		side->n_records += n;
}

/* Processes the next records of both traces, as many as both have available. */
static int take_batches(struct metrics_pass *p, struct batch *b, struct batch *c, struct err *e)
{
	struct metrics_side *reference = &p->m->reference, *replay = &p->m->replay;
	const struct trace_record *r = b->n ? b->r : NULL, *x = c->n ? c->r : NULL;
	enum leaving why = LEAVE_NOT;
	size_t n = r && x ? (b->n < c->n ? b->n : c->n) : b->n + c->n;
	n = n < AT_ONCE ? n : AT_ONCE;
	if (r)
		n = leaving_span(p, r, x, n, &why);
	int ret = r ? check_batch(p, &p->reference, r, n, p->n_reference, e) : 0;
	if (!ret && x)
		ret = check_batch(p, &p->replay, x, n, p->n_replay, e);
	if (ret)
		return ret;
	if (why)
		skip_numbered(p, r, x, n, why);
	if (p->tally && r && !why)
		tally_side(p, reference, r, n, p->n_reference);
	if (p->tally && x && !why)
		tally_side(p, replay, x, n, p->n_replay);
	if (!why)
		ret = take_numbered(p, r, x, n, e);
	batch_pass(b, n, &p->n_reference, reference, p->tally);
	batch_pass(c, n, &p->n_replay, replay, p->tally);
	return ret;
}

static int run_numbered(struct metrics_pass *p, struct err *e)
{
	struct batch b = {0}, c = {0};
	int ret = 0;
	while (!ret && !p->reference_unsorted) {
		ret = batch_fill(&b, &p->reference, e);
		ret = ret ? ret : batch_fill(&c, &p->replay, e);
		if (ret || (b.ended && c.ended))
			break;
		ret = take_batches(p, &b, &c, e);
		if (p->may_be_unsorted)
			p->reference_unsorted = false;
	}
	return ret;
}

/* --- the whole pass ------------------------------------------------------ */

static int check_end(struct metrics_pass *p, struct metrics_source *s, struct metrics_side *side,
		     struct err *e)
{
	int ret = s->check_end ? s->check_end(s->context, e) : 0;
	if (p->tally && s->trace) {
		const struct trace_meta *m = trace_meta(s->trace);
		json_auto_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
		side->n_events_lost = m->n_events_lost;
		side->cut = m->cut;
		side->n_unseen = programs_unseen(extra) + requests_unseen(extra);
		side->not_visible = unseen_scope(m);
	}
	if (ret && p->o->lenient && ret == -ENODATA) {
		err_clear(e);
		if (p->tally)
			side->complete = false;
		return 0;
	}
	if (ret == -ENODATA && e)
		phrase_add(e->msg, sizeof e->msg, " (--lenient accepts it)");
	return ret;
}

int pass_run(struct metrics_pass *p, struct err *e)
{
	int ret = p->match == MATCH_KEY ? run_keyed(p, e) : run_numbered(p, e);
	if (ret || p->reference_unsorted || p->needs_late_reference)
		return ret;
	ret = check_end(p, &p->reference, &p->m->reference, e);
	ret = ret ? ret : check_end(p, &p->replay, &p->m->replay, e);
	for (int i = 0; i < LANE_N && !ret; i++)
		if (p->lane[i].wanted)
			ret = observation_finish(&p->lane[i].observation, &p->lane[i].late, e);
	if (!ret && p->tally && p->m->n_matched)
		p->m->schedule_rest_ns = p->first_pair_ns[SIDE_REPLAY] -
					 p->first_pair_ns[SIDE_REFERENCE] - p->m->schedule_shift_ns;
	return ret;
}
