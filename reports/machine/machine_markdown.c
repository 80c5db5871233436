/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown, for a comment on a pull request or the summary of a CI step: what is not accepted in full, the rest folded. A step's summary may
 * have 1 MiB, so rows beyond are counted instead. */
#include <stdbool.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/machine/machine.h"

#define BYTES_MAX ((size_t)1000 * 1000)

static const char *const mark[] = {
    [OUTCOME_PASS] = "✅", [OUTCOME_BETTER] = "✅", [OUTCOME_FAIL] = "❌", [OUTCOME_OPEN] = "❔", [OUTCOME_SKIPPED] = "·"};

/* Nothing of it is markup; GitHub makes mentions and references of @ and #. */
static void escaped(struct strbuf *out, const char *s)
{
	struct strbuf line = STRBUF_INIT;
	escape_line(&line, s ? s : "");
	for (const char *c = line.s; *c; c++)
		if (strchr("\\`*_{}[]()<>#+!|~&@", *c))
			strbuf_addf(out, "&#%d;", *c);
		else
			strbuf_addch(out, *c);
	strbuf_release(&line);
}

static void row_add(struct strbuf *out, const struct machine_row *r)
{
	strbuf_addf(out, "| %s ", mark[r->outcome]);
	escaped(out, r->word);
	strbuf_addstr(out, " | ");
	escaped(out, r->scenario);
	strbuf_addstr(out, " | ");
	escaped(out, r->replayer);
	strbuf_addstr(out, " | ");
	escaped(out, r->component);
	strbuf_addstr(out, " | ");
	escaped(out, r->number);
	strbuf_addstr(out, " | ");
	escaped(out, r->limit);
	strbuf_addstr(out, " | ");
	escaped(out, r->message);
	strbuf_addstr(out, " |\n");
}

static void rows_add(struct strbuf *out, const struct machine *m, bool accepted)
{
	size_t left = 0;
	strbuf_addstr(out, "| | scenario | replayer | component | found | limit | why |\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < m->n_rows; i++) {
		bool fine = m->row[i].outcome != OUTCOME_FAIL && m->row[i].outcome != OUTCOME_OPEN;
		if (fine != accepted)
			continue;
		if (out->len > BYTES_MAX)
			left++;
		else
			row_add(out, &m->row[i]);
	}
	if (left)
		strbuf_addf(out, "\nand %zu more\n", left);
}

static size_t n_open(const struct machine *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_rows; i++)
		n += m->row[i].outcome == OUTCOME_FAIL || m->row[i].outcome == OUTCOME_OPEN;
	return n;
}

static void markdown_add(struct strbuf *out, const struct machine *m)
{
	strbuf_addf(out, "### %s ", mark[m->outcome]);
	escaped(out, m->title);
	strbuf_addstr(out, "\n\n**");
	escaped(out, m->headline);
	strbuf_addstr(out, "**\n\n");
	for (size_t i = 0; i < m->n_notes && out->len < BYTES_MAX / 2; i++) {
		strbuf_addstr(out, "- ");
		escaped(out, m->note[i]);
		strbuf_addch(out, '\n');
	}
	if (m->n_notes)
		strbuf_addch(out, '\n');
	if (n_open(m))
		rows_add(out, m, false);
	if (n_open(m) == m->n_rows)
		return;
	strbuf_addf(out, "\n<details><summary>%zu more</summary>\n\n", m->n_rows - n_open(m));
	rows_add(out, m, true);
	strbuf_addstr(out, "\n</details>\n");
}

const struct machine_format machine_markdown = {"markdown", "for a comment on a pull request or a step summary, below 1 MiB", markdown_add};
