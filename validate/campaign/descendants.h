/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals all processes that a process has started, through their process groups. */
#pragma once

#include "common/std.h"

struct descendants { /* must be zero-initialised; release it with descendants_release() */
	/* children, their children, and so on, as found by descendants_find() */
	pid_t *pid;
	size_t n, cap;
	pid_t *group; /* process groups of the descendants, without the group of root */
	size_t n_groups, cap_groups;
};

/* Finds the descendants of process `root`, without root, in one pass through /proc. */
void descendants_find(struct descendants *d, pid_t root);
void descendants_release(struct descendants *d);

/* Whether a descendant has a file or directory open below `dir` (absolute, without links). */
bool descendants_use(const struct descendants *d, const char *dir);
/* Sends a signal to the groups, which include processes that were started since. */
void descendants_signal(const struct descendants *d, int signal);
/* Whether every thread of each descendant has stopped or exited. */
bool descendants_are_stopped(const struct descendants *d);
/* CPU time of all descendants, in seconds; an exited process counts 0. */
double descendants_cpu_s(const struct descendants *d);
