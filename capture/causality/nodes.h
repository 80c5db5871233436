/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which threads of a run are the nodes of the application, and which node of one run is which of
 * another. */
#ifndef CAPTURE_CAUSALITY_NODES_H
#define CAPTURE_CAUSALITY_NODES_H

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* The nodes among `thread[n]`: who made requests; of an MPI job only its ranks, and *n_outside is
 * how many others made some. In the order of their numbers: ranks in their order, the threads of
 * one (and processes of no job) as they came to be. The caller frees *node. Errors: ENOENT where
 * there is none. */
int nodes_take(const struct watch_thread *thread, uint32_t n, struct watch_thread **node,
	       uint32_t *n_nodes, uint32_t *n_outside, struct err *e);

/* number[n]: of each thread the node of base[n_base] that it is, or -1. Threads of the same key are
 * told apart by the order in which they came to be. Errors: EILSEQ where a node is missing in one
 * of them: the application does not do the same in every run. */
int nodes_match(const struct watch_thread *base, uint32_t n_base, const struct watch_thread *thread,
		uint32_t n, int64_t *number, struct err *e);

/* "all", "random:M" or a list as "0,2-5": wanted[n_nodes]. Errors: EINVAL for a text that is none
 * of these; ERANGE for a node that is not there. */
int nodes_choose(const char *text, uint64_t seed, uint32_t n_nodes, bool *wanted, struct err *e);

#endif
