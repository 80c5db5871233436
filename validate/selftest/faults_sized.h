/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults at three comparable sizes: about the limit of the component that the fault
 * affects, 3 times that, and 10 times that. For faults with a limit of 0 (lost, repeated,
 * misplaced, resized requests) the sizes are 1, 3 and 10 % of the requests. Faults without a size
 * affect 2, 3 and 4 threads. */
#pragma once

#include "validate/evidence/cell.h"

#define N_SIZES 3
extern const char *const size_names[N_SIZES]; /* "small", "medium", "large" */
extern const double size_factors[N_SIZES];    /* 1, 3, 10 */

/* Limits of the campaigns, which define the sizes. */
#define LIMIT_BIAS 0.10
#define LIMIT_TIME_FULL_SPEED 0.10
#define LIMIT_TIME_TIMED 0.01
/* on a busy machine, preemption delays a waiting replay by about 100 us */
#define LIMIT_ISSUE_ERROR_NS 1000000
#define LIMIT_REORDERED 0.01

enum fault_suite { SUITE_FULL_SPEED, SUITE_TIMED };

struct sized_fault {
	const char *name;
	enum fault_suite suite;
	enum component_kind acts_on;
	const char *unit; /* unit of the size: "times the bias limit" */
};
extern const struct sized_fault sized_faults[]; /* ends with name NULL */

/* Writes the mutant's option ("delay:7us") for size 0..2 to text, given the program's mean response
 * time. Levels of its workload: 1, or 2 to 4 for faults without a size. */
void sized_fault_option(const struct sized_fault *f, unsigned int size, double response_ns,
			char *text, size_t len);
unsigned int sized_fault_level(const struct sized_fault *f, unsigned int size);
