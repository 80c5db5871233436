/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command lines of a step. */
#include "common/options.h"
#include "common/units.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/registry.h"
#include "validate/campaign/observe.h"

static void settings_add(struct words_list *w, const struct setting *option, size_t n,
			 const char *but)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(option[i].key, but))
			words_list_addf(w, "--%s=%s", option[i].key, option[i].value);
}

/* Adds all settings except those that change calls or check results, so the blank of a mutant is
 * that of the engine. */
static void blank_settings_add(struct words_list *w, const struct replayer *r)
{
	static const char *const of_calls[] = {"engine", "mutant", "stop-on-mismatch", NULL};
	for (size_t i = 0; i < r->n_options; i++)
		if (!word_in(r->option[i].key, of_calls))
			words_list_addf(w, "--%s=%s", r->option[i].key, r->option[i].value);
	words_list_add(w, "--blank");
}

bool role_is_program(const struct campaign *c, int32_t role)
{
	return role < 0 || !strcmp(c->protocol->replayer[role].engine, "program");
}

size_t step_target(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	return s->role == ROLE_RECORD || s->where_recorded ? scenario->recorded_on
							   : scenario->target;
}

/* sh SCRIPT VERB DIR SIZE [DEVICE] */
void script_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
		       const char *verb)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const char *device = c->places.place[step_target(c, s)].below.path;
	words_list_add(w, "sh");
	/* recordings use the copy in the results directory, which keeps its name */
	words_list_take(w, scenario->parallel.is ? results_path(c->dir, scenario->script)
						 : scenario_script_path(c->protocol, scenario));
	words_list_add(w, verb);
	words_list_take(w, program_dir(&c->places, c->protocol, s->scenario, step_target(c, s)));
	words_list_addf(w, "%llu", (unsigned long long)scenario->size);
	if (device)
		words_list_add(w, device);
}

/* Returns the words as text, quoted for a shell. The caller frees. */
static char *words_text(const struct words_list *w)
{
	struct strbuf text = STRBUF_INIT;
	for (size_t i = 0; i < w->n; i++) {
		strbuf_addstr(&text, i ? " " : "");
		shell_word(&text, w->v[i]);
	}
	return strbuf_detach(&text);
}

static void hosts_add(struct words_list *w, const struct scenario *s)
{
	SCOPED_FREE char *hosts = scenario_hosts(s);
	if (hosts)
		words_list_addf(w, "--hosts=%s", hosts);
	if (scenario_launcher(s))
		words_list_addf(w, "--launcher=%s", scenario_launcher(s));
}

/* Adds the words about the runs of a parallel application. A recording consists of many runs, each
 * with new files. A rerun is a single run without delays. */
static void causality_add(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct scenario_parallel *x = &c->protocol->scenario[s->scenario].parallel;
	SCOPED(words_list_release) struct words_list before = {0};
	hosts_add(w, &c->protocol->scenario[s->scenario]);
	if (s->role == ROLE_RECORD) {
		script_words_make(&before, c, s, "prepare");
		SCOPED_FREE char *text = words_text(&before);
		words_list_addf(w, "--before=%s", text);
		words_list_addf(w, "--runs-dir=%s", s->runs_dir);
		words_list_add(w, "--resume");
		words_list_addf(w, "--period=%llu", (unsigned long long)s->period);
		if (x->n_throttled)
			words_list_addf(w, "--nodes=random:%llu",
					(unsigned long long)x->n_throttled);
		else
			words_list_add(w, "--nodes=all");
		words_list_addf(w, "--seed=%llu", (unsigned long long)s->seed);
		if (x->compute)
			words_list_addf(w, "--compute=%s", x->compute);
	} else {
		words_list_addf(w, "--runs-dir=%s.runs", s->output);
		words_list_add(w, "--nodes=none");
	}
}

/* Adds the words that capture the program and the initial state of its files, or a parallel
 * application with its dependencies. */
static void capture_words(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const bool parallel = c->protocol->scenario[s->scenario].parallel.is;
	SCOPED_FREE char *root =
	    program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s));
	words_list_add_all(w, c->options->self, "capture", parallel ? "causality" : "app", NULL);
	if (!parallel)
		words_list_add_all(w, "--snapshot", "--check-status", NULL);
	words_list_addf(w, "--root=%s", root);
	words_list_addf(w, "--output=%s", s->output);
	if (parallel)
		causality_add(w, c, s);
	words_list_add(w, "--");
	script_words_make(w, c, s, "run");
}

/* Adds the place of the files of a step: its target's directory or device. */
static void place_add(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const struct place *place = &c->places.place[step_target(c, s)];
	if (scenario_is_below(c->protocol, scenario)) {
		/* A device instead of a directory. */
		const struct target *t =
		    &c->protocol->target[c->protocol->scenario[s->scenario].target];
		words_list_addf(w, "--device=%s", place->below.path);
		if (t->destructive || t->volume)
			words_list_add(w, "--destructive");
		if (t->volume)
			words_list_add(w, "--own-device");
		return;
	}
	SCOPED_FREE char *work_dir =
	    scenario->script || scenario->trace
		? program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s))
		: NULL;
	const struct place_dir *dir = place_seat(&c->places.place[step_target(c, s)],
						 c->places.scenario[s->scenario].dir, s->seat);
	words_list_addf(w, "--dir=%s", work_dir ? work_dir : dir->path);
}

static void microbench_words(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	words_list_add_all(w, "microbench", scenario->type, NULL);
	settings_add(w, scenario->option, scenario->n_options, "requests");
	words_list_addf(w, "--requests=%llu", (unsigned long long)s->n_requests);
	words_list_addf(w, "--seed=%llu", (unsigned long long)s->seed);
	/* the count determines the length, even if a workload has a duration */
	words_list_add_all(w, "--min-duration=0", "--no-prepare", NULL);
}

size_t step_n_programs(const struct campaign *c, const struct step *s)
{
	if (role_is_program(c, s->role))
		return 0;
	const struct replayer *p = &c->protocol->replayer[s->role];
	const struct replay_engine *g = replay_engine_find(p->engine);
	/* the blank of an unrolled program is a different program */
	return !g || !g->prepare ? 0 : replayer_option(p, "unroll") ? 2 : 1;
}

/* Adds the source of the times of a replayer of another project: the preload library if it
 * observes; none if the campaign observes the device; otherwise the replayer's default. */
static void times_add(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct replayer *r = &c->protocol->replayer[s->role];
	const struct adapter *a = replayer_adapter(r);
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	if (!a || replayer_option(r, "times"))
		return;
	if (replayer_is_preloaded(r, scenario))
		words_list_add(w, "--times=preload");
	else if (scenario->observe == OBSERVE_BLOCK && replayer_is_untimed(r))
		words_list_add(w, "--times=none");
}

static void replay_words(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct replayer *replayer = &c->protocol->replayer[s->role];
	words_list_add(w, "replay");
	words_list_addf(w, "--engine=%s", replayer->engine);
	if (s->blank)
		blank_settings_add(w, replayer);
	else
		for (size_t i = 0; i < replayer->n_options; i++)
			if (replayer_option_acts(replayer, i, s->scenario))
				words_list_addf(w, "--%s=%s", replayer->option[i].key,
						      replayer->option[i].value);
	times_add(w, c, s);
	if (step_n_programs(c, s))
		words_list_addf(w, "--program-cache=%s", c->programs);
}

/* Adds the words that import a trace. A trace that is the reference is read, not recorded. */
static void import_words(struct words_list *w, const struct campaign *c, const struct step *s)
{
	words_list_add_all(w, c->options->self, "import", NULL);
	words_list_take(w, scenario_trace_path(c->protocol, &c->protocol->scenario[s->scenario]));
	words_list_addf(w, "--output=%s", s->output);
}

void prepare_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
			const char *dir)
{
	words_list_add_all(w, c->options->self, "replay", "--engine=event", "--order=thread", NULL);
	words_list_addf(w, "--dir=%s", dir);
	words_list_add_all(w, "--prepare-only", s->input, NULL);
}

/* Adds the words that run the program or a replayer of this project, under the preload library if
 * the library observes it. */
static void run_words(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const bool program = role_is_program(c, s->role);
	if (step_observation(c, s) == OBSERVE_PRELOAD) {
		words_list_add_all(w, c->options->self, "capture", "app", NULL);
		words_list_addf(w, "--output=%s.side", s->output);
		words_list_add(w, "--");
	}
	words_list_add(w, c->options->self);
	if (program)
		microbench_words(w, c, s);
	else
		replay_words(w, c, s);
	place_add(w, c, s);
	words_list_addf(w, "--output=%s", s->output);
	words_list_add(w, "--no-sync-output");
	if (!program)
		words_list_add(w, s->input);
}

void words_make(struct words_list *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const bool program = role_is_program(c, s->role);
	if (step_is_captured(c, s))
		script_words_make(w, c, s, "run");
	else if (program && scenario->script)
		capture_words(w, c, s);
	else if (program && scenario->trace)
		import_words(w, c, s);
	else
		run_words(w, c, s);
}

void compile_words_make(struct words_list *w, const struct campaign *c, const struct step *s)
{
	words_list_add(w, c->options->self);
	replay_words(w, c, s);
	place_add(w, c, s);
	words_list_add_all(w, "--compile-only", s->input, NULL);
}
