/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts waits at instants to dependencies between requests. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* Makes an edge from each wait (in order of time) in a filtered trace: between the first requests
 * of both nodes after the instant, with the part of the waiter's computation that was done at the
 * instant. number[]: the node of each thread in the waits, or -1. Waits of nodes without further
 * requests are ignored. The caller frees *edge. n_computing: number of edges to nodes that were
 * computing. Errors: of reading. */
int waits_to_edges(const char *trace, const struct causality_facts *facts,
		   const struct watch_wait *wait, uint64_t n_waits, const int64_t *number,
		   struct causality_edge **edge, uint64_t *n_edges, uint64_t *n_computing,
		   struct err *e);
