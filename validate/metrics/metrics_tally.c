/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts that do not depend on the order of requests or pairs. */
#include "validate/metrics/metrics_private.h"

void side_init(struct metrics_side *s)
{
	memset(s, 0, sizeof *s);
	s->complete = true;
	s->first_begin_ns = INT64_MAX;
	s->last_ns = INT64_MIN;
	s->mean_lifetime_level = NAN;
}

void side_release(struct metrics_side *s)
{
	for (unsigned int op = 0; op < OP_N; op++)
		distribution_release(&s->response[op]);
	concurrency_release(&s->concurrency);
	memset(s, 0, sizeof *s);
}

static int64_t earlier_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t later_of(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Sums over a batch, kept in registers until its end. */
struct side_sum {
	uint64_t n_issued, n_unfinished, n_failed, n_bytes;
	int64_t first_begin_ns, last_ns;
};

static inline void add_ended(const struct metrics_pass *p, struct metrics_side *s,
			     struct side_sum *sum, const struct trace_record *r, uint64_t index)
{
	sum->n_failed += r->error || r->rvalue < 0;
	sum->n_bytes += p->moves_bytes[r->op] && r->rvalue > 0 ? (uint64_t)r->rvalue : 0;
	if (__builtin_expect(r->end_ns < r->begin_ns, 0)) {
		if (!s->n_negative++)
			s->first_negative = index;
		return;
	}
	sum->last_ns = later_of(sum->last_ns, r->end_ns);
	if (p->o->parts & PART_RESPONSE)
		distribution_add(&s->response[r->op], r->end_ns - r->begin_ns);
}

void tally_side(const struct metrics_pass *p, struct metrics_side *s, const struct trace_record *r,
		size_t n, uint64_t first)
{
	struct side_sum sum = {.first_begin_ns = s->first_begin_ns, .last_ns = s->last_ns};
	for (size_t i = 0; i < n; i++) {
		if (r[i].begin_ns == TIME_NONE)
			continue;
		sum.n_issued++;
		sum.first_begin_ns = earlier_of(sum.first_begin_ns, r[i].begin_ns);
		if (r[i].end_ns == TIME_NONE) {
			sum.n_unfinished++;
			sum.last_ns = later_of(sum.last_ns, r[i].begin_ns);
		} else {
			add_ended(p, s, &sum, &r[i], first + i);
		}
	}
	s->n_issued += sum.n_issued;
	s->n_unfinished += sum.n_unfinished;
	s->n_failed += sum.n_failed;
	s->n_bytes += sum.n_bytes;
	s->first_begin_ns = sum.first_begin_ns;
	s->last_ns = sum.last_ns;
}

static void compare_pair(struct metrics_pass *p, const struct trace_record *r,
			 const struct trace_record *x, uint64_t replay_index)
{
	struct metrics *m = p->m;
	unsigned int differs = p->compare ? matcher_compare(&p->matcher, x, r)
					  : (match_results_differ(x, r) ? MATCH_OTHER_RESULT : 0);
	m->n_compared += p->compare;
	m->n_same_request += p->compare && !(differs & MATCH_OTHER_REQUEST);
	if (p->o->parts & PART_FIDELITY && differs && !m->n_mismatched++)
		m->first_mismatched = replay_index;
}

void tally_pair(struct metrics_pass *p, const struct trace_record *r, const struct trace_record *x,
		uint64_t replay_index)
{
	struct metrics *m = p->m;
	m->n_matched++;
	if (p->compare || p->o->parts & PART_FIDELITY)
		compare_pair(p, r, x, replay_index);
	if (!(p->o->parts & PART_SCHEDULE))
		return;
	/* this is close enough to the shift of the earliest starts, because only quantiles depend
	 * on it */
	if (m->n_matched == 1)
		m->schedule_shift_ns = x->begin_ns - r->begin_ns;
	p->first_pair_ns[SIDE_REFERENCE] =
	    earlier_of(p->first_pair_ns[SIDE_REFERENCE], r->begin_ns);
	p->first_pair_ns[SIDE_REPLAY] = earlier_of(p->first_pair_ns[SIDE_REPLAY], x->begin_ns);
	issue_error_add(&m->schedule, x->begin_ns - m->schedule_shift_ns, r->begin_ns);
	if (x->intended_ns != TIME_NONE)
		issue_error_add(&m->issue_error, x->begin_ns, x->intended_ns);
}
