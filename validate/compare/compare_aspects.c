/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computes the aspects of one case from its replicates. */

#include "validate/compare/compare_private.h"
#include "validate/stats/moments.h"
#include "validate/stats/multiplicity.h"

const char *const aspect_names[ASPECT_N + 1] = {
    [ASPECT_RESPONSE_TIME] = "response time", [ASPECT_PRECISION] = "precision",
    [ASPECT_UNCERTAINTY] = "uncertainty", [ASPECT_TYPICAL] = "typical response",
    [ASPECT_TAIL] = "tail", [ASPECT_SHAPE] = "shape", [ASPECT_MEDIAN] = "median",
    [ASPECT_P90] = "p90", [ASPECT_P99] = "p99", [ASPECT_P999] = "p99.9",
    [ASPECT_EXECUTION_TIME] = "execution time", [ASPECT_REORDERING] = "reordering",
    [ASPECT_IN_FLIGHT] = "in flight", [ASPECT_CONCURRENCY] = "concurrency",
    [ASPECT_MISMATCHES] = "mismatches", [ASPECT_N] = NULL,
};

enum aspect_scale aspect_scale(enum aspect k)
{
	switch (k) {
	case ASPECT_PRECISION:
	case ASPECT_UNCERTAINTY:
		return SCALE_RATIO;
	case ASPECT_SHAPE:
	case ASPECT_REORDERING:
	case ASPECT_CONCURRENCY:
		return SCALE_DIFFERENCE;
	case ASPECT_MISMATCHES:
		return SCALE_COUNT;
	default:
		return SCALE_CHANGE;
	}
}

bool aspect_is_deviation(enum aspect k)
{
	return aspect_scale(k) == SCALE_CHANGE || k == ASPECT_SHAPE;
}

/* Number of parts of an aspect, in consecutive columns; the aspect is the same if all parts are. */
static size_t aspect_n_parts(enum aspect k)
{
	return k == ASPECT_SHAPE ? SHAPE_N_QUANTILES : 1;
}

void reason_add(struct aspect_change *a, struct change_reason reason)
{
	if (a->n_reasons < CHANGE_REASONS)
		a->reason[a->n_reasons++] = reason;
}

/* Columns of an aspect: either x and r, whose ratio counts, or a single column. */
static const struct {
	enum baseline_column x, r;
} columns[ASPECT_N] = {
    [ASPECT_RESPONSE_TIME] = {COLUMN_X_MEAN, COLUMN_R_MEAN},
    [ASPECT_PRECISION] = {COLUMN_X_MEAN, COLUMN_R_MEAN},
    [ASPECT_MEDIAN] = {COLUMN_X_MEDIAN, COLUMN_R_MEDIAN},
    [ASPECT_P90] = {COLUMN_X_P90, COLUMN_R_P90}, [ASPECT_P99] = {COLUMN_X_P99, COLUMN_R_P99},
    [ASPECT_P999] = {COLUMN_X_P999, COLUMN_R_P999},
    [ASPECT_EXECUTION_TIME] = {COLUMN_X_TIME, COLUMN_R_TIME},
    [ASPECT_IN_FLIGHT] = {COLUMN_X_IN_FLIGHT, COLUMN_R_IN_FLIGHT},
    [ASPECT_REORDERING] = {COLUMN_REORDERED, COLUMN_N},
    [ASPECT_CONCURRENCY] = {COLUMN_DISTANCE, COLUMN_N},
    [ASPECT_MISMATCHES] = {COLUMN_MISMATCHED, COLUMN_N},
    [ASPECT_TYPICAL] = {COLUMN_X_TYPICAL, COLUMN_R_TYPICAL},
    [ASPECT_TAIL] = {COLUMN_X_TAIL, COLUMN_R_TAIL}, [ASPECT_SHAPE] = {COLUMN_SHAPE, COLUMN_N},
};

static double limit_of(const struct compare_limits *l, enum aspect k)
{
	const double limit[ASPECT_N] = {
	    [ASPECT_RESPONSE_TIME] = l->response_time, [ASPECT_PRECISION] = l->precision_ratio,
	    [ASPECT_UNCERTAINTY] = l->uncertainty_ratio, [ASPECT_TYPICAL] = l->typical_response,
	    [ASPECT_TAIL] = l->tail, [ASPECT_SHAPE] = l->shape, [ASPECT_MEDIAN] = l->median,
	    [ASPECT_P90] = l->p90, [ASPECT_P99] = l->p99, [ASPECT_P999] = l->p999,
	    [ASPECT_EXECUTION_TIME] = l->execution_time, [ASPECT_REORDERING] = l->reordered,
	    [ASPECT_IN_FLIGHT] = l->in_flight, [ASPECT_CONCURRENCY] = l->concurrency,
	    [ASPECT_MISMATCHES] = l->n_mismatched == UINT64_MAX ? NAN : (double)l->n_mismatched,
	};
	return limit[k];
}

/* smallest number of requests of a run beyond a quantile; fewer would depend on chance */
#define BEYOND 5

/* Number of requests that each run needs so that the aspect is meaningful. */
static double requests_needed(enum aspect k)
{
	return k == ASPECT_P999                      ? BEYOND / 0.001
	       : k == ASPECT_P99 || k == ASPECT_TAIL ? BEYOND / 0.01
						     : 0;
}

static double fewest_requests(const struct case_change *c)
{
	double fewest = INFINITY;
	for (size_t i = 0; i < c->old_case->n; i++)
		fewest = fmin(fewest, c->old_case->column[COLUMN_REQUESTS][i]);
	for (size_t i = 0; i < c->new_case->n; i++)
		fewest = fmin(fewest, c->new_case->column[COLUMN_REQUESTS][i]);
	return fewest;
}

static void limit_set(struct aspect_change *a, const struct case_change *c,
		      const struct compare_limits *l, enum aspect k)
{
	const double fewest = fewest_requests(c);
	a->limit = limit_of(l, k);
	if (isnan(a->limit) || fewest >= requests_needed(k))
		return;
	a->limit = NAN;
	reason_add(a, (struct change_reason){CHANGE_BEYOND_FEW, {BEYOND, fewest}});
}

struct sides { /* replicates that count: all, or those of the common blocks */
	double *was, *is;
	size_t n_was, n_is;
};

/* Returns ln(x/r), or the number in a single column. NaN: unknown. Infinite: a time is 0, which has
 * no ratio but is known. With a single reference, r is the same in all replicates. */
static double value_at(const struct baseline_case *c, enum aspect k, size_t part, size_t i)
{
	double x = c->column[columns[k].x + part][i];
	if (columns[k].r == COLUMN_N)
		return x;
	double r = c->column[columns[k].r][i];
	if (isnan(x) || isnan(r))
		return NAN;
	return x > 0 && r > 0 ? log(x / r) : x > 0 ? INFINITY : -INFINITY;
}

static void sides_make(struct sides *s, const struct case_change *c, enum aspect k, size_t part)
{
	const struct baseline_case *a = c->old_case, *b = c->new_case;
	*s = (struct sides){.was = xcalloc(a->n + 1, sizeof(double)),
			    .is = xcalloc(b->n + 1, sizeof(double))};
	if (!c->paired) {
		for (size_t i = 0; i < a->n; i++)
			s->was[s->n_was++] = value_at(a, k, part, i);
		for (size_t i = 0; i < b->n; i++)
			s->is[s->n_is++] = value_at(b, k, part, i);
		return;
	}
	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->block[i] == b->block[j]) {
			s->was[s->n_was++] = value_at(a, k, part, i++);
			s->is[s->n_is++] = value_at(b, k, part, j++);
		} else if (a->block[i] < b->block[j]) {
			i++;
		} else {
			j++;
		}
	}
}

/* Whether one side has no values at all, which is not a fault. If only some values are missing, it
 * is a fault. */
static bool is_unrecorded(const struct sides *s)
{
	size_t n_was = 0, n_is = 0;
	for (size_t i = 0; i < s->n_was; i++)
		n_was += !isnan(s->was[i]);
	for (size_t i = 0; i < s->n_is; i++)
		n_is += !isnan(s->is[i]);
	return !n_was || !n_is;
}

/* Averages replays that share a recording. Returns false if there are too few recordings. */
static bool sides_share(struct sides *s, const struct case_change *c, enum aspect k)
{
	const bool shared = !c->paired && aspect_is_deviation(k) &&
			    (c->old_case->single_reference || c->new_case->single_reference);
	return !shared ||
	       !recordings_average(s->was, &s->n_was, c->old_case, s->is, &s->n_is, c->new_case);
}

static void sides_release(struct sides *s)
{
	FREE_EACH(s->was, s->is);
}

/* Computes the shift of one part of a case, before the cases share their dependence. */
static void mean_begin(struct shift *shift, struct aspect_change *a, const struct case_change *c,
		       enum aspect k, size_t part)
{
	SCOPED(sides_release) struct sides s;
	sides_make(&s, c, k, part);
	if (!sides_share(&s, c, k) && !part)
		reason_add(a, (struct change_reason){.code = CHANGE_ONE_RECORDING});
	if (c->paired)
		shift_of_pairs(shift, s.was, s.is, s.n_was);
	else
		shift_of_groups(shift, s.was, s.n_was, s.is, s.n_is);
	if (!a->status)
		a->status = shift->status == STAT_NOT_FINITE && is_unrecorded(&s)
				? STAT_NOT_ASSESSED
				: shift->status;
}

/* Sets the values of both sides. If the change is beyond the limit, also sets on which side of the
 * program the old value was. */
static void values_take(struct aspect_change *a, const struct case_change *c, enum aspect k,
			size_t part, const struct campaign_change *all)
{
	const bool log_scale = aspect_scale(k) == SCALE_CHANGE;
	SCOPED(sides_release) struct sides s;
	sides_make(&s, c, k, part);
	const bool enough = sides_share(&s, c, k);
	const double was = plain_mean(s.was, s.n_was), is = plain_mean(s.is, s.n_is);
	a->old_value = log_scale ? expm1(was) : was;
	a->new_value = log_scale ? expm1(is) : is;
	if (aspect_is_deviation(k) && a->p <= all->level_same && enough)
		a->old_side = shift_side(s.was, s.n_was, all->span);
}

struct parts { /* parts of one aspect of a case */
	struct shift_p p;
	/* the part farthest beyond the limit */
	size_t lead;
	double n_needed; /* number of pairs needed by the parts that are not the same yet */
};

/* Tests the parts. The aspect is the same if all parts are. Otherwise the P-values are those of the
 * deciding part, with Bonferroni's correction. */
static struct parts parts_test(const struct shift *shift, size_t stride, size_t n, double limit,
			       const struct campaign_change *c)
{
	const double level = sequential_level(c->level_same, c->span);
	struct parts all = {.p = {.beyond = 2}};
	for (size_t i = 0; i < n; i++) {
		const struct shift *s = &shift[i * stride];
		const struct shift_p p = shift_test(s, -limit, limit, c->span);
		all.p.same = fmax(all.p.same, p.same);
		all.p.same_alone = fmax(all.p.same_alone, p.same_alone);
		if (n == 1 || p.same > c->level_same)
			all.n_needed = fmax(all.n_needed, shift_needed(s, limit, level));
		const bool farther = fabs(s->value) > fabs(shift[all.lead * stride].value);
		if (p.beyond > all.p.beyond || (p.beyond >= all.p.beyond && !farther))
			continue;
		all.lead = i;
		all.p.beyond = p.beyond;
		all.p.difference = p.difference;
	}
	all.p.beyond = fmin(1, (double)n * all.p.beyond);
	all.p.difference = fmin(1, (double)n * all.p.difference);
	return all;
}

/* Decides the aspect. shift: shifts of the parts, `stride` apart. */
static void mean_end(struct case_change *cell, const struct shift *shift, size_t stride,
		     enum aspect k, const struct campaign_change *c, bool words_only)
{
	struct aspect_change *a = &cell->aspect[k];
	const size_t n = aspect_n_parts(k);
	const bool log_scale = aspect_scale(k) == SCALE_CHANGE;
	const double limit = isnan(a->limit) ? 1 : a->limit;
	if (a->status)
		return;
	const struct parts all = parts_test(shift, stride, n, log_scale ? log1p(limit) : limit, c);
	const struct shift *lead = &shift[all.lead * stride];
	if (!words_only)
		shift_limits(lead, 0.05 / (double)n, &a->lo95, &a->hi95);
	a->change = log_scale ? expm1(lead->value) : lead->value;
	if (log_scale) {
		a->lo95 = expm1(a->lo95);
		a->hi95 = expm1(a->hi95);
	}
	if (n > 1)
		a->quantile = shape_quantile[all.lead];
	a->p_difference = all.p.difference;
	if (!isnan(a->limit)) {
		a->p = all.p.beyond;
		a->p_same = all.p.same;
		a->dependent = all.p.same > c->level_same && all.p.same_alone <= c->level_same;
		a->n_further = all.n_needed > 0
				   ? (uint64_t)fmin(1e9, fmax(1, all.n_needed - (double)cell->n))
				   : 0;
	}
	values_take(a, cell, k, all.lead, c);
}

/* Compares logarithms of times relative to the program's, or shares, or distances. */
static void means_compare(struct campaign_change *c, enum aspect k, bool words_only)
{
	const size_t n = aspect_n_parts(k);
	SCOPED_FREE struct shift *shift = xcalloc(n * c->n_cells, sizeof *shift);
	for (size_t part = 0; part < n; part++) {
		for (size_t i = 0; i < c->n_cells; i++)
			mean_begin(&shift[part * c->n_cells + i], &c->cell[i].aspect[k],
				   &c->cell[i], k, part);
		shifts_pool(&shift[part * c->n_cells], c->n_cells);
	}
	for (size_t i = 0; i < c->n_cells; i++)
		mean_end(&c->cell[i], &shift[i], c->n_cells, k, c, words_only);
	for (size_t i = 0; i < n * c->n_cells; i++)
		shift_release(&shift[i]);
}

static void precision_compare(struct aspect_change *a, const struct case_change *c, double span)
{
	SCOPED(sides_release) struct sides s;
	sides_make(&s, c, ASPECT_PRECISION, 0);
	spread_compare(a, s.was, s.n_was, s.is, s.n_is, c->paired, span);
	if (a->status == STAT_NOT_FINITE && is_unrecorded(&s))
		a->status = STAT_NOT_ASSESSED;
}

static void aspect_compute(struct campaign_change *c, enum aspect k, bool words_only)
{
	const struct case_change *cell = c->cell;
	switch (k) {
	case ASPECT_PRECISION:
		for (size_t i = 0; i < c->n_cells; i++)
			precision_compare(&c->cell[i].aspect[k], &cell[i], c->span);
		break;
	case ASPECT_UNCERTAINTY:
		for (size_t i = 0; i < c->n_cells; i++)
			uncertainty_compare(&c->cell[i].aspect[k], cell[i].old_case->u_c,
					    cell[i].old_case->u_c_df, cell[i].new_case->u_c,
					    cell[i].new_case->u_c_df, c->span);
		break;
	case ASPECT_MISMATCHES:
		for (size_t i = 0; i < c->n_cells; i++)
			counts_compare(&c->cell[i].aspect[k], cell[i].old_case, cell[i].new_case,
				       c->span);
		break;
	default:
		means_compare(c, k, words_only);
	}
}

/* States the result if the numbers of a side are compared with themselves: neither scatter nor too
 * few replicates leave anything inconclusive. */
static void say_same_runs(struct aspect_change *a, enum aspect k)
{
	if (a->status)
		a->change = aspect_scale(k) == SCALE_RATIO ? 1 : 0;
	a->status = STAT_OK;
	a->lo95 = a->hi95 = a->change;
	a->p_same = 0;
	a->p_difference = 1;
	a->p = isnan(a->limit) ? NAN : 1;
	a->p_brown_forsythe = NAN;
	a->dependent = false;
	reason_add(a, (struct change_reason){.code = CHANGE_SAME_RUNS});
}

static void word_begin(struct aspect_change *a, const struct case_change *c, enum aspect k,
		       double level_same)
{
	if (c->same_runs && a->status != STAT_NOT_ASSESSED)
		say_same_runs(a, k);
	if (isnan(a->limit) || a->status == STAT_NOT_ASSESSED) {
		a->word = CHANGE_NOT_JUDGED;
		a->p = NAN;
	} else if (!a->status && a->p_same <= level_same) {
		a->word = CHANGE_SAME;
	}
}

void aspects_compute(struct campaign_change *c, bool words_only)
{
	for (size_t k = 0; k < ASPECT_N; k++) {
		for (size_t i = 0; i < c->n_cells; i++) {
			struct aspect_change *a = &c->cell[i].aspect[k];
			*a = (struct aspect_change){0};
			limit_set(a, &c->cell[i], &c->limits, (enum aspect)k);
			a->word = isnan(a->limit) ? CHANGE_NOT_JUDGED : CHANGE_INCONCLUSIVE;
			a->old_value = a->new_value = a->change = a->lo95 = a->hi95 = a->quantile =
			    NAN;
			a->p = a->p_holm = a->p_difference = a->p_same = a->p_brown_forsythe = NAN;
		}
		if (words_only && isnan(limit_of(&c->limits, (enum aspect)k)))
			continue;
		aspect_compute(c, (enum aspect)k, words_only);
		for (size_t i = 0; i < c->n_cells; i++)
			word_begin(&c->cell[i].aspect[k], &c->cell[i], (enum aspect)k,
				   c->level_same);
	}
}
