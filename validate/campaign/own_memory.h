/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a process and those that it started take by themselves: what its memory cgroup is charged with beside the page cache. */
#ifndef VALIDATE_OWN_MEMORY_H
#define VALIDATE_OWN_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* Anonymous memory and page tables of a process in bytes, and those of its descendants. What they have in common after a fork is counted
 * once; of memory that is shared on purpose (a descendant's outcomes), the largest part that one of them has. 0: it has ended. Without
 * CONFIG_PROC_CHILDREN the process alone. */
uint64_t own_memory_bytes(pid_t pid);

#endif
