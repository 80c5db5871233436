/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report on one screen: which replayer is trusted in which scenario, and the reason if it is
 * not. */
#include "reports/terminal/terminal.h"

#include <sys/ioctl.h>

#include "reports/escape.h"
#include "reports/figures/figure.h"
#include "reports/first_screen.h"
#include "reports/forms.h"
#include "reports/output.h"
#include "reports/terminal/terminal_private.h"
#include "reports/words.h"
#include "validate/analysis/league.h"

#define LEAGUE_LEAST 3 /* two replayers need no table */
#define WIDTH 80 /* the minimum, and the default if the width is unknown */
#define MAX_WIDTH 100
#define MAX_WARNINGS 6
/* number of different reasons that are shown for one component and decision */
#define MAX_REJECTED 2
#define MAX_INCONCLUSIVE 1
#define NAME 48     /* columns of a name in a sentence */

void terminal_add_heading(struct strbuf *out, const char *text,
			  const struct terminal_style *style)
{
	strbuf_addf(out, style->color ? "\n\x1b[1m%s\x1b[0m\n" : "\n%s\n", text);
}

void terminal_add_line(struct strbuf *out, const char *text, size_t first, size_t rest,
		       const struct terminal_style *style)
{
	strbuf_addf(out, "%*s", (int)first, "");
	text_paragraph(out, text, first, rest, style->width);
}

static void add_headline(struct strbuf *out, const struct analysis *a,
			 const struct terminal_style *style)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	text_wrap(out, words_title(a), 0, 0, style->width);
	strbuf_addstr(out, "\n\n");
	terminal_begin_verdict(out, a->verdict, style, true);
	first_screen_verdict(&line, a);
	text_wrap(out, line.s, 0, 0, style->width);
	terminal_end_verdict(out, style);
	strbuf_addch(out, '\n');
}

static void add_replayers(struct strbuf *out, const struct analysis *a,
			  const struct terminal_style *style)
{
	for (size_t i = 0; i < a->results->protocol.n_replayers && a->n_cells; i++) {
		SCOPED_STRBUF line = STRBUF_INIT;
		text_cut_name(&line, a->results->protocol.replayer[i].name, NAME);
		strbuf_addstr(&line, ": ");
		first_screen_replayer(&line, a, i);
		terminal_add_line(out, line.s, 2, 6, style);
	}
}

static void add_next(struct strbuf *out, const struct analysis *a,
		     const struct terminal_style *style, const char *dir)
{
	SCOPED_STRBUF text = STRBUF_INIT, command = STRBUF_INIT;
	first_screen_next(&text, &command, a, dir);
	if (text.len) {
		terminal_add_heading(out, "What to do next", style);
		terminal_add_line(out, text.s, 2, 2, style);
	}
	if (command.len) {
		strbuf_addstr(out, "    ");
		escape_line(out, command.s);
		strbuf_addch(out, '\n');
	}
}

static void add_machine(struct strbuf *out, const struct analysis *a,
			const struct terminal_style *style)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	words_add_machine(&line, a);
	if (line.len)
		terminal_add_line(out, line.s, 2, 6, style);
}

/* Appends " (event order=fs in 3, coordinator in 48)" if there are too many cases to list. */
static void add_replayer_counts(struct strbuf *out, const struct analysis *a,
				const struct finding_group *g)
{
	size_t n_shown = 0;
	for (size_t r = 0; r < a->results->protocol.n_replayers; r++) {
		size_t n = 0;
		for (size_t i = 0; i < g->n_findings; i++)
			for (size_t k = 0; k < g->finding[i].n_cells; k++)
				n += a->cell[g->finding[i].cell[k]].replayer == r;
		if (!n)
			continue;
		strbuf_addstr(out, n_shown++ ? ", " : " (");
		text_cut_name(out, a->results->protocol.replayer[r].name, NAME);
		strbuf_addf(out, " in %zu", n);
	}
	if (n_shown)
		strbuf_addch(out, ')');
}

static void add_finding(struct strbuf *out, const struct analysis *a, const struct finding *f,
			const struct terminal_style *style)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	for (size_t i = 0; i < f->n_cells && i < 3; i++) {
		strbuf_addstr(&line, i ? "; " : "");
		const struct cell *c = &a->cell[f->cell[i]];
		text_cut_name(&line, a->results->protocol.scenario[c->scenario].name, NAME);
		strbuf_addstr(&line, ", ");
		text_cut_name(&line, a->results->protocol.replayer[c->replayer].name, NAME);
	}
	if (f->n_cells > 3)
		strbuf_addf(&line, " and %zu more", f->n_cells - 3);
	strbuf_addf(&line, ": %s", f->reason);
	terminal_add_line(out, line.s, 4, 6, style);
}

static void add_group(struct strbuf *out, const struct analysis *a, const struct finding_group *g,
		      const struct terminal_style *style)
{
	size_t n_shown = g->decision == DECISION_REJECT ? MAX_REJECTED : MAX_INCONCLUSIVE;
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addf(&line, "%s: %s in %zu of %zu case%s", component_names[g->kind],
		    g->decision == DECISION_REJECT ? "rejected" : "inconclusive", g->n_cells,
		    a->n_cells, a->n_cells == 1 ? "" : "s");
	if (g->n_findings > n_shown)
		add_replayer_counts(&line, a, g);
	strbuf_addch(&line, '.');
	words_add_more(&line, g);
	if (g->n_findings > n_shown)
		strbuf_addstr(&line, " For example:");
	terminal_add_line(out, line.s, 2, 4, style);
	for (size_t k = 0; k < g->n_findings && k < n_shown; k++)
		add_finding(out, a, &g->finding[k], style);
}

static void add_worst(struct strbuf *line, const struct analysis *a, const struct league_row *row)
{
	if (row->worst[LEAGUE_BIAS] == LEAGUE_NO_CELL)
		return;
	const struct cell *c = &a->cell[row->worst[LEAGUE_BIAS]];
	strbuf_addstr(line, "; bias up to ");
	words_add_estimate(line, &c->component[COMPONENT_BIAS], false);
	strbuf_addf(line, " (%s)", a->results->protocol.scenario[c->scenario].name);
}

/* Adds a table that compares the replayers, the best first, if there are several. */
static void add_league(struct strbuf *out, const struct analysis *a,
		       const struct terminal_style *style)
{
	if (a->n_league < LEAGUE_LEAST)
		return;
	terminal_add_heading(out, "League table", style);
	for (size_t i = 0; i < a->n_league; i++) {
		const struct league_row *row = &a->league[i];
		const struct replayer *r = &a->results->protocol.replayer[row->replayer];
		SCOPED_STRBUF line = STRBUF_INIT;
		strbuf_addf(&line, "%2zu. ", i + 1);
		words_add_replayer(&line, r);
		strbuf_addstr(&line, ": ");
		if (row->absent)
			strbuf_addf(&line, "not found (%s)", r->absent);
		else if (!row->judged)
			strbuf_addstr(&line, "no result");
		else
			strbuf_addf(&line, "%s, %zu of %zu %s, %zu %s",
				    words_league_verdict(a, row), row->n_trusted, row->n_cells,
				    words_claim_verdict(a, VERDICT_TRUSTED), row->n_not_trusted,
				    words_claim_verdict(a, VERDICT_NOT_TRUSTED));
		if (row->judged)
			add_worst(&line, a, row);
		if (row->n_failed)
			strbuf_addf(&line,
				    row->n_failed == 1 ? "; %llu run failed" : "; %llu runs failed",
				    (unsigned long long)row->n_failed);
		terminal_add_line(out, line.s, 2, 6, style);
	}
}

static void add_warnings(struct strbuf *out, const struct findings *f,
			 const struct terminal_style *style)
{
	if (f->n_warnings)
		terminal_add_heading(out, "Warnings", style);
	for (size_t i = 0; i < f->n_warnings && i < MAX_WARNINGS; i++) {
		SCOPED_STRBUF text = STRBUF_INIT;
		text_cut(&text, f->warning[i], 280);
		terminal_add_line(out, text.s, 2, 4, style);
	}
	if (f->n_warnings > MAX_WARNINGS)
		strbuf_addf(out, "  and %zu more in the report\n", f->n_warnings - MAX_WARNINGS);
}

static void add_facts(struct strbuf *out, const struct analysis *a,
		      const struct terminal_style *style)
{
	bool any = false;
	for (const struct fact *f = facts; f->name; f++) {
		SCOPED_STRBUF line = STRBUF_INIT;
		f->add(&line, a);
		if (!line.len)
			continue;
		if (!any)
			terminal_add_heading(out, "How it was measured", style);
		any = true;
		terminal_add_line(out, line.s, 2, 4, style);
	}
}

static void add_footer(struct strbuf *out, const struct analysis *a,
		       const struct terminal_style *style, const char *dir)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	strbuf_addstr(out, "\n");
	strbuf_addstr(&line, "Assessed: ");
	words_add_components(&line, a, true);
	strbuf_addstr(&line, ". Not assessed or not applicable: ");
	words_add_components(&line, a, false);
	strbuf_addstr(&line, ".");
	words_add_not_visible(&line, " Not visible in the recordings: ", a, ".");
	text_paragraph(out, line.s, 0, 2, style->width);
	if (!figure_gnuplot_found())
		strbuf_addstr(out, "gnuplot was not found: the report has no plots.\n");
	if (dir) {
		strbuf_addstr(out, "\nReport: ");
		escape_line(out, dir);
		strbuf_addstr(out, "/report/index.html\n");
	}
}

void terminal_add(struct strbuf *out, const struct analysis *a, size_t width, bool color,
		  const char *dir, const char *report_in)
{
	SCOPED(findings_release) struct findings f;
	struct terminal_style style = {.width = width, .color = color};
	findings_collect(&f, a);
	add_headline(out, a, &style);
	add_replayers(out, a, &style);
	add_machine(out, a, &style);
	add_next(out, a, &style, dir ? dir : "DIR");
	if (a->n_cells) {
		strbuf_addch(out, '\n');
		terminal_add_cells(out, a, &style);
	}
	add_league(out, a, &style);
	if (f.n_groups)
		terminal_add_heading(out, "What was not accepted", &style);
	for (size_t i = 0; i < f.n_groups; i++)
		add_group(out, a, &f.group[i], &style);
	terminal_add_why(out, a, &style);
	terminal_add_parallel(out, a, &style);
	terminal_add_published(out, a, &style);
	add_warnings(out, &f, &style);
	add_facts(out, a, &style);
	add_footer(out, a, &style, report_in);
}

static int terminal_write(const struct analysis *a, const char *report_dir, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	terminal_add(&text, a, WIDTH, false, NULL, NULL);
	return output_file(report_dir, "summary.txt", &text, e);
}

static size_t width_of(int fd)
{
	struct winsize w;
	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &w) < 0 || w.ws_col < WIDTH)
		return WIDTH;
	return w.ws_col > MAX_WIDTH ? MAX_WIDTH : w.ws_col;
}

static bool color_wanted(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb");
}

static int terminal_print(const struct analysis *a, FILE *out, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int fd = fileno(out);
	terminal_add(&text, a, width_of(fd), color_wanted(fd), a->results->dir,
		     a->results->report_in);
	return output_stream(out, &text, e);
}

const struct report_form report_form_terminal = {
    .name = "terminal",
    .help = "the verdict on one screen",
    .write = terminal_write,
    .print = terminal_print,
};
