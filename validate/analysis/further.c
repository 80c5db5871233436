/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What would settle an inconclusive component: how many further replicates, or, where no number that anybody runs would do,
 * how much less the runs would have to scatter.
 *
 * Reckoned as if the present estimates were the truth, with an assurance of 0.8, for accepting at 0.05 or for rejecting at
 * Holm's strictest step. Source: stats/planning.h. */
#include <math.h>

#include "validate/analysis/analysis_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/planning.h"

#define ASSURANCE 0.8
#define ALPHA_ACCEPT 0.05
#define ALPHA_REJECT 0.01

/* The first of the looks that a protocol may plan; of fewer replicates nothing is said. */
#define FEWEST 10
/* More than so many, or so many times as many as there are, is no advice. */
#define MOST_FURTHER 1000
#define MOST_TIMES 10
#define FEWEST_TO_MULTIPLY 20

#define REASON_ADD(k, ...) phrase_add((k)->reason, sizeof(k)->reason, __VA_ARGS__)

/* `needed` is the total; returns whether the reader must be told something else. */
static bool further(struct component *k, enum stat_status s, uint64_t needed, size_t have)
{
	k->n_more = s ? 0 : needed > have ? needed - have : 1;
	size_t base = have > FEWEST_TO_MULTIPLY ? have : FEWEST_TO_MULTIPLY;
	k->impractical = s == STAT_UNBOUNDED || (!s && (k->n_more > MOST_FURTHER || needed > MOST_TIMES * base));
	return k->impractical;
}

static const char no_number[] = "no practical number of replicates settles it on this machine at this limit";

/* The smallest number of replicates that are worth `independent` ones. `among`: the autocorrelation is met again without what so
 * few replicates may have hidden; else its coefficient stays. */
static uint64_t as_dependent(const struct serial *s, size_t have, uint64_t independent, bool among)
{
	uint64_t below = independent > 1 ? independent - 1 : 1, n = independent;
	if (isnan(s->lag1))
		return independent;
	while (n < PLANNING_MAX_N && n - below > 0) {
		double rho = among ? serial_rho_among(s->lag1, (double)have, (double)n) : s->rho;
		if ((double)n / serial_inflation(rho, (double)n) >= (double)independent)
			break;
		below = n;
		n += n / 64 + 1;
	}
	return n;
}

/* A mean, against a limit below and one above; `what` scatters between the replicates. */
static void plan_mean(struct component *k, const struct t_estimate *t, const struct serial *serial, size_t have, double low,
		      double high, double alpha_reject, const char *what)
{
	uint64_t needed = 0, worth = have;
	double sd = t->se * sqrt((double)have), most;
	bool inside = t->value > low && t->value < high;
	double distance = inside ? fmin(t->value - low, high - t->value) : fmax(low - t->value, t->value - high);
	double alpha = inside ? ALPHA_ACCEPT : alpha_reject;
	if (inside && !isnan(serial->lag1)) { /* accepting allows for dependence */
		struct serial apart = *serial;
		apart.inflation = serial_inflation(serial_rho_among(serial->lag1, (double)have, INFINITY), (double)have);
		apart.n_effective = (double)have / apart.inflation;
		sd = serial_widen(t, have, &apart).se * sqrt(apart.n_effective);
		worth = (uint64_t)fmax(2, serial->n_effective);
	}
	enum stat_status s = replicates_for_mean(sd, distance, alpha, ASSURANCE, &needed);
	if (!s && inside) {
		needed = as_dependent(serial, have, needed, true);
		s = needed < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED;
	}
	if (further(k, s, needed, have) && !sd_for_mean(worth, distance, alpha, ASSURANCE, &most))
		REASON_ADD(k, "; %s: the %s of the replicates scatter too much, with a standard deviation of %.2g %%, where %zu "
			      "replicates can do with %.2g %%",
			   no_number, what, 100 * sd, have, 100 * most);
}

static void plan_ratio(struct component *k, const struct ratio_evidence *e, double alpha_reject)
{
	if (e->status == STAT_TOO_FEW)
		further(k, STAT_OK, FEWEST, e->n);
	else if (e->status == STAT_ZERO_VARIANCE && e->t.value != 0)
		further(k, STAT_OK, (uint64_t)ceil(1 - log2(alpha_reject)), e->n); /* pairs that agree until P is small enough */
	else if (!e->status)
		plan_mean(k, &e->t, &e->serial, e->n, k->limit < 1 ? log1p(-k->limit) : -INFINITY, log1p(k->limit), alpha_reject / 2,
			  "ratios");
}

static void plan_precision(struct component *k, const struct evidence *e, double alpha_reject)
{
	const struct pitman_morgan *pm = &e->precision;
	uint64_t needed = 0;
	double below, above;
	if (e->precision_status == STAT_TOO_FEW) { /* nothing is known: as for a replayer as precise as the program */
		if (!replicates_for_precision(1, 0, k->limit, ALPHA_ACCEPT, ASSURANCE, &needed))
			further(k, STAT_OK, needed, e->bias.n);
		return;
	}
	if (e->precision_status)
		return;
	double alpha = pm->ratio < k->limit ? ALPHA_ACCEPT : alpha_reject;
	enum stat_status s =
	    replicates_for_precision(pm->ratio, pm->correlation, k->limit, alpha, ASSURANCE, &needed);
	uint64_t least = (uint64_t)ceil(-log2(alpha)); /* below, no permutation is as rare */
	needed = needed < least ? least : needed;
	if (!s && alpha >= ALPHA_ACCEPT)
		needed = as_dependent(&e->precision_serial, pm->n, needed, false);
	if (further(k, s, needed, pm->n) &&
	    !ratio_for_precision(pm->n, pm->correlation, k->limit, alpha, ASSURANCE, &below, &above))
		REASON_ADD(k, "; %s: the ratio is too near it, %zu replicates can do with one of %s %.3g", no_number, pm->n,
			   pm->ratio < k->limit ? "at most" : "at least", pm->ratio < k->limit ? below : above);
}

static void plan_share(struct component *k, const struct share_evidence *e, double alpha_reject)
{
	if (e->status == STAT_TOO_FEW) {
		further(k, STAT_OK, FEWEST, e->n);
	} else if (e->status == STAT_ZERO_VARIANCE && e->k == 0 && e->of > 0 && k->limit < 1) {
		/* none of so few requests: (1 - limit)^requests must come down to the level */
		double runs = ceil(log(ALPHA_ACCEPT) / log1p(-k->limit) / (e->of / (double)e->n));
		further(k, runs < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED, runs < PLANNING_MAX_N ? (uint64_t)runs : 0, e->n);
	} else if (!e->status) {
		plan_mean(k, &e->t, &e->serial, e->n, -INFINITY, k->limit, alpha_reject, "shares");
	}
}

/* U: its limits as they would be with n replicates, the standard deviation that there is taken for the truth; an estimate
 * that falls as far to the wrong side as the assurance says must clear the limit. */
static bool spread_clears(double ratio, double nu, double alpha, bool inside)
{
	double chance, level;
	if (chi2_quantile(inside ? ASSURANCE : 1 - ASSURANCE, nu, &chance) ||
	    chi2_quantile(inside ? alpha : 1 - alpha, nu, &level) || !(level > 0))
		return false;
	double bound = ratio * sqrt(chance / level);
	return inside ? bound <= 1 : bound > 1;
}

/* Degrees of freedom of U's upper limit with n replicates; what tails may hide grows with the root of their number. */
static double nu_then(const struct budget *b, double have, double n, bool inside)
{
	double nu = (inside ? b->nu_spread_upper : b->nu_spread) * (n - 1) / (have - 1);
	return fmax(1, inside ? fmin(nu, spread_df_most(n)) : nu);
}

static void plan_uncertainty(struct component *k, const struct cell *c, double alpha_reject)
{
	const struct budget *b = &c->budget;
	double have = (double)c->x.n, ratio = 1.96 * b->u_c / k->limit;
	if (b->status == STAT_TOO_FEW)
		further(k, STAT_OK, FEWEST, c->x.n);
	if (b->status || have < 2)
		return;
	bool inside = ratio < 1;
	uint64_t below = 1, n = 2; /* what does not clear it, and what does: doubled, then halved between */
	double alpha = inside ? ALPHA_ACCEPT : alpha_reject;
	while (n < PLANNING_MAX_N && !spread_clears(ratio, nu_then(b, have, (double)n, inside), alpha, inside)) {
		below = n;
		n *= 2;
	}
	while (n < PLANNING_MAX_N && n - below > 1) {
		uint64_t middle = below + (n - below) / 2;
		if (spread_clears(ratio, nu_then(b, have, (double)middle, inside), alpha, inside))
			n = middle;
		else
			below = middle;
	}
	if (further(k, n < PLANNING_MAX_N ? STAT_OK : STAT_UNBOUNDED, n, c->x.n))
		REASON_ADD(k, "; %s", no_number);
	/* beyond the limit, but so is the program: no number of replicates makes the machine quieter */
	if (!inside && 1.96 * b->u_c_program / k->limit > 1 && !k->impractical) {
		k->impractical = true;
		k->n_more = 0;
		REASON_ADD(k, "; %s", no_number);
	}
}

/* The level that is the farthest off. */
static void plan_distance(struct component *k, const struct distance_evidence *e, int by, double alpha_reject)
{
	const struct t_estimate *t = NULL;
	if (e->status == STAT_TOO_FEW)
		further(k, STAT_OK, FEWEST, e->n);
	size_t from = by == CONCURRENCY_BY_REQUEST ? e->n_by_time : 0, to = by == CONCURRENCY_BY_TIME ? e->n_by_time : e->n_levels;
	for (size_t i = from; !e->status && i < to; i++)
		if (!t || fabs(e->t[i].value) + 2 * e->t[i].se > fabs(t->value) + 2 * t->se)
			t = &e->t[i];
	if (t && t->se > 0)
		plan_mean(k, t, &e->serial[t - e->t], e->n, -k->limit, k->limit, alpha_reject / 2 / (double)(to - from), "distributions");
}

static void plan_linearity(struct component *k, const struct linearity_evidence *e, double alpha_reject)
{
	const struct t_estimate *t = &e->contrast[0];
	if (e->status == STAT_TOO_FEW)
		further(k, STAT_OK, FEWEST, e->n);
	if (e->status)
		return;
	for (size_t i = 1; i < e->n_contrasts; i++)
		if (fabs(e->contrast[i].value) + 2 * e->contrast[i].se > fabs(t->value) + 2 * t->se)
			t = &e->contrast[i];
	plan_mean(k, t, &e->serial, e->n, log1p(-k->limit), log1p(k->limit), alpha_reject / 2 / (double)e->n_contrasts, "ratios");
}

/* In units of the limit, so that the scatter is told as a share of it. */
static void plan_issue_error(struct component *k, const struct mean_evidence *e, double alpha_reject)
{
	struct t_estimate t = e->t;
	t.value /= k->limit;
	t.se /= k->limit;
	plan_mean(k, &t, &e->serial, e->n, -INFINITY, 1, alpha_reject, "99th percentiles");
}

void components_plan(struct cell *c, const struct evidence *e, int by, unsigned int n_tests, unsigned int until_next_look)
{
	double alpha_reject = ALPHA_REJECT / fmax(1, n_tests);
	for (int i = 0; i < COMPONENT_N; i++) {
		struct component *k = &c->component[i];
		if (k->decision != DECISION_INCONCLUSIVE)
			continue;
		if (i == COMPONENT_BIAS)
			plan_ratio(k, &e->bias, alpha_reject);
		else if (i == COMPONENT_PRECISION)
			plan_precision(k, e, alpha_reject);
		else if (i == COMPONENT_EXECUTION_TIME)
			plan_ratio(k, &e->time, alpha_reject);
		else if (i == COMPONENT_REORDERING)
			plan_share(k, &e->reordered, alpha_reject);
		else if (i == COMPONENT_SHARE_LATE)
			plan_share(k, &e->late, alpha_reject);
		else if (i == COMPONENT_UNCERTAINTY)
			plan_uncertainty(k, c, alpha_reject);
		else if (i == COMPONENT_CONCURRENCY)
			plan_distance(k, &e->distance, by, alpha_reject);
		else if (i == COMPONENT_LINEARITY)
			plan_linearity(k, &e->linearity, alpha_reject);
		else if (i == COMPONENT_IN_FLIGHT)
			plan_ratio(k, &e->in_flight, alpha_reject);
		else if (i == COMPONENT_IN_FLIGHT_MAX)
			plan_ratio(k, &e->in_flight_max, alpha_reject);
		else if (i == COMPONENT_ISSUE_ERROR && !e->issue_error.status)
			plan_issue_error(k, &e->issue_error, alpha_reject);
		if (k->n_more && k->n_more < until_next_look) /* nothing is decided before it */
			k->n_more = until_next_look;
	}
}
