/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Coverage of intervals with a nominal coverage of 95 %: of 20 replicates, and of the mean of a
 * long dependent series. */

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>

#include "validate/selftest/noise.h"
#include "validate/selftest/simulate_private.h"
#include "validate/stats/bounds.h"
#include "validate/stats/budget.h"
#include "validate/stats/dependence.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/pitman_morgan.h"
#include "validate/stats/ratio.h"
#include "validate/stats/resample.h"
#include "validate/stats/variance_ratio.h"

#define GROUP_COVERAGE "coverage of intervals, nominal 95 %, 20 replicates"
#define GROUP_SERIES "coverage of the mean of 240 values in order of time, nominal 95 %"
#define GROUP_SHARES "coverage of Clopper-Pearson, nominal 95 %"
#define N 20
#define N_SERIES 240
#define BASE 100.0
#define SCATTER 5.0
#define PROMISED 0.945 /* 95 %, minus an allowance for the scatter of the simulation */
#define RESAMPLES 2000

/* program and replay with the same distribution; true mean 100, ratio 1, scatter 5 */
struct sampled {
	enum noise kind;
	double r[N], x[N], next; /* next: a future replay */
	uint64_t seed;
};

typedef bool covers_fn(const struct sampled *s);

static bool is_in(double lo, double truth, double hi)
{
	return lo <= truth && truth <= hi;
}

static bool mean_covers(const struct sampled *s)
{
	struct t_estimate t;
	double lo, hi;
	return !mean_test(s->x, N, &t) && !t_interval(&t, 0.95, &lo, &hi) && is_in(lo, BASE, hi);
}

static bool bias_covers(const struct sampled *s)
{
	struct t_estimate t;
	double d[N], lo, hi;
	return !log_ratios(s->r, s->x, N, d) && !mean_test(d, N, &t) &&
	       !t_interval(&t, 0.95, &lo, &hi) && is_in(lo, 0, hi);
}

static bool widened_covers(const struct sampled *s)
{
	struct t_estimate t;
	struct serial serial;
	double d[N], lo, hi;
	if (log_ratios(s->r, s->x, N, d) || mean_test(d, N, &t) || serial_dependence(d, N, &serial))
		return false;
	t = serial_widen(&t, N, &serial);
	return !t_interval(&t, 0.95, &lo, &hi) && is_in(lo, 0, hi);
}

static bool welch_covers(const struct sampled *s)
{
	struct t_estimate t;
	double lo, hi;
	return !welch_test(s->r, N, s->x, N, &t) && !t_interval(&t, 0.95, &lo, &hi) &&
	       is_in(lo, 0, hi);
}

static bool fieller_covers(const struct sampled *s)
{
	double lo, hi;
	return !fieller_interval(s->r, N, s->x, N, 0.95, &lo, &hi) && is_in(lo, 1, hi);
}

static bool variance_covers(const struct sampled *s)
{
	struct variance_ratio v;
	double lo, hi;
	return !variance_ratio(s->r, N, s->x, N, &v) &&
	       !variance_ratio_interval(&v, 0.95, &lo, &hi) && is_in(lo, 1, hi);
}

static bool pitman_morgan_covers(const struct sampled *s)
{
	struct pitman_morgan pm;
	double lo, hi;
	return !pitman_morgan(s->r, N, s->x, N, &pm) &&
	       !pitman_morgan_limits(&pm, 0.025, &lo, &hi) && is_in(lo, 1, hi);
}

static bool bca_covers(const struct sampled *s, enum resample_quantity what, double truth)
{
	struct resample_plan plan = {.n_resamples = RESAMPLES, .seed = s->seed, .conf = 0.95};
	struct resample_interval i;
	return !resample_means(s->r, N, s->x, N, 0, what, &plan, &i) && is_in(i.lo, truth, i.hi);
}

static bool bca_mean_covers(const struct sampled *s)
{
	return bca_covers(s, RESAMPLE_X, BASE);
}

static bool bca_relative_covers(const struct sampled *s)
{
	return bca_covers(s, RESAMPLE_RELATIVE_PCT, 0);
}

/* Compares the distribution function at an order statistic with p, so no quantile is needed. */
static bool order_covers(const struct sampled *s, double p)
{
	struct quantile_bounds b;
	double sorted[N];
	memcpy(sorted, s->x, sizeof sorted);
	gsl_sort(sorted, 1, N);
	if (quantile_bounds(sorted, N, N, p, 0.95, &b))
		return false;
	double lo = b.lo_status ? 0 : noise_below(s->kind, (b.lo - BASE) / SCATTER),
	       hi = b.hi_status ? 1 : noise_below(s->kind, (b.hi - BASE) / SCATTER);
	return is_in(lo, p, hi);
}

static bool median_covers(const struct sampled *s)
{
	return order_covers(s, 0.5);
}

static bool upper_covers(const struct sampled *s)
{
	return order_covers(s, 0.8);
}

static bool band_covers(const struct sampled *s)
{
	double sorted[N], epsilon, most = 0;
	if (dkw_epsilon(N, 0.05, &epsilon))
		return false;
	memcpy(sorted, s->x, sizeof sorted);
	gsl_sort(sorted, 1, N);
	for (int i = 0; i < N; i++) {
		double f = noise_below(s->kind, (sorted[i] - BASE) / SCATTER);
		most = fmax(most, fmax(fabs(f - (double)i / N), fabs(f - (double)(i + 1) / N)));
	}
	return most <= epsilon;
}

/* Whether the result of a future replay, divided by 1 + bias, is within U of the program's true
 * mean. */
static bool budget_covers(const struct sampled *s)
{
	struct sample_moments x, r;
	struct budget_total total;
	double k, expanded;
	if (sample_moments_spread(s->x, N, &x) || sample_moments_spread(s->r, N, &r))
		return false;
	struct budget_component row[] = {
	    budget_component("repeatability", BUDGET_TYPE_A, BUDGET_NORMAL, x.sd / r.mean, N - 1),
	    budget_component("mean of the replays", BUDGET_TYPE_A, BUDGET_NORMAL,
			     x.sd / r.mean / sqrt(N), N - 1),
	    budget_component("mean of the references", BUDGET_TYPE_A, BUDGET_NORMAL,
			     r.sd / r.mean / sqrt(N), N - 1),
	};
	row[0].estimate = row[1].estimate = 1;
	if (budget_combine(row, sizeof row / sizeof *row, &total) ||
	    budget_expand(&total, 0.95, BUDGET_CONTINUOUS, &k, &expanded))
		return false;
	return fabs(s->next * r.mean / x.mean / BASE - 1) <= expanded;
}

static const struct simulated_interval {
	const char *name;
	covers_fn *covers;
	/* promised for every independent distribution, not only for the normal distribution */
	bool any_distribution;
	bool dependent;	       /* also for dependent values */
} intervals[] = {
	{"t of a mean", mean_covers, false, false},
	{"t of paired log ratios", bias_covers, false, false},
	{"the same, widened", widened_covers, true, true},
	{"Welch, difference of means", welch_covers, false, false},
	{"Fieller, ratio of means", fieller_covers, false, false},
	{"F, ratio of variances", variance_covers, false, false},
	{"Pitman-Morgan, ratio of scatters", pitman_morgan_covers, false, false},
	{"BCa bootstrap, mean", bca_mean_covers, false, false},
	{"BCa bootstrap, relative bias", bca_relative_covers, false, false},
	{"order statistics, median", median_covers, true, false},
	{"order statistics, 80 % quantile", upper_covers, true, false},
	{"Dvoretzky-Kiefer-Wolfowitz band", band_covers, true, false},
	{"U of the budget, one future replay", budget_covers, false, false},
};
#define N_INTERVALS (sizeof intervals / sizeof *intervals)
enum { COUNT_TRIALS = N_INTERVALS, N_COUNTS };

static void intervals_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	struct sampled s = {.kind = *(const enum noise *)context, .seed = gsl_rng_get(rng)};
	double x[N + 1];
	noise_draw(s.kind, rng, s.r, N);
	noise_draw(s.kind, rng, x, N + 1);
	for (int i = 0; i < N; i++) {
		s.r[i] = BASE + SCATTER * s.r[i];
		s.x[i] = BASE + SCATTER * x[i];
	}
	s.next = BASE + SCATTER * x[N];
	count[COUNT_TRIALS]++;
	for (size_t i = 0; i < N_INTERVALS; i++)
		count[i] += intervals[i].covers(&s);
}

static int replicates_simulate(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	uint64_t count[NOISE_N][N_COUNTS];
	int ret = 0;
	for (size_t i = 0; i < NOISE_N && !ret; i++) {
		enum noise kind = (enum noise)i;
		ret = simulate_trials(o, GROUP_COVERAGE, intervals_trial, &kind, o->n_campaigns,
				      N_COUNTS, 30000 + i, count[i], e);
	}
	for (size_t k = 0; k < N_INTERVALS && !ret; k++)
		for (size_t i = 0; i < NOISE_N; i++) {
			struct rate *r =
			    rate_add(rates, PART_STATISTICS, GROUP_COVERAGE, intervals[k].name,
				     noise_names[i], count[i][k], count[i][COUNT_TRIALS]);
			/* the bootstrap promises nothing for so few values */
			bool promised = i == NOISE_NORMAL
					    ? strncmp(intervals[k].name, "BCa", 3) != 0
					    : (intervals[k].any_distribution && i <= NOISE_T3) ||
						  (intervals[k].dependent && i <= NOISE_AR6);
			r->promise = promised ? PROMISE_AT_LEAST : PROMISE_NONE;
			r->promised = promised ? PROMISED : 0;
		}
	return ret;
}

/* --- dependent values ---------------------------------------------------- */

enum {
	SERIES_NAIVE,
	SERIES_BATCHES,
	SERIES_GEYER,
	SERIES_NEWEY_WEST,
	SERIES_BLOCKS,
	N_SERIES_WAYS
};
static const char *const series_names[] = {"t, as if independent", "batch means, 20", "Geyer",
					   "Newey-West, 10 lags", "bootstrap of moving blocks"};

static bool se_covers(double mean, double se, double df)
{
	double t;
	return !t_quantile(0.975, df, &t) && fabs(mean) <= t * se;
}

static void series_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	double x[N_SERIES], se, lag1;
	struct t_estimate t;
	struct geyer g;
	size_t block;
	struct resample_plan plan = {
	    .n_resamples = RESAMPLES, .seed = gsl_rng_get(rng), .conf = 0.95};
	struct resample_interval i;
	noise_draw(*(const enum noise *)context, rng, x, N_SERIES);
	count[N_SERIES_WAYS]++;
	if (mean_test(x, N_SERIES, &t))
		return;
	count[SERIES_NAIVE] += se_covers(t.value, t.se, t.df);
	count[SERIES_BATCHES] +=
	    !batch_means(x, N_SERIES, 20, &se, &lag1) && se_covers(t.value, se, 19);
	count[SERIES_GEYER] += !geyer_se(x, N_SERIES, &g) && se_covers(t.value, g.se, INFINITY);
	count[SERIES_NEWEY_WEST] +=
	    !newey_west(x, N_SERIES, 10, &se) && se_covers(t.value, se, INFINITY);
	if (!block_length(x, N_SERIES, &block) &&
	    !resample_means(x, N_SERIES, x, N_SERIES, block, RESAMPLE_X, &plan, &i))
		count[SERIES_BLOCKS] += is_in(i.lo, 0, i.hi);
}

static int series_simulate(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	static const enum noise kinds[] = {NOISE_NORMAL, NOISE_EXPONENTIAL, NOISE_AR3, NOISE_AR6};
	uint64_t count[sizeof kinds / sizeof *kinds][N_SERIES_WAYS + 1];
	int ret = 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !ret; i++) {
		enum noise kind = kinds[i];
		ret = simulate_trials(o, "series of dependent values", series_trial, &kind,
			o->n_campaigns / 4, N_SERIES_WAYS + 1, 40000 + i, count[i], e);
	}
	for (size_t k = 0; k < N_SERIES_WAYS && !ret; k++)
		for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
			rate_add(rates, PART_STATISTICS, GROUP_SERIES, series_names[k],
				 noise_names[kinds[i]], count[i][k], count[i][N_SERIES_WAYS]);
	return ret;
}

/* --- shares -------------------------------------------------------------- */

static const double shares[] = {0.001, 0.01, 0.1, 0.5};
#define N_SHARES (sizeof shares / sizeof *shares)
#define N_OF 500

static void share_trial(void *context, gsl_rng *rng, uint64_t *count)
{
	(void)context;
	for (size_t i = 0; i < N_SHARES; i++) {
		double lo, hi, k = gsl_ran_binomial(rng, shares[i], N_OF);
		count[i] += !clopper_pearson(k, N_OF, 0.95, &lo, &hi) && is_in(lo, shares[i], hi);
	}
	count[N_SHARES]++;
}

static int shares_of_requests(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	uint64_t count[N_SHARES + 1];
	int ret = simulate_trials(o, GROUP_SHARES, share_trial, NULL, o->n_campaigns, N_SHARES + 1,
				  50000, count, e);
	for (size_t i = 0; i < N_SHARES && !ret; i++) {
		char condition[32];
		snprintf(condition, sizeof condition, "%g %% of 500", 100 * shares[i]);
		rate_promise(rate_add(rates, PART_STATISTICS, GROUP_SHARES, "Clopper-Pearson",
			condition, count[i], count[N_SHARES]), PROMISE_AT_LEAST, PROMISED);
	}
	return ret;
}

int simulate_intervals(const struct simulate_options *o, struct rates *rates, struct err *e)
{
	int ret = replicates_simulate(o, rates, e);
	ret = ret ? ret : series_simulate(o, rates, e);
	ret = ret ? ret : shares_of_requests(o, rates, e);
	return ret;
}
