/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The appendix: the six steps of the method validation, the environment, the runs and how to
 * reproduce them. Each part is folded. */
#include <assert.h>

#include "common/embed.h"
#include "common/files.h"
#include "common/units.h"
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/number.h"
#include "reports/words.h"
#include "validate/provenance/provenance.h"

#define FAILED_LISTED 60 /* more failed runs are only in the table of runs */
#define MAX_PROTOCOL_BYTES (256u << 10)

/* Begins a folded part. Its id is inside, so that a browser that follows a link to it unfolds
 * it. */
static void begin_part(struct strbuf *out, const char *id, const char *title)
{
	strbuf_addf(out, "<details><summary>%s</summary>\n<div id=\"%s\">\n", title, id);
}

static void end_part(struct strbuf *out)
{
	strbuf_addstr(out, "</div>\n</details>\n");
}

/* --- method of judgement ------------------------------------------------- */

static void add_verdicts(struct strbuf *out, const struct html_page *p)
{
	static const char *const meaning[] = {
	    [VERDICT_TRUSTED] = "every assessed component was shown to lie within its limit",
	    [VERDICT_NOT_TRUSTED] = "at least one component was shown to lie outside its limit",
	    [VERDICT_INCONCLUSIVE] =
		"there are not enough runs for a decision. More replicates, a quieter machine or "
		"wider limits may help. \"Looks right\" and \"looks wrong\" are tendencies without "
		"proof"};
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < sizeof meaning / sizeof *meaning; i++) {
		strbuf_addstr(out, "<li>");
		html_add_verdict_chip(out, p->a, i);
		strbuf_addf(out, " %s.</li>\n", meaning[i]);
	}
	strbuf_addstr(out, "</ul>\n");
}

/* Appends the errors of the decisions, and which components were not assessed. */
static void add_errors(struct strbuf *out, const struct html_page *page)
{
	const struct analysis *a = page->a;
	const struct protocol *p = &a->results->protocol;
	strbuf_addstr(out, "<p>");
	if (p->budget_ns)
		strbuf_addf(out, "The campaign judges a case after its first %llu pairs, and "
			"again after each further pair, until the case is decided. ",
			(unsigned long long)p->n_replicates_min);
	else if (p->n_looks > 1)
		strbuf_addf(out, "The campaign judges its cases only after planned numbers of "
			"replicates. This is look %u of %u, after %u replicates. ", a->look,
			p->n_looks, a->n_replicates);
	words_add_errors(out, a);
	strbuf_addstr(out, ".</p>\n<p><b>Not assessed or not applicable:</b> ");
	words_add_components(out, a, false);
	words_add_not_visible(out, ". <b>Not visible in the recordings:</b> ", a, "");
	strbuf_addstr(out, ".</p>\n");
}

/* --- steps 1 to 3 -------------------------------------------------------- */

static void add_item(struct strbuf *out, const char *name, const char *value)
{
	html_addf(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

static void add_item_duration(struct strbuf *out, const char *name, int64_t ns)
{
	add_item(out, name, duration_text((double)ns).s);
}

static void add_replicates(struct strbuf *out, const struct protocol *p)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addf(&text, "%llu", (unsigned long long)p->n_replicates_min);
	if (p->n_replicates_max != p->n_replicates_min)
		strbuf_addf(&text, " to %llu, ", (unsigned long long)p->n_replicates_max);
	if (p->n_replicates_max != p->n_replicates_min && p->budget_ns) {
		strbuf_addstr(&text, "until all cases of the scenario were decided, or the budget "
				     "was used up");
	} else if (p->n_replicates_max != p->n_replicates_min) {
		strbuf_addstr(&text, "with planned looks after");
		for (unsigned int i = 0; i < p->n_looks && i < sizeof p->look / sizeof p->look[0];
		     i++)
			strbuf_addf(&text, "%s %u", i ? "," : "", p->look[i]);
	}
	strbuf_addstr(&text, "; also block 0, a warm-up that does not count");
	add_item(out, "Blocks", text.s);
}

static void add_target(struct strbuf *out, const struct target *t)
{
	static const char *const cache[] = {[CACHE_COLD] = "cold: before each run, ",
					    [CACHE_WARM] = "warm: files are read before each run",
					    [CACHE_AS_IS] = "left as it is"};
	static const char *const evicted[] = {
	    [EVICT_AUTO] = "the files' pages are evicted; if pages remain and the user has "
			   "permission, the machine's page cache is dropped; metadata can stay "
			   "cached",
	    [EVICT_FADVISE] = "the files' pages are evicted; metadata can stay cached",
	    [EVICT_DROP] = "the machine's page cache is dropped; metadata can stay cached",
	    [EVICT_ALL] = "the machine's page cache, dentries and inodes are dropped"};
	SCOPED_STRBUF text = STRBUF_INIT;
	if (t->volume)
		strbuf_addf(&text, "a volume in memory, %s, service time %s",
			    size_text(t->size_bytes).s, t->volume);
	else
		strbuf_addstr(&text, t->device ? t->device
				     : t->dir  ? t->dir
					       : "a fresh directory inside the results");
	strbuf_addf(&text, "; cache %s",
		    t->cache >= 0 && t->cache <= CACHE_AS_IS ? cache[t->cache] : "unknown");
	if (t->cache == CACHE_COLD && t->evict >= 0 && t->evict <= EVICT_ALL)
		strbuf_addstr(&text, evicted[t->evict]);
	if (t->cache_budget_bytes)
		strbuf_addf(&text, "; page cache limited to %s",
			    size_text(t->cache_budget_bytes).s);
	if (t->memory_limit_bytes)
		strbuf_addf(&text, "; all memory of a run limited to %s",
			    size_text(t->memory_limit_bytes).s);
	if (t->queue)
		strbuf_addf(&text, "; queue %s", t->queue);
	if (t->precondition_passes)
		strbuf_addf(&text, "; files overwritten %llu times before the first run",
			    (unsigned long long)t->precondition_passes);
	html_addf(out, "<dt>Target \"%s\"</dt><dd>%s</dd>\n", t->name, text.s);
}

/* Appends a short description of the machine; the part "environment" has the details. */
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

static void add_design(struct strbuf *out, const struct html_page *page)
{
	const struct results *r = page->a->results;
	const struct protocol *p = &r->protocol;
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addstr(out, "<dl>\n");
	add_machine(out, r->environment);
	add_replicates(out, p);
	strbuf_addf(&text, "%llu", (unsigned long long)p->seed);
	add_item(out, "Seed", text.s);
	if (p->min_duration_ns)
		add_item_duration(out, "A run lasts at least", p->min_duration_ns);
	if (p->settle_ns)
		add_item_duration(out, "Pause before each run", p->settle_ns);
	if (p->cpus)
		add_item(out, "Processors", p->cpus);
	if (p->scheduler)
		add_item(out, "Scheduling policy (of a list, the first permitted policy is used)",
			 p->scheduler);
	for (size_t i = 0; i < p->n_targets; i++)
		add_target(out, &p->target[i]);
	for (const struct fact *f = facts; f->name; f++) {
		strbuf_reset(&text);
		f->add(&text, page->a);
		if (text.len)
			add_item(out, f->name, text.s);
	}
	strbuf_addstr(out, "</dl>\n");
}

/* --- step 4 -------------------------------------------------------------- */

static bool is_timed(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].issue_error.p50.status != STAT_NOT_APPLICABLE)
			return true;
	return false;
}

static bool is_timed_at_device(const struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (p->scenario[i].observe == OBSERVE_BLOCK)
			return true;
	return false;
}

static bool has_sessions(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].sessions.status == STAT_OK)
			return true;
	return false;
}

static void add_variation(struct strbuf *out, const struct html_page *p)
{
	SCOPED_STRBUF cv = STRBUF_INIT;
	if (!(p->a->between_process_cv >= 0))
		return;
	number_add(&cv, p->a->between_process_cv, p->a->between_process_cv, number_unit_percent,
		false);
	strbuf_addf(out, "<p>The program's mean response time varies by <b>%s</b> from run "
		"to run (coefficient of variation, median of the scenarios).</p>\n", cv.s);
}

static const struct table_cell *cell_of(const struct table *t, size_t row, const char *key)
{
	size_t i = 0;
	while (i < t->n_columns && strcmp(t->column[i].key, key))
		i++;
	assert(i < t->n_columns);
	return table_at(t, row, i);
}

/* Share of the program's time. A kind of request with less never counts for the component "bias by
 * operation". */
#define LEAST_TIME 0.001

static bool takes_time(const struct table *t, size_t row, const void *arg)
{
	(void)arg;
	return !(cell_of(t, row, "share_of_time")->value < LEAST_TIME);
}

static void add_operations(struct strbuf *out, const struct html_page *p)
{
	const struct html_table_view view = {.wanted = takes_time,
		.note = "Kinds of requests that take less than 0.1 % of the sum of the program's "
			"response times are omitted here, so some cases show only one kind."};
	html_add_table(out, p, "operations", &view);
}

/* --- runs ---------------------------------------------------------------- */

static bool is_failed(const struct table *t, size_t row, const void *arg)
{
	(void)arg;
	return !strcmp(cell_of(t, row, "state")->text, "failed");
}

static void add_runs(struct strbuf *out, const struct html_page *p)
{
	const struct html_table_view failed = {
	    .keys = "run block scenario role state started reason", .wanted = is_failed};
	const struct results *r = p->a->results;
	size_t n_failed = 0, n_pending = 0;
	for (size_t i = 0; i < r->n_runs; i++) {
		n_failed += r->run[i].state == RUN_FAILED;
		n_pending += r->run[i].state == RUN_PENDING;
	}
	begin_part(out, "runs", "Runs");
	strbuf_addf(out, "<p>%zu runs were planned: %zu succeeded and %zu failed.", r->n_runs,
		    r->n_runs - n_failed - n_pending, n_failed);
	if (n_pending)
		strbuf_addf(out, " %zu were not made%s.", n_pending,
			    p->a->complete ? ", because the verdicts were decided earlier" : "");
	strbuf_addstr(out, "</p>\n");
	if (n_failed <= FAILED_LISTED)
		html_add_table(out, p, "runs", &failed);
	strbuf_addstr(out, "<p>Every run: <a href=\"tables/runs.csv\">tables/runs.csv</a>.</p>\n");
	end_part(out);
}

/* --- environment, protocol, words ---------------------------------------- */

static void add_environment(struct strbuf *out, const struct html_page *p)
{
	begin_part(out, "environment", "Environment: machine, software, what was not available");
	html_add_environment(out, p->a->results->environment);
	end_part(out);
}

int html_protocol_read(struct strbuf *text, const struct results *r, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/protocol.conf", r->dir);
	const int ret = r->dir ? file_read(path, text, MAX_PROTOCOL_BYTES, e) : 0;
	if (ret == -ENOENT || ret == -EFBIG) /* the page omits it */
		err_clear(e);
	return ret == -ENOENT || ret == -EFBIG ? 0 : ret;
}

/* Appends the protocol without the values of keys that name hosts. A value continues on indented
 * lines. */
static void add_without_hosts(struct strbuf *out, const char *text)
{
	static const char *const keys[] = {"hosts", "launcher", NULL};
	bool hides = false;
	for (const char *next; *text; text = next) {
		const size_t len = strcspn(text, "\n");
		next = text + len + (text[len] == '\n');
		hides = hides && (*text == ' ' || *text == '\t');
		if (hides)
			continue;
		SCOPED_FREE char *key = xasprintf("%.*s", (int)strcspn(text, " \t=\n"), text);
		hides = word_in(key, keys);
		if (hides)
			strbuf_addf(out, "%s = " PROVENANCE_HIDDEN "\n", key);
		else
			strbuf_add(out, text, (size_t)(next - text));
	}
}

static void add_protocol(struct strbuf *out, const struct html_page *p)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	const struct results *r = p->a->results;
	if (!p->protocol->len)
		return;
	if (r->redacted)
		add_without_hosts(&text, p->protocol->s);
	SCOPED_FREE char *shown = r->redacted ? provenance_redact_text(text.s, r->redacted)
					      : xstrdup(p->protocol->s);
	strbuf_addstr(out, "<details><summary>The protocol</summary>\n<pre><code>");
	escape_html_text(out, shown);
	strbuf_addstr(out, "</code></pre>\n</details>\n");
}

static void add_tables(struct strbuf *out, const struct html_page *p)
{
	struct table t;
	for (size_t i = 0; table_build(&t, p->a, i); i++) {
		strbuf_addf(out, "%s<a href=\"tables/%s.csv\">%s</a>", i ? ", " : "", t.name,
			t.name);
		table_release(&t);
	}
}

/* --- the template -------------------------------------------------------- */

/* Whether the campaign has runs of program or replayers in slices, or whole runs. */
static bool has_runs(const struct results *r, bool in_slices)
{
	for (size_t i = 0; i < r->n_runs; i++)
		if (r->run[i].role != ROLE_RECORD && r->run[i].state != RUN_PENDING &&
		    r->run[i].sliced == in_slices)
			return true;
	return false;
}

static bool is_shown(const struct analysis *a, const char *name)
{
	const bool rerun = a->results->protocol.reference != REFERENCE_TRACE;
	const struct {
		const char *name;
		bool is;
	} condition[] = {{"rerun", rerun}, {"recorded", !rerun}, {"linearity", a->n_linearity},
			 {"timed", is_timed(a)}, {"courses", a->course},
			 {"sessions", has_sessions(a)}, {"league", a->n_league > 1},
			 {"rated", a->n_rated}, {"device", is_timed_at_device(a)},
			 {"slices", has_runs(a->results, true)},
			 {"whole-runs", has_runs(a->results, false)}};
	size_t i = 0;
	while (strcmp(condition[i].name, name))
		i++;
	return condition[i].is;
}

/* Executes a directive: "@part ID TITLE" to "@end"; "@table NAME COLUMNS" (without COLUMNS: all
 * columns); "@figures SECTION", and "@panels SECTION" for figures beside each other; otherwise the
 * name of a function. */
static void add_directive(struct strbuf *out, const struct html_page *p, char *line)
{
	static const struct {
		const char *name;
		void (*add)(struct strbuf *out, const struct html_page *p);
	} part[] = {{"verdicts", add_verdicts}, {"errors", add_errors},
		    {"rated", html_add_rated_range}, {"design", add_design},
		    {"variation", add_variation}, {"runs", add_runs},
		    {"operations", add_operations},
		    {"environment", add_environment}, {"protocol", add_protocol},
		    {"tables", add_tables},
		    {"terms", html_add_glossary}};
	char *rest;
	const char *word = strtok_r(line, "@ ", &rest), *name = strtok_r(NULL, " ", &rest);
	if (!strcmp(word, "part"))
		begin_part(out, name, rest);
	else if (!strcmp(word, "end"))
		end_part(out);
	else if (!strcmp(word, "table"))
		html_add_table(out, p, name,
			&(struct html_table_view){.keys = *rest ? rest : NULL});
	else if (!strcmp(word, "figures") || !strcmp(word, "panels"))
		html_add_figures(out, p, name, *word == 'p');
	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (!strcmp(word, part[i].name))
			part[i].add(out, p);
}

/* The template: HTML, and lines that begin with @. Lines between "@if CONDITION" and "@fi" depend
 * on a condition; a backslash at the end of a line joins the next line. */
EMBED(appendix, "reports/html/appendix.html");

static void add_template(struct strbuf *out, const struct html_page *p)
{
	bool shown = true;
	for (const char *s = appendix; *s;) {
		SCOPED_STRBUF line = STRBUF_INIT;
		size_t len = strcspn(s, "\n");
		const bool directive = *s == '@';
		for (; directive && s[len - 1] == '\\'; len = strcspn(s, "\n")) {
			strbuf_add(&line, s, len - 1);
			s += len + 1;
		}
		strbuf_add(&line, s, len);
		s += len + 1;
		if (!strncmp(line.s, "@if ", 4))
			shown = is_shown(p->a, line.s + 4);
		else if (!strcmp(line.s, "@fi"))
			shown = true;
		else if (shown && directive)
			add_directive(out, p, line.s);
		else if (shown && len && line.s[len - 1] == '\\')
			strbuf_add(out, line.s, len - 1);
		else if (shown)
			strbuf_addf(out, "%s\n", line.s);
	}
}

static void add_warnings(struct strbuf *out, const struct findings *f)
{
	if (!f->n_warnings)
		return;
	strbuf_addstr(out, "<h2 id=\"warnings\">Warnings</h2>\n<ul class=\"warnings\">\n");
	for (size_t i = 0; i < f->n_warnings; i++)
		html_addf(out, "<li>%s</li>\n", f->warning[i]);
	strbuf_addstr(out, "</ul>\n");
}

void html_add_appendix(struct strbuf *out, const struct html_page *p)
{
	add_warnings(out, p->findings);
	strbuf_addstr(out, "<h2 id=\"appendix\">Appendix: methods and data</h2>\n");
	add_template(out, p);
}
