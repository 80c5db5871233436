/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/observe.h"

#include "capture/kernel/block.h"
#include "capture/kernel/block_device.h"
#include "replay/engines/adapters/adapter.h"
#include "validate/metrics/observed.h"
#include "validate/metrics/observed_device.h"

/* kernel buffer of each CPU, enough for 200,000 requests in flight */
#define BUFFER_BYTES (UINT64_C(16) << 20)

static bool observe_wanted(const struct protocol *p, size_t target)
{
	for (size_t i = 0; i < p->n_scenarios; i++)
		if ((p->scenario[i].target == target && p->scenario[i].observe == OBSERVE_BLOCK) ||
		    (p->scenario[i].script && scenario_is_below(p, &p->scenario[i]) &&
		     (p->scenario[i].target == target || p->scenario[i].recorded_on == target)))
			return true;
	return false;
}

int observe_possible(const struct protocol *p, struct err *e)
{
	struct block_device d;
	for (size_t i = 0; i < p->n_targets; i++) {
		if (!observe_wanted(p, i))
			continue;
		int ret = block_watch_possible(e);
		if (!ret && p->target[i].device)
			ret = block_device_resolve(&d, p->target[i].device, e);
		if (ret)
			return err_context(e, "nothing was started: target %s cannot be observed "
				"at the device (observe = block)", p->target[i].name);
	}
	return 0;
}

int observe_device(const struct protocol *p, size_t target, const struct place *place,
		   dev_t *number, struct err *e)
{
	*number = 0;
	if (!observe_wanted(p, target))
		return 0;
	int ret =
	    block_device_below(number, place->below.path ? place->below.path : place->path, e);
	return ret ? err_context(e, "observe = block") : 0;
}

bool step_is_captured(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	return scenario->script && scenario_is_below(c->protocol, scenario) &&
	       role_is_program(c, s->role);
}

enum observe step_observation(const struct campaign *c, const struct step *s)
{
	const struct scenario *scenario = &c->protocol->scenario[s->scenario];
	const bool program = role_is_program(c, s->role);
	if (s->blank || step_is_captured(c, s) || (scenario->trace && program))
		return OBSERVE_OWN;
	if (scenario->observe == OBSERVE_BLOCK && s->watch_memory) /* a calibration run */
		return OBSERVE_OWN;
	if (scenario->observe == OBSERVE_PRELOAD &&
	    (program ? scenario->script != NULL
		     : replayer_adapter(&c->protocol->replayer[s->role]) != NULL))
		return OBSERVE_OWN;
	return scenario->observe;
}

int observe_begin(struct block_watch **watch, const struct campaign *c, const struct step *s,
		  char **side, struct err *e)
{
	struct block_config b;
	const bool captured = step_is_captured(c, s);
	*watch = NULL;
	*side = NULL;
	if (!captured && step_observation(c, s) != OBSERVE_BLOCK)
		return 0;
	block_config_init(&b);
	b.output = *side = captured ? xstrdup(s->output) : xasprintf("%s.side", s->output);
	b.number = c->places.place[step_target(c, s)].observed;
	b.buffer_bytes = BUFFER_BYTES;
	b.unit =
	    captured && c->protocol->scenario[s->scenario].observe_from == OBSERVE_FROM_DISPATCH
		? UNIT_REQUEST
		: UNIT_BIO;
	b.no_sync = true;
	return block_watch_begin(watch, &b, e);
}

int observe_end(struct block_watch *watch, struct err *e)
{
	struct block_outcome o = {0};
	if (!watch)
		return 0;
	int ret = block_watch_stop(watch, e);
	ret = ret ? ret : block_watch_write(watch, &o, e);
	if (!ret && o.n_lost)
		ret = err_set(e, EIO, "the kernel lost %llu events of the device: some of its "
			"requests are unknown", (unsigned long long)o.n_lost);
	return ret;
}

char *observed_bank_path(const struct campaign *c, size_t scenario, const char *bank)
{
	const struct step s = {.scenario = scenario, .role = ROLE_RECORD};
	return step_is_captured(c, &s) ? xstrdup(bank) : xasprintf("%s.device", bank);
}

/* --- evaluation ---------------------------------------------------------- */

/* Writes the trace with the times that the preload library measured. */
static int by_library(struct run *run, const char *trace, const char *side, const char *out,
		      struct err *e)
{
	struct observed o;
	int ret = observed_write(trace, side, out, &o, e);
	if (ret)
		return ret;
	run->has_own = true;
	run->own_mean_ns = o.own_mean_ns;
	run->observed_share = (double)o.n_observed / (double)o.n_requests;
	return 0;
}

static double mean_in_flight(const struct run_summary *s)
{
	double sum = 0;
	for (uint64_t i = 0; i < s->n_levels; i++)
		sum += (double)i * (double)s->ns_at_level[i];
	return s->execution_ns > 0 ? sum / (double)s->execution_ns : 0;
}

/* Summarises the replayer's own stamps, if it took any. They are shown beside the deciding
 * stamps. */
static void own_stamps(struct run *run, const char *trace, const char *input)
{
	struct run_summary s;
	if (summary_compute(&s, trace, input, NULL, NULL) < 0)
		return;
	run->has_own = true;
	run->own_mean_ns = s.response.mean;
	run->device.own_in_flight = mean_in_flight(&s);
	run->device.own_in_flight_max = (double)(s.n_levels - 1);
	summary_release(&s);
}

/* Compares the order of the program's requests at the device with the order of issue. The program
 * replays nothing. */
static void program_order(struct run *run, const char *observed, const char *trace)
{
	struct run_summary s;
	if (summary_compute(&s, observed, trace, NULL, NULL) < 0)
		return;
	run->device.n_received = s.reorder_all.n_received;
	run->device.n_reordered = s.reorder_all.n_reordered;
	summary_release(&s);
}

/* Whether the times in the replayer's trace are its own stamps. */
static bool takes_stamps(const struct replayer *r)
{
	const struct adapter *a = replayer_adapter(r);
	const char *times = replayer_option(r, "times");
	return !a || (times ? !strncmp(times, "self", 4) : a->usual == ADAPTER_SELF);
}

bool replayer_is_untimed(const struct replayer *r)
{
	const char *times = replayer_option(r, "times");
	return times ? !strcmp(times, "none") : !takes_stamps(r);
}

static int by_device(const struct campaign *c, struct run *run, const char *trace,
		     const char *input, const char *side, const char *out, struct err *e)
{
	const struct scenario *scenario = &c->protocol->scenario[run->scenario];
	/* its requests correspond one to one to those of the program */
	const bool below = c->places.place[scenario->target].below.path;
	SCOPED_FREE char *recorded =
	    !input	      ? NULL
	    : scenario->trace ? xstrdup(input)
			      : observed_bank_path(c, run->scenario, input);
	struct observed_device o;
	struct device_observation how = {
	    .side = side, .sequence = input ? recorded : below ? trace : NULL, .own = trace,
	    .numbered = below,
	    .floating = run->role >= 0 && replayer_adapter(&c->protocol->replayer[run->role]),
	    .queued = scenario->observe_from == OBSERVE_FROM_QUEUE,
	};
	int ret = observed_device_write(&how, out, &o, e);
	if (ret)
		return err_context(e, "observe = block");
	run->has_device = true;
	run->device = (struct run_device){.n_requests = o.n_requests, .n_seen = o.n_seen,
		.n_split = o.n_split, .n_extra = o.n_extra, .n_outside = o.n_outside};
	run->observed_share = (double)o.n_seen / (double)o.n_requests;
	if (run->role < 0 || takes_stamps(&c->protocol->replayer[run->role]))
		own_stamps(run, trace, below ? input : NULL);
	if (!input && below)
		program_order(run, out, trace);
	return 0;
}

int observed_make(const struct campaign *c, struct run *run, const char *trace, const char *input,
		  const char *out, struct err *e)
{
	SCOPED_FREE char *side = xasprintf("%s.side", trace);
	return c->protocol->scenario[run->scenario].observe == OBSERVE_BLOCK
		   ? by_device(c, run, trace, input, side, out, e)
		   : by_library(run, trace, side, out, e);
}
