/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [replayer NAME]: each combination of its lists becomes a variant. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "microbench/microbench.h"
#include "replay/adapters/adapter.h"
#include "validate/protocol/protocol_programs.h"

#define REPLAYERS_MAX 100

static const char *const replayer_own[] = {"engine", "workloads", "optional", "control", NULL};

static int engine_check(const struct protocol_file *f, const struct grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "engine");
	for (size_t i = 0; k && i < k->n_items; i++) {
		const char *name = k->item[i], *names[66];
		size_t n = 0;
		names[n++] = "program";
		for (const struct replay_engine *const *r = replay_engines; *r && n < 65; r++)
			names[n++] = (*r)->name;
		names[n] = NULL;
		bool program = !strcmp(name, "program");
		if (program && g->n_keys > 1) {
			err_set(e, EINVAL, "\"program\" is the program itself, which has no options of a replayer");
			return key_refuse(f, k->key, e);
		}
		if (program || replay_engine_find(name))
			continue;
		const char *near = nearest_name(name, names);
		if (near)
			err_set(e, EINVAL, "\"%s\" is no replay engine (did you mean \"%s\"?)", name, near);
		else
			err_set(e, EINVAL, "\"%s\" is no replay engine", name);
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
	for (size_t i = 0; i < r->n_options; i++)
		if (!strcmp(r->option[i].key, key))
			return r->option[i].value;
	return NULL;
}

const struct adapter *replayer_adapter(const struct replayer *r)
{
	const struct replay_engine *g = replay_engine_find(r->engine);
	return g ? g->adapter : NULL;
}

/* Requests of a device are for engine block, parallel applications for engine parallel, calls for the others: without key `workloads`
 * each takes what is its own. */
static int level_fits(const struct protocol *p, const struct protocol_file *f, const struct grid *g, struct replayer *r, struct err *e)
{
	bool named = ini_key_find(g->section, "workloads"), any = false;
	const struct replay_engine *engine = replay_engine_find(r->engine);
	enum trace_level level = engine ? replay_engine_level(engine) : 0;
	bool block = level == LEVEL_BLOCK;
	const bool program = !strcmp(r->engine, "program"), parallel = !strcmp(r->engine, "parallel");
	for (size_t s = 0; s < p->n_scenarios; s++) {
		if (program && r->applies[s] && p->scenario[s].trace)
			return err_set(e, EINVAL, "%s:%u: [replayer %s]: [workload %s] is a trace, and has no program that could run", f->path,
				       g->section->line, r->name, p->scenario[s].workload);
		if (program)
			continue;
		if (r->applies[s] && p->scenario[s].parallel.is != parallel && (parallel || !named)) {
			if (named)
				return err_set(e, EINVAL, "%s:%u: [replayer %s]: engine %s cannot replay [workload %s], which is no parallel application", f->path,
					       g->section->line, r->name, r->engine, p->scenario[s].workload);
			r->applies[s] = false;
			continue;
		}
		if (!r->applies[s] || !level || scenario_is_below(p, &p->scenario[s]) == block) {
			any |= r->applies[s];
			continue;
		}
		if (named)
			return err_set(e, EINVAL, "%s:%u: [replayer %s]: engine %s cannot replay [workload %s]: %s", f->path, g->section->line, r->name, r->engine,
				       p->scenario[s].workload, block ? "it makes calls on files" : "it makes requests on a device");
		r->applies[s] = false;
	}
	if (any || program)
		return 0;
	return err_set(e, EINVAL, "%s:%u: [replayer %s]: engine %s can replay none of the workloads", f->path, g->section->line, r->name, r->engine);
}

/* Are its requests to be issued at times of the trace's? */
static bool keeps_times(const struct replayer *r, const struct replay_config *c)
{
	const struct adapter *a = replayer_adapter(r);
	if (a)
		return adapter_is_timed(a, c);
	if (!strcmp(r->engine, "block"))
		return c->block.mode == MODE_HF || c->block.mode == MODE_DEP;
	return replay_settled(c).timing != TIMING_FULLSPEED;
}

static int replayer_add(struct protocol *p, const struct protocol_file *f, const struct grid *g, const bool *applies,
			bool optional, bool control, struct err *e)
{
	struct replayer *r = &p->replayer[p->n_replayers++];
	struct strbuf name = STRBUF_INIT;
	grid_name(g, NULL, &name);
	*r = (struct replayer){
	    .name = strbuf_detach(&name), .optional = optional, .control = control};
	r->section = xstrdup(g->section->name);
	r->engine = xstrdup(item_now(g, "engine", "event"));
	settings_take(g, replayer_own, &r->option, &r->n_options);
	r->applies = xcalloc(p->n_scenarios, sizeof *r->applies);
	memcpy(r->applies, applies, p->n_scenarios * sizeof *applies);
	int fits = level_fits(p, f, g, r, e);
	if (fits)
		return fits;
	if (!strcmp(r->engine, "program"))
		return 0; /* no promise of order, no times to keep */
	struct replay_config c;
	int ret = replayer_config(r, &c, e);
	if (!ret)
		ret = replay_check(&c, e);
	if (ret)
		return err_context(e, "%s:%u: [replayer %s]", f->path, g->section->line, r->name);
	const int order = replay_settled(&c).order;
	r->total_order = order == ORDER_TEMPORAL || order == ORDER_TEMPORAL_SERIAL;
	r->timed = keeps_times(r, &c);
	return 0;
}

/* Key `workloads`: the sections whose scenarios are replayed; all when it is not given. */
static int applies_read(const struct protocol *p, const struct protocol_file *f, const struct ini_section *s,
			bool *applies, struct err *e)
{
	const struct ini_key *k = ini_key_find(s, "workloads");
	char **names = NULL;
	size_t n = 0;
	memset(applies, !k, p->n_scenarios * sizeof *applies);
	if (!k)
		return 0;
	int ret = split_list(k->value, &names, &n, e);
	for (size_t i = 0; !ret && i < n; i++) {
		bool found = false;
		for (size_t c = 0; c < p->n_scenarios; c++)
			if (!strcmp(p->scenario[c].workload, names[i]))
				applies[c] = found = true;
		if (!found)
			ret = err_set(e, EINVAL, "there is no [workload %s]", names[i]);
	}
	list_free(names, n);
	return ret ? key_refuse(f, k, e) : 0;
}

/* A key that is yes or no, no where it is missing. */
static int flag_read(const struct protocol_file *f, const struct ini_section *s, const char *key,
		     bool *yes, struct err *e)
{
	static const char *const names[] = {"no", "yes", NULL};
	const struct ini_key *k = ini_key_find(s, key);
	*yes = k && !strcmp(k->value, names[1]);
	if (!k || *yes || !strcmp(k->value, names[0]))
		return 0;
	err_set(e, EINVAL, "\"%s\": expected yes or no", k->value);
	return key_refuse(f, k, e);
}

void replayer_leave_out(struct protocol *p, size_t i, const char *why)
{
	struct replayer *r = &p->replayer[i];
	free(r->absent);
	r->absent = xstrdup(why);
	memset(r->applies, 0, p->n_scenarios * sizeof *r->applies);
}

/* Every workload has somebody who replays it. */
static int workloads_check(const struct protocol *p, struct err *e)
{
	for (size_t s = 0; s < p->n_scenarios; s++) {
		bool any = false;
		for (size_t r = 0; r < p->n_replayers; r++)
			any |= p->replayer[r].applies[s];
		if (!any)
			return err_set(e, EINVAL, "%s: no replayer replays [workload %s]", p->path,
				       p->scenario[s].workload);
	}
	return 0;
}

int replayers_find(struct protocol *p, struct err *e)
{
	for (size_t i = 0; i < p->n_replayers; i++) {
		const struct adapter *a = replayer_adapter(&p->replayer[i]);
		struct err why = ERR_INIT;
		char *binary = a && a->program ? adapter_binary(a, &why) : NULL;
		if (a && a->program && !binary && !p->replayer[i].optional)
			return err_set(e, ENOENT, "%s: [replayer %s]: %s (optional = yes goes on without it)", p->path, p->replayer[i].name, why.msg);
		if (a && a->program && !binary)
			replayer_leave_out(p, i, why.msg);
		free(binary);
	}
	return workloads_check(p, e);
}

static int replayer_section(struct protocol *p, const struct protocol_file *f, const struct ini_section *s,
			    struct err *e)
{
	static const char *const without[] = {"workloads", "optional", "control", NULL};
	static const char *const reserved[] = {"engine", NULL};
	struct replay_config scratch;
	struct grid g;
	bool *applies = xcalloc(p->n_scenarios, sizeof *applies), optional = false, control = false;
	int ret = grid_make(&g, s, without, f->path, e);
	if (ret) {
		free(applies);
		return ret;
	}
	replay_config_init(&scratch);
	ret = applies_read(p, f, s, applies, e);
	if (!ret)
		ret = flag_read(f, s, "optional", &optional, e);
	if (!ret)
		ret = flag_read(f, s, "control", &control, e);
	if (!ret)
		ret = items_check(f, &g, replay_options, &scratch, replayer_own, reserved, e);
	if (!ret)
		ret = engine_check(f, &g, e);
	size_t n = grid_size(&g);
	if (!ret && (n > REPLAYERS_MAX || p->n_replayers + n > REPLAYERS_MAX))
		ret = err_set(e, EINVAL, "%s:%u: [replayer %s] makes %zu variants: at most %d are possible in all",
			      f->path, s->line, s->name, n, REPLAYERS_MAX);
	if (!ret) {
		p->replayer = xreallocarray(p->replayer, p->n_replayers + n, sizeof *p->replayer);
		do
			ret = replayer_add(p, f, &g, applies, optional, control, e);
		while (!ret && grid_next(&g));
	}
	grid_release(&g);
	free(applies);
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
		return err_set(e, EINVAL, "%s: there is no [replayer NAME]: nothing to judge", f->path);
	return workloads_check(p, e);
}
