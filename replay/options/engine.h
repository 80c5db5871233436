/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An engine: a row of the registry (registry.h).
 *
 * An engine runs a prepared plan (plan.h) and fills in outcomes. Loading the trace, opening files
 * in the target directory and writing the replay trace are the same for all engines. */
#pragma once

#include "capture/trace.h"
#include "replay/options/config.h"

struct adapter; /* engines/adapters/adapter.h */
struct load;
struct replay_plan;    /* plan/plan.h */
struct replay_summary; /* result/summary.h */
struct slots;

struct replay_engine {
	const char *name, *help;
	/* level of the traces that it replays. LEVEL_SYSCALL: calls on files in a directory;
	 * LEVEL_BLOCK: requests on a device; 0: either, depending on the target */
	enum trace_level level;
	/* replayer of another project; NULL: an engine of this program */
	const struct adapter *adapter;
	bool bounded;	/* can run from a plan in a file (--memory) */
	bool processes; /* supports --processes */
	/* its processes open the descriptors that are open before the first request */
	bool opens;
	bool own_threads; /* it has a worker for each traced thread, except with order none */
	bool captured;	/* supports --payload captured */
	/* its workers wait for due times, and mark requests that were late because of a
	 * predecessor */
	bool marks_cpu_delay;
	bool program;	/* a separate program, made before the run, issues the requests */
	bool nodes;	/* replays computing, signals and waits of parallel applications */
	bool moded;	/* has modes (--mode) instead of orders and timings */
	const struct option_spec *options; /* further options; NULL: none */
	/* other engines ignore its options that are keys of a protocol, so that a protocol can set
	 * them for several engines. If false, other engines refuse them */
	bool options_ignored;
	/* Checks combinations of options; NULL: all are supported. Errors: EINVAL. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* Translates the engine's options for the plan; NULL: nothing to do. */
	void (*settle)(struct replay_config *c);
	/* Takes further data that it needs from the load, which is freed afterwards; NULL: nothing.
	 * The plan is complete at this time. */
	int (*lay)(struct replay_plan *p, const struct replay_config *c, const struct load *l,
		   const struct slots *s, struct trace *t, struct err *e);
	/* Prepares the run before files are accessed; NULL: nothing to do. */
	int (*prepare)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* Issues all requests of the plan; returns when all have ended. Errors: of threads and
	 * memory; a failed request is an outcome, not an error. */
	int (*run)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* For an engine that uses no plan: like replay_run_summary, without the check. In this case
	 * `run` is NULL. */
	int (*replay)(const char *trace_path, const struct replay_config *c,
		      struct replay_summary *s, struct err *e);
};
