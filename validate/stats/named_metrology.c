/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/named.h"

#include "validate/stats/dependence.h"
#include "validate/stats/group_classes.h"
#include "validate/stats/planning.h"
#include "validate/stats/conformity.h"
#include "validate/stats/resample.h"
#include "validate/stats/series.h"

/* --- groups -------------------------------------------------------------- */

enum { COCHRAN, GRUBBS_MAX, GRUBBS_MIN, DOUBLE_HIGH, DOUBLE_LOW };

/* c->which is one of the constants above. */
static enum stat_status finding_of(struct named_call *c, struct named_result *r, bool suspect)
{
	const struct named_role *g = named_groups(c, "groups");
	SCOPED(group_classes_release) struct group_classes k = {0};
	enum stat_status s = g ? group_classes(g->group, g->n_groups, &k) : STAT_TOO_FEW;
	if (s)
		return s;
	const struct outlier_finding *all[] = {&k.cochran, &k.grubbs_max, &k.grubbs_min,
					       &k.double_high, &k.double_low};
	const struct outlier_finding *f = all[c->which];
	s = f->status;
	r->number = (double)f->group + 1;
	r->word = suspect ? NULL : outlier_class_names[f->class];
	return s;
}

STATISTIC(class_word, finding_of(c, r, false))
STATISTIC(suspect, finding_of(c, r, true))

/* which: 0 is Mandel's h, 1 is k. */
static enum stat_status mandel_class(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	size_t i = named_index(c, "i");
	SCOPED(group_classes_release) struct group_classes k = {0};
	enum stat_status s = g ? group_classes(g->group, g->n_groups, &k) : STAT_TOO_FEW;
	if (s)
		return s;
	c->bad_param |= i >= g->n_groups;
	if (!c->bad_param) {
		const struct outlier_finding *f = c->which ? &k.k[i] : &k.h[i];
		s = f->status;
		r->word = outlier_class_names[f->class];
	}
	return s;
}

/* which: first W and p about the median, then W and p about the mean. */
static enum stat_status group_spread(struct named_call *c, struct named_result *r)
{
	const struct named_role *g = named_groups(c, "groups");
	struct spread_test t = {0, 0};
	enum stat_status s = STAT_TOO_FEW;
	if (g)
		s = spread_test(g->group, g->n_groups,
				c->which < 2 ? SPREAD_ABOUT_MEDIAN : SPREAD_ABOUT_MEAN, &t);
	r->number = c->which % 2 ? t.p : t.w;
	return s;
}

STATISTIC_OF_X(loq, limit_of_quantification(x.x, x.n, &r->number))

STATISTIC_OF_CALL(quantifiable, struct values ref = named_values(c, "ref"); bool good = false,
	quantification_check(ref.x, ref.n, named_number(c, "loq"), &good), good)

/* --- quantification, dependence, planning ------------------------------- */

STATISTIC_OF_X(ess_capped, effective_number_capped(x.x, x.n, &r->number))

static enum stat_status batches_acceptable(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	size_t batches = named_count(c, "batches");
	double se, lag1 = 0;
	enum stat_status s = batch_means(x.x, x.n, batches, &se, &lag1);
	r->number = batch_means_acceptable(batches, lag1);
	return s;
}

static enum stat_status lag1_warning(struct named_call *c, struct named_result *r)
{
	struct values x = named_values(c, "x");
	r->number = x.n ? autocorrelation_warning(x.n) : 0;
	return x.n ? STAT_OK : STAT_TOO_FEW;
}

STATISTIC_OF_CALL(auto_block, struct values x = named_values(c, "x"); size_t block = 0,
	block_length(x.x, x.n, &block), (double)block)

/* P(at least one false rejection) in n independent tests at alpha of true hypotheses. */
static enum stat_status family_error(struct named_call *c, struct named_result *r)
{
	double n = (double)named_count(c, "n"), alpha = named_number(c, "alpha");
	r->number = -expm1(n * log1p(-alpha));
	return alpha >= 0 && alpha < 1 ? STAT_OK : STAT_OUT_OF_RANGE;
}

STATISTIC(precision_accept,
	power_precision_accept(named_count(c, "n"), named_number(c, "limit"), named_number(c,
	       "alpha"), &r->number))

const struct named_statistic named_metrology[] = {
    {"cochran_class", class_word, "groups", ""},
    {"cochran_suspect", suspect, "groups", ""},
    {"grubbs_max_class", class_word, "groups", "", GRUBBS_MAX},
    {"grubbs_max_suspect", suspect, "groups", "", GRUBBS_MAX},
    {"grubbs_min_class", class_word, "groups", "", GRUBBS_MIN},
    {"grubbs_min_suspect", suspect, "groups", "", GRUBBS_MIN},
    {"grubbs_double_high_class", class_word, "groups", "", DOUBLE_HIGH},
    {"grubbs_double_high_suspect", suspect, "groups", "", DOUBLE_HIGH},
    {"grubbs_double_low_class", class_word, "groups", "", DOUBLE_LOW},
    {"grubbs_double_low_suspect", suspect, "groups", "", DOUBLE_LOW},
    {"mandel_h_class mandel_k_class", mandel_class, "groups", "i"},
    {"groups_brown_forsythe_W groups_brown_forsythe_p groups_levene_W groups_levene_p",
     group_spread, "groups", ""},
    {"loq", loq, "x", ""},
    {"quantifiable", quantifiable, "ref", "loq"},
    {"ess_capped", ess_capped, "x", ""},
    {"batch_means_acceptable", batches_acceptable, "x", "batches"},
    {"lag1_warning", lag1_warning, "x", ""},
    {"block_length", auto_block, "x", ""},
    {"power_precision_accept", precision_accept, "", "n limit alpha"},
    {"family_error", family_error, "", "n alpha"},
    {0},
};
