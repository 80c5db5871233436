/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/pairing.h"

#include "common/units.h"
#include "microbench/microbench.h"
#include "replay/engines/adapters/adapter.h"

const char *const pairing_names[] = {"auto", "slices", "runs", NULL};
const char *const pause_by_names[] = {"auto", "gate", "signal", NULL};

static bool engine_has_gate(const char *engine)
{
	static const char *const engines[] = {"program", "event", "coordinator", "compiled", NULL};
	return word_in(engine, engines);
}

/* The following functions return 0 if slices are possible, otherwise an error with the obstacle. */

/* A replayer of another project is paused by signals, and the stamps of its requests must use the
 * clock of the slices. */
static int foreign_check(const struct protocol *p, const struct scenario *s,
			 const struct replayer *r, struct err *e)
{
	struct replay_config c;
	if (p->pause == PAUSE_GATE)
		return err_set(e, EINVAL, "another project's replayer has no gate: use pause = "
					  "signal");
	if (replayer_config(r, &c, NULL) < 0)
		return err_set(e, EINVAL, "its options are not valid");
	const bool seen = replayer_is_preloaded(r, s) ||
			  adapter_times_of(replayer_adapter(r), &c) == ADAPTER_PRELOAD;
	return seen ? 0 : err_set(e, EINVAL, "its times are not those of the preloaded library "
				  "(times = preload)");
}

static int replayer_check(const struct protocol *p, const struct scenario *s,
			  const struct replayer *r, struct err *e)
{
	struct replay_config c;
	if (r->timed)
		return err_set(e, EINVAL,
			       "a timed replay cannot be paused, because its schedule continues");
	if (replayer_adapter(r))
		return foreign_check(p, s, r, e);
	if (!engine_has_gate(r->engine))
		return err_set(e, EINVAL,
			       "its engine cannot be paused between two requests");
	if (!strcmp(r->engine, "program"))
		return 0;
	if (replayer_config(r, &c, NULL) < 0)
		return err_set(e, EINVAL, "its options are not valid");
	if (c.balloon && !strcmp(c.balloon, "traced"))
		return err_set(e, EINVAL, "with balloon = traced, it changes its memory at "
			       "the traced times, and a pause would delay these changes");
	return 0;
}

static int scenario_check(const struct protocol *p, const struct scenario *s, struct err *e)
{
	struct microbench_config c;
	if (p->reference == REFERENCE_TRACE || s->trace)
		return err_set(e, EINVAL, "a recording is the reference: no program runs in the "
			       "same block as the replay");
	if (s->parallel.is)
		return err_set(e, EINVAL,
			       "a parallel application cannot be paused between requests");
	if (s->script)
		return err_set(e, EINVAL, "a captured program cannot be paused between requests");
	if (scenario_is_below(p, s))
		return err_set(e, EINVAL, "program and replay share one device");
	if (s->observe == OBSERVE_BLOCK)
		return err_set(e, EINVAL,
			       "the requests are observed at the device (observe = block)");
	if (s->observe == OBSERVE_PRELOAD && p->pause == PAUSE_SIGNAL)
		return err_set(e, EINVAL, "the preloaded library observes the program, so the "
			       "program can be paused only at its gate, not with pause = signal");
	if (scenario_config(s, &c, NULL) < 0)
		return err_set(e, EINVAL, "the options of the workload are not valid");
	const struct workload *w = workload_find(s->type);
	if (!w || w->block || (w->script && w->script->parallel))
		return err_set(e, EINVAL, "the workload cannot be paused between requests");
	if (c.pause_ns > 0)
		return err_set(e, EINVAL, "the workload pauses between its requests: remove the "
			       "key \"pause\" of the workload, or set pairing = runs");
	return 0;
}

/* *replayer: the replayer that prevents slices. */
static int replayers_check(const struct protocol *p, size_t scenario, const char **replayer,
			   struct err *e)
{
	size_t n = 0;
	int ret = scenario_check(p, &p->scenario[scenario], e);
	for (size_t i = 0; !ret && i < p->n_replayers; i++) {
		if (!p->replayer[i].applies[scenario])
			continue;
		n++;
		ret = replayer_check(p, &p->scenario[scenario], &p->replayer[i], e);
		*replayer = ret ? p->replayer[i].name : NULL;
	}
	return ret || n ? ret : err_set(e, EINVAL, "no replayer replays the workload");
}

bool scenario_is_sliced(const struct protocol *p, size_t scenario, const char **replayer,
			struct err *e)
{
	*replayer = NULL;
	return p->pairing != PAIRING_RUNS && !replayers_check(p, scenario, replayer, e);
}

enum pause_by pairing_pause(const struct protocol *p, size_t replayer)
{
	const bool foreign = replayer != SIZE_MAX && replayer_adapter(&p->replayer[replayer]);
	return foreign || p->pause == PAUSE_SIGNAL ? PAUSE_SIGNAL : PAUSE_GATE;
}

/* Whether the files are only read and always cached, so that no role can affect another. */
static bool files_are_shared(const struct protocol *p, const struct scenario *s)
{
	const struct workload *w = workload_find(s->type);
	return w && !w->writes && (w->warm || p->target[s->target].cache == CACHE_WARM);
}

size_t scenario_n_seats(const struct protocol *p, size_t scenario)
{
	const char *replayer;
	size_t n = 1;
	if (!scenario_is_sliced(p, scenario, &replayer, NULL) ||
	    files_are_shared(p, &p->scenario[scenario]))
		return 1;
	for (size_t i = 0; i < p->n_replayers; i++)
		n += p->replayer[i].applies[scenario];
	return n;
}

int pairing_check(const struct protocol *p, struct err *e)
{
	for (size_t i = 0; p->pairing == PAIRING_SLICES && i < p->n_scenarios; i++) {
		const char *replayer;
		if (scenario_is_sliced(p, i, &replayer, e))
			continue;
		return err_context(e, "%s: pairing = slices is impossible for [workload %s]%s%s%s",
				   p->path, p->scenario[i].workload,
				   replayer ? " with [replayer " : "", replayer ? replayer : "",
				   replayer ? "]" : "");
	}
	return 0;
}
