/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/mpi/nodes.h"

#include <time.h>

#include "replay/issue/loops.h"

/* Below this it does not pay to ask how much of the time that passed was on the processor: being
 * taken off it in the middle is rare, and asking is a system call. */
#define CPU_TIME_MIN_NS 20000

/* --- computing ----------------------------------------------------------- */

static int64_t processor_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void spin(const struct clock *c, int64_t ns)
{
	const uint64_t until = clock_now(c) + (uint64_t)((double)ns / c->ns_per_tick);
	while (clock_now(c) < until)
		;
}

static void compute_on_processor(const struct clock *c, int64_t ns)
{
	const int64_t until_ns = processor_ns() + ns;
	for (int64_t left_ns = ns; left_ns > 0; left_ns = until_ns - processor_ns())
		spin(c, left_ns);
}

struct computing {
	bool sleeps, on_processor;
};

static struct computing computing_of(const struct rank *r)
{
	const struct parallel_options *o = &r->terms->config.parallel;
	const bool automatic = r->crowded || r->terms->cpu_time;
	return (struct computing){o->compute == COMPUTE_SLEEP,
				  o->clock == COMPUTE_CPU ||
				      (o->clock == COMPUTE_AUTO && automatic)};
}

static void compute(struct runner *w, const struct computing *how, int64_t ns)
{
	const struct clock *c = &w->crew->plan->clock;
	if (how->sleeps)
		wait_until(&w->waiter, clock_now(c) + (uint64_t)((double)ns / c->ns_per_tick));
	else if (how->on_processor && ns >= CPU_TIME_MIN_NS)
		compute_on_processor(c, ns);
	else
		spin(c, ns);
}

/* --- loops --------------------------------------------------------------- */

static void lane_causal(struct runner *w)
{
	struct nodes *n = w->crew->shared;
	const struct site site = site_of(w);
	const struct clock *clock = &site.clock;
	const struct computing how = computing_of(n->rank);
	struct lane_walk t = lane_walk_of(w);
	for (uint32_t k = 0; k < t.lane.n; k++) {
		const struct hot_request *h = &t.lane.request[k];
		if (LIKELY(h->op != OP_COMPUTE && h->op != OP_SIGNAL && h->op != OP_WAIT)) {
			lane_step(w, &site, &t, h, k, false, TIMING_FULLSPEED, ISSUE_ANY);
			continue;
		}
		const uint64_t begin = clock_begin(clock);
		if (h->op == OP_COMPUTE)
			compute(w, &how, (int64_t)h->offset);
		else if (h->op == OP_SIGNAL)
			message_signal(&n->messages, h->length);
		else
			message_wait(&n->messages, h->length);
		outcome_set(&t.lane.outcome[k], begin, clock_end(clock), 0);
	}
	lane_leave(w);
}

static void lane_fullspeed(struct runner *w)
{
	lane_run(w, false, TIMING_FULLSPEED, ISSUE_ANY);
}

static void lane_timestamp(struct runner *w)
{
	lane_run(w, false, TIMING_TIMESTAMP, ISSUE_ANY);
}

static void lane_think(struct runner *w)
{
	lane_run(w, false, TIMING_THINK, ISSUE_ANY);
}

void (*nodes_loop(const struct bundle_terms *t))(struct runner *)
{
	if (t->causal)
		return lane_causal;
	if (t->config.timing == TIMING_FULLSPEED)
		return lane_fullspeed;
	return t->config.timing == TIMING_TIMESTAMP ? lane_timestamp : lane_think;
}
