/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory cgroups, version 1 or 2: a limit on the page cache of a run.
 *
 * Each run has a separate group, because memory that stays charged (a trace on tmpfs) would reduce
 * the budget of the next run. Pages that are already cached are used without being charged to the
 * group, so they must be evicted first. */
#pragma once

#include "common/cgroup_where.h"

extern const char *const cgroup_kind_names[]; /* "none", "v1", "v2", NULL */

struct cgroup_place {
	enum cgroup_kind kind;
	char *parent;  /* directory for groups; NULL: none */
	char why[300]; /* why there is none */
};

/* Finds, by trying, a place in which this process can make and enter memory cgroups. `root` is
 * prefixed to /proc and mount points ("" except in tests). Does not fail: kind CGROUP_NONE has a
 * reason. Ownership: cgroup_place_release(). */
void cgroup_find(struct cgroup_place *p, const char *root);
void cgroup_place_release(struct cgroup_place *p);

struct cgroup {
	enum cgroup_kind kind;
	char *dir, *procs; /* NULL: none */
};

/* Makes the group NAME with a limit (0: none). Errors: from the system, with the file. */
int cgroup_make(struct cgroup *g, const struct cgroup_place *p, const char *name,
		uint64_t limit_bytes, struct err *e);
/* Gets the peak use (0 unknown), and the number of processes that were killed because the group was
 * full. */
void cgroup_use(const struct cgroup *g, uint64_t *peak_bytes, uint64_t *n_killed);
/* Removes the group; remaining charges move to its parent. Waits briefly for processes to exit.
 * Errors: from the system. */
int cgroup_remove(struct cgroup *g, struct err *e);
/* Removes the group that a killed campaign left behind. A missing group is not an error. Returns 0
 * or -errno. */
int cgroup_remove_left(const char *dir);
