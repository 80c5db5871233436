/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/equivalence.h"

#include "validate/stats/distributions.h"
#include "validate/stats/mean_difference.h"

const char *const equivalence_class_names[] = {"equivalent", "different",
					       "different_but_negligible", "undetermined", NULL};

static enum stat_status logarithms_take(const double *x, size_t n, double *logs)
{
	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > 0))
			return STAT_OUT_OF_RANGE;
		logs[i] = log(x[i]);
	}
	return STAT_OK;
}

static bool margin_good(double margin_pct)
{
	return margin_pct > 0 && margin_pct < 100;
}

enum stat_status equivalence_log(const double *ref, size_t m, const double *rep, size_t n,
				 double margin_pct, struct equivalence *e)
{
	struct t_estimate w;
	if (!margin_good(margin_pct))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = sample_check(rep, n);
	s = s ? s : reference_check(ref, m);
	if (s)
		return s;
	double *r = xcalloc(m + 1, sizeof *r), *x = xcalloc(n + 1, sizeof *x),
	       limit = -log1p(-margin_pct / 100);
	s = logarithms_take(ref, m, r);
	s = s ? s : logarithms_take(rep, n, x);
	s = s ? s : welch_test(r, m, x, n, &w);
	if (!s) {
		e->p_lower = t_above((w.value + limit) / w.se, w.df);
		e->p_upper = t_below((w.value - limit) / w.se, w.df);
		e->p = fmax(e->p_lower, e->p_upper);
	}
	FREE_EACH(r, x);
	return s;
}

enum stat_status equivalence_fieller(const double *ref, size_t m, const double *rep, size_t n,
				     double margin_pct, double alpha, bool *inside)
{
	double lo, hi;
	if (!margin_good(margin_pct))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = fieller_interval(ref, m, rep, n, 1 - 2 * alpha, &lo, &hi);
	if (!s)
		*inside = lo >= 1 - margin_pct / 100 && hi <= 1 / (1 - margin_pct / 100);
	return s;
}

enum stat_status equivalence_classify(const double *ref, size_t m, const double *rep, size_t n,
				      double margin_pct, double alpha, enum equivalence_class *c)
{
	struct equivalence e;
	struct t_estimate w;
	if (!(alpha > 0 && alpha < 1))
		return STAT_OUT_OF_RANGE;
	enum stat_status s = equivalence_test(ref, m, rep, n, margin_pct, &e);
	s = s ? s : welch_test(ref, m, rep, n, &w);
	if (s)
		return s;
	bool equivalent = e.p <= alpha, different = w.p <= alpha;
	*c = equivalent && different ? CLASS_BOTH
	     : equivalent	     ? CLASS_EQUIVALENT
	     : different	     ? CLASS_DIFFERENT
				     : CLASS_UNDETERMINED;
	return STAT_OK;
}
