/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost, extra and mismatched requests: counted, not estimated. */
#include "validate/components/component.h"

/* Decides by counts. A single run over the limit is enough to reject. A failed replay is evidence
 * only if it made no request, because then all requests are lost. The absence of mismatches is no
 * evidence if the replayer does not report results. */
static void decide_fidelity(struct component *c, const struct deciding *d)
{
	const struct evidence *e = d->e;
	const struct cell *cell = d->cell;
	bool over = (double)e->worst_run > c->limit;
	if (cell->n_failed_replayer && !over) {
		c->decision = isnan(c->limit) ? DECISION_NOT_ASSESSED : DECISION_INCONCLUSIVE;
		REASON(c, FAULTS_UNKNOWN, cell->n_failed_replayer, cell->n_blocks);
		return;
	}
	if (e->fidelity_status && !over) {
		decide_nothing(c, e->fidelity_status);
		return;
	}
	c->estimate.status = STAT_OK;
	c->estimate.value = (double)e->worst_run;
	if (isnan(c->limit)) {
		c->decision = DECISION_NOT_ASSESSED;
		REASON(c, FAULTS_SHOWN, c->estimate.value);
	} else if (over) {
		c->decision = DECISION_REJECT;
		c->rejected_before_holm = true;
		c->p_reject = c->p_reject_holm = 0;
		REASON(c, FAULTS_OVER, (double)cell->n_lost, (double)cell->n_extra,
		       (double)cell->n_mismatched, (double)cell->n_requests, c->estimate.value,
		       c->limit);
	} else {
		c->decision = cell->n_results_unknown ? DECISION_INCONCLUSIVE : DECISION_ACCEPT;
		REASON(c, FAULTS, c->estimate.value, c->limit);
	}
	if (cell->n_results_unknown)
		REASON_ADD(c, RESULTS_UNKNOWN, (double)cell->n_results_unknown);
	if (cell->n_skipped)
		REASON_ADD(c, SKIPPED, (double)cell->n_skipped);
}

const struct component_row component_fidelity = {
	.title = "Fidelity",
	.meaning = "Largest number of requests in a run that are lost or extra, or return a "
		   "different result than in the trace.",
	.rule = "Count. A failed replay that issued no request counts as having lost all requests. "
		"Any other failed replay prevents acceptance.",
	.source = "Pereira et al. 2016, section III",
	.replayers_own = true,
	.unit = COMPONENT_COUNT, .decide = decide_fidelity,
};
