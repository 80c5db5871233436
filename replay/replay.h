/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaying a trace: engines, order policies, timing policies.
 *
 * An engine takes a prepared plan (plan.h: hot requests and dependencies) and fills in outcomes; what is common (loading the
 * trace, opening files inside the target directory, writing the replay trace) is not the engine's business.
 * Source: metrology paper III-B (policies); DESIGN section 7 for the exact orders. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/options.h"

enum replay_order { ORDER_TEMPORAL, ORDER_TEMPORAL_SERIAL, ORDER_FS, ORDER_THREAD, ORDER_NONE };
enum replay_timing { TIMING_FULLSPEED, TIMING_TIMESTAMP, TIMING_THINK };
extern const char *const replay_order_names[];	/* "temporal", "temporal-serial", "fs", "thread", "none", NULL */
extern const char *const replay_timing_names[]; /* "fullspeed", "timestamp", "think", NULL */

struct replay_config {
	/* how: every one of these is also a key of a protocol's [replayer NAME] */
	int order, timing;	 /* --order, --timing */
	double speed;		 /* --speed: 2 halves the traced gaps (timestamp, think) */
	int wait;		 /* --wait hybrid|sleep|spin: how a time is waited for */
	uint64_t spin_ns;	 /* --spin: how long a predecessor is waited for by spinning before the futex */
	int placement;		 /* --placement: where buffers lie, as in microbench */
	bool pin;		 /* --pin: worker i on the i-th processor it may use */
	uint64_t n_workers;	 /* --workers: of order none; 0: as many as traced threads */
	bool stop_on_mismatch;	 /* --stop-on-mismatch */
	const char *mutant;	 /* --mutant FAULT[:SIZE]: a deliberate fault (mutant.h), NULL none */
	/* where: command line only */
	const char *engine;	 /* --engine */
	const char *dir;	 /* --dir: the target directory; nothing outside it is touched */
	const char *output;	 /* -o */
	bool prepare;		 /* --prepare: restore the trace's files first */
	bool no_sync_output;	 /* --no-sync-output */
};

void replay_config_init(struct replay_config *c);
extern const struct option_spec replay_options[];

struct replay_plan;    /* plan.h */
struct replay_outcome; /* plan.h */

struct replay_engine {
	const char *name, *help;
	/* Errors: EINVAL for a combination this engine cannot do. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* Runs every request of the plan; returns when all have ended. Errors: of threads and memory; a failed request is an
	 * outcome, not an error. */
	int (*run)(struct replay_plan *p, const struct replay_config *c, struct err *e);
};
extern const struct replay_engine *const replay_engines[]; /* NULL-terminated */
const struct replay_engine *replay_engine_find(const char *name);

/* Loads TRACE, replays it, writes the replay trace (record i replays record i). The number of requests whose return
 * value differs from the traced one goes to *n_mismatches. */
int replay_run(const char *trace_path, const struct replay_config *c, uint64_t *n_mismatches, struct err *e);

#endif
