/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event engine: each worker owns the requests of one traced thread from the start, and itself
 * waits for their predecessors. There is no coordinator: a thread learns the progress of another
 * thread from a number in a cache line (gate.h).
 *
 * The loop (loops.h) is compiled for each combination of order and timing, so that a replay without
 * waits has no code for them. Mutants and stopping on a mismatch use a separate loop
 * (careful.c). */

#include "replay/options/engine.h"
#include "replay/issue/loops.h"

/* --- the loops ----------------------------------------------------------- */

static void lane_fullspeed(struct runner *w)
{
	lane_run(w, false, TIMING_FULLSPEED, ISSUE_ANY);
}

static void lane_fullspeed_ordered(struct runner *w)
{
	lane_run(w, true, TIMING_FULLSPEED, ISSUE_ANY);
}

static void lane_timestamp(struct runner *w)
{
	lane_run(w, true, TIMING_TIMESTAMP, ISSUE_ANY);
}

static void lane_think(struct runner *w)
{
	lane_run(w, true, TIMING_THINK, ISSUE_ANY);
}

static void pool_fullspeed(struct runner *w)
{
	pool_run(w, TIMING_FULLSPEED, ISSUE_ANY);
}

static void pool_timestamp(struct runner *w)
{
	pool_run(w, TIMING_TIMESTAMP, ISSUE_ANY);
}

/* --- the engine ---------------------------------------------------------- */

static void (*loop_choose(const struct replay_plan *p,
			  const struct replay_config *c))(struct runner *)
{
	if (p->mutant.kind != FAULT_NONE && p->mutant.kind != FAULT_DOUBLE)
		return careful_loop;
	if (c->stop_on_mismatch)
		return careful_loop;
	if (p->pool)
		return c->timing == TIMING_FULLSPEED ? pool_fullspeed : pool_timestamp;
	if (c->timing == TIMING_TIMESTAMP)
		return lane_timestamp;
	if (c->timing == TIMING_THINK)
		return lane_think;
	return p->ordered ? lane_fullspeed_ordered : lane_fullspeed;
}

static int event_run(struct replay_plan *p, const struct replay_config *config, struct err *e)
{
	struct crew *c = xaligned(_Alignof(struct crew), 1, sizeof *c);
	int ret = crew_init(c, p, config, p->n_workers, loop_choose(p, config), e);
	ret = ret ? ret : crew_run(c, e);
	crew_release(c);
	if (!p->abandoned)
		free(c);
	return ret;
}

const struct replay_engine engine_event = {
	.name = "event",
	.level = LEVEL_SYSCALL,
	.help = "a worker for each traced thread (threads that ran one after another share one); a "
		"request waits for the requests on which it depends",
	.bounded = true,
	.processes = true,
	.own_threads = true,
	.captured = true,
	.marks_cpu_delay = true,
	.run = event_run,
};
