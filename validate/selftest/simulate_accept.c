/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acceptance at a limit by the number of replicates, for the methods of the components and
 * alternatives. `power`: instead of values at the limit, independent normal values with a mean at
 * which Student's t accepts in 80 %, a scatter of half the limit, or a precision ratio of half the
 * limit. */

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>

#include "validate/components/component.h"
#include "validate/selftest/noise.h"
#include "validate/selftest/simulate_private.h"
#include "validate/stats/dependence.h"
#include "validate/stats/distributions.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/series.h"

#define ALPHA 0.05
#define Z 1.6448536269514722 /* quantile of the normal distribution at 1 - ALPHA */
#define N_MOST 60
#define LIMIT_PRECISION 2.0
#define OUTLIERS 0.05
#define OUTLIER 10.0

struct accept_condition {
	const char *name;
	enum noise noise;
	bool outliers, power;
	bool replay; /* only the replays scatter: the differences are skewed, too */
};
static const struct accept_condition conditions[] = {
	{"normal", NOISE_NORMAL, false, false, false}, {"t3", NOISE_T3, false, false, false},
	{"lognormal", NOISE_LOGNORMAL, false, false, false},
	{"outliers", NOISE_NORMAL, true, false, false}, {"AR 0.3", NOISE_AR3, false, false, false},
	{"AR 0.6", NOISE_AR6, false, false, false}, {"AR 0.8", NOISE_AR8, false, false, false},
	{"power", NOISE_NORMAL, false, true, false},
	{"skewed", NOISE_LOGNORMAL, false, false, true},
};
#define N_CONDITIONS (sizeof conditions / sizeof *conditions)

/* Mean 0 and standard deviation 1. */
static void standard_draw(const struct accept_condition *c, gsl_rng *rng, double *x, size_t n)
{
	noise_draw(c->noise, rng, x, n);
	if (!c->outliers)
		return;
	double mean = OUTLIERS * OUTLIER / 2,
	       sd = sqrt(1 + OUTLIERS * OUTLIER * OUTLIER / 3 - mean * mean);
	for (size_t i = 0; i < n; i++) {
		if (gsl_rng_uniform(rng) < OUTLIERS)
			x[i] += OUTLIER * gsl_rng_uniform(rng);
		x[i] = (x[i] - mean) / sd;
	}
}

/* accepts at the limit 0 or 1, depending on the quantity */
typedef bool accepts_fn(const double *x, size_t n);

/* --- a mean: of differences of pairs, at the upper limit 0 --------------- */

static bool below_zero(double mean, double se, double df)
{
	double t;
	return !t_quantile(1 - ALPHA, df, &t) && mean <= -t * se;
}

static bool mean_alone(const double *x, size_t n)
{
	struct t_estimate t;
	return !mean_test(x, n, &t) && below_zero(t.value, t.se, t.df);
}

static bool mean_widened(const double *x, size_t n)
{
	struct t_estimate t;
	struct serial s;
	if (mean_test(x, n, &t) || serial_dependence(x, n, &s))
		return false;
	t = serial_widen(&t, n, &s);
	return below_zero(t.value, t.se, t.df);
}

/* The P-values of the paired components in a campaign with one cell; 1 if there are none. */
static struct mean_p flipped_p(const double *x, size_t n)
{
	struct ratio_evidence e = {.n = n, .d = (double *)x};
	if (dependent_mean(x, n, &e.t, &e.wide, &e.serial))
		return (struct mean_p){1, 1, 1};
	return ratio_p(&e, -INFINITY, 0, &(struct levels){0});
}

static bool mean_flipped(const double *x, size_t n)
{
	return flipped_p(x, n).accept <= ALPHA;
}

/* Rejects before Holm's correction: the 95 % interval lies outside the limits. */
static bool mean_outside(const double *x, size_t n)
{
	return flipped_p(x, n).reject <= ALPHA;
}

/* Does not accept if lag 1 is significant; otherwise uses Student's t. */
static bool mean_tested(const double *x, size_t n)
{
	double r;
	return !autocorrelation(x, n, 1, &r) && r <= Z / sqrt((double)n) - 1 / (double)n &&
	       mean_alone(x, n);
}

static bool mean_batches(const double *x, size_t n)
{
	double se, lag1;
	return !batch_means(x, n, 5, &se, &lag1) && below_zero(gsl_stats_mean(x, 1, n), se, 4);
}

/* Uses Bartlett's kernel over half of the values with its critical value, 1.6449 + 2.1859 b +
 * 0.3142 b^2 - 0.3427 b^3 at b = 1/2. Source: Kiefer and Vogelsang (2005). */
static bool mean_newey_west(const double *x, size_t n)
{
	double se;
	return !newey_west(x, n, n / 2 - 1, &se) && gsl_stats_mean(x, 1, n) <= -2.7735 * se;
}

static bool mean_cosines(const double *x, size_t n)
{
	enum { Q = 4 };
	double sum = 0, k = (double)n;
	for (int j = 1; j <= Q; j++) {
		double along = 0;
		for (size_t i = 0; i < n; i++)
			along += x[i] * cos(M_PI * j * ((double)i + 0.5) / k) * sqrt(2 / k);
		sum += along * along / Q;
	}
	return below_zero(gsl_stats_mean(x, 1, n), sqrt(sum / k), Q);
}

/* --- a scatter, at the limit 1 ------------------------------------------- */

static bool scatter_within(double variance, double nu)
{
	double low;
	return !chi2_quantile(ALPHA, nu, &low) && variance * nu / low <= 1;
}

static bool scatter_chi2(const double *x, size_t n)
{
	return scatter_within(gsl_stats_variance(x, 1, n), (double)(n - 1));
}

static bool scatter_kurtosis(const double *x, size_t n, double least)
{
	struct sample_moments m;
	return !sample_moments_spread(x, n, &m) &&
	       scatter_within(m.sd * m.sd, spread_df(x, n, &m, least));
}

static bool scatter_sample(const double *x, size_t n)
{
	return scatter_kurtosis(x, n, 0);
}

static bool scatter_at_least_4(const double *x, size_t n)
{
	return scatter_kurtosis(x, n, 4);
}

/* Source: Bonett (2006), but relative to the mean instead of a trimmed mean. */
static bool scatter_bonett(const double *x, size_t n)
{
	double k = (double)n, mean = gsl_stats_mean(x, 1, n),
	       variance = gsl_stats_variance(x, 1, n), fourth = 0;
	for (size_t i = 0; i < n; i++)
		fourth += pow(x[i] - mean, 4);
	double kurtosis = k * fourth / pow((k - 1) * variance, 2), c = k / (k - Z);
	double se = sqrt(fmax(0, (kurtosis - (k - 3) / k) / (k - 1)));
	return log(c * variance) + Z * se * c <= 0;
}

static bool scatter_decides(const double *x, size_t n)
{
	struct sample_moments m;
	struct serial s;
	if (sample_moments_spread(x, n, &m) || serial_dependence(x, n, &s))
		return false;
	double sd = m.sd, nu = spread_df(x, n, &m, 0);
	spread_allow_hidden(n, &s, &sd, &nu);
	return scatter_within(sd * sd, nu);
}

/* --- the tables ---------------------------------------------------------- */

struct accept_way {
	const char *name;
	accepts_fn *accepts;
	bool scatter, promised;
};
static const struct accept_way ways[] = {
	{"mean: Student's t", mean_alone, false, false},
	{"mean: t unless lag 1 is significant", mean_tested, false, false},
	{"mean: 5 batches", mean_batches, false, false},
	{"mean: Newey-West, fixed b of 1/2", mean_newey_west, false, false},
	{"mean: 4 cosine transforms", mean_cosines, false, false},
	{"mean: t, widened interval (accepts)", mean_widened, false, true},
	{"mean: sign flip, widened interval (accepts)", mean_flipped, false, true},
	{"mean: sign flip (rejects)", mean_outside, false, false},
	{"U: chi-square", scatter_chi2, true, false},
	{"U: with the sample's kurtosis", scatter_sample, true, false},
	{"U: excess kurtosis of at least 4", scatter_at_least_4, true, false},
	{"U: Bonett", scatter_bonett, true, false},
	{"U: tails and dependence (accepts)", scatter_decides, true, true},
};
#define N_WAYS (sizeof ways / sizeof *ways)
#define PRECISION "precision: both tests, widened (accepts)"
#define MOST_PRECISION 20 /* largest number of replicates, because permutations are slow */
#define CASES "mean: sign flip, widened interval, 8 cases (accepts)"
#define N_CASES 8
enum { COUNT_PRECISION = N_WAYS, COUNT_CASES, COUNT_TRIALS, N_COUNTS };

static bool precision_accepts(const double *r, const double *x, size_t n)
{
	struct pitman_morgan pm;
	struct serial factor[2];
	double above, below, unused, permuted, z;
	if (pitman_morgan(r, n, x, n, &pm) ||
	    pitman_morgan_serial(r, x, n, LIMIT_PRECISION, factor))
		return false;
	const struct serial s = serial_product(&factor[0], &factor[1], n);
	if (pitman_morgan_p_of(&pm, fmax(1, s.n_effective - 2), LIMIT_PRECISION, &above, &below) ||
	    pair_permutation_p(r, x, n, LIMIT_PRECISION, &unused, &permuted) || below > ALPHA)
		return false;
	return !normal_quantile(permuted, &z) && normal_below(z / sqrt(s.inflation)) <= ALPHA;
}

/* Draws the differences of n pairs. r and x: the values of program and replay. */
static void pairs_draw(const struct accept_condition *c, gsl_rng *rng, double *r, double *x,
		       double *d, size_t n)
{
	standard_draw(c, rng, r, n);
	standard_draw(c, rng, x, n);
	for (size_t i = 0; i < n; i++)
		d[i] = c->replay ? x[i] : (x[i] - r[i]) / sqrt(2);
}

/* Accepts as mean_flipped(), but the dependence is estimated over N_CASES cases of a replayer. */
static bool cases_accept(const struct accept_condition *c, gsl_rng *rng, double *d, size_t n)
{
	struct ratio_evidence e = {.n = n, .d = d};
	double r[N_MOST], x[N_MOST], other[N_MOST], sum = 0;
	struct serial s;
	for (size_t i = 1; i < N_CASES; i++) {
		pairs_draw(c, rng, r, x, other, n);
		if (serial_dependence(other, n, &s))
			return false;
		sum += serial_rho_own(s.lag1, (double)n);
	}
	if (dependent_mean(d, n, &e.t, &e.wide, &e.serial))
		return false;
	sum += serial_rho_own(e.serial.lag1, (double)n);
	e.serial = serial_pooled(e.serial.lag1, n, sum / N_CASES, N_CASES);
	e.wide = serial_widen(&e.t, n, &e.serial);
	return ratio_p(&e, -INFINITY, 0, &(struct levels){0}).accept <= ALPHA;
}

struct cell_of_table {
	const struct accept_condition *condition;
	size_t n;
};

static void accept_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	const struct cell_of_table *cell = context;
	const struct accept_condition *c = cell->condition;
	size_t n = cell->n;
	double r[N_MOST], x[N_MOST], d[N_MOST], t = 0;
	pairs_draw(c, rng, r, x, d, n);
	/* distance from the limit at which Student's t accepts with a probability of about 0.8: (t
	 * + 0.84) standard errors */
	double inside = c->power && !t_quantile(1 - ALPHA, (double)(n - 1), &t)
			    ? (t + 0.84) / sqrt((double)n)
			    : 0;
	for (size_t i = 0; i < n && c->power; i++) {
		d[i] -= inside;
		x[i] /= 2;
	}
	count[COUNT_TRIALS]++;
	for (size_t i = 0; i < N_WAYS; i++)
		count[i] += ways[i].accepts(ways[i].scatter ? x : d, n);
	for (size_t i = 0; i < n; i++)
		x[i] *= LIMIT_PRECISION;
	if (n <= MOST_PRECISION)
		count[COUNT_PRECISION] += precision_accepts(r, x, n);
	count[COUNT_CASES] += cases_accept(c, rng, d, n);
}

static void row_add(struct rates *rates, size_t n, const char *name, bool promised,
		    const uint64_t count[][N_COUNTS], size_t which)
{
	char group[128];
	snprintf(group, sizeof group,
		 "acceptance at a limit, at a nominal 5 %%, %zu replicates; verdicts use the tests "
		 "marked (accepts) and (rejects)", n);
	for (size_t i = 0; i < N_CONDITIONS; i++) {
		struct rate *r = rate_add(rates, PART_STATISTICS, group, name, conditions[i].name,
					  count[i][which], count[i][COUNT_TRIALS]);
		if (promised && !conditions[i].power && !conditions[i].replay)
			rate_promise(r, PROMISE_AT_MOST, ALPHA);
	}
}

int simulate_accept(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	static const size_t numbers[] = {10, 20, 30, N_MOST};
	uint64_t count[N_CONDITIONS][N_COUNTS];
	int ret = 0;
	for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !ret; k++) {
		size_t n = numbers[k];
		for (size_t i = 0; i < N_CONDITIONS && !ret; i++) {
			struct cell_of_table cell = {&conditions[i], n};
			ret = simulate_trials(o, "accepting at a limit", accept_trial, &cell,
				o->n_campaigns, N_COUNTS, 60000 + 100 * n + i, count[i], e);
		}
		for (size_t i = 0; i < N_WAYS && !ret; i++)
			row_add(rates, n, ways[i].name, ways[i].promised, count, i);
		if (!ret)
			row_add(rates, n, CASES, true, count, COUNT_CASES);
		if (!ret && n <= MOST_PRECISION)
			row_add(rates, n, PRECISION, true, count, COUNT_PRECISION);
	}
	return ret;
}
