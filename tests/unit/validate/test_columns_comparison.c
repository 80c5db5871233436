/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison's values equal those of the named statistics; values that do not depend on unit or
 * offset do not change; degenerate samples have a status and no numbers; decisions at their
 * limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "validate/columns/comparison.h"
#include "validate/stats/generator.h"
#include "validate/stats/named.h"

enum { MAX_PARAMS = 8, N = 40, M = 35 };

static struct comparison_plan plan_default(void)
{
	return (struct comparison_plan){.alpha = 0.05,
					.limit_bias_pct = 10,
					.limit_precision = 2,
					.clock_halfwidth = 0.5,
					.n_resamples = 500,
					.seed = 3,
					.all = true};
}

static void lognormal_fill(double *x, size_t n, uint64_t seed, double scale, double spread)
{
	struct generator g;
	generator_seed(&g, seed, 0);
	for (size_t i = 0; i < n; i++)
		x[i] = scale * exp(spread * generator_normal(&g));
}

/* Compares an estimate with the named statistic of the same roles and parameters. False: there is
 * no statistic of that name. */
static bool as_named(const struct named_estimate *e, const struct named_role *role, size_t n_roles)
{
	char text[ESTIMATE_PARAMS], *rest = NULL;
	struct named_param param[MAX_PARAMS];
	struct named_call call = {role, n_roles, param, 0, false};
	struct named_result r = {NULL, 0};
	if (!named_find(e->name))
		return false;
	/* shown from 30 values on */
	if (!strncmp(e->name, "ljung_box", 9) && e->status == STAT_TOO_FEW)
		return true;
	strcpy(text, e->params);
	for (char *item = strtok_r(text, ";", &rest); item; item = strtok_r(NULL, ";", &rest)) {
		char *equals = strchr(item, '=');
		assert_non_null(equals);
		*equals = 0;
		param[call.n_params++] = (struct named_param){item, equals + 1};
	}
	enum stat_status s = named_compute(e->name, &call, &r);
	if (!s && !r.word && isinf(r.number))
		s = STAT_UNBOUNDED;
	if (call.bad_param || s != e->status)
		fail_msg("%s(%s): %s, by name %s%s", e->name, e->params,
			 stat_status_name(e->status), stat_status_name(s),
			 call.bad_param ? ", a parameter is missing" : "");
	if (s)
		return true;
	if ((e->word == NULL) != (r.word == NULL) || (r.word && strcmp(r.word, e->word)))
		fail_msg("%s(%s): another word", e->name, e->params);
	if (!r.word && !(fabs(r.number - e->value) <= 1e-12 * fabs(r.number)))
		fail_msg("%s(%s): %.17g, by name %.17g", e->name, e->params, e->value, r.number);
	return true;
}

static const char *const nameless[] = {"bootstrap_block",    "mc_lo_pct",          "mc_hi_pct",
				       "mc_shortest_lo_pct", "mc_shortest_hi_pct", "mc_sd_pct",
				       "mc_delta_pct",       "mc_gum_accepted"};

static void list_check(const struct estimates *list, const struct named_role *role, size_t n_roles,
		       size_t least)
{
	size_t checked = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct named_estimate *e = &list->e[i];
		assert_true(e->status || e->word || isfinite(e->value));
		if (as_named(e, role, n_roles)) {
			checked++;
			continue;
		}
		bool known = false;
		for (size_t k = 0; k < sizeof nameless / sizeof *nameless; k++)
			known |= !strcmp(nameless[k], e->name);
		if (!known)
			fail_msg("%s cannot be asked for by name", e->name);
	}
	if (checked < least)
		fail_msg("%zu estimates only", checked);
}

static void names_check(struct values ref, struct values rep, bool paired, size_t least)
{
	struct comparison_plan plan = plan_default();
	struct column_sample r, x;
	struct comparison c;
	plan.paired = paired;
	column_sample_describe(&r, ref, &plan);
	column_sample_describe(&x, rep, &plan);
	comparison_compute(&c, &r, &x, &plan);
	struct named_role own = {"x", &rep, 1}, both[] = {{"ref", &ref, 1}, {"rep", &rep, 1}};
	list_check(&x.estimates, &own, 1, 50);
	/* statistics of pairs have a status of their own for unpaired columns */
	struct estimates of_both = {0};
	for (size_t i = 0; i < c.estimates.n; i++) {
		struct estimates one = {&c.estimates.e[i], 1, 0};
		bool of_pairs = one.e->status == STAT_NOT_PAIRED && !paired;
		if (!of_pairs)
			list_check(&one, both, 2, 0);
		of_both.n += !of_pairs;
	}
	assert_true(of_both.n >= least);
	comparison_release(&c);
	column_sample_release(&r);
	column_sample_release(&x);
}

static void test_names(void **state)
{
	double r[N], x[N];
	(void)state;
	lognormal_fill(r, N, 1, 100, 0.1);
	lognormal_fill(x, N, 2, 104, 0.15);
	names_check((struct values){r, M}, (struct values){x, N}, false, 120);
	names_check((struct values){r, N}, (struct values){x, N}, true, 120);
	for (size_t i = 0; i < N; i++) { /* ties */
		r[i] = floor(r[i] / 5);
		x[i] = floor(x[i] / 5);
	}
	names_check((struct values){r, M}, (struct values){x, N}, false, 120);
	names_check((struct values){r, 2}, (struct values){x, 3}, false, 60);
}

/* The estimates that the text shows are equal to those of the complete list, and fewer. */
static void shown_check(const struct estimates *shown, const struct estimates *all)
{
	size_t at = 0;
	assert_true(shown->n > 0 && shown->n < all->n);
	for (size_t i = 0; i < shown->n; i++, at++) {
		const struct named_estimate *e = &shown->e[i];
		while (at < all->n && (strcmp(all->e[at].name, e->name) ||
				       strcmp(all->e[at].params, e->params)))
			at++;
		assert_true(at < all->n);
		assert_int_equal(all->e[at].status, e->status);
		assert_true(e->status || e->word || all->e[at].value == e->value);
	}
}

static void test_shown(void **state)
{
	double r[N], x[N];
	(void)state;
	lognormal_fill(r, N, 1, 100, 0.1);
	lognormal_fill(x, N, 2, 104, 0.15);
	for (int i = 0; i < 4; i++) {
		struct comparison_plan plan = plan_default();
		struct column_sample of_ref[2], of_rep[2];
		struct comparison c[2];
		plan.paired = i % 2;
		plan.time_ordered = i / 2;
		for (int all = 0; all < 2; all++) {
			plan.all = all;
			column_sample_describe(&of_ref[all], (struct values){r, N}, &plan);
			column_sample_describe(&of_rep[all], (struct values){x, N}, &plan);
			comparison_compute(&c[all], &of_ref[all], &of_rep[all], &plan);
		}
		shown_check(&of_rep[0].estimates, &of_rep[1].estimates);
		shown_check(&c[0].estimates, &c[1].estimates);
		for (int all = 0; all < 2; all++) {
			comparison_release(&c[all]);
			column_sample_release(&of_ref[all]);
			column_sample_release(&of_rep[all]);
		}
	}
}

/* Degenerate samples: they never give a number. */
static void test_degenerate(void **state)
{
	static const double one[] = {5}, equal[] = {3, 3, 3, 3}, zeros[] = {0, 0, 0},
			    good[] = {1, 2, 4, 7};
	static const double huge[] = {1e308, -1e308, 1e308}, tiny[] = {5e-324, 1e-323, 0};
	const struct values sample[] = {{one, 1},  {equal, 4}, {zeros, 3}, {good, 4},
					{huge, 3}, {tiny, 3},  {NULL, 0}};
	struct comparison_plan plan = plan_default();
	(void)state;
	for (size_t i = 0; i < 7; i++)
		for (size_t j = 0; j < 7; j++)
			for (int paired = 0; paired <= 1; paired++) {
				struct column_sample r, x;
				struct comparison c;
				plan.paired = paired;
				plan.time_ordered = (i + j) % 2;
				plan.monte_carlo = i == 3 && j == 3;
				column_sample_describe(&r, sample[i], &plan);
				column_sample_describe(&x, sample[j], &plan);
				comparison_compute(&c, &r, &x, &plan);
				for (size_t k = 0; k < c.estimates.n; k++) {
					const struct named_estimate *e = &c.estimates.e[k];
					assert_true(e->status || e->word || isfinite(e->value));
				}
				if (i != 3 || j != 3)
					assert_int_not_equal(comparisons_judge(&c, 1, NULL),
							     DECIDED_ACCEPT);
				comparison_release(&c);
				column_sample_release(&r);
				column_sample_release(&x);
			}
}

static double value_of(const struct estimates *list, const char *name)
{
	const struct named_estimate *e = estimates_find(list, name, NULL);
	if (!e || e->status)
		fail_msg("%s: %s", name, e ? stat_status_name(e->status) : "is not there");
	return e->value;
}

/* A scale changes no relative value; an offset changes no difference. */
static void test_invariance(void **state)
{
	static const char *const relative[] = {"relative_bias_of_means_pct",
					       "bias_ci_lo_pct",
					       "F_r",
					       "welch_t",
					       "mwu_U",
					       "fieller_hi",
					       "quantile_bias_pct",
					       "budget_U_pct",
					       "U_pct",
					       "ks_D",
					       "wasserstein1_pct",
					       "brown_forsythe_W",
					       "boot_bias_lo_pct",
					       "tost_p"};
	static const char *const differences[] = {
	    "welch_diff", "welch_t",      "F_r",      "mwu_U",           "hodges_lehmann",
	    "ks_D",       "wasserstein1", "levene_W", "brown_forsythe_W"};
	double r[N], x[N], r2[N], x2[N];
	struct comparison_plan plan = plan_default();
	(void)state;
	lognormal_fill(r, N, 5, 100, 0.1);
	lognormal_fill(x, N, 6, 104, 0.15);
	/* scaled by 2^10, shifted by 1e12, both negated */
	for (int what = 0; what < 3; what++) {
		struct column_sample s[4];
		struct comparison c[2];
		struct comparison_plan other = plan;
		const double offset = 1e12, grid = 0x1p-12; /* so that an offset is exact */
		for (size_t i = 0; i < N; i++) {
			double a = what ? floor(r[i] / grid) * grid : r[i],
			       b = what ? floor(x[i] / grid) * grid : x[i];
			r[i] = a;
			x[i] = b;
			r2[i] = what == 0 ? a * 1024 : a + offset;
			x2[i] = what == 0 ? b * 1024 : b + offset;
		}
		other.clock_halfwidth *= what == 0 ? 1024 : 1;
		column_sample_describe(&s[0], (struct values){r, N}, &plan);
		column_sample_describe(&s[1], (struct values){x, N}, &plan);
		column_sample_describe(&s[2], (struct values){r2, N}, &other);
		column_sample_describe(&s[3], (struct values){x2, N}, &other);
		comparison_compute(&c[0], &s[0], &s[1], &plan);
		comparison_compute(&c[1], &s[2], &s[3], &other);
		const char *const *names = what == 0 ? relative : differences;
		size_t n = what == 0 ? sizeof relative / sizeof *relative
				     : sizeof differences / sizeof *differences;
		for (size_t k = 0; k < n; k++) {
			double a = value_of(&c[0].estimates, names[k]),
			       b = value_of(&c[1].estimates, names[k]);
			if (!(fabs(a - b) <= (what == 0 ? 1e-11 : 1e-6) * fabs(a)))
				fail_msg("%s: %.15g becomes %.15g", names[k], a, b);
		}
		for (int k = 0; k < 2; k++)
			comparison_release(&c[k]);
		for (int k = 0; k < 4; k++)
			column_sample_release(&s[k]);
	}
}

static enum decision_word judged(const double *r, const double *x, size_t n, bool paired)
{
	struct comparison_plan plan = plan_default();
	struct column_sample a, b;
	struct comparison c;
	bool reject[2];
	plan.paired = paired;
	plan.n_resamples = 0;
	column_sample_describe(&a, (struct values){r, n}, &plan);
	column_sample_describe(&b, (struct values){x, n}, &plan);
	comparison_compute(&c, &a, &b, &plan);
	enum decision_word verdict = comparisons_judge(&c, 1, reject);
	assert_true((verdict == DECIDED_REJECT) == (reject[0] || reject[1]));
	comparison_release(&c);
	column_sample_release(&a);
	column_sample_release(&b);
	return verdict;
}

static void test_verdict(void **state)
{
	enum { MANY = 400 };
	static double r[MANY], x[MANY];
	(void)state;
	for (int paired = 0; paired <= 1; paired++) {
		lognormal_fill(r, MANY, 7, 100, 0.05);
		lognormal_fill(x, MANY, 8, 101, 0.05);
		assert_int_equal(judged(r, x, MANY, paired), DECIDED_ACCEPT);
		assert_int_equal(judged(r, x, 2, paired), DECIDED_INCONCLUSIVE);
		lognormal_fill(x, MANY, 8, 130, 0.05);
		assert_int_equal(judged(r, x, MANY, paired), DECIDED_REJECT);
		assert_int_equal(judged(r, x, 2, paired), DECIDED_INCONCLUSIVE);
		lognormal_fill(x, MANY, 8, 100, 0.2); /* precision alone */
		assert_int_equal(judged(r, x, MANY, paired), DECIDED_REJECT);
		for (size_t i = 0; i < 30; i++) /* at the limit */
			x[i] = 1.1 * r[29 - i];
		assert_int_equal(judged(r, x, 30, paired), DECIDED_INCONCLUSIVE);
	}
	assert_int_equal(comparisons_judge(NULL, 0, NULL), DECIDED_INCONCLUSIVE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_names), cmocka_unit_test(test_shown),
	    cmocka_unit_test(test_degenerate),
	    cmocka_unit_test(test_invariance),
	    cmocka_unit_test(test_verdict),
	};
	gsl_set_error_handler_off();
	return cmocka_run_group_tests_name("comparison of columns", tests, NULL, NULL);
}
