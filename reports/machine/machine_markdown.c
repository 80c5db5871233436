/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown for a comment on a pull request or the summary of a CI step: rows that are not accepted
 * are shown, the others folded. A summary may have 1 MiB, so further rows are only counted. */
#include "reports/escape.h"
#include "reports/machine/machine.h"

#define BYTES_MAX ((size_t)1000 * 1000)
/* more inconclusive rows than this are counted by component, and folded */
#define OPEN_MAX 12

static const char *const mark[] = {[OUTCOME_PASS] = "✅",
				   [OUTCOME_BETTER] = "✅",
				   [OUTCOME_FAIL] = "❌",
				   [OUTCOME_OPEN] = "❔",
				   [OUTCOME_SKIPPED] = "·"};

/* Appends text without markup. GitHub would make mentions and references of @ and #. */
static void escaped_add(struct strbuf *out, const char *s)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	escape_line(&line, s ? s : "");
	for (const char *c = line.s; *c; c++)
		if (strchr("\\`*_{}[]()<>#+!|~&@", *c))
			strbuf_addf(out, "&#%d;", *c);
		else
			strbuf_addch(out, *c);
}

static void cells_add(struct strbuf *out, enum outcome o, const char *const *cell, size_t n)
{
	strbuf_addf(out, "| %s", mark[o]);
	for (size_t i = 0; i < n; i++) {
		strbuf_addstr(out, i ? " | " : " ");
		escaped_add(out, cell[i]);
	}
	strbuf_addstr(out, " |\n");
}

static void row_add(struct strbuf *out, const struct machine_row *r)
{
	const char *const cell[] = {r->word, r->scenario, r->replayer, r->component, r->number,
		r->limit, r->message};
	cells_add(out, r->outcome, cell, sizeof cell / sizeof *cell);
}

static size_t n_of(const struct machine *m, enum outcome o)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_rows; i++)
		n += m->row[i].outcome == o;
	return n;
}

static bool is_folded(const struct machine *m, const struct machine_row *r)
{
	return r->outcome != OUTCOME_FAIL &&
	       (r->outcome != OUTCOME_OPEN || n_of(m, OUTCOME_OPEN) > OPEN_MAX);
}

/* Appends the inconclusive rows, a line for each component. */
static void open_groups_add(struct strbuf *out, const struct machine *m)
{
	strbuf_addstr(out,
		      "| | component | cases | limit | for example |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < m->n_rows; i++) {
		struct machine_group g = {.first = NULL};
		if (m->row[i].outcome == OUTCOME_OPEN)
			g = machine_group_at(m, i);
		if (!g.first)
			continue;
		SCOPED_FREE char *cases = xasprintf("%zu of %zu", g.n, g.n_component);
		SCOPED_FREE char *example = xasprintf("%s: %s", g.first->scenario,
			g.first->number ? g.first->number : "");
		const char *const cell[] = {g.first->word, g.first->component, cases,
			g.first->limit, example};
		cells_add(out, OUTCOME_OPEN, cell, sizeof cell / sizeof *cell);
	}
}

static void rows_add(struct strbuf *out, const struct machine *m, bool folded)
{
	size_t left = 0;
	strbuf_addstr(out, "| | scenario | replayer | component | found | limit | why "
			   "|\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < m->n_rows; i++) {
		if (is_folded(m, &m->row[i]) != folded)
			continue;
		if (out->len > BYTES_MAX)
			left++;
		else
			row_add(out, &m->row[i]);
	}
	if (left)
		strbuf_addf(out, "\nand %zu more\n", left);
}

void machine_add_markdown(struct strbuf *out, const struct machine *m)
{
	strbuf_addf(out, "### %s ", mark[m->outcome]);
	escaped_add(out, m->title);
	strbuf_addstr(out, "\n\n**");
	escaped_add(out, m->headline);
	strbuf_addstr(out, "**\n\n");
	for (size_t i = 0; i < m->n_notes && out->len < BYTES_MAX / 2; i++) {
		strbuf_addstr(out, "- ");
		escaped_add(out, m->note[i]);
		strbuf_addch(out, '\n');
	}
	if (m->n_notes)
		strbuf_addch(out, '\n');
	const bool many = n_of(m, OUTCOME_OPEN) > OPEN_MAX;
	const size_t n_shown = n_of(m, OUTCOME_FAIL) + (many ? 0 : n_of(m, OUTCOME_OPEN));
	if (n_shown)
		rows_add(out, m, false);
	if (n_shown && many)
		strbuf_addch(out, '\n');
	if (many)
		open_groups_add(out, m);
	if (n_shown == m->n_rows)
		return;
	strbuf_addf(out, "\n<details><summary>%s: %zu</summary>\n\n",
		    n_shown ? "other rows" : "all rows", m->n_rows - n_shown);
	rows_add(out, m, true);
	strbuf_addstr(out, "\n</details>\n");
}
