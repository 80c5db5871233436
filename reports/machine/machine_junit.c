/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JUnit XML: a test case for each case and component. A rejection is a failure, and an inconclusive
 * decision an error, which readers of JUnit show as a separate state. Source: the schema of
 * Jenkins' xUnit plugin (junit-10.xsd). */
#include "reports/escape.h"
#include "reports/machine/machine.h"

/* Returns the outcome in JUnit. For an inconclusive row, the user chooses it (machine.open_as). */
static enum outcome outcome_of(const struct machine *m, const struct machine_row *r)
{
	return r->outcome == OUTCOME_OPEN && !r->unmeasured ? m->open_as : r->outcome;
}

static size_t count(const struct machine *m, enum outcome o)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_rows; i++)
		n += outcome_of(m, &m->row[i]) == o;
	return n;
}

static void attribute(struct strbuf *out, const char *name, const char *value)
{
	strbuf_addf(out, " %s=\"", name);
	escape_html(out, value);
	strbuf_addch(out, '"');
}

static void counts_add(struct strbuf *out, const struct machine *m)
{
	strbuf_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", m->n_rows,
		    count(m, OUTCOME_FAIL), count(m, OUTCOME_OPEN));
}

static void row_add(struct strbuf *out, const struct machine *m, const struct machine_row *r)
{
	static const char *const element[] = {[OUTCOME_FAIL] = "failure",
					      [OUTCOME_OPEN] = "error",
					      [OUTCOME_SKIPPED] = "skipped",
					      [OUTCOME_PASS] = NULL};
	SCOPED_STRBUF name = STRBUF_INIT;
	strbuf_addf(&name, "%s, %s", r->scenario, r->replayer);
	strbuf_addstr(out, "  <testcase");
	attribute(out, "classname", name.s);
	attribute(out, "name", r->component);
	const enum outcome o = outcome_of(m, r);
	if (element[o]) {
		strbuf_addstr(out, ">\n");
		strbuf_addf(out, "   <%s", element[o]);
		if (o != OUTCOME_SKIPPED)
			attribute(out, "type", r->word);
		attribute(out, "message", r->message ? r->message : r->word);
		strbuf_addstr(out, "/>\n");
		strbuf_addstr(out, "  </testcase>\n");
		return;
	}
	strbuf_addstr(out, r->message ? ">\n   <system-out>" : "/>\n");
	if (!r->message)
		return;
	escape_html(out, r->message);
	strbuf_addstr(out, "</system-out>\n  </testcase>\n");
}

static void junit_add(struct strbuf *out, const struct machine *m)
{
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	attribute(out, "name", m->suite);
	counts_add(out, m);
	strbuf_addstr(out, ">\n <testsuite");
	attribute(out, "name", m->title);
	counts_add(out, m);
	strbuf_addf(out, " skipped=\"%zu\">\n", count(m, OUTCOME_SKIPPED));
	for (size_t i = 0; i < m->n_rows; i++)
		row_add(out, m, &m->row[i]);
	strbuf_addstr(out, "  <system-out>");
	escape_html(out, m->headline);
	strbuf_addstr(out, "</system-out>\n </testsuite>\n</testsuites>\n");
}

const struct machine_format machine_junit = {
    "junit", "XML, a test case for each case and component", junit_add};
