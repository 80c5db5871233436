/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of one sample as the groups of a precision study. Suspect sessions are marked, not left
 * out. */
#include "validate/columns/comparison.h"
#include "validate/stats/group_classes.h"

static void layout_add(const struct values *group, size_t n, struct estimates *out)
{
	struct anova a = {0};
	enum stat_status s = anova_one_way(group, n, &a), f = s ? s : a.f_status;
	struct spread_test t = {0, 0};
	estimates_add(out, "anova_groups", "", STAT_OK, (double)n);
	estimates_add(out, "anova_N", "", s, (double)a.n_values);
	estimates_add(out, "anova_grand_mean", "", s, a.grand_mean);
	estimates_add(out, "anova_SS_between", "", s, a.ss_between);
	estimates_add(out, "anova_SS_within", "", s, a.ss_within);
	estimates_add(out, "anova_MS_between", "", s, a.ms_between);
	estimates_add(out, "anova_MS_within", "", s, a.ms_within);
	estimates_add(out, "anova_F", "", f, a.f);
	estimates_add(out, "anova_F_p", "", f, a.p);
	estimates_add(out, "anova_n0", "", s, a.n0);
	s = spread_test(group, n, SPREAD_ABOUT_MEDIAN, &t);
	estimates_add(out, "groups_brown_forsythe_p", "", s, t.p);
}

static void precision_add(const struct values *group, size_t n, struct estimates *out)
{
	struct precision_study p = {0};
	enum stat_status s = precision_study(group, n, &p);
	estimates_add(out, "s_r", "", s, p.s_r);
	estimates_add(out, "s_R", "", s, p.s_R);
	estimates_add(out, "s_L2", "", s, p.s_L2);
	estimates_add(out, "s_L2_raw", "", s, p.s_L2_raw);
	estimates_add(out, "repeatability_limit_r", "factor=2.8", s, 2.8 * p.s_r);
	estimates_add(out, "reproducibility_limit_R", "factor=2.8", s, 2.8 * p.s_R);
}

static void finding_add(const char *const name[3], const struct outlier_finding *f,
			struct estimates *out)
{
	estimates_add(out, name[0], "", f->status, f->statistic);
	estimates_add_word(out, name[1], "", f->status, outlier_class_names[f->class]);
	estimates_add(out, name[2], "", f->status, (double)f->group + 1);
}

static void classes_add(const struct values *group, size_t n, struct estimates *out)
{
	static const char *const cochran[] = {"cochran_C", "cochran_class", "cochran_suspect"};
	static const char *const grubbs_max[] = {"grubbs_G_max", "grubbs_max_class",
						 "grubbs_max_suspect"};
	static const char *const grubbs_min[] = {"grubbs_G_min", "grubbs_min_class",
						 "grubbs_min_suspect"};
	static const char *const high[] = {"grubbs_double_high", "grubbs_double_high_class",
					   "grubbs_double_high_suspect"};
	static const char *const low[] = {"grubbs_double_low", "grubbs_double_low_class",
					  "grubbs_double_low_suspect"};
	struct group_classes c;
	enum stat_status s = group_classes(group, n, &c);
	if (s) {
		estimates_add(out, "cochran_C", "", s, 0);
		return;
	}
	finding_add(cochran, &c.cochran, out);
	finding_add(grubbs_max, &c.grubbs_max, out);
	finding_add(grubbs_min, &c.grubbs_min, out);
	finding_add(high, &c.double_high, out);
	finding_add(low, &c.double_low, out);
	for (size_t i = 0; i < n; i++) {
		char params[ESTIMATE_PARAMS];
		snprintf(params, sizeof params, "i=%zu", i + 1);
		estimates_add(out, "mandel_h", params, c.h[i].status, c.h[i].statistic);
		estimates_add_word(out, "mandel_h_class", params, c.h[i].status,
				   outlier_class_names[c.h[i].class]);
		estimates_add(out, "mandel_k", params, c.k[i].status, c.k[i].statistic);
		estimates_add_word(out, "mandel_k_class", params, c.k[i].status,
				   outlier_class_names[c.k[i].class]);
	}
	group_classes_release(&c);
}

void sessions_describe(const struct values *group, size_t n_groups, struct estimates *out)
{
	layout_add(group, n_groups, out);
	precision_add(group, n_groups, out);
	classes_add(group, n_groups, out);
}
