/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel applications: how far the running time of a replay is off, what recording it took, and
 * each node by itself.
 *
 * The error is (running time of the application - that of the replay) / that of the application,
 * mean over the pairs, with its sign: above 0 the replay is too short. Source: parallel-trace
 * paper, section 5; its figures show, of the volumes that a trace was captured on, the one that
 * makes the replay worst. */
#ifndef VALIDATE_ANALYSIS_PARALLEL_H
#define VALIDATE_ANALYSIS_PARALLEL_H

#include "validate/analysis/analysis.h"

struct parallel_case { /* a case of a parallel application */
	size_t cell;
	struct estimate program, replay; /* running times, ns, with their 95 % intervals */
	struct estimate error;		 /* a ratio, with its 95 % interval */
	/* of the error: what its pairs scatter and the clock's step; NaN unknown */
	double u, k, U;
	struct estimate bandwidth_program, bandwidth_replay; /* bytes per second of running time */
	/* of the first pair's recording, borrowed from the results; NULL unknown */
	const struct causality_summary *recording;
	/* means over the recordings, NaN unknown (metrics/summary.h) */
	double tracing_time, tracing_increase;
};

/* an application on a target under a replayer: the worst over what it was recorded on */
struct parallel_worst {
	size_t cell;	  /* of the largest size of the error, PARALLEL_NO_CELL: none is known */
	size_t first;	  /* some cell of it: its settings but `recorded-on` hold for all */
	size_t n_cells;
	struct estimate size;	       /* of the error of that case, folded at 0 */
	/* of this measure, the first that fits; NULL none; borrowed from the protocol */
	const struct published_value *published;
	double tracing_time, tracing_increase; /* largest over the recordings */
};
#define PARALLEL_NO_CELL SIZE_MAX

struct parallel_node { /* of a case */
	size_t cell;
	uint64_t node;
	double n_requests; /* a run */
	struct estimate program, replay; /* mean response time, ns */
	struct estimate bias;
	double U; /* of the bias, expanded by k for 95 %; NaN unknown */
	double busy_program_s, busy_replay_s; /* first begin to last end, means */
};

struct parallel_sum { /* of a replayer over its applications and targets */
	size_t replayer;
	size_t n_cells, n_worst;
	double mean_size;	/* of the sizes of the errors of its cases; NaN none */
	double mean_worst_size; /* of those of its worst cases */
	size_t worst;		/* index of the worst of all, PARALLEL_NO_CELL */
};

struct parallel_analysis {
	struct parallel_case *of_case;
	struct parallel_worst *worst; /* in the order of the scenarios, then of the replayers */
	struct parallel_node *node;
	struct parallel_sum *sum; /* of those replayers that have cases */
	size_t n_cases, n_worst, n_nodes, n_sums;
};

/* Fills a->parallel; NULL where the protocol has no parallel application. Ownership:
 * parallel_release. */
void parallel_compute(struct analysis *a);
void parallel_release(struct analysis *a);

/* Both scenarios differ at most in what they were recorded on. */
bool parallel_same_family(const struct scenario *a, const struct scenario *b);

#endif
