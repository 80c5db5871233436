/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of what was decided and of what it was decided about. */
#include <math.h>

#include "reports/tables/tables.h"
#include "reports/words.h"
#include "validate/analysis/leaning.h"
#include "validate/components/component.h"

static double n_infidelities(const struct cell *c)
{
	return (double)c->n_lost + (double)c->n_extra + (double)c->n_mismatched;
}

void table_summary(struct table *t, const struct analysis *a)
{
	table_init(t, "summary", "Verdict of each scenario and replayer");
	table_note(
	    t, "Bias: by how much a replay's mean response time differs from the program's. Precision: how many times "
	       "more the replay's results scatter than the program's. Time: difference of the execution time. "
	       "Intervals are 95 %% confidence intervals.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "program_mean", "Program");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias");
	table_column_estimate(t, FORMAT_NUMBER, "precision_ratio", "Precision ratio");
	table_column(t, FORMAT_NUMBER, "precision_upper95", "Precision ratio, upper limit");
	table_column_estimate(t, FORMAT_RELATIVE, "execution_time", "Execution time");
	table_column_estimate(t, FORMAT_SHARE, "reordered", "Reordered");
	table_column(t, FORMAT_COUNT, "n_mismatched_lost_extra", "Mismatches");
	table_column(t, FORMAT_VERDICT, "verdict", "Verdict");
	table_column(t, FORMAT_TEXT, "leaning", "Leaning");
	table_column(t, FORMAT_TEXT, "reason", "Reason");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_number_u(t, c->r.mean, c->r.sem);
		table_estimate(t, &c->component[COMPONENT_BIAS].estimate);
		table_estimate(t, &c->precision_ratio);
		table_number_status(t, c->precision_ratio.status, c->precision_upper95, NAN);
		table_estimate(t, &c->component[COMPONENT_EXECUTION_TIME].estimate);
		table_estimate(t, &c->component[COMPONENT_REORDERING].estimate);
		table_count(t, n_infidelities(c));
		table_verdict(t, c->verdict);
		table_text(t, cell_leaning(c) == LEANING_NONE ? NULL : leaning_text(cell_leaning(c)));
		table_text(t, c->verdict_reason);
	}
}

void table_components(struct table *t, const struct analysis *a)
{
	table_init(t, "components", "Every component of every verdict");
	table_note(t, "Relative quantities are ratios (0.1 is 10 %%), issue errors are ns.");
	t->data_only = true;
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "component", "Component");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_NUMBER, "estimate", "Estimate");
	table_column(t, FORMAT_NUMBER, "limit", "Limit");
	table_column(t, FORMAT_NUMBER, "accept_lo", "Accepted from: lower limit");
	table_column(t, FORMAT_NUMBER, "accept_hi", "Accepted from: upper limit");
	table_column(t, FORMAT_NUMBER, "lag1", "Lag-1 correlation");
	table_column(t, FORMAT_NUMBER, "n_effective", "Runs count as");
	table_column(t, FORMAT_TEXT, "dependent", "Held by dependence");
	table_column(t, FORMAT_P, "p_reject", "p of the rejection");
	table_column(t, FORMAT_P, "p_reject_holm", "p after Holm");
	table_column(t, FORMAT_TEXT, "rejected_before_holm", "Rejected before Holm");
	table_column(t, FORMAT_COUNT, "n_more", "Further replicates");
	table_column(t, FORMAT_TEXT, "reason", "Reason");
	for (size_t i = 0; i < a->n_cells; i++)
		for (size_t k = 0; k < COMPONENT_N; k++) {
			const struct component *p = &a->cell[i].component[k];
			table_cell_names(t, a, &a->cell[i]);
			table_text(t, component_names[k]);
			table_decision(t, p->decision);
			table_estimate(t, &p->estimate);
			table_number(t, p->limit);
			table_number(t, p->accept_lo);
			table_number(t, p->accept_hi);
			table_number(t, p->lag1);
			table_number(t, p->n_effective);
			table_text(t, p->dependent ? "yes" : "no");
			table_number(t, p->p_reject);
			table_number(t, p->p_reject_holm);
			table_text(t, p->rejected_before_holm ? "yes" : "no");
			table_count(t, (double)p->n_more);
			table_text(t, p->reason);
		}
}

void table_limits(struct table *t, const struct analysis *a)
{
	table_init(t, "limits", "What is good enough");
	table_column(t, FORMAT_TEXT, "component", "Component");
	table_column(t, FORMAT_TEXT, "assessed", "Assessed");
	table_column(t, FORMAT_TEXT, "limit", "Limit");
	table_column(t, FORMAT_TEXT, "rule", "Rule");
	table_column(t, FORMAT_TEXT, "source", "Source");
	for (int k = 0; k < COMPONENT_N; k++) {
		struct strbuf limit = STRBUF_INIT;
		words_add_limits(&limit, &a->results->protocol, k);
		table_text(t, component_names[k]);
		table_text(t, a->assessed[k] ? "yes" : "no");
		table_text(t, limit.len ? limit.s : NULL);
		table_text(t, components[k]->rule);
		table_text(t, components[k]->source);
		strbuf_release(&limit);
	}
}

static void add_options(struct table *t, const struct setting *s, size_t n)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&b, "%s%s=%s", i ? " " : "", s[i].key, s[i].value);
	table_text(t, b.len ? b.s : NULL);
	strbuf_release(&b);
}

void table_scenarios(struct table *t, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	table_init(t, "scenarios", "Scenarios");
	table_note(t, "What the program does. Options are those of \"validate microbench\".");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "workload", "Workload");
	table_column(t, FORMAT_TEXT, "type", "Type");
	table_column(t, FORMAT_COUNT, "level", "Level");
	table_column(t, FORMAT_TEXT, "target", "Target");
	table_column(t, FORMAT_TEXT, "options", "Options");
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		table_text(t, s->name);
		table_text(t, s->workload);
		table_text(t, s->type);
		table_count(t, (double)s->level);
		table_text(t, s->target < p->n_targets ? p->target[s->target].name : NULL);
		add_options(t, s->option, s->n_options);
	}
}

static size_t n_applied(const struct protocol *p, const struct replayer *r)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_scenarios; i++)
		n += !r->applies || r->applies[i];
	return n;
}

void table_replayers(struct table *t, const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	table_init(t, "replayers", "Replayers");
	table_note(t, "The measurement instruments. Options are those of \"validate replay\".");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	table_column(t, FORMAT_TEXT, "engine", "Engine");
	table_column(t, FORMAT_TEXT, "total_order", "Promises a total order");
	table_column(t, FORMAT_TEXT, "timed", "Keeps times");
	table_column(t, FORMAT_COUNT, "n_scenarios", "Scenarios");
	table_column(t, FORMAT_TEXT, "options", "Options");
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct replayer *r = &p->replayer[i];
		table_text(t, r->name);
		table_text(t, r->engine);
		table_text(t, r->total_order ? "yes" : "no");
		table_text(t, r->timed ? "yes" : "no");
		table_count(t, (double)n_applied(p, r));
		add_options(t, r->option, r->n_options);
	}
}

void table_sources(struct table *t, const struct analysis *a)
{
	table_init(t, "sources", "Sources of uncertainty");
	table_column(t, FORMAT_TEXT, "source", "Source");
	table_column(t, FORMAT_TEXT, "category", "Category");
	table_column(t, FORMAT_TEXT, "treatment", "Treatment");
	table_column(t, FORMAT_TEXT, "note", "Note");
	for (size_t i = 0; i < a->n_sources; i++) {
		const struct uncertainty_source *s = &a->source[i];
		table_text(t, s->name);
		table_text(t, s->category);
		table_text(t, words_treatment(s));
		table_text(t, *s->note ? s->note : NULL);
	}
}
