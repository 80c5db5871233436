/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of a parallel application with their signals, and an order in which the nodes can
 * proceed. */
#pragma once

#include "capture/causality/causality.h"

/* A set of nodes that all wait for each other: none continues from its place before all have
 * arrived. */
struct causality_barrier {
	uint32_t n_nodes;
	uint32_t *node;	   /* node[n_nodes], ascending */
	uint64_t *place;   /* places of their waits */
	uint64_t *request; /* the requests after the waits */
};

/* A wait and its signal. Places ascend in program order of a node. */
struct causality_link {
	uint32_t signaller, waiter;
	uint64_t signal_place, wait_place;
	/* number of requests of the signalling node before the signal; number of requests of the
	 * waiting node before the wait */
	uint64_t signal_request, wait_request;
	/* position of the wait inside the computation between two requests */
	uint32_t computed_ppm;
	uint32_t signalled_ppm; /* the same for the signal */
	/* in a merge: index of the edge, counted over all runs */
	size_t edge;
	/* the signal is at the position where the waiter continued, after the held request */
	bool is_later;
};

/* A signal or a wait of a node at a barrier that has records. A trace can have millions. */
struct causality_mark {
	uint32_t barrier; /* less than n_barriers */
	uint32_t node : 31, is_wait : 1;
	uint32_t place, request; /* place; number of requests of the node before it */
};

struct causality_links {
	struct causality_link *link; /* link[n], owned */
	size_t n, cap;
	uint32_t n_nodes;
	/* in a merge: the last n_joins nodes stand for barriers (joins.h) */
	uint32_t n_joins;
	/* mark[n_marks], owned, by node and place: a wait needs all signals of its barrier */
	struct causality_mark *mark;
	size_t n_marks;
	uint32_t n_barriers; /* barriers that have records */
};

void causality_links_release(struct causality_links *l);
/* Number of nodes of the application. */
static inline uint32_t links_nodes(const struct causality_links *l)
{
	return l->n_nodes - l->n_joins;
}
static inline bool links_join_at(const struct causality_links *l, const struct causality_link *g)
{
	return g->signaller >= links_nodes(l) || g->waiter >= links_nodes(l);
}

/* The waits, signals and marks of a node that come next. */
struct links_range {
	size_t wait, waits_end;	    /* in by_wait[] */
	size_t signal, signals_end; /* in by_signal[] */
	size_t mark, marks_end;	    /* in mark[] of the links */
};

struct links_order {
	/* [n]: the links sorted by (waiter, place) and by (signaller, place) */
	size_t *by_wait, *by_signal;
	struct links_range *of; /* of[n_nodes]: everything of each node */
};
/* Ownership: links_order_release, also for an order that is all zero. */
void links_order_make(struct links_order *o, const struct causality_links *l);
void links_order_release(struct links_order *o);

/* Callbacks of a walk. The order of the walk is a possible execution: each signal precedes its
 * wait, and the links and marks of a node are in program order. At one place, the marks precede
 * the links. Waits of links at one place are consecutive. A callback may be NULL. */
struct causality_walk {
	void (*signal)(void *ctx, size_t link);
	void (*wait)(void *ctx, size_t link);
	void (*mark)(void *ctx, size_t mark); /* a signal or a wait at a barrier */
	/* at the end, with ELOOP: called for each link of each cycle of nodes that wait for each
	 * other */
	void (*loop)(void *ctx, size_t link);
	void *ctx;
};

/* Walks through all links. Errors: ELOOP: nodes wait for each other; the message names one cycle
 * with its requests; ENOMEM. */
int causality_links_walk(const struct causality_links *l, const struct causality_walk *w,
			 struct err *e);

/* Reads the waits and signals of `t` from its beginning. A place is a number of records of the
 * node; consecutive waits count as one record, and so do consecutive signals. The k-th wait of a
 * pair of nodes matches its k-th signal. Errors: as causality_check; EINVAL for an unknown node, a
 * wait for itself, or a thread that is not a node; E2BIG for a barrier after 2^32 records of a
 * node; of reading. */
int causality_links_read(struct causality_links *l, struct trace *t,
			 const struct causality_facts *f, struct err *e);

/* Removes the links that other links and the order within the nodes imply: the transitive
 * reduction, which is unique. The links are sorted by waiter and place. The function keeps a vector
 * clock of each node (Fidge 1988, Mattern 1989) as long as it is needed. If this takes more than 1
 * GiB, some redundant links remain. Errors: as causality_links_walk. */
int causality_links_reduce(struct causality_links *l, struct err *e);

struct causality_barriers {
	struct causality_barrier *v; /* v[n], in the order of a possible execution, owned */
	uint32_t n, cap;
	uint32_t *of_link; /* of_link[l->n], owned: the barrier of each link, or UINT32_MAX */
	uint32_t *of_record; /* of_record[l->n_barriers], owned: index in v[] */
};

/* Errors: as causality_links_walk; ENOMEM. Ownership: causality_barriers_release. */
int causality_barriers_find(struct causality_barriers *b, const struct causality_links *l,
			    struct err *e);
/* Appends ascending numbers such as "0-3,5". */
void causality_nodes_text(struct strbuf *out, const uint32_t *node, uint32_t n);
void causality_barriers_release(struct causality_barriers *b); /* `b` may be all zero */
