/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components with several parts. Accepted: each part is within the limits (all are needed, so no
 * correction). Rejected: some part is outside, with its P-value times the number of parts
 * (Bonferroni). Source: Berger and Hsu (1996). */
#include "validate/components/component.h"

void decide_without(struct component *c, enum decision decision)
{
	c->decision = decision;
	c->estimate = estimate_none(decision == DECISION_NOT_APPLICABLE ? STAT_NOT_APPLICABLE
									: STAT_NOT_ASSESSED);
	c->n_reasons = 0;
}

struct bounds bounds_of(const struct component *c, bool logarithm)
{
	if (!logarithm)
		return (struct bounds){-c->limit, c->limit};
	return (struct bounds){c->limit < 1 ? log1p(-c->limit) : -INFINITY, log1p(c->limit)};
}

static double identity(double x)
{
	return x;
}

static struct estimate estimate_of_part(const struct ratio_evidence *e, double (*map)(double))
{
	if (e->status != STAT_ZERO_VARIANCE)
		return estimate_of_ratio(e, map);
	struct estimate alike = estimate_none(STAT_OK);
	alike.value = map(e->t.value);
	return alike;
}

static void parts_show(struct component *c, const struct family *f, double (*map)(double))
{
	c->part = xcalloc(f->n, sizeof *c->part);
	c->n_parts = f->n;
	for (size_t i = 0; i < f->n; i++) {
		memcpy(c->part[i].label, f->part[i].label, sizeof c->part[i].label);
		c->part[i].estimate = estimate_of_part(&f->part[i].value, map);
	}
}

/* Describes the deciding part: its value and the deciding interval. */
static void say_part(struct component *c, const struct family_part *part, const char *label,
		     const struct bounds *b, const struct levels *levels, bool logarithm)
{
	const struct ratio_evidence *e = &part->value;
	bool beyond = false, reject = c->decision == DECISION_REJECT;
	double (*const map)(double) = logarithm ? expm1 : identity;
	double error = reject ? levels->accept : 2 * levels->accept, lo, hi;
	c->n_reasons = 0;
	if (logarithm) {
		component_add_reason(c, REASON_PART_CHANGE, label,
				     (const double[REASON_NUMBERS + 1]){0, map(e->t.value)});
	} else {
		REASON_ADD(c, SHARES_RESPONSE, part->share,
			   fmax(0, fmin(1, part->share + e->t.value)),
			   part->relative_response);
		REASON_ADD(c, PART_NUMBER, e->t.value);
	}
	if (!e->status && ratio_limits(e, levels->accept, true, &lo, &hi)) {
		c->accept_lo = lo;
		c->accept_hi = hi;
		if (reject && !ratio_limits(e, error / 2, levels->cautious, &lo, &hi))
			return;
		c->accept_lo = map(c->accept_lo);
		c->accept_hi = map(c->accept_hi);
		beyond = lo > b->high || hi < b->low;
		if (logarithm)
			REASON_ADD(c, CHANGE_INTERVAL, error, expm1(lo), expm1(hi));
		else
			REASON_ADD(c, NUMBER_INTERVAL, error, lo, hi);
	}
	if (logarithm)
		REASON_ADD(c, CHANGE_LIMITS, c->decision, c->limit);
	else
		REASON_ADD(c, NUMBER_LIMITS, c->decision, c->limit);
	decide_only_interval(c, beyond, levels);
}

static void decide_family(struct component *c, const struct family *f, const struct levels *levels,
			  bool logarithm)
{
	double p_accept = 0, p_reject = 1, p_alone = 0, most = -1;
	size_t worst = 0, hardest = 0;
	double (*const map)(double) = logarithm ? expm1 : identity;
	if (f->status) {
		c->estimate = estimate_none(f->status);
		decide_nothing(c, f->status);
		return;
	}
	parts_show(c, f, map);
	for (size_t i = 0; i < f->n; i++)
		if (fabs(f->part[i].value.t.value) > most) {
			most = fabs(f->part[i].value.t.value);
			worst = i;
		}
	c->estimate = estimate_of_part(&f->part[worst].value, map);
	if (decide_is_settled(c, STAT_OK, levels))
		return;
	const struct bounds b = bounds_of(c, logarithm);
	for (size_t i = 0; i < f->n; i++) {
		struct mean_p p = ratio_p(&f->part[i].value, b.low, b.high, levels);
		hardest = p.accept > p_accept ? i : hardest;
		p_accept = fmax(p_accept, p.accept);
		p_alone = fmax(p_alone, p.accept_alone);
		worst = p.reject < p_reject ? i : worst;
		p_reject = fmin(p_reject, p.reject);
	}
	decide_component(c, p_accept, p_reject * (double)f->n, levels);
	const size_t deciding = c->decision == DECISION_REJECT ? worst : hardest;
	const struct ratio_evidence *e = &f->part[deciding].value;
	c->estimate = estimate_of_part(e, map);
	say_part(c, &f->part[deciding], c->part[deciding].label, &b, levels, logarithm);
	if (!e->status) {
		decide_dependence(c, &e->serial, e->n, p_alone, levels);
		decide_recordings(c, e);
	}
}

static void plan_family(struct component *c, const struct family *f, bool logarithm,
			const struct planning *p)
{
	const struct bounds b = bounds_of(c, logarithm);
	SCOPED_FREE struct plan_mean *mean = xcalloc(f->n + 1, sizeof *mean);
	size_t n = 0;
	if (f->status == STAT_TOO_FEW)
		plan_further(c, STAT_OK, PLAN_FEWEST, f->n ? f->part[0].value.n : 0);
	for (size_t i = 0; !f->status && i < f->n; i++) {
		const struct ratio_evidence *v = &f->part[i].value;
		if (!v->status)
			mean[n++] = (struct plan_mean){&v->t, &v->serial, v->n, b.low, b.high,
						       2 * (double)f->n, true,
						       &v->recordings};
	}
	plan_means(c, p, mean, n);
}

void decide_parts(struct component *c, const struct deciding *d)
{
	const struct component_row *row = components[c->kind];
	const struct family *f = &d->e->family[c->kind];
	if (f->status == STAT_NOT_APPLICABLE) {
		decide_without(c, DECISION_NOT_APPLICABLE);
		REASON(c, INAPPLICABLE);
	} else if (f->status == STAT_NOT_ASSESSED || (!f->status && !f->n)) {
		decide_without(c, DECISION_NOT_ASSESSED);
		REASON(c, ABSENT);
	} else {
		decide_family(c, f, d->levels, row->words.logarithm);
	}
}

void plan_parts(struct component *c, const struct planning *p)
{
	plan_family(c, &p->e->family[c->kind], components[c->kind]->words.logarithm, p);
}
