/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pass over both traces in parallel, with requests matched by key. A request is observed when its
 * partner is found. */
#include "validate/metrics/metrics_private.h"

/* Counts a request. Whether a request of the replay belongs to the warm-up is known only with its
 * partner. */
static void tally_one(struct metrics_pass *p, enum match_side side, const struct trace_record *r,
		      uint64_t index, bool warmup)
{
	struct metrics_side *s = side == SIDE_REFERENCE ? &p->m->reference : &p->m->replay;
	if (p->tally && warmup)
		s->n_warmup++;
	else if (p->tally)
		tally_side(p, s, r, 1, index);
}

/* Counts a request of the reference that the replay did not skip, if counting was postponed. */
static int count_late(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
		      struct err *e)
{
	if (!p->late_reference)
		return 0;
	tally_one(p, SIDE_REFERENCE, r, index, false);
	return observe_reference_late(p, r, index, e);
}

static int take_unmatched(struct metrics_pass *p, enum match_side side,
			  const struct trace_record *r, uint64_t index, bool known, struct err *e)
{
	if (side == SIDE_REPLAY && match_skipped(r))
		return 0;
	if (side == SIDE_REPLAY) {
		tally_one(p, side, r, index, false);
		if (p->tally)
			p->m->n_extra += known;
		return observe_extra(p, r, index, e);
	}
	if (p->warmup.on && warmup_covers(&p->warmup, r, index))
		return 0;
	if (p->tally)
		p->m->n_lost += known;
	int ret = count_late(p, r, index, e);
	return known && !ret ? observe_pair(p, r, index, NULL, 0, e) : ret;
}

static int take_keyed_reference(struct metrics_pass *p, const struct trace_record *r,
				uint64_t index, struct err *e)
{
	uint32_t k;
	bool warmup = p->warmup.on && warmup_covers(&p->warmup, r, index);
	if (warmup || !p->late_reference)
		tally_one(p, SIDE_REFERENCE, r, index, warmup);
	if (warmup || p->late_reference)
		check_reference_order(p, r);
	if (warmup)
		return 0;
	check_thread_order(p, sequences_place(&p->threads, (uint64_t)r->pid << 32 | r->tid, &k), r,
			   index);
	return p->late_reference ? 0 : observe_reference(p, r, index, e);
}

/* Observes request a of the reference and its replay. */
static int take_matched(struct metrics_pass *p, const struct trace_record *a, uint64_t of_a,
			const struct trace_record *x, uint64_t of_x, struct err *e)
{
	bool warmup = p->warmup.on && warmup_covers(&p->warmup, a, of_a);
	if (match_skipped(x)) {
		p->needs_late_reference |= !warmup && !p->late_reference;
		if (p->tally)
			p->m->n_skipped += !warmup;
		return 0;
	}
	tally_one(p, SIDE_REPLAY, x, of_x, warmup);
	if (warmup)
		return 0;
	if (p->tally)
		tally_pair(p, a, x, of_x);
	int ret = count_late(p, a, of_a, e);
	return ret ? ret : observe_pair(p, a, of_a, x, of_x, e);
}

/* Returns the offset of a request. A request on a file without an offset has the file position. */
static uint64_t place_of(struct metrics_pass *p, enum match_side side, const struct trace_record *r)
{
	const struct trace *t = p->keys.trace[side];
	const struct trace_object *o =
	    !t || r->object == OBJECT_NONE ? NULL : trace_object(t, r->object);
	uint64_t at = positions_follow(&p->positions[side], r);
	return r->offset == OFFSET_NONE && o && o->kind == OBJECT_PATH ? at : r->offset;
}

static bool record_counts(enum match_side side, const struct trace_record *r)
{
	return r->begin_ns != TIME_NONE || (side == SIDE_REPLAY && match_skipped(r));
}

static void keys_make(struct metrics_pass *p, enum match_side side, const struct trace_record *r,
		      size_t n, uint64_t *key)
{
	for (size_t i = 0; i < n; i++) {
		struct trace_record what = r[i];
		if (!record_counts(side, &r[i]))
			continue;
		what.offset = place_of(p, side, &r[i]);
		key[i] = key_match_key(&p->keys, side, &what);
	}
}

static int take_keyed(struct metrics_pass *p, enum match_side side, const struct trace_record *r,
		      uint64_t key, uint64_t index, bool last, struct err *e)
{
	const struct key_waiting *partner;
	int ret = side == SIDE_REFERENCE ? take_keyed_reference(p, r, index, e) : 0;
	if (ret)
		return ret;
	if (key == KEY_NONE) { /* neither lost nor extra */
		if (p->tally && r->begin_ns != TIME_NONE)
			(side == SIDE_REFERENCE ? &p->m->reference : &p->m->replay)->n_unknown++;
		return take_unmatched(p, side, r, index, false, e);
	}
	ret = key_match_put(&p->keys, side, key, index, r, last, &partner, e);
	if (ret < 0)
		return err_context(e, "%s, record %llu", side == SIDE_REFERENCE ? p->reference.name
			: p->replay.name, (unsigned long long)index);
	if (!ret)
		return last ? take_unmatched(p, side, r, index, true, e) : 0;
	if (side == SIDE_REPLAY)
		return take_matched(p, key_match_kept(&p->keys, partner), partner->index, r, index,
				    e);
	return take_matched(p, r, index, key_match_kept(&p->keys, partner), partner->index, e);
}

static int take_keyed_batch(struct metrics_pass *p, enum match_side side, struct batch *b,
			    bool last, struct err *e)
{
	struct metrics_source *s = side == SIDE_REFERENCE ? &p->reference : &p->replay;
	struct metrics_side *of = side == SIDE_REFERENCE ? &p->m->reference : &p->m->replay;
	uint64_t *index = side == SIDE_REFERENCE ? &p->n_reference : &p->n_replay;
	size_t n = b->n < AT_ONCE ? b->n : AT_ONCE;
	uint64_t key[AT_ONCE];
	int ret = check_batch(p, s, b->r, n, *index, e);
	if (!ret)
		keys_make(p, side, b->r, n, key);
	for (size_t i = 0; i < n && !ret; i++)
		if (record_counts(side, &b->r[i]))
			ret = take_keyed(p, side, &b->r[i], key[i], *index + i, last, e);
	batch_pass(b, n, index, of, p->tally);
	return ret;
}

int run_keyed(struct metrics_pass *p, struct err *e)
{
	struct batch b = {0}, c = {0};
	int ret = 0;
	while (!ret && !p->needs_late_reference && (p->may_be_unsorted || !p->reference_unsorted)) {
		ret = batch_fill(&b, &p->reference, e);
		ret = ret ? ret : batch_fill(&c, &p->replay, e);
		if (ret || (b.ended && c.ended))
			break;
		if (b.n)
			ret = take_keyed_batch(p, SIDE_REFERENCE, &b, c.ended, e);
		if (!ret && c.n)
			ret = take_keyed_batch(p, SIDE_REPLAY, &c, b.ended, e);
	}
	const struct key_waiting *w;
	for (size_t at = 0; !ret && (w = key_match_left(&p->keys, &at));)
		ret = take_unmatched(p, (enum match_side)w->side, key_match_kept(&p->keys, w),
				     w->index, true, e);
	if (!ret && p->tally) {
		p->m->n_ambiguous_keys = p->keys.n_ambiguous_keys;
		p->m->n_ambiguous_requests = p->keys.n_ambiguous_requests;
		p->m->ambiguous_at_least = !p->keys.seen_all;
	}
	if (p->may_be_unsorted)
		p->reference_unsorted = false;
	return ret;
}
