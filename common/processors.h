/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors that this process may use, and binding a thread to one of them. */
#pragma once

#include "common/std.h"

int processors_allowed(void); /* at least 1 */
/* Number of the i-th of them, modulo their count; -1 if the kernel does not say. */
int processor_nth(uint32_t i);

/* Whether more threads are runnable on the whole machine than there are processors for this
 * process: the caller then probably takes processor time from others. False if the kernel does not
 * say. Source: proc(5), /proc/loadavg. */
bool processors_are_busy(void);

struct processor_list {
	int *cpu; /* cpu[n], in the order given; a number may occur more than once */
	uint32_t n;
};
#define PROCESSORS_LISTED_MAX 4096
/* "0,2-3": numbers and ranges, separated by commas or plus signs. Errors: EINVAL: another text, or
 * a processor that this process may not use. Ownership: processors_release. */
int processors_parse(struct processor_list *list, const char *text, struct err *e);
/* An all-zero list is fine. */
static inline void processors_release(struct processor_list *list)
{
	free(list->cpu);
	*list = (struct processor_list){.cpu = NULL};
}

/* Binds the calling thread to `cpu`, if that is not negative. Returns 0 or an errno. */
int thread_pin(int cpu);
/* Binds the calling thread to a list as for processors_parse, which ends at its NUL or at a slash.
 * An empty list does nothing. Returns 0 or an errno; EINVAL: another text. */
int thread_bind(const char *list);
