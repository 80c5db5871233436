/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The CPUs that this process may use, and binding of a thread to one of them. */
#pragma once

#include <sched.h>

#include "common/std.h"

/* Their number, at least 1. */
static inline int processors_allowed(void)
{
	cpu_set_t allowed;
	return sched_getaffinity(0, sizeof allowed, &allowed) < 0 ? 1 : CPU_COUNT(&allowed);
}
/* Number of the i-th allowed CPU, i modulo their count. -1: the kernel gives no answer. */
int processor_nth(uint32_t i);

/* Whether the whole machine has more runnable threads than this process has CPUs. Then the caller
 * probably takes CPU time from others. False also if the kernel gives no answer. Source: proc(5),
 * /proc/loadavg. */
bool processors_are_busy(void);

struct processor_list {
	int *cpu; /* cpu[n], in the given order; a number may be repeated */
	uint32_t n;
};
#define PROCESSORS_LISTED_MAX 4096
/* Parses numbers and ranges that are separated by commas or plus signs, such as "0,2-3". Errors:
 * EINVAL: invalid text, or a CPU that this process may not use. Ownership: processors_release. */
int processors_parse(struct processor_list *list, const char *text, struct err *e);
/* `list` may be all zero. */
static inline void processors_release(struct processor_list *list)
{
	free(list->cpu);
	*list = (struct processor_list){.cpu = NULL};
}

/* Binds the calling thread to `cpu`. Does nothing if `cpu` is negative. Returns 0 or a positive
 * errno. */
int thread_pin(int cpu);
/* Binds the calling thread to a list as for processors_parse; the list ends at a NUL or a slash.
 * Does nothing for an empty list. Returns 0 or a positive errno; EINVAL: invalid text. */
int thread_bind(const char *list);
