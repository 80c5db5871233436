/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/blank.h"

#include "validate/stats/conformity.h"
#include "validate/components/component.h"

static bool has_blank(const struct run *run, const struct cell *c, unsigned int n_blocks)
{
	return run->has_blank && run->state == RUN_OK && run->role >= 0 &&
	       (size_t)run->role == c->replayer && run->block > 0 && run->block <= n_blocks;
}

void blank_measure(struct cell *c, const struct results *r, unsigned int n_blocks)
{
	struct blank *b = &c->blank;
	struct sample_moments m = {0};
	*b = (struct blank){
	    .status = STAT_NOT_ASSESSED, .mean_ns = NAN, .sd_ns = NAN, .loq_ns = NAN};
	SCOPED_FREE double *x = NULL;
	size_t cap = 0;
	for (const struct run *run = NULL; (run = run_of_scenario(r, c->scenario, run));) {
		if (!has_blank(run, c, n_blocks))
			continue;
		APPEND(x, b->n, cap, run->blank_mean_ns);
	}
	if (b->n) {
		b->status = sample_moments(x, b->n, &m);
		b->mean_ns = b->status ? NAN : m.mean;
		b->status = b->status ? b->status : limit_of_quantification(x, b->n, &b->loq_ns);
	}
	if (b->n && !b->status) {
		b->sd_ns = m.sd;
		b->below = !c->r.status && c->r.mean < b->loq_ns;
	}
}

void blank_refuse(struct cell *c, struct evidence *e)
{
	if (!c->blank.below)
		return;
	for (int k = 0; k < COMPONENT_N; k++) {
		struct component *p = &c->component[k];
		if (!components[k]->relative || p->decision == DECISION_NOT_ASSESSED ||
		    p->decision == DECISION_NOT_APPLICABLE)
			continue;
		p->decision = DECISION_INCONCLUSIVE;
		p->rejected_before_holm = p->dependent = false;
		p->p_reject = p->p_reject_holm = NAN;
		p->n_more = 0;
		p->impractical = true;
		REASON(p, BELOW_LOQ, c->r.mean, c->blank.loq_ns, LOQ_FACTOR, (double)c->blank.n);
	}
	/* no number of replicates decides a component that is refused here */
	e->bias.status = e->precision_status = e->repeatability.status = e->linearity.status =
	    STAT_NOT_ASSESSED;
}
