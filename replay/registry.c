/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/registry.h"

#include "common/processors.h"
#include "common/scheduling.h"
#include "common/units.h"
#include "common/wait.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/issue/balloon.h"
#include "replay/order/order.h"
#include "replay/plan/mutant.h"
#include "replay/plan/pinning.h"
#include "replay/replay.h"

extern const struct replay_engine engine_event, engine_coordinator, engine_compiled,
    engine_parallel, engine_block;
/* replayers of other projects (replay/engines/adapters/) */
extern const struct replay_engine engine_exec, engine_fio, engine_btreplay, engine_blkreplay,
    engine_hfplayer, engine_artc, engine_beefs;

const struct replay_engine *const replay_engines[] = {
	&engine_event,
	&engine_coordinator,
	&engine_compiled,
	&engine_parallel,
	&engine_block,
	&engine_exec,
	&engine_fio,
	&engine_btreplay,
	&engine_blkreplay,
	&engine_hfplayer,
	&engine_artc,
	&engine_beefs,
	NULL,
};

const struct replay_engine *replay_engine_find(const char *name)
{
	for (const struct replay_engine *const *g = replay_engines; name && *g; g++)
		if (!strcmp((*g)->name, name))
			return *g;
	return NULL;
}

/* --- checks of a configuration that need no trace ------------------------ */

static int engine_unknown(const char *name, struct err *e)
{
	SCOPED_FREE const char **names = names_of(replay_engines);
	return name_refuse(e, ENOENT, name, names, " (--list-engines lists the engines)",
			   "unknown engine \"%s\"", name);
}

/* Refuses options that only other engines have. */
static int options_check(const struct replay_config *c, const struct replay_engine *g,
			 struct err *e)
{
	struct replay_config standard;
	const struct option_spec *o = replay_options;
	replay_config_init(&standard);
	for (; (o = options_changed(o, c, &standard)); o++) {
		SCOPED_STRBUF names = STRBUF_INIT;
		const bool own = g->options && options_find(g->options, o->name);
		bool foreign = true; /* only adapters of other replayers have the option */
		for (const struct replay_engine *const *other = replay_engines; !own && *other;
		     other++)
			if ((*other)->options && options_find((*other)->options, o->name) &&
			    !((*other)->options_ignored && !(o->flags & OPT_CLI_ONLY))) {
				strbuf_addf(&names, "%s%s", names.len ? ", " : "", (*other)->name);
				foreign &= (*other)->adapter != NULL;
			}
		if (names.len && foreign)
			return err_set(e, EINVAL, "%s: this option is for replayers of other "
				"projects, not for engine %s", o->name, g->name);
		if (names.len)
			return err_set(e, EINVAL,
				       "%s: engine %s has no such option (engines with it: %s)",
				       o->name, g->name, names.s);
	}
	if (c->device && g->level == LEVEL_SYSCALL)
		return err_set(e, EINVAL, "device: engine %s replays calls on files: use --dir; "
			"engine block replays on a device", g->name);
	return 0;
}

/* Refuses options without effect. `c`: settled by the engine `g`. */
static int effects_check(const struct replay_config *given, const struct replay_config *c,
			 const struct replay_engine *g, enum fault_kind fault, struct err *e)
{
	const bool block = g->level == LEVEL_BLOCK, times = c->timing != TIMING_FULLSPEED,
		   stops = c->prepare_only || c->compiled.compile_only;
	/* engine block waits for completions by the same method */
	const bool waits = times || c->causes || block || fault == FAULT_STALL;
	const char *const of_times = g->moded ? "mode afap does not use this option"
				     : "only timing = timestamp or think uses this option";
	const char *const of_other = "engine block does not support this option";
	const char *const before_replay = "--prepare-only and --compile-only do not replay";
	const struct {
		const char *option;
		bool idle;
		const char *why;
	} rule[] = {
		{"fs-rules", !g->moded && c->order != ORDER_FS, "only order fs uses this option"},
		{"speed", !g->moded && !times, of_times},
		{"wait", !waits, of_times},
		{"pre-spin", block, of_other},
		{"pre-spin", !waits, of_times},
		{"pre-spin", c->wait != WAIT_HYBRID, "only --wait hybrid uses this option"},
		{"spin", block, of_other},
		{"placement", block, of_other},
		{"payload", block, of_other},
		{"memory", block, of_other},
		{"prepare-only", block, of_other},
		{"output", stops, before_replay},
		{"cache", stops, before_replay},
		{"prepare", c->compiled.compile_only, "--compile-only prepares no files"},
		{"prepare-only", c->compiled.compile_only, "--compile-only prepares no files"},
		{"program-cache", c->compiled.keep_source && *c->compiled.keep_source,
		 "--keep-source DIR compiles in DIR, and does not use this option"},
	};
	struct replay_config standard;
	replay_config_init(&standard);
	for (const struct option_spec *o = replay_options;
	     (o = options_changed(o, given, &standard)); o++)
		for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
			if (rule[i].idle && !strcmp(rule[i].option, o->name))
				return err_set(e, EINVAL, "%s has no effect: %s; omit it", o->name,
					       rule[i].why);
	return 0;
}

static int cpus_check(const struct replay_config *c, const struct replay_engine *g, struct err *e)
{
	SCOPED(processors_release) struct processor_list list = {.cpu = NULL};
	if (!c->cpus)
		return 0;
	if (c->pin)
		return err_set(e, EINVAL, "cpus and pin cannot be used together");
	if (pinning_is_traced(c) && g->own_threads && c->order != ORDER_NONE)
		return 0;
	if (pinning_is_traced(c))
		return err_set(e, EINVAL, "cpus = traced needs one worker per traced thread. "
			"Only engines event and compiled have such workers, but not with order = "
			"none");
	return processors_parse(&list, c->cpus, e) ? err_context(e, "cpus") : 0;
}

static int payload_check(const struct replay_config *c, const struct replay_engine *g,
			 struct err *e)
{
	if (c->payload != PAYLOAD_RANDOM && (c->compressible > 0 || c->duplicates > 0))
		return err_set(e, EINVAL, "the options compressible and duplicates need payload = "
			"random");
	if (c->payload != PAYLOAD_BUFFER && c->mutant && *c->mutant)
		return err_set(e, EINVAL, "payload: a mutant writes only the content of the "
			"worker's buffer; omit one of the options payload and mutant");
	if (c->payload == PAYLOAD_CAPTURED && !g->captured)
		return err_set(e, EINVAL,
			"payload = captured needs engine event, coordinator or compiled");
	return 0;
}

static int cache_check(const struct replay_config *c, const struct replay_engine *g, struct err *e)
{
	if (c->cache != REPLAY_CACHE_AS_IS && g->replay)
		return err_set(e, EINVAL, "cache: engine %s does not support this option; drop "
			"the caches before the replay", g->name);
	if (c->cache != REPLAY_CACHE_AS_IS && c->blank)
		return err_set(e, EINVAL,
			       "cache: a blank replay makes no calls and reads no files; omit one "
			       "of the options cache and blank");
	return 0;
}

static int keep_check(const struct replay_config *c, struct err *e)
{
	if (!c->keep && (!c->prepare || c->prepare_only || c->compiled.compile_only))
		return err_set(e, EINVAL, "no-keep removes what --prepare and the replay create: "
			"it needs --prepare, without --prepare-only or --compile-only");
	return 0;
}

int replay_check(const struct replay_config *c, struct err *e)
{
	struct mutant m = {.kind = FAULT_NONE};
	unsigned int rules;
	const struct replay_config settled = replay_settled(c);
	const struct replay_engine *g = settled.row;
	if (!g)
		return engine_unknown(c->engine ? c->engine : "", e);
	if (g->adapter)
		return g->check(&settled, e); /* it reads `row` */
	int ret = options_check(c, g, e);
	if (ret)
		return ret;
	if (c->fs_rules && fs_rules_parse(&rules, c->fs_rules, e))
		return err_context(e, "fs-rules");
	ret = c->mutant ? mutant_parse(&m, c->mutant, e) : 0;
	ret = ret ? ret : cpus_check(c, g, e);
	ret = ret ? ret : keep_check(c, e);
	ret = ret ? ret : cache_check(c, g, e);
	if (!ret && c->balloon)
		ret = balloon_text_check(c->balloon, e);
	if (!ret && c->scheduler) {
		struct scheduling scheduling;
		ret = scheduling_parse(c->scheduler, &scheduling, e) ? err_context(e, "scheduler")
								     : 0;
		ret = ret ? ret : scheduling_check(&scheduling, c->pin || c->cpus, e);
	}
	ret = ret ? ret : payload_check(c, g, e);
	if (ret)
		return ret;
	const struct fault *f = m.kind != FAULT_NONE ? mutant_fault(m.kind) : NULL;
	bool pool = c->order == ORDER_NONE || m.kind == FAULT_DOUBLE;
	if (!(c->speed > 0) || !isfinite(c->speed) || c->spin_ns < 0 ||
	    c->n_workers > REPLAY_MAX_THREADS)
		return err_set(e, EINVAL,
			"speed must be above 0, spin at least 0, and workers at most %d",
			REPLAY_MAX_THREADS);
	if (f && c->blank)
		return err_set(e, EINVAL,
			       "blank: the replay makes no calls, so mutant %s has no effect",
			       f->name);
	if (c->n_workers && g->moded && g->level != LEVEL_BLOCK)
		return err_set(e, EINVAL, "workers: engine %s does not support this option: the "
			"traced threads determine the number of workers", g->name);
	if (c->blank && c->stop_on_mismatch)
		return err_set(e, EINVAL,
			"blank: the replay makes no calls, so stop-on-mismatch has no effect");
	if (pool && c->timing == TIMING_THINK)
		return err_set(e, EINVAL,
			"timing = think and %s cannot be used together: any worker can issue any "
			"request, so the replay cannot keep the think times of a thread",
			f && f->kind == FAULT_DOUBLE ? "mutant = double" : "order = none");
	if (pool && c->processes)
		return err_set(e, EINVAL,
			       "processes and %s cannot be used together: any worker can issue any "
			       "request, so no worker belongs to one process",
			       f && f->kind == FAULT_DOUBLE ? "mutant = double" : "order = none");
	if (c->processes && !g->processes)
		return err_set(e, EINVAL, "processes: engine %s does not support this option "
			"(engines event, coordinator and compiled support it)", g->name);
	if (g->moded && (ret = g->check(c, e)))
		return ret;
	ret = effects_check(c, &settled, g, m.kind, e);
	if (ret || g->moded)
		return ret;
	if (f && f->timed && c->timing == TIMING_FULLSPEED)
		return err_set(
		    e, EINVAL,
		    "mutant %s (a deliberate fault) changes when requests are due: it needs timing "
		    "= timestamp or think",
		    f->name);
	if (c->n_workers && !pool)
		return err_set(e, EINVAL, "workers: only order = none uses this option; with other "
			"orders, the traced threads determine the number of workers");
	return g->check ? g->check(c, e) : 0;
}
