/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processor time that others used while a run was made: a covariate (doc/statistics.md).
 *
 * A reading is taken before and after each period in which the run was allowed to proceed: the
 * whole run, or each of its slices. The periods are added up, and the processor time of the run
 * itself is subtracted. The run cannot cause the rest, apart from the kernel threads that work for
 * it. */
#ifndef VALIDATE_OTHERS_H
#define VALIDATE_OTHERS_H

#include <stdint.h>
#include <sys/types.h>

/* Sums over all processors since the machine started. `busy` is the time of all processes and
 * interrupts: in ns from the root of cgroup v1's cpuacct where that is there, else from /proc/stat,
 * in ticks of 10 ms. `stolen` comes from /proc/stat. NaN: /proc/stat cannot be read. */
struct others_reading {
	int64_t ns; /* CLOCK_MONOTONIC */
	double busy_s, stolen_s;
};
void others_read(struct others_reading *r);

/* What all periods of a run add up to; zero at first. */
struct others_use {
	double processor_s; /* length times number of processors */
	double busy_s, stolen_s;
};
void others_add(struct others_use *u, const struct others_reading *from,
		const struct others_reading *to);

/* Shares of processor_s between 0 and 1: what others used and what was stolen. `own_s` is the
 * processor time that the run itself used in these periods. NaN where nothing was measured. */
void others_shares(const struct others_use *u, double own_s, double *others, double *stolen);

/* Processor time of a process so far, in s: its threads, without its children. NaN where it is
 * gone. */
double process_cpu_s(pid_t pid);

#endif
