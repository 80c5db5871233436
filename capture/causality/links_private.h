/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of links. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_LINKS_PRIVATE_H
#define CAPTURE_CAUSALITY_LINKS_PRIVATE_H

#include "capture/causality/links.h"
#include "common/u64_map.h"

/* Barriers while their records are read. */
struct links_barriers {
	struct u64_map index; /* by the number of the barrier */
	uint64_t *number;     /* number[l->n_barriers] */
	size_t numbers_cap, marks_cap;
};

/* Adds a signal or wait at the barrier with this number. */
void links_mark_add(struct links_barriers *b, struct causality_links *l, uint64_t number,
		    struct causality_mark mark);
/* Sorts the marks, and numbers the barriers in ascending order of their numbers in the trace.
 * Errors: ENOENT: a wait without a signal; EINVAL: a signal without a wait, or a node that reaches
 * a barrier twice. */
int links_marks_finish(struct links_barriers *b, struct causality_links *l, struct err *e);
void links_barriers_release(struct links_barriers *b);

#endif
