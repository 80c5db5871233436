/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/words.h"

#include <math.h>
#include <string.h>

#include "reports/number.h"
#include "validate/components/component.h"

void words_add_limit(struct strbuf *out, const struct accept_limits *l, enum component_kind k)
{
	double limit = accept_limit(l, k);
	if (isnan(limit))
		return;
	if (components[k]->two_sided)
		strbuf_addstr(out, "±");
	switch (components[k]->unit) {
	case COMPONENT_CHANGE:
	case COMPONENT_SHARE:
		strbuf_addf(out, "%.4g %%", limit * 100);
		break;
	case COMPONENT_NUMBER:
		strbuf_addf(out, "%.4g", limit);
		break;
	case COMPONENT_TIME:
		number_add(out, limit, NAN, number_unit_time(limit), false);
		break;
	case COMPONENT_COUNT:
		strbuf_addf(out, "%.0f a run", limit);
		break;
	}
}

static enum table_format format_of(enum component_unit unit)
{
	return unit == COMPONENT_CHANGE ? FORMAT_RELATIVE
	       : unit == COMPONENT_SHARE ? FORMAT_SHARE
	       : unit == COMPONENT_TIME	 ? FORMAT_TIME
					 : FORMAT_NUMBER;
}

void words_add_estimate(struct strbuf *out, const struct component *c, bool half_width)
{
	struct table_column column = {.format = format_of(components[c->kind]->unit), .estimate = true};
	struct estimate estimate = c->estimate;
	struct table_cell cell = {.kind = CELL_ESTIMATE, .status = estimate.status, .estimate = &estimate};
	table_cell_text(out, &column, &cell, half_width);
}

const char *words_verdict(enum verdict v)
{
	return v == VERDICT_TRUSTED ? "Trusted" : v == VERDICT_NOT_TRUSTED ? "Not trusted" : "Inconclusive";
}

const char *words_verdict_meaning(enum verdict v)
{
	switch (v) {
	case VERDICT_TRUSTED:
		return "every assessed component was shown to lie within its limit";
	case VERDICT_NOT_TRUSTED:
		return "at least one component was shown to lie outside its limit";
	case VERDICT_INCONCLUSIVE:
		break;
	}
	return "the evidence decides neither way; more replicates or a quieter machine may";
}

const char *words_treatment(const struct uncertainty_source *s)
{
	if (s->in_budget)
		return s->warning ? "quantified; could not be controlled as asked" : "quantified";
	return s->warning ? "not quantified; could not be controlled as asked" : "named, not quantified";
}

void words_add_cell(struct strbuf *out, const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	strbuf_addf(out, "%s, %s", p->scenario[c->scenario].name, p->replayer[c->replayer].name);
}

const char *words_title(const struct analysis *a)
{
	const char *title = a->results->protocol.title;
	return title && *title ? title : "Validation of trace replayers";
}

void words_add_count(struct strbuf *out, size_t n, const char *one, const char *many)
{
	strbuf_addf(out, "%zu %s", n, n == 1 ? one : many);
}

void words_add_components(struct strbuf *out, const struct analysis *a, bool which)
{
	size_t n = 0, i = 0;
	for (size_t k = 0; k < COMPONENT_N; k++)
		n += a->assessed[k] == which;
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (a->assessed[k] == which) {
			strbuf_addf(out, "%s%s", i == 0 ? "" : i + 1 == n ? " and " : ", ", component_names[k]);
			i++;
		}
	if (!n)
		strbuf_addstr(out, "none");
}

/* Of the cases that are inconclusive, the least and the largest U that the program itself would have as its own replay, and how
 * many of them are beyond the limit. */
static void add_own_uncertainty(struct strbuf *out, const struct analysis *a)
{
	double lo = INFINITY, hi = -INFINITY, limit = NAN;
	size_t n = 0, n_beyond = 0;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct component *u = &c->component[COMPONENT_UNCERTAINTY];
		double own = c->budget.k95 * c->budget.u_c_program;
		if (u->decision != DECISION_INCONCLUSIVE || !isfinite(u->limit) || !isfinite(own))
			continue;
		lo = fmin(lo, own);
		hi = fmax(hi, own);
		limit = u->limit;
		n_beyond += own > u->limit;
		n++;
	}
	if (!n)
		return;
	struct strbuf least = STRBUF_INIT, most = STRBUF_INIT;
	number_add(&least, lo, lo, number_unit_percent, false);
	number_add(&most, hi, hi, number_unit_percent, false);
	strbuf_addf(out, "; it would itself have an uncertainty U of %s", least.s);
	if (strcmp(least.s, most.s))
		strbuf_addf(out, " to %s", most.s);
	strbuf_release(&least);
	strbuf_release(&most);
	strbuf_addf(out, " in the %zu %s undecided for that (limit ", n, n == 1 ? "case that is" : "cases that are");
	number_add(out, limit, limit, number_unit_percent, false);
	if (n_beyond)
		strbuf_addf(out, ", beyond it in %zu", n_beyond);
	strbuf_addch(out, ')');
}

void words_add_machine_scatter(struct strbuf *out, const struct analysis *a)
{
	if (!a->n_inconclusive || !isfinite(a->between_process_cv))
		return;
	strbuf_addstr(out, "The program's own runs scatter by ");
	number_add(out, a->between_process_cv, a->between_process_cv, number_unit_percent, false);
	strbuf_addstr(out, " from run to run on this machine (standard deviation, median of the scenarios)");
	add_own_uncertainty(out, a);
}

void words_add_observation(struct strbuf *out, const struct scenario *s)
{
	if (s->observe == OBSERVE_BLOCK)
		strbuf_addf(out, "the kernel at the device, from %s to completion", s->observe_from == OBSERVE_FROM_QUEUE ? "queueing" : "dispatch");
	else
		strbuf_addstr(out, s->observe == OBSERVE_PRELOAD ? "the preloaded library" : "their own stamps");
}
