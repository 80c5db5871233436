/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/league.h"

#include "validate/analysis/tendency.h"
#include "validate/components/component.h"

const struct estimate *league_estimate(const struct cell *c, enum league_quantity q)
{
	switch (q) {
	case LEAGUE_BIAS:
		return &c->component[COMPONENT_BIAS].estimate;
	case LEAGUE_EXECUTION_TIME:
		return &c->component[COMPONENT_EXECUTION_TIME].estimate;
	case LEAGUE_IN_FLIGHT:
		return &c->concurrency.in_flight;
	case LEAGUE_CONCURRENCY:
		return &c->concurrency.time;
	case LEAGUE_REORDERED:
		return &c->order.deciding;
	default:
		return &c->issue_error.p99;
	}
}

/* Stores the cell if its deviation is larger than that of the stored case. */
static void worst_update(size_t *at, size_t cell, const struct analysis *a, enum league_quantity q)
{
	const struct estimate *e = league_estimate(&a->cell[cell], q);
	if (estimate_is_known(e) && (*at == LEAGUE_NO_CELL ||
			    fabs(e->value) > fabs(league_estimate(&a->cell[*at], q)->value)))
		*at = cell;
}

/* Deviation of a component as a multiple of its limit, at most LEAGUE_MOST_LIMITS; NaN without an
 * estimate or a limit. */
static double deviation_of(const struct component *k)
{
	const double ideal = k->kind == COMPONENT_PRECISION ? 1 : 0;
	const double size =
	    components[k->kind]->two_sided ? fabs(k->estimate.value) : k->estimate.value - ideal;
	if (k->decision == DECISION_NOT_ASSESSED || k->decision == DECISION_NOT_APPLICABLE ||
	    !estimate_is_known(&k->estimate) || isnan(k->limit))
		return NAN;
	if (!(k->limit > ideal) && k->kind != COMPONENT_REORDERING && k->kind != COMPONENT_FIDELITY)
		return NAN;
	if (!(size > 0))
		return 0;
	return k->limit > ideal ? fmin(size / (k->limit - ideal), LEAGUE_MOST_LIMITS)
				: LEAGUE_MOST_LIMITS;
}

struct mean {
	double sum;
	size_t n;
};

static void mean_add(struct mean *m, double value)
{
	if (isnan(value))
		return;
	m->sum += value;
	m->n++;
}

static double mean_of(const struct mean *m)
{
	return m->n ? m->sum / (double)m->n : NAN;
}

static void cell_add(struct league_row *row, const struct analysis *a, size_t i, struct mean *bias,
		     struct mean *deviation)
{
	const struct cell *c = &a->cell[i];
	row->judged = true;
	row->n_cells++;
	row->n_trusted += c->verdict == VERDICT_TRUSTED;
	row->n_not_trusted += c->verdict == VERDICT_NOT_TRUSTED;
	row->n_inconclusive += c->verdict == VERDICT_INCONCLUSIVE;
	row->n_infidelities += c->n_lost + c->n_extra + c->n_mismatched;
	for (int q = 0; q < LEAGUE_N; q++)
		worst_update(&row->worst[q], i, a, q);
	row->differs |= cell_tendency(c) == TENDENCY_DIFFERS;
	if (estimate_is_known(league_estimate(c, LEAGUE_BIAS)))
		mean_add(bias, fabs(league_estimate(c, LEAGUE_BIAS)->value));
	for (int k = 0; k < COMPONENT_N; k++)
		mean_add(deviation, deviation_of(&c->component[k]));
}

static void runs_add(struct league_row *row, const struct results *r)
{
	double cpu_s = 0, requests = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct run *run = &r->run[i];
		if (run->role != (int32_t)row->replayer)
			continue;
		row->n_failed += run->state == RUN_FAILED;
		if (run->state != RUN_OK || !run->block || !(run->cpu_s > 0))
			continue;
		cpu_s += run->cpu_s;
		requests += summary_n_ended(&run->summary);
	}
	row->cpu_per_request_ns = requests > 0 ? cpu_s * 1e9 / requests : NAN;
}

static void row_compute(struct league_row *row, const struct analysis *a, size_t replayer)
{
	struct mean bias = {0}, deviation = {0};
	*row = (struct league_row){
	    .replayer = replayer, .absent = a->results->protocol.replayer[replayer].absent != NULL};
	for (int q = 0; q < LEAGUE_N; q++)
		row->worst[q] = LEAGUE_NO_CELL;
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].replayer == replayer)
			cell_add(row, a, i, &bias, &deviation);
	runs_add(row, a->results);
	row->mean_bias = mean_of(&bias);
	row->deviation = mean_of(&deviation);
	row->verdict = row->n_not_trusted                     ? VERDICT_NOT_TRUSTED
		       : row->n_inconclusive || !row->n_cells ? VERDICT_INCONCLUSIVE
							      : VERDICT_TRUSTED;
}

static int rank_of(const struct league_row *row)
{
	if (row->absent)
		return 4;
	if (!row->judged)
		return 3;
	return row->verdict == VERDICT_TRUSTED ? 0 : row->verdict == VERDICT_INCONCLUSIVE ? 1 : 2;
}

static double share_of(size_t n, const struct league_row *row)
{
	return row->n_cells ? (double)n / (double)row->n_cells : 0;
}

static int by_rank(const void *x, const void *y)
{
	const struct league_row *a = x, *b = y;
	const double first[] = {rank_of(a), -share_of(a->n_trusted, a),
				share_of(a->n_not_trusted, a),
				isnan(a->deviation) ? INFINITY : a->deviation, (double)a->replayer},
		     second[] = {
			 rank_of(b), -share_of(b->n_trusted, b), share_of(b->n_not_trusted, b),
			 isnan(b->deviation) ? INFINITY : b->deviation, (double)b->replayer};
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (first[i] < second[i] || first[i] > second[i])
			return first[i] < second[i] ? -1 : 1;
	return 0;
}

void league_compute(struct analysis *a)
{
	a->n_league = a->results->protocol.n_replayers;
	a->league = xcalloc(a->n_league + 1, sizeof *a->league);
	for (size_t i = 0; i < a->n_league; i++)
		row_compute(&a->league[i], a, i);
	qsort(a->league, a->n_league, sizeof *a->league, by_rank);
}
