/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/courses.h"

#include "validate/analysis/measures.h"

/* Returns the widest interval of all these runs, to which all runs are converted. */
static int64_t interval_widest(const struct measure_runs *m)
{
	int64_t width = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct run *of[3] = {m->x[i], m->r[i], m->recording[i]};
		for (int k = 0; k < 3; k++)
			if (of[k] && of[k]->summary.pace && of[k]->summary.pace->width_ns > width)
				width = of[k]->summary.pace->width_ns;
	}
	return width;
}

static bool pace_at(struct pace *p, const struct run *run, int64_t width)
{
	if (!run || !run->summary.pace)
		return false;
	*p = *run->summary.pace;
	pace_widen(p, (uint64_t)(width / p->width_ns));
	return true;
}

/* Returns the pair whose replay has the median execution time. Runs differ in length, so a mean
 * over them would show an end that no run has. */
static size_t median_pair(const struct measure_runs *m)
{
	for (size_t i = 0; i < m->n; i++) {
		size_t n_before = 0;
		for (size_t k = 0; k < m->n; k++) {
			const int64_t here = m->x[i]->summary.execution_ns,
				      other = m->x[k]->summary.execution_ns;
			n_before += other < here || (other == here && k < i);
		}
		if (n_before == (m->n - 1) / 2)
			return i;
	}
	return 0;
}

/* Fills in rate[PACE_MAX], requests per second, and active[PACE_MAX] (NULL: not wanted), the number
 * in flight. Returns how many intervals the run has. */
static size_t run_rates(double *rate, double *active, const struct run *run, int64_t width)
{
	struct pace p;
	if (!pace_at(&p, run, width))
		return 0;
	for (uint32_t k = 0; k < p.n; k++) {
		rate[k] = (double)p.requests[k] / ((double)width * 1e-9);
		if (active)
			active[k] = p.active_ns[k] / (double)width;
	}
	return p.n;
}

/* Returns bytes per second; NULL if the run moved no bytes, or its intervals are unknown. */
static double *run_bandwidth(const struct run *run, int64_t width)
{
	double *of = xcalloc(PACE_MAX, sizeof *of), sum = 0;
	struct pace p;
	if (pace_at(&p, run, width))
		for (uint32_t k = 0; k < p.n; k++) {
			of[k] = p.moved[k] / ((double)width * 1e-9);
			sum += p.moved[k];
		}
	if (sum > 0)
		return of;
	free(of);
	return NULL;
}

static size_t rate_class(double per_second)
{
	int k = per_second >= 1 ? ilogb(per_second) : 0;
	return (size_t)(k < COURSE_RATE_CLASSES ? k : COURSE_RATE_CLASSES - 1);
}

/* Issue error over the intervals, for all runs with a common width, and by the rate, with each
 * run's own width. */
static void issue_errors(struct course *c, const struct measure_runs *m, int64_t width)
{
	double timed[PACE_MAX] = {0}, sum[PACE_MAX] = {0};
	struct pace p;
	for (size_t i = 0; i < m->n; i++) {
		const struct pace *own = m->x[i]->summary.pace;
		for (uint32_t k = 0; own && k < own->n; k++) {
			struct course_rate *r = &c->rate[rate_class(
			    (double)own->requests[k] / ((double)own->width_ns * 1e-9))];
			r->n_requests += (double)own->timed[k] / (double)m->n;
			r->issue_error_ns += own->issue_error[k] / (double)m->n;
		}
		if (!pace_at(&p, m->x[i], width))
			continue;
		for (uint32_t k = 0; k < p.n; k++) {
			timed[k] += (double)p.timed[k];
			sum[k] += p.issue_error[k];
		}
	}
	for (size_t k = 0; k < c->n; k++)
		c->issue_error_ns[k] = timed[k] > 0 ? sum[k] / timed[k] : NAN;
	for (size_t k = 0; k < COURSE_RATE_CLASSES; k++)
		if (c->rate[k].n_requests > 0)
			c->rate[k].issue_error_ns /= c->rate[k].n_requests;
}

static void issue_quantiles(struct course *c, const struct measure_runs *m)
{
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct run_summary *s = &m->x[i]->summary;
		n += s->has_issue_quantiles;
		for (size_t k = 0; s->has_issue_quantiles && k < SUMMARY_N_ISSUE_QUANTILES; k++)
			c->quantile_ns[k] += s->issue_error_quantile[k];
	}
	for (size_t k = 0; k < SUMMARY_N_ISSUE_QUANTILES && n; k++)
		c->quantile_ns[k] /= (double)n;
	c->timed = n > 0;
}

static void course_compute(struct course *c, const struct measure_runs *m)
{
	int64_t width = interval_widest(m);
	*c = (struct course){.width_s = (double)width * 1e-9};
	issue_quantiles(c, m); /* set even if there are no intervals */
	if (!width)
		return;
	const size_t shown = median_pair(m);
	double **const rate[3] = {&c->recorded, &c->program, &c->replay};
	c->in_flight_program = xcalloc(PACE_MAX, sizeof *c->in_flight_program);
	c->in_flight_replay = xcalloc(PACE_MAX, sizeof *c->in_flight_replay);
	double *const active[3] = {NULL, c->in_flight_program, c->in_flight_replay};
	const struct run *const runs[3] = {m->recording[shown], m->r[shown], m->x[shown]};
	for (int k = 0; k < 3; k++) {
		*rate[k] = xcalloc(PACE_MAX, sizeof **rate[k]);
		size_t n = run_rates(*rate[k], active[k], runs[k], width);
		c->n = n > c->n ? n : c->n;
	}
	c->issue_error_ns = xcalloc(PACE_MAX, sizeof *c->issue_error_ns);
	issue_errors(c, m, width);
}

void courses_compute(struct analysis *a)
{
	a->course = xcalloc(a->n_cells + 1, sizeof *a->course);
	for (size_t i = 0; i < a->n_cells; i++) {
		SCOPED(measure_runs_release) struct measure_runs m;
		measure_runs_of_cell(&m, a, i);
		course_compute(&a->course[i], &m);
		if (a->course[i].n &&
		    a->results->protocol.scenario[a->cell[i].scenario].parallel.is) {
			const int64_t width = interval_widest(&m);
			const size_t shown = median_pair(&m);
			a->course[i].bandwidth_program = run_bandwidth(m.r[shown], width);
			a->course[i].bandwidth_replay = run_bandwidth(m.x[shown], width);
		}
	}
}

void courses_release(struct analysis *a)
{
	for (size_t i = 0; a->course && i < a->n_cells; i++) {
		FREE_EACH(a->course[i].recorded, a->course[i].program, a->course[i].replay,
			  a->course[i].issue_error_ns, a->course[i].in_flight_program,
			  a->course[i].in_flight_replay, a->course[i].bandwidth_program,
			  a->course[i].bandwidth_replay);
	}
	free(a->course);
}
