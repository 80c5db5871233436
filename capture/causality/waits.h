/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From who waited at which instant to which request waited for which. */
#ifndef CAPTURE_CAUSALITY_WAITS_H
#define CAPTURE_CAUSALITY_WAITS_H

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* The edges that waits (by instants, in order) stand for in a filtered trace: the first requests of
 * both that begin behind the instant, and how much of the computing before its own the waiter had
 * done. number[] is the node of each thread the waits speak of, or -1. Waits of nodes that make no
 * request any more are none. The caller frees *edge. n_computing: edges to nodes that were found
 * computing. Errors: of reading. */
int waits_to_edges(const char *trace, const struct causality_facts *facts,
		   const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
		   struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing,
		   struct err *e);

#endif
