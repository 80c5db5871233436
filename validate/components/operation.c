/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of each operation. Reads that are too fast and writes that are too slow can
 * together have the right mean. */
#include "validate/components/component.h"

#define LEAST_SHARE 0.05 /* smallest share of requests or of time, in the program's runs */
/* Smallest share of time. If an operation has less, an error of 100 % changes the mean response
 * time by less than 0.1 %. */
#define LEAST_TIME 0.001

/* Whether the operation has a large enough share of the requests and of the program's response
 * time. */
static bool operation_counts(const struct pairs *p, const char *name)
{
	double n = 0, time = 0, n_all = 0, time_all = 0;
	for (size_t i = 0; i < p->n; i++) {
		const struct run_summary *s = &p->r[i]->summary;
		for (unsigned int k = 0; k < s->n_ops; k++) {
			const struct moments *m = &s->op[k].response;
			bool is_it = !strcmp(s->op[k].op, name);
			n_all += (double)m->n;
			time_all += (double)m->n * m->mean;
			n += is_it ? (double)m->n : 0;
			time += is_it ? (double)m->n * m->mean : 0;
		}
	}
	bool many = n_all > 0 && n / n_all >= LEAST_SHARE;
	double share = time_all > 0 ? time / time_all : 0;
	return share >= LEAST_SHARE || (many && share >= LEAST_TIME);
}

static void operation_add(struct family *f, const struct pairs *p, const char *name)
{
	SCOPED_FREE double *x = xcalloc(p->n + 1, sizeof *x), *r = xcalloc(p->n + 1, sizeof *r);
	for (size_t i = 0; i < p->n; i++) {
		x[i] = summary_response(&p->x[i]->summary, name);
		r[i] = summary_response(&p->r[i]->summary, name);
	}
	family_add_pairs(f, name, p, x, r);
}

static void measure_operations(const struct measuring *m)
{
	struct family *f = &m->e->family[COMPONENT_OPERATION];
	const struct run_summary *first = m->pairs->n ? &m->pairs->r[0]->summary : NULL;
	if (!first || !first->n_ops) {
		f->status = m->pairs->n ? STAT_NOT_ASSESSED : STAT_TOO_FEW;
		return;
	}
	if (first->n_ops == 1) {
		f->status = STAT_NOT_APPLICABLE;
		return;
	}
	for (unsigned int i = 0; i < first->n_ops; i++)
		if (operation_counts(m->pairs, first->op[i].op))
			operation_add(f, m->pairs, first->op[i].op);
}

const struct component_row component_operation = {
    .title = "Bias by operation", .shown = "largest deviation",
    .words = {"", true},
    .meaning = "Deviation of the mean response time of each operation, such as read. Operations "
	       "with small shares of requests and time do not count.",
    .rule = "Two-sided, each operation. Not applicable if all requests have the same operation.",
    .unit = COMPONENT_CHANGE, .two_sided = true, .relative = true, .measure = measure_operations,
    .decide = decide_parts, .plan = plan_parts,
};
