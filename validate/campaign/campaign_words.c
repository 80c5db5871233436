/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command lines of a step. */
#include "common/options_describe.h"
#include "common/xalloc.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/registry.h"
#include "validate/campaign/campaign_state.h"
#include "validate/campaign/observe.h"

static void word_add(struct words *w, char *word)
{
	GROW(w->v, w->n, w->cap);
	w->v[w->n++] = word;
}

static void settings_add(struct words *w, const struct setting *option, size_t n, const char *but)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(option[i].key, but))
			word_add(w, xasprintf("--%s=%s", option[i].key, option[i].value));
}

/* All settings except those that change calls or check results: the blank of a mutant is that of
 * the engine. */
static void blank_settings_add(struct words *w, const struct replayer *r)
{
	static const char *const of_calls[] = {"engine", "mutant", "stop-on-mismatch"};
	for (size_t i = 0; i < r->n_options; i++) {
		bool left_out = false;
		for (size_t k = 0; k < sizeof of_calls / sizeof *of_calls; k++)
			left_out |= !strcmp(r->option[i].key, of_calls[k]);
		if (!left_out)
			word_add(w, xasprintf("--%s=%s", r->option[i].key, r->option[i].value));
	}
	word_add(w, xstrdup("--blank"));
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
static void script_words(struct words *w, const struct campaign *c, const struct step *s,
			 const char *verb)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const char *device = c->places.place[step_target(c, s)].below.path;
	word_add(w, xstrdup("sh"));
	/* recordings use the copy in the results directory, which keeps its name */
	word_add(w, scenario->parallel.is ? results_path(c->dir, scenario->script)
					  : scenario_script_path(c->protocol, scenario));
	word_add(w, xstrdup(verb));
	word_add(w, program_dir(&c->places, c->protocol, s->scenario, step_target(c, s)));
	word_add(w, xasprintf("%llu", (unsigned long long)scenario->size));
	if (device)
		word_add(w, xstrdup(device));
}

/* The program under capture, with the state of its files before. */
static void capture_words(struct words *w, const struct campaign *c, const struct step *s)
{
	char *root = program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s));
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("capture"));
	word_add(w, xstrdup("app"));
	word_add(w, xstrdup("--snapshot"));
	word_add(w, xstrdup("--check-status"));
	word_add(w, xasprintf("--root=%s", root));
	word_add(w, xasprintf("--output=%s", s->output));
	word_add(w, xstrdup("--"));
	script_words(w, c, s, "run");
	word_add(w, NULL);
	free(root);
}

/* Quoted for a shell. The caller frees. */
static char *words_text(const struct words *w)
{
	struct strbuf text = STRBUF_INIT;
	for (size_t i = 0; i < w->n; i++) {
		strbuf_addstr(&text, i ? " " : "");
		shell_word(&text, w->v[i]);
	}
	return strbuf_detach(&text);
}

/* Parallel application with its dependencies. A recording is many runs, each with new files; a
 * rerun is only the run without delays. */
static void causality_words(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct scenario_parallel *x = &c->protocol->scenario[s->scenario].parallel;
	struct words before = {0};
	char *root = program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s));
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("capture"));
	word_add(w, xstrdup("causality"));
	word_add(w, xasprintf("--root=%s", root));
	word_add(w, xasprintf("--output=%s", s->output));
	if (s->role == ROLE_RECORD) {
		script_words(&before, c, s, "prepare");
		char *text = words_text(&before);
		word_add(w, xasprintf("--before=%s", text));
		free(text);
		word_add(w, xasprintf("--runs-dir=%s", s->runs_dir));
		word_add(w, xstrdup("--resume"));
		word_add(w, xasprintf("--period=%llu", (unsigned long long)s->period));
		word_add(w, x->n_throttled ? xasprintf("--nodes=random:%llu",
						       (unsigned long long)x->n_throttled)
					   : xstrdup("--nodes=all"));
		word_add(w, xasprintf("--seed=%llu", (unsigned long long)s->seed));
		if (x->compute)
			word_add(w, xasprintf("--compute=%s", x->compute));
		words_free(&before);
	} else {
		word_add(w, xasprintf("--runs-dir=%s.runs", s->output));
		word_add(w, xstrdup("--nodes=none"));
	}
	word_add(w, xstrdup("--"));
	script_words(w, c, s, "run");
	word_add(w, NULL);
	free(root);
}

static void observer_words(struct words *w, const struct campaign *c, const struct step *s)
{
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("capture"));
	word_add(w, xstrdup("app"));
	word_add(w, xasprintf("--output=%s.side", s->output));
	word_add(w, xstrdup("--"));
}

/* A device instead of a directory. */
static void below_add(struct words *w, const struct campaign *c, const struct step *s,
		      const struct place *place)
{
	const struct target *t = &c->protocol->target[c->protocol->scenario[s->scenario].target];
	word_add(w, xasprintf("--device=%s", place->below.path));
	if (t->destructive || t->volume)
		word_add(w, xstrdup("--destructive"));
	if (t->volume)
		word_add(w, xstrdup("--own-device"));
}

/* The place of the files of a step: its target's directory or device. */
static void place_add(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const struct place *place = &c->places.place[step_target(c, s)];
	if (scenario_is_below(c->protocol, scenario)) {
		below_add(w, c, s, place);
		return;
	}
	char *work_dir =
	    scenario->script || scenario->trace
		? program_work_dir(&c->places, c->protocol, s->scenario, step_target(c, s))
		: NULL;
	const struct place_dir *dir = place_seat(&c->places.place[step_target(c, s)],
						 c->places.scenario[s->scenario].dir, s->seat);
	word_add(w, xasprintf("--dir=%s", work_dir ? work_dir : dir->path));
	free(work_dir);
}

static void microbench_words(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	word_add(w, xstrdup("microbench"));
	word_add(w, xstrdup(scenario->type));
	settings_add(w, scenario->option, scenario->n_options, "requests");
	word_add(w, xasprintf("--requests=%llu", (unsigned long long)s->n_requests));
	word_add(w, xasprintf("--seed=%llu", (unsigned long long)s->seed));
	/* the count decides, even if a workload has a duration */
	word_add(w, xstrdup("--min-duration=0"));
	word_add(w, xstrdup("--no-prepare"));
}

size_t step_n_programs(const struct campaign *c, const struct step *s)
{
	if (role_is_program(c, s->role))
		return 0;
	const struct replayer *p = &c->protocol->replayer[s->role];
	const struct replay_engine *g = replay_engine_find(p->engine);
	size_t n = g && g->prepare ? 1 : 0;
	for (size_t i = 0; n && i < p->n_options; i++)
		if (!strcmp(p->option[i].key, "unroll"))
			/* its blank is a different program */
			n = 2;
	return n;
}

/* Source of the times of another project's replayer: the preload library if it observes; none if
 * the campaign observes the device; else the replayer's default. */
static void times_add(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct replayer *r = &c->protocol->replayer[s->role];
	const struct adapter *a = replayer_adapter(r);
	const int observe = c->protocol->scenario[s->scenario].observe;
	if (!a || replayer_option(r, "times"))
		return;
	if (observe == OBSERVE_PRELOAD && a->times & ADAPTER_PRELOAD)
		word_add(w, xstrdup("--times=preload"));
	else if (observe == OBSERVE_BLOCK && replayer_is_untimed(r))
		word_add(w, xstrdup("--times=none"));
}

static void replay_words(struct words *w, const struct campaign *c, const struct step *s)
{
	const struct replayer *replayer = &c->protocol->replayer[s->role];
	word_add(w, xstrdup("replay"));
	word_add(w, xasprintf("--engine=%s", replayer->engine));
	if (s->blank)
		blank_settings_add(w, replayer);
	else
		for (size_t i = 0; i < replayer->n_options; i++)
			if (replayer_option_acts(replayer, i, s->scenario))
				word_add(w, xasprintf("--%s=%s", replayer->option[i].key,
						      replayer->option[i].value));
	times_add(w, c, s);
	if (step_n_programs(c, s))
		word_add(w, xasprintf("--program-cache=%s", c->programs));
}

/* A trace that is the reference is read, not recorded. */
static void import_words(struct words *w, const struct campaign *c, const struct step *s)
{
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("import"));
	word_add(w, scenario_trace_path(c->protocol, &c->protocol->scenario[s->scenario]));
	word_add(w, xasprintf("--output=%s", s->output));
	word_add(w, NULL);
}

void prepare_words_make(struct words *w, const struct campaign *c, const struct step *s,
			const char *dir)
{
	word_add(w, xstrdup(c->options->self));
	word_add(w, xstrdup("replay"));
	word_add(w, xstrdup("--engine=event"));
	word_add(w, xstrdup("--order=thread"));
	word_add(w, xasprintf("--dir=%s", dir));
	word_add(w, xstrdup("--prepare-only"));
	word_add(w, xstrdup(s->input));
	word_add(w, NULL);
}

void words_make(struct words *w, const struct campaign *c, const struct step *s)
{
	bool program = role_is_program(c, s->role);
	if (step_is_captured(c, s)) {
		script_words_make(w, c, s, "run");
		return;
	}
	if (program && c->protocol->scenario[s->scenario].parallel.is) {
		causality_words(w, c, s);
		return;
	}
	if (program && c->protocol->scenario[s->scenario].script) {
		capture_words(w, c, s);
		return;
	}
	if (program && c->protocol->scenario[s->scenario].trace) {
		import_words(w, c, s);
		return;
	}
	if (step_observation(c, s) == OBSERVE_PRELOAD)
		observer_words(w, c, s);
	word_add(w, xstrdup(c->options->self));
	if (program)
		microbench_words(w, c, s);
	else
		replay_words(w, c, s);
	place_add(w, c, s);
	word_add(w, xasprintf("--output=%s", s->output));
	word_add(w, xstrdup("--no-sync-output"));
	if (!program)
		word_add(w, xstrdup(s->input));
	word_add(w, NULL);
}

void compile_words_make(struct words *w, const struct campaign *c, const struct step *s)
{
	word_add(w, xstrdup(c->options->self));
	replay_words(w, c, s);
	place_add(w, c, s);
	word_add(w, xstrdup("--compile-only"));
	word_add(w, xstrdup(s->input));
	word_add(w, NULL);
}

void script_words_make(struct words *w, const struct campaign *c, const struct step *s,
		       const char *verb)
{
	script_words(w, c, s, verb);
	word_add(w, NULL);
}

void words_free(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
}
