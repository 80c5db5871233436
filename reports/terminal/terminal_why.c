/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sentence for each cause of a difference, if the case is not trusted or differs significantly,
 * and for each rated range. */
#include "reports/escape.h"
#include "reports/terminal/terminal_private.h"
#include "reports/words.h"

#define MAX_CASES 4
#define MAX_RANGES 4
#define NAME 48

static void add_rest(struct strbuf *out, size_t n, const char *what)
{
	if (n)
		strbuf_addf(out, "  and %zu more %s%s in the report\n", n, what, n > 1 ? "s" : "");
}

/* Appends the differences and causes of a case, each in a paragraph. */
static void add_parts(struct strbuf *out, const struct why *w, const struct terminal_style *style)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	words_add_why(&all, w);
	for (const char *part = all.s, *end; part; part = end ? end + 2 : NULL) {
		end = strstr(part, "; ");
		SCOPED_FREE char *text = xasprintf("%.*s", end ? (int)(end - part) : INT_MAX, part);
		terminal_add_line(out, text, 4, 6, style);
	}
}

/* Appends causes: first those of cases that are not trusted, then those of other cases whose
 * difference is significant. */
static void add_causes(struct strbuf *out, const struct analysis *a,
		       const struct terminal_style *style)
{
	size_t n = 0;
	for (int rejected = 1; a->why && rejected >= 0; rejected--)
		for (size_t i = 0; i < a->n_cells; i++) {
			if (!a->why[i].shown || a->why[i].rejected != rejected || n++ >= MAX_CASES)
				continue;
			if (n == 1)
				terminal_add_heading(out, "Why the replays differ", style);
			const struct protocol *p = &a->results->protocol;
			SCOPED_STRBUF line = STRBUF_INIT;
			text_cut_name(&line, p->scenario[a->cell[i].scenario].name, NAME);
			strbuf_addstr(&line, ", ");
			text_cut_name(&line, p->replayer[a->cell[i].replayer].name, NAME);
			strbuf_addch(&line, ':');
			terminal_add_line(out, line.s, 2, 4, style);
			add_parts(out, &a->why[i], style);
		}
	add_rest(out, n > MAX_CASES ? n - MAX_CASES : 0, "case");
	SCOPED_STRBUF notes = STRBUF_INIT;
	words_add_why_notes(&notes, a);
	if (n && notes.len)
		terminal_add_line(out, notes.s + 1, 2, 2, style);
}

static void add_ranges(struct strbuf *out, const struct analysis *a,
		       const struct terminal_style *style)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_rated; i++) {
		SCOPED_STRBUF line = STRBUF_INIT, shown = STRBUF_INIT;
		if (a->rated[i].n < 2 || n++ >= MAX_RANGES)
			continue;
		if (n == 1)
			terminal_add_heading(out, "Rated range", style);
		rated_add_words(&line, a, &a->rated[i], true);
		text_cut(&shown, line.s, 400);
		terminal_add_line(out, shown.s, 2, 4, style);
	}
	add_rest(out, n > MAX_RANGES ? n - MAX_RANGES : 0, "range");
}

void terminal_add_why(struct strbuf *out, const struct analysis *a,
		      const struct terminal_style *style)
{
	add_causes(out, a, style);
	add_ranges(out, a, style);
}
