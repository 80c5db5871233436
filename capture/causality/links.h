/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of a parallel application with their signals, and in which order nodes that obey them can go on. Private to capture/causality,
 * and for who looks at the dependencies. */
#ifndef CAPTURE_CAUSALITY_LINKS_H
#define CAPTURE_CAUSALITY_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/causality.h"

/* A wait and its signal. Places ascend in the order of a node. */
struct causality_link {
	uint32_t signaller, waiter;
	uint64_t signal_place, wait_place;
	uint64_t signal_request, wait_request; /* requests of the signaller before its signal; of the waiter before its wait */
};

struct causality_links {
	struct causality_link *link; /* link[n], owned */
	size_t n, cap;
	uint32_t n_nodes;
};

void causality_links_release(struct causality_links *l);
/* by_wait[n], by_signal[n]: the links in the order of (waiter, its place) and of (signaller, its place). */
void causality_links_order(const struct causality_links *l, size_t *by_wait, size_t *by_signal);

/* What is met on the way, in an order that is possible: each signal before its wait, and each node's in its own. Waits of one place come one
 * after the other. NULL: not wanted. */
struct causality_walk {
	void (*signal)(void *ctx, size_t link);
	void (*wait)(void *ctx, size_t link);
	void *ctx;
};

/* Goes through all links. Errors: ELOOP: nodes wait for each other, naming them and their requests; ENOMEM. */
int causality_links_walk(const struct causality_links *l, const struct causality_walk *w, struct err *e);

/* The waits and signals of `t`, which is read from its beginning; places count the records of a node. Waits and signals of one pair of nodes
 * answer each other one by one. Errors: as causality_check; EINVAL for a node that is not there, a wait for itself, a thread that is
 * no node; of reading. */
int causality_links_read(struct causality_links *l, struct trace *t, const struct causality_facts *f, struct err *e);

#endif
