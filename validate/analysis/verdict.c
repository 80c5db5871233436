/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the decisions of all cells to verdicts.
 *
 * Trusted: every assessed component is accepted, each at alpha. All are needed, so the error of the
 * whole stays at alpha without correction (intersection-union). Not trusted: a component is
 * rejected, and its P-value, after Holm's correction over all rejection tests of the campaign, is
 * at most the level of all rejections together (0.01). Counted facts, such as lost requests, need
 * no correction. Otherwise: inconclusive. */
#include "replay/engines/adapters/times.h"
#include "validate/analysis/analysis.h"
#include "validate/analysis/analysis_private.h"
#include "validate/components/component.h"
#include "validate/stats/multiplicity.h"

/* Largest share of failed runs on either side. Failed runs may differ from the others. */
#define MOST_FAILED 0.1

/* Whether the P-value comes from a test, which Holm's procedure corrects. Counted facts already
 * have p_reject_holm set. */
static bool in_family(const struct component *k)
{
	return !isnan(k->p_reject) && isnan(k->p_reject_holm);
}

static void rejections_adjust(struct analysis *a)
{
	size_t n = 0;
	SCOPED_FREE double *p = xcalloc(a->n_cells * COMPONENT_N + 1, sizeof *p);
	for (size_t i = 0; i < a->n_cells; i++)
		for (int k = 0; k < COMPONENT_N; k++)
			if (in_family(&a->cell[i].component[k]))
				p[n++] = a->cell[i].component[k].p_reject;
	a->n_rejection_tests = (unsigned int)n;
	bool adjusted = adjust_holm(p, n, p) == STAT_OK;
	n = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		for (int k = 0; k < COMPONENT_N; k++) {
			struct component *c = &a->cell[i].component[k];
			if (!in_family(c))
				continue;
			c->p_reject_holm = adjusted ? p[n] : 1;
			n++;
		}
}

/* Withdraws a rejection that does not survive the correction. */
static void rejection_withdraw(struct component *c, unsigned int n_tests, double level)
{
	if (c->decision != DECISION_REJECT || c->p_reject_holm <= level)
		return;
	c->decision = DECISION_INCONCLUSIVE;
	REASON_ADD(c, NOT_AFTER_HOLM, n_tests, c->p_reject, c->p_reject_holm, level);
}

/* Changes rejections against a reference trace that the campaign did not record: the day, the load
 * or the storage may differ. Such a rejection shows that the replays differ from the recording, not
 * that the replayer is the cause. */
static void components_relate(struct cell *c)
{
	for (int k = 0; k < COMPONENT_N; k++) {
		struct component *m = &c->component[k];
		if (m->decision != DECISION_REJECT || components[k]->replayers_own)
			continue;
		m->decision = DECISION_INCONCLUSIVE;
		m->differs = true;
		m->n_more = m->n_more_recorded = 0;
		REASON_ADD(m, DIFFERS);
	}
}

/* True if only the replayer's stamps measure its response times. */
static bool times_itself(const struct protocol *p, const struct cell *c)
{
	const struct replayer *r = &p->replayer[c->replayer];
	const struct adapter *adapter = r->engine ? replayer_adapter(r) : NULL;
	const struct scenario *s = &p->scenario[c->scenario];
	struct times_how times;
	if (!adapter || s->observe == OBSERVE_BLOCK || replayer_is_preloaded(r, s))
		return false;
	return !times_parse(&times, replayer_option(r, "times"), adapter, NULL) &&
	       times.how == ADAPTER_SELF;
}

static struct reason reason_make(enum reason_code code, double a, double b)
{
	return (struct reason){.code = code, .number = {a, b, 100 * MOST_FAILED}};
}

/* Returns what forbids trust because a component was not judged. A claim is shown only if all of
 * its parts are judged; other protocols need the bias. Counts may be not applicable. */
static struct reason bar_of_unjudged(const struct protocol *p, const struct cell *c)
{
	const struct component *bias = &c->component[COMPONENT_BIAS];
	for (int k = 0; p->claimed && k < COMPONENT_N; k++)
		if (!isnan(c->component[k].limit) && !components[k]->replayers_own &&
		    (c->component[k].decision == DECISION_NOT_APPLICABLE ||
		     c->component[k].decision == DECISION_NOT_ASSESSED))
			return (struct reason){.code = REASON_CLAIM_NOT_JUDGED,
					       .text = component_names[k]};
	if (p->claimed)
		return reason_make(REASON_NONE, 0, 0);
	if (isnan(bias->limit) && !c->bias.status)
		return reason_make(REASON_BIAS_UNLIMITED, 0, 0);
	return reason_make(bias->decision == DECISION_ACCEPT ? REASON_NONE : REASON_BIAS_NOT_JUDGED,
			   0, 0);
}

/* Returns what forbids trust, independent of the components. */
static struct reason bar_of(const struct protocol *p, const struct cell *c)
{
	const struct reason unjudged = bar_of_unjudged(p, c);
	if (c->n_failed_replayer)
		return reason_make(REASON_REPLAYS_FAILED, c->n_failed_replayer, c->n_blocks);
	if (c->n_failed_program > MOST_FAILED * c->n_blocks)
		return reason_make(REASON_PROGRAMS_FAILED, c->n_failed_program, c->n_blocks);
	if (c->n_events_lost)
		return reason_make(REASON_EVENTS_LOST, (double)c->n_events_lost, 0);
	if (c->n_cut)
		return reason_make(REASON_RUNS_CUT, c->n_cut, 0);
	if (c->n_unseen)
		return reason_make(REASON_RUNS_UNSEEN, c->n_unseen, 0);
	if (c->no_responses)
		return reason_make(REASON_NO_RESPONSES, 0, 0);
	if (unjudged.code)
		return unjudged;
	if (times_itself(p, c))
		return reason_make(REASON_OWN_STAMPS, 0, 0);
	return reason_make(c->one_recording ? REASON_ONE_RECORDING : REASON_NONE, c->n_pairs, 0);
}

static void verdict_conclude(struct cell *c, const struct protocol *p)
{
	size_t n[5] = {0};
	for (int k = 0; k < COMPONENT_N; k++)
		n[c->component[k].decision]++;
	c->bar = bar_of(p, c);
	c->verdict = n[DECISION_REJECT] ? VERDICT_NOT_TRUSTED
		     : n[DECISION_INCONCLUSIVE] || !n[DECISION_ACCEPT] || c->bar.code
			 ? VERDICT_INCONCLUSIVE
			 : VERDICT_TRUSTED;
}

/* Makes all components inconclusive. n_more: number of further replicates needed, 0 unknown. */
static void leave_inconclusive(struct cell *c, uint64_t n_more, enum reason_code reason,
			    struct reason verdict)
{
	for (int k = 0; k < COMPONENT_N; k++) {
		struct component *m = &c->component[k];
		if (m->decision == DECISION_NOT_APPLICABLE || m->decision == DECISION_NOT_ASSESSED)
			continue;
		m->decision = DECISION_INCONCLUSIVE;
		m->rejected_before_holm = m->dependent = false;
		m->p_reject = m->p_reject_holm = NAN;
		m->n_more = n_more;
		m->n_reasons = 1;
		m->reasons[0] = verdict;
		m->reasons[0].code = reason;
	}
	c->verdict = VERDICT_INCONCLUSIVE;
	c->bar = verdict;
}

/* Keeps the numbers, but decides nothing before the first planned look. */
static void verdict_defer(struct cell *c, const struct protocol *p, unsigned int n_made)
{
	unsigned int first = p->budget_ns ? (unsigned int)p->n_replicates_min
			     : p->n_looks ? p->look[0]
					  : (unsigned int)p->n_replicates_max;
	leave_inconclusive(c, first > n_made ? first - n_made : 0, REASON_DEFERRED,
			reason_make(REASON_VERDICT_DEFERRED, first, n_made));
}

/* Sets the looks that are still planned, and returns their number. After the last look, and with a
 * budget: the levels of this look. */
static size_t looks_left(const struct analysis *a, struct plan_look look[PROTOCOL_LOOKS_MAX])
{
	const struct protocol *p = &a->results->protocol;
	const struct levels now = {a->level_accept, a->level_reject, a->span, p->claimed != NULL};
	double accept[PROTOCOL_LOOKS_MAX], reject[PROTOCOL_LOOKS_MAX];
	size_t n = 0;
	look[0] = (struct plan_look){0, now};
	if (p->budget_ns || !a->look ||
	    spending_levels(ALPHA_ACCEPT, p->look, p->n_looks, accept) ||
	    spending_levels(ALPHA_REJECT, p->look, p->n_looks, reject))
		return 1;
	for (size_t k = a->look; k < p->n_looks; k++)
		look[n++] = (struct plan_look){p->look[k] - a->n_replicates,
					       {accept[k], reject[k], 0, now.cautious}};
	return n ? n : 1;
}

bool cell_counts(const struct analysis *a, const struct cell *c)
{
	return !a->results->protocol.replayer[c->replayer].comparison;
}

size_t cells_counted(const struct analysis *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		n += cell_counts(a, &a->cell[i]);
	return n;
}

void verdicts_reach(struct analysis *a, const struct evidence *e)
{
	const struct protocol *protocol = &a->results->protocol;
	const bool changed = a->results->seal.state == SEAL_BROKEN;
	struct plan_look look[PROTOCOL_LOOKS_MAX];
	for (size_t i = 0; i < a->n_cells; i++)
		if (changed)
			leave_inconclusive(&a->cell[i], 0, REASON_CHANGED, (struct reason){.code =
				REASON_VERDICT_REFUSED, .text = a->results->seal.changes});
		else if (a->cell[i].too_early)
			verdict_defer(&a->cell[i], protocol,
				      protocol->budget_ns ? a->cell[i].n_blocks : a->n_replicates);
	rejections_adjust(a);
	const size_t n_looks = looks_left(a, look);
	for (size_t i = 0; i < a->n_cells; i++) {
		if (a->cell[i].too_early || changed)
			continue;
		for (int k = 0; k < COMPONENT_N; k++)
			rejection_withdraw(&a->cell[i].component[k], a->n_rejection_tests,
					   a->level_reject);
		components_plan(&a->cell[i], &e[i], &a->results->protocol.accept,
				a->n_rejection_tests, look, n_looks);
		if (protocol->scenario[a->cell[i].scenario].trace)
			components_relate(&a->cell[i]);
		verdict_conclude(&a->cell[i], protocol);
	}

	a->n_trusted = a->n_not_trusted = a->n_inconclusive = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		const enum verdict v = a->cell[i].verdict;
		const bool counts = cell_counts(a, &a->cell[i]);
		a->n_trusted += counts && v == VERDICT_TRUSTED;
		a->n_not_trusted += counts && v == VERDICT_NOT_TRUSTED;
		a->n_inconclusive += counts && v == VERDICT_INCONCLUSIVE;
		for (int k = 0; k < COMPONENT_N; k++) {
			enum decision d = a->cell[i].component[k].decision;
			a->assessed[k] |= d == DECISION_ACCEPT || d == DECISION_REJECT ||
					  d == DECISION_INCONCLUSIVE;
		}
	}
	a->verdict = a->n_not_trusted                     ? VERDICT_NOT_TRUSTED
		     : a->n_inconclusive || !a->n_trusted ? VERDICT_INCONCLUSIVE
							  : VERDICT_TRUSTED;
}
