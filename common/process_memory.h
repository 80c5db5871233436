/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory of a process and available memory, from /proc. */
#pragma once

#include "common/std.h"

/* Anonymous memory of a process in bytes. Each process counts its share of shared pages (Pss_Anon
 * of /proc/PID/smaps_rollup; before Linux 5.14, Anonymous; if that cannot be read, RssAnon of
 * /proc/PID/status). 0: the process has ended. */
uint64_t process_anonymous_bytes(pid_t pid);

/* Memory in bytes that this process can still get without swapping: the minimum of MemAvailable,
 * the room of its memory cgroups (cgroup_where.h) and the room of RLIMIT_AS. UINT64_MAX:
 * unknown. */
uint64_t memory_available_bytes(void);
