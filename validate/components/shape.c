/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distance of the self-normalised distributions: response times of a run divided by its typical
 * response time (the mean of the fastest 90 %). The mean of all requests is not suitable as a
 * divisor: a few stalls of the machine change it by tens of percent, and so change the share of
 * the requests below each multiple of it. While another program kept a CPU and the disk busy, the
 * differences scattered by 25 to 30 % with the mean as divisor, and by 4 to 6 % with the typical
 * response time.
 *
 * Thresholds: the edges of the summaries' grid (metrics/summary.h) that are nearest to preset
 * quantiles of the program's pooled distribution. At each threshold, D = F_replay - F_program of a
 * pair, and a test of its mean against -+limit. The typical response time of a run cancels, so
 * shape is judged separately from it. Source: Kolmogorov's distance at fixed points; Berger and Hsu
 * (1996). */
#include "validate/components/component.h"
#include "validate/components/shape.h"

const double shape_quantile[SHAPE_N_QUANTILES] = {0.01, 0.05, 0.1, 0.2,  0.35, 0.5,
						  0.65, 0.8,  0.9, 0.95, 0.99, 0.999};

static double below_edge(const struct run_summary *s, size_t k)
{
	return (double)s->shape[k] / (double)s->response.n;
}

static bool have_shape(const struct pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->x[i]->summary.has_shape || !p->r[i]->summary.has_shape ||
		    !p->x[i]->summary.response.n || !p->r[i]->summary.response.n)
			return false;
	return p->n > 0;
}

/* Returns the edge of the program's pooled distribution that is nearest to q. */
static size_t nearest_edge(const double *pooled, double q)
{
	size_t nearest = 0;
	for (size_t k = 1; k < SUMMARY_N_SHAPE; k++)
		if (fabs(pooled[k] - q) < fabs(pooled[nearest] - q))
			nearest = k;
	return nearest;
}

bool shape_edges(struct shape_edges *s, const struct pairs *p)
{
	double pooled[SUMMARY_N_SHAPE] = {0};
	if (!have_shape(p))
		return false;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < SUMMARY_N_SHAPE; k++)
			pooled[k] += below_edge(&p->r[i]->summary, k) / (double)p->n;
	for (size_t i = 0; i < SHAPE_N_QUANTILES; i++) {
		s->edge[i] = nearest_edge(pooled, shape_quantile[i]);
		s->share[i] = pooled[s->edge[i]];
	}
	return true;
}

double shape_difference(const struct run_summary *x, const struct run_summary *r, size_t edge)
{
	return below_edge(x, edge) - below_edge(r, edge);
}

static void edge_add(struct family *f, const struct pairs *p, size_t edge, double share)
{
	double *d = xcalloc(p->n + 1, sizeof *d);
	char label[24];
	for (size_t i = 0; i < p->n; i++)
		d[i] = shape_difference(&p->x[i]->summary, &p->r[i]->summary, edge);
	snprintf(label, sizeof label, "%.3g %% quantile", 100 * share);
	family_add_values(f, label, p, d);
	f->part[f->n - 1].share = share;
	f->part[f->n - 1].relative_response = summary_shape_edge(edge);
}

static void measure_shape(const struct measuring *m)
{
	struct family *f = &m->e->family[COMPONENT_SHAPE];
	struct shape_edges s;
	if (!shape_edges(&s, m->pairs)) {
		f->status = m->pairs->n ? STAT_NOT_ASSESSED : STAT_TOO_FEW;
		return;
	}
	for (size_t i = 0; i < SHAPE_N_QUANTILES; i++)
		/* add an edge only once: several quantiles may be between two edges */
		if (!i || s.edge[i] != s.edge[i - 1])
			edge_add(f, m->pairs, s.edge[i], s.share[i]);
}

const struct component_row component_shape = {
    .title = "Shape", .shown = "largest deviation", .scattering = "differences",
    .words = {"", false},
    .meaning = "At each of 12 quantiles of the program's response times (1 % to 99.9 %): share of "
	       "the replay's requests that are faster than this quantile, minus the program's "
	       "share. Response times are relative to the typical response time of their run.",
    .rule = "Two-sided, each quantile",
    .source = "Kolmogorov's distance at fixed points",
    .unit = COMPONENT_NUMBER, .two_sided = true, .relative = true, .measure = measure_shape,
    .decide = decide_parts, .plan = plan_parts,
};
