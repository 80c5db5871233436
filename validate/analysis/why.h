/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why: a difference between replay and program split into what causes it.
 *
 * Two differences are split, both relative to the program: that of the mean response time, and that
 * of the execution time. Parts add up to the whole; what nothing accounts for is the last of them,
 * always there. No part claims more than the data give: how it was obtained stands with it, and one
 * that the data cannot give has a status instead.
 *
 * Execution time, exactly, in every pair of runs: requests are active for n m = T (1 - i) c
 * together, with n requests of mean response m, i the share of the time T with none of them active,
 * and c the mean number active in the rest. So ln T is ln n + ln m - ln(1 - i) - ln c, and each
 * term's difference is a part: requests lost or extra, response times, issue (nothing in flight),
 * concurrency.
 *
 * Response time, by sums over the requests and runs of the cell:
 *   other requests   standardised by operation, as for levels
 *   concurrency      standardised by the level that a request finds when it begins: sum of (p_x -
 * p_r) (m_x + m_r)/2 over levels, p the share of requests there and m their mean response time late
 * issue       of timed replays: mean response of the late against those on time (1 us), by class of
 * lateness reordering       share of reordered requests x their mean response against that of the
 * others cache hits       bytes read from devices x time a byte takes: the slope of response time
 * on them among the runs of a role, or where they do not differ enough the time blocked in runs
 * that read page faults      counted x cost of one, measured on the machine run queue, steal time
 * runnable but not running, and taken by the hypervisor: in proportion to the time served, for who
 * serves longer waits longer; by the share of the threads' time that is spent in requests Of times
 * that are observed at a device there are no page faults and run queues: what strikes a process
 * lengthens no request there. Its intervals are of the jackknife over pairs. Shown beside, not
 * added: time on and off the processor, for causes act through both.
 *
 * Sources: Kitagawa (1955), Oaxaca (1973) and Blinder (1973) for the standardisation; Little's law;
 * Efron and Tibshirani (1993), chapter 11, for the jackknife. */
#ifndef VALIDATE_ANALYSIS_WHY_H
#define VALIDATE_ANALYSIS_WHY_H

#include "validate/analysis/analysis.h"

enum cause {
	CAUSE_REQUESTS,
	CAUSE_CONCURRENCY,
	CAUSE_LATE_ISSUE,
	CAUSE_REORDERING,
	CAUSE_CACHE,
	CAUSE_FAULTS,
	CAUSE_RUN_QUEUE,
	CAUSE_STEAL,
	CAUSE_SERVICE, /* of execution time: response times; else what is left */
	CAUSE_PROCESSOR,
	CAUSE_OFF_PROCESSOR, /* only beside */
	CAUSE_N
};
extern const char *const cause_names[]; /* "requests", "concurrency", ..., NULL */

enum split_quantity { SPLIT_RESPONSE, SPLIT_TIME, SPLIT_N };
extern const char *const split_names[]; /* "response time", "execution time", NULL */

struct why_part {
	enum cause cause;
	const char *name;     /* with its direction: "lost concurrency"; static */
	const char *how;      /* how it was obtained: "measured"; static */
	bool beside;	      /* shown beside, no part of the sum */
	struct estimate part; /* relative to the program */
	double share;	      /* of the whole; NaN beside, unknown, or where the whole may be 0 */
};

struct split {
	struct estimate whole; /* relative: of the response time the difference of the means */
	bool significant;      /* its 95 % interval leaves 0 out */
	struct why_part part[CAUSE_N];
	size_t n_parts;
};

struct why { /* of one cell */
	bool shown;    /* the cell is not trusted, or one of both differences is significant */
	bool rejected; /* the cell is not trusted */
	struct split split[SPLIT_N];
	/* What above all explains the rejected components (of a cell that is not rejected: its
	 * larger difference). CAUSE_N: none. */
	enum cause main;
	const char *main_name;
	char sentence[500];
};

/* why[n_cells], in a->why, after the verdicts. */
void why_compute(struct analysis *a);
void why_release(struct analysis *a);

#endif
