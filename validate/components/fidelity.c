/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lost, extra and mismatched requests: counted, not estimated. */
#include <inttypes.h>
#include <math.h>

#include "validate/components/component.h"

/* One run over the limit is enough to reject. A failed replay gives no evidence, nor does the
 * absence of mismatches if the replayer does not report results. */
static void decide_fidelity(struct component *c, const struct deciding *d)
{
	const struct evidence *e = d->e;
	const struct cell *cell = d->cell;
	bool over = (double)e->worst_run > c->limit;
	if (cell->n_failed_replayer && !over) {
		c->decision = isnan(c->limit) ? DECISION_NOT_ASSESSED : DECISION_INCONCLUSIVE;
		REASON(c, "%u of %u replays failed and show nothing", cell->n_failed_replayer,
		       cell->n_blocks);
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
		REASON(c,
		       "at most %" PRIu64
		       " lost, extra or mismatched requests in a run, no limit set",
		       e->worst_run);
	} else if (over) {
		c->decision = DECISION_REJECT;
		c->rejected_before_holm = true;
		c->p_reject = c->p_reject_holm = 0;
		REASON(c,
		       "%" PRIu64 " lost, %" PRIu64 " extra and %" PRIu64 " mismatched of %" PRIu64
		       " requests, up to %" PRIu64 " in a run, limit %.0f",
		       cell->n_lost, cell->n_extra, cell->n_mismatched, cell->n_requests,
		       e->worst_run, c->limit);
	} else {
		c->decision = cell->n_untold ? DECISION_INCONCLUSIVE : DECISION_ACCEPT;
		REASON(c,
		       "at most %" PRIu64
		       " lost, extra or mismatched requests in a run, limit %.0f",
		       e->worst_run, c->limit);
	}
	if (cell->n_untold)
		REASON_ADD(c,
			   "; the results of %" PRIu64
			   " requests are not reported by the replayer (times without a column "
			   "result): their failures are unknown",
			   cell->n_untold);
	if (cell->n_passed)
		REASON_ADD(c, "; %" PRIu64 " more skipped", cell->n_passed);
}

const struct component_row component_fidelity = {
	.title = "Fidelity",
	.meaning = "Requests a run that were lost, issued too often, or returned something else "
		   "than in the trace.",
	.rule = "counted, not estimated: one run above the limit is enough to reject, and replays "
		"that failed show nothing", .source = "Pereira et al. 2016, section III",
	.above = "%s requests a run are lost, repeated or end otherwise", .replayers_own = true,
	.unit = COMPONENT_COUNT, .decide = decide_fidelity,
};
