/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of one sample as the groups of a precision study. Suspect sessions are marked, not left
 * out. */
#include "validate/columns/comparison.h"
#include "validate/stats/group_classes.h"

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
		const struct estimate_params at = params_text("i=%zu", i + 1);
		estimates_add(out, "mandel_h", at.s, c.h[i].status, c.h[i].statistic);
		estimates_add_word(out, "mandel_h_class", at.s, c.h[i].status,
				   outlier_class_names[c.h[i].class]);
		estimates_add(out, "mandel_k", at.s, c.k[i].status, c.k[i].statistic);
		estimates_add_word(out, "mandel_k_class", at.s, c.k[i].status,
				   outlier_class_names[c.k[i].class]);
	}
	group_classes_release(&c);
}

void sessions_describe(const struct values *group, size_t n_groups, struct estimates *out)
{
	const struct estimate_source of = {out, {{"groups", group, n_groups}}, STAT_OK};
	estimates_add(out, "anova_groups", "", STAT_OK, (double)n_groups);
	estimates_named(&of, "", "anova_N", "anova_grand_mean", "anova_SS_between",
			"anova_SS_within", "anova_MS_between", "anova_MS_within", "anova_F",
			"anova_F_p", "anova_n0", "groups_brown_forsythe_p", "s_r", "s_R", "s_L2",
			"s_L2_raw", NULL);
	estimates_named(&of, "factor=2.8", "repeatability_limit_r", "reproducibility_limit_R",
			NULL);
	classes_add(group, n_groups, out);
}
