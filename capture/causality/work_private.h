/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_WORK_PRIVATE_H
#define CAPTURE_CAUSALITY_WORK_PRIVATE_H

#include "capture/causality/links.h"

struct work_amount {
	int64_t ns, compute_ns; /* work of a node; computing time in it */
};

int64_t work_plus(int64_t a, int64_t b); /* The sum, at most TRACE_TIME_MAX. */

/* Work of the node before each wait and signal of a link, and before each mark. */
struct work_before {
	struct work_amount *wait, *signal; /* [l->n] */
	struct work_amount *mark;	   /* [l->n_marks] */
};

/* The shortest execution if all nodes begin at the same time. total[l->n_nodes]: total work of each
 * node. Errors: as causality_links_walk. */
int critical_path(const struct causality_links *l, const struct work_before *before,
		  const struct work_amount *total, struct work_amount *longest, struct err *e);

#endif
