/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/chances.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "validate/analysis/analysis.h"
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/generator.h"
#include "validate/stats/planning.h"
#include "validate/stats/serial.h"
#include "validate/stats/multiplicity.h"

#define ALPHA 0.05
#define ASSURANCE 0.8
#define HOPELESS 0.01	/* a smaller chance decides nothing */
#define COLUMNS_MAX 8
#define REPLICATES_MOST 2000
#define PRECISION_PAIRS 7 /* cost of permuted labels and dependence, by simulation (chances.h) */
#define DRAWS 300	/* of the dependence that a campaign may show */

double chances_level(const struct protocol *p, unsigned int n)
{
	double level[sizeof p->look / sizeof *p->look];
	if (p->budget_ns)
		return n < p->n_replicates_min
			   ? 0
			   : sequential_level(ALPHA, log((double)p->n_replicates_max /
							 (double)p->n_replicates_min));
	if (spending_levels(ALPHA, p->look, p->n_looks, level))
		return 0;
	for (unsigned int k = p->n_looks; k-- > 0;)
		if (n >= p->look[k])
			return level[k];
	return 0;
}

unsigned int chances_fewest(double level)
{
	return (unsigned int)ceil(-log2(level));
}

static bool can_accept(unsigned int n, double level)
{
	return level > 0 && n >= chances_fewest(level);
}

/* --- apparent dependence of independent pairs ---------------------------- */

/* Cases of the replayer with the fewest: dependence is estimated over all of its cases. */
static size_t cases_fewest(const struct protocol *p)
{
	size_t fewest = 0;
	for (size_t r = 0; r < p->n_replayers; r++) {
		size_t n = 0;
		for (size_t s = 0; s < p->n_scenarios && p->replayer[r].applies; s++)
			n += p->replayer[r].applies[s];
		if (n && (!fewest || n < fewest))
			fewest = n;
	}
	return fewest ? fewest : 1;
}

/* A draw of V, the inflation that a campaign of n_cases cases may allow for with n independent
 * pairs. r_1 of independent values has mean -1/n and variance (n-2)^2/(n^2 (n-1)) (Moran 1948). */
static double inflation_draw(struct generator *g, double n, size_t n_cases, double n_recordings)
{
	const double cases = (double)n_cases, sd = (n - 2) / n / sqrt(n - 1);
	const double lag1 = sd * generator_normal(g) - 1 / n;
	const double lag1_others = sd * generator_normal(g) / sqrt(fmax(1, cases - 1)) - 1 / n;
	const double others = serial_rho_own(lag1_others, n);
	const double mean = (serial_rho_own(lag1, n) + (cases - 1) * others) / cases;
	const double v = serial_pooled(lag1, (size_t)n, mean, n_cases).inflation;
	double f;
	if (!n_recordings)
		return v;
	return f_quantile(generator_uniform(g), n_recordings - 1, n - n_recordings, &f)
		   ? n
		   : v * recordings_expected(n, n_recordings, f, generator_normal(g), n_cases);
}

/* Probability that the interval widened by `inflation` (stats/serial.h) accepts n independent
 * values. */
static double chance_widened(unsigned int n, double inflation, double sd, double limit,
			     double level)
{
	const double low = limit < 1 ? log1p(-limit) : -INFINITY, of_all = n;
	const double worth = of_all / fmin(of_all, inflation);
	double t, power;
	if (worth < 2 || t_quantile(1 - level, fmax(1, worth - 1), &t))
		return 0;
	t *= sqrt(inflation * (of_all - 1) / (of_all - inflation));
	level = t_above(t, of_all - 1);
	if (power_equivalence_paired(n, low, log1p(limit), 0, sd, level, &power))
		return 0;
	return power;
}

static double chance_at(const struct protocol *p, unsigned int n, double sd, double limit,
			double level)
{
	const size_t n_cases = cases_fewest(p);
	const bool reused = p->reference == REFERENCE_RERUN && p->n_bank > 1 && p->n_bank < n;
	const double n_recordings = reused ? (double)p->n_bank : 0;
	struct generator g;
	double sum = 0;
	if (!can_accept(n, level))
		return 0;
	generator_seed(&g, 1, 0);
	for (int i = 0; i < DRAWS; i++) {
		const double inflation = inflation_draw(&g, n, n_cases, n_recordings);
		sum += chance_widened(n, inflation, sd, limit, level);
	}
	return sum / DRAWS;
}

double chance_of_ratio(const struct protocol *p, unsigned int n, double sd, double limit)
{
	return chance_at(p, n, sd, limit, chances_level(p, n));
}

double chance_of_precision(const struct protocol *p, unsigned int n, double limit)
{
	const double level = chances_level(p, n);
	double power;
	if (n <= PRECISION_PAIRS || !can_accept(n, level) ||
	    power_precision_accept(n - PRECISION_PAIRS, limit, level, &power))
		return 0;
	return power;
}

int chances_check(const struct protocol *p, struct err *e)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	const double level = chances_level(p, n);
	if (p->allow_undecidable || can_accept(n, level))
		return 0;
	const unsigned int fewest = level > 0 ? chances_fewest(level) : chances_fewest(ALPHA);
	return err_set(e, EINVAL,
		       "%s: %u replicates cannot decide anything: with so few pairs the smallest "
		       "P-value is %.2g, and accepting needs %.2g; use replicates = %u or more (20 "
		       "decide as a rule), or allow-undecidable = yes for a description alone",
		       p->path ? p->path : "protocol", n, ldexp(1, -(int)n), level, fewest);
}

/* --- tables -------------------------------------------------------------- */

/* Numbers of pairs for the columns: the looks, or values between minimum and maximum. Returns their
 * number. */
static size_t columns_choose(const struct protocol *p, unsigned int n[COLUMNS_MAX])
{
	static const unsigned int between[] = {10, 14, 20, 28, 40};
	size_t m = 0;
	if (!p->budget_ns) {
		for (unsigned int k = 0; k < p->n_looks && m < COLUMNS_MAX; k++)
			n[m++] = p->look[k];
		return m;
	}
	n[m++] = (unsigned int)p->n_replicates_min;
	for (size_t i = 0; i < sizeof between / sizeof *between; i++)
		if (between[i] > p->n_replicates_min && between[i] < p->n_replicates_max)
			n[m++] = between[i];
	if (p->n_replicates_max > p->n_replicates_min)
		n[m++] = (unsigned int)p->n_replicates_max;
	return m;
}

static void head_print(const char *what, const unsigned int *n, size_t n_columns, FILE *out)
{
	fprintf(out, "  %-42s", what);
	for (size_t i = 0; i < n_columns; i++)
		fprintf(out, " %3u", n[i]);
	fputs(" pairs\n", out);
}

static void percent_print(double chance, FILE *out)
{
	if (chance > 0.995)
		fputs(" >99", out);
	else if (chance < 0.005)
		fputs("  <1", out);
	else
		fprintf(out, " %3.0f", 100 * chance);
}

/* Prints a row of ratios. Limit NaN or 0: not judged, nothing is printed. */
static void ratio_print(const struct protocol *p, const char *name, double limit, double sd,
			const unsigned int *n, size_t n_columns, FILE *out)
{
	if (!(limit > 0))
		return;
	fprintf(out, "  %-31s ±%6.3g %% ", name, 100 * limit);
	for (size_t i = 0; i < n_columns; i++)
		percent_print(chance_of_ratio(p, n[i], sd, limit), out);
	fputs(" %\n", out);
}

static void precision_print(const struct protocol *p, const unsigned int *n, size_t n_columns,
			    FILE *out)
{
	const double limit = p->accept.precision_ratio;
	if (!(limit > 1) || p->reference != REFERENCE_RERUN)
		return;
	fprintf(out, "  %-31s  %6.3g   ", component_names[COMPONENT_PRECISION], limit);
	for (size_t i = 0; i < n_columns; i++)
		percent_print(chance_of_precision(p, n[i], limit), out);
	fputs(" %\n", out);
}

static bool has_levels(const struct protocol *p)
{
	for (size_t i = 0; i < p->n_scenarios; i++)
		for (size_t k = 0; k < i; k++)
			if (p->scenario[i].group == p->scenario[k].group)
				return true;
	return false;
}

static bool any_at_full_speed(const struct protocol *p)
{
	for (size_t i = 0; i < p->n_replayers; i++)
		if (!p->replayer[i].timed)
			return true;
	return false;
}

/* Pairs that decide with probability ASSURANCE, within 5 %; 0: more than REPLICATES_MOST. */
static unsigned int pairs_needed(const struct protocol *p, double scatter, double limit,
				 double level)
{
	unsigned int n = (unsigned int)p->n_replicates_max;
	for (; n <= REPLICATES_MOST; n += n / 20 + 1)
		if (chance_at(p, n, scatter, limit, level) >= ASSURANCE)
			return n;
	return 0;
}

/* The smallest limit that the planned pairs decide with probability ASSURANCE, within 2 %. */
static double limit_possible(const struct protocol *p, double scatter, double level)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	double limit = scatter / 10;
	while (limit < 100 && chance_at(p, n, scatter, limit, level) < ASSURANCE)
		limit *= 1.02;
	return limit;
}

/* Names the limit or number of replicates that suffices, if this scatter decides no bias. */
static int hopeless_explain(const struct protocol *p, double scatter, struct err *e)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	const double limit = p->accept.bias, level = chances_level(p, n);
	if (!(limit > 0) || p->allow_undecidable || !(level > 0) ||
	    chance_of_ratio(p, n, scatter, limit) >= HOPELESS)
		return 0;
	const unsigned int needed = pairs_needed(p, scatter, limit, level);
	char more[60] = "";
	if (needed)
		snprintf(more, sizeof more, "about %u replicates do, or ", needed);
	return err_set(e, EINVAL,
		       "%s: with a scatter of %.3g %%, %u replicates decide no case: %sa limit on "
		       "bias of about %.2g %% can be decided", p->path ? p->path : "protocol",
		       100 * scatter, n, more, 100 * limit_possible(p, scatter, level));
}

int chances_print(const struct protocol *p, double scatter, FILE *out, struct err *e)
{
	unsigned int n[COLUMNS_MAX];
	const size_t n_columns = columns_choose(p, n);
	fprintf(out,
		"\nChance that a faultless replayer is accepted, if ln(replay/program) scatters by "
		"%.3g %% from pair to pair:\n", 100 * scatter);
	head_print("component, limit", n, n_columns, out);
	ratio_print(p, component_names[COMPONENT_BIAS], p->accept.bias, scatter, n, n_columns, out);
	ratio_print(p, "tail (scatters twice as much)", p->accept.tail, 2 * scatter, n, n_columns,
		    out);
	ratio_print(p, component_names[COMPONENT_HALF], p->accept.half, scatter * sqrt(2), n,
		    n_columns, out);
	if (any_at_full_speed(p))
		ratio_print(p, "execution time (full speed)", p->accept.execution_time, scatter, n,
			    n_columns, out);
	ratio_print(p, component_names[COMPONENT_IN_FLIGHT], p->accept.in_flight, scatter / sqrt(2),
		    n, n_columns, out);
	if (has_levels(p))
		ratio_print(p, component_names[COMPONENT_LINEARITY], p->accept.linearity,
			    scatter * sqrt(2), n, n_columns, out);
	precision_print(p, n, n_columns, out);
	return hopeless_explain(p, scatter, e);
}

/* --- measured scatter ---------------------------------------------------- */

/* Standard deviation of the log ratios, from the interval of their mean; NaN without one. */
static double scatter_of(const struct estimate *x, size_t n)
{
	double t;
	if (x->status || !(x->df > 0) || t_quantile(0.975, x->df, &t) || !(x->lo95 > -1))
		return NAN;
	return (log1p(x->hi95) - log1p(x->lo95)) / 2 / t * sqrt((double)n);
}

static const struct cell *cell_find(const struct analysis *a, const char *scenario,
				    const char *replayer)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < a->n_cells; i++)
		if (!strcmp(p->scenario[a->cell[i].scenario].name, scenario) &&
		    !strcmp(p->replayer[a->cell[i].replayer].name, replayer))
			return &a->cell[i];
	return NULL;
}

/* Prints the judged ratios of a case. Returns the largest scatter of its bias, NaN: unknown. */
static double case_print(const struct protocol *p, const struct cell *c, const char *scenario,
			 const char *replayer, const unsigned int *n, size_t n_columns, FILE *out)
{
	fprintf(out, "%s, %s\n", scenario, replayer);
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		const double sd = scatter_of(&m->estimate, c->n_pairs);
		if (components[k]->two_sided && components[k]->unit == COMPONENT_CHANGE &&
		    m->decision <= DECISION_INCONCLUSIVE && sd > 0)
			ratio_print(p, component_names[k], m->limit, sd, n, n_columns, out);
	}
	return scatter_of(&c->bias, c->n_pairs);
}

static int measured_print(const struct protocol *p, const struct analysis *a, FILE *out,
			  struct err *e)
{
	unsigned int n[COLUMNS_MAX];
	const size_t n_columns = columns_choose(p, n);
	double least = INFINITY;
	for (size_t s = 0; s < p->n_scenarios; s++)
		for (size_t r = 0; r < p->n_replayers; r++) {
			const struct cell *c =
			    p->replayer[r].applies[s]
				? cell_find(a, p->scenario[s].name, p->replayer[r].name)
				: NULL;
			if (c)
				least =
				    fmin(least, case_print(p, c, p->scenario[s].name,
							   p->replayer[r].name, n, n_columns, out));
		}
	precision_print(p, n, n_columns, out);
	if (!isfinite(least))
		return err_set(e, ENODATA, "%s has no case of this protocol with a scatter",
			       a->results->dir);
	return hopeless_explain(p, least, e);
}

int chances_print_measured(const struct protocol *p, const char *dir, FILE *out, struct err *e)
{
	struct results r;
	struct analysis a;
	unsigned int n[COLUMNS_MAX];
	int ret = results_load(&r, dir, e);
	if (ret)
		return ret;
	ret = seal_require(&r.seal, dir, e);
	if (!ret)
		ret = analysis_compute(&a, &r, e);
	if (!ret) {
		fprintf(out,
			"\nChance that a faultless replayer is accepted, by the scatter measured "
			"in %s:\n", dir);
		head_print("component, limit", n, columns_choose(p, n), out);
		ret = measured_print(p, &a, out, e);
		analysis_release(&a);
	}
	results_release(&r);
	return ret;
}
