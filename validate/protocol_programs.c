/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sections that name programs: workloads become scenarios, replayers become variants. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "common/xalloc.h"
#include "microbench/microbench.h"
#include "replay/replay.h"
#include "validate/protocol_grid.h"
#include "validate/protocol_read.h"

#define SCENARIOS_MAX 1000
#define REPLAYERS_MAX 100

/* --- what both kinds have in common ------------------------------------------------------------------------------- */

/* Is it an option that a protocol may set? */
static bool is_key(const struct option_spec *table, const char *name, const char *const *reserved)
{
	const struct option_spec *o = options_find(table, name);
	for (; reserved && *reserved; reserved++)
		if (!strcmp(*reserved, name))
			return false;
	return o && !(o->flags & OPT_CLI_ONLY);
}

static int unknown_key(const struct protocol_file *f, const struct ini_section *s, const struct ini_key *k,
		       const struct option_spec *table, const char *const *own, const char *const *reserved,
		       struct err *e)
{
	const char **names = NULL;
	size_t n = 0, cap = 0;
	for (; *own; own++) {
		GROW(names, n, cap);
		names[n++] = *own;
	}
	for (const struct option_spec *o = table; o->name; o++) {
		GROW(names, n, cap);
		if (is_key(table, o->name, reserved))
			names[n++] = o->name;
	}
	GROW(names, n, cap);
	names[n] = NULL;
	const char *near = nearest_name(k->name, names);
	if (near)
		err_set(e, EINVAL, "unknown key \"%s\" in [%s %s] (did you mean \"%s\"?)", k->name, s->kind, s->name,
			near);
	else
		err_set(e, EINVAL, "unknown key \"%s\" in [%s %s]", k->name, s->kind, s->name);
	free(names);
	return err_context(e, "%s:%u", f->path, k->line);
}

/* Every item of every list by itself, so that the message has the line of the key. */
static int items_check(const struct protocol_file *f, const struct grid *g, const struct option_spec *table,
		       void *scratch, const char *const *own, const char *const *reserved, struct err *e)
{
	for (size_t i = 0; i < g->n_keys; i++) {
		const struct grid_key *k = &g->key[i];
		bool is_own = false;
		for (const char *const *o = own; *o; o++)
			is_own |= !strcmp(*o, k->key->name);
		if (is_own)
			continue;
		if (!is_key(table, k->key->name, reserved))
			return unknown_key(f, g->section, k->key, table, own, reserved, e);
		for (size_t v = 0; v < k->n_items; v++)
			if (options_set(table, scratch, k->key->name, k->item[v], e) < 0)
				return err_context(e, "%s:%u", f->path, k->key->line);
	}
	return 0;
}

static void settings_take(const struct grid *g, const char *const *own, struct setting **option, size_t *n)
{
	*option = xcalloc(g->n_keys + 1, sizeof **option);
	*n = 0;
	for (size_t i = 0; i < g->n_keys; i++) {
		bool is_own = false;
		for (const char *const *o = own; *o; o++)
			is_own |= !strcmp(*o, g->key[i].key->name);
		if (!is_own)
			(*option)[(*n)++] =
			    (struct setting){xstrdup(g->key[i].key->name), xstrdup(g->key[i].item[g->key[i].at])};
	}
}

static int settings_apply(const struct option_spec *table, void *config, const struct setting *option, size_t n,
			  struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		int ret = options_set(table, config, option[i].key, option[i].value, e);
		if (ret)
			return ret;
	}
	return 0;
}

static const struct grid_key *grid_find(const struct grid *g, const char *name)
{
	for (size_t i = 0; i < g->n_keys; i++)
		if (!strcmp(g->key[i].key->name, name))
			return &g->key[i];
	return NULL;
}

static const char *item_now(const struct grid *g, const char *name, const char *otherwise)
{
	const struct grid_key *k = grid_find(g, name);
	return k ? k->item[k->at] : otherwise;
}

/* --- workloads ---------------------------------------------------------------------------------------------------- */

static const char *const workload_own[] = {"type", "target", NULL};
/* the campaign sets these, alike for recording, reruns and replays */
static const char *const workload_reserved[] = {"seed", "min-duration", NULL};

static int type_check(const struct protocol_file *f, const struct grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "type");
	if (!k && !workload_find(g->section->name))
		return err_set(e, EINVAL, "%s:%u: [workload %s] has no type", f->path, g->section->line,
			       g->section->name);
	for (size_t i = 0; k && i < k->n_items; i++) {
		if (workload_find(k->item[i]))
			continue;
		const char *names[64];
		size_t n = 0;
		for (const struct workload *const *w = workloads; *w && n < 63; w++)
			names[n++] = (*w)->name;
		names[n] = NULL;
		const char *near = nearest_name(k->item[i], names);
		if (near)
			err_set(e, EINVAL, "\"%s\" is no workload (did you mean \"%s\"?)", k->item[i], near);
		else
			err_set(e, EINVAL, "\"%s\" is no workload", k->item[i]);
		return key_refuse(f, k->key, e);
	}
	return 0;
}

static int target_find(const struct protocol *p, const char *name, size_t *index)
{
	for (*index = 0; *index < p->n_targets; (*index)++)
		if (!strcmp(p->target[*index].name, name))
			return 0;
	return -ENOENT;
}

static int target_check(const struct protocol *p, const struct protocol_file *f, const struct grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "target");
	if (!k && p->n_targets > 1)
		return err_set(e, EINVAL, "%s:%u: [workload %s] has no target, and there are %zu to choose from",
			       f->path, g->section->line, g->section->name, p->n_targets);
	for (size_t i = 0; k && i < k->n_items; i++) {
		size_t index;
		if (target_find(p, k->item[i], &index) == 0)
			continue;
		err_set(e, EINVAL, "there is no [target %s]", k->item[i]);
		return key_refuse(f, k->key, e);
	}
	return 0;
}

static int reserved_check(const struct protocol_file *f, const struct ini_section *s, struct err *e)
{
	for (const char *const *r = workload_reserved; *r; r++) {
		const struct ini_key *k = ini_key_find(s, *r);
		if (!k)
			continue;
		err_set(e, EINVAL, "belongs to [protocol], where it holds for every run");
		return key_refuse(f, k, e);
	}
	return 0;
}

int scenario_config(const struct scenario *s, struct microbench_config *c, struct err *e)
{
	microbench_config_init(c);
	return settings_apply(microbench_options, c, s->option, s->n_options, e);
}

/* The present combination as the next scenario; `group` is its name without the level. */
static int scenario_add(struct protocol *p, const struct protocol_file *f, const struct grid *g, char ***group,
			struct err *e)
{
	struct scenario *s = &p->scenario[p->n_scenarios++];
	struct strbuf name = STRBUF_INIT, rest = STRBUF_INIT;
	struct microbench_config c;
	grid_name(g, NULL, &name);
	grid_name(g, "level", &rest);
	*s = (struct scenario){.name = strbuf_detach(&name)};
	s->workload = xstrdup(g->section->name);
	const struct workload *w = workload_find(item_now(g, "type", g->section->name));
	s->type = xstrdup(w->name);
	target_find(p, item_now(g, "target", p->target[0].name), &s->target);
	settings_take(g, workload_own, &s->option, &s->n_options);
	int ret = scenario_config(s, &c, e);
	if (!ret)
		ret = microbench_check(w, &c, e);
	if (ret)
		err_context(e, "%s:%u: [workload %s]", f->path, g->section->line, s->name);
	s->level = c.level;
	for (s->group = 0; (*group)[s->group]; s->group++)
		if (!strcmp((*group)[s->group], rest.s))
			break;
	if (!(*group)[s->group])
		(*group)[s->group] = strbuf_detach(&rest);
	strbuf_release(&rest);
	return ret;
}

static int workload_section(struct protocol *p, const struct protocol_file *f, const struct ini_section *s,
			    char ***group, struct err *e)
{
	struct microbench_config scratch;
	struct grid g;
	int ret = reserved_check(f, s, e);
	if (ret)
		return ret;
	ret = grid_make(&g, s, NULL, f->path, e);
	if (ret)
		return ret;
	microbench_config_init(&scratch);
	ret = items_check(f, &g, microbench_options, &scratch, workload_own, workload_reserved, e);
	if (!ret)
		ret = type_check(f, &g, e);
	if (!ret)
		ret = target_check(p, f, &g, e);
	size_t n = grid_size(&g);
	if (!ret && (n > SCENARIOS_MAX || p->n_scenarios + n > SCENARIOS_MAX))
		ret = err_set(e, EINVAL,
			      "%s:%u: [workload %s] makes a grid of %zu scenarios: at most %d are possible in all",
			      f->path, s->line, s->name, n, SCENARIOS_MAX);
	if (!ret) {
		p->scenario = xreallocarray(p->scenario, p->n_scenarios + n, sizeof *p->scenario);
		*group = xreallocarray(*group, p->n_scenarios + n + 1, sizeof **group);
		memset(*group + p->n_scenarios, 0, (n + 1) * sizeof **group);
		do
			ret = scenario_add(p, f, &g, group, e);
		while (!ret && grid_next(&g));
	}
	grid_release(&g);
	return ret;
}

int workloads_read(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	char **group = NULL;
	int ret = 0;
	for (size_t i = 0; !ret && i < f->ini.n_sections; i++)
		if (!strcmp(f->ini.section[i].kind, "workload"))
			ret = workload_section(p, f, &f->ini.section[i], &group, e);
	for (size_t i = 0; group && group[i]; i++)
		free(group[i]);
	free(group);
	if (!ret && !p->n_scenarios)
		ret = err_set(e, EINVAL, "%s: there is no [workload NAME]: nothing to measure", f->path);
	return ret;
}

/* --- replayers ---------------------------------------------------------------------------------------------------- */

static const char *const replayer_own[] = {"engine", "workloads", NULL};

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

static int replayer_add(struct protocol *p, const struct protocol_file *f, const struct grid *g, const bool *applies,
			struct err *e)
{
	struct replayer *r = &p->replayer[p->n_replayers++];
	struct strbuf name = STRBUF_INIT;
	grid_name(g, NULL, &name);
	*r = (struct replayer){.name = strbuf_detach(&name)};
	r->section = xstrdup(g->section->name);
	r->engine = xstrdup(item_now(g, "engine", "event"));
	settings_take(g, replayer_own, &r->option, &r->n_options);
	r->applies = xcalloc(p->n_scenarios, sizeof *r->applies);
	memcpy(r->applies, applies, p->n_scenarios * sizeof *applies);
	if (!strcmp(r->engine, "program"))
		return 0; /* no promise of order, no times to keep */
	struct replay_config c;
	int ret = replayer_config(r, &c, e);
	if (!ret)
		ret = replay_check(&c, e);
	if (ret)
		return err_context(e, "%s:%u: [replayer %s]", f->path, g->section->line, r->name);
	r->total_order = c.order == ORDER_TEMPORAL || c.order == ORDER_TEMPORAL_SERIAL;
	r->timed = c.timing != TIMING_FULLSPEED;
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

static int replayer_section(struct protocol *p, const struct protocol_file *f, const struct ini_section *s,
			    struct err *e)
{
	static const char *const without[] = {"workloads", NULL};
	static const char *const reserved[] = {"engine", NULL};
	struct replay_config scratch;
	struct grid g;
	bool *applies = xcalloc(p->n_scenarios, sizeof *applies);
	int ret = grid_make(&g, s, without, f->path, e);
	if (ret) {
		free(applies);
		return ret;
	}
	replay_config_init(&scratch);
	ret = applies_read(p, f, s, applies, e);
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
			ret = replayer_add(p, f, &g, applies, e);
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
	for (size_t s = 0; s < p->n_scenarios; s++) {
		bool any = false;
		for (size_t r = 0; r < p->n_replayers; r++)
			any |= p->replayer[r].applies[s];
		if (!any)
			return err_set(e, EINVAL, "%s: no replayer replays [workload %s]", f->path,
				       p->scenario[s].workload);
	}
	return 0;
}
