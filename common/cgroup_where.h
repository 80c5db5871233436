/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the memory cgroup of this process (version 1 or 2) and how much anonymous memory it may
 * use. */
#pragma once

#include "common/std.h"

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

struct cgroup_where {
	char *top; /* mount point of the hierarchy */
	char *own; /* directory of this process's group: `top`, or a directory below it */
};

/* Returns false if the hierarchy does not exist. `root` is a prefix of /proc and of the mount
 * points; it is "" except in tests. Ownership: cgroup_where_release. */
bool cgroup_where(const char *root, enum cgroup_kind kind, struct cgroup_where *w);
/* Does the same for any controller ("cpu", "blkio"). Version 2 has one hierarchy for all
 * controllers. */
bool cgroup_where_of(const char *root, enum cgroup_kind kind, const char *controller,
		     struct cgroup_where *w);
void cgroup_where_release(struct cgroup_where *w);

struct cgroup_room {
	/* limit of the group with the least room: the process's own group or an ancestor;
	 * UINT64_MAX: no limit */
	uint64_t limit_bytes;
	uint64_t anonymous_bytes; /* memory that all processes of that group use now */
};

/* The kernel can reclaim the page cache, but not anonymous memory without swap. So a request for
 * more than limit - anonymous bytes starts the out-of-memory killer. */
struct cgroup_room cgroup_room(const char *root);
