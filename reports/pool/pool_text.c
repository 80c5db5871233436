/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/pool/pool_report.h"
#include "reports/text_table.h"
#include "reports/words.h"

#define NAME_WIDTH 22

#define RATIOS                                                                                     \
	"Each result is a ratio: the value of a replay divided by the value of the program in "    \
	"the same block on the same machine. So laboratories with different machines can be "     \
	"compared. "
#define NONE_LEFT_OUT "Outliers and stragglers are named, but not left out (ISO 5725-2)."

const char pool_introduction[] = RATIOS NONE_LEFT_OUT;

static const char explanation[] =
    RATIOS
    "The league table counts the cases of each replayer in all laboratories, and shows "
    "the largest bias of these cases. Bias: mean over the laboratories. "
    "s_r: scatter within a laboratory; s_L: scatter between laboratories; s_R: both together, with "
    "its 95 % interval (s_R from, s_R to). "
    "Two results of one laboratory differ by more than r with a probability of 5 %. Two results of "
    "different laboratories differ by more than R with a probability of 5 %. "
    NONE_LEFT_OUT;

static size_t n_suspect(const struct pool *p, bool outliers)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_laboratories; i++)
		n += (outliers ? p->laboratory[i].n_outlying : p->laboratory[i].n_straggling) > 0;
	return n;
}

static void suspects_add(struct strbuf *out, const struct pool *p, bool outliers)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct pool_laboratory *l = &p->laboratory[i];
		const size_t n_marked = outliers ? l->n_outlying : l->n_straggling;
		if (!n_marked)
			continue;
		if (n++)
			strbuf_addstr(out, ", ");
		else
			strbuf_addstr(out, outliers ? ": outlier " : "; straggler ");
		strbuf_addf(out, "%s (in %zu of %zu)", l->name, n_marked, l->n_cases);
	}
}

void pool_sentence_add(struct strbuf *out, const struct pool *p)
{
	strbuf_addf(out, "%zu laboratories, ", p->n_laboratories);
	words_add_count(out, p->n_cases, "case", "cases");
	if (!n_suspect(p, true) && !n_suspect(p, false))
		strbuf_addstr(out, ": no outlier and no straggler");
	else if (!n_suspect(p, true))
		strbuf_addstr(out, ": no outlier");
	suspects_add(out, p, true);
	suspects_add(out, p, false);
}

void pool_warning_add(struct strbuf *out, const struct pool_warning *w)
{
	static const char unknown[] = "version unknown";
	const char *x = w->x->name, *y = w->y ? w->y->name : "";
	switch (w->kind) {
	case POOL_OTHER_REQUESTS:
		strbuf_addf(out, "%s and %s did not replay the same requests in %zu of %zu "
				 "scenarios (first: %s): with min-duration, each laboratory "
				 "determines the number of requests itself; min-duration = 0 fixes "
				 "the number",
			    x, y, w->n, w->of, w->what);
		break;
	case POOL_OTHER_PROGRAM:
		strbuf_addf(out, "the program files of replayer %s differ between %s (%s) "
				 "and %s (%s)",
			    w->what, x, w->x_version ? w->x_version : unknown, y,
			    w->y_version ? w->y_version : unknown);
		break;
	case POOL_OTHER_VERSION:
		strbuf_addf(out, "%s was measured by validate %s, %s by %s", x,
			    w->x->baseline->program_version, y, w->y->baseline->program_version);
		break;
	case POOL_COPY:
		strbuf_addf(out, "%s and %s have the same response times in %zu of %zu cases: one "
			    "is a copy of the other", x, y, w->n, w->of);
		break;
	case POOL_OTHER_SPEED:
		strbuf_addf(out, "the program's requests are %.3g times as %s in %s as in the "
			    "other laboratories: check that target and units are the same",
			    exp(fabs(log(w->factor))), w->factor < 1 ? "fast" : "slow", x);
		break;
	}
}

static void warning_add(struct strbuf *out, const char *text, size_t width)
{
	strbuf_addstr(out, "Warning: ");
	text_paragraph(out, text, 9, 2, width);
}

/* Whether the table is only on the page and in CSV, because it is wider than a terminal. */
static bool is_wide(const char *name)
{
	return !strcmp(name, "laboratories") || !strcmp(name, "classes") ||
	       !strcmp(name, "machines");
}

/* Appends the text. The answer comes first: which laboratory is an outlier, and how far two results
 * may differ. */
static void text_add(struct strbuf *out, const void *study, size_t width)
{
	const struct pool *p = study;
	SCOPED_STRBUF line = STRBUF_INIT;
	SCOPED(tables_release) struct tables ts;
	pool_sentence_add(&line, p);
	text_paragraph(out, line.s, 0, 2, width);
	if (p->difference)
		warning_add(out, p->difference, width);
	for (size_t i = 0; i < p->n_warnings; i++) {
		strbuf_reset(&line);
		pool_warning_add(&line, &p->warning[i]);
		warning_add(out, line.s, width);
	}
	strbuf_addch(out, '\n');
	text_paragraph(out, explanation, 0, 0, width);
	pool_tables_build(&ts, p);
	for (size_t i = 0; i < ts.n; i++) {
		if (!table_n_rows(&ts.table[i]) || is_wide(ts.table[i].name))
			continue;
		strbuf_addf(out, "\n%s\n\n", ts.table[i].title);
		text_add_table(out, &ts.table[i], NAME_WIDTH, width);
	}
}

const struct study_form pool_form = {
	.command = "pool",
	.tables_build = pool_tables_build,
	.figures_build = pool_figures_build,
	.text_add = text_add,
	.json_add = pool_json_add,
	.html_add = pool_html_add,
};
