/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory cgroups, version 1 or 2: a bound on the page cache that a run may use.
 *
 * One group is made for each run and removed after it, because what stays charged to a group (a
 * trace on tmpfs) would be missing in the next run's budget. Pages that were cached before are free
 * hits and not charged: evict first. */
#ifndef VALIDATE_CGROUP_H
#define VALIDATE_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/cgroup_where.h"
#include "common/err.h"

extern const char *const cgroup_kind_names[]; /* "none", "v1", "v2", NULL */

struct cgroup_place {
	enum cgroup_kind kind;
	char *parent;  /* directory in which groups can be made; NULL for none */
	char why[300]; /* why there is none */
};

/* Finds where this process may make memory cgroups and enter them, by trying. `root` is put in
 * front of /proc and of mount points ("" but in tests). Never fails: kind CGROUP_NONE and the
 * reason are an answer. Ownership: cgroup_place_release. */
void cgroup_find(struct cgroup_place *p, const char *root);
void cgroup_place_release(struct cgroup_place *p);

struct cgroup {
	enum cgroup_kind kind;
	char *dir, *procs; /* NULL when there is none */
};

/* Makes the group NAME with a limit (0: none). Errors: of the system with the file. */
int cgroup_make(struct cgroup *g, const struct cgroup_place *p, const char *name,
		uint64_t limit_bytes, struct err *e);
/* Largest use so far (0 unknown) and processes killed for want of memory. */
void cgroup_use(const struct cgroup *g, uint64_t *peak_bytes, uint64_t *n_killed);
/* Removes the group; what is still charged goes to its parent. Waits a little for processes that
 * are about to end. */
int cgroup_remove(struct cgroup *g, struct err *e);
/* Removes a group that an earlier, killed campaign left; one that is not there is fine. */
int cgroup_remove_left(const char *dir, struct err *e);

#endif
