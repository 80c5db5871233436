/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capturing a parallel application with its causes: a run without delays, a run for each node that
 * is throttled, and the merge of them all. The runs stay in a directory, so that a capture that was
 * killed goes on where it was. doc/parallel.md tells the method. */
#ifndef CAPTURE_CAUSALITY_COLLECT_H
#define CAPTURE_CAUSALITY_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/causality.h"
#include "common/err.h"
#include "common/options.h"

enum collect_compute { COMPUTE_AUTO, COMPUTE_BLOCKING, COMPUTE_THROTTLED };
enum collect_clock { CLOCK_AUTO, CLOCK_CPU, CLOCK_WALL };

struct collect_config {
	const char *output;   /* -o */
	const char *nodes;    /* --nodes: all, random:M, a list */
	const char *period;   /* --period: a number, auto */
	double error;	      /* --error: of auto, a ratio */
	uint64_t seed;	      /* --seed: of random nodes */
	const char *root;     /* --root */
	const char *runs_dir; /* --runs-dir; NULL: OUTPUT.runs */
	const char *before;   /* --before: a shell's command line before each run */
	/* --check: of auto, a shell's command line that prints how long a replay of $TRACE takes */
	const char *check;
	const char *replay_dir; /* --replay-dir: of auto, where replays lay their files */
	double factor;	      /* --factor: of the longest that was seen */
	int64_t floor_ns;     /* --floor: but at least */
	int compute, clock;   /* enums above */
	bool resume;
	const char *scratch;
	char **command;	      /* NULL-terminated */
	/* Replays `trace` in `dir` for auto without --check, and writes what it did as the trace
	 * `to`. Errors: its own. */
	int (*replay)(void *ctx, const char *trace, const char *dir, const char *to, struct err *e);
	/* One line for the user, as it becomes known. */
	void (*tell)(void *ctx, const char *line);
	void *ctx;
	bool progress; /* shown on stderr */
};

struct collect_outcome {
	/* outside: threads with requests that are no ranks of the job */
	uint32_t n_nodes, n_throttled, n_outside;
	uint64_t n_runs, period;
	int64_t application_ns, tracing_ns;
	bool by_throttling, cpu_time;
	uint64_t n_computing; /* edges to nodes found computing: they poll memory */
	double error;	      /* of auto: the last that was measured; NaN: none */
	struct causality_merge_counts merged;
};

extern const struct option_spec collect_options[];
void collect_config_init(struct collect_config *c);

/* Errors: EINVAL for options; EEXIST where there are runs and `resume` is not set; ESTALE where
 * they are of another command or other options; ECHILD, EDEADLK, EILSEQ, ENOTSUP as run_once() and
 * causality_merge() say; EINTR: what is done stays, --resume goes on. */
int collect(const struct collect_config *c, struct collect_outcome *o, struct err *e);

#endif
