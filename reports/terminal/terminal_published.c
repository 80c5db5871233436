/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published findings on the terminal: each with its outcome here. The values are in the report. */
#include "reports/escape.h"
#include "reports/published_words.h"
#include "reports/terminal/terminal_table.h"

#define TEXT 300

void terminal_add_published(struct strbuf *out, const struct analysis *a, const struct terminal_style *style)
{
	if (!a->n_claims && !a->n_published)
		return;
	strbuf_addf(out, style->color ? "\n\x1b[1m%s\x1b[0m\n" : "\n%s\n", "Published findings, on this machine");
	for (size_t i = 0; i < a->n_claims; i++) {
		const struct claim *c = &a->results->protocol.claim[i];
		struct strbuf line = STRBUF_INIT;
		strbuf_addf(&line, "%s: ", claim_outcome_names[a->claim[i].outcome]);
		text_cut(&line, c->text, TEXT);
		strbuf_addstr(&line, " (");
		text_cut(&line, c->source, TEXT);
		strbuf_addstr(&line, ")");
		if (c->published) {
			strbuf_addstr(&line, "; there ");
			text_cut(&line, c->published, TEXT);
		}
		strbuf_addstr(&line, "; here ");
		published_add_outcome(&line, a, i);
		strbuf_addstr(out, "  ");
		text_wrap(out, line.s, 2, 4, style->width);
		strbuf_addch(out, '\n');
		if (c->reproduce)
			strbuf_addf(out, "    by hand: %s\n", c->reproduce);
		strbuf_release(&line);
	}
	for (const char *const *defect = published_defects(a); *defect; defect++) {
		strbuf_addstr(out, "  Note: ");
		text_wrap(out, *defect, 8, 4, style->width);
		strbuf_addch(out, '\n');
	}
	if (a->n_published)
		strbuf_addf(out, "  %zu published value%s beside those measured: tables/published.csv in the report\n", a->n_published,
			    a->n_published == 1 ? "" : "s");
}
