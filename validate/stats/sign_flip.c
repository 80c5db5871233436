/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/sign_flip.h"

#include "common/sort.h"
#include "validate/stats/distributions.h"
#include "validate/stats/moments.h"
#include "validate/stats/quantiles.h"

#define LIMITS_EXACT 12u
#define OUTWEIGHS 0.12	  /* share of the sum of squares above which a value dominates */
#define OUTWEIGHING_MAX 6 /* dominant values for which both signs are enumerated */
#define ROUNDING 1e-12 /* relative tolerance within which sums count as equal */

/* Returns how many of the m <= n smallest values among sum[n] - d and sum[n] + d are of the form
 * sum - d; of equal values these come first. */
static size_t n_less_of(const double *sum, double d, size_t m)
{
	size_t lo = 0;
	BISECT(lo, m, i, !(sum[m - i - 1] + d < sum[i] - d))
	return lo;
}

/* Number of parts of the result that a merge computes in turn, because each step depends on the
 * previous step of its part. */
#define PARTS 4

/* Sets next[2 n] to the values sum[n] - d and sum[n] + d, both ascending; n is a power of two, d >=
 * 0. The set is symmetric, so the upper half mirrors the lower half. */
static void sums_double(double *next, const double *sum, size_t n, double d)
{
	/* 0 for small n: then the parts are merged element by element */
	const size_t n_part = n / PARTS;
	size_t i[PARTS], k[PARTS];
	for (size_t m = PARTS * n_part; m < n; m++) {
		const size_t less = n_less_of(sum, d, m);
		next[m] = fmin(sum[less] - d, sum[m - less] + d);
	}
	for (size_t p = 0; p < PARTS; p++) {
		i[p] = n_less_of(sum, d, p * n_part);
		k[p] = p * n_part - i[p];
	}
	for (size_t m = 0; m < n_part; m++)
#pragma GCC unroll 4
		for (size_t p = 0; p < PARTS; p++) {
			const double less = sum[i[p]] - d, more = sum[k[p]] + d;
			const bool take_more = more < less;
			next[p * n_part + m] = take_more ? more : less;
			k[p] += take_more;
			i[p] += !take_more;
		}
	for (size_t m = 0; m < n; m++)
		next[2 * n - 1 - m] = -next[m];
}

/* Returns all 2^n sums of +-z, ascending. The caller frees the array. */
static double *sums_of(const double *z, size_t n)
{
	double *sum = xcalloc((size_t)1 << n, sizeof *sum),
	       *next = xcalloc((size_t)1 << n, sizeof *next);
	for (size_t k = 0; k < n; k++) {
		double *made = next;
		sums_double(made, sum, (size_t)1 << k, fabs(z[k]));
		next = sum;
		sum = made;
	}
	free(next);
	return sum;
}

/* Returns the number of pairs with a[i] + b[j] >= `least`; both arrays are ascending. */
static double count_from(const double *a, size_t n_a, const double *b, size_t n_b, double least)
{
	double n = 0;
	size_t j = n_b; /* b[j..] reach `least` */
	for (size_t i = 0; i < n_a; i++) {
		while (j > 0 && a[i] + b[j - 1] >= least)
			j--;
		n += (double)(n_b - j);
	}
	return n;
}

static double size_of(const double *z, size_t n)
{
	double size = 0;
	for (size_t i = 0; i < n; i++)
		size += fabs(z[i]);
	return size;
}

/* Computes `below` with reversed signs: then "at most" becomes "at least". */
void sign_flip_exact(const double *z, size_t n, double *above, double *below)
{
	size_t half = n / 2, n_a = (size_t)1 << half, n_b = (size_t)1 << (n - half);
	double observed = 0, rounding = ROUNDING * size_of(z, n), *a = sums_of(z, half),
	       *b = sums_of(z + half, n - half);
	for (size_t i = 0; i < n; i++)
		observed += z[i];
	*above = ldexp(count_from(a, n_a, b, n_b, observed - rounding), -(int)n);
	*below = ldexp(count_from(a, n_a, b, n_b, -observed - rounding), -(int)n);
	FREE_EACH(a, b);
}

/* tanh |t z| from e = exp(-2 |t z|). */
static double tanh_of(double e)
{
	return (1 - e) / (1 + e);
}

/* Finds the saddlepoint: t > 0 with K'(t) = observed > 0. K' rises from 0 to the sum of all |z| and
 * is concave, so Newton's method approaches t from below. It starts with two terms of the inverse
 * series of K'. The last step leaves an error of about the square of 1e-4. */
static double saddlepoint_at(const double *z, size_t n, double observed)
{
	double squares = 0, fourth = 0;
	for (size_t i = 0; i < n; i++) {
		squares += z[i] * z[i];
		fourth += z[i] * z[i] * z[i] * z[i];
	}
	const double first = observed / squares;
	double t = first * (1 + first * first * fourth / (3 * squares));
	for (int step = 0; step < 50; step++) {
		double k1 = 0, k2 = 0;
		for (size_t i = 0; i < n; i++) {
			const double size = fabs(z[i]), th = tanh_of(exp(-2 * t * size));
			k1 += size * th;
			k2 += size * size * (1 - th * th);
		}
		const double change = (observed - k1) / fmax(k2, 1e-12 * squares);
		t = fmax(t + change, t / 2);
		if (fabs(change) < 1e-4 * t)
			break;
	}
	return t;
}

/* Returns P(sum >= observed), observed > 0, of z[n] with random signs. */
static double saddlepoint_tail(const double *z, size_t n, double observed)
{
	const double t = saddlepoint_at(z, n, observed);
	double k = 0, k2 = 0;
	for (size_t i = 0; i < n; i++) { /* ln cosh x = |x| + ln(1 + e^-2|x|) - ln 2 */
		const double size = fabs(z[i]), e = exp(-2 * t * size), th = tanh_of(e);
		k += t * size + log1p(e) - M_LN2;
		k2 += size * size * (1 - th * th);
	}
	double w = sqrt(2 * fmax(0, t * observed - k)), v = t * sqrt(k2);
	return fmin(1, fmax(ldexp(1, -(int)n),
			    normal_above(w) + exp(-w * w / 2) / sqrt(2 * M_PI) * (1 / v - 1 / w)));
}

/* Returns P(sum >= observed) of z[n] >= 0, descending. Dominant values make the sum bimodal, which
 * a saddlepoint approximation does not represent, so both signs of each dominant value are
 * enumerated. */
static double p_at_least(const double *z, size_t n, double observed, unsigned int depth)
{
	double sum_sq = 0, size = size_of(z, n), at = fabs(observed);
	for (size_t i = 0; i < n; i++)
		sum_sq += z[i] * z[i];
	if (at > size * (1 + 1e-9))
		return observed > 0 ? 0 : 1;
	double p = n > 1000 ? 0 : ldexp(1, -(int)n);
	if (depth && n > 1 && z[0] * z[0] > OUTWEIGHS * sum_sq)
		return (p_at_least(z + 1, n - 1, observed - z[0], depth - 1) + p_at_least(z + 1,
			n - 1, observed + z[0], depth - 1)) / 2;
	if (at < 0.05 * sqrt(sum_sq)) /* near the middle the two terms of the saddlepoint cancel */
		p = normal_above(at / sqrt(sum_sq));
	else if (at < size * (1 - 1e-9))
		p = saddlepoint_tail(z, n, at);
	return observed >= 0 ? p : 1 - p;
}

static void tails_approximate(const double *z, size_t n, double *above, double *below)
{
	double observed = 0, *size = xcalloc(n, sizeof *size);
	for (size_t i = 0; i < n; i++) {
		observed += z[i];
		size[i] = -fabs(z[i]);
	}
	doubles_sort(size, n);
	for (size_t i = 0; i < n; i++)
		size[i] = -size[i];
	const double p = fmax(n > 1000 ? 0 : ldexp(1, -(int)n),
			      p_at_least(size, n, fabs(observed), OUTWEIGHING_MAX));
	free(size);
	*above = observed >= 0 ? p : 1 - p;
	*below = observed >= 0 ? 1 - p : p;
}

void sign_flip_p(const double *d, size_t n, double at, double *above, double *below)
{
	double *z = xcalloc(n ? n : 1, sizeof *z), least = n > 1000 ? 0 : ldexp(1, -(int)n);
	size_t n_above = 0, n_below = 0;
	for (size_t i = 0; i < n; i++) {
		z[i] = d[i] - at;
		n_above += z[i] > 0;
		n_below += z[i] < 0;
	}
	if (n_above == n || n_below == n) { /* no enumeration needed */
		*above = n_above ? least : 1;
		*below = n_below ? least : 1;
	} else if (!n_above && !n_below)
		*above = *below = 1;
	else if (n <= SIGN_FLIP_EXACT)
		sign_flip_exact(z, n, above, below);
	else
		tails_approximate(z, n, above, below);
	free(z);
}

/* Returns the normal deviate of P at `at`, which rises with `at`: P of a larger mean (`lower`), or
 * P of a smaller mean, negated. */
static double z_at(const double *d, size_t n, double at, bool lower, bool exact)
{
	double above, below, z = 0, *e = xcalloc(n, sizeof *e);
	for (size_t i = 0; i < n; i++)
		e[i] = d[i] - at;
	if (exact)
		sign_flip_exact(e, n, &above, &below);
	else
		tails_approximate(e, n, &above, &below);
	free(e);
	double p = lower ? above : below;
	if (p >= 1)
		z = 9;
	else if (normal_quantile(p, &z))
		z = -40;
	return lower ? z : -z;
}

/* Finds the value between low and high at which the deviate is `wanted`, by regula falsi
 * (Illinois). */
static double limit_solve(const double *d, size_t n, double low, double high, double wanted,
			  bool lower, bool exact, double tolerance)
{
	double f_low = z_at(d, n, low, lower, exact) - wanted,
	       f_high = z_at(d, n, high, lower, exact) - wanted, at = low;
	if (f_low > 0 || f_high < 0)
		return NAN;
	for (int i = 0, side = 0; i < 60 && high - low > tolerance; i++) {
		at = f_high > f_low ? (low * f_high - high * f_low) / (f_high - f_low)
				    : (low + high) / 2;
		/* because P is a step function if it is exact, the iteration can stall */
		if (i % 4 == 3)
			at = (low + high) / 2;
		double f = z_at(d, n, at, lower, exact) - wanted;
		if (f < 0) {
			low = at;
			f_low = f;
			f_high /= side == -1 ? 2 : 1;
			side = -1;
		} else {
			high = at;
			f_high = f;
			f_low /= side == 1 ? 2 : 1;
			side = 1;
		}
	}
	return (low + high) / 2;
}

/* Finds a limit by enumeration if that is cheap, otherwise by the saddlepoint, with an error below
 * a hundredth of the limit's distance. */
static double limit_find(const double *d, size_t n, const struct sample_moments *m, double z,
			 bool lower)
{
	double wanted = lower ? z : -z, low = lower ? m->min - m->sd : m->mean,
	       high = lower ? m->mean : m->max + m->sd;
	bool exact = n <= LIMITS_EXACT;
	/* start at the normal limit and continue by secants, because the deviate is nearly
	 * linear */
	double at = m->mean + wanted * m->sem;
	double f = z_at(d, n, at, lower, exact) - wanted, slope = 1 / m->sem;
	for (int i = 0; i < 8 && !exact; i++) {
		double step = -f / slope, f_then = z_at(d, n, at + step, lower, exact) - wanted;
		at += step;
		if (!(at > low && at < high))
			break;
		if (fabs(step) < 2e-3 * m->sem)
			return at;
		slope = f_then != f ? (f_then - f) / step : slope;
		f = f_then;
	}
	return limit_solve(d, n, low, high, wanted, lower, exact, 1e-3 * m->sem);
}

enum stat_status sign_flip_limits(const double *d, size_t n, double alpha, double *lo, double *hi)
{
	struct sample_moments m;
	double z;
	if (!(alpha > 0 && alpha < 0.5))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_moments_spread(d, n, &m);
	s = s ? s : normal_quantile(alpha, &z);
	if (s)
		return s;
	*lo = -INFINITY;
	*hi = INFINITY;
	if (n < 1000 && alpha < ldexp(1, -(int)n))
		return STAT_OK;
	*lo = limit_find(d, n, &m, z, true);
	*hi = limit_find(d, n, &m, z, false);
	return isnan(*lo) || isnan(*hi) ? STAT_NOT_CONVERGED : STAT_OK;
}

/* --- precision ratio of pairs -------------------------------------------- */

enum stat_status pair_permutation_p(const double *ref, const double *rep, size_t n, double limit,
				    double *p_above, double *p_below)
{
	double x, r;
	if (!(limit > 0) || !isfinite(limit))
		return STAT_OUT_OF_RANGE;
	if (n < 3)
		return STAT_TOO_FEW;
	enum stat_status s = sample_median(rep, n, &x);
	s = s ? s : sample_median(ref, n, &r);
	if (s)
		return s;
	double *z = xcalloc(n, sizeof *z), size = 0;
	for (size_t i = 0; i < n; i++) {
		double u = (rep[i] - x) / limit, v = ref[i] - r;
		z[i] = u * u - v * v;
		size += fabs(z[i]);
	}
	if (size <= 0) {
		free(z);
		return STAT_ZERO_VARIANCE;
	}
	if (n <= PAIR_PERMUTATION_EXACT)
		sign_flip_exact(z, n, p_above, p_below);
	else
		sign_flip_p(z, n, 0, p_above, p_below);
	free(z);
	return STAT_OK;
}
