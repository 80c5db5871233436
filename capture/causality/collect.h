/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captures a parallel application with its causes. Makes a run without delays and a throttled run
 * for each node, and merges them. The runs are kept in a directory, so that a killed capture can be
 * resumed. doc/parallel.md describes the method. */
#pragma once

#include "capture/causality/causality.h"
#include "common/options.h"

enum collect_compute { COMPUTE_AUTO, COMPUTE_BLOCKING, COMPUTE_THROTTLED };
enum collect_clock { CLOCK_AUTO, CLOCK_CPU, CLOCK_WALL };

struct collect_config {
	const char *output;   /* -o */
	const char *nodes;    /* --nodes: all, random:M, or a list */
	const char *period;   /* --period: a number, or auto */
	double error;	      /* --error: for auto, a ratio */
	uint64_t seed;	      /* --seed: for random nodes */
	const char *root;     /* --root */
	const char *runs_dir; /* --runs-dir; NULL: OUTPUT.runs */
	const char *before;   /* --before: shell command line that runs before each run */
	/* --check, for auto: a shell command line that prints the duration of a replay of $TRACE */
	const char *check;
	const char *replay_dir; /* --replay-dir, for auto: directory of the files of the replays */
	double factor;	      /* --factor: multiple of the longest observed time */
	int64_t floor_ns;     /* --floor: minimum of this maximum */
	int compute, clock;   /* values of the enums above */
	bool resume;
	/* --hosts: hosts of the ranks; --launcher: starts a command on {host} */
	const char *hosts, *launcher;
	const char *scratch;
	char **command;	      /* NULL-terminated */
	/* For auto without --check: replays `trace` in `dir` and writes the replay trace `to`.
	 * Errors: of the replay. */
	int (*replay)(void *ctx, const char *trace, const char *dir, const char *to, struct err *e);
	/* Prints a line for the user. */
	void (*announce)(void *ctx, const char *line);
	void *ctx;
	bool progress; /* show progress on standard error */
};

/* a larger difference of the predicted execution time, as a share of the measured time, causes a
 * warning */
#define COLLECT_PREDICTION_MAX 0.05
#define COLLECT_PREDICTION_LEAST_NS 10000000 /* a smaller difference causes no warning */

enum { COLLECT_UNCERTAIN_SHOWN = 3 };

struct collect_outcome {
	/* n_outside: threads with requests that are not ranks of the job */
	uint32_t n_nodes, n_throttled, n_outside;
	uint64_t n_runs, period;
	int64_t application_ns, tracing_ns;
	bool by_throttling, cpu_time;
	int64_t clock_bound_ns; /* several hosts: largest error of the difference of two clocks */
	/* edges to nodes that were judged to wait because they computed for too long: they poll
	 * memory */
	uint64_t n_computing;
	/* dependencies that are uncertain, and the first of them */
	uint64_t n_uncertain;
	struct causality_edge uncertain[COLLECT_UNCERTAIN_SHOWN];
	double error;	      /* for auto: the last measured error; NaN: none */
	struct causality_merge_counts merged;
};

extern const struct option_spec collect_options[];
void collect_config_init(struct collect_config *c);

/* Errors: EINVAL: invalid options; EEXIST: the directory has runs and `resume` is not set; ESTALE:
 * the runs belong to another command or other options; ECHILD, EDEADLK, EILSEQ, ENOTSUP: as
 * run_once() and causality_merge(); EINTR: finished runs remain for --resume. */
int collect_causality(const struct collect_config *c, struct collect_outcome *o, struct err *e);
