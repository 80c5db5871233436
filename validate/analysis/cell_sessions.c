/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replicates of a cell in groups: repeatability and reproducibility over sessions, and the chart of
 * individuals.
 *
 * A session is the part of a campaign between a start or resume and the next end, or a group of
 * consecutive blocks (protocol key `sessions`). The variance of p sessions has only p - 1 degrees
 * of freedom. Source: ISO 5725-2; ISO 7870-2 (Shewhart). */
#include "validate/analysis/analysis_private.h"
#include "validate/stats/control.h"

/* --- sessions ------------------------------------------------------------ */

static size_t session_of(const struct run *run, const struct protocol *p)
{
	uint64_t blocks = p->n_replicates_max ? p->n_replicates_max : 1;
	if (!p->n_sessions)
		return run->session;
	uint64_t s = (uint64_t)(run->block - 1) * p->n_sessions / blocks;
	return (size_t)(s < p->n_sessions ? s : p->n_sessions - 1);
}

/* Splits results in block order by session; returns the number of groups. */
static size_t groups_make(struct values *group, const double *x, const struct pairs *p,
			  const struct protocol *protocol)
{
	size_t n = 0, last = 0;
	for (size_t i = 0; i < p->n; i++) {
		size_t s = session_of(p->x[i], protocol);
		if (i > 0 && s == last)
			group[n - 1].n++;
		else
			group[n++] = (struct values){x + i, 1};
		last = s;
	}
	return n;
}

static void sessions_describe_groups(struct session_study *s, const struct values *group)
{
	s->session = xcalloc(s->n_sessions, sizeof *s->session);
	for (size_t i = 0; i < s->n_sessions; i++) {
		struct sample_moments m;
		struct session_group *g = &s->session[i];
		*g = (struct session_group){
		    .n = group[i].n, .mean = NAN, .sd = NAN, .h = NAN, .k = NAN};
		if (sample_moments(group[i].x, group[i].n, &m))
			continue;
		g->mean = m.mean;
		g->sd = m.spread ? NAN : m.sd;
	}
}

static void outliers_classify(struct session_study *s, const struct values *group)
{
	SCOPED(group_classes_release) struct group_classes c = {0};
	enum stat_status status = group_classes(group, s->n_sessions, &c);
	s->cochran.status = s->grubbs.status = status;
	if (status)
		return;
	const struct outlier_finding *max = &c.grubbs_max, *min = &c.grubbs_min;
	s->cochran = c.cochran;
	s->grubbs = !max->status && max->statistic >= min->statistic ? *max : *min;
	for (size_t i = 0; i < s->n_sessions; i++) {
		s->session[i].h = c.h[i].status ? NAN : c.h[i].statistic;
		s->session[i].k = c.k[i].status ? NAN : c.k[i].statistic;
		s->session[i].h_class = c.h[i].status ? OUTLIER_NONE : c.h[i].class;
		s->session[i].k_class = c.k[i].status ? OUTLIER_NONE : c.k[i].class;
	}
}

void measure_sessions(struct cell *c, const struct pairs *p, const struct results *r)
{
	struct session_study *s = &c->sessions;
	struct precision_study study;
	*s = (struct session_study){.status =
					p->n < 2 ? STAT_TOO_FEW : reference_check(c->r.x, c->r.n),
				    .cochran.status = STAT_NOT_APPLICABLE,
				    .grubbs.status = STAT_NOT_APPLICABLE};
	if (s->status)
		return;
	SCOPED_FREE double *x = xcalloc(p->n, sizeof *x);
	SCOPED_FREE struct values *group = xcalloc(p->n, sizeof *group);
	for (size_t i = 0; i < p->n; i++)
		x[i] = c->x.x[i] / c->r.mean;
	s->n_sessions = groups_make(group, x, p, &r->protocol);
	s->status =
	    s->n_sessions < 2 ? STAT_NOT_APPLICABLE : precision_study(group, s->n_sessions, &study);
	if (!s->status) {
		s->s_r = study.s_r;
		s->s_L = sqrt(study.s_L2);
		s->s_R = study.s_R;
		sessions_describe_groups(s, group);
		outliers_classify(s, group);
	}
}

/* --- chart of individuals ------------------------------------------------ */

void measure_control(struct cell *c, const struct pairs *p)
{
	struct control_chart *k = &c->control;
	struct individuals_chart chart;
	double *d = xcalloc(p->n + 1, sizeof *d);
	*k = (struct control_chart){
	    .center = NAN, .lower = NAN, .upper = NAN, .mr_bar = NAN, .mr_upper = NAN};
	k->status = p->n < 2 ? STAT_TOO_FEW : log_ratios(c->r.x, c->x.x, p->n, d);
	if (!k->status)
		k->status = individuals_chart(d, p->n, p->n, &chart);
	if (!k->status) {
		k->center = expm1(chart.center);
		k->lower = expm1(chart.lower);
		k->upper = expm1(chart.upper);
		/* of logarithms: relative if small */
		k->mr_bar = chart.mr_bar;
		k->mr_upper = chart.mr_upper;
		k->n_out = chart.n_out;
		for (size_t i = 1; i < p->n; i++)
			k->n_mr_out += fabs(d[i] - d[i - 1]) > chart.mr_upper;
		for (size_t i = 0; i < p->n; i++)
			d[i] = expm1(d[i]);
		sample_init(&k->d, d, p->n);
		return;
	}
	free(d);
}
