/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory a process has, and how much there is, from /proc. */
#pragma once

#include "common/std.h"

/* Anonymous memory of a process in bytes, shared pages by its share of them (Pss_Anon of
 * /proc/PID/smaps_rollup, before Linux 5.14 Anonymous; if it cannot be read, RssAnon of
 * /proc/PID/status). 0: it has ended. */
uint64_t process_anonymous_bytes(pid_t pid);

/* The memory that this process can still get without swapping: the least of MemAvailable, the room
 * of its memory cgroups (cgroup_where.h) and of RLIMIT_AS. UINT64_MAX: unknown. */
uint64_t memory_available_bytes(void);

/* The peak resident set of this process since the last reset; since its start if the kernel refuses
 * the reset. */
void process_peak_reset(void);
uint64_t process_peak_bytes(void); /* 0: the kernel does not say */
