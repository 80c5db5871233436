/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU time that other processes use during a run: a covariate (doc/statistics.md).
 *
 * It is read before and after each period in which the run may proceed: the whole run, or each of
 * its slices. The periods are summed, and the CPU time of the run is subtracted. The run does not
 * cause the rest, except kernel threads that work for it. */
#pragma once

#include "common/std.h"

/* Sums over all CPUs since boot. `busy`: time of all processes and interrupts in ns, from the root
 * of cgroup v1's cpuacct if available, otherwise from /proc/stat in ticks of 10 ms. `stolen`: from
 * /proc/stat. NaN: /proc/stat cannot be read. */
struct others_reading {
	int64_t ns; /* CLOCK_MONOTONIC */
	double busy_s, stolen_s;
};
void others_read(struct others_reading *r);

/* Sums over the periods of a run; must be zero-initialised. */
struct others_use {
	double processor_s; /* length x number of CPUs */
	double busy_s, stolen_s;
};
/* Adds the use of the CPUs between two readings. */
void others_add(struct others_use *u, const struct others_reading *from,
		const struct others_reading *to);

/* Shares of processor_s, 0..1, that other processes used and that the hypervisor took. `own_s`: CPU
 * time of the run in these periods. NaN without measurement. */
void others_shares(const struct others_use *u, double own_s, double *others, double *stolen);

/* CPU time that a process has used so far, in s, with its threads but without its children. NaN if
 * it has exited. */
double process_cpu_s(pid_t pid);
