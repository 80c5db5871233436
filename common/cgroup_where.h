/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the memory cgroup of this process is, version 1 or 2, and how much anonymous memory it has
 * room for. */
#ifndef COMMON_CGROUP_WHERE_H
#define COMMON_CGROUP_WHERE_H

#include <stdbool.h>
#include <stdint.h>

enum cgroup_kind { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

struct cgroup_where {
	char *top; /* where the hierarchy is mounted */
	char *own; /* directory of this process' group, top or below it */
};

/* False where there is no such hierarchy. `root` is put in front of /proc and of mount points (""
 * but in tests). Ownership: cgroup_where_release. */
bool cgroup_where(const char *root, enum cgroup_kind kind, struct cgroup_where *w);
/* As cgroup_where, of any controller: "cpu", "blkio"; version 2 has all in one hierarchy. */
bool cgroup_where_of(const char *root, enum cgroup_kind kind, const char *controller,
		     struct cgroup_where *w);
void cgroup_where_release(struct cgroup_where *w);

struct cgroup_room {
	/* of the group with the least room, own or above it; UINT64_MAX: nothing limits it */
	uint64_t limit_bytes;
	uint64_t anonymous_bytes; /* that this group has now, all its processes together */
};

/* The page cache can be reclaimed, anonymous memory without swap cannot: what is more than limit -
 * anonymous ends in the out-of-memory killer. */
struct cgroup_room cgroup_room(const char *root);

#endif
