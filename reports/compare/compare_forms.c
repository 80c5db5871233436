/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/compare/compare_forms.h"

#include "common/units.h"
#include "reports/output.h"

const struct compare_form *const compare_forms[] = {
    &compare_form_text,  &compare_form_markdown, &compare_form_json,        &compare_form_html,
    &compare_form_junit, &compare_form_github,   &compare_form_openmetrics,
    &compare_form_prometheus, NULL};

int compare_form_choose(const char *name, const struct compare_form **form, struct err *e)
{
	*form = NULL;
	for (const struct compare_form *const *f = compare_forms; *f; f++)
		if (!strcmp((*f)->name, name))
			*form = *f;
	if (*form)
		return 0;
	SCOPED_FREE const char **names = names_of(compare_forms);
	return name_refuse(e, ENOENT, name, names,
			   " (\"validate compare --list\" lists the formats)",
			   "unknown output format \"%s\" of a comparison", name);
}

int compare_form_print(const struct compare_form *form, const struct campaign_change *c, FILE *out,
		       struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	form->add(&text, c);
	return output_stream(out, &text, e);
}

/* --- forms for other programs -------------------------------------------- */

static enum outcome outcome_of(enum change w)
{
	switch (w) {
	case CHANGE_SAME:
		return OUTCOME_PASS;
	case CHANGE_BETTER:
		return OUTCOME_BETTER;
	case CHANGE_WORSE:
		return OUTCOME_FAIL;
	case CHANGE_INCONCLUSIVE:
		return OUTCOME_OPEN;
	default:
		return OUTCOME_SKIPPED;
	}
}

static char *text_by(void (*add)(struct strbuf *, const struct aspect_change *, enum aspect),
		     const struct aspect_change *a, enum aspect k)
{
	struct strbuf text = STRBUF_INIT;
	add(&text, a, k);
	return strbuf_detach(&text);
}

static void row_of(struct machine *m, const struct case_change *c, enum aspect k)
{
	const struct aspect_change *a = &c->aspect[k];
	struct machine_row *r = machine_row_add(m);
	r->scenario = c->scenario;
	r->replayer = c->new_case->replayer;
	r->component = aspect_names[k];
	r->outcome = outcome_of(a->word);
	r->word = change_name(a->word);
	r->number = text_by(compare_add_change, a, k);
	r->limit = text_by(compare_add_limit, a, k);
	r->message = text_by(compare_add_reason, a, k);
	r->value = a->change;
	r->value_limit = a->limit;
	r->unmeasured = !c->measured;
}

/* Whether a difference is a row. A reason that forbids a good result is a row, so that a program
 * that only counts rows does not see a success. */
static bool is_open(const struct campaign_change *c, const struct difference *d)
{
	return d->refuses || (d->kind == DIFFERENCE_MISSING && c->n_missing);
}

static void difference_row(struct machine *m, const struct difference *d, const char *text)
{
	struct machine_row *r = machine_row_add(m);
	r->scenario = "comparison";
	r->replayer = difference_names[d->kind];
	r->component = d->what;
	r->outcome = OUTCOME_OPEN;
	r->unmeasured = true;
	r->word = d->refuses ? "not comparable" : "inconclusive";
	r->number = xstrdup("none");
	r->limit = xstrdup("none");
	r->message = xstrdup(text);
}

static const enum outcome open_as[] = {[INCONCLUSIVE_ERROR] = OUTCOME_OPEN,
				       [INCONCLUSIVE_PASS] = OUTCOME_PASS,
				       [INCONCLUSIVE_FAIL] = OUTCOME_FAIL,
				       [INCONCLUSIVE_SKIP] = OUTCOME_SKIPPED};

static void machine_of_comparison(struct machine *m, const struct campaign_change *c)
{
	struct strbuf title = STRBUF_INIT, headline = STRBUF_INIT;
	SCOPED_STRBUF line = STRBUF_INIT;
	compare_add_title(&title, c);
	compare_add_headline(&headline, c);
	*m = (struct machine){
	    .suite = "validate compare",
	    .metric = "validate_compare",
	    .open_as = open_as[c->inconclusive],
	    .title = strbuf_detach(&title),
	    .headline = strbuf_detach(&headline),
	    .outcome = c->n_refusing ? OUTCOME_OPEN : outcome_of(c->word),
	};
	for (size_t i = 0; i < c->n_differences; i++) {
		strbuf_reset(&line);
		compare_add_difference(&line, &c->difference[i]);
		if (is_open(c, &c->difference[i]))
			difference_row(m, &c->difference[i], line.s);
		else
			machine_note_add(m, line.s);
	}
	for (int is_new = 0; is_new < 2; is_new++) {
		strbuf_reset(&line);
		compare_add_failed(&line, c, is_new);
		if (line.len)
			machine_note_add(m, line.s);
	}
	for (size_t i = 0; i < c->n_cells; i++)
		for (size_t k = 0; k < ASPECT_N; k++)
			row_of(m, &c->cell[i], (enum aspect)k);
}

static void add_by(void (*add)(struct strbuf *, const struct machine *), struct strbuf *out,
		   const struct campaign_change *c)
{
	SCOPED(machine_release) struct machine m;
	machine_of_comparison(&m, c);
	add(out, &m);
}

#define FORM(which, what)                                                                          \
	static void add_##which(struct strbuf *out, const struct campaign_change *c)               \
	{                                                                                          \
		add_by(machine_add_##which, out, c);                                               \
	}                                                                                          \
	const struct compare_form compare_form_##which = {#which, what, add_##which}

FORM(markdown, "Markdown below 1 MiB for the step summary of a GitHub Actions run; for a comment "
	"on a pull request, cut it to 65536 characters");
FORM(junit, "XML, a test case for each case and component");
FORM(github, "annotations of a GitHub Actions run, at most ten");
FORM(openmetrics, "gauges and states for a time series database");
FORM(prometheus, "the same data, all as gauges, in the text format of Prometheus");
