/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linearity of a cell: whether the relative bias is the same from the lowest level of its group up
 * to its own level.
 *
 * y_j is the mean of ln(x/r) at level l_j, j = 1..m (m: the cell's level). With the least-squares
 * line through these means, two kinds of linear contrasts sum w_j y_j are judged. Their variance is
 * sum w_j^2 u_j^2 with Welch-Satterthwaite degrees of freedom, so the scatter may differ between
 * levels. Change: the rise of the line from l_1 to l_m, b (l_m - l_1). Lack of fit, with at least
 * three levels: each y_j minus the line. Accepted: every contrast is inside the limits (two
 * one-sided tests; all are needed, so no correction). Rejected: some contrast is outside, with the
 * P-value times their number (Bonferroni). Higher levels do not count: a replayer may be linear up
 * to a level, and it stays trusted below that level. The lowest level has no comparison. Source:
 * ISO 5725 and the method-validation literature for the linear range; Welch (1947). */
#include "common/sort.h"
#include "validate/components/component.h"

struct level {
	double at;
	const struct ratio_evidence *bias;
};

enum { ALONE, WIDE }; /* t-estimates of a level */

ORDER_BY(level_compare, struct level, at)

/* Finds the levels of the cell's group and replayer up to its own level, ascending; returns their
 * number. */
static size_t levels_below(struct level *out, const struct analysis *a, const struct evidence *e,
			   size_t cell)
{
	const struct protocol *p = &a->results->protocol;
	const struct scenario *own = &p->scenario[a->cell[cell].scenario];
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct scenario *s = &p->scenario[a->cell[i].scenario];
		if (a->cell[i].replayer == a->cell[cell].replayer && s->group == own->group &&
		    (s->level < own->level || i == cell))
			out[n++] = (struct level){(double)s->level, &e[i].bias};
	}
	qsort(out, n, sizeof *out, level_compare);
	return n;
}

static struct t_estimate contrast_make(const struct level *l, const double *w, size_t n, int which)
{
	struct t_estimate t = {0};
	double variance = 0, below = 0;
	for (size_t i = 0; i < n; i++) {
		const struct t_estimate *level = which == WIDE ? &l[i].bias->wide : &l[i].bias->t;
		double u2 = w[i] * w[i] * level->se * level->se;
		t.value += w[i] * level->value;
		variance += u2;
		below += u2 * u2 / level->df;
	}
	t.se = sqrt(variance);
	t.df = below > 0 ? variance * variance / below : 1;
	return t;
}

static void contrast_add(struct linearity_evidence *e, const struct level *l, const double *w,
			 size_t n, double level)
{
	e->contrast[e->n_contrasts] = contrast_make(l, w, n, ALONE);
	e->wide[e->n_contrasts] = contrast_make(l, w, n, WIDE);
	e->level[e->n_contrasts++] = (uint64_t)level;
}

static void contrasts_make(struct linearity_evidence *e, const struct level *l, size_t n)
{
	double *w = xcalloc(n, sizeof *w), mean = 0, sxx = 0;
	for (size_t i = 0; i < n; i++)
		mean += l[i].at / (double)n;
	for (size_t i = 0; i < n; i++)
		sxx += (l[i].at - mean) * (l[i].at - mean);
	for (size_t i = 0; i < n; i++)
		w[i] = (l[i].at - mean) / sxx * (l[n - 1].at - l[0].at);
	contrast_add(e, l, w, n, l[n - 1].at);
	for (size_t j = 0; n > 2 && j < n; j++) {
		for (size_t i = 0; i < n; i++)
			w[i] = (i == j) - 1 / (double)n - (l[j].at - mean) * (l[i].at - mean) / sxx;
		contrast_add(e, l, w, n, l[j].at);
	}
	free(w);
}

static void measure_contrasts(struct linearity_evidence *out, const struct analysis *a,
			      const struct evidence *e, size_t cell)
{
	SCOPED_FREE struct level *l = xcalloc(a->n_cells, sizeof *l);
	size_t n = levels_below(l, a, e, cell);
	*out = (struct linearity_evidence){.n_levels = n,
					   .status = n < 2 ? STAT_NOT_APPLICABLE : STAT_OK};
	for (size_t i = 0; i < n && n > 1; i++) {
		if (!out->status)
			out->status = l[i].bias->status;
		/* equal levels give no line */
		if (i > 0 && !(l[i].at > l[i - 1].at))
			out->status = STAT_NOT_APPLICABLE;
		if (i == 0 || l[i].bias->serial.inflation > out->serial.inflation) {
			out->serial = l[i].bias->serial;
			out->n_serial = l[i].bias->n;
		}
		out->n = i == 0 || l[i].bias->n < out->n ? l[i].bias->n : out->n;
	}
	if (!out->status && n >= CONTRASTS_MAX)
		out->status = STAT_OUT_OF_RANGE;
	if (!out->status)
		contrasts_make(out, l, n);
}

static void decide_linearity(struct component *c, const struct deciding *d)
{
	const struct linearity_evidence *e = &d->e->linearity;
	const struct levels *levels = d->levels;
	double p_accept = 0, p_reject = 1, p_alone = 0, low = log1p(-c->limit),
	       high = log1p(c->limit), lo, hi;
	size_t worst = 0;
	if (e->status == STAT_NOT_APPLICABLE) {
		c->decision = DECISION_NOT_APPLICABLE;
		REASON(c, LOWEST_LEVEL);
		return;
	}
	if (e->status) {
		decide_nothing(c, e->status);
		return;
	}
	c->estimate = estimate_of_t(STAT_OK, &e->contrast[0], expm1);
	if (decide_is_settled(c, STAT_OK, levels))
		return;
	for (size_t i = 0; i < e->n_contrasts; i++) {
		struct mean_p p = decide_mean_p(&e->contrast[i], &e->wide[i], e->n, low, high, true,
						levels->span);
		p_accept = fmax(p_accept, p.accept);
		p_alone = fmax(p_alone, p.accept_alone);
		p_reject = fmin(p_reject, p.reject);
		if (fabs(e->contrast[i].value) > fabs(e->contrast[worst].value))
			worst = i;
	}
	decide_component(c, p_accept, p_reject * (double)e->n_contrasts, levels);
	const struct t_estimate *t = &e->contrast[worst];
	if (worst) {
		c->estimate = estimate_of_t(STAT_OK, t, expm1);
		REASON(c, OFF_LINE, (double)e->level[worst], expm1(t->value), (double)e->n_levels);
	} else {
		REASON(c, RISE, expm1(t->value));
	}
	if (c->decision != DECISION_REJECT)
		t = &e->wide[worst];
	if (!t_interval(&e->wide[worst], 1 - 2 * levels->accept, &lo, &hi)) {
		c->accept_lo = expm1(lo);
		c->accept_hi = expm1(hi);
	}
	if (!t_interval(t, 1 - 2 * levels->accept, &lo, &hi))
		REASON_ADD(c, CHANGE_INTERVAL, 2 * levels->accept, expm1(lo), expm1(hi));
	REASON_ADD(c, CHANGE_LIMITS, c->decision, c->limit);
	decide_dependence(c, &e->serial, e->n_serial, p_alone, levels);
}

static void measure_across(const struct analysis *a, struct evidence *e)
{
	for (size_t i = 0; i < a->n_cells; i++)
		measure_contrasts(&e[i].linearity, a, e, i);
}

static void plan_linearity(struct component *k, const struct planning *p)
{
	const struct linearity_evidence *e = &p->e->linearity;
	struct plan_mean mean[CONTRASTS_MAX];
	size_t n = 0;
	if (e->status == STAT_TOO_FEW)
		plan_further(k, STAT_OK, PLAN_FEWEST, e->n);
	for (size_t i = 0; !e->status && i < e->n_contrasts; i++)
		mean[n++] = (struct plan_mean){&e->contrast[i], &e->serial, e->n,
			log1p(-k->limit), log1p(k->limit), 2 * (double)e->n_contrasts, false, NULL};
	plan_means(k, p, mean, n);
}

const struct component_row component_linearity = {
	.title = "Linearity", .shown = "change of the bias",
	.meaning = "Change of the bias with the load level, up to the scenario's level. Parts: the "
		   "rise of a straight line through the biases, and each bias's distance from it.",
	.rule = "Two-sided, each part. Not applicable to the lowest level.",
	.source = "Pereira et al. 2016, section IV-A3; VIM 4.11 and 4.12",
	.unit = COMPONENT_CHANGE, .two_sided = true,
	.scatter = M_SQRT2,
	.relative = true, .measure_across = measure_across, .decide = decide_linearity,
	.plan = plan_linearity,
};
