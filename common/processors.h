/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processors that this process may use, and keeping a thread on one of them. */
#ifndef COMMON_PROCESSORS_H
#define COMMON_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

int processors_allowed(void); /* at least 1 */
/* Number of the i-th of them, counted round and round; -1 where the kernel does not say. */
int processor_nth(uint32_t i);

/* Whether, beside the caller, as many threads want to run now on the whole machine as there are
 * processors that this process may use: a guess at whether what the caller does now is taken from
 * others. False where the kernel does not say. Source: proc(5), /proc/loadavg. */
bool processors_are_busy(void);

struct processor_list {
	int *cpu; /* cpu[n], in the order given; a number may stand there more than once */
	uint32_t n;
};
#define PROCESSORS_LISTED_MAX 4096
/* "0,2-3": numbers and ranges with commas or plus signs between. Errors: EINVAL for another text,
 * and for a processor that this process may not use. Ownership: processors_release. */
int processors_parse(struct processor_list *list, const char *text, struct err *e);
void processors_release(struct processor_list *list); /* an all-zero one is fine */

/* Keeps the calling thread on `cpu`; nothing where that is negative. Returns 0 or an errno. */
int thread_pin(int cpu);
/* And on those of a list, which ends at its NUL or at a slash: numbers and ranges, as
 * processors_parse takes them. Nothing where it is empty. Returns 0 or an errno; EINVAL for another
 * text. */
int thread_bind(const char *list);

#endif
