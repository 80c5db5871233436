/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 1 to 3 of the protocol: measurand, measurement procedure, sources of uncertainty. */
#include "common/units.h"
#include "reports/escape.h"
#include "reports/words.h"
#include "reports/html/html.h"

static void add_measurand(struct strbuf *out, const struct analysis *a)
{
	strbuf_addstr(out, "<h2 id=\"step-1\">1 Measurand</h2>\n"
			   "<p>The quantity measured is the <b>response time</b> of a file-system "
			   "request: the time "
			   "between just before the "
			   "call and just after it, end − begin, as the caller sees it. The result "
			   "of one run is the "
			   "<b>mean response time of all its requests</b>; median and 99th "
			   "percentile of the run stand "
			   "beside it.</p>\n");
	if (a->results->protocol.reference == REFERENCE_TRACE)
		strbuf_addstr(out, "<p>The reference value is what the recorded trace itself says: "
				   "the program was not "
				   "run again. Replayer and "
				   "reference were therefore not measured at the same time, and "
				   "drift between them "
				   "counts as bias.</p>\n");
	else
		strbuf_addstr(out, "<p>No object with a known response time exists. The "
				   "conventional reference value is the program "
				   "itself, "
				   "<b>run again</b> with the same seed in the same block as the "
				   "replays, so that both see the same "
				   "machine at the same time.</p>\n");
	strbuf_addstr(out, "<p class=\"src\">VIM 2.3 (measurand), 2.18 (measurement bias); GUM "
			   "D.1; Pereira et al. "
			   "2016, section III-A</p>\n");
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
	struct strbuf text = STRBUF_INIT;
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
	strbuf_release(&text);
}

static void add_target(struct strbuf *out, const struct target *t)
{
	static const char *const cache[] = {[CACHE_COLD] =
						"cold: caches are emptied before each run",
					    [CACHE_WARM] = "warm: files are read before each run",
					    [CACHE_AS_IS] = "left as it is"};
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "%s; cache %s", t->dir ? t->dir : "a fresh directory inside the results",
		    t->cache >= 0 && t->cache <= CACHE_AS_IS ? cache[t->cache] : "unknown");
	if (t->cache_budget_bytes) {
		strbuf_addf(&text, "; page cache limited to %s",
				   size_text(t->cache_budget_bytes).s);
	}
	if (t->memory_limit_bytes) {
		strbuf_addf(&text, "; all memory of a run limited to %s",
				   size_text(t->memory_limit_bytes).s);
	}
	if (t->queue)
		strbuf_addf(&text, "; queue %s", t->queue);
	if (t->precondition_passes)
		strbuf_addf(&text, "; files overwritten %llu times before",
			    (unsigned long long)t->precondition_passes);
	html_add_text(out, "<dt>Target ", t->name, "</dt><dd>");
	escape_html(out, text.s);
	strbuf_addstr(out, "</dd>\n");
	strbuf_release(&text);
}

/* The few words about the machine that belong to the procedure; the rest is with the evidence. */
static void add_machine(struct strbuf *out, const json_t *environment)
{
	const json_t *machine = json_object_get(environment, "machine"),
		     *kernel = json_object_get(environment, "kernel");
	const char *cpu = json_string_value(json_object_get(machine, "cpu_model"));
	const char *release = json_string_value(json_object_get(kernel, "release"));
	const json_t *n_cpus = json_object_get(machine, "n_cpus_online"),
		     *memory = json_object_get(machine, "memory_bytes");
	struct strbuf text = STRBUF_INIT;
	if (cpu)
		strbuf_addf(&text, "%s", cpu);
	if (json_is_integer(n_cpus))
		strbuf_addf(&text, "%s%lld processors", text.len ? ", " : "",
			    (long long)json_integer_value(n_cpus));
	if (json_is_integer(memory) && json_integer_value(memory) > 0) {
		strbuf_addf(&text, "%s%s of memory", text.len ? ", " : "",
				   size_text((uint64_t)json_integer_value(memory)).s);
	}
	if (release)
		strbuf_addf(&text, "%sLinux %s", text.len ? ", " : "", release);
	if (json_is_true(json_object_get(machine, "virtual")))
		strbuf_addstr(&text, ", a virtual machine");
	if (text.len)
		add_item(out, "Machine", text.s);
	strbuf_release(&text);
}

static void add_design(struct strbuf *out, const struct analysis *a)
{
	const struct results *r = a->results;
	const struct protocol *p = &r->protocol;
	struct strbuf text = STRBUF_INIT;
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
	strbuf_release(&text);
}

static void add_procedure(struct strbuf *out, const struct html_page *p)
{
	bool rerun = p->a->results->protocol.reference != REFERENCE_TRACE;
	strbuf_addf(out, "<h2 id=\"step-2\">2 Measurement procedure</h2>\n<p>Traces of the "
			 "program are recorded first. Then, block by block and in an order drawn "
			 "at random, every replayer replays the block's trace%s. Before each run "
			 "the files are restored in place, written back, brought to the cache "
			 "state asked for, and what remains cached is counted. Own stamps are "
			 "taken just around each call into memory that was reserved before.</p>\n",
			 rerun ? ", and the program itself runs again in between" : "");
	add_design(out, p->a);
	html_add_table(out, p, "replayers", NULL);
	html_add_table(out, p, "scenarios", NULL);
	html_add_table(out, p, "observation", NULL);
	strbuf_addstr(out, "<p>The machine, its software and what could not be had on it are "
			   "listed under <a href=\"#environment\">environment</a>.</p>\n"
			   "<p class=\"src\">VIM 2.6 (measurement procedure), 2.20 (repeatability "
			   "condition); Pereira et al. 2016, section III-B</p>\n");
}

void html_add_definition(struct strbuf *out, const struct html_page *p)
{
	add_measurand(out, p->a);
	add_procedure(out, p);
	strbuf_addstr(out, "<h2 id=\"step-3\">3 Sources of uncertainty</h2>\n<p>What may make the "
			   "result of a replay "
			   "differ from what the program would "
			   "have shown, by where it comes from. A source that is only named is not "
			   "lost: what it does "
			   "within this campaign is "
			   "in the scatter of the runs; what it would do elsewhere is not in any "
			   "number here.</p>\n");
	html_add_figures(out, p, "sources", false);
	html_add_table(out, p, "sources", NULL);
	strbuf_addstr(
	    out,
	    "<p class=\"src\">GUM 3.3.2; Pereira et al. 2016, section III-C and figure 2</p>\n");
}
