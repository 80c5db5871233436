/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of a protocol that set how processes are started. */
#pragma once

#include <sched.h>

#include "common/scheduling.h"

/* Parses "0,2-5" into a set of CPUs. Errors: EINVAL. */
int cpus_parse(const char *text, cpu_set_t *set, struct err *e);

/* Parses "fifo:10, other": policies in order of preference, each as in scheduling_parse(). Refuses
 * "deadline", because such a process cannot start threads. Errors: EINVAL. Ownership: the caller
 * frees *list[*n]. */
int launch_scheduling_parse(const char *text, struct scheduling **list, size_t *n, struct err *e);
