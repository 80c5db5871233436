/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of a parallel application with their signals, and an order in which the nodes can
 * proceed. */
#pragma once

#include "capture/causality/causality.h"

/* Nodes that each wait for all others: none continues from its place before all have arrived. */
struct causality_barrier {
	uint32_t n_nodes;
	uint32_t *node;	   /* node[n_nodes], ascending */
	uint64_t *place;   /* of their waits */
	uint64_t *request; /* the requests after the waits */
};

/* A wait and its signal. Places ascend in the order of a node. */
struct causality_link {
	uint32_t signaller, waiter;
	uint64_t signal_place, wait_place;
	/* number of requests before the signal in its node; before the wait in its node */
	uint64_t signal_request, wait_request;
	/* position of the wait in the computation between two requests */
	uint32_t computed_ppm;
	uint32_t signalled_ppm; /* the same of the signal */
	/* in a merge: index of the edge, counted through all runs */
	size_t edge;
	/* the signal stands where the waiter continued, after the held request */
	bool is_later;
	/* 1 + the index in barrier[] of the barrier that it belongs to, and either end is a hub; 0:
	 * none */
	uint32_t barrier;
};

struct causality_links {
	struct causality_link *link; /* link[n], owned */
	size_t n, cap;
	uint32_t n_nodes; /* with hubs */
	/* The last n_hubs of the nodes are hubs. A hub stands for the barriers of one set of nodes:
	 * it waits for the signals of each, and sends the signals for its waits. */
	uint32_t n_hubs;
	struct causality_barrier *barrier; /* barrier[n_barriers], owned: those with records */
	uint32_t n_barriers;
};

void causality_links_release(struct causality_links *l);
/* by_wait[n], by_signal[n]: the links sorted by (waiter, place) and by (signaller, place). */
void causality_links_order(const struct causality_links *l, size_t *by_wait, size_t *by_signal);

/* Callbacks of a walk in a possible order: each signal before its wait, and links of a node in the
 * order of the node. Waits of a place are consecutive. NULL: no call. */
struct causality_walk {
	void (*signal)(void *ctx, size_t link);
	void (*wait)(void *ctx, size_t link);
	/* at the end with ELOOP: each link of each cycle of nodes that wait for each other */
	void (*loop)(void *ctx, size_t link);
	void *ctx;
};

/* Walks through all links. Errors: ELOOP: nodes wait for each other, naming one cycle with its
 * requests; ENOMEM. */
int causality_links_walk(const struct causality_links *l, const struct causality_walk *w,
			 struct err *e);

/* Reads the waits and signals of `t` from its beginning. Barriers with records get hubs. Places
 * count a node's records; consecutive waits count as one, and so do consecutive signals. Waits and
 * signals of a pair of nodes match one by one. Errors: as causality_check; EINVAL for an unknown
 * node, a wait for itself, or a thread that is not a node; of reading. */
int causality_links_read(struct causality_links *l, struct trace *t,
			 const struct causality_facts *f, struct err *e);

/* Removes the links that follow from others and from the nodes' order: the transitive reduction,
 * which is unique. The links are sorted by waiter and place. Each node's knowledge of the others (a
 * vector clock: Fidge 1988, Mattern 1989) is kept while it is needed; above 1 GiB of it, some
 * redundant links stay. Errors: as causality_links_walk. */
int causality_links_reduce(struct causality_links *l, struct err *e);

struct causality_barriers {
	struct causality_barrier *v; /* v[n], in a possible order, owned */
	uint32_t n, cap;
	uint32_t *of_link; /* of_link[l->n], owned: the barrier of each link, or UINT32_MAX */
};

/* Errors: as causality_links_walk; ENOMEM. Ownership: causality_barriers_release. */
int causality_barriers_find(struct causality_barriers *b, const struct causality_links *l,
			    struct err *e);
/* Appends ascending numbers as "0-3,5". */
void causality_nodes_text(struct strbuf *out, const uint32_t *node, uint32_t n);
void causality_barriers_release(struct causality_barriers *b); /* all-zero is fine */
