/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bias, scatter and cost of captured response times, compared with the program's own stamps in the
 * same runs.
 *
 * The run is the replicate: a run's bias is the mean difference of captured and own response times
 * over its matched requests. The interval of the mean comes from the scatter of the runs (Student's
 * t, n - 1 degrees of freedom). The cost is the ratio of the program's own mean response time with
 * capture to that without capture, for runs of the same block, by logarithms.
 *
 * A calibration is used on other traces. Its bias is the mean over the measured conditions
 * (workload and number of threads). Its standard uncertainty combines the differences between
 * conditions (half the range of their means, rectangular) with the scatter of one run and of the
 * mean of n runs: u^2 = range^2 / 12 + s^2 (1 + 1/n). Source: GUM (JCGM 100) 4.3.7, F.2.4.5. */
#pragma once

#include "validate/selftest/capture_match.h"
#include "validate/stats/status.h"

#define CAPTURE_NONE SIZE_MAX /* no method: without capture */

struct capture_run { /* one operation in one run of one workload */
	uint64_t n_own, n_missed, n_extra;
	/* [n]: captured minus own response time of each matched request; owned */
	double *difference_ns;
	size_t n;
	double sum_difference_ns, sum_begin_ns, sum_own_ns; /* over the matched requests */
};

struct capture_cell { /* a condition: a method, a workload at a level, an operation */
	size_t method, workload;
	unsigned int level; /* threads */
	uint16_t op;
	struct capture_run *run; /* [n_runs] */
};

struct capture_study {
	size_t n_runs; /* of each condition */
	struct capture_cell *cell;
	size_t n_cells, cap_cells;
};

/* Adds the result of one run (0 .. n_runs - 1) of a workload at a level. */
void capture_study_add(struct capture_study *s, size_t method, size_t workload, unsigned int level,
		       size_t run, const struct capture_match *m);
void capture_study_release(struct capture_study *s);

struct capture_estimate {
	uint64_t n_own, n_matched, n_missed, n_extra; /* sums over the runs */
	enum stat_status bias_status;
	/* mean over the runs, half-width of its 95 % interval */
	double bias_ns, bias_half_ns;
	double bias_sd_ns;                        /* of the runs' biases */
	/* difference of the starts, captured minus own; valid with bias_status */
	double begin_ns, begin_half_ns;
	/* distance of a request's difference from the bias of its run */
	double scatter_median_ns, scatter_p99_ns;
	enum stat_status cost_status;
	/* own mean response time, with capture relative to without capture; 95 % interval */
	double cost_ratio, cost_low, cost_high;
};

/* Estimates one operation under a method at a level, over all workloads. Returns false if there was
 * no such request. */
bool capture_estimate(const struct capture_study *s, size_t method, uint16_t op, unsigned int level,
		      struct capture_estimate *out);

/* Agreement of the program's clock with that of the capture. Every process measures rate and origin
 * of its clock itself; a process is a workload at a level in a run. `offset_ns`: mean of captured
 * minus own start, including the constant distance of the stamps. `u_ns`: its standard deviation
 * between processes, about the means of the conditions (workload, level), with n_processes -
 * n_conditions degrees of freedom. It does not affect response times, because both of their stamps
 * use the same clock. It affects a difference between instants of two processes once. Source: GUM
 * 4.2.2. */
struct capture_clock {
	double offset_ns, u_ns;
	size_t n_processes, n_conditions;
};
/* Computes this agreement. Errors: STAT_TOO_FEW if no condition has two runs with requests. */
enum stat_status capture_clock(const struct capture_study *s, size_t method,
			       struct capture_clock *c) STAT_MUST_CHECK;

struct capture_calibration {
	double bias_ns, u_ns;
	double low_ns, high_ns; /* smallest and largest mean of a condition */
	size_t n_conditions;
	uint64_t n_requests;
};
/* Calibrates one operation under a method. Errors: STAT_TOO_FEW if no condition has two runs with
 * requests. */
enum stat_status capture_calibrate(const struct capture_study *s, size_t method, uint16_t op,
				   struct capture_calibration *c) STAT_MUST_CHECK;
