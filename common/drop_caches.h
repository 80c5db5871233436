/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops caches of the whole machine through /proc/sys/vm/drop_caches. Dirty pages stay in memory,
 * so sync first. Source: Linux, Documentation/admin-guide/sysctl/vm.rst. */
#pragma once

#include "common/std.h"

enum dropped_caches {
	DROP_PAGES = 1, /* the page cache */
	/* also unused dentries and inodes, which every program on the machine must then read
	 * again */
	DROP_ALL = 3,
};

/* Whether this process may write to that file. Drops nothing. */
bool may_drop_caches(void);

/* Errors: of the system; EACCES: no privilege. */
int caches_drop(enum dropped_caches what, struct err *e);
