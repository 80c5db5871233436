/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the characterisation: location, precision, bias, linearity. */
#include "common/sort.h"
#include "reports/tables/tables.h"

static void response_time_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, n_pairs, NULL, "Pairs");
	COL_NUMBER(t, TIME, "program_mean", "Program mean", c->r.mean, c->r.sd);
	COL_STATUS(t, TIME, "program_sd", "s", c->r.status, c->r.sd, c->r.sd);
	COL_STATUS(t, SHARE, "program_cv", "CV", c->r.status, c->r.cv, c->r.cv);
	COL_NUMBER(t, TIME, "program_median", "Median", c->r_median.mean, c->r_median.sd);
	COL_NUMBER(t, TIME, "program_p99", "p99", c->r_p99.mean, c->r_p99.sd);
	COL_NUMBER(t, TIME, "replay_mean", "Replay mean", c->x.mean, c->x.sd);
	COL_STATUS(t, TIME, "replay_sd", "s", c->x.status, c->x.sd, c->x.sd);
	COL_STATUS(t, SHARE, "replay_cv", "CV", c->x.status, c->x.cv, c->x.cv);
	COL_NUMBER(t, TIME, "replay_median", "Median", c->x_median.mean, c->x_median.sd);
	COL_NUMBER(t, TIME, "replay_p99", "p99", c->x_p99.mean, c->x_p99.sd);
	COL_OF_U(t, cell, c, correlation, NULL, "Correlation", 0.1);
}

const struct table_kind table_response_time = {"response-time", "Response times",
	.cell = response_time_row, .note =
	"The result of a run is the mean response time of all its requests. Mean, standard "
	"deviation s and coefficient of variation (CV = s / mean) are computed over the runs. "
	"Median and p99 are means, over the runs, of the median and the 99th percentile of a "
	"run."};

static void precision_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, precision_ratio, "ratio", "Ratio [95 %]");
	COL_OF_U(t, cell, c, precision_lower95, "ratio_lower95", "One-sided lower limit",
	       c->precision_upper95 - c->precision_lower95);
	COL_OF_U(t, cell, c, precision_upper95, "ratio_upper95", "One-sided upper limit",
	       c->precision_upper95 - c->precision_lower95);
	COL_OF(t, cell, c, permutation_p_above, NULL,
	       "P-value of \"ratio at most the limit\" (permutation test)");
	COL_OF(t, cell, c, permutation_p_below, NULL,
	       "P-value of \"ratio at least the limit\" (permutation test)");
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_PRECISION].decision);
	COL_OF(t, cell, c, precision_independent, "ratio_independent", "Ratio, independent [95 %]");
	COL_OF_U(t, cell, c, f_test.ratio, "f", "F", 0.1);
	COL_OF_U(t, cell, c, f_test.critical, "f_critical", "Critical F", 0.1);
	COL_OF(t, cell, c, f_test.p, "f_p", "P-value of F");
	COL_OF(t, cell, c, f_test.p_two_sided, "f_p_two_sided", "P-value of F, two-sided");
	COL_OF(t, cell, c, brown_forsythe_p, NULL, "P-value of Brown-Forsythe");
	COL_OF(t, cell, c, levene_p, NULL, "P-value of Levene");
	COL_OF(t, cell, c, shapiro_p_x, NULL, "P-value of normality, replay");
	COL_OF(t, cell, c, shapiro_p_r, NULL, "P-value of normality, program");
}

const struct table_kind table_precision = {"precision", "Precision", .cell = precision_row,
	.note =
	"Ratio of the standard deviations of the results, replay over program; 1 is ideal. The "
	"one-sided limits of the paired analysis decide, together with the P-value of a test "
	"that permutes the labels within pairs. All other columns are for comparison only: "
	"limits and F test for independent samples (F is the ratio of variances; above the "
	"critical value the classic test calls the replay less precise), and the P-value of the "
	"Brown-Forsythe test, which does not need normal data."};

static void bias_row(struct table *t, const struct cell *c)
{
	COL_NUMBER(t, TIME, "program_mean", "Program", c->r.mean, c->r.sem);
	COL_NUMBER(t, TIME, "replay_mean", "Replay", c->x.mean, c->x.sem);
	COL_OF(t, cell, c, bias, NULL, "Bias [95 %]");
	COL_NUMBER(t, SHARE, "limit", "Limit ±", c->component[COMPONENT_BIAS].limit, 0.1);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_BIAS].decision);
	COL_OF(t, cell, c, bias_median, NULL, "Of medians [95 %]");
	COL_OF(t, cell, c, bias_trimmed, "bias_trimmed", "Of trimmed means [95 %]");
	COL_OF(t, cell, c, bias_independent, NULL, "Independent [95 %]");
	COL_OF(t, cell, c, welch_p, NULL, "P-value of Welch");
}

const struct table_kind table_bias = {
    "bias", "Bias", .cell = bias_row,
    .note = "Relative bias of the mean response time, computed from the logarithms of the ratios "
    	"replay / program of the pairs. The table also shows the bias of the medians of the runs, "
    	"and of their trimmed means (without the fastest and slowest tenth). If these two biases "
    	"are much smaller, a few slow requests cause the bias of the means. For comparison: the "
    	"bias from independent samples, and the P-value of Welch's test of no difference."};

/* Returns all levels in ascending order. The caller frees the array. */
static uint64_t *all_levels(const struct analysis *a, size_t *n)
{
	uint64_t *level = NULL;
	size_t cap = 0;
	*n = 0;
	for (size_t i = 0; i < a->n_linearity; i++)
		for (size_t k = 0; k < a->linearity[i].n_levels; k++)
			APPEND(level, *n, cap, a->linearity[i].level[k].level);
	SORT(level, *n, order_u64);
	size_t kept = 0;
	for (size_t i = 0; i < *n; i++)
		if (!kept || level[kept - 1] != level[i])
			level[kept++] = level[i];
	*n = kept;
	return level;
}

static void linearity_names(struct table *t, const struct analysis *a, const struct linearity *l)
{
	COL_TEXT(t, "workload", "Workload", l->name);
	COL_TEXT(t, "replayer", "Replayer", a->results->protocol.replayer[l->replayer].name);
}

static void over_levels_row(struct table *t, const struct analysis *a, size_t i,
			    enum table_format format, const char *key)
{
	const struct linearity *l = ROW_ITEM(t, &a->linearity[i]);
	size_t n;
	SCOPED_FREE uint64_t *level = all_levels(a, &n);
	linearity_names(t, a, l);
	for (size_t k = 0; k < n; k++) {
		size_t j = 0;
		char name[40], title[40];
		snprintf(name, sizeof name, "%s_level_%llu", key, (unsigned long long)level[k]);
		snprintf(title, sizeof title, "Level %llu", (unsigned long long)level[k]);
		if (!table_head(t, format, name, title, false))
			continue;
		while (j < l->n_levels && l->level[j].level != level[k])
			j++;
		if (j < l->n_levels) {
			double v =
			    format == FORMAT_SHARE ? l->level[j].cv : l->level[j].relative_bias;
			table_number_u(t, v, fabs(v) < 1 ? 0.01 : NAN);
		} else {
			table_none(t);
		}
	}
}

static void linearity_precision_row(struct table *t, const struct analysis *a, size_t i)
{
	over_levels_row(t, a, i, FORMAT_SHARE, "cv");
}

static void linearity_bias_row(struct table *t, const struct analysis *a, size_t i)
{
	over_levels_row(t, a, i, FORMAT_RELATIVE, "bias");
}

ROWS_OF(n_linearity, a->n_linearity)

const struct table_kind table_linearity_precision = {
    "linearity-precision",
    "Linearity of the precision",
    n_linearity,
    linearity_precision_row,
    .n_row_headers = 2,
    .note = "Coefficient of variation of the replay's results at each load level."};

const struct table_kind table_linearity_bias = {"linearity-bias", "Linearity of the bias",
	n_linearity, linearity_bias_row, .n_row_headers = 2};

static void linearity_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct linearity *l = ROW_ITEM(t, &a->linearity[i]);
	linearity_names(t, a, l);
	COL_COUNT(t, "n_levels", "Levels", l->n_levels);
	COL_OF_U(t, linearity, l, slope, NULL, "Slope per level", l->slope_se);
	COL_OF_U(t, linearity, l, slope_se, NULL, "Standard error", l->slope_se);
	COL_OF(t, linearity, l, slope_p, NULL, "P-value of \"no slope\"");
	COL_OF_U(t, linearity, l, intercept, NULL, "Intercept", l->slope_se);
	COL_OF_U(t, linearity, l, lack_of_fit_f, NULL, "Lack of fit F", 0.1);
	COL_OF(t, linearity, l, lack_of_fit_p, NULL, "P-value of \"a straight line fits\"");
	COL_OF(t, linearity, l, spread_p, NULL, "P-value of \"equal scatter\"");
	COL_OF(t, linearity, l, trend_p, NULL, "P-value of \"no trend\"");
}

const struct table_kind table_linearity = {"linearity", "Trend of the bias with the load level",
	n_linearity, linearity_row, .n_row_headers = 2, .note =
	"A straight line is fitted to the relative bias of every replicate. The table shows its "
	"slope per level with the standard error, the P-value of \"no slope\", and the P-value "
	"of \"a straight line fits\" (lack of fit; needs three levels). This last test assumes "
	"equal scatter at all levels, which the Brown-Forsythe test examines. The verdict does "
	"not assume equal scatter. With five levels or more, the Mann-Kendall test gives the "
	"P-value of \"no trend\"."};
