/* SPDX-License-Identifier: GPL-3.0-or-later */
/* OpenMetrics text: the outcome of each case and component, and its value and limit if it has them.
 * The Prometheus format has no statesets: there, states are gauges with the label "outcome".
 * Source: OpenMetrics 1.0.0 (stateset, escaping of label values, final # EOF); Prometheus text
 * format 0.0.4. */
#include "reports/escape.h"
#include "reports/machine/machine.h"

static const char *const states[] = {[OUTCOME_PASS] = "pass",
				     [OUTCOME_BETTER] = "better",
				     [OUTCOME_FAIL] = "fail",
				     [OUTCOME_OPEN] = "inconclusive",
				     [OUTCOME_SKIPPED] = "not_judged"};

static void label_add(struct strbuf *out, const char *name, const char *value)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	escape_line(&line, value);
	strbuf_addf(out, "%s=\"", name);
	for (const char *c = line.s; *c; c++) {
		if (*c == '"' || *c == '\\')
			strbuf_addch(out, '\\');
		strbuf_addch(out, *c);
	}
	strbuf_addch(out, '"');
}

static void labels_add(struct strbuf *out, const struct machine_row *r)
{
	strbuf_addch(out, '{');
	label_add(out, "scenario", r->scenario);
	strbuf_addch(out, ',');
	label_add(out, "replayer", r->replayer);
	strbuf_addch(out, ',');
	label_add(out, "component", r->component);
}

static void head_add(struct strbuf *out, const char *metric, const char *suffix, const char *type,
		     const char *help)
{
	strbuf_addf(out, "# TYPE %s%s %s\n# HELP %s%s %s\n", metric, suffix, type, metric, suffix,
		    help);
}

static void outcomes_add(struct strbuf *out, const struct machine *m, bool statesets)
{
	head_add(out, m->metric, "_outcome", statesets ? "stateset" : "gauge",
		 "Outcome of each component of a case.");
	for (size_t i = 0; i < m->n_rows; i++)
		for (size_t k = 0; k < sizeof states / sizeof *states; k++) {
			strbuf_addf(out, "%s_outcome", m->metric);
			labels_add(out, &m->row[i]);
			strbuf_addf(out, ",%s%s=\"%s\"} %d\n", statesets ? m->metric : "",
				    statesets ? "_outcome" : "outcome", states[k],
				    m->row[i].outcome == k);
		}
}

static void values_add(struct strbuf *out, const struct machine *m, const char *suffix,
		       const char *help, bool limit)
{
	head_add(out, m->metric, suffix, "gauge", help);
	for (size_t i = 0; i < m->n_rows; i++) {
		double x = limit ? m->row[i].value_limit : m->row[i].value;
		if (!isfinite(x))
			continue;
		strbuf_addf(out, "%s%s", m->metric, suffix);
		labels_add(out, &m->row[i]);
		strbuf_addf(out, "} %.17g\n", x);
	}
}

static void all_add(struct strbuf *out, const struct machine *m, bool statesets)
{
	head_add(out, m->metric, "", statesets ? "stateset" : "gauge", "Overall outcome.");
	for (size_t k = 0; k < sizeof states / sizeof *states; k++)
		if (k != OUTCOME_SKIPPED)
			strbuf_addf(out, "%s{%s=\"%s\"} %d\n", m->metric,
				    statesets ? m->metric : "outcome", states[k], m->outcome == k);
	outcomes_add(out, m, statesets);
	values_add(out, m, "_value",
		   "Measured value of the component: a ratio (0.1 is 10 %), ns or a count.", false);
	values_add(out, m, "_limit", "The limit of the component.", true);
}

void machine_add_openmetrics(struct strbuf *out, const struct machine *m)
{
	all_add(out, m, true);
	strbuf_addstr(out, "# EOF\n");
}

void machine_add_prometheus(struct strbuf *out, const struct machine *m)
{
	all_add(out, m, false);
}
