/* SPDX-License-Identifier: GPL-3.0-or-later */
/* [workload NAME]: each combination of its lists becomes a scenario. */
#include "common/units.h"
#include "microbench/microbench.h"
#include "validate/protocol/protocol_programs.h"

#define SCENARIOS_MAX 1000

const char *const workload_own[] = {"type", "target", "recorded-on", "observe", "observe-from",
				    NULL};
/* options that the campaign sets equally for recording, reruns and replays */
static const char *const workload_reserved[] = {"seed", "min-duration", NULL};

bool type_is(const struct key_grid *g, const char *type)
{
	const struct grid_key *k = grid_find(g, "type");
	return k && k->item.n == 1 && !strcmp(k->item.v[0], type);
}

static int type_check(const struct protocol_file *f, const struct key_grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "type");
	if (!k && !workload_find(g->section->name))
		return err_set(e, EINVAL, "%s:%u: [workload %s]: the key \"type\" is missing: add "
			"the line type = NAME (\"validate microbench --list\" prints the "
			"workloads)",
			f->path, g->section->line, g->section->name);
	for (size_t i = 0; k && i < k->item.n; i++) {
		if (workload_find(k->item.v[i]))
			continue;
		if (!strcmp(k->item.v[i], SCENARIO_PROGRAM) ||
		    !strcmp(k->item.v[i], SCENARIO_TRACE) ||
		    !strcmp(k->item.v[i], SCENARIO_PARALLEL))
			return key_err(f, k->key, e,
				       "\"%s\" cannot be one of several types: give it a section "
				       "of its own",
				       k->item.v[i]);
		const char *names[64];
		size_t n = 0;
		names[n++] = SCENARIO_PROGRAM;
		names[n++] = SCENARIO_TRACE;
		names[n++] = SCENARIO_PARALLEL;
		for (const struct workload *const *w = workloads; *w && n < 63; w++)
			names[n++] = (*w)->name;
		names[n] = NULL;
		name_refuse(e, EINVAL, k->item.v[i], names,
			    " (\"validate microbench --list\" prints the workloads)",
			    "\"%s\" is not a workload", k->item.v[i]);
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

static int targets_check(const struct protocol *p, const struct protocol_file *f,
			 const struct grid_key *k, struct err *e)
{
	for (size_t i = 0; i < k->item.n; i++) {
		size_t index;
		if (target_find(p, k->item.v[i], &index) == 0)
			continue;
		return key_err(f, k->key, e, "the protocol has no section [target %s]",
			       k->item.v[i]);
	}
	return 0;
}

static int target_check(const struct protocol *p, const struct protocol_file *f,
			const struct key_grid *g, struct err *e)
{
	const struct grid_key *k = grid_find(g, "target");
	if (!k && p->n_targets > 1)
		return err_set(e, EINVAL,
			       "%s:%u: [workload %s] names no target, but the protocol has %zu "
			       "targets: add target = NAME",
			       f->path, g->section->line, g->section->name, p->n_targets);
	int ret = k ? targets_check(p, f, k, e) : 0;
	k = grid_find(g, "recorded-on");
	return ret || !k ? ret : targets_check(p, f, k, e);
}

static int reserved_check(const struct protocol_file *f, const struct ini_section *s, struct err *e)
{
	for (const char *const *r = workload_reserved; *r; r++) {
		const struct ini_key *k = ini_key_find(s, *r);
		if (!k)
			continue;
		return key_err(f, k, e, "belongs in [protocol], because it applies to every run");
	}
	return 0;
}

int scenario_config(const struct scenario *s, struct microbench_config *c, struct err *e)
{
	/* options of microbench do not apply */
	if (s->script || s->trace) {
		microbench_config_init(c);
		return 0;
	}
	workload_config_init(workload_find(s->type), c);
	return settings_apply(microbench_options, c, s->option, s->n_options, e);
}

/* Checks the target: files need a directory, and requests below the file system need a device. */
static int place_check(const struct target *t, const struct workload *w,
		       const struct microbench_config *c, struct err *e)
{
	bool device = t->device || t->volume;
	if (w->block && !device)
		return err_set(
		    e, EINVAL,
		    "%s makes requests on a device: target %s needs a device or a volume", w->name,
		    t->name);
	if (!w->block && device)
		return err_set(e, EINVAL,
			       "%s works on files, but target %s is a device or a volume: choose a "
			       "target that is a directory", w->name, t->name);
	if (w->block && t->device && !t->destructive && c->read_share < 1)
		return err_set(
		    e, EINVAL,
		    "workload type %s writes to target %s (read-share < 100 %%), but the target "
		    "does not have destructive = yes, which permits overwriting its content",
		    w->name, t->name);
	return 0;
}

static bool is_below(const struct target *t)
{
	return t->device || t->volume;
}

/* Sets the target of the recording if it is another target. This is permitted for a program on a
 * device, because calls do not depend on the storage below them; and for a parallel application,
 * whose calls wait for each other depending on the storage. */
static int recorded_take(const struct protocol *p, struct scenario *s, const struct key_grid *g,
			 struct err *e)
{
	s->recorded_on = s->target;
	if (!grid_find(g, "recorded-on"))
		return 0;
	target_find(p, item_now(g, "recorded-on", ""), &s->recorded_on);
	const struct target *t = &p->target[s->recorded_on];
	if (s->parallel.is)
		return is_below(t) == is_below(&p->target[s->target])
			   ? 0
			   : err_set(e, EINVAL,
				     "recorded-on: one of the targets %s and %s is a directory and "
				     "the other a device or a volume, but the script needs two "
				     "targets of one kind",
				     t->name, p->target[s->target].name);
	if (strcmp(s->type, SCENARIO_PROGRAM) || !scenario_is_below(p, s))
		return err_set(
		    e, EINVAL,
		    "recorded-on applies only to parallel applications (type = parallel), and to "
		    "programs (type = program) whose target is a device or a volume");
	if (!t->device && !t->volume)
		return err_set(e, EINVAL, "recorded-on: target %s is neither a device nor a volume",
			       t->name);
	return 0;
}

static int program_place_check(const struct target *t, struct err *e)
{
	if (t->cache_budget_bytes)
		return err_set(e, EINVAL, "target %s has a cache-budget, which applies only to "
			"workloads of microbench: the memory that the processes of a program need "
			"is unknown; use memory-limit", t->name);
	if (t->device && !t->destructive)
		return err_set(
		    e, EINVAL,
		    "the program can write, but target %s does not have destructive = yes, which "
		    "permits overwriting its content",
		    t->name);
	return 0;
}

/* Adds the present combination as the next scenario; `group`: its name without the level. */
static int scenario_add(struct protocol *p, const struct protocol_file *f, const struct key_grid *g,
			char ***group, struct err *e)
{
	struct scenario *s = &p->scenario[p->n_scenarios++];
	struct strbuf name = STRBUF_INIT, rest = STRBUF_INIT;
	struct microbench_config c;
	grid_name(g, NULL, &name);
	grid_name(g, "level", &rest);
	*s = (struct scenario){.name = strbuf_detach(&name)};
	s->workload = xstrdup(g->section->name);
	const struct workload *w = workload_find(item_now(g, "type", g->section->name));
	s->type = xstrdup(w ? w->name : item_now(g, "type", ""));
	target_find(p, item_now(g, "target", p->target[0].name), &s->target);
	settings_take(g, workload_own, &s->option, &s->n_options);
	observe_take(s, g);
	int ret = 0;
	if (type_is(g, SCENARIO_TRACE))
		trace_take(s);
	else if (type_is(g, SCENARIO_PARALLEL))
		parallel_take(s);
	else if (!w)
		program_take(s);
	else if ((ret = scenario_config(s, &c, e)) == 0)
		ret = microbench_check(w, &c, e);
	if (!ret && w)
		ret = place_check(&p->target[s->target], w, &c, e);
	ret = ret ? ret : recorded_take(p, s, g, e);
	if (!ret && !w)
		ret = program_place_check(&p->target[s->target], e);
	if (!ret && !w)
		ret = program_place_check(&p->target[s->recorded_on], e);
	if (ret)
		err_context(e, "%s:%u: [workload %s]", f->path, g->section->line, s->name);
	if (w)
		s->level = c.level;
	for (s->group = 0; (*group)[s->group]; s->group++)
		if (!strcmp((*group)[s->group], rest.s))
			break;
	if (!(*group)[s->group])
		(*group)[s->group] = strbuf_detach(&rest);
	strbuf_release(&rest);
	return ret;
}

/* Whether a combination is omitted: with lists of targets, an application that was recorded on one
 * target is replayed only on the others. */
static bool is_left_out(const struct key_grid *g)
{
	const struct grid_key *on = grid_find(g, "recorded-on"), *target = grid_find(g, "target");
	return type_is(g, SCENARIO_PARALLEL) && on && target &&
	       (on->item.n > 1 || target->item.n > 1) &&
	       !strcmp(on->item.v[on->at], target->item.v[target->at]);
}

static int scenarios_add(struct protocol *p, const struct protocol_file *f, struct key_grid *g,
			 char ***group, struct err *e)
{
	const size_t before = p->n_scenarios;
	int ret = 0;
	do
		ret = is_left_out(g) ? 0 : scenario_add(p, f, g, group, e);
	while (!ret && grid_next(g));
	if (!ret && p->n_scenarios == before)
		ret = err_set(
		    e, EINVAL,
		    "%s:%u: [workload %s]: no target remains, because each target is also in "
		    "recorded-on",
		    f->path, g->section->line, g->section->name);
	return ret;
}

static int workload_section(struct protocol *p, const struct protocol_file *f,
			    const struct ini_section *s, char ***group, struct err *e)
{
	struct microbench_config scratch;
	struct key_grid g;
	int ret = reserved_check(f, s, e);
	if (ret)
		return ret;
	ret = grid_make(&g, s, NULL, f->path, e);
	if (ret)
		return ret;
	microbench_config_init(&scratch);
	if (type_is(&g, SCENARIO_PROGRAM)) {
		ret = program_keys_check(f, &g, e);
	} else if (type_is(&g, SCENARIO_PARALLEL)) {
		ret = parallel_keys_check(f, &g, e);
	} else if (type_is(&g, SCENARIO_TRACE)) {
		ret = trace_keys_check(p, f, &g, e);
	} else {
		ret = items_check(f, &g, microbench_options, &scratch, workload_own,
				  workload_reserved, e);
		ret = ret ? ret : type_check(f, &g, e);
	}
	ret = ret ? ret : observe_check(f, &g, e);
	ret = ret ? ret : target_check(p, f, &g, e);
	size_t n = grid_size(&g);
	if (!ret && (n > SCENARIOS_MAX || p->n_scenarios + n > SCENARIOS_MAX))
		ret = err_set(e, EINVAL, "%s:%u: [workload %s] makes a grid of %zu scenarios: at "
			"most %d are possible in all", f->path, s->line, s->name, n, SCENARIOS_MAX);
	if (!ret) {
		p->scenario = xreallocarray(p->scenario, p->n_scenarios + n, sizeof *p->scenario);
		*group = xreallocarray(*group, p->n_scenarios + n + 1, sizeof **group);
		memset(*group + p->n_scenarios, 0, (n + 1) * sizeof **group);
		ret = scenarios_add(p, f, &g, group, e);
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
	recordings_share(p);
	if (!ret && !p->n_scenarios)
		ret = err_set(e, EINVAL, "%s: a section [workload NAME] is missing", f->path);
	return ret;
}
