/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the threads of a run that are nodes of the application, and matches nodes between runs. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/causality/watch.h"

/* Finds the nodes in `thread[n]`: threads with requests, then threads without requests that send
 * messages and compute or sleep for at least `least_ns`. In an MPI job, only ranks are nodes, and
 * *n_outside counts other threads with requests. Order: by rank; threads of a rank (and processes
 * outside a job) by creation. The caller frees *node. Errors: ENOENT: no thread makes requests. */
int nodes_take(const struct watch_thread *thread, uint32_t n, int64_t least_ns,
	       struct watch_thread **node, uint32_t *n_nodes, uint32_t *n_outside, struct err *e);

/* Finds for each thread its node number[n] in base[n_base], or -1. Threads with equal keys are
 * matched in the order of creation. Errors: EILSEQ: a node has no partner, or a node without
 * requests sends another number of messages, so the application differs between runs. */
int nodes_match(const struct watch_thread *base, uint32_t n_base, const struct watch_thread *thread,
		uint32_t n, int64_t *number, struct err *e);

/* Parses "all", "random:M" or a list such as "0,2-5" into wanted[n_nodes]. Errors: EINVAL: other
 * text; ERANGE: an unknown node. */
int nodes_choose(const char *text, uint64_t seed, uint32_t n_nodes, bool *wanted, struct err *e);
