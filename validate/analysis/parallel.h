/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parallel applications: error of the execution time of a replay, cost of recording, and response
 * times by node.
 *
 * The error is (execution time of the application - that of the replay) / that of the application,
 * mean over the pairs, with its sign: positive means that the replay is too short. Source:
 * parallel-trace paper, section 5. Its figures show the worst replay over the volumes on which
 * traces were captured. */
#pragma once

#include "validate/evidence/cell.h"

struct parallel_case { /* a case of a parallel application */
	size_t cell;
	struct estimate program, replay; /* execution times, ns, with their 95 % intervals */
	struct estimate error;		 /* a ratio, with its 95 % interval */
	/* uncertainty of the error: scatter of the pairs and the clock's step; NaN unknown */
	double u, k, U;
	struct estimate bandwidth_program, bandwidth_replay; /* bytes/s of execution time */
	/* summary of the first pair's recording, borrowed from the results; NULL unknown */
	const struct causality_summary *recording;
	/* means over the recordings; NaN unknown (metrics/summary.h) */
	double tracing_time, tracing_increase;
};

/* Worst case of an application on a target with one replayer, over the volumes of the
 * recordings. */
struct parallel_worst {
	size_t cell;  /* cell with the largest |error|; PARALLEL_NO_CELL: unknown */
	size_t first; /* one of these cells, which share all settings except `recorded-on` */
	size_t n_cells;
	struct estimate size;	       /* |error| of that case */
	/* the first published value of this measure for the same settings; NULL none; borrowed from
	 * the protocol */
	const struct published_value *published;
	double tracing_time, tracing_increase; /* largest over the recordings */
};
#define PARALLEL_NO_CELL SIZE_MAX

struct parallel_node { /* of one case */
	size_t cell;
	uint64_t node;
	double n_requests; /* per run */
	struct estimate program, replay; /* mean response time, ns */
	struct estimate bias;
	double U; /* of one replay, 95 %, relative to the program's mean; NaN unknown */
	double busy_program_s, busy_replay_s; /* time from first start to last end, means */
};

/* The nodes of one case whose traced threads ran on one host. Exists if there are several hosts. */
struct parallel_host {
	size_t cell;
	const char *host; /* borrowed from the results */
	uint64_t n_nodes;
	double n_requests; /* per run, sum over the nodes */
	struct estimate program, replay; /* mean response time over all requests of a run, ns */
	struct estimate bias;
	double U; /* of one replay, 95 %, relative to the program's mean; NaN unknown */
	double busy_program_s, busy_replay_s; /* longest time of a node, means */
};

struct parallel_sum { /* sums for a replayer over its applications and targets */
	size_t replayer;
	size_t n_cells, n_worst;
	double mean_size;	/* mean |error| of its cases; NaN none */
	double mean_worst_size; /* mean |error| of its worst cases */
	size_t worst;		/* index of the worst of all cases; PARALLEL_NO_CELL: none */
};

struct parallel_analysis {
	struct parallel_case *of_case;
	struct parallel_worst *worst; /* in the order of scenarios, then replayers */
	struct parallel_node *node;
	struct parallel_host *host;
	struct parallel_sum *sum; /* of the replayers that have cases */
	size_t n_cases, n_worst, n_nodes, n_hosts, n_sums;
};

/* Sets a->parallel; NULL without a parallel application. Ownership: parallel_release(). */
void parallel_compute(struct analysis *a);
void parallel_release(struct analysis *a);

/* Whether the scenarios have the same settings, except the volume on which they were recorded. */
bool parallel_same_family(const struct scenario *a, const struct scenario *b);
