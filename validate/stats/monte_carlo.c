/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/monte_carlo.h"

#include <gsl/gsl_statistics_double.h>

#include "validate/stats/generator.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

enum { BLOCK = 10000, N_OUTPUTS = 4, MAX_INPUTS = 100 };
#define MAX_TRIALS 100000000u

static double input_draw(const struct monte_carlo_input *in, struct generator *g)
{
	switch (in->shape) {
	case MC_STUDENT:
		return in->value + in->u * generator_t(g, in->nu);
	case MC_RECTANGULAR:
		return in->value + in->u * sqrt(3) * (2 * generator_uniform(g) - 1);
	default:
		return in->value + in->u * generator_normal(g);
	}
}

struct mc_run {
	const struct monte_carlo_input *input;
	size_t n;
	double (*model)(const double *value, size_t n, void *arg);
	void *arg;
	const struct monte_carlo_plan *plan;
};

/* Draws block b, `count` trials, into y. */
static void block_draw(const struct mc_run *run, uint64_t b, double *y, size_t count)
{
	double value[MAX_INPUTS];
	struct generator g;
	generator_seed(&g, run->plan->seed, b);
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < run->n; k++)
			value[k] = input_draw(&run->input[k], &g);
		y[i] = run->model(value, run->n, run->arg);
	}
}

/* Computes q and r of 7.7.2, limited to the available values. */
static void interval_ranks(size_t n, double coverage, size_t *q, size_t *r)
{
	*q = (size_t)floor(coverage * (double)n + 0.5);
	*q = *q < n ? *q : n - 1;
	*r = (size_t)floor((double)(n - *q) / 2 + 0.5);
	*r = *r < 1 ? 1 : *r;
	*r = *r + *q <= n ? *r : n - *q;
}

/* Sorts at least the `tail` lowest and the `tail` highest values to their ends of y; the values
 * between are in any order. */
static void tails_sort(double *y, size_t n, size_t tail)
{
	if (n <= BLOCK || 4 * tail > n) {
		doubles_sort(y, n);
		return;
	}
	gsl_stats_select(y, 1, n, tail);
	gsl_stats_select(y + tail, 1, n - tail, n - 2 * tail);
	doubles_sort(y, tail);
	doubles_sort(y + n - tail, tail);
}

static enum stat_status trials_summarise(double *y, size_t n, double coverage,
					 struct monte_carlo_result *out)
{
	struct sample_moments m;
	size_t q, r;
	enum stat_status s = sample_moments(y, n, &m);
	if (s)
		return s;
	interval_ranks(n, coverage, &q, &r);
	tails_sort(y, n, n - q);
	out->n_trials = n;
	out->mean = m.mean;
	out->sd = m.sd;
	out->lo = y[r - 1];
	out->hi = y[r - 1 + q];
	size_t best = 0;
	for (size_t i = 1; i + q < n; i++)
		if (y[i + q] - y[i] < y[best + q] - y[best])
			best = i;
	out->shortest_lo = y[best];
	out->shortest_hi = y[best + q];
	return STAT_OK;
}

/* Whether for each output twice the standard deviation of its average over h blocks is at most
 * delta. */
static bool outputs_stable(double (*output)[N_OUTPUTS], size_t h, double delta, bool with_sd)
{
	for (int k = 0; k < N_OUTPUTS && h > 1; k++) {
		double mean = 0, squares = 0;
		for (size_t b = 0; b < h; b++)
			mean += (output[b][k] - output[0][k]) / (double)h;
		for (size_t b = 0; b < h; b++)
			squares += pow(output[b][k] - output[0][k] - mean, 2);
		bool counts = k != 1 || with_sd;
		if (counts && !(2 * sqrt(squares / (double)(h * (h - 1))) <= delta))
			return false;
	}
	return h > 1;
}

static enum stat_status blocks_until_stable(const struct mc_run *run, double *y, size_t *n,
					    bool with_sd, bool *stable)
{
	size_t most = (size_t)(run->plan->n_trials / BLOCK), h = 0;
	double(*output)[N_OUTPUTS] = xcalloc(most, sizeof *output);
	enum stat_status s = STAT_OK;
	for (*stable = false; h < most && !*stable && !s; h++) {
		struct monte_carlo_result one = {0};
		block_draw(run, h, y + h * BLOCK, BLOCK);
		s = trials_summarise(y + h * BLOCK, BLOCK, run->plan->coverage, &one);
		output[h][0] = one.mean;
		output[h][1] = one.sd;
		output[h][2] = one.lo;
		output[h][3] = one.hi;
		*stable = outputs_stable(output, h + 1, run->plan->delta, with_sd);
	}
	*n = h * BLOCK;
	free(output);
	return s;
}

static enum stat_status run_check(const struct mc_run *run, enum stat_status *sd_status)
{
	const struct monte_carlo_plan *p = run->plan;
	*sd_status = STAT_OK;
	if (run->n == 0)
		return STAT_TOO_FEW;
	if (run->n > MAX_INPUTS || p->n_trials < BLOCK || p->n_trials > MAX_TRIALS ||
	    !(p->coverage > 0) || !(p->coverage < 1) || (p->adaptive && !(p->delta > 0)))
		return STAT_OUT_OF_RANGE;
	for (size_t i = 0; i < run->n; i++) {
		const struct monte_carlo_input *in = &run->input[i];
		bool student = in->shape == MC_STUDENT;
		if (!isfinite(in->value) || !(in->u >= 0) || !isfinite(in->u) ||
		    (student && !(in->nu > 0)) || in->shape >= MC_N_SHAPES)
			return STAT_OUT_OF_RANGE;
		if (student && in->nu <= 2 && in->u > 0)
			*sd_status = STAT_NOT_APPLICABLE;
	}
	return STAT_OK;
}

enum stat_status monte_carlo(const struct monte_carlo_input *input, size_t n,
			     double (*model)(const double *value, size_t n, void *arg), void *arg,
			     const struct monte_carlo_plan *plan, struct monte_carlo_result *out)
{
	struct mc_run run = {input, n, model, arg, plan};
	*out = (struct monte_carlo_result){.stable = true};
	enum stat_status s = run_check(&run, &out->sd_status);
	if (s)
		return s;
	size_t made = plan->n_trials;
	SCOPED_FREE double *y = xreallocarray(NULL, made, sizeof *y);
	if (plan->adaptive)
		s = blocks_until_stable(&run, y, &made, out->sd_status == STAT_OK, &out->stable);
	else
		for (size_t from = 0, b = 0; from < made; from += BLOCK, b++)
			block_draw(&run, b, y + from, made - from < BLOCK ? made - from : BLOCK);
	s = s ? s : trials_summarise(y, made, plan->coverage, out);
	return s;
}

double monte_carlo_sum(const double *value, size_t n, void *arg)
{
	double sum = 0;
	(void)arg;
	for (size_t i = 0; i < n; i++)
		sum += value[i];
	return sum;
}

bool monte_carlo_accepts(const struct monte_carlo_result *r, double gum_lo, double gum_hi,
			 double delta)
{
	return fabs(gum_lo - r->lo) <= delta && fabs(gum_hi - r->hi) <= delta;
}

/* --- digits of an uncertainty -------------------------------------------- */

/* Uses the decimal conversion of the C library, which rounds correctly; log10 and division do not
 * at 0.95 or 1e22. */
static enum stat_status rounded_text(double u, int digits, char *text, size_t size)
{
	if (!(u > 0) || !isfinite(u) || digits < 1 || digits > 15)
		return STAT_OUT_OF_RANGE;
	snprintf(text, size, "%.*e", digits - 1, u);
	return STAT_OK;
}

enum stat_status round_to_digits(double u, int digits, double *rounded)
{
	char text[40];
	enum stat_status s = rounded_text(u, digits, text, sizeof text);
	if (!s)
		*rounded = strtod(text, NULL);
	return s;
}

enum stat_status numerical_tolerance(double u, int digits, double *delta)
{
	char text[40], tenth[40], *e = text;
	enum stat_status s = rounded_text(u, digits, text, sizeof text);
	if (s)
		return s;
	while (*e && *e != 'e')
		e++;
	snprintf(tenth, sizeof tenth, "0.5e%d", atoi(e + 1) - (digits - 1));
	*delta = strtod(tenth, NULL);
	return STAT_OK;
}

/* --- sum of rectangular variables ---------------------------------------- */

static double irwin_hall_above(unsigned int n, double x)
{
	double sum = 0, choose = 1, factorial = 1;
	for (unsigned int k = 0; k < n && n - x - k > 0; k++) {
		sum += (k % 2 ? -1 : 1) * choose * pow(n - x - k, n);
		choose *= (double)(n - k) / (k + 1);
	}
	for (unsigned int k = 2; k <= n; k++)
		factorial *= k;
	return sum / factorial;
}

enum stat_status rectangular_sum_halfwidth(unsigned int n, double sd, double coverage, double *h)
{
	if (n < 1 || n > 20 || !(sd > 0) || !isfinite(sd) || !(coverage > 0 && coverage < 1))
		return STAT_OUT_OF_RANGE;
	double low = n / 2.0, high = n, tail = (1 - coverage) / 2;
	for (int i = 0; i < 200 && high > low; i++) {
		double middle = (low + high) / 2;
		if (middle == low || middle == high)
			break;
		if (irwin_hall_above(n, middle) > tail)
			low = middle;
		else
			high = middle;
	}
	/* a width of 1 has standard deviation 1/sqrt 12 */
	*h = (high - n / 2.0) * 2 * sqrt(3) * sd;
	return STAT_OK;
}
