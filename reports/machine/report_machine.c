/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A report in the forms that other programs read: a row for each case and component. */
#include "reports/forms.h"
#include "reports/machine/machine.h"
#include "reports/output.h"
#include "reports/words.h"
#include "validate/analysis/analysis.h"
#include "validate/components/component.h"

static const enum outcome outcomes[] = {[DECISION_ACCEPT] = OUTCOME_PASS,
					[DECISION_REJECT] = OUTCOME_FAIL,
					[DECISION_INCONCLUSIVE] = OUTCOME_OPEN,
					[DECISION_NOT_ASSESSED] = OUTCOME_SKIPPED,
					[DECISION_NOT_APPLICABLE] = OUTCOME_SKIPPED};

static enum outcome verdict_outcome(enum verdict v)
{
	return v == VERDICT_TRUSTED	  ? OUTCOME_PASS
	       : v == VERDICT_NOT_TRUSTED ? OUTCOME_FAIL
					  : OUTCOME_OPEN;
}

static struct machine_row *row_add(struct machine *m, const struct analysis *a,
				   const struct cell *c)
{
	struct machine_row *r = machine_row_add(m);
	r->scenario = a->results->protocol.scenario[c->scenario].name;
	r->replayer = a->results->protocol.replayer[c->replayer].name;
	return r;
}

static void component_row(struct machine *m, const struct analysis *a, const struct cell *c,
			  const struct component *k)
{
	struct machine_row *r = row_add(m, a, c);
	struct strbuf number = STRBUF_INIT, limit = STRBUF_INIT;
	if (!k->estimate.status)
		words_add_estimate(&number, k, true);
	words_add_limit(&limit, k->kind, k->limit);
	r->component = component_names[k->kind];
	r->outcome = outcomes[k->decision];
	r->word = decision_name(k->decision);
	r->number = strbuf_detach(&number);
	r->limit = strbuf_detach(&limit);
	r->message = xstrdup(k->reason);
	if (!k->estimate.status)
		r->value = k->estimate.value;
	r->value_limit = k->limit;
}

static bool is_reported(const struct cell *c)
{
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision == DECISION_REJECT ||
		    c->component[k].decision == DECISION_INCONCLUSIVE)
			return true;
	return false;
}

/* Adds a row for a case without an assessed component, so that a program that only counts rows does
 * not see a success. */
static void verdict_row(struct machine *m, const struct analysis *a, const struct cell *c)
{
	struct machine_row *r = row_add(m, a, c);
	r->component = "verdict";
	r->outcome = verdict_outcome(c->verdict);
	r->word = verdict_name(c->verdict);
	r->number = xstrdup("none");
	r->limit = xstrdup("none");
	r->message = xstrdup(c->verdict_reason);
}

static void machine_of_report(struct machine *m, const struct analysis *a)
{
	*m = (struct machine){
	    .suite = "validate report",
	    .metric = "validate_report",
	    .title = xstrdup(words_title(a)),
	    .headline = xasprintf("%s: %zu of %zu cases trusted, %zu not trusted, %zu inconclusive",
				  verdict_name(a->verdict), a->n_trusted, cells_counted(a),
				  a->n_not_trusted, a->n_inconclusive),
	    .open_as = OUTCOME_OPEN,
	    .outcome = verdict_outcome(a->verdict),
	};
	for (size_t i = 0; i < a->n_cells; i++) {
		if (!cell_counts(a, &a->cell[i]))
			continue;
		for (size_t k = 0; k < components_listed(&a->results->protocol.accept); k++)
			component_row(m, a, &a->cell[i], &a->cell[i].component[k]);
		if (a->cell[i].verdict != VERDICT_TRUSTED && !is_reported(&a->cell[i]))
			verdict_row(m, a, &a->cell[i]);
	}
}

static int form_print(void (*add)(struct strbuf *, const struct machine *),
		      const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	SCOPED(machine_release) struct machine m;
	machine_of_report(&m, a);
	add(&text, &m);
	return output_stream(out, &text, e);
}

#define FORM(which, what)                                                                          \
	static int print_##which(const struct analysis *a, FILE *out, struct err *e)               \
	{                                                                                          \
		return form_print(machine_add_##which, a, out, e);                                 \
	}                                                                                          \
	const struct report_form report_form_##which = {                                           \
	    .name = #which, .help = what, .print = print_##which}

FORM(markdown, "Markdown below 1 MiB for the step summary of a GitHub Actions run; for a comment "
	"on a pull request, cut it to 65536 characters");
FORM(junit, "XML, a test case for each case and component");
FORM(github, "annotations of a GitHub Actions run, at most ten");
FORM(openmetrics, "gauges and states for a time series database");
FORM(prometheus, "the same data, all as gauges, in the text format of Prometheus");
