/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of components: every row is complete, and its limit comes from the protocol. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_randist.h>

#include "validate/analysis/analysis_private.h"
#include "validate/components/component.h"
#include "validate/evidence/pairs.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/sign_flip.h"

static void test_rows_are_complete(void **state)
{
	(void)state;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component_row *row = components[k];
		assert_non_null(row);
		assert_true(row->title && *row->title && row->meaning && *row->meaning);
		assert_true(row->rule && *row->rule && (!row->source || *row->source));
		assert_non_null(row->decide);
		assert_true(!(row->scatter > 0) || row->two_sided);
		assert_true(*component_names[k] && *accept_limit_names[k] && accept_keys[k].name);
		for (int j = 0; j < k; j++) {
			assert_string_not_equal(component_names[j], component_names[k]);
			assert_string_not_equal(accept_keys[j].name, accept_keys[k].name);
		}
	}
	assert_null(components[COMPONENT_N]);
	assert_null(component_names[COMPONENT_N]);
}

/* Each limit by its own key, including "none". */
static void test_limits_follow_their_keys(void **state)
{
	(void)state;
	for (int k = 0; k < COMPONENT_N; k++) {
		struct protocol p = {.accept = accept_defaults};
		struct err e = ERR_INIT;
		const char *name = accept_keys[k].name,
			   *value = accept_keys[k].type == OPT_DURATION ? "1ns" : "1";
		bool below_one = accept_keys[k].max > 0 && accept_keys[k].max < 1;
		assert_int_equal(options_set(accept_keys, &p, name, below_one ? "0.5" : value, &e),
				 0);
		assert_true(accept_limit(&p.accept, k) == (below_one ? 0.5 : 1));
		for (int j = 0; j < COMPONENT_N; j++)
			if (j != k) {
				double limit = accept_limit(&p.accept, j),
				       before = accept_limit(&accept_defaults, j);
				assert_true(limit == before || (isnan(limit) && isnan(before)));
			}
		assert_int_equal(options_set(accept_keys, &p, name, "none", &e), 0);
		assert_true(isnan(accept_limit(&p.accept, k)));
	}
}

/* Five pairs of runs: 90 reads of 100 us, and `n` opens of open_ns, which the replay doubles.
 * Returns the number of operations that the component compares. */
static size_t operations_compared(uint64_t n, double open_ns)
{
	const struct op_summary made[2] = {
	    {.op = "pread", .response = {.n = 90, .mean = 1e5}},
	    {.op = "open", .response = {.n = n, .mean = open_ns}},
	};
	struct op_summary program[2] = {made[0], made[1]}, replay[2] = {made[0], made[1]};
	replay[1].response.mean *= 2;
	const struct run r = {.summary = {.op = program, .n_ops = 2}},
			 x = {.summary = {.op = replay, .n_ops = 2}};
	const struct run *all_r[5] = {&r, &r, &r, &r, &r}, *all_x[5] = {&x, &x, &x, &x, &x};
	const struct pairs pairs = {.x = all_x, .r = all_r, .n = 5};
	struct evidence e = {0};
	components[COMPONENT_OPERATION]->measure(&(struct measuring){.e = &e, .pairs = &pairs});
	size_t n_parts = e.family[COMPONENT_OPERATION].n;
	family_release(&e.family[COMPONENT_OPERATION]);
	return n_parts;
}

/* An operation with few requests and hardly any time decides nothing. */
static void test_operations_that_count(void **state)
{
	(void)state;
	assert_int_equal(operations_compared(10, 1000), 2); /* 0.11 % of the time */
	assert_int_equal(operations_compared(10, 890), 1);  /* 0.099 % */
	assert_int_equal(operations_compared(3, 1000), 1);  /* 3 % of the requests */
	assert_int_equal(operations_compared(3, 160000), 2); /* 3 %, but 5.1 % of the time */
}

/* The part that depends on earlier runs is harder to accept than a part that scatters more. */
static void test_plan_of_the_hardest_part(void **state)
{
	(void)state;
	const size_t n = 10;
	const double inflation = serial_inflation(0.95, 10);
	struct ratio_evidence first = {.n = n, .t = {.value = 0.03, .se = 0.01, .df = 9}},
			      second = {.n = n, .t = {.value = 0.02, .se = 0.02, .df = 9}};
	first.serial = (struct serial){0.28, 0.95, inflation, 10 / inflation};
	second.serial = serial_none(n);
	struct family_part part[2] = {{"first half", first}, {"second half", second}};
	uint64_t more[2];
	for (int i = 0; i < 2; i++) {
		struct ratio_evidence *v = &part[i].value;
		v->wide = serial_widen(&v->t, n, &v->serial);
	}
	for (int both = 0; both < 2; both++) {
		struct evidence e = {0};
		struct component c = {.kind = COMPONENT_HALF, .limit = 0.15};
		const struct levels levels = {0.05, 0.01, 0, false};
		const struct planning p = {.e = &e, .levels = &levels};
		e.family[COMPONENT_HALF] = (struct family){.n = both ? 2 : 1, .part = part};
		plan_parts(&c, &p);
		more[both] = c.n_more;
	}
	assert_true(more[0] > 1);
	assert_int_equal(more[1], more[0]);
}

/* A campaign that decides after each replicate needs more replicates than a campaign that decides
 * once, inside and outside the limits; refuting a claim also allows for dependence. */
static void test_plan_of_many_looks(void **state)
{
	(void)state;
	enum { N = 12 };
	static const double value[2] = {0.08, 0.12};
	const struct levels levels[3] = {
	    {.accept = 0.05, .reject = 0.001}, {.accept = 0.008, .reject = 0.001, .span = 1.6},
	    {.accept = 0.008, .reject = 0.001, .span = 1.6, .cautious = true}};
	for (int outside = 0; outside < 2; outside++) {
		uint64_t more[3];
		for (int i = 0; i < 3; i++) {
			const struct t_estimate t = {.value = value[outside], .se = 0.01, .df = N - 1};
			const struct serial serial = serial_none(N);
			struct serial related = serial;
			related.lag1 = 0.3;
			struct component c = {.kind = COMPONENT_BIAS, .limit = 0.1};
			const struct planning p = {.levels = &levels[i]};
			plan_means(&c, &p,
				   &(struct plan_mean){&t, &related, N, -0.1, 0.1, 1, true, NULL}, 1);
			more[i] = c.n_more;
		}
		assert_true(more[0] >= 1);
		assert_true(more[1] > more[0]);
		assert_true(outside ? more[2] > more[1] : more[2] == more[1]);
	}
}

static struct levels levels_of_looks(double span)
{
	return (struct levels){sequential_level(0.05, span), 0.01, span, false};
}

/* A P-value of rejecting that is corrected for the looks has the level of all looks, and an
 * uncorrected P-value has the level of its look. */
static void test_looks_are_corrected_once(void **state)
{
	(void)state;
	const struct levels after_each = levels_of_looks(log(60.0 / 8)),
			    planned = {0.034, 0.0075, 0, false};
	const struct {
		const struct levels *levels;
		double accept, reject;
		enum decision decision;
	} row[] = {
	    {&after_each, 1, 0.0499, DECISION_REJECT},
	    {&after_each, 1, 0.0501, DECISION_INCONCLUSIVE},
	    {&after_each, 1.01 * after_each.accept, 1, DECISION_INCONCLUSIVE},
	    {&after_each, 0.99 * after_each.accept, 1, DECISION_ACCEPT},
	    {&planned, 1, 0.0339, DECISION_REJECT},
	    {&planned, 1, 0.0341, DECISION_INCONCLUSIVE},
	    {&planned, 0.0341, 1, DECISION_INCONCLUSIVE},
	    {&planned, 0.0339, 1, DECISION_ACCEPT},
	};
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct component c = {.kind = COMPONENT_BIAS};
		decide_component(&c, row[i].accept, row[i].reject, row[i].levels);
		assert_int_equal(c.decision, row[i].decision);
		assert_int_equal(c.rejected_before_holm, row[i].decision == DECISION_REJECT);
	}
	/* the raw P-value of one look that is just enough has the level of the look */
	assert_true(fabs(sequential_p(after_each.accept, after_each.span) / 0.05 - 1) < 1e-9);
}

static struct ratio_evidence evidence_of(double *d, size_t n)
{
	struct ratio_evidence e = {.n = n, .d = d, .recordings = {.inflation = 1}};
	e.status = dependent_mean(d, n, &e.t, &e.wide, &e.serial);
	e.wide = e.t;
	e.serial = serial_none(n);
	return e;
}

/* Returns the number of replicates for which the bias, or a component of several such parts, is
 * planned. */
static double planned_for_parts(const struct ratio_evidence *v, size_t n_parts,
				const struct levels *levels)
{
	struct family_part part[2] = {{"first half", *v}, {"second half", *v}};
	struct evidence e = {.bias = *v, .family[COMPONENT_HALF] = {.n = n_parts, .part = part}};
	struct component c = {.kind = n_parts > 1 ? COMPONENT_HALF : COMPONENT_BIAS, .limit = 0.1};
	components[c.kind]->plan(&c, &(struct planning){.e = &e, .levels = levels, .n_tests = 16});
	assert_false(c.impractical);
	return (double)v->n + (double)c.n_more;
}

static double planned_for(const struct ratio_evidence *v, const struct levels *levels)
{
	return planned_for_parts(v, 1, levels);
}

/* The planned number decides with the assurance of 0.8: a mean near both limits, near one limit and
 * outside, and two independent parts inside; for one look and for a look after each pair. */
static void test_plan_suffices(void **state)
{
	(void)state;
	enum { HAVE = 8, TRIALS = 1000, MOST = 400 };
	const double low = log1p(-0.1), high = log1p(0.1);
	const struct {
		const char *what;
		double at, sd;
		size_t n_parts;
	} row[] = {{"in the middle", 0, 0.2, 1}, {"inside", high - 0.05, 0.1, 1},
		   {"outside", high + 0.07, 0.1, 1}, {"two parts in the middle", 0, 0.2, 2},
		   {"two parts inside", high - 0.05, 0.1, 2}};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(rng, 5);
	for (int looks = 0; looks < 2; looks++)
		for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
			const struct levels levels = levels_of_looks(looks ? log(60.0 / 8) : 0);
			const double at = row[r].at, sd = row[r].sd;
			double d[MOST], n_decided = 0;
			struct ratio_evidence now = {.n = HAVE, .serial = serial_none(HAVE)};
			now.t = (struct t_estimate){
			    .value = at, .se = sd / sqrt(HAVE), .df = HAVE - 1};
			const size_t n = (size_t)planned_for_parts(&now, row[r].n_parts, &levels);
			assert_true(n > HAVE && n < MOST);
			for (int i = 0; i < TRIALS; i++) {
				bool all = true;
				for (size_t part = 0; part < row[r].n_parts; part++) {
					for (size_t k = 0; k < n; k++)
						d[k] = at + gsl_ran_gaussian(rng, sd);
					const struct ratio_evidence then = evidence_of(d, n);
					const struct mean_p p = ratio_p(&then, low, high, &levels);
					/* the strictest step of Holm's procedure */
					all &= at > high ? p.reject <= levels.reject / 16
							 : p.accept <= levels.accept;
				}
				n_decided += all;
			}
			print_message("%s, %s: %zu replicates decide %.1f %%\n",
				      looks ? "a look after each" : "one look", row[r].what, n,
				      100 * n_decided / TRIALS);
			/* 0.8 and three standard deviations of the count; the t-approximation
			 * of the plan adds 2 % */
			assert_true(n_decided / TRIALS > 0.8 - 0.02 - 0.038);
			assert_true(n_decided / TRIALS < 0.8 + 0.02 + 0.038);
		}
	gsl_rng_free(rng);
}

/* Pairs of 5 recordings with the intraclass correlation 0.2 never count as more than 25: with a
 * large scatter, only more recordings help. */
static void test_plan_of_recordings(void **state)
{
	(void)state;
	const size_t n = 20;
	const struct levels levels = levels_of_looks(0);
	struct ratio_evidence v = {.n = n, .serial = serial_none(n)};
	v.recordings = (struct recordings){
	    .n = 5, .per_group = 4, .icc = 0.2, .se = 0.2, .mean = 0.2, .n_cells = 8};
	v.recordings.inflation = recordings_inflation(&v.recordings);
	v.serial = serial_pooled(-0.05, n, 0, 8);
	v.serial.inflation *= v.recordings.inflation;
	v.serial.n_effective = (double)n / v.serial.inflation;
	assert_true(recordings_then(&v.recordings, 60, 60) == 1);
	assert_true(recordings_then(&v.recordings, 60, 5) > 3);
	assert_true(recordings_then(&v.recordings, 60, 20) < recordings_then(&v.recordings, 60, 5));
	for (int wide = 0; wide < 2; wide++) {
		v.t = (struct t_estimate){.value = 0.03, .se = wide ? 0.045 : 0.022, .df = 19};
		struct evidence e = {.bias = v};
		struct component c = {.kind = COMPONENT_BIAS, .limit = 0.1};
		plan_ratio(&c, &(struct planning){.e = &e, .levels = &levels, .n_tests = 16});
		print_message("%llu more, %llu with recordings\n", (unsigned long long)c.n_more,
			      (unsigned long long)c.n_more_recorded);
		assert_false(c.impractical);
		assert_true(c.n_more_recorded > 0);
		assert_true(wide ? !c.n_more : c.n_more > c.n_more_recorded);
		assert_int_equal(c.n_reasons, wide);
		if (!wide)
			continue;
		/* the next look is too early, the last look is late enough */
		const struct plan_look look[] = {{1, levels}, {200, levels}};
		struct cell *cell = xcalloc(1, sizeof *cell);
		struct component *k = &cell->component[COMPONENT_BIAS];
		cell->n_pairs = cell->n_blocks = (unsigned int)n;
		*k = (struct component){
		    .kind = COMPONENT_BIAS, .limit = 0.1, .decision = DECISION_INCONCLUSIVE};
		components_plan(cell, &e, &(struct accept_limits){0}, 16, look, 2);
		assert_int_equal(k->n_more_recorded, 200);
		assert_int_equal(k->n_reasons, 1);
		assert_int_equal(k->reasons[0].code, REASON_PLAN_RECORDINGS);
		assert_float_equal(k->reasons[0].number[0], n + 200, 0);
		free(cell);
	}
}

/* A mean outside its limit needs more replicates if runs depend on each other, and still more if
 * the rejection allows for dependence, as that of a claim does. */
static void test_plan_outside_allows_for_dependence(void **state)
{
	(void)state;
	const size_t n = 40;
	const struct levels one = levels_of_looks(0), claim = {0.05, 0.01, 0, true};
	struct ratio_evidence e = {.n = n, .serial = serial_none(n)};
	e.t = (struct t_estimate){.value = 0.17, .se = 0.02, .df = 39};
	const double alone = planned_for(&e, &one);
	e.serial = serial_pooled(0.3, n, 0.3, 1);
	const double dependent = planned_for(&e, &one), cautious = planned_for(&e, &claim);
	print_message("%g, %g and %g replicates\n", alone, dependent, cautious);
	assert_true(alone > 40 && dependent > 1.1 * alone && cautious > 1.5 * dependent);
}

/* One part outside is enough to reject: the part that needs the fewest replicates counts, even if
 * the interval of another part exceeds the limit further. */
static void test_plan_of_the_part_that_rejects_first(void **state)
{
	(void)state;
	const size_t n = 10;
	struct family_part part[3] = {
	    {"wide", {.n = n}}, {"narrow", {.n = n}}, {"inside", {.n = n}}};
	const struct t_estimate t[3] = {{.value = 0.4, .se = 0.15, .df = 9},
					{.value = 0.2, .se = 0.01, .df = 9},
					{.value = 0.13, .se = 0.1, .df = 9}};
	const struct levels levels = levels_of_looks(0);
	uint64_t more[2];
	for (int i = 0; i < 3; i++) {
		part[i].value.t = t[i];
		part[i].value.serial = serial_none(n);
	}
	for (int order = 0; order < 2; order++) {
		struct evidence e = {0};
		struct component c = {.kind = COMPONENT_OPERATION, .limit = 0.15};
		const struct planning p = {.e = &e, .levels = &levels, .n_tests = 1};
		e.family[COMPONENT_OPERATION] = (struct family){.n = 3, .part = part};
		plan_parts(&c, &p);
		more[order] = c.n_more;
		const struct family_part first = part[0];
		part[0] = part[1];
		part[1] = first;
	}
	assert_in_range(more[0], 1, 5);
	assert_int_equal(more[1], more[0]);
}

/* The shown interval is the interval by re-randomisation that decides about a rejection. */
static void test_shown_interval_decides(void **state)
{
	(void)state;
	double d[12] = {0.02, 0.03, 0.01, 0.025, 0.5, 0.015, 0.03, 0.02, 0.4, 0.01, 0.02, 0.03};
	const struct ratio_evidence r = evidence_of(d, 12);
	const struct estimate e = estimate_of_ratio(&r, expm1),
			      student = estimate_of_t(STAT_OK, &r.t, expm1);
	double lo, hi;
	assert_int_equal(e.status, STAT_OK);
	assert_true(e.value == student.value && e.df == 11);
	assert_int_equal(sign_flip_limits(d, 12, 0.025, &lo, &hi), STAT_OK);
	assert_true(e.lo95 == expm1(lo) && e.hi95 == expm1(hi));
	assert_int_equal(sign_flip_limits(d, 12, 0.05, &lo, &hi), STAT_OK);
	assert_true(e.lo90 == expm1(lo) && e.hi90 == expm1(hi));
	assert_true(ratio_limits(&r, 0.025, false, &lo, &hi));
	assert_true(e.lo95 == expm1(lo) && e.hi95 == expm1(hi));
	assert_true(fabs(e.lo95 - student.lo95) > 0.01); /* and differs from that of t */
}

/* Two halves that deviate from the limit outwards: between the interval that lies beyond the limit
 * and the rejection, the reason states the correction for the parts. */
static void test_reason_of_a_rejection_of_parts(void **state)
{
	(void)state;
	const struct levels levels = levels_of_looks(0);
	size_t n_between = 0;
	for (double mean = 0.1; mean < 0.13; mean += 0.001) {
		double d[12];
		for (size_t i = 0; i < 12; i++)
			d[i] = mean + 0.02 * ((double)(i * 7 % 12) / 11 - 0.5);
		const struct ratio_evidence v = evidence_of(d, 12);
		struct family_part part[2] = {{"first half", v}, {"second half", v}};
		const struct evidence e = {.family[COMPONENT_HALF] = {.n = 2, .part = part}};
		struct component c = {.kind = COMPONENT_HALF, .limit = 0.1};
		bool named = false;
		components[COMPONENT_HALF]->decide(&c, &(struct deciding){.e = &e, .levels = &levels});
		for (unsigned int i = 0; i < c.n_reasons; i++)
			named |= c.reasons[i].code == REASON_ONLY_INTERVAL_OF_PARTS &&
				 c.reasons[i].number[0] == 2;
		assert_int_equal(named,
				 c.decision == DECISION_INCONCLUSIVE && c.accept_lo > c.limit);
		n_between += named;
		free(c.part);
	}
	assert_true(n_between > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_complete),
	    cmocka_unit_test(test_limits_follow_their_keys),
	    cmocka_unit_test(test_operations_that_count),
	    cmocka_unit_test(test_plan_of_the_hardest_part),
	    cmocka_unit_test(test_plan_of_many_looks),
	    cmocka_unit_test(test_looks_are_corrected_once),
	    cmocka_unit_test(test_plan_suffices),
	    cmocka_unit_test(test_plan_of_recordings),
	    cmocka_unit_test(test_plan_outside_allows_for_dependence),
	    cmocka_unit_test(test_plan_of_the_part_that_rejects_first),
	    cmocka_unit_test(test_shown_interval_decides),
	    cmocka_unit_test(test_reason_of_a_rejection_of_parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
