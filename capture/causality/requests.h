/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the requests of an application's nodes in one run. Private to capture/causality. */
#pragma once

#include "capture/causality/causality.h"
#include "capture/op.h"
#include "capture/preload/causes.h"

/* Reader of the trace of a run. */
struct requests {
	struct trace *t;
	struct causality_facts f;
	uint64_t *n; /* n[f.n_nodes]: number of requests of each node so far */
};

/* Errors: of reading; EINVAL: the trace does not have `n_nodes` nodes. Ownership:
 * requests_close. */
int requests_open(struct requests *q, const char *path, uint32_t n_nodes, struct err *e);
void requests_close(struct requests *q);
int requests_rewind(struct requests *q, struct err *e);
/* Reads the next record, with its node (-1: none) and its number in the node. A record that is not
 * a request gets the number of the node's next request. Returns as trace_next. */
int requests_next(struct requests *q, const struct trace_record **r, int64_t *node,
		  uint64_t *number, struct err *e);

static inline bool is_message(const struct trace_record *r)
{
	return r->op == OP_SIGNAL && r->flags & CAUSE_IS_MESSAGE;
}

/* Whether it is a request or, in a run, a message of a node without requests. */
static inline bool is_request(const struct trace_record *r)
{
	enum op_family family = op_info(r->op)->family;
	return (family != FAMILY_CAUSE && family != FAMILY_PAGE) || is_message(r);
}

/* Checks that the requests of all runs equal those of run[0], node by node: operation, object,
 * other arguments, and success. n_requests[n_nodes]: number of requests of each node. Errors:
 * EILSEQ: they differ; the message has the node, the runs, the request and the difference; of
 * reading. */
int requests_compare(const struct causality_run *run, uint32_t n_runs, uint32_t n_nodes,
		     uint64_t *n_requests, struct err *e);

/* Appends the arguments and the result of a request as text. Errors: of reading its heap item. */
int request_describe(struct strbuf *out, const struct trace *t, const struct trace_record *r,
		     struct err *e);
