/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much memory a process has, and how much there is, from /proc. */
#ifndef COMMON_PROCESS_MEMORY_H
#define COMMON_PROCESS_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* Anonymous memory of a process in bytes; pages that it shares with others count by its part of
 * them (Pss_Anon of /proc/PID/smaps_rollup, before Linux 5.14 Anonymous; where that cannot be read,
 * RssAnon of /proc/PID/status). 0: it has ended. */
uint64_t process_anonymous_bytes(pid_t pid);

/* What this process can still have without swapping: the least of MemAvailable, the room of its
 * memory cgroups (cgroup_where.h) and what RLIMIT_AS leaves. UINT64_MAX where nothing says. */
uint64_t memory_available_bytes(void);

/* The largest resident set of this process since the last reset, which may be refused (then: since
 * it began). */
void process_peak_reset(void);
uint64_t process_peak_bytes(void); /* 0: the kernel does not say */

#endif
