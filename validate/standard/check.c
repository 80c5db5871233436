/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>

#include "validate/standard/standard.h"

void standard_check_points(const struct standard *certified, bool all, struct standard *points)
{
	size_t cap = 0;
	*points = (struct standard){.n = 0};
	for (size_t i = 0; i < certified->n; i++) {
		const struct standard_point *p = &certified->point[i];
		if (!p->valid)
			continue;
		int64_t first_ns = p->service_ns;
		for (size_t k = 0; k < certified->n; k++) {
			const struct standard_point *q = &certified->point[k];
			if (q->valid && !strcmp(q->model, p->model) && q->service_ns < first_ns)
				first_ns = q->service_ns;
		}
		if (!all && p->service_ns != first_ns)
			continue;
		APPEND(points->point, points->n, cap, (struct standard_point){.model = p->model,
			.service_ns = p->service_ns, .depth = p->depth, .waited = p->waited});
	}
}

struct standard_comparison standard_compare(const struct standard_point *certified,
					    const struct standard_point *now)
{
	struct standard_comparison c = {.certified = certified, .now = now, .u_now = INFINITY,
					.e_n = INFINITY};
	const double n = (double)now->n_visits;
	for (size_t i = 0; i < now->n_visits; i++) {
		const struct standard_visit *v = &now->visit[i];
		const double bias = v->response_ns / v->programmed_ns - 1;
		const bool undisturbed = !standard_is_disturbed(now, v);
		c.n_undisturbed += undisturbed;
		c.n_covered += undisturbed && fabs(bias - certified->bias) <= certified->expanded;
	}
	if (now->n_visits < 2 || !(now->scatter >= 0))
		return c;
	c.u_now = gsl_cdf_tdist_Pinv(0.975, n - 1) * now->scatter / sqrt(n);
	const double u = hypot(certified->expanded, c.u_now);
	if (u > 0)
		c.e_n = (now->bias - certified->bias) / u;
	c.agrees = fabs(c.e_n) <= 1 && fabs(now->bias) <= STANDARD_LIMIT &&
		   now->excess_p99_ns <= standard_excess_limit_ns(now);
	return c;
}
