/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops caches of the whole machine through /proc/sys/vm/drop_caches. Dirty pages stay: sync first.
 * Source: Linux, Documentation/admin-guide/sysctl/vm.rst. */
#pragma once

#include "common/std.h"

enum dropped_caches {
	DROP_PAGES = 1, /* the page cache */
	/* and unused dentries and inodes: every program on the machine has to read them again */
	DROP_ALL = 3,
};

/* Whether this process may write that file. Drops nothing. */
bool may_drop_caches(void);

/* Errors: of the system, EACCES without the privilege. */
int caches_drop(enum dropped_caches what, struct err *e);
