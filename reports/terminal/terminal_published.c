/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published findings and parallel applications on the terminal. */
#include "reports/escape.h"
#include "reports/terminal/terminal_private.h"
#include "reports/words.h"

#define TEXT 300

void terminal_add_published(struct strbuf *out, const struct analysis *a,
			    const struct terminal_style *style)
{
	if (!a->n_claims && !a->n_published)
		return;
	terminal_add_heading(out, "Published findings, tested on this machine", style);
	for (size_t i = 0; i < a->n_claims; i++) {
		const struct claim *c = &a->results->protocol.claim[i];
		SCOPED_STRBUF line = STRBUF_INIT;
		strbuf_addf(&line, "%s: ", claim_outcome_names[a->claim[i].outcome]);
		text_cut(&line, c->text, TEXT);
		strbuf_addstr(&line, " (");
		text_cut(&line, c->source, TEXT);
		strbuf_addstr(&line, ")");
		if (c->published) {
			strbuf_addstr(&line, "; published: ");
			text_cut(&line, c->published, TEXT);
		}
		strbuf_addstr(&line, "; measured here: ");
		published_add_outcome(&line, a, i);
		terminal_add_line(out, line.s, 2, 4, style);
		if (c->reproduce)
			strbuf_addf(out, "    to check this finding by hand: %s\n", c->reproduce);
	}
	for (const char *const *defect = published_defects(a); *defect; defect++) {
		strbuf_addstr(out, "  Note: ");
		text_paragraph(out, *defect, 8, 4, style->width);
	}
	if (a->n_published)
		strbuf_addf(out,
			    "  tables/published.csv in the report has %zu published value%s beside "
			    "the\n    measured value%s\n", a->n_published,
			    a->n_published == 1 ? "" : "s", a->n_published == 1 ? "" : "s");
}

static void add_sum(struct strbuf *out, const struct analysis *a, const struct parallel_sum *s,
		    const struct terminal_style *style)
{
	const struct parallel_worst *w =
	    s->worst == PARALLEL_NO_CELL ? NULL : &a->parallel->worst[s->worst];
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addf(&line, "%s: error of the execution time ",
		    a->results->protocol.replayer[s->replayer].name);
	if (w) {
		const struct scenario *of = cell_scenario(a, w->cell);
		strbuf_addf(&line, "%.3g %% on average over %zu case%s, %.3g %% at most (",
			    100 * s->mean_size, s->n_cells, s->n_cells == 1 ? "" : "s",
			    100 * w->size.value);
		parallel_add_application(&line, of);
		strbuf_addf(&line, " on %s, recorded on %s)",
			    a->results->protocol.target[of->target].name,
			    a->results->protocol.target[of->recorded_on].name);
	} else {
		strbuf_addstr(&line, "is not known");
	}
	terminal_add_line(out, line.s, 2, 4, style);
}

void terminal_add_parallel(struct strbuf *out, const struct analysis *a,
			   const struct terminal_style *style)
{
	if (!a->parallel)
		return;
	terminal_add_heading(out, "Parallel applications", style);
	for (size_t i = 0; i < a->parallel->n_sums; i++)
		add_sum(out, a, &a->parallel->sum[i], style);
	strbuf_addstr(out, "  tables/parallel-replayers.csv in the report has the largest error of "
			   "each\n    replayer for each application, target and capture setting\n");
}
