/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the decisions of all cells to verdicts.
 *
 * Trusted: every assessed component is accepted, each at alpha. All are needed, so the error of the
 * whole stays at alpha without correction (intersection-union). Not trusted: a component is
 * rejected, and its P-value after Holm over all rejection tests of the campaign is at most the
 * level of all rejections together (0.01). Counted facts, such as lost requests, need no
 * correction. Otherwise: inconclusive. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"
#include "common/xalloc.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/engines/adapters/times.h"
#include "validate/analysis/analysis_private.h"
#include "validate/components/component.h"
#include "validate/stats/multiplicity.h"

/* Largest share of failed runs on either side. Failed runs may be the ones that differ. */
#define MOST_FAILED 0.1

const char *decision_name(enum decision d)
{
	static const char *const names[] = {"accept", "reject", "inconclusive", "not assessed",
					    "not applicable"};
	return (size_t)d < sizeof names / sizeof *names ? names[d] : "unknown";
}

const char *verdict_name(enum verdict v)
{
	static const char *const names[] = {"trusted", "not trusted", "inconclusive"};
	return (size_t)v < sizeof names / sizeof *names ? names[v] : "unknown";
}

/* True for P-values of tests, which Holm corrects. Counted facts have p_reject_holm set already. */
static bool in_family(const struct component *k)
{
	return !isnan(k->p_reject) && isnan(k->p_reject_holm);
}

static void rejections_adjust(struct analysis *a)
{
	size_t n = 0;
	double *p = xcalloc(a->n_cells * COMPONENT_N + 1, sizeof *p);
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
	free(p);
}

/* Withdraws a rejection that does not survive the correction. */
static void rejection_withdraw(struct component *c, double level)
{
	if (c->decision != DECISION_REJECT || c->p_reject_holm <= level)
		return;
	c->decision = DECISION_INCONCLUSIVE;
	phrase_add(c->reason, sizeof c->reason,
		   "; not after Holm's correction (adjusted P %.2g, level %.2g)", c->p_reject_holm,
		   level);
}

/* Relates the components to a reference trace that the campaign did not record: the day, the load
 * or the storage may differ. It shows that the replays differ from the recording, not that the
 * replayer is the cause. */
static void components_relate(struct cell *c)
{
	for (int k = 0; k < COMPONENT_N; k++) {
		struct component *m = &c->component[k];
		if (m->decision != DECISION_REJECT || components[k]->replayers_own)
			continue;
		m->decision = DECISION_INCONCLUSIVE;
		m->differs = true;
		m->n_more = 0;
		phrase_add(m->reason, sizeof m->reason,
			   "; it differs from the recording, perhaps because of the machine");
	}
}

/* Appends the names of the components with this decision, "bias and precision"; returns their
 * number. */
static size_t names_add(struct strbuf *out, const struct cell *c, enum decision d)
{
	size_t n = 0, i = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		n += c->component[k].decision == d;
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == d) {
			strbuf_addf(out, "%s%s",
				    i == 0       ? ""
				    : i + 1 == n ? " and "
						 : ", ",
				    component_names[k]);
			i++;
		}
	return n;
}

/* Appends ", bias and precision because the runs may depend on each other". */
static void list_dependent(struct strbuf *out, const struct cell *c)
{
	size_t n = 0, i = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		n += c->component[k].dependent;
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].dependent) {
			strbuf_addf(out, "%s%s",
				    i == 0       ? ", "
				    : i + 1 == n ? " and "
						 : ", ",
				    component_names[k]);
			i++;
		}
	if (n)
		strbuf_addstr(out, " because the runs may depend on each other");
}

/* True if only the replayer's stamps measure its response times. */
static bool times_itself(const struct protocol *p, const struct cell *c)
{
	const struct replayer *r = &p->replayer[c->replayer];
	const struct adapter *adapter = r->engine ? replayer_adapter(r) : NULL;
	struct times_how times;
	return adapter && p->scenario[c->scenario].observe == OBSERVE_OWN &&
	       !times_parse(&times, replayer_option(r, "times"), adapter, NULL) &&
	       times.how == ADAPTER_SELF;
}

/* Appends the reason that forbids trust regardless of the components; nothing without one. */
static void bar_trust(struct strbuf *out, const struct protocol *p, const struct cell *c)
{
	const double most = MOST_FAILED * c->n_blocks;
	const struct component *bias = &c->component[COMPONENT_BIAS];
	if (c->n_failed_replayer)
		strbuf_addf(out, "%u of %u replays failed", c->n_failed_replayer, c->n_blocks);
	else if (c->n_failed_program > most)
		strbuf_addf(out, "%u of %u runs of the program failed, more than %.0f %%",
			    c->n_failed_program, c->n_blocks, 100 * MOST_FAILED);
	else if (c->n_events_lost)
		strbuf_addf(out, "its traces are incomplete: %llu %s lost in capture",
			    (unsigned long long)c->n_events_lost,
			    c->n_events_lost == 1 ? "event was" : "events were");
	else if (c->n_cut)
		strbuf_addf(out,
			    "traces are incomplete: the traces of %u run%s were made from a trace "
			    "without an end", c->n_cut, c->n_cut == 1 ? "" : "s");
	else if (c->n_unseen)
		strbuf_addf(out,
			    "traces are incomplete: in those of %u run%s capture could not see all "
			    "requests (see validate info)",
			    c->n_unseen, c->n_unseen == 1 ? "" : "s");
	else if (c->no_responses)
		strbuf_addstr(out, "the recording has no response times");
	else if (isnan(bias->limit) && !c->bias.status)
		strbuf_addstr(out, "the bias has no limit");
	else if (bias->decision != DECISION_ACCEPT)
		strbuf_addstr(out, "the bias was not judged");
	else if (times_itself(p, c))
		strbuf_addstr(out, "the replayer's own stamps measure its response times (times = "
				   "self, observe = own)");
	else if (c->one_recording)
		strbuf_addf(out,
			    "all %u pairs replay the same recording: its effect is not known (bank "
			    "= 2 or more)", c->n_pairs);
}

/* The case of the control replay in the same scenario; NULL: none, or `c` itself. */
static const struct cell *control_of(const struct analysis *a, const struct cell *c)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *x = &a->cell[i];
		if (x != c && x->scenario == c->scenario &&
		    a->results->protocol.replayer[x->replayer].control)
			return x;
	}
	return NULL;
}

/* Appends "bias differs from the recording; bias +210 %, that of the control replay (event) +205
 * %". */
static void explain_difference(struct strbuf *text, const struct analysis *a, const struct cell *c)
{
	const struct cell *control = control_of(a, c);
	const struct estimate *own = &c->component[COMPONENT_BIAS].estimate;
	size_t n = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].differs)
			strbuf_addf(text, "%s%s", n++ ? ", " : "", component_names[k]);
	strbuf_addstr(text, n == 1 ? " differs from the recording" : " differ from the recording");
	if (isfinite(own->value))
		strbuf_addf(text, "; bias %+.3g %%", 100 * own->value);
	if (isfinite(own->value) && control &&
	    isfinite(control->component[COMPONENT_BIAS].estimate.value))
		strbuf_addf(text, ", that of the control replay (%s) %+.3g %%",
			    a->results->protocol.replayer[control->replayer].name,
			    100 * control->component[COMPONENT_BIAS].estimate.value);
	strbuf_addstr(text, ". The machine may be the cause: only the program run again beside the "
			    "replays can tell");
}

static bool cell_differs(const struct cell *c)
{
	for (int k = 0; k < COMPONENT_N; k++)
		if (c->component[k].differs)
			return true;
	return false;
}

static void verdict_explain(const struct analysis *a, struct cell *c, const char *bar)
{
	struct strbuf text = STRBUF_INIT;
	uint64_t most = 0;
	bool unknown = false, impractical = false;
	switch (c->verdict) {
	case VERDICT_TRUSTED:
		names_add(&text, c, DECISION_ACCEPT);
		strbuf_addstr(&text, " within the limits");
		break;
	case VERDICT_NOT_TRUSTED:
		for (int k = 0; k < COMPONENT_N; k++)
			if (c->component[k].decision == DECISION_REJECT)
				strbuf_addf(&text, "%s%s: %s", text.len ? "; " : "",
					    component_names[k], c->component[k].reason);
		break;
	case VERDICT_INCONCLUSIVE:
		if (cell_differs(c)) {
			explain_difference(&text, a, c);
			break;
		}
		if (names_add(&text, c, DECISION_INCONCLUSIVE) != 0)
			strbuf_addstr(&text, " undecided");
		else if (names_add(&text, c, DECISION_ACCEPT) != 0)
			strbuf_addf(&text, " within the limits, but not trusted: %s", bar);
		else
			strbuf_addstr(&text, "nothing could be assessed");
		for (int k = 0; k < COMPONENT_N; k++)
			if (c->component[k].decision == DECISION_INCONCLUSIVE) {
				most =
				    c->component[k].n_more > most ? c->component[k].n_more : most;
				unknown |= c->component[k].n_more == 0;
				impractical |= c->component[k].impractical;
			}
		list_dependent(&text, c);
		if (impractical)
			strbuf_addstr(&text, "; no practical number of replicates would settle it "
					     "on this machine at these "
					     "limits");
		else if (most && !unknown)
			strbuf_addf(&text, "; about %llu more replicate%s would probably settle it",
				    (unsigned long long)most, most == 1 ? "" : "s");
		break;
	}
	phrase_add(c->verdict_reason, sizeof c->verdict_reason, "%s", text.s);
	strbuf_release(&text);
}

static void verdict_conclude(const struct analysis *a, struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	struct strbuf bar = STRBUF_INIT;
	size_t n[5] = {0};
	for (int k = 0; k < COMPONENT_N; k++)
		n[c->component[k].decision]++;
	c->verdict = n[DECISION_REJECT]                                ? VERDICT_NOT_TRUSTED
		     : n[DECISION_INCONCLUSIVE] || !n[DECISION_ACCEPT] ? VERDICT_INCONCLUSIVE
								       : VERDICT_TRUSTED;
	bar_trust(&bar, p, c);
	if (c->verdict == VERDICT_TRUSTED && bar.len)
		c->verdict = VERDICT_INCONCLUSIVE;
	verdict_explain(a, c, bar.s);
	strbuf_release(&bar);
}

/* Makes all components undecided. n_more: further replicates needed, 0 unknown. */
static void leave_undecided(struct cell *c, uint64_t n_more, const char *reason,
			    const char *verdict_reason)
{
	for (int k = 0; k < COMPONENT_N; k++) {
		struct component *m = &c->component[k];
		if (m->decision == DECISION_NOT_APPLICABLE || m->decision == DECISION_NOT_ASSESSED)
			continue;
		m->decision = DECISION_INCONCLUSIVE;
		m->rejected_before_holm = m->dependent = false;
		m->p_reject = m->p_reject_holm = NAN;
		m->n_more = n_more;
		snprintf(m->reason, sizeof m->reason, "%s", reason);
	}
	c->verdict = VERDICT_INCONCLUSIVE;
	snprintf(c->verdict_reason, sizeof c->verdict_reason, "%s", verdict_reason);
}

/* Keeps the numbers and decides nothing before the first planned look. */
static void verdict_defer(struct cell *c, const struct protocol *p, unsigned int n_made)
{
	unsigned int first = p->budget_ns ? (unsigned int)p->n_replicates_min
			     : p->n_looks ? p->look[0]
					  : (unsigned int)p->n_replicates_max;
	char *reason = xasprintf("decided at %u replicates, %u made so far", first, n_made);
	char *verdict = xasprintf(
	    "the first planned look, at %u replicates, has not been reached: %u made so far", first,
	    n_made);
	leave_undecided(c, first > n_made ? first - n_made : 0, reason, verdict);
	free(reason);
	free(verdict);
}

/* Replicates from this look to the next. */
static unsigned int until_next_look(const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	return a->look && a->look < p->n_looks ? p->look[a->look] - a->n_replicates : 0;
}

void verdicts_reach(struct analysis *a, const struct evidence *e)
{
	const struct protocol *protocol = &a->results->protocol;
	const bool changed = a->results->seal.state == SEAL_BROKEN;
	char *refusal = xasprintf("no verdict: %s", changed ? a->results->seal.changes : "");
	for (size_t i = 0; i < a->n_cells; i++)
		if (changed)
			leave_undecided(&a->cell[i], 0,
					"the results were changed after the campaign wrote them",
					refusal);
		else if (a->cell[i].too_early)
			verdict_defer(&a->cell[i], protocol,
				      protocol->budget_ns ? a->cell[i].n_blocks : a->n_replicates);
	free(refusal);
	rejections_adjust(a);
	for (size_t i = 0; i < a->n_cells; i++) {
		if (a->cell[i].too_early || changed)
			continue;
		for (int k = 0; k < COMPONENT_N; k++)
			rejection_withdraw(&a->cell[i].component[k], a->level_reject);
		components_plan(&a->cell[i], &e[i], &a->results->protocol.accept,
				a->n_rejection_tests, until_next_look(a));
		if (protocol->scenario[a->cell[i].scenario].trace)
			components_relate(&a->cell[i]);
		verdict_conclude(a, &a->cell[i]);
	}

	a->n_trusted = a->n_not_trusted = a->n_inconclusive = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		enum verdict v = a->cell[i].verdict;
		a->n_trusted += v == VERDICT_TRUSTED;
		a->n_not_trusted += v == VERDICT_NOT_TRUSTED;
		a->n_inconclusive += v == VERDICT_INCONCLUSIVE;
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
