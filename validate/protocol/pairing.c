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

/* Returns why a replayer of another project cannot run in slices. It is paused by signals, and the
 * stamps of its requests must use the clock of the slices. */
static const char *foreign_refused(const struct protocol *p, const struct scenario *s,
				   const struct replayer *r)
{
	struct replay_config c;
	if (p->pause == PAUSE_GATE)
		return "another project's replayer has no gate (pause = gate)";
	if (replayer_config(r, &c, NULL) < 0)
		return "its options are not valid";
	/* the campaign chooses the source of the times if the replayer supports it */
	const bool chosen = !replayer_option(r, "times") && s->observe == OBSERVE_PRELOAD;
	const bool seen = chosen ? replayer_adapter(r)->times & ADAPTER_PRELOAD
				 : adapter_times_of(replayer_adapter(r), &c) == ADAPTER_PRELOAD;
	if (!seen)
		return "its times are not those of the preloaded library (times = preload)";
	return NULL;
}

static const char *replayer_refused(const struct protocol *p, const struct scenario *s,
				    const struct replayer *r)
{
	struct replay_config c;
	if (r->timed)
		return "a timed replay cannot be paused, because its schedule continues";
	if (replayer_adapter(r))
		return foreign_refused(p, s, r);
	if (!engine_has_gate(r->engine))
		return "its engine has no point between requests where it can be paused";
	if (!strcmp(r->engine, "program"))
		return NULL;
	if (replayer_config(r, &c, NULL) < 0)
		return "its options are not valid";
	if (c.balloon && !strcmp(c.balloon, "traced"))
		return "its memory balloon follows the trace";
	return NULL;
}

static const char *scenario_refused(const struct protocol *p, const struct scenario *s)
{
	struct microbench_config c;
	if (p->reference == REFERENCE_TRACE || s->trace)
		return "a recording is the reference: no program runs in the same block as the "
		       "replay";
	if (s->parallel.is)
		return "a parallel application cannot be paused between requests";
	if (s->script)
		return "a captured program cannot be paused between requests";
	if (scenario_is_below(p, s))
		return "program and replay share one device";
	if (s->observe == OBSERVE_BLOCK)
		return "its requests are observed at the device";
	if (s->observe == OBSERVE_PRELOAD && p->pause == PAUSE_SIGNAL)
		return "a program that the preloaded library observes is paused at its gate only "
		       "(pause = signal)";
	if (scenario_config(s, &c, NULL) < 0)
		return "its options are not valid";
	const struct workload *w = workload_find(s->type);
	if (!w || w->block || (w->script && w->script->parallel))
		return "its workload cannot be paused between requests";
	if (c.pause_ns > 0)
		return "the program pauses between its requests: it does not run at full speed";
	return NULL;
}

/* Returns why a scenario cannot alternate in slices (static text); *replayer: the replayer that
 * prevents it. NULL: it can. */
static const char *refused_by(const struct protocol *p, size_t scenario, const char **replayer)
{
	const char *why = scenario_refused(p, &p->scenario[scenario]);
	size_t n = 0;
	for (size_t i = 0; !why && i < p->n_replayers; i++) {
		if (!p->replayer[i].applies[scenario])
			continue;
		n++;
		why = replayer_refused(p, &p->scenario[scenario], &p->replayer[i]);
		*replayer = why ? p->replayer[i].name : NULL;
	}
	return why || n ? why : "no replayer replays it";
}

bool scenario_is_sliced(const struct protocol *p, size_t scenario, const char **why,
			const char **replayer)
{
	*replayer = NULL;
	*why =
	    p->pairing == PAIRING_RUNS ? "set in the protocol" : refused_by(p, scenario, replayer);
	if (*why)
		return false;
	*why = p->pairing == PAIRING_SLICES
		   ? "set in the protocol"
		   : "program and replayers can be paused between requests";
	return true;
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
	const char *why, *replayer;
	size_t n = 1;
	if (!scenario_is_sliced(p, scenario, &why, &replayer) ||
	    files_are_shared(p, &p->scenario[scenario]))
		return 1;
	for (size_t i = 0; i < p->n_replayers; i++)
		n += p->replayer[i].applies[scenario];
	return n;
}

int pairing_check(const struct protocol *p, struct err *e)
{
	for (size_t i = 0; p->pairing == PAIRING_SLICES && i < p->n_scenarios; i++) {
		const char *why, *replayer;
		if (scenario_is_sliced(p, i, &why, &replayer))
			continue;
		if (replayer)
			return err_set(e, EINVAL,
				       "%s: pairing = slices: [workload %s] with [replayer %s]: %s",
				       p->path, p->scenario[i].workload, replayer, why);
		return err_set(e, EINVAL, "%s: pairing = slices: [workload %s]: %s", p->path,
			       p->scenario[i].workload, why);
	}
	return 0;
}
