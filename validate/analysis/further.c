/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What would settle an inconclusive component: how many further replicates, or, where no number that anybody runs would do,
 * how much less the runs would have to scatter.
 *
 * Reckoned as if the present estimates were the truth, with an assurance of 0.8, for accepting at 0.05 or for rejecting at
 * Holm's strictest step. Source: stats/planning.h. */
#include <math.h>

#include "validate/analysis/analysis_private.h"
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

/* A mean, against a limit below and one above; `what` scatters between the replicates. */
static void plan_mean(struct component *k, const struct t_estimate *t, size_t have, double low, double high,
		      double alpha_reject, const char *what)
{
	uint64_t needed = 0;
	double sd = t->se * sqrt((double)have), most;
	bool inside = t->value > low && t->value < high;
	double distance = inside ? fmin(t->value - low, high - t->value) : fmax(low - t->value, t->value - high);
	double alpha = inside ? ALPHA_ACCEPT : alpha_reject;
	enum stat_status s = replicates_for_mean(sd, distance, alpha, ASSURANCE, &needed);
	if (further(k, s, needed, have) && !sd_for_mean(have, distance, alpha, ASSURANCE, &most))
		REASON_ADD(k, "; %s: the %s of the replicates scatter too much, with a standard deviation of %.2g %%, where %zu "
			      "replicates can do with %.2g %%",
			   no_number, what, 100 * sd, have, 100 * most);
}

static void plan_ratio(struct component *k, const struct ratio_evidence *e, double alpha_reject)
{
	if (e->status == STAT_TOO_FEW)
		further(k, STAT_OK, FEWEST, e->n);
	else if (!e->status)
		plan_mean(k, &e->t, e->n, k->limit < 1 ? log1p(-k->limit) : -INFINITY, log1p(k->limit), alpha_reject / 2,
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
		plan_mean(k, &e->t, e->n, -INFINITY, k->limit, alpha_reject, "shares");
	}
}

void components_plan(struct cell *c, const struct evidence *e, unsigned int n_tests, unsigned int until_next_look)
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
		if (k->n_more && k->n_more < until_next_look) /* nothing is decided before it */
			k->n_more = until_next_look;
	}
}
