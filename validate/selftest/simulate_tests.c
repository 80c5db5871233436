/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Size of each test: its rejection rate at a nominal 5 % for true hypotheses, with 20 replicates on
 * either side and several distributions. Tests that decide a verdict are marked; the other tests
 * are for comparison. */

#include <gsl/gsl_randist.h>

#include "validate/selftest/noise.h"
#include "validate/selftest/simulate_private.h"
#include "validate/stats/anova.h"
#include "validate/stats/distance.h"
#include "validate/stats/distributions.h"
#include "validate/stats/multiplicity.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/ranks.h"
#include "validate/stats/ratio.h"
#include "validate/stats/series.h"
#include "validate/stats/shapiro.h"
#include "validate/stats/variance_ratio.h"

#define GROUP_SIZES "size of tests at a nominal 5 %, 20 replicates"
#define N 20
#define ALPHA 0.05
#define PROMISED 0.055 /* 5 %, plus an allowance for the scatter of the simulation */
#define BASE 100.0
#define SCATTER 5.0 /* % */
#define MARGIN_PCT 4.0
#define FAMILY 16
#define CORRELATION 0.6

/* Both roles, in order of time. */
struct roles {
	double r[N], x[N];
};

typedef double p_fn(const struct roles *a); /* P-value; NaN: undefined, which does not reject */

static double variance_p(const struct roles *a)
{
	struct variance_ratio v;
	return variance_ratio(a->r, N, a->x, N, &v) ? NAN : v.p_greater;
}

static double variance_two_sided_p(const struct roles *a)
{
	struct variance_ratio v;
	return variance_ratio(a->r, N, a->x, N, &v) ? NAN : v.p_two_sided;
}

static double spread_p(const struct roles *a, enum spread_centre centre)
{
	const struct values groups[] = {{a->r, N}, {a->x, N}};
	struct spread_test t;
	return spread_test(groups, 2, centre, &t) ? NAN : t.p;
}

static double brown_forsythe_p(const struct roles *a)
{
	return spread_p(a, SPREAD_ABOUT_MEDIAN);
}

static double levene_p(const struct roles *a)
{
	return spread_p(a, SPREAD_ABOUT_MEAN);
}

static double welch_p(const struct roles *a)
{
	struct t_estimate t;
	return welch_test(a->r, N, a->x, N, &t) ? NAN : t.p;
}

static double mann_whitney(const struct roles *a)
{
	double p;
	return mann_whitney_p_exact(a->r, N, a->x, N, &p) ? NAN : p;
}

static double smirnov_p(const struct roles *a)
{
	double p;
	return ks_p_exact(a->r, N, a->x, N, &p) ? NAN : p;
}

static double paired_p(const struct roles *a)
{
	struct t_estimate t;
	return paired_test(a->r, N, a->x, N, &t) ? NAN : t.p;
}

static double pitman_morgan_above_p(const struct roles *a)
{
	struct pitman_morgan pm;
	double above, below;
	return pitman_morgan(a->r, N, a->x, N, &pm) || pitman_morgan_p(&pm, 1, &above, &below)
		   ? NAN
		   : above;
}

static double permutation_p(const struct roles *a)
{
	double above, below;
	return pair_permutation_p(a->r, a->x, N, 1, &above, &below) ? NAN : above;
}

static double precision_p(const struct roles *a)
{
	return fmax(pitman_morgan_above_p(a), permutation_p(a));
}

/* The values are shifted to the margin, where the test may call them equivalent with a probability
 * of at most alpha. */
static double equivalence_p(const struct roles *a)
{
	struct roles b = *a;
	struct equivalence e;
	for (int i = 0; i < N; i++)
		b.x[i] += BASE * MARGIN_PCT / 100;
	/* use the margin of the true mean, not that of the sample's mean */
	double scale = 0;
	for (int i = 0; i < N; i++)
		scale += b.r[i] / N;
	return equivalence_test(b.r, N, b.x, N, MARGIN_PCT * BASE / scale, &e) ? NAN : e.p;
}

static double pairs_inside_p(const struct roles *a, bool widened)
{
	double d[N];
	struct t_estimate t;
	struct serial serial;
	for (int i = 0; i < N; i++)
		d[i] = a->x[i] - a->r[i] + BASE * MARGIN_PCT / 100;
	if (mean_test(d, N, &t) || serial_dependence(d, N, &serial))
		return NAN;
	if (widened)
		t = serial_widen(&t, N, &serial);
	double margin = BASE * MARGIN_PCT / 100;
	return fmax(t_below((t.value - margin) / t.se, t.df),
		    t_above((t.value + margin) / t.se, t.df));
}

static double paired_equivalence_p(const struct roles *a)
{
	return pairs_inside_p(a, false);
}

static double widened_equivalence_p(const struct roles *a)
{
	return pairs_inside_p(a, true);
}

static void differences_compute(const struct roles *a, double *d)
{
	for (int i = 0; i < N; i++)
		d[i] = a->x[i] - a->r[i];
}

static double trend_p(const struct roles *a)
{
	double d[N];
	struct trend_test t;
	differences_compute(a, d);
	return mann_kendall(d, N, &t) ? NAN : t.p;
}

static double runs_p(const struct roles *a)
{
	double d[N];
	struct trend_test t;
	differences_compute(a, d);
	return runs_test(d, N, &t) ? NAN : t.p;
}

static double normality_p(const struct roles *a)
{
	double w, p;
	return shapiro_wilk(a->x, N, &w, &p) ? NAN : p;
}

enum { PROMISED_NORMAL = 1, PROMISED_INDEPENDENT = 2, PROMISED_DEPENDENT = 3 };

static const struct test {
	const char *name;
	p_fn *p;
	int promised; /* the test promises its size here */
} tests[] = {
	{"F, one-sided", variance_p, PROMISED_NORMAL},
	{"F, two-sided", variance_two_sided_p, PROMISED_NORMAL},
	{"Brown-Forsythe", brown_forsythe_p, PROMISED_NORMAL},
	{"Levene", levene_p, 0},
	{"Welch", welch_p, PROMISED_NORMAL},
	{"Mann-Whitney, exact", mann_whitney, PROMISED_INDEPENDENT},
	{"Kolmogorov-Smirnov, exact", smirnov_p, PROMISED_INDEPENDENT},
	{"paired t", paired_p, PROMISED_NORMAL},
	{"Pitman-Morgan, one-sided", pitman_morgan_above_p, PROMISED_NORMAL},
	{"labels permuted in pairs", permutation_p, PROMISED_NORMAL},
	{"precision: both tests (rejects)", precision_p, PROMISED_NORMAL},
	{"TOST at the margin", equivalence_p, PROMISED_NORMAL},
	{"TOST of pairs at the margin", paired_equivalence_p, PROMISED_NORMAL},
	{"the same, widened (accepts)", widened_equivalence_p, PROMISED_DEPENDENT},
	{"Mann-Kendall", trend_p, PROMISED_INDEPENDENT},
	{"runs", runs_p, 0},
	{"Shapiro-Wilk (power if not normal)", normality_p, PROMISED_NORMAL},
};
#define N_TESTS (sizeof tests / sizeof *tests)
enum { COUNT_TRIALS = N_TESTS, COUNT_FAMILY_RAW, COUNT_FAMILY_HOLM, N_COUNTS };

struct tests_condition {
	enum noise noise;
	bool pairs; /* correlated, normal */
};

static void roles_draw(const struct tests_condition *c, gsl_rng *rng, struct roles *a)
{
	noise_draw(c->noise, rng, a->r, N);
	noise_draw(c->noise, rng, a->x, N);
	for (int i = 0; i < N; i++) {
		if (c->pairs)
			a->x[i] =
			    CORRELATION * a->r[i] + sqrt(1 - CORRELATION * CORRELATION) * a->x[i];
		a->r[i] = BASE + SCATTER * a->r[i];
		a->x[i] = BASE + SCATTER * a->x[i];
	}
}

static void tests_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	const struct tests_condition *c = context;
	double p[FAMILY];
	bool raw = false, holm = false;
	for (int k = 0; k < FAMILY; k++) {
		struct roles a;
		roles_draw(c, rng, &a);
		p[k] = paired_p(&a);
		raw |= p[k] <= ALPHA;
		if (k > 0)
			continue;
		count[COUNT_TRIALS]++;
		for (size_t i = 0; i < N_TESTS; i++)
			count[i] += tests[i].p(&a) <= ALPHA;
	}
	if (adjust_holm(p, FAMILY, p) == STAT_OK)
		for (int k = 0; k < FAMILY; k++)
			holm |= p[k] <= ALPHA;
	count[COUNT_FAMILY_RAW] += raw;
	count[COUNT_FAMILY_HOLM] += holm;
}

#define N_CONDITIONS (NOISE_N + 1)

static const char *condition_name(size_t i)
{
	return i < NOISE_N ? noise_names[i] : "pairs 0.6";
}

static bool is_promised(const struct test *t, size_t condition)
{
	bool independent = condition <= NOISE_T3;
	if (t->promised == PROMISED_DEPENDENT)
		return condition != NOISE_SESSION;
	return condition == NOISE_NORMAL ? t->promised != 0
					 : t->promised == PROMISED_INDEPENDENT && independent;
}

static void row_add(struct rates *rates, const char *name, const uint64_t count[][N_COUNTS],
		    size_t which, const struct test *t)
{
	for (size_t i = 0; i < N_CONDITIONS; i++) {
		struct rate *r = rate_add(rates, PART_STATISTICS, GROUP_SIZES, name,
			condition_name(i), count[i][which], count[i][COUNT_TRIALS]);
		if (t ? is_promised(t, i) : which == COUNT_FAMILY_HOLM && i == NOISE_NORMAL)
			rate_promise(r, PROMISE_AT_MOST, PROMISED);
	}
}

int simulate_tests(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	uint64_t count[N_CONDITIONS][N_COUNTS];
	int ret = 0;
	for (size_t i = 0; i < N_CONDITIONS && !ret; i++) {
		struct tests_condition c = {i < NOISE_N ? (enum noise)i : NOISE_NORMAL,
					    i == NOISE_N};
		ret = simulate_trials(o, GROUP_SIZES, tests_trial, &c, o->n_campaigns, N_COUNTS,
				      20000 + i, count[i], e);
	}
	for (size_t i = 0; i < N_TESTS && !ret; i++)
		row_add(rates, tests[i].name, count, i, &tests[i]);
	if (!ret) {
		row_add(rates, "any of 16 paired t", count, COUNT_FAMILY_RAW, NULL);
		row_add(rates, "any of 16 paired t, Holm", count, COUNT_FAMILY_HOLM, NULL);
	}
	return ret;
}
