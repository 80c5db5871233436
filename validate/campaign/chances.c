/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/chances.h"

#include "validate/campaign/expected.h"
#include "validate/components/component.h"
#include "validate/stats/distributions.h"
#include "validate/stats/generator.h"
#include "validate/stats/planning.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/multiplicity.h"

#define ALPHA 0.05
#define REPLICATES_MOST 2000
/* number of pairs that permuted labels and dependence cost, and the chance with one more pair, for
 * which the F limits are undefined; from simulations (chances.h) */
#define PRECISION_PAIRS 5
#define PRECISION_FIRST 0.09
#define DRAWS 300	/* number of draws of the dependence that a campaign may show */
/* number of consecutive sorted draws for which the chance is computed once */
#define GROUP 6

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

/* Smallest number of cases of a replayer, because dependence is estimated over all of its cases. */
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

/* Draws V, the inflation that a campaign with n_cases cases may allow for with n independent pairs.
 * r_1 of independent values has mean -1/n and variance (n-2)^2/(n^2 (n-1)) (Moran 1948). */
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

/* Probability that the interval that is widened by `inflation` (stats/serial.h) accepts n
 * independent values. */
static double chance_widened(unsigned int n, double inflation, double sd, double limit,
			     double level)
{
	const double low = limit < 1 ? log1p(-limit) : -INFINITY, of_all = n;
	const double n_effective = of_all / fmin(of_all, inflation);
	double t, power;
	if (n_effective < 2 || t_quantile(1 - level, fmax(1, n_effective - 1), &t))
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
	double inflation[DRAWS], sum = 0, chance = 0;
	if (!can_accept(n, level))
		return 0;
	generator_seed(&g, 1, 0);
	for (int i = 0; i < DRAWS; i++)
		inflation[i] = inflation_draw(&g, n, n_cases, n_recordings);
	doubles_sort(inflation, DRAWS);
	/* the chance falls as the inflation rises: the middle draw represents its group */
	for (int i = GROUP / 2; i < DRAWS; i += GROUP) {
		if (i < GROUP || inflation[i] > inflation[i - GROUP])
			chance = chance_widened(n, inflation[i], sd, limit, level);
		sum += chance;
	}
	return sum * GROUP / DRAWS;
}

double chance_of_ratio(const struct protocol *p, unsigned int n, double sd, double limit)
{
	return chance_at(p, n, sd, limit, chances_level(p, n));
}

double chance_of_precision(const struct protocol *p, unsigned int n, double limit)
{
	const double level = chances_level(p, n);
	double power;
	if (n == PRECISION_PAIRS + 1 && can_accept(n, level))
		return PRECISION_FIRST;
	if (n <= PRECISION_PAIRS || !can_accept(n, level) ||
	    power_precision_accept(n - PRECISION_PAIRS, limit, level, &power))
		return 0;
	return power;
}

/* --- cases --------------------------------------------------------------- */

size_t chances_columns(const struct protocol *p, unsigned int n[CHANCE_COLUMNS_MAX])
{
	static const unsigned int between[] = {10, 14, 20, 28, 40};
	size_t m = 0;
	if (!p->budget_ns) {
		for (unsigned int k = 0; k < p->n_looks && m < CHANCE_COLUMNS_MAX; k++)
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

/* --- rows: the components of a case with a known scatter ------------------ */

static void rows_add(struct chance_rows *rows, enum component_kind kind, double limit, double sd)
{
	if (limit > (kind == COMPONENT_PRECISION ? 1 : 0))
		rows->row[rows->n++] = (struct chance_row){kind, limit, sd};
}

static bool is_slowed(const struct protocol *p)
{
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (protocol_slows(p, p->scenario[i].target))
			return true;
	return false;
}

static bool is_in_effect(const struct protocol *p, enum component_kind kind)
{
	return kind == COMPONENT_EXECUTION_TIME   ? any_at_full_speed(p)
	       : kind == COMPONENT_LINEARITY      ? has_levels(p)
	       : kind == COMPONENT_RESPONSIVENESS ? is_slowed(p)
	       : kind == COMPONENT_PRECISION      ? p->reference == REFERENCE_RERUN
						  : true;
}

void chance_rows_assume(struct chance_rows *rows, const struct protocol *p, double scatter)
{
	rows->n = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		if ((components[k]->scatter > 0 || k == COMPONENT_PRECISION) && is_in_effect(p, k))
			rows_add(rows, k, accept_limit_of(&p->accept, k, false),
				 components[k]->scatter * scatter);
}

/* Chance of a row. Two blocks give one value of the responsiveness. Their order is random, so its
 * interval is not widened. */
double chance_of_row(const struct protocol *p, const struct chance_row *r, unsigned int n)
{
	if (r->kind == COMPONENT_PRECISION)
		return chance_of_precision(p, n, r->limit);
	if (r->kind == COMPONENT_RESPONSIVENESS)
		return chance_widened(n / 2, 1, r->sd, r->limit, chances_level(p, n));
	return chance_of_ratio(p, n, r->sd, r->limit);
}

double chance_of_rows(const struct protocol *p, const struct chance_rows *rows, unsigned int n)
{
	double all = 1;
	for (size_t i = 0; i < rows->n; i++)
		all *= chance_of_row(p, &rows->row[i], n);
	return all;
}

unsigned int chance_pairs_needed(const struct protocol *p, const struct chance_row *r)
{
	struct protocol longer = *p;
	unsigned int n = (unsigned int)p->n_replicates_max;
	for (; n <= REPLICATES_MOST; n += n / 20 + 1) {
		longer.n_replicates_max = longer.look[longer.n_looks ? longer.n_looks - 1 : 0] = n;
		if (chance_of_row(&longer, r, n) >= CHANCE_ASSURANCE)
			return n;
	}
	return 0;
}

unsigned int chance_pairs_of_rows(const struct protocol *p, const struct chance_rows *rows)
{
	unsigned int most = (unsigned int)p->n_replicates_max;
	for (size_t i = 0; i < rows->n && most; i++) {
		const unsigned int n = chance_pairs_needed(p, &rows->row[i]);
		most = !n || n > most ? n : most;
	}
	return most;
}

double chance_limit_possible(const struct protocol *p, const struct chance_row *r)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	struct chance_row wider = *r;
	while (wider.limit < 100 && chance_of_row(p, &wider, n) < CHANCE_ASSURANCE)
		wider.limit *= 1.02;
	return wider.limit < 100 ? wider.limit : INFINITY;
}

static const char *path_of(const struct protocol *p)
{
	return p->path ? p->path : "protocol";
}

/* --- comparison of two versions ------------------------------------------ */

#define CHANGE_ALPHA 0.01 /* error of the whole comparison (validate/compare) */

double change_found(const struct protocol *p, unsigned int n, double sd, double limit,
		    size_t n_tests)
{
	const double level = chances_level(p, n), each = CHANGE_ALPHA / 2 / (double)n_tests;
	const double exists =
	    p->budget_ns ? sequential_level(each, log((double)p->n_replicates_max /
						      (double)p->n_replicates_min))
			 : each;
	struct generator g;
	double inflation = 0, t_limit, t_exists, t_found;
	if (!can_accept(n, level))
		return NAN;
	generator_seed(&g, 1, 0);
	for (int i = 0; i < DRAWS; i++)
		inflation += inflation_draw(&g, n, cases_fewest(p), 0) / DRAWS;
	const double df = fmax(1, (double)n / inflation - 1), se = sd * sqrt(inflation / n);
	if (t_quantile(1 - level, df, &t_limit) || t_quantile(1 - exists, df, &t_exists) ||
	    t_quantile(CHANCE_ASSURANCE, df, &t_found))
		return NAN;
	return expm1(fmax(log1p(limit) + (t_limit + t_found) * se, (t_exists + t_found) * se));
}

int chances_check(const struct protocol *p, struct err *e)
{
	const unsigned int n = (unsigned int)p->n_replicates_max;
	const double level = chances_level(p, n), limit = p->accept.precision_ratio;
	const struct chance_row precision = {COMPONENT_PRECISION, limit, NAN};
	const bool with_precision = limit > 1 && is_in_effect(p, COMPONENT_PRECISION);
	unsigned int fewest = chances_fewest(level > 0 ? level : ALPHA);
	if (with_precision && fewest <= PRECISION_PAIRS)
		fewest = PRECISION_PAIRS + 1;
	if (p->allow_undecidable)
		return 0;
	if (!can_accept(n, level))
		return err_set(e, EINVAL, "%s: %u replicates cannot lead to a decision: their "
					  "smallest possible P-value is %.2g, but acceptance needs "
					  "at most %.2g; use replicates = %u or more (20 usually "
					  "suffice), or allow-undecidable = yes for numbers "
					  "without verdicts",
			path_of(p), n, ldexp(1, -(int)n), level, fewest);
	if (!with_precision || chance_of_row(p, &precision, n) >= CHANCE_HOPELESS)
		return expected_budget_check(p, e);
	const unsigned int needed = chance_pairs_needed(p, &precision);
	SCOPED_FREE char *use =
	    needed ? xasprintf("replicates = %u (then precision is accepted in %.0f %% of "
			       "faultless cases)", needed, 100 * CHANCE_ASSURANCE)
		   : xstrdup("a larger precision-ratio");
	return err_set(e, EINVAL, "%s: with %u replicates, precision is almost never accepted: "
		"use %s, precision-ratio = none, or allow-undecidable = yes for numbers without "
		"verdicts",
		path_of(p), n, use);
}

/* --- measured scatter ---------------------------------------------------- */

/* Returns the standard deviation of the log ratios, computed from the interval of their mean; NaN
 * if there is none. */
static double scatter_of(const struct estimate *x, double n)
{
	double t;
	if (x->status || !(x->df > 0) || t_quantile(0.975, x->df, &t) || !(x->lo95 > -1))
		return NAN;
	return (log1p(x->hi95) - log1p(x->lo95)) / 2 / t * sqrt(n);
}

const struct cell *chance_cell_find(const struct analysis *a, const char *scenario,
				    const char *replayer)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < a->n_cells; i++)
		if (!strcmp(p->scenario[a->cell[i].scenario].name, scenario) &&
		    !strcmp(p->replayer[a->cell[i].replayer].name, replayer))
			return &a->cell[i];
	return NULL;
}

void chance_rows_measure(struct chance_rows *rows, const struct protocol *p, const struct cell *c)
{
	const bool timed = p->replayer[c->replayer].timed;
	rows->n = 0;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component *m = &c->component[k];
		const double n = k == COMPONENT_RESPONSIVENESS ? c->n_pairs / 2.0 : c->n_pairs,
			     sd = scatter_of(&m->estimate, n);
		const bool ratio = components[k]->two_sided &&
				   components[k]->unit == COMPONENT_CHANGE && sd > 0;
		if ((ratio || k == COMPONENT_PRECISION) && is_in_effect(p, k) &&
		    m->decision <= DECISION_INCONCLUSIVE)
			rows_add(rows, k, accept_limit_of(&p->accept, k, timed), sd);
	}
}
