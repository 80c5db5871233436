/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/stats/group_classes.h"

const char *const outlier_class_names[] = {"none", "straggler", "outlier", NULL};

size_t group_commonest_size(const struct values *groups, size_t n_groups)
{
	size_t best = 0, times = 0;
	for (size_t i = 0; i < n_groups; i++) {
		size_t same = 0;
		for (size_t j = 0; j < n_groups; j++)
			same += groups[j].n == groups[i].n;
		if (same > times || (same == times && groups[i].n > best)) {
			times = same;
			best = groups[i].n;
		}
	}
	return best;
}

static void finding_classify(struct outlier_finding *f, bool small_is_suspect)
{
	if (f->status)
		return;
	bool beyond_1 =
	    small_is_suspect ? f->statistic < f->critical_1 : f->statistic > f->critical_1;
	bool beyond_5 =
	    small_is_suspect ? f->statistic < f->critical_5 : f->statistic > f->critical_5;
	f->class = beyond_1 ? OUTLIER_OUTLIER : beyond_5 ? OUTLIER_STRAGGLER : OUTLIER_NONE;
}

static void grubbs_judge(struct outlier_finding *f, const struct group_outliers *o,
			 double statistic, double p)
{
	f->status = o->means_status;
	f->statistic = statistic;
	if (!f->status)
		f->status = grubbs_critical(0.05, p, &f->critical_5);
	if (!f->status)
		f->status = grubbs_critical(0.01, p, &f->critical_1);
	finding_classify(f, false);
}

static void double_judge(struct outlier_finding *f, const struct group_classes *c,
			 const struct group_outliers *o, double statistic)
{
	bool single =
	    c->grubbs_max.class == OUTLIER_OUTLIER || c->grubbs_min.class == OUTLIER_OUTLIER;
	f->status = o->means_status ? o->means_status : single ? STAT_NOT_APPLICABLE : STAT_OK;
	f->statistic = statistic;
	if (!f->status)
		f->status = grubbs_double_critical(0.05, c->n_groups, &f->critical_5);
	if (!f->status)
		f->status = grubbs_double_critical(0.01, c->n_groups, &f->critical_1);
	finding_classify(f, true);
}

static void mandel_judge(struct group_classes *c, const struct group_outliers *o)
{
	double p = (double)c->n_groups, n = (double)c->commonest_n;
	struct outlier_finding h = {.status = o->means_status}, k = {.status = o->spread_status};
	if (!h.status)
		h.status = mandel_h_critical(0.05, p, &h.critical_5);
	if (!h.status)
		h.status = mandel_h_critical(0.01, p, &h.critical_1);
	if (!k.status)
		k.status = mandel_k_critical(0.05, p, n, &k.critical_5);
	if (!k.status)
		k.status = mandel_k_critical(0.01, p, n, &k.critical_1);
	for (size_t i = 0; i < c->n_groups; i++) {
		h.group = k.group = i;
		c->h[i] = h;
		c->k[i] = k;
		c->h[i].statistic = o->h[i] < 0 ? -o->h[i] : o->h[i];
		c->k[i].statistic = o->k[i];
		finding_classify(&c->h[i], false);
		finding_classify(&c->k[i], false);
		c->h[i].statistic = o->h[i];
	}
}

/* Returns the index of the largest (sign 1) or smallest (-1) of value[n]. */
static size_t extreme_index(const double *value, size_t n, double sign)
{
	size_t best = 0;
	for (size_t i = 1; i < n; i++)
		if (sign * value[i] > sign * value[best])
			best = i;
	return best;
}

enum stat_status group_classes(const struct values *groups, size_t n_groups,
			       struct group_classes *c)
{
	SCOPED(group_outliers_release) struct group_outliers o = {0};
	*c = (struct group_classes){.n_groups = n_groups,
				    .commonest_n = group_commonest_size(groups, n_groups)};
	enum stat_status s = group_outliers(groups, n_groups, &o);
	if (s)
		return s;
	double p = (double)n_groups;
	c->h = xcalloc(n_groups, sizeof *c->h);
	c->k = xcalloc(n_groups, sizeof *c->k);
	double n = (double)c->commonest_n;
	c->cochran.status = o.spread_status;
	c->cochran.statistic = o.cochran;
	if (!c->cochran.status)
		c->cochran.status = cochran_critical(0.05, p, n, &c->cochran.critical_5);
	if (!c->cochran.status)
		c->cochran.status = cochran_critical(0.01, p, n, &c->cochran.critical_1);
	finding_classify(&c->cochran, false);
	grubbs_judge(&c->grubbs_max, &o, o.grubbs_max, p);
	grubbs_judge(&c->grubbs_min, &o, o.grubbs_min, p);
	double_judge(&c->double_high, c, &o, o.grubbs_double_high);
	double_judge(&c->double_low, c, &o, o.grubbs_double_low);
	mandel_judge(c, &o);
	c->cochran.group = extreme_index(o.k, n_groups, 1);
	c->grubbs_max.group = c->double_high.group = extreme_index(o.h, n_groups, 1);
	c->grubbs_min.group = c->double_low.group = extreme_index(o.h, n_groups, -1);
	return STAT_OK;
}

void group_classes_release(struct group_classes *c)
{
	FREE_EACH(c->h, c->k);
	c->h = c->k = NULL;
}

/* --- critical values of the double test ---------------------------------- */

/* Critical values of Grubbs' double test at 5 % and 1 %, p = 4..40, by simulation
 * (group_classes.h). */
static const double critical[][2] = {
    {0.00019, 0.00001}, {0.00898, 0.00178}, {0.03489, 0.01160}, {0.07083, 0.03076},
    {0.11024, 0.05646}, {0.14929, 0.08502}, {0.18632, 0.11448}, {0.22122, 0.14500},
    {0.25345, 0.17345}, {0.28364, 0.20154}, {0.31129, 0.22840}, {0.33660, 0.25296},
    {0.36035, 0.27676}, {0.38204, 0.29881}, {0.40276, 0.32058}, {0.42136, 0.33937},
    {0.43906, 0.35863}, {0.45554, 0.37591}, {0.47124, 0.39287}, {0.48576, 0.40832},
    {0.49930, 0.42350}, {0.51239, 0.43756}, {0.52462, 0.45094}, {0.53607, 0.46388},
    {0.54715, 0.47610}, {0.55740, 0.48762}, {0.56724, 0.49846}, {0.57681, 0.50929},
    {0.58563, 0.51920}, {0.59410, 0.52883}, {0.60223, 0.53782}, {0.61014, 0.54692},
    {0.61761, 0.55556}, {0.62478, 0.56355}, {0.63162, 0.57159}, {0.63832, 0.57939},
    {0.64454, 0.58616},
};
enum { FIRST_P = 4, LAST_P = FIRST_P + (int)(sizeof critical / sizeof *critical) - 1 };

enum stat_status grubbs_double_critical(double alpha, size_t p, double *g)
{
	if (p < FIRST_P)
		return STAT_TOO_FEW;
	if (p > LAST_P || (alpha != 0.05 && alpha != 0.01))
		return STAT_OUT_OF_RANGE;
	*g = critical[p - FIRST_P][alpha == 0.01];
	return STAT_OK;
}
