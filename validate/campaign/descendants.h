/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stopping all processes that a process has started, by signals to their process groups. */
#ifndef VALIDATE_DESCENDANTS_H
#define VALIDATE_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct descendants { /* all zero at first; descendants_release */
	pid_t *pid; /* pid[n]: the children of a process, their children, and so on, as they were when they were looked for */
	size_t n, cap;
	pid_t *group; /* group[n_groups]: their process groups, each once, without the group of the process itself */
	size_t n_groups, cap_groups;
};

/* Looks for the descendants of process `root`, which are none of it. Takes about 1 ms on a machine with 200 processes. */
void descendants_find(struct descendants *d, pid_t root);
void descendants_release(struct descendants *d);

/* Whether one of them has a file or directory open below `dir`, an absolute path without links. */
bool descendants_use(const struct descendants *d, const char *dir);
/* Sends a signal to their groups, and so to processes that were started since as well. */
void descendants_signal(const struct descendants *d, int signal);
/* Whether every thread of each of them has stopped or ended. */
bool descendants_are_stopped(const struct descendants *d);
/* Processor time of all of them, seconds; a process that has ended counts for nothing. */
double descendants_cpu_s(const struct descendants *d);

#endif
