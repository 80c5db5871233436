/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The appendix: the six steps of the method validation, the environment, the runs and how to
 * reproduce them, each part folded. */
#include "common/files.h"
#include "common/units.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/number.h"
#include "reports/words.h"
#include "validate/components/component.h"
#include "validate/provenance/provenance.h"

#define MAX_RUNS_LISTED 1200
#define MAX_PROTOCOL_BYTES (256u << 10)

/* A folded part. Its id is inside, so that a browser that follows a link to it opens it. */
static void begin_part(struct strbuf *out, const char *id, const char *title)
{
	strbuf_addf(out, "<details><summary>%s</summary>\n<div id=\"%s\">\n", title, id);
}

static void end_part(struct strbuf *out)
{
	strbuf_addstr(out, "</div>\n</details>\n");
}

/* --- how it was judged --------------------------------------------------- */

static void add_components(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<dl>\n");
	for (size_t k = 0; k < components_listed(&a->results->protocol.accept); k++) {
		SCOPED_STRBUF limit = STRBUF_INIT;
		const struct component_row *w = components[k];
		words_add_limits(&limit, &a->results->protocol, k);
		strbuf_addf(out, "<dt>%s%s</dt>\n<dd>%s", w->title,
			    a->assessed[k] ? "" : " (not assessed)", w->meaning);
		if (limit.len)
			strbuf_addf(out, " <b>Limit %s</b>: %s.", limit.s, w->rule);
		strbuf_addf(out, " <span class=\"src\">%s</span></dd>\n", w->source);
	}
	strbuf_addstr(out, "</dl>\n");
}

static void add_how(struct strbuf *out, const struct html_page *p)
{
	static const enum verdict each[] = {VERDICT_TRUSTED, VERDICT_NOT_TRUSTED,
					    VERDICT_INCONCLUSIVE};
	const struct analysis *a = p->a;
	begin_part(out, "how", "How it was judged");
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < 3; i++) {
		strbuf_addstr(out, "<li>");
		html_add_verdict_chip(out, each[i]);
		strbuf_addf(out, " %s.</li>\n", words_verdict_meaning(each[i]));
	}
	strbuf_addf(
	    out,
	    "</ul>\n<p>Each accepted component carries a risk of at most %.3g %% of being "
	    "accepted wrongly. All rejections of this report together (%u tests) carry a risk "
	    "of at most %.3g %% of being wrong (Holm's method).",
	    100 * (a->look ? a->level_accept : 0.05), a->n_rejection_tests,
	    100 * (a->look ? a->level_reject : 0.01));
	if (a->results->protocol.n_looks > 1)
		strbuf_addf(out, " Verdicts are given at planned numbers of replicates only. This "
			"is look %u of %u, at %u replicates, with its share of the risk.", a->look,
			a->results->protocol.n_looks, a->n_replicates);
	strbuf_addstr(out, "</p>\n<p>Assessed: ");
	words_add_components(out, a, true);
	strbuf_addstr(out, ". <b>Not assessed:</b> ");
	words_add_components(out, a, false);
	words_add_not_visible(out, ". <b>Not visible in the recordings:</b> ", a, "");
	strbuf_addstr(out, ".</p>\n");
	add_components(out, a);
	end_part(out);
}

/* --- steps 1 to 3 -------------------------------------------------------- */

static void add_measurand(struct strbuf *out, const struct analysis *a)
{
	begin_part(out, "step-1", "1 Measurand");
	strbuf_addstr(out, "<p>The measured quantity is the <b>response time</b> of a request: the "
		"time from just before the call to just after it, as the caller sees it. The "
		"result of a run is the <b>mean response time of all its requests</b>.</p>\n");
	strbuf_addstr(
	    out, a->results->protocol.reference == REFERENCE_TRACE
		     ? "<p>The reference value comes from the recorded trace: the program was "
		       "not run again. Replays and reference were not measured at the same "
		       "time, so drift between them counts as bias.</p>\n"
		     : "<p>No object with a known response time exists. The reference value "
		       "comes from the program, <b>run again</b> with the same seed in the same "
		       "block as the replays. So program and replays meet the same machine at "
		       "the same time.</p>\n");
	strbuf_addstr(out, "<p class=\"src\">VIM 2.3 (measurand), 2.18 (measurement bias); GUM "
			   "D.1; Pereira et al. 2016, section III-A</p>\n");
	end_part(out);
}

static void add_item(struct strbuf *out, const char *name, const char *value)
{
	strbuf_addf(out, "<dt>%s</dt><dd>", name);
	escape_html(out, value);
	strbuf_addstr(out, "</dd>\n");
}

static void add_item_duration(struct strbuf *out, const char *name, int64_t ns)
{
	add_item(out, name, duration_text((double)ns).s);
}

static void add_replicates(struct strbuf *out, const struct protocol *p)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addf(&text, "%llu", (unsigned long long)p->n_replicates_min);
	if (p->n_replicates_max != p->n_replicates_min) {
		strbuf_addf(&text, " to %llu, looked at after",
			    (unsigned long long)p->n_replicates_max);
		for (unsigned int i = 0; i < p->n_looks && i < sizeof p->look / sizeof p->look[0];
		     i++)
			strbuf_addf(&text, "%s %u", i ? "," : "", p->look[i]);
	}
	strbuf_addstr(&text, " (and block 0, which warms up and is never used)");
	add_item(out, "Blocks", text.s);
}

static void add_target(struct strbuf *out, const struct target *t)
{
	static const char *const cache[] = {[CACHE_COLD] =
						"cold: caches are emptied before each run",
					    [CACHE_WARM] = "warm: files are read before each run",
					    [CACHE_AS_IS] = "left as it is"};
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addf(&text, "%s; cache %s", t->dir ? t->dir : "a fresh directory inside the results",
		    t->cache >= 0 && t->cache <= CACHE_AS_IS ? cache[t->cache] : "unknown");
	if (t->cache_budget_bytes)
		strbuf_addf(&text, "; page cache limited to %s",
			    size_text(t->cache_budget_bytes).s);
	if (t->memory_limit_bytes)
		strbuf_addf(&text, "; all memory of a run limited to %s",
			    size_text(t->memory_limit_bytes).s);
	if (t->queue)
		strbuf_addf(&text, "; queue %s", t->queue);
	if (t->precondition_passes)
		strbuf_addf(&text, "; files overwritten %llu times before",
			    (unsigned long long)t->precondition_passes);
	html_add_text(out, "<dt>Target ", t->name, "</dt><dd>");
	escape_html(out, text.s);
	strbuf_addstr(out, "</dd>\n");
}

/* The machine in a few words; the part "environment" has the rest. */
static void add_machine(struct strbuf *out, const json_t *environment)
{
	const json_t *machine = json_object_get(environment, "machine"),
		     *kernel = json_object_get(environment, "kernel");
	const char *cpu = json_string_value(json_object_get(machine, "cpu_model"));
	const char *release = json_string_value(json_object_get(kernel, "release"));
	const json_t *n_cpus = json_object_get(machine, "n_cpus_online"),
		     *memory = json_object_get(machine, "memory_bytes");
	SCOPED_STRBUF text = STRBUF_INIT;
	if (cpu)
		strbuf_addf(&text, "%s", cpu);
	if (json_is_integer(n_cpus))
		strbuf_addf(&text, "%s%lld CPUs", text.len ? ", " : "",
			    (long long)json_integer_value(n_cpus));
	if (json_is_integer(memory) && json_integer_value(memory) > 0)
		strbuf_addf(&text, "%s%s of memory", text.len ? ", " : "",
			    size_text((uint64_t)json_integer_value(memory)).s);
	if (release)
		strbuf_addf(&text, "%sLinux %s", text.len ? ", " : "", release);
	if (json_is_true(json_object_get(machine, "virtual")))
		strbuf_addstr(&text, ", a virtual machine");
	if (text.len)
		add_item(out, "Machine", text.s);
}

static void add_design(struct strbuf *out, const struct analysis *a)
{
	const struct results *r = a->results;
	const struct protocol *p = &r->protocol;
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addstr(out, "<dl>\n");
	add_machine(out, r->environment);
	add_replicates(out, p);
	strbuf_addf(&text, "%llu", (unsigned long long)p->seed);
	add_item(out, "Seed", text.s);
	add_item_duration(out, "A run lasts at least", p->min_duration_ns);
	if (p->settle_ns)
		add_item_duration(out, "Pause before each run", p->settle_ns);
	if (p->cpus)
		add_item(out, "Processors", p->cpus);
	if (p->scheduler)
		add_item(out, "Scheduler", p->scheduler);
	for (size_t i = 0; i < p->n_targets; i++)
		add_target(out, &p->target[i]);
	for (const struct fact *f = facts; f->name; f++) {
		strbuf_reset(&text);
		f->add(&text, a);
		if (text.len)
			add_item(out, f->name, text.s);
	}
	strbuf_addstr(out, "</dl>\n");
}

static void add_procedure(struct strbuf *out, const struct html_page *p)
{
	const bool rerun = p->a->results->protocol.reference != REFERENCE_TRACE;
	begin_part(out, "step-2", "2 Measurement procedure: machine, scenarios, replayers");
	strbuf_addf(out,
		    "<p>First, traces of the program are recorded. Then, block by block and in "
		    "random order, every replayer replays the block's trace%s. Before each run "
		    "the files are restored in place and written back, and the cache is brought "
		    "to the state that the protocol names. The part <a "
		    "href=\"#environment\">environment</a> describes the machine.</p>\n",
		    rerun ? ", and the program runs again in between" : "");
	add_design(out, p->a);
	html_add_table(out, p, "replayers", NULL);
	html_add_table(out, p, "scenarios", NULL);
	html_add_table(out, p, "observation", NULL);
	strbuf_addstr(out, "<p class=\"src\">VIM 2.6 (measurement procedure), 2.20 (repeatability "
			   "condition); Pereira et al. 2016, section III-B</p>\n");
	end_part(out);
}

static void add_sources(struct strbuf *out, const struct html_page *p)
{
	begin_part(out, "step-3", "3 Sources of uncertainty");
	strbuf_addstr(out, "<p>These sources can make the result of a replay differ from that of "
		"the program. A source that is named and not quantified still adds to the scatter "
		"of the runs, as far as it varies within this campaign.</p>\n");
	html_add_figures(out, p, "sources", false);
	html_add_table(out, p, "sources", NULL);
	strbuf_addstr(out, "<p class=\"src\">GUM 3.3.2; Pereira et al. 2016, section III-C and "
			   "figure 2</p>\n");
	end_part(out);
}

/* --- step 4 -------------------------------------------------------------- */

static void add_linearity(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->n_linearity)
		return;
	strbuf_addstr(out, "<h3 id=\"linearity\">Linearity</h3>\n<p>The bias of each replayer at "
			   "each load level (number of threads). A horizontal line means that the "
			   "bias does not depend on the load. Bars are 95 % intervals.</p>\n");
	html_add_figures(out, p, "linearity", true);
	html_add_table(out, p, "linearity-bias", NULL);
	html_add_table(out, p, "linearity-precision", NULL);
	strbuf_addstr(out, "<p class=\"src\">Pereira et al. 2016, section IV-A3 and tables III and "
			   "IV</p>\n");
}

static bool is_timed(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].issue_error_p50.status != STAT_NOT_APPLICABLE)
			return true;
	return false;
}

static void add_issue_error(struct strbuf *out, const struct html_page *p)
{
	if (!is_timed(p->a))
		return;
	strbuf_addstr(out, "<h3 id=\"issue-error\">Issue error</h3>\n<p>How much later than "
			   "intended a replay that keeps times issues its requests.</p>\n");
	html_add_figures(out, p, "issue-error", false);
	html_add_table(out, p, "issue-error", NULL);
	html_add_figures(out, p, "issue-cdf", true);
	html_add_figures(out, p, "issue-by-rate", true);
	html_add_figures(out, p, "issue-time", true);
}

static void add_courses(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->course)
		return;
	strbuf_addstr(out, "<h3 id=\"pace\">Requests over time</h3>\n<p>Requests per second over "
			   "the time of one run. Each case shows the pair of runs with the median "
			   "execution time.</p>\n");
	html_add_figures(out, p, "pace", true);
	strbuf_addstr(out, "<p>Mean number of requests in flight over the time of the same runs "
		"(at the device, if the device is observed).</p>\n");
	html_add_figures(out, p, "in-flight-time", true);
	html_add_table(out, p, "device", NULL);
	strbuf_addstr(out, "<h3 id=\"costs\">Costs of a replay</h3>\n");
	html_add_table(out, p, "costs", &(struct html_table_view){.keys = "scenario replayer "
		"n_requests trace replay_preparation program_cpu replay_cpu cpu_deviation "
		"replay_process_cpu program_peak replay_peak speedup"});
}

static void add_stability(struct strbuf *out, const struct html_page *p)
{
	bool sessions = false;
	for (size_t i = 0; i < p->a->n_cells; i++)
		sessions |= p->a->cell[i].sessions.status == STAT_OK;
	begin_part(out, "stability", "4 Characterisation: stability, control charts");
	if (p->a->between_process_cv >= 0) {
		SCOPED_STRBUF cv = STRBUF_INIT;
		number_add(&cv, p->a->between_process_cv, p->a->between_process_cv,
			   number_unit_percent, false);
		strbuf_addf(out, "<p>The program's mean response time varies by <b>%s</b> from run "
			"to run (coefficient of variation, median of the scenarios).</p>\n", cv.s);
	}
	html_add_figures(out, p, "control", true);
	html_add_table(out, p, "control", NULL);
	html_add_table(out, p, "diagnostics", NULL);
	if (sessions) {
		strbuf_addstr(out, "<h3 id=\"sessions\">Sessions</h3>\n");
		html_add_table(out, p, "sessions", NULL);
		html_add_table(out, p, "session-groups", NULL);
		strbuf_addstr(out, "<p class=\"src\">ISO 5725-2, 7.3 and 7.4</p>\n");
	}
	end_part(out);
}

static void add_characterisation(struct strbuf *out, const struct html_page *p)
{
	begin_part(out, "step-4",
		   "4 Characterisation: linearity, operations, requests over time, costs");
	add_linearity(out, p);
	html_add_table(out, p, "operations", NULL);
	add_issue_error(out, p);
	add_courses(out, p);
	end_part(out);
	add_stability(out, p);
}

/* --- steps 5 and 6 ------------------------------------------------------- */

static void add_conclusion(struct strbuf *out, const struct html_page *p)
{
	begin_part(out, "step-5", "5 Calibration analysis");
	strbuf_addstr(out, "<p>The bias is stated and not corrected. A correction would hold for "
			   "this machine, this target and these workloads only.</p>\n");
	html_add_table(out, p, "calibration", NULL);
	strbuf_addstr(out, "<p class=\"src\">GUM 3.2.4 (correction of recognised effects); Pereira "
			   "et al. 2016, section III-E</p>\n");
	end_part(out);
	begin_part(out, "step-6", "6 Measurement uncertainty and its budget");
	strbuf_addstr(out, "<p>After correction for the bias, the result of one future replay by "
		"this procedure on this machine lies within ±U of the program's result, with 95 "
		"% coverage.</p>\n");
	html_add_table(out, p, "uncertainty", NULL);
	html_add_figures(out, p, "budget", false);
	strbuf_addstr(out, "<p class=\"src\">GUM 5.1 (combination), 4.2 and 4.3 (Type A and B), "
		"6.2 and G.4 (expanded uncertainty, effective degrees of freedom); Pereira et al. "
		"2016, section III-F and tables V to VII</p>\n");
	end_part(out);
}

/* --- runs ---------------------------------------------------------------- */

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
	const struct html_table_view
	    failed = {.keys = "run block scenario role state started reason", .wanted = is_failed},
	    all = {.keys = "run block position scenario role state mean execution_time "
			   "cached_before started"};
	const struct results *r = p->a->results;
	size_t n_failed = 0, n_pending = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		n_failed += r->run[i].state == RUN_FAILED;
		n_pending += r->run[i].state == RUN_PENDING;
	}
	begin_part(out, "runs", "Runs");
	strbuf_addf(out, "<p>%zu planned, %zu succeeded, %zu failed, %zu were not made%s.</p>\n",
		    r->n_runs, r->n_runs - n_failed - n_pending, n_failed, n_pending,
		    n_pending && p->a->complete ? " because the verdicts were decided earlier"
						: "");
	if (n_failed && n_failed <= MAX_RUNS_LISTED)
		html_add_table(out, p, "runs", &failed);
	if (r->n_runs <= MAX_RUNS_LISTED)
		html_add_folded_table(out, p, "runs", "Every run", &all);
	else
		strbuf_addstr(
		    out,
		    "<p>The list is long: <a href=\"tables/runs.csv\">tables/runs.csv</a>.</p>\n");
	end_part(out);
}

/* --- environment, protocol, words ---------------------------------------- */

static void add_json_value(struct strbuf *out, const json_t *v)
{
	if (json_is_null(v)) {
		strbuf_addstr(out, "not available");
		return;
	}
	SCOPED_FREE char *text =
	    json_is_string(v)
		? xstrdup(json_string_value(v))
		: json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
	escape_html(out, text ? text : "");
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
			html_add_text(out, "<tr><th scope=\"row\">", name, "</th><td class=\"w\">");
			add_json_value(out, v);
			strbuf_addstr(out, "</td></tr>\n");
		}
		free(name);
	}
}

static void add_environment(struct strbuf *out, const struct results *r)
{
	begin_part(out, "environment", "Environment: machine, software, what was not available");
	html_begin_wide(out, "Environment");
	strbuf_addstr(out, "<table class=\"pairs\"><thead><tr><th scope=\"col\">Fact</th><th "
		"scope=\"col\">At the begin of the campaign</th></tr></thead>\n<tbody>\n");
	if (json_is_object(r->environment))
		add_json_rows(out, "", r->environment, 0);
	strbuf_addstr(out, "</tbody></table></div>\n");
	end_part(out);
}

int html_protocol_read(struct strbuf *text, const struct results *r, struct err *e)
{
	char *path = xasprintf("%s/protocol.conf", r->dir);
	const int ret = r->dir ? file_read(path, text, MAX_PROTOCOL_BYTES, e) : 0;
	free(path);
	if (ret == -ENOENT || ret == -EFBIG) /* the page omits it */
		err_clear(e);
	return ret == -ENOENT || ret == -EFBIG ? 0 : ret;
}

static void add_protocol(struct strbuf *out, const struct html_page *p)
{
	const struct results *r = p->a->results;
	if (!p->protocol->len)
		return;
	SCOPED_FREE char *shown = r->redacted ? provenance_redact_text(p->protocol->s, r->redacted)
					      : xstrdup(p->protocol->s);
	strbuf_addstr(out, "<details><summary>The protocol</summary>\n<pre><code>");
	escape_html_text(out, shown);
	strbuf_addstr(out, "</code></pre>\n</details>\n");
}

static void add_reproduction(struct strbuf *out, const struct html_page *p)
{
	begin_part(out, "reproduce", "How to reproduce; tables and data");
	strbuf_addstr(out, "<p>The results directory DIR, which contains this report, determines "
		"it. In its parent directory:</p>\n<pre><code>validate report DIR                # "
		"builds this report again\nvalidate run DIR/protocol.conf     # measures again, "
		"into a new directory</code></pre>\n");
	add_protocol(out, p);
	strbuf_addf(out, "<p>Made by validate %s. Beside this page: <a "
		"href=\"report.json\">report.json</a> (all data, for programs), <a "
		"href=\"summary.txt\">summary.txt</a>, <code>tables/</code> (each table as CSV "
		"with all digits and as a LaTeX fragment) and <code>plots/</code> (data, gnuplot "
		"script and SVG of each figure).</p>\n<p>Tables: ", VALIDATE_VERSION);
	struct table t;
	for (size_t i = 0; table_build(&t, p->a, i); i++) {
		strbuf_addf(out, "%s<a href=\"tables/%s.csv\">%s</a>", i ? ", " : "", t.name,
			    t.name);
		table_release(&t);
	}
	strbuf_addstr(out, ".</p>\n");
	end_part(out);
}

static void add_glossary(struct strbuf *out)
{
	static const char *const word[][2] = {
	    {"Scenario",
	     "One combination of workload, load level, pause and so on: what the program does."},
	    {"Case", "One replayer in one scenario."},
	    {"Run, replicate",
	     "One execution of the program or of a replay, in a process of its own. The run is the "
	     "unit of evidence: its requests are "
	     "not independent of each other."},
	    {"Block", "A round in which the program and all replayers run once per scenario, in "
		      "random order."},
	    {"Pair", "Replay and program of the same block."},
	    {"Confidence interval",
	     "Range that covers the true value in 95 (or 90) of 100 campaigns like this one."},
	    {"Bias", "Systematic difference from the reference."},
	    {"Precision", "Closeness of repeated results to each other."},
	    {"u, u_c, U, k", "Standard uncertainty of a component, combined standard uncertainty, "
			     "expanded uncertainty "
			     "U = k u_c, and coverage factor."},
	    {"CV", "Coefficient of variation: standard deviation divided by the mean."},
	    {"GUM, VIM",
	     "Guide to the Expression of Uncertainty in Measurement (JCGM 100:2008); International "
	     "Vocabulary of Metrology (JCGM 200:2012)."},
	    {"Pereira et al. 2016",
	     "T. E. Pereira, F. Brasileiro, L. Sampaio: File System Trace Replay Methods "
	     "Through the Lens of Metrology."},
	};
	begin_part(out, "words", "Terms");
	strbuf_addstr(out, "<dl>\n");
	for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
		strbuf_addf(out, "<dt>%s</dt><dd>%s</dd>\n", word[i][0], word[i][1]);
	strbuf_addstr(out, "</dl>\n");
	end_part(out);
}

static void add_warnings(struct strbuf *out, const struct findings *f)
{
	if (!f->n_warnings)
		return;
	strbuf_addstr(out, "<h2 id=\"warnings\">Warnings</h2>\n<ul class=\"warnings\">\n");
	for (size_t i = 0; i < f->n_warnings; i++)
		html_add_text(out, "<li>", f->warning[i], "</li>\n");
	strbuf_addstr(out, "</ul>\n");
}

void html_add_appendix(struct strbuf *out, const struct html_page *p)
{
	add_warnings(out, p->findings);
	strbuf_addstr(out, "<h2 id=\"appendix\">Appendix: methods and data</h2>\n");
	add_how(out, p);
	if (p->a->n_league > 1) {
		begin_part(out, "league", "League table of the replayers");
		html_add_table(out, p, "league", &(struct html_table_view){.keys = "rank replayer "
			"verdict cases deviation bias execution_time in_flight concurrency "
			"reordered issue_error_p99 n_mismatched_lost_extra cpu_per_request"});
		end_part(out);
	}
	if (p->a->n_rated) {
		begin_part(out, "rated", "Rated range, limit of quantification");
		html_add_rated_range(out, p);
		end_part(out);
	}
	add_measurand(out, p->a);
	add_procedure(out, p);
	add_sources(out, p);
	add_characterisation(out, p);
	add_conclusion(out, p);
	add_runs(out, p);
	add_environment(out, p->a->results);
	add_reproduction(out, p);
	add_glossary(out);
}
