/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The evidence: every case with its components, runs and failures, environment, protocol, how to
 * reproduce. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/words.h"
#include "validate/provenance/provenance.h"
#include "validate/components/component.h"

#define MAX_RUNS_LISTED 1200
#define MAX_PROTOCOL_BYTES (256u << 10)

/* --- cases
 * ---------------------------------------------------------------------------------------------------------
 */

static void add_component(struct strbuf *out, const struct component *c)
{
	struct strbuf estimate = STRBUF_INIT;
	words_add_estimate(&estimate, c, false);
	strbuf_addf(out, "<tr><th scope=\"row\">%s</th><td>", components[c->kind]->title);
	html_add_decision(out, c->decision);
	strbuf_addstr(out, "</td><td class=\"n\">");
	html_add_number(out, estimate.s);
	strbuf_addstr(out, "</td><td class=\"w\">");
	escape_html(out, c->reason);
	if (c->decision == DECISION_INCONCLUSIVE && c->n_more && !c->impractical)
		strbuf_addf(out, "; about %llu further replicates would probably settle it",
			    (unsigned long long)c->n_more);
	if (c->rejected_before_holm && c->decision != DECISION_REJECT)
		strbuf_addstr(out, "; a rejection by itself, but not among this many tests");
	strbuf_addstr(out, "</td></tr>\n");
	strbuf_release(&estimate);
}

static void add_case(struct strbuf *out, const struct analysis *a, size_t i)
{
	const struct cell *c = &a->cell[i];
	struct strbuf name = STRBUF_INIT;
	words_add_cell(&name, a, c);
	strbuf_addf(out, "<details id=\"case-%zu\"><summary>", i + 1);
	escape_html(out, name.s);
	strbuf_addch(out, ' ');
	html_add_case_chip(out, c);
	strbuf_addf(
	    out,
	    "</summary>\n<p>%u blocks, %u pairs; %u runs of the program and %u replays failed.",
	    c->n_blocks, c->n_pairs, c->n_failed_program, c->n_failed_replayer);
	if (*c->first_failure) {
		strbuf_addstr(out, " The first: ");
		escape_html(out, c->first_failure);
	}
	strbuf_addstr(out, "</p>\n");
	struct strbuf worth = STRBUF_INIT;
	words_add_worth(&worth, c, 1);
	if (worth.len)
		strbuf_addf(out, "<p>%s.</p>\n", worth.s);
	strbuf_release(&worth);
	html_begin_wide(out, name.s);
	strbuf_addstr(
	    out, "<table><thead><tr><th scope=\"col\">Component</th><th scope=\"col\">Decision</th>"
		 "<th scope=\"col\" class=\"n\">Estimate</th><th "
		 "scope=\"col\">Reason</th></tr></thead>\n<tbody>\n");
	size_t n_unassessed = 0;
	for (size_t k = 0; k < COMPONENT_N; k++)
		if (c->component[k].decision != DECISION_NOT_ASSESSED)
			add_component(out, &c->component[k]);
		else
			n_unassessed++;
	strbuf_addstr(out, "</tbody></table></div>\n");
	if (n_unassessed) {
		size_t n = 0;
		strbuf_addstr(out, "<p class=\"note\">Not assessed: ");
		for (size_t k = 0; k < COMPONENT_N; k++)
			if (c->component[k].decision == DECISION_NOT_ASSESSED)
				strbuf_addf(out, "%s%s", n++ ? ", " : "", component_names[k]);
		strbuf_addstr(out, ".</p>\n");
	}
	strbuf_addstr(out, "</details>\n");
	strbuf_release(&name);
}

/* --- runs
 * ----------------------------------------------------------------------------------------------------------
 */

static bool is_failed(const struct table *t, size_t row, const void *arg)
{
	(void)arg;
	for (size_t i = 0; i < t->n_columns; i++)
		if (!strcmp(t->column[i].key, "state"))
			return !strcmp(table_at(t, row, i)->text, "failed");
	return false;
}

static void add_runs(struct strbuf *out, const struct html_page *p)
{
	static const char *const failed_keys[] = {"run",   "block",   "scenario", "role",
						  "state", "started", "reason",   NULL};
	static const char *const keys[] = {"run",           "block",   "position", "scenario",
					   "role",          "state",   "mean",     "execution_time",
					   "cached_before", "started", NULL};
	const struct html_table_view failed = {.keys = failed_keys, .wanted = is_failed}, all = {.keys = keys};
	const struct results *r = p->a->results;
	size_t n_failed = 0, n_pending = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		n_failed += r->run[i].state == RUN_FAILED;
		n_pending += r->run[i].state == RUN_PENDING;
	}
	strbuf_addf(out,
		    "<h3 id=\"runs\">Runs</h3>\n<p>%zu planned, %zu finished well, %zu failed, %zu "
		    "were not made%s.</p>\n",
		    r->n_runs, r->n_runs - n_failed - n_pending, n_failed, n_pending,
		    n_pending && p->a->complete ? " because the verdicts were settled before" : "");
	if (n_failed && n_failed <= MAX_RUNS_LISTED)
		html_add_folded_table(out, p, "runs", "Runs that failed", &failed);
	if (r->n_runs <= MAX_RUNS_LISTED)
		html_add_folded_table(out, p, "runs", "Every run", &all);
	else
		strbuf_addstr(
		    out,
		    "<p>The list is long: <a href=\"tables/runs.csv\">tables/runs.csv</a>.</p>\n");
}

/* --- environment
 * ---------------------------------------------------------------------------------------------------
 */

static void add_json_value(struct strbuf *out, const json_t *v)
{
	if (json_is_null(v)) {
		strbuf_addstr(out, "not available");
		return;
	}
	char *text = json_is_string(v)
			 ? xstrdup(json_string_value(v))
			 : json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
	escape_html(out, text ? text : "");
	free(text);
}

/* One row per leaf; members of members get "outer inner" as name. */
static void add_json_rows(struct strbuf *out, const char *prefix, json_t *o, int depth)
{
	const char *key;
	json_t *v;
	json_object_foreach(o, key, v)
	{
		char *name = xasprintf("%s%s%s", prefix, *prefix ? " " : "", key);
		if (json_is_object(v) && depth < 6) {
			add_json_rows(out, name, v, depth + 1);
		} else {
			for (char *p = name; *p; p++)
				*p = *p == '_' ? ' ' : *p;
			html_add_text(out, "<tr><th scope=\"row\">", name, "</th><td>");
			add_json_value(out, v);
			strbuf_addstr(out, "</td></tr>\n");
		}
		free(name);
	}
}

static void add_environment(struct strbuf *out, const struct results *r)
{
	strbuf_addstr(out, "<h3 id=\"environment\">Environment</h3>\n");
	if (!json_is_object(r->environment) || !json_object_size(r->environment)) {
		strbuf_addstr(out, "<p>None was recorded.</p>\n");
		return;
	}
	strbuf_addstr(out, "<p>As found when the campaign began.</p>\n<details><summary>Machine, "
			   "software, and what "
			   "could not be had</summary>\n");
	html_begin_wide(out, "Environment");
	strbuf_addstr(out, "<table><thead><tr><th scope=\"col\">What</th><th "
			   "scope=\"col\">Found</th></tr></thead>\n<tbody>\n");
	add_json_rows(out, "", r->environment, 0);
	strbuf_addstr(out, "</tbody></table></div>\n</details>\n");
}

int html_protocol_read(struct strbuf *text, const struct results *r, struct err *e)
{
	char *path = xasprintf("%s/protocol.conf", r->dir);
	const int ret = r->dir ? file_read(path, text, MAX_PROTOCOL_BYTES, e) : 0;
	free(path);
	if (ret == -ENOENT || ret == -EFBIG) /* then the page does without it */
		err_clear(e);
	return ret == -ENOENT || ret == -EFBIG ? 0 : ret;
}

static void add_protocol(struct strbuf *out, const struct html_page *p)
{
	const struct results *r = p->a->results;
	if (!p->protocol->len)
		return;
	char *shown = r->redacted ? provenance_redact_text(p->protocol->s, r->redacted)
				  : xstrdup(p->protocol->s);
	strbuf_addstr(out, "<details><summary>The protocol as given</summary>\n<pre><code>");
	escape_html_text(out, shown);
	free(shown);
	strbuf_addstr(out, "</code></pre>\n</details>\n");
}

static void add_reproduction(struct strbuf *out, const struct html_page *p)
{
	strbuf_addstr(out,
		      "<h3 id=\"reproduce\">How to reproduce</h3>\n"
		      "<p>This report is a function of the results directory that it lies in. In "
		      "the directory above that:</p>\n"
		      "<pre><code>validate report DIR                   # rebuilds this report\n"
		      "validate run DIR/protocol.conf        # measures again, into a new "
		      "directory</code></pre>\n");
	add_protocol(out, p);
	strbuf_addf(out,
		    "<p>Made by validate %s. Beside this page lie <a "
		    "href=\"report.json\">report.json</a> (everything, "
		    "for programs), "
		    "<a href=\"summary.txt\">summary.txt</a>, <code>tables/</code> (each table as "
		    "CSV with all digits "
		    "and as a LaTeX fragment), and "
		    "<code>plots/</code> (data, gnuplot script and SVG of each figure).</p>\n",
		    VALIDATE_VERSION);
}

static void add_glossary(struct strbuf *out)
{
	static const char *const word[][2] = {
	    {"Scenario", "One combination of workload, load level, pause and so on: what the program does."},
	    {"Case", "One replayer in one scenario."},
	    {"Run, replicate", "One execution of the program or of a replay, in a process of its own. The run is the "
			       "unit of evidence: its requests are "
			       "not independent of each other."},
	    {"Block", "A round in which the program and all replayers run once per scenario, in random order."},
	    {"Pair", "Replay and program of the same block."},
	    {"Confidence interval", "Range that covers the true value in 95 (or 90) of 100 campaigns like this one."},
	    {"Bias", "Systematic difference from the reference."},
	    {"Precision", "Closeness of repeated results to each other."},
	    {"u, u_c, U, k", "Standard uncertainty of a component, combined standard uncertainty, expanded uncertainty "
			     "U = k u_c, and coverage factor."},
	    {"CV", "Coefficient of variation: standard deviation divided by the mean."},
	    {"GUM, VIM", "Guide to the Expression of Uncertainty in Measurement (JCGM 100:2008); International "
			 "Vocabulary of Metrology (JCGM 200:2012)."},
	    {"Pereira et al. 2016", "T. E. Pereira, F. Brasileiro, L. Sampaio: File System Trace Replay Methods "
				    "Through the Lens of Metrology."},
	};
	strbuf_addstr(out, "<h3 id=\"words\">Words</h3>\n<dl>\n");
	for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
		strbuf_addf(out, "<dt>%s</dt><dd>%s</dd>\n", word[i][0], word[i][1]);
	strbuf_addstr(out, "</dl>\n");
}

void html_add_evidence(struct strbuf *out, const struct html_page *p)
{
	strbuf_addstr(out, "<h2 id=\"evidence\">Evidence</h2>\n");
	if (p->a->n_cells)
		strbuf_addstr(out, "<h3 id=\"cases\">Every case, component by component</h3>\n");
	for (size_t i = 0; i < p->a->n_cells; i++)
		add_case(out, p->a, i);
	add_runs(out, p);
	add_environment(out, p->a->results);
	add_reproduction(out, p);
	add_glossary(out);
}
