/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/operations.h"

#include "validate/analysis/measures.h"

static const struct op_summary *op_find(const struct run_summary *s, const char *op)
{
	for (unsigned int i = 0; i < s->n_ops; i++)
		if (!strcmp(s->op[i].op, op) && s->op[i].response.n)
			return &s->op[i];
	return NULL;
}

static bool runs_all_have(const struct measure_runs *m, const char *op)
{
	for (size_t i = 0; i < m->n; i++)
		if (!op_find(&m->x[i]->summary, op) || !op_find(&m->r[i]->summary, op))
			return false;
	return true;
}

static void operation_make(struct operation_result *o, const struct measure_runs *m, size_t cell,
			   const char *op)
{
	*o = (struct operation_result){.cell = cell};
	snprintf(o->op, sizeof o->op, "%s", op);
	for (size_t i = 0; i < m->n; i++) {
		const struct run_summary *r = &m->r[i]->summary;
		const struct moments *of = &op_find(r, op)->response;
		o->n_requests += (double)op_find(&m->x[i]->summary, op)->response.n / (double)m->n;
		o->share += of->mean * (double)of->n / (r->response.mean * (double)r->response.n) /
			    (double)m->n;
	}
	o->program = measure_estimate(MEASURE_REFERENCE_TIME, op, m);
	o->replay = measure_estimate(MEASURE_RESPONSE_TIME, op, m);
	o->bias = measure_estimate(MEASURE_BIAS, op, m);
	o->uncertainty = measure_estimate(MEASURE_UNCERTAINTY, op, m);
}

static int by_share(const void *x, const void *y)
{
	const struct operation_result *a = x, *b = y;
	if (a->share > b->share || a->share < b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->op, b->op);
}

static void cell_operations(struct analysis *a, size_t cell, size_t *cap)
{
	SCOPED(measure_runs_release) struct measure_runs m;
	size_t first = a->n_operations;
	measure_runs_of_cell(&m, a, cell);
	const struct run_summary *s = m.n ? &m.r[0]->summary : NULL;
	for (unsigned int i = 0; s && s->n_ops > 1 && i < s->n_ops; i++) {
		if (!runs_all_have(&m, s->op[i].op))
			continue;
		GROW(a->operation, a->n_operations, *cap);
		operation_make(&a->operation[a->n_operations++], &m, cell, s->op[i].op);
	}
	if (a->n_operations > first)
		qsort(a->operation + first, a->n_operations - first, sizeof *a->operation,
		      by_share);
}

void operations_compute(struct analysis *a)
{
	size_t cap = 0;
	for (size_t i = 0; i < a->n_cells; i++)
		cell_operations(a, i, &cap);
}

void operations_release(struct analysis *a)
{
	free(a->operation);
}
