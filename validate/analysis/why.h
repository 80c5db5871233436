/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why: the difference between replay and program, split into causes.
 *
 * A case is explained if it is not trusted or a difference is significant: that of the mean
 * response time or of the execution time (95 %), or that of another two-sided component (95 %,
 * Bonferroni over all estimates of the case).
 *
 * Two differences are split, both relative to the program: that of the mean response time and that
 * of the execution time. The parts add up to the whole; the last part is the unexplained rest. Each
 * part names its method, and has a status if the data do not give it.
 *
 * Execution time, exactly, in every pair of runs: n m = T (1 - i) c, with n requests of mean
 * response m, i the share of the time T without active requests, and c the mean number active in
 * the rest. So ln T = ln n + ln m - ln(1 - i) - ln c, and the difference of each term is a part:
 * requests lost or extra, response times, issue (nothing in flight), concurrency.
 *
 * Response time, from sums over the requests and runs of the cell:
 *   other requests   standardised by operation, as for levels
 *   concurrency      standardised by the level that a request finds at its start: sum of
 *                    (p_x - p_r) (m_x + m_r)/2 over levels, with p the share of requests at the
 *                    level and m their mean response time
 *   late issue       of timed replays: mean response time of late requests against those on time
 *                    (1 us), by class of lateness
 *   reordering       share of reordered requests x their mean response time against that of others
 *   cache hits       bytes read from devices x time per byte: the slope of response time on these
 *                    bytes among the runs of a side; if they vary too little, the blocked time of
 *                    the runs that read
 *   page faults      count x cost of one, measured on the machine
 *   run queue, steal time runnable but not running, and time taken by the hypervisor: proportional
 *                    to the service time, because a longer request waits longer; weighted by the
 *                    share of the threads' time that is spent in requests
 * Times observed at a device have no page faults and run queues: delays of a process do not
 * lengthen requests there. Intervals are from the jackknife over pairs. Time on and off the CPU is
 * shown beside and not added, because causes act through both.
 *
 * Sources: Kitagawa (1955), Oaxaca (1973) and Blinder (1973) for the standardisation; Little's law;
 * Efron and Tibshirani (1993), chapter 11, for the jackknife. */
#pragma once

#include "validate/evidence/cell.h"

enum cause {
	CAUSE_REQUESTS,
	CAUSE_CONCURRENCY,
	CAUSE_LATE_ISSUE,
	CAUSE_REORDERING,
	CAUSE_CACHE,
	CAUSE_FAULTS,
	CAUSE_RUN_QUEUE,
	CAUSE_STEAL,
	/* in the split of the execution time: response times; in the split of the response time:
	 * the rest */
	CAUSE_SERVICE,
	CAUSE_PROCESSOR,
	CAUSE_OFF_PROCESSOR, /* shown, but not a part of the sum */
	CAUSE_N
};
extern const char *const cause_names[]; /* "requests", "concurrency", ..., NULL */

/* A cause with its direction (reports/words.h: words_cause). */
enum why_name {
	WHY_UNEXPLAINED,
	WHY_MIX,
	WHY_LESS_CONCURRENCY,
	WHY_MORE_CONCURRENCY,
	WHY_CONCURRENCY_WAITS, /* more concurrency, whose threads wait for CPUs */
	WHY_LATE_ISSUE,
	WHY_REORDERING,
	WHY_FEWER_HITS,
	WHY_MORE_HITS,
	WHY_FEWER_FAULTS,
	WHY_MORE_FAULTS,
	WHY_CPU_WAIT,
	WHY_STEAL,
	WHY_ON_CPU,
	WHY_OFF_CPU,
	WHY_FEWER_REQUESTS,
	WHY_MORE_REQUESTS,
	WHY_SHORTER_RESPONSES,
	WHY_LONGER_RESPONSES,
	WHY_LESS_IDLE,
	WHY_MORE_IDLE,
	WHY_LOST,
	WHY_REPEATED,
	WHY_OTHER_REQUESTS,
	WHY_NAME_N
};

/* How a part was obtained (reports/words.h: words_method). */
enum why_method {
	METHOD_REST,
	METHOD_UNKNOWN,
	METHOD_MEASURED,
	METHOD_BY_OPERATION,
	METHOD_BY_LEVEL,
	METHOD_BY_LEVEL_ALONE, /* the sides share no level */
	METHOD_BY_LATENESS,
	METHOD_BY_ORDER,
	METHOD_BYTES_SLOPE,
	METHOD_BYTES_BLOCKED,
	METHOD_NO_BYTES,
	METHOD_FAULT_COST,
	METHOD_IN_PROPORTION,
	METHOD_ALL_CPUS,
	METHOD_BESIDE,
	METHOD_N
};

enum split_quantity { SPLIT_RESPONSE, SPLIT_TIME, SPLIT_N };
extern const char *const split_names[]; /* "response time", "execution time", NULL */

struct why_part {
	enum cause cause;
	enum why_name name;
	enum why_method how;
	bool beside;	      /* shown beside, not part of the sum */
	struct estimate part; /* relative to the program */
	/* share of the whole; NaN: not part of the sum, unknown, or the whole may be 0 */
	double share;
};

struct split {
	/* relative difference of the mean response times or execution times */
	struct estimate whole;
	bool significant;      /* its 95 % interval excludes 0 */
	struct why_part part[CAUSE_N];
	size_t n_parts;
};

/* A component whose estimate differs significantly from 0, or that is rejected. */
struct why_difference {
	enum component_kind kind;
	const char *part; /* label of a part of the component, "" if it has no parts; borrowed */
	const struct estimate *estimate; /* estimate of the part or of the component; borrowed */
	/* reasons of the component; borrowed. NULL: it has none. */
	const struct reason *reason;
};

struct why { /* of one cell */
	bool shown;    /* not trusted, or a difference is significant */
	bool rejected; /* the cell is not trusted */
	struct split split[SPLIT_N];
	/* Owned. Without bias and execution time if their split is significant, and without
	 * accepted components if anything else differs. */
	struct why_difference *difference;
	size_t n_differences;
	/* Main cause of the rejected components; if none is rejected, of the larger difference.
	 * CAUSE_N: none. */
	enum cause main;
	enum why_name main_name;
};

/* Sets a->why[n_cells]. Call it after the verdicts. */
void why_compute(struct analysis *a);
void why_release(struct analysis *a);
