/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [replayer NAME]: each combination of its lists becomes a variant. */
#include "common/units.h"
#include "common/words.h"
#include "microbench/microbench.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/replay.h"
#include "validate/protocol/protocol_programs.h"

#define REPLAYERS_MAX 100

static const char *const replayer_own[] = {"engine",   "workloads", "mutant-workloads",
					   "optional", "control",   "comparison", NULL};

static int engine_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "engine");
	for (size_t i = 0; k && i < k->item.n; i++) {
		const char *name = k->item.v[i], *names[66];
		size_t n = 0;
		names[n++] = "program";
		for (const struct replay_engine *const *r = replay_engines; *r && n < 65; r++)
			names[n++] = (*r)->name;
		names[n] = NULL;
		bool program = !strcmp(name, "program");
		if (program && g->n_keys > 1)
			return key_err(f, k->key, e, "the engine \"program\" runs the program "
				"itself, and accepts no options of replayers: give it a section "
				"of its own without them");
		if (program || replay_engine_find(name))
			continue;
		name_refuse(e, EINVAL, name, names,
			    " (\"validate replay --list-engines\" lists the engines)",
			    "\"%s\" is not a replay engine", name);
		return key_refuse(f, k->key, e);
	}
	return 0;
}

int replayer_config(const struct replayer *r, struct replay_config *c, struct err *e)
{
	replay_config_init(c);
	c->engine = r->engine;
	return settings_apply(replay_options, c, r->option, r->n_options, e);
}

const char *replayer_option(const struct replayer *r, const char *key)
{
	return setting_find(r->option, r->n_options, key);
}

bool replayer_option_acts(const struct replayer *r, size_t i, size_t scenario)
{
	return strcmp(r->option[i].key, "mutant") != 0 || r->mutant_acts[scenario];
}

const struct adapter *replayer_adapter(const struct replayer *r)
{
	const struct replay_engine *g = replay_engine_find(r->engine);
	return g ? g->adapter : NULL;
}

bool replayer_is_preloaded(const struct replayer *r, const struct scenario *s)
{
	const struct adapter *a = replayer_adapter(r);
	return a && s->observe == OBSERVE_PRELOAD && !replayer_option(r, "times") &&
	       a->times & ADAPTER_PRELOAD;
}

bool replayer_is_of_nodes(const struct replayer *r)
{
	const struct replay_engine *g = replay_engine_find(r->engine);
	return g && g->nodes;
}

/* Sets the scenarios of a replayer without key `workloads`: those of its level. Engine block
 * replays scenarios on devices, engine parallel parallel applications, and the other engines calls
 * on files. */
static int level_fits(const struct protocol *p, const struct protocol_file *f,
		      const struct key_grid *g, struct replayer *r, struct err *e)
{
	bool named = ini_key_find(g->section, "workloads"), any = false;
	const struct replay_engine *engine = replay_engine_find(r->engine);
	enum trace_level level = engine ? engine->level : 0;
	bool block = level == LEVEL_BLOCK;
	const bool program = !strcmp(r->engine, "program"), parallel = replayer_is_of_nodes(r);
	for (size_t s = 0; s < p->n_scenarios; s++) {
		if (program && r->applies[s] && p->scenario[s].trace)
			return err_set(e, EINVAL, "%s:%u: [replayer %s]: [workload %s] is a trace, "
				"and has no program that could run", f->path, g->section->line,
				r->name, p->scenario[s].workload);
		if (program)
			continue;
		if (r->applies[s] && p->scenario[s].parallel.is != parallel &&
		    (parallel || !named)) {
			if (named)
				return err_set(e, EINVAL, "%s:%u: [replayer %s]: engine %s cannot "
					"replay [workload %s], which is not a parallel application",
					f->path, g->section->line, r->name, r->engine,
					p->scenario[s].workload);
			r->applies[s] = false;
			continue;
		}
		if (!r->applies[s] || !level || scenario_is_below(p, &p->scenario[s]) == block) {
			any |= r->applies[s];
			continue;
		}
		if (named)
			return err_set(
			    e, EINVAL,
			    "%s:%u: [replayer %s]: engine %s cannot replay [workload %s]: %s",
			    f->path, g->section->line, r->name, r->engine, p->scenario[s].workload,
			    block ? "the workload makes calls on files"
				  : "the workload makes requests on a device");
		r->applies[s] = false;
	}
	if (any || program)
		return 0;
	return err_set(e, EINVAL,
		       "%s:%u: [replayer %s]: engine %s replays only %s, and the protocol has no "
		       "such workload", f->path, g->section->line, r->name, r->engine,
		       block ? "requests on a device"
		       : parallel ? "parallel applications" : "calls on files");
}

/* Whether requests are issued at the times of the trace. */
static bool keeps_times(const struct replayer *r, const struct replay_config *c)
{
	const struct adapter *a = replayer_adapter(r);
	if (a)
		return adapter_is_timed(a, c);
	if (replay_engine_find(r->engine)->level == LEVEL_BLOCK)
		return c->block.mode == MODE_HF || c->block.mode == MODE_DEP;
	return replay_settled(c).timing != TIMING_FULLSPEED;
}

static bool *flags_copy(const bool *flags, size_t n)
{
	bool *copy = xcalloc(n + 1, sizeof *copy);
	memcpy(copy, flags, n * sizeof *copy);
	return copy;
}

/* Adds a variant. `common`: properties that all variants of the section share. */
static int replayer_add(struct protocol *p, const struct protocol_file *f, const struct key_grid *g,
			const struct replayer *common, struct err *e)
{
	struct replayer *r = &p->replayer[p->n_replayers++];
	struct strbuf name = STRBUF_INIT;
	grid_name(g, NULL, &name);
	*r = *common;
	r->name = strbuf_detach(&name);
	r->section = xstrdup(g->section->name);
	/* [replayer fio] is engine fio */
	const bool names_engine =
	    replay_engine_find(r->section) || !strcmp(r->section, "program");
	r->engine = xstrdup(item_now(g, "engine", names_engine ? r->section : "event"));
	settings_take(g, replayer_own, &r->option, &r->n_options);
	r->applies = flags_copy(common->applies, p->n_scenarios);
	r->mutant_acts = flags_copy(common->mutant_acts, p->n_scenarios);
	int fits = level_fits(p, f, g, r, e);
	if (fits)
		return fits;
	if (!strcmp(r->engine, "program"))
		return 0; /* no promised order, no times */
	struct replay_config c;
	int ret = replayer_config(r, &c, e);
	ret = ret ? ret : replay_check(&c, e);
	if (ret)
		return err_context(e, "%s:%u: [replayer %s]", f->path, g->section->line, r->name);
	const int order = replay_settled(&c).order;
	r->total_order = order == ORDER_TEMPORAL || order == ORDER_TEMPORAL_SERIAL;
	r->timed = keeps_times(r, &c);
	return 0;
}

/* Parses a key that lists workload sections or scenarios. Without the key, all are chosen. */
static int scenarios_read(const struct protocol *p, const struct protocol_file *f,
			  const struct ini_section *s, const char *key, bool *chosen, struct err *e)
{
	const struct ini_key *k = ini_key_find(s, key);
	SCOPED(words_list_release) struct words_list names = {0};
	memset(chosen, !k, p->n_scenarios * sizeof *chosen);
	if (!k)
		return 0;
	int ret = words_split(&names, k->value, e);
	for (size_t i = 0; !ret && i < names.n; i++) {
		bool found = false;
		for (size_t c = 0; c < p->n_scenarios; c++)
			if (!strcmp(p->scenario[c].workload, names.v[i]) ||
			    !strcmp(p->scenario[c].name, names.v[i]))
				chosen[c] = found = true;
		if (!found)
			ret = err_set(e, EINVAL, "the protocol has no section [workload %s]",
				      names.v[i]);
	}
	return ret ? key_refuse(f, k, e) : 0;
}

/* Parses a key whose value is yes or no. Without the key, it is no. */
static int flag_read(const struct protocol_file *f, const struct ini_section *s, const char *key,
		     bool *yes, struct err *e)
{
	static const char *const names[] = {"no", "yes", NULL};
	const struct ini_key *k = ini_key_find(s, key);
	*yes = k && !strcmp(k->value, names[1]);
	if (!k || *yes || !strcmp(k->value, names[0]))
		return 0;
	return key_err(f, k, e, "\"%s\": expected yes or no", k->value);
}

void replayer_leave_out(struct protocol *p, size_t i, const char *why)
{
	struct replayer *r = &p->replayer[i];
	free(r->absent);
	r->absent = xstrdup(why);
	memset(r->applies, 0, p->n_scenarios * sizeof *r->applies);
}

/* Checks that every workload has a replayer. */
static int workloads_check(const struct protocol *p, struct err *e)
{
	for (size_t s = 0; s < p->n_scenarios; s++) {
		bool any = false;
		for (size_t r = 0; r < p->n_replayers; r++)
			any |= p->replayer[r].applies[s];
		if (!any)
			return err_set(e, EINVAL, "%s: no replayer replays [workload %s]: add a "
				       "replayer, or select the workload in the key \"workloads\" "
				       "of a replayer", p->path, p->scenario[s].workload);
	}
	return 0;
}

int replayers_find(struct protocol *p, struct err *e)
{
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct adapter *a = replayer_adapter(&p->replayer[i]);
		struct err why = ERR_INIT;
		SCOPED_FREE char *binary = a && a->program ? adapter_binary(a, &why) : NULL;
		if (a && a->program && !binary && !p->replayer[i].optional)
			return err_set(
			    e, ENOENT,
			    "%s: [replayer %s]: %s (optional = yes continues without it)", p->path,
			    p->replayer[i].name, why.msg);
		if (a && a->program && !binary)
			replayer_leave_out(p, i, why.msg);
	}
	return workloads_check(p, e);
}

/* Parses the keys that are not part of the grid. */
static int common_read(const struct protocol *p, const struct protocol_file *f,
		       const struct ini_section *s, struct replayer *common, struct err *e)
{
	const struct ini_key *k = ini_key_find(s, "mutant-workloads");
	int ret = scenarios_read(p, f, s, "workloads", common->applies, e);
	ret = ret ? ret : scenarios_read(p, f, s, "mutant-workloads", common->mutant_acts, e);
	for (size_t i = 0; !ret && k && i < p->n_scenarios; i++)
		if (common->mutant_acts[i] && !common->applies[i]) {
			err_set(e, EINVAL,
				"the key \"workloads\" of this replayer does not select \"%s\": "
				"add it there, or remove it here",
				p->scenario[i].name);
			ret = key_refuse(f, k, e);
		}
	if (!ret && k && !ini_key_find(s, "mutant")) {
		err_set(e, EINVAL, "it applies only with the key \"mutant\", which this section "
			"lacks");
		ret = key_refuse(f, k, e);
	}
	ret = ret ? ret : flag_read(f, s, "optional", &common->optional, e);
	ret = ret ? ret : flag_read(f, s, "control", &common->control, e);
	return ret ? ret : flag_read(f, s, "comparison", &common->comparison, e);
}

static int replayer_section(struct protocol *p, const struct protocol_file *f,
			    const struct ini_section *s, struct err *e)
{
	static const char *const without[] = {"workloads", "mutant-workloads", "optional",
					      "control", "comparison", NULL};
	static const char *const reserved[] = {"engine", NULL};
	struct replay_config scratch;
	SCOPED(grid_release) struct key_grid g = {0};
	struct replayer common = {.applies = xcalloc(p->n_scenarios, sizeof *common.applies),
				  .mutant_acts =
				      xcalloc(p->n_scenarios, sizeof *common.mutant_acts)};
	int ret = grid_make(&g, s, without, f->path, e);
	replay_config_init(&scratch);
	ret = ret ? ret : common_read(p, f, s, &common, e);
	ret = ret ? ret : items_check(f, &g, replay_options, &scratch, replayer_own, reserved, e);
	ret = ret ? ret : engine_check(f, &g, e);
	size_t n = grid_size(&g);
	if (!ret && (n > REPLAYERS_MAX || p->n_replayers + n > REPLAYERS_MAX))
		ret = err_set(
		    e, EINVAL,
		    "%s:%u: [replayer %s] makes %zu variants: the protocol can have at most %d "
		    "replayers",
		    f->path, s->line, s->name, n, REPLAYERS_MAX);
	if (!ret) {
		p->replayer = xreallocarray(p->replayer, p->n_replayers + n, sizeof *p->replayer);
		do
			ret = replayer_add(p, f, &g, &common, e);
		while (!ret && grid_next(&g));
	}
	FREE_EACH(common.applies, common.mutant_acts);
	return ret;
}

int replayers_read(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	for (size_t i = 0; i < f->ini.n_sections; i++) {
		if (strcmp(f->ini.section[i].kind, "replayer"))
			continue;
		int ret = replayer_section(p, f, &f->ini.section[i], e);
		if (ret)
			return ret;
	}
	if (!p->n_replayers)
		return err_set(e, EINVAL, "%s: a section [replayer NAME] is missing", f->path);
	return workloads_check(p, e);
}
