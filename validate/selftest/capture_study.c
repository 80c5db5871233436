/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/capture_study.h"

#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

/* --- gathering ----------------------------------------------------------- */

static struct capture_cell *cell_of(struct capture_study *s, size_t method, size_t workload,
				    unsigned int level, uint16_t op)
{
	for (size_t i = 0; i < s->n_cells; i++) {
		struct capture_cell *c = &s->cell[i];
		if (c->method == method && c->workload == workload && c->level == level &&
		    c->op == op)
			return c;
	}
	GROW(s->cell, s->n_cells, s->cap_cells);
	s->cell[s->n_cells] = (struct capture_cell){method, workload, level, op,
						    xcalloc(s->n_runs, sizeof *s->cell->run)};
	return &s->cell[s->n_cells++];
}

void capture_study_add(struct capture_study *s, size_t method, size_t workload, unsigned int level,
		       size_t run, const struct capture_match *m)
{
	for (uint16_t op = 0; op < OP_N; op++) {
		const struct capture_op *o = &m->op[op];
		if (!o->n_own && !o->n_extra)
			continue;
		struct capture_run *r = &cell_of(s, method, workload, level, op)->run[run];
		r->n_own += o->n_own;
		r->n_missed += o->n_missed;
		r->n_extra += o->n_extra;
		r->difference_ns =
		    xreallocarray(r->difference_ns, r->n + o->n + 1, sizeof *r->difference_ns);
		for (size_t i = 0; i < o->n; i++) {
			r->difference_ns[r->n++] = o->pair[i].difference_ns;
			r->sum_difference_ns += o->pair[i].difference_ns;
			r->sum_begin_ns += o->pair[i].begin_ns;
			r->sum_own_ns += o->pair[i].own_ns;
		}
	}
}

void capture_study_release(struct capture_study *s)
{
	for (size_t i = 0; i < s->n_cells; i++) {
		for (size_t k = 0; k < s->n_runs; k++)
			free(s->cell[i].run[k].difference_ns);
		free(s->cell[i].run);
	}
	free(s->cell);
	memset(s, 0, sizeof *s);
}

/* --- runs over all workloads --------------------------------------------- */

struct study_pooled { /* one run */
	size_t n;
	double difference_ns, begin_ns, own_ns; /* sums */
};

static bool cell_is(const struct capture_cell *c, size_t method, uint16_t op, unsigned int level)
{
	return c->method == method && c->op == op && c->level == level;
}

/* run[n_runs]. */
static void cells_pool(const struct capture_study *s, size_t method, uint16_t op,
		       unsigned int level, struct study_pooled *run)
{
	memset(run, 0, s->n_runs * sizeof *run);
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct capture_cell *c = &s->cell[i];
		for (size_t k = 0; k < s->n_runs && cell_is(c, method, op, level); k++) {
			run[k].n += c->run[k].n;
			run[k].difference_ns += c->run[k].sum_difference_ns;
			run[k].begin_ns += c->run[k].sum_begin_ns;
			run[k].own_ns += c->run[k].sum_own_ns;
		}
	}
}

/* Computes the mean of x[n] and the half-width of its 95 % interval; the width is 0 if all runs are
 * equal. */
static enum stat_status mean_interval(const double *x, size_t n, double *mean, double *half,
				      double *sd)
{
	struct sample_moments m;
	double t;
	enum stat_status status = sample_moments(x, n, &m);
	status = status ? status : m.spread;
	status = status ? status : t_quantile(0.975, (double)(n - 1), &t);
	if (status)
		return status;
	*mean = m.mean;
	*half = t * m.sem;
	*sd = m.sd;
	return STAT_OK;
}

static void scatter_compute(const struct capture_study *s, size_t method, uint16_t op,
			    unsigned int level, const struct study_pooled *run,
			    struct capture_estimate *out)
{
	size_t n = 0;
	SCOPED_FREE double *away = xreallocarray(NULL, out->n_matched + 1, sizeof *away);
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct capture_cell *c = &s->cell[i];
		for (size_t k = 0; k < s->n_runs && cell_is(c, method, op, level); k++)
			for (size_t j = 0; j < c->run[k].n; j++)
				away[n++] = fabs(c->run[k].difference_ns[j] -
						 run[k].difference_ns / (double)run[k].n);
	}
	if (sample_quantile(away, n, 0.5, 7, &out->scatter_median_ns) ||
	    sample_quantile(away, n, 0.99, 7, &out->scatter_p99_ns))
		out->scatter_median_ns = out->scatter_p99_ns = NAN;
}

static void cost_compute(const struct capture_study *s, const struct study_pooled *with,
			 const struct study_pooled *without, struct capture_estimate *out)
{
	double *x = xcalloc(s->n_runs, sizeof *x), mean, half, sd;
	size_t n = 0;
	for (size_t k = 0; k < s->n_runs; k++)
		if (with[k].n && without[k].n && with[k].own_ns > 0 && without[k].own_ns > 0)
			x[n++] = log(with[k].own_ns / (double)with[k].n) -
				 log(without[k].own_ns / (double)without[k].n);
	out->cost_status = mean_interval(x, n, &mean, &half, &sd);
	free(x);
	if (out->cost_status)
		return;
	out->cost_ratio = exp(mean);
	out->cost_low = exp(mean - half);
	out->cost_high = exp(mean + half);
}

bool capture_estimate(const struct capture_study *s, size_t method, uint16_t op, unsigned int level,
		      struct capture_estimate *out)
{
	bool any = false;
	double *bias = xcalloc(2 * s->n_runs, sizeof *bias), *begin = bias + s->n_runs, sd;
	struct study_pooled *with = xcalloc(2 * s->n_runs,
					    sizeof *with), *without = with + s->n_runs;
	size_t n = 0;
	*out = (struct capture_estimate){.bias_ns = NAN, .bias_half_ns = NAN, .bias_sd_ns = NAN,
		.begin_ns = NAN, .begin_half_ns = NAN, .scatter_median_ns = NAN,
		.scatter_p99_ns = NAN, .cost_ratio = NAN, .cost_low = NAN, .cost_high = NAN};
	for (size_t i = 0; i < s->n_cells; i++)
		for (size_t k = 0; k < s->n_runs && cell_is(&s->cell[i], method, op, level); k++) {
			const struct capture_run *r = &s->cell[i].run[k];
			any = true;
			out->n_own += r->n_own;
			out->n_matched += r->n;
			out->n_missed += r->n_missed;
			out->n_extra += r->n_extra;
		}
	cells_pool(s, method, op, level, with);
	cells_pool(s, CAPTURE_NONE, op, level, without);
	for (size_t k = 0; k < s->n_runs; k++)
		if (with[k].n) {
			bias[n] = with[k].difference_ns / (double)with[k].n;
			begin[n++] = with[k].begin_ns / (double)with[k].n;
		}
	out->bias_status =
	    mean_interval(bias, n, &out->bias_ns, &out->bias_half_ns, &out->bias_sd_ns);
	if (!out->bias_status)
		out->bias_status =
		    mean_interval(begin, n, &out->begin_ns, &out->begin_half_ns, &sd);
	scatter_compute(s, method, op, level, with, out);
	cost_compute(s, with, without, out);
	FREE_EACH(with, bias);
	return any;
}

/* --- calibration of other traces ----------------------------------------- */

/* Computes the moments of the biases of the runs of one condition. */
static enum stat_status condition_moments(const struct capture_study *s,
					  const struct capture_cell *c, struct sample_moments *m)
{
	SCOPED_FREE double *x = xcalloc(s->n_runs, sizeof *x);
	size_t n = 0;
	for (size_t k = 0; k < s->n_runs; k++)
		if (c->run[k].n)
			x[n++] = c->run[k].sum_difference_ns / (double)c->run[k].n;
	enum stat_status status = sample_moments(x, n, m);
	return status ? status : m->spread;
}

enum stat_status capture_calibrate(const struct capture_study *s, size_t method, uint16_t op,
				   struct capture_calibration *c)
{
	double sum = 0, variance = 0, smallest_n = INFINITY;
	struct sample_moments m;
	*c = (struct capture_calibration){.low_ns = INFINITY, .high_ns = -INFINITY};
	for (size_t i = 0; i < s->n_cells; i++) {
		const struct capture_cell *cell = &s->cell[i];
		if (cell->method != method || cell->op != op || condition_moments(s, cell, &m))
			continue;
		for (size_t k = 0; k < s->n_runs; k++)
			c->n_requests += cell->run[k].n;
		c->n_conditions++;
		sum += m.mean;
		variance += m.variance;
		smallest_n = fmin(smallest_n, (double)m.n);
		c->low_ns = fmin(c->low_ns, m.mean);
		c->high_ns = fmax(c->high_ns, m.mean);
	}
	if (!c->n_conditions)
		return STAT_TOO_FEW;
	double n = (double)c->n_conditions, range = c->high_ns - c->low_ns;
	c->bias_ns = sum / n;
	c->u_ns = sqrt(range * range / 12 + variance / n * (1 + 1 / smallest_n));
	return STAT_OK;
}

/* --- clocks -------------------------------------------------------------- */

/* Sets x[n] to the mean difference of the starts in each run of a condition. Returns n. */
static size_t begin_means(const struct capture_study *s, const struct capture_cell *of, double *x)
{
	size_t n = 0;
	for (size_t k = 0; k < s->n_runs; k++) {
		double sum = 0;
		size_t n_requests = 0;
		for (size_t i = 0; i < s->n_cells; i++) {
			const struct capture_cell *c = &s->cell[i];
			if (c->method != of->method || c->workload != of->workload ||
			    c->level != of->level)
				continue;
			sum += c->run[k].sum_begin_ns;
			n_requests += c->run[k].n;
		}
		if (n_requests)
			x[n++] = sum / (double)n_requests;
	}
	return n;
}

/* Whether no earlier cell has the same condition. */
static bool is_first(const struct capture_study *s, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (s->cell[j].method == s->cell[i].method &&
		    s->cell[j].workload == s->cell[i].workload &&
		    s->cell[j].level == s->cell[i].level)
			return false;
	return true;
}

enum stat_status capture_clock(const struct capture_study *s, size_t method,
			       struct capture_clock *c)
{
	double *x = xcalloc(s->n_runs + 1, sizeof *x), sum = 0, squares = 0;
	struct sample_moments m;
	*c = (struct capture_clock){.offset_ns = NAN, .u_ns = NAN};
	for (size_t i = 0; i < s->n_cells; i++) {
		if (s->cell[i].method != method || !is_first(s, i))
			continue;
		size_t n = begin_means(s, &s->cell[i], x);
		if (sample_moments(x, n, &m) || m.spread)
			continue;
		sum += m.mean * (double)n;
		squares += m.variance * (double)(n - 1);
		c->n_processes += n;
		c->n_conditions++;
	}
	free(x);
	if (!c->n_conditions)
		return STAT_TOO_FEW;
	c->offset_ns = sum / (double)c->n_processes;
	c->u_ns = sqrt(squares / (double)(c->n_processes - c->n_conditions));
	return STAT_OK;
}
