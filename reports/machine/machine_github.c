/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workflow commands of GitHub Actions: annotations of a run. GitHub shows ten annotations of a
 * level for each step, so at most ten are written. Source: docs.github.com, "Workflow commands for
 * GitHub Actions"; escaping as in the toolkit's command.ts. */
#include "reports/escape.h"
#include "reports/machine/machine.h"

#define ANNOTATIONS_MAX 10

static void escaped_add(struct strbuf *out, const char *s, bool property)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	escape_line(&line, s);
	for (const char *c = line.s; *c; c++)
		if (*c == '%')
			strbuf_addstr(out, "%25");
		else if (property && *c == ':')
			strbuf_addstr(out, "%3A");
		else if (property && *c == ',')
			strbuf_addstr(out, "%2C");
		else
			strbuf_addch(out, *c);
}

static void annotation_add(struct strbuf *out, const char *level, const char *title,
			   const char *message)
{
	strbuf_addf(out, "::%s title=", level);
	escaped_add(out, title, true);
	strbuf_addstr(out, "::");
	escaped_add(out, message, false);
	strbuf_addch(out, '\n');
}

static void row_add(struct strbuf *out, const struct machine_row *r, const char *level,
		    const char *before)
{
	SCOPED_STRBUF title = STRBUF_INIT, text = STRBUF_INIT;
	strbuf_addf(&title, "%s: %s", r->component, r->word);
	strbuf_addf(&text, "%s%s, %s: %s", before, r->scenario, r->replayer,
		    r->message ? r->message : r->word);
	annotation_add(out, level, title.s, text.s);
}

/* Adds an annotation for each inconclusive component: on a busy machine every case may be so. */
static void groups_add(struct strbuf *out, const struct machine *m, size_t room)
{
	for (size_t i = 0; i < m->n_rows && room; i++) {
		struct machine_group g = {.first = NULL};
		if (m->row[i].outcome == OUTCOME_OPEN)
			g = machine_group_at(m, i);
		if (!g.first)
			continue;
		SCOPED_STRBUF cases = STRBUF_INIT;
		if (g.n > 1)
			strbuf_addf(&cases, "in %zu of %zu cases; for example ", g.n,
				    g.n_component);
		row_add(out, g.first, "warning", cases.s);
		room--;
	}
}

void machine_add_github(struct strbuf *out, const struct machine *m)
{
	const char *level = m->outcome == OUTCOME_FAIL   ? "error"
			    : m->outcome == OUTCOME_OPEN ? "warning"
							 : "notice";
	size_t room = ANNOTATIONS_MAX - 1;
	annotation_add(out, level, m->title, m->headline);
	for (size_t i = 0; i < m->n_rows && room; i++)
		if (m->row[i].outcome == OUTCOME_FAIL) {
			row_add(out, &m->row[i], "error", "");
			room--;
		}
	groups_add(out, m, room);
}
