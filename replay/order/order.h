/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order policies: which requests a request waits for.
 *
 * In every policy except `none` a thread issues its requests in traced order. So "request q of
 * thread B has begun" and "has ended" are thresholds of B's progress: 2 * index + 1 and 2 * index +
 * 2. A policy produces a short list of (thread, threshold) pairs for each request, without waits
 * that program order and earlier waits imply.
 *
 * "Earlier" means the issue order of the trace: by start, then by position in the file; for `fs` it
 * means the order in which calls can have taken effect (order_linear.c). A request waits only for
 * earlier requests, so no policy can deadlock. q "ended before" r if q.end <= r.begin. The exact
 * rules are in doc/replay-engines.md. */
#pragma once

#include "replay/load/slots.h"

struct edge {
	uint32_t request;   /* index into load.request; edges are sorted by this index */
	uint32_t thread;    /* the thread for which the request waits; never its own thread */
	uint32_t threshold; /* of the progress of that thread */
};

struct edges {
	struct edge *edge; /* edge[n] */
	size_t n, cap;
};

static inline uint32_t threshold_begun(const struct load_request *q)
{
	return 2 * q->index + 1;
}
static inline uint32_t threshold_ended(const struct load_request *q)
{
	return 2 * q->index + 2;
}

/* The rules of `fs` (order_fs.c); each can be excluded. */
enum fs_rule {
	RULE_DESCRIPTOR,
	RULE_POSITION,
	RULE_NAME,
	RULE_DIRECTORY,
	RULE_DATA,
	RULE_SIZE,
	RULE_ATTRIBUTE,
	RULE_PROCESS,
	RULES_N
};
#define RULES_ALL ((1u << RULES_N) - 1)
extern const char *const fs_rule_names[RULES_N + 1]; /* "descriptor", "position", ..., NULL */
/* Parses "all" or a list of names separated by commas; a leading minus sign excludes a rule. NULL
 * means "all". *rules: bits 1 << RULE_... Errors: EINVAL with the nearest name. */
int fs_rules_parse(unsigned int *rules, const char *text, struct err *e);

/* Derives the edges of a policy. `none` has no edges, and `thread` only those of asynchronous
 * requests. `rules`: for `fs`. Time: O(n log n) for n requests; for `fs` this is multiplied by the
 * number of threads that share a file. Errors: ENOMEM. */
int order_derive(struct edges *out, enum replay_order order, unsigned int rules,
		 const struct load *l, const struct slots *s, struct err *e);
static inline void edges_release(struct edges *d)
{
	free(d->edge);
	*d = (struct edges){.edge = NULL};
}

/* Appends an edge. For the derivations of orders. */
void edges_add(struct edges *d, uint32_t request, uint32_t thread, uint32_t threshold);
/* Sorts by request, then by thread. */
void edges_sort(struct edges *d);

/* order_fs.c */
int order_derive_fs(struct edges *out, unsigned int rules, const struct load *l,
		    const struct slots *s, struct err *e);
