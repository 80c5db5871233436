/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading of links. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_LINKS_PRIVATE_H
#define CAPTURE_CAUSALITY_LINKS_PRIVATE_H

#include "capture/causality/links.h"

struct link_mark { /* a signal or wait at a barrier */
	uint32_t barrier, node;
	uint64_t place, request; /* place; requests of the node before it */
	bool is_wait;
};

struct link_marks {
	struct link_mark *v; /* v[n], owned by the caller */
	size_t n, cap;
};

/* Adds the links and hubs of barriers to `l`, whose n_nodes has no hubs yet. Sorts the marks.
 * Errors: ENOENT: a wait without a signal; EINVAL: a signal without a wait, or a node that reaches
 * a barrier twice. */
int link_marks_join(struct causality_links *l, struct link_marks *marks, struct err *e);

#endif
