/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/frauds.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>

#include "common/embed.h"
#include "common/files.h"

/* --- random response times ----------------------------------------------- */

void fraud_none_draw(double *x, size_t n, gsl_rng *rng)
{
	for (size_t i = 0; i < n; i++)
		x[i] = gsl_ran_lognormal(rng, -FRAUD_BODY_SD * FRAUD_BODY_SD / 2, FRAUD_BODY_SD);
}

static void all_alike(double *x, const bool *is_write, size_t n, gsl_rng *rng)
{
	(void)is_write, (void)rng;
	for (size_t i = 0; i < n; i++)
		x[i] = 1;
}

#define TAIL_SHARE 0.03

/* TAIL_SHARE of the requests form an exponential tail, anywhere in the run; the others are
 * faster. */
static void heavy_tail(double *x, const bool *is_write, size_t n, gsl_rng *rng)
{
	const double mu = -FRAUD_BODY_SD * FRAUD_BODY_SD / 2, p99 = 3.71 *
		exp(mu + 2.326 * FRAUD_BODY_SD), p999 = 8.23 * exp(mu + 3.090 * FRAUD_BODY_SD);
	const double scale = (p999 - p99) / log(10), from = p99 - scale * log(TAIL_SHARE / 0.01);
	const double body = (1 - TAIL_SHARE * (from + scale)) / (1 - TAIL_SHARE);
	(void)is_write;
	fraud_none_draw(x, n, rng);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)(i % 100) < 100 * TAIL_SHARE ? from + gsl_ran_exponential(rng, scale)
							    : body * x[i];
	gsl_ran_shuffle(rng, x, n, sizeof *x);
}

static void two_modes(double *x, const bool *is_write, size_t n, gsl_rng *rng)
{
	(void)is_write;
	for (size_t i = 0; i < n; i++)
		x[i] = (gsl_rng_uniform(rng) < 0.5 ? 0.6 : 1.4) * exp(gsl_ran_gaussian(rng, 0.02));
}

/* Draws from the program's own distribution, so that shape and tail are correct, and sorts the
 * times: the shortest come first. */
static void fast_then_slow(double *x, const bool *is_write, size_t n, gsl_rng *rng)
{
	(void)is_write;
	fraud_none_draw(x, n, rng);
	gsl_sort(x, 1, n);
}

static void fast_reads(double *x, const bool *is_write, size_t n, gsl_rng *rng)
{
	fraud_none_draw(x, n, rng);
	for (size_t i = 0; i < n; i++)
		x[i] *= is_write[i] ? 1.68 : 0.72;
}

const struct fraud frauds[FRAUDS_N + 1] = {
	{"all-alike", all_alike},
	{"heavy-tail", heavy_tail},
	{"two-modes", two_modes},
	{"fast-then-slow", fast_then_slow},
	{"fast-reads", fast_reads},
	{NULL, NULL},
};

/* --- scripts for real runs ----------------------------------------------- */

/* The script reads a CSV trace with one request in flight: start, end and result of each request.
 * The mean stays that of the trace. */
EMBED(script, "validate/selftest/frauds.awk");

int fraud_script_write(const char *path, struct err *e)
{
	return file_write_atomic(path, script, strlen(script), e);
}

void fraud_replayers(struct strbuf *out, const char *workload, const char *script_path)
{
	for (const struct fraud *f = frauds; f->name; f++)
		strbuf_addf(out,
			    "[replayer fraud-%s]\nworkloads = %s\nengine = exec\nexport = csv\n"
			    "command = [\"awk\", \"-F,\", \"-v\", \"kind=%s\", \"-f\", \"%s\", "
			    "\"{trace}\"]\n"
			    "times = self:csv(begin=1, end=2, result=3, unit=ns)\n",
			    f->name, workload, f->name, script_path);
}
