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

static size_t outcomes_count(const struct machine *m, enum outcome o)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n_rows; i++)
		n += outcome_of(m, &m->row[i]) == o;
	return n;
}

static void attribute_add(struct strbuf *out, const char *name, const char *value)
{
	html_addf(out, " %s=\"%s\"", name, value);
}

static void counts_add(struct strbuf *out, const struct machine *m)
{
	html_addf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", m->n_rows,
		    outcomes_count(m, OUTCOME_FAIL), outcomes_count(m, OUTCOME_OPEN));
}

static void row_add(struct strbuf *out, const struct machine *m, const struct machine_row *r)
{
	static const char *const element[] = {[OUTCOME_FAIL] = "failure",
					      [OUTCOME_OPEN] = "error",
					      [OUTCOME_SKIPPED] = "skipped",
					      [OUTCOME_PASS] = NULL};
	html_addf(out, "  <testcase classname=\"%s, %s\" name=\"%s\"", r->scenario, r->replayer,
		  r->component);
	const enum outcome o = outcome_of(m, r);
	if (element[o]) {
		strbuf_addf(out, ">\n   <%s", element[o]);
		if (o != OUTCOME_SKIPPED)
			attribute_add(out, "type", r->word);
		attribute_add(out, "message", r->message ? r->message : r->word);
		strbuf_addstr(out, "/>\n  </testcase>\n");
	} else if (r->message) {
		html_addf(out, ">\n   <system-out>%s</system-out>\n  </testcase>\n", r->message);
	} else {
		strbuf_addstr(out, "/>\n");
	}
}

void machine_add_junit(struct strbuf *out, const struct machine *m)
{
	strbuf_addstr(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	attribute_add(out, "name", m->suite);
	counts_add(out, m);
	strbuf_addstr(out, ">\n <testsuite");
	attribute_add(out, "name", m->title);
	counts_add(out, m);
	strbuf_addf(out, " skipped=\"%zu\">\n", outcomes_count(m, OUTCOME_SKIPPED));
	for (size_t i = 0; i < m->n_rows; i++)
		row_add(out, m, &m->row[i]);
	html_addf(out, "  <system-out>%s</system-out>\n </testsuite>\n</testsuites>\n",
		  m->headline);
}
