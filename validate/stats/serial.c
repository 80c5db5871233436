/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/serial.h"

#include "validate/stats/series.h"

#define LARGEST_RHO 0.98
#define CAUTION 2.5

/* Returns the autocorrelation that n values may hide. */
static double hidden_rho(double n)
{
	return (2.2 + 8 / n) / n;
}

double serial_inflation(double rho, double n)
{
	/* closed form of the sum: (1 + rho)/(1 - rho) minus the effect of the ends */
	if (rho <= 0 || n <= 1)
		return 1;
	double ends = 2 * rho * (1 - pow(rho, n)) / (n * (1 - rho) * (1 - rho));
	return fmin(n, fmax(1, (1 + rho) / (1 - rho) - ends));
}

double serial_rho_own(double lag1, double n)
{
	return (lag1 + 1 / n) / fmax(0.4, 1 - 4 / n);
}

struct serial serial_pooled(double lag1, size_t n, double mean, size_t n_cells)
{
	double k = (double)n, pooled = mean + hidden_rho(k) / sqrt((double)n_cells);
	double own = serial_rho_own(lag1, k) - serial_rho_own(1 / sqrt(k) - 1 / k, k);
	struct serial s = {.lag1 = lag1, .rho = fmin(LARGEST_RHO, fmax(0, fmax(own, pooled)))};
	s.inflation = serial_inflation(s.rho, k);
	s.n_effective = k / s.inflation;
	return s;
}

double serial_rho_among(double lag1, double n, double n_then)
{
	double rho = serial_rho_own(lag1, n) + hidden_rho(n_then);
	return fmin(LARGEST_RHO, fmax(0, rho));
}

struct serial serial_cautious(const struct serial *s, size_t n)
{
	struct serial c = *s;
	const double k = (double)n, rho = serial_rho_own(s->lag1, k) + CAUTION * hidden_rho(k);
	if (isnan(s->lag1) || rho <= s->rho)
		return c;
	c.rho = fmin(LARGEST_RHO, rho);
	c.inflation = serial_inflation(c.rho, k);
	c.n_effective = k / c.inflation;
	return c;
}

struct serial serial_none(size_t n)
{
	return (struct serial){.lag1 = NAN, .inflation = 1, .n_effective = (double)n};
}

enum stat_status serial_dependence(const double *x, size_t n, struct serial *s)
{
	enum stat_status status = autocorrelation(x, n, 1, &s->lag1);
	if (status)
		return status;
	s->rho = serial_rho_among(s->lag1, (double)n, (double)n);
	s->inflation = serial_inflation(s->rho, (double)n);
	s->n_effective = (double)n / s->inflation;
	return STAT_OK;
}

struct serial serial_product(const struct serial *a, const struct serial *b, size_t n)
{
	struct serial s = {.lag1 = fmax(0, a->lag1) * fmax(0, b->lag1), .rho = a->rho * b->rho};
	s.inflation = serial_inflation(s.rho, (double)n);
	s.n_effective = (double)n / s.inflation;
	return s;
}

struct t_estimate serial_widen(const struct t_estimate *t, size_t n, const struct serial *s)
{
	struct t_estimate wide = *t;
	double k = (double)n, left = fmax(1e-9, k - s->inflation);
	wide.se = t->se * sqrt(s->inflation * (k - 1) / left);
	wide.df = fmax(1, s->n_effective - 1);
	wide.t = wide.se > 0 ? wide.value / wide.se : 0;
	wide.p = NAN; /* unused */
	return wide;
}
