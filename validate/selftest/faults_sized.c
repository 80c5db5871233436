/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/faults_sized.h"

const char *const size_names[N_SIZES] = {"small", "medium", "large"};
const double size_factors[N_SIZES] = {1, 3, 10};

const struct sized_fault sized_faults[] = {
	{"delay", SUITE_FULL_SPEED, COMPONENT_BIAS, "times the bias limit"},
	{"proportional", SUITE_FULL_SPEED, COMPONENT_BIAS, "times the bias limit"},
	{"lost", SUITE_FULL_SPEED, COMPONENT_FIDELITY, "% of the requests; the limit is 0"},
	{"repeat", SUITE_FULL_SPEED, COMPONENT_FIDELITY, "% of the requests; the limit is 0"},
	{"swap", SUITE_FULL_SPEED, COMPONENT_REORDERING, "times the reordering limit"},
	{"offset", SUITE_FULL_SPEED, COMPONENT_FIDELITY, "% of the requests; the limit is 0"},
	{"size", SUITE_FULL_SPEED, COMPONENT_FIDELITY, "% of the requests; the limit is 0"},
	{"serialise", SUITE_FULL_SPEED, COMPONENT_CONCURRENCY, "threads"},
	{"double", SUITE_FULL_SPEED, COMPONENT_CONCURRENCY, "threads"},
	{"stall", SUITE_FULL_SPEED, COMPONENT_EXECUTION_TIME, "times the execution-time limit"},
	{"drift", SUITE_TIMED, COMPONENT_EXECUTION_TIME, "times the execution-time limit"},
	{"coarse", SUITE_TIMED, COMPONENT_ISSUE_ERROR, "times the issue-error limit"},
	{NULL, SUITE_TIMED, COMPONENT_BIAS, NULL},
};

#define STALL_PERIOD_US 1000.0

static bool has_no_size(const struct sized_fault *f)
{
	return f->acts_on == COMPONENT_CONCURRENCY;
}

unsigned int sized_fault_level(const struct sized_fault *f, unsigned int size)
{
	return has_no_size(f) ? 2 + size : 1;
}

void sized_fault_option(const struct sized_fault *f, unsigned int size, double response_ns,
			char *text, size_t len)
{
	double factor = size_factors[size];
	if (has_no_size(f))
		snprintf(text, len, "%s", f->name);
	else if (!strcmp(f->name, "delay"))
		snprintf(text, len, "delay:%.0fns", fmax(1, factor * LIMIT_BIAS * response_ns));
	else if (!strcmp(f->name, "proportional"))
		snprintf(text, len, "proportional:%g%%", 100 * factor * LIMIT_BIAS);
	else if (!strcmp(f->name, "swap"))
		snprintf(text, len, "swap:%g%%", 100 * factor * LIMIT_REORDERED);
	else if (!strcmp(f->name, "drift"))
		snprintf(text, len, "drift:%g%%", 100 * factor * LIMIT_TIME_TIMED);
	else if (!strcmp(f->name, "coarse"))
		snprintf(text, len, "coarse:%.0fns", factor * LIMIT_ISSUE_ERROR_NS);
	/* a stall for a time s in every period P makes the run longer by s/(P - s) */
	else if (!strcmp(f->name, "stall")) {
		double longer = factor * LIMIT_TIME_FULL_SPEED;
		snprintf(text, len, "stall:%.0fns/%.0fus",
			 1000 * STALL_PERIOD_US * longer / (1 + longer), STALL_PERIOD_US);
	} else
		snprintf(text, len, "%s:%g%%", f->name, factor);
}
