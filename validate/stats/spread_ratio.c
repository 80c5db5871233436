/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/spread_ratio.h"

#include "validate/stats/distributions.h"
#include "validate/stats/sign_flip.h"
#include "validate/stats/quantiles.h"
#include "validate/stats/variance_ratio.h"

#define ENOUGH 20     /* drawing stops after this many outcomes that are at least as extreme */
#define DRAWN 400000u /* maximum number of drawings */
#define DRAWN_BELOW 4000u /* number of draws for acceptance, where P need not be small */
/* for this number of values or more, a normal approximation replaces drawing */
#define MANY 400
/* if normal theory gives a larger P, the exchange of labels does not matter */
#define P_WITHOUT_DRAWS 0.05

/* Widens P of exchanged labels, for the effective number of independent exchanges. */
static double permuted_widened(double p, double inflation)
{
	double z;
	if (!(p > 0 && p < 0.5) || normal_quantile(p, &z))
		return p;
	return normal_below(z / sqrt(inflation));
}

/* --- pairs --------------------------------------------------------------- */

static double widened_dof(const struct pair_spread *s)
{
	return fmax(1, s->serial.n_effective - 2);
}

enum stat_status pair_spread_of(const double *ref, const double *rep, size_t n, double limit,
				struct pair_spread *s)
{
	*s = (struct pair_spread){
	    .serial = serial_none(n), .permuted_above = NAN, .permuted_below = NAN};
	enum stat_status status = pitman_morgan(ref, n, rep, n, &s->pm);
	if (status)
		return status;
	if (pair_permutation_p(ref, rep, n, limit, &s->permuted_above, &s->permuted_below))
		s->permuted_above = s->permuted_below = NAN;
	struct serial factor[2];
	if (!pitman_morgan_serial(ref, rep, n, limit, factor))
		s->serial = serial_product(&factor[0], &factor[1], n);
	return STAT_OK;
}

enum stat_status pair_spread_p(const struct pair_spread *s, double limit, struct spread_ratio_p *p)
{
	double unused;
	enum stat_status status = pitman_morgan_p(&s->pm, limit, &p->above, &p->below_alone);
	if (!status)
		status = pitman_morgan_p_of(&s->pm, widened_dof(s), limit, &unused, &p->below);
	if (status)
		return status;
	p->normal_above = p->above;
	if (isnan(s->permuted_above))
		return STAT_OK;
	p->above = fmax(p->above, s->permuted_above);
	p->below_alone = fmax(p->below_alone, s->permuted_below);
	p->below = fmax(p->below, permuted_widened(s->permuted_below, s->serial.inflation));
	return STAT_OK;
}

enum stat_status pair_spread_upper(const struct pair_spread *s, double alpha, double *upper)
{
	double unused;
	return pitman_morgan_limits_of(&s->pm, widened_dof(s), alpha, &unused, upper);
}

/* --- groups -------------------------------------------------------------- */

static uint32_t draw_below(uint64_t *state, uint32_t n) /* xorshift64*, Vigna (2016) */
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(((*state * UINT64_C(2685821657736338717)) >> 32) * n >> 32);
}

/* Computes squared deviations from the median, divided by the square of `by`. */
static enum stat_status squared_deviations(const double *x, size_t n, double by, double *z)
{
	double median;
	enum stat_status s = sample_median(x, n, &median);
	for (size_t i = 0; i < n && !s; i++)
		z[i] = (x[i] - median) * (x[i] - median) / (by * by);
	return s;
}

/* Returns P that n of z[n + m], drawn at random, have a mean as far above that of the others as the
 * first n (sign 1), or as far below (-1). */
static double p_permuted(double *z, size_t n, size_t m, double sign, unsigned int most)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
	double observed = 0, total = 0;
	unsigned int drawn = 0, extreme = 0;
	for (size_t i = 0; i < n + m; i++)
		total += z[i];
	for (size_t i = 0; i < n; i++)
		observed += z[i];
	double rounding = 1e-12 * total;
	while (drawn < most && extreme < ENOUGH) {
		double sum = 0;
		for (size_t i = 0; i < n; i++) { /* first n steps of a shuffle */
			size_t k = i + draw_below(&state, (uint32_t)(n + m - i));
			double other = z[k];
			z[k] = z[i];
			z[i] = other;
			sum += other;
		}
		drawn++;
		extreme += sign > 0 ? sum >= observed - rounding : sum <= observed + rounding;
	}
	return extreme >= ENOUGH ? (double)extreme / drawn : (extreme + 1.0) / (drawn + 1.0);
}

/* Like p_permuted, for many values: the mean of a random part is normal (Hoeffding, 1951). */
static double p_many(const double *z, size_t n, size_t m, double sign)
{
	struct sample_moments all, part;
	const double k = (double)n, rest = (double)m;
	if (sample_moments_spread(z, n + m, &all) || sample_moments(z, n, &part))
		return 1;
	return normal_above(sign * (part.mean - all.mean) /
			    (all.sd * sqrt(rest / (k * (k + rest)))));
}

double group_spread_permuted(const double *ref, size_t m, const double *rep, size_t n, double limit,
			     double sign, unsigned int most)
{
	double *z = xcalloc(n + m, sizeof *z), p = 1;
	if (!squared_deviations(rep, n, limit, z) && !squared_deviations(ref, m, 1, z + n))
		p = n + m > MANY ? p_many(z, n, m, sign) : p_permuted(z, n, m, sign, most);
	free(z);
	return p;
}

/* Computes V of the sum of squares of x[n], and the factor by which its scatter may be too
 * small. */
static enum stat_status squares_inflation(const double *x, size_t n, double *inflation,
					  double *missing)
{
	struct serial s;
	enum stat_status status = serial_dependence(x, n, &s);
	if (status)
		return status;
	const double k = (double)n, left = fmax(1e-9, k - s.inflation);
	*inflation = serial_product(&s, &s, n).inflation;
	*missing = sqrt((k - 1) / left);
	return STAT_OK;
}

enum stat_status group_spread_of(struct values ref, struct values rep, struct group_spread *g)
{
	struct variance_ratio v;
	double unused;
	*g = (struct group_spread){.ref = ref, .rep = rep};
	if (ref.n < 3 || rep.n < 3)
		return STAT_TOO_FEW;
	enum stat_status s = variance_ratio(ref.x, ref.n, rep.x, rep.n, &v);
	/* rep is constant: this shows the resolution of rep, not its precision */
	if (!s && !(v.f > 0))
		s = STAT_ZERO_VARIANCE;
	s = s ? s : squares_inflation(ref.x, ref.n, &g->v_ref, &unused);
	s = s ? s : squares_inflation(rep.x, rep.n, &g->v_rep, &g->missing);
	if (s)
		return s;
	g->f = v.f;
	g->df_ref = v.df_r;
	g->df_rep = v.df_x;
	return STAT_OK;
}

struct spread_ratio_p group_spread_p(const struct group_spread *g, double limit)
{
	const double f = g->f / (limit * limit), wide_rep = fmax(1, g->df_rep / g->v_rep),
		     wide_ref = fmax(1, g->df_ref / g->v_ref);
	struct spread_ratio_p p;
	p.above = p.normal_above = f_above(f, g->df_rep, g->df_ref);
	p.below_alone = f_below(f, g->df_rep, g->df_ref);
	p.below = f_below(f * g->missing * g->missing, wide_rep, wide_ref);
	if (p.above <= P_WITHOUT_DRAWS)
		p.above = fmax(p.above, group_spread_permuted(g->ref.x, g->ref.n, g->rep.x,
							      g->rep.n, limit, 1, DRAWN));
	if (p.below_alone > P_WITHOUT_DRAWS)
		return p;
	const double permuted =
	    group_spread_permuted(g->ref.x, g->ref.n, g->rep.x, g->rep.n, limit, -1, DRAWN_BELOW);
	p.below_alone = fmax(p.below_alone, permuted);
	p.below = fmax(p.below, permuted_widened(permuted, fmax(g->v_ref, g->v_rep)));
	return p;
}

enum stat_status group_spread_upper(const struct group_spread *g, double alpha, double *upper)
{
	double q;
	enum stat_status s =
	    f_quantile(alpha, fmax(1, g->df_rep / g->v_rep), fmax(1, g->df_ref / g->v_ref), &q);
	if (!s)
		*upper = g->missing * sqrt(g->f / q);
	return s;
}
