/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Relative bias of each operation. Reads that are too fast and writes that are too slow can
 * together have the right mean. */
#include "validate/analysis/measure_values.h"
#include "validate/components/component.h"

#define LEAST_SHARE 0.05 /* smallest share of requests or of time, in the program's runs */

/* Returns the larger of two shares of the operation: in all requests, and in the program's response
 * time. */
static double share_of(const struct pairs *p, const char *name)
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
	return fmax(n_all > 0 ? n / n_all : 0, time_all > 0 ? time / time_all : 0);
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
		if (share_of(m->pairs, first->op[i].op) >= LEAST_SHARE)
			operation_add(f, m->pairs, first->op[i].op);
}

const struct component_row component_operation = {
    .title = "Bias by operation", .shown = "largest deviation",
    .words = {"", true},
    .absent = "the summaries lack response times by operation",
    .inapplicable = "all requests are of one operation: bias judges it",
    .meaning = "Deviation of the mean response time of each operation, replay against program: "
	       "+ is longer. Only operations with at least 5 % of the requests or of the time count.",
    .rule = "accepted when the 90 % interval of each operation lies inside the limits, rejected "
	    "when the 95 % interval of one lies wholly outside (Bonferroni); not applicable where "
	    "all requests are of one operation", .source = "as bias; Berger and Hsu 1996",
    .above = "%p takes %s longer", .below = "%p takes %s less time",
    .unit = COMPONENT_CHANGE, .two_sided = true, .relative = true, .measure = measure_operations,
    .decide = decide_parts, .plan = plan_parts,
};
