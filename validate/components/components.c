/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/components/component.h"

#define ALPHA_REJECT 0.01

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

void components_plan(struct cell *c, const struct evidence *e, const struct accept_limits *l,
		     unsigned int n_tests, unsigned int until_next_look)
{
	const struct levels *levels = &c->levels;
	const double alpha_accept =
	    levels->span > 0 ? fmin(PLAN_ACCEPT, levels->accept) : PLAN_ACCEPT;
	const struct planning p = {c, e, l, levels, alpha_accept,
				   ALPHA_REJECT / fmax(1, n_tests)};
	for (size_t i = 0; i < COMPONENT_N; i++) {
		struct component *k = &c->component[i];
		if (k->decision != DECISION_INCONCLUSIVE)
			continue;
		if (components[i]->plan)
			components[i]->plan(k, &p);
		/* nothing is decided before the next look */
		if (k->n_more && k->n_more < until_next_look)
			k->n_more = until_next_look;
		if (!cell_mostly_failed(c))
			continue;
		k->n_more = 0;
		if (i != COMPONENT_FIDELITY) /* its own reason has the number */
			REASON_ADD(k, PAIRS_FAILED, c->n_blocks - c->n_pairs, c->n_blocks);
	}
}
