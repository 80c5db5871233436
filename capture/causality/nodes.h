/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the threads of a run that are nodes of the application, and matches nodes between runs. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* The nodes among `thread[n]`: threads with requests; in an MPI job only its ranks, and *n_outside
 * counts other threads with requests. Order: ranks, threads of a rank (and processes outside of a
 * job) by creation. The caller frees *node. Errors: ENOENT if there are none. */
int nodes_take(const struct watch_thread *thread, uint32_t n, struct watch_thread **node,
	       uint32_t *n_nodes, uint32_t *n_outside, struct err *e);

/* number[n]: the node of base[n_base] that each thread is, or -1. Threads with equal keys are
 * matched by order of creation. Errors: EILSEQ if a node is missing on either side: the application
 * differs between runs. */
int nodes_match(const struct watch_thread *base, uint32_t n_base, const struct watch_thread *thread,
		uint32_t n, int64_t *number, struct err *e);

/* Parses "all", "random:M" or a list such as "0,2-5" into wanted[n_nodes]. Errors: EINVAL for other
 * text; ERANGE for an unknown node. */
int nodes_choose(const char *text, uint64_t seed, uint32_t n_nodes, bool *wanted, struct err *e);
