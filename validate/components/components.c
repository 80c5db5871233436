/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/components/component.h"

#define NAME(KIND, row, name, ...) [COMPONENT_##KIND] = name,
const char *const component_names[] = {COMPONENT_LIST(NAME)[COMPONENT_N] = NULL};

#define DECLARE(KIND, row, ...) extern const struct component_row component_##row;
COMPONENT_LIST(DECLARE)

#define ROW(KIND, row, ...) [COMPONENT_##KIND] = &component_##row,
const struct component_row *const components[] = {COMPONENT_LIST(ROW)[COMPONENT_N] = NULL};

size_t components_listed(const struct accept_limits *l)
{
	for (int k = COMPONENT_ON_DEMAND; k < COMPONENT_N; k++)
		if (!isnan(accept_limit(l, k)))
			return COMPONENT_N;
	return COMPONENT_ON_DEMAND;
}

void components_measure(const struct measuring *m)
{
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (components[k]->measure)
			components[k]->measure(m);
}

void components_measure_across(const struct analysis *a, struct evidence *e)
{
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (components[k]->measure_across)
			components[k]->measure_across(a, e);
}

void components_decide(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		       bool timed)
{
	const struct deciding d = {c, e, l, &c->levels};
	for (int k = 0; k < COMPONENT_N; k++) {
		c->component[k] = (struct component){.kind = k, .decision = DECISION_NOT_ASSESSED,
						     .estimate = estimate_none(STAT_NOT_ASSESSED),
						     .limit = accept_limit_of(l, k, timed),
						     .p_reject = NAN, .p_reject_holm = NAN,
						     .lag1 = NAN, .n_effective = NAN,
						     .accept_lo = NAN, .accept_hi = NAN};
		if (c->no_responses && !components[k]->replayers_own &&
		    k != COMPONENT_EXECUTION_TIME) {
			decide_without(&c->component[k], DECISION_NOT_ASSESSED);
			REASON(&c->component[k], NO_RESPONSES);
		} else {
			components[k]->decide(&c->component[k], &d);
		}
	}
}

/* Plans for the first look that is likely to decide the component. */
static void plan_looks(struct component *k, const struct planning *given,
		       const struct plan_look *look, size_t n_looks)
{
	const struct component before = *k;
	struct planning p = *given;
	uint64_t recorded = 0;
	for (size_t i = 0; i < n_looks; i++) {
		*k = before;
		p.levels = &look[i].levels;
		if (i + 1 < n_looks && decide_is_early(k, p.levels))
			continue;
		components[k->kind]->plan(k, &p);
		if (k->n_more_recorded && k->n_more_recorded <= look[i].further)
			recorded = recorded ? recorded : look[i].further;
		if (k->n_more && !k->impractical && k->n_more <= look[i].further) {
			k->n_more = look[i].further;
			break;
		}
	}
	if (recorded && k->n_reasons && k->reasons[k->n_reasons - 1].code == REASON_PLAN_RECORDINGS)
		k->reasons[k->n_reasons - 1].number[0] +=
		    (double)recorded - (double)k->n_more_recorded;
	k->n_more_recorded = recorded ? recorded : k->n_more_recorded;
	if (k->n_more && k->n_more_recorded >= k->n_more)
		k->n_more_recorded = 0;
}

void components_plan(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		     unsigned int n_tests, const struct plan_look *look, size_t n_looks)
{
	for (size_t i = 0; i < COMPONENT_N; i++) {
		struct component *k = &c->component[i];
		if (k->decision != DECISION_INCONCLUSIVE)
			continue;
		if (components[i]->plan)
			plan_looks(k, &(struct planning){c, e, l, NULL, n_tests}, look, n_looks);
		if (!cell_mostly_failed(c))
			continue;
		k->n_more = k->n_more_recorded = 0;
		if (i != COMPONENT_FIDELITY) /* its own reason has the number */
			REASON_ADD(k, PAIRS_FAILED, c->n_blocks - c->n_pairs, c->n_blocks);
	}
}
