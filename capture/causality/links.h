/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The waits of a parallel application with their signals, and in which order nodes that obey them
 * can go on. Private to capture/causality, and for who looks at the dependencies. */
#ifndef CAPTURE_CAUSALITY_LINKS_H
#define CAPTURE_CAUSALITY_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/causality/causality.h"
#include "common/strbuf.h"

/* A wait and its signal. Places ascend in the order of a node. */
struct causality_link {
	uint32_t signaller, waiter;
	uint64_t signal_place, wait_place;
	/* requests of the signaller before its signal; of the waiter before its wait */
	uint64_t signal_request, wait_request;
	/* before the wait, of the computing between two requests that it stands in */
	uint32_t computed_ppm;
	uint32_t signalled_ppm; /* before the signal, likewise */
	/* of a merge: which of the runs' edges it is, counted through all of them */
	size_t edge;
	/* its signal stands where the waiter went on, behind the request that was held back */
	bool is_later;
};

struct causality_links {
	struct causality_link *link; /* link[n], owned */
	size_t n, cap;
	uint32_t n_nodes;
};

void causality_links_release(struct causality_links *l);
/* by_wait[n], by_signal[n]: the links in the order of (waiter, its place) and of (signaller, its
 * place). */
void causality_links_order(const struct causality_links *l, size_t *by_wait, size_t *by_signal);

/* What is met on the way, in an order that is possible: each signal before its wait, and each
 * node's in its own. Waits of one place come one after the other. NULL: not wanted. */
struct causality_walk {
	void (*signal)(void *ctx, size_t link);
	void (*wait)(void *ctx, size_t link);
	/* where it ends with ELOOP: each link of each ring of nodes of which one waits for the next
	 */
	void (*loop)(void *ctx, size_t link);
	void *ctx;
};

/* Goes through all links. Errors: ELOOP: nodes wait for each other, naming those of one ring and
 * their requests; ENOMEM. */
int causality_links_walk(const struct causality_links *l, const struct causality_walk *w,
			 struct err *e);

/* The waits and signals of `t`, which is read from its beginning; places count what a node does,
 * waits that follow each other as one, and signals too. Waits and signals of one pair of nodes
 * answer each other one by one. Errors: as causality_check; EINVAL for a node that is not there, a
 * wait for itself, a thread that is no node; of reading. */
int causality_links_read(struct causality_links *l, struct trace *t,
			 const struct causality_facts *f, struct err *e);

/* Leaves out what follows from other links and the nodes' own order: the transitive reduction,
 * which is unique. The links are sorted by waiter and place. What each node knows of the others (a
 * vector clock: Fidge 1988, Mattern 1989) is kept while somebody may ask; above 1 GiB of it some
 * that follow are left in. Errors: as causality_links_walk. */
int causality_links_reduce(struct causality_links *l, struct err *e);

/* Nodes that each wait for all others of them: none goes on behind its place before all have come
 * there. */
struct causality_barrier {
	uint32_t n_nodes;
	uint32_t *node;	   /* node[n_nodes], ascending */
	uint64_t *place;   /* of their waits */
	uint64_t *request; /* which the waits are before */
};
struct causality_barriers {
	struct causality_barrier *v; /* v[n], in an order that is possible, owned */
	uint32_t n, cap;
	uint32_t *of_link; /* of_link[l->n], owned: the barrier that it is part of, or UINT32_MAX */
};

/* Errors: as causality_links_walk; ENOMEM. Ownership: causality_barriers_release. */
int causality_barriers_find(struct causality_barriers *b, const struct causality_links *l,
			    struct err *e);
/* Appends ascending numbers as "0-3,5". */
void causality_nodes_text(struct strbuf *out, const uint32_t *node, uint32_t n);
void causality_barriers_release(struct causality_barriers *b); /* an all-zero one is fine */

#endif
