/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults at three sizes each, which mean the same for every fault: about the limit of
 * the component that the fault acts on, 3 times that, and 10 times that. Where nothing at all is
 * allowed (lost, repeated, misplaced, resized requests) they are 1, 3 and 10 % of the requests;
 * faults without a size strike 2, 3 and 4 threads. */
#ifndef VALIDATE_SELFTEST_FAULTS_SIZED_H
#define VALIDATE_SELFTEST_FAULTS_SIZED_H

#include <stddef.h>
#include <stdint.h>

#include "validate/analysis/analysis.h"

#define N_SIZES 3
extern const char *const size_names[N_SIZES]; /* "small", "medium", "large" */
extern const double size_factors[N_SIZES];    /* 1, 3, 10 */

/* Limits of the campaigns that the sizes refer to. */
#define LIMIT_BIAS 0.10
#define LIMIT_TIME_FULL_SPEED 0.10
#define LIMIT_TIME_TIMED 0.01
#define LIMIT_ISSUE_ERROR_NS 1000000 /* a busy machine preempts a waiting replay for some 100 us */
#define LIMIT_REORDERED 0.01

enum fault_suite { SUITE_FULL_SPEED, SUITE_TIMED };

struct sized_fault {
	const char *name;
	enum fault_suite suite;
	enum component_kind acts_on;
	const char *unit; /* of the size: "times the bias limit" */
};
extern const struct sized_fault sized_faults[]; /* ends with name NULL */

/* The mutant's option ("delay:7us") for size 0..2, with the program's mean response time known;
 * into text. Levels of the workload that it is for: 1, or 2 to 4 for faults that have no size. */
void sized_fault_option(const struct sized_fault *f, unsigned int size, double response_ns,
			char *text, size_t len);
unsigned int sized_fault_level(const struct sized_fault *f, unsigned int size);

#endif
