/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/match.h"

#include "capture/op.h"

void matcher_init(struct matcher *m, const struct trace *replay, const struct trace *input)
{
	*m = (struct matcher){.replay = replay, .input = input};
}

void matcher_release(struct matcher *m)
{
	free(m->input_object);
	memset(m, 0, sizeof *m);
}

/* Whether objects differ. Object numbers differ between traces, so kind and name are compared. */
static bool objects_differ(struct matcher *m, uint32_t x, uint32_t r)
{
	if (x == OBJECT_NONE || r == OBJECT_NONE)
		return false;
	if (x < m->n_objects && m->input_object[x] == r)
		return false;
	const struct trace_object *a = trace_object(m->replay, x), *b = trace_object(m->input, r);
	if (!a || !b)
		return a || b;
	if (a->kind != b->kind || strcmp(a->name, b->name))
		return true;
	uint32_t n = trace_n_objects(m->replay);
	if (n > m->n_objects) {
		m->input_object = xreallocarray(m->input_object, n, sizeof *m->input_object);
		for (uint32_t i = m->n_objects; i < n; i++)
			m->input_object[i] = OBJECT_NONE;
		m->n_objects = n;
	}
	m->input_object[x] = r;
	return false;
}

static bool call_failed(const struct trace_record *r)
{
	return r->error || r->rvalue < 0;
}

static bool results_differ(const struct trace_record *x, const struct trace_record *r,
			   unsigned int uses)
{
	if (call_failed(x) != call_failed(r))
		return true;
	if (call_failed(x)) /* some foreign traces record that a call failed, but not the error */
		return x->error && r->error && x->error != r->error;
	return !(uses & OP_RETURNS_FD) && x->rvalue != r->rvalue;
}

bool match_results_differ(const struct trace_record *x, const struct trace_record *r)
{
	return results_differ(x, r, op_info(r->op)->uses);
}

unsigned int matcher_compare_closely(struct matcher *m, const struct trace_record *x,
				     const struct trace_record *r)
{
	unsigned int uses = op_info(r->op)->uses, difference = 0;
	if (x->op != r->op)
		return MATCH_OTHER_REQUEST;
	if (results_differ(x, r, uses))
		difference |= MATCH_OTHER_RESULT;
	bool other = (uses & OP_HAS_OFFSET) && x->offset != r->offset;
	other |= (uses & OP_KNOWS_OFFSET) && x->offset != OFFSET_NONE && r->offset != OFFSET_NONE &&
		 x->offset != r->offset;
	other |= (uses & OP_HAS_LENGTH) && x->length != r->length;
	if (other || objects_differ(m, x->object, r->object))
		difference |= MATCH_OTHER_REQUEST;
	return difference;
}
