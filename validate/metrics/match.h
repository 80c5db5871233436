/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a replayed request with the traced one: operation, object, offset, length and result.
 * Descriptor numbers may differ. Fields that are unknown on either side are not compared. */
#pragma once

#include "capture/trace.h"

struct matcher {
	const struct trace *replay, *input; /* borrowed */
	/* [n_objects] the input's number of a replay's object, stored when they were found to be
	 * equal */
	uint32_t *input_object;
	uint32_t n_objects;
};

void matcher_init(struct matcher *m, const struct trace *replay, const struct trace *input);
void matcher_release(struct matcher *m);

/* Whether results or errors differ; operation and arguments are not compared. */
bool match_results_differ(const struct trace_record *x, const struct trace_record *r);

/* Whether the replayer skipped this request on purpose: it has no start, and EOPNOTSUPP marks it as
 * skipped (a pipe, a call that must not be made, requests excluded by options). Any other request
 * without a start is lost. */
static inline bool match_skipped(const struct trace_record *x)
{
	return x->begin_ns == TIME_NONE && x->error == EOPNOTSUPP;
}

enum match_difference {
	MATCH_OTHER_REQUEST = 1, /* another operation, object, offset or length */
	MATCH_OTHER_RESULT = 2,  /* another result of the same operation */
};
/* Returns the differences of a replay's request `x` from request `r` of the input, as flags of
 * enum match_difference; 0: none. */
unsigned int matcher_compare_closely(struct matcher *m, const struct trace_record *x,
				     const struct trace_record *r);

/* Returns bits of enum match_difference; 0: no difference. */
static inline unsigned int matcher_compare(struct matcher *m, const struct trace_record *x,
					   const struct trace_record *r)
{
	bool equal = x->op == r->op && x->offset == r->offset && x->length == r->length &&
		     x->rvalue == r->rvalue && x->error == r->error;
	bool same_object = x->object < m->n_objects ? m->input_object[x->object] == r->object
						    : x->object == OBJECT_NONE;
	if (__builtin_expect(equal && same_object, 1))
		return 0;
	return matcher_compare_closely(m, x, r);
}
