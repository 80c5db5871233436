/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an engine is: a row of the registry (registry.h).
 *
 * An engine takes a prepared plan (plan.h: hot requests and dependencies) and fills in outcomes.
 * Loading the trace, opening files inside the target directory and writing the replay trace are the
 * same for all. */
#ifndef REPLAY_ENGINE_H
#define REPLAY_ENGINE_H

#include <stdbool.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/options/config.h"

struct adapter; /* engines/adapters/adapter.h */
struct load;
struct replay_plan;    /* plan/plan.h */
struct replay_summary; /* result/summary.h */
struct slots;

struct replay_engine {
	const char *name, *help;
	enum trace_level level; /* of the traces it replays; of adapters: replay_engine_level() */
	/* replayer of another project; NULL: an engine of this program */
	const struct adapter *adapter;
	bool bounded;	/* it can run from a plan in a file (--memory) */
	bool processes; /* it can replay with a process for each traced process */
	/* its processes open the descriptors that were there before the first request */
	bool opens;
	/* it has a worker for each traced thread, in any order but none (--cpus traced) */
	bool own_threads;
	bool captured;	/* it writes what the traced program wrote (--payload captured) */
	/* its workers wait for their times themselves, and mark requests that were held up */
	bool waits_held;
	/* its requests are made by a program of its own, which is made beforehand */
	bool program;
	/* it replays parallel applications: what their nodes compute, signal and wait for */
	bool nodes;
	bool moded;	/* it has modes (--mode) instead of orders and timings */
	const struct option_spec *options; /* beside the common ones; NULL: none */
	/* Other engines ignore its options, so that a protocol can give them to several engines;
	 * otherwise they refuse them. */
	bool options_ignored;
	/* Errors: EINVAL for a combination this engine cannot do. NULL: it does all. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* What the engine's own options mean for the plan; NULL: they mean what they say. */
	void (*settle)(struct replay_config *c);
	/* What else it needs of the load, which is freed afterwards; NULL nothing. The plan is
	 * made. Errors: its own. */
	int (*lay)(struct replay_plan *p, const struct replay_config *c, const struct load *l,
		   const struct slots *s, struct trace *t, struct err *e);
	/* Makes what can be made before files are touched; NULL where there is nothing to make.
	 * Errors: its own. */
	int (*prepare)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* Runs every request of the plan; returns when all have ended. Errors: of threads and
	 * memory; a failed request is an outcome, not an error. */
	int (*run)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* Of an engine that has no use for that plan: all of replay_run_summary but the check;
	 * `run` is NULL. */
	int (*replay)(const char *trace_path, const struct replay_config *c,
		      struct replay_summary *s, struct err *e);
};

#endif
