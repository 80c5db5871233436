/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory cgroup of this process, version 1 or 2, and how much anonymous memory it may use. */
#pragma once

#include "common/std.h"

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

struct cgroup_where {
	char *top; /* mount point of the hierarchy */
	char *own; /* directory of the group of this process, top or below it */
};

/* False: there is no such hierarchy. `root`: prefix of /proc and mount points, "" except in tests.
 * Ownership: cgroup_where_release. */
bool cgroup_where(const char *root, enum cgroup_kind kind, struct cgroup_where *w);
/* As cgroup_where for any controller ("cpu", "blkio"); version 2 has one hierarchy for all. */
bool cgroup_where_of(const char *root, enum cgroup_kind kind, const char *controller,
		     struct cgroup_where *w);
void cgroup_where_release(struct cgroup_where *w);

struct cgroup_room {
	/* of the group, own or above it, with the least room; UINT64_MAX: no limit */
	uint64_t limit_bytes;
	uint64_t anonymous_bytes; /* used now by all processes of that group */
};

/* The page cache can be reclaimed, anonymous memory without swap cannot: a request for more than
 * limit - anonymous calls the out-of-memory killer. */
struct cgroup_room cgroup_room(const char *root);
