/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes dependencies between requests of waits at instants. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* The edges for waits (in order of time) in a filtered trace: between the first requests of both
 * nodes that begin after the instant, with the part of the waiter's computation done by then.
 * number[]: the node of each thread in the waits, or -1. Waits of nodes without further requests
 * are ignored. The caller frees *edge. n_computing: edges to nodes that were found computing.
 * Errors: of reading. */
int waits_to_edges(const char *trace, const struct causality_facts *facts,
		   const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
		   struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing,
		   struct err *e);
