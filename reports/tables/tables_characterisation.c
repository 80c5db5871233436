/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the characterisation: location, precision, bias, linearity. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "reports/tables/tables.h"

void table_response_time(struct table *t, const struct analysis *a)
{
	table_init(t, "response-time", "Response times");
	table_note(
	    t, "Results of the runs: the mean response time of all requests of one run. Mean, standard deviation s and "
	       "coefficient of variation CV = s / mean are over the runs; median and p99 are means over the runs of "
	       "each run's own median and 99th percentile.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_pairs", "Pairs");
	table_column(t, FORMAT_TIME, "program_mean", "Program mean");
	table_column(t, FORMAT_TIME, "program_sd", "s");
	table_column(t, FORMAT_SHARE, "program_cv", "CV");
	table_column(t, FORMAT_TIME, "program_median", "Median");
	table_column(t, FORMAT_TIME, "program_p99", "p99");
	table_column(t, FORMAT_TIME, "replay_mean", "Replay mean");
	table_column(t, FORMAT_TIME, "replay_sd", "s");
	table_column(t, FORMAT_SHARE, "replay_cv", "CV");
	table_column(t, FORMAT_TIME, "replay_median", "Median");
	table_column(t, FORMAT_TIME, "replay_p99", "p99");
	table_column(t, FORMAT_NUMBER, "correlation", "Correlation");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct sample *of[2] = {&c->r, &c->x}, *median[2] = {&c->r_median, &c->x_median},
				    *p99[2] = {&c->r_p99, &c->x_p99};
		table_cell_names(t, a, c);
		table_count(t, c->n_pairs);
		for (int k = 0; k < 2; k++) {
			table_number_u(t, of[k]->mean, of[k]->sd);
			table_number_status(t, of[k]->status, of[k]->sd, of[k]->sd);
			table_number_status(t, of[k]->status, of[k]->cv, of[k]->cv);
			table_number_u(t, median[k]->mean, median[k]->sd);
			table_number_u(t, p99[k]->mean, p99[k]->sd);
		}
		table_number_u(t, c->correlation, 0.1);
	}
}

void table_precision(struct table *t, const struct analysis *a)
{
	table_init(t, "precision", "Precision");
	table_note(
	    t, "Ratio of the standard deviations, replay over program; 1 is ideal. The one-sided limits of the paired "
	       "analysis decide, together with the p of permuting the labels within pairs. Beside them, for comparison only: limits and F test for "
	       "independent samples (F is the ratio of variances; above the critical value the classic test calls the replay less precise), and "
	       "the p of the Brown-Forsythe test, which does not need normal data.");
	table_cell_columns(t);
	table_column_estimate(t, FORMAT_NUMBER, "ratio", "Ratio [95 %]");
	table_column(t, FORMAT_NUMBER, "ratio_lower95", "One-sided lower limit");
	table_column(t, FORMAT_NUMBER, "ratio_upper95", "One-sided upper limit");
	table_column(t, FORMAT_P, "permutation_p_above", "p of above the limit, permuted");
	table_column(t, FORMAT_P, "permutation_p_below", "p of below it");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_NUMBER, "ratio_independent", "Ratio, independent [95 %]");
	table_column(t, FORMAT_NUMBER, "f", "F");
	table_column(t, FORMAT_NUMBER, "f_critical", "Critical F");
	table_column(t, FORMAT_P, "f_p", "p of F");
	table_column(t, FORMAT_P, "f_p_two_sided", "p, two-sided");
	table_column(t, FORMAT_P, "brown_forsythe_p", "p of Brown-Forsythe");
	table_column(t, FORMAT_P, "levene_p", "p of Levene");
	table_column(t, FORMAT_P, "shapiro_p_replay", "Normality p, replay");
	table_column(t, FORMAT_P, "shapiro_p_program", "Normality p, program");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		double u = c->precision_upper95 - c->precision_lower95;
		table_cell_names(t, a, c);
		table_estimate(t, &c->precision_ratio);
		table_number_status(t, c->precision_ratio.status, c->precision_lower95, u);
		table_number_status(t, c->precision_ratio.status, c->precision_upper95, u);
		table_number(t, c->permutation_p_above);
		table_number(t, c->permutation_p_below);
		table_decision(t, c->component[COMPONENT_PRECISION].decision);
		table_estimate(t, &c->precision_independent);
		table_number_status(t, c->f_status, c->f_ratio, 0.1);
		table_number_status(t, c->f_status, c->f_critical, 0.1);
		table_number_status(t, c->f_status, c->f_p, NAN);
		table_number_status(t, c->f_status, c->f_p_two_sided, NAN);
		table_number(t, c->brown_forsythe_p);
		table_number(t, c->levene_p);
		table_number(t, c->shapiro_p_x);
		table_number(t, c->shapiro_p_r);
	}
}

void table_bias(struct table *t, const struct analysis *a)
{
	table_init(t, "bias", "Bias");
	table_note(t, "Relative bias of the mean response time, from the logarithms of the ratios "
		      "replay / program of the pairs. Beside it the same of the runs' medians and "
		      "of their trimmed means (without the fastest and slowest tenth): where "
		      "these are much smaller, a few slow requests make the bias. Then the bias "
		      "from independent samples, and the p of Welch's test that there is no "
		      "difference.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "program_mean", "Program");
	table_column(t, FORMAT_TIME, "replay_mean", "Replay");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	table_column(t, FORMAT_SHARE, "limit", "Limit ±");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column_estimate(t, FORMAT_RELATIVE, "bias_median", "Of medians [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "bias_trimmed", "Of trimmed means [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "bias_independent", "Independent [95 %]");
	table_column(t, FORMAT_P, "welch_p", "p of Welch");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_number_u(t, c->r.mean, c->r.sem);
		table_number_u(t, c->x.mean, c->x.sem);
		table_estimate(t, &c->bias);
		table_number_u(t, c->component[COMPONENT_BIAS].limit, 0.1);
		table_decision(t, c->component[COMPONENT_BIAS].decision);
		table_estimate(t, &c->bias_median);
		table_estimate(t, &c->bias_trimmed);
		table_estimate(t, &c->bias_independent);
		table_number(t, c->welch_p);
	}
}

static int compare_levels(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
	return (a > b) - (a < b);
}

/* All levels that occur, ascending; the caller frees. */
static uint64_t *all_levels(const struct analysis *a, size_t *n)
{
	uint64_t *level = NULL;
	size_t cap = 0;
	*n = 0;
	for (size_t i = 0; i < a->n_linearity; i++)
		for (size_t k = 0; k < a->linearity[i].n_levels; k++) {
			GROW(level, *n, cap);
			level[(*n)++] = a->linearity[i].level[k].level;
		}
	if (*n)
		qsort(level, *n, sizeof *level, compare_levels);
	size_t kept = 0;
	for (size_t i = 0; i < *n; i++)
		if (!kept || level[kept - 1] != level[i])
			level[kept++] = level[i];
	*n = kept;
	return level;
}

static void linearity_names(struct table *t, const struct analysis *a, const struct linearity *l)
{
	table_text(t, l->name);
	table_text(t, a->results->protocol.replayer[l->replayer].name);
}

static void fill_over_levels(struct table *t, const struct analysis *a, enum table_format format, const char *key)
{
	size_t n;
	uint64_t *level = all_levels(a, &n);
	table_column(t, FORMAT_TEXT, "workload", "Workload");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	for (size_t k = 0; k < n; k++) {
		char *name = xasprintf("%s_level_%llu", key, (unsigned long long)level[k]);
		char *title = xasprintf("Level %llu", (unsigned long long)level[k]);
		table_column(t, format, name, title);
		free(name);
		free(title);
	}
	for (size_t i = 0; i < a->n_linearity; i++) {
		const struct linearity *l = &a->linearity[i];
		linearity_names(t, a, l);
		for (size_t k = 0; k < n; k++) {
			size_t j = 0;
			while (j < l->n_levels && l->level[j].level != level[k])
				j++;
			double v =
			    j < l->n_levels ? format == FORMAT_SHARE ? l->level[j].cv : l->level[j].relative_bias : 0;
			if (j < l->n_levels)
				table_number_u(t, v, fabs(v) < 1 ? 0.01 : NAN);
			else
				table_none(t);
		}
	}
	free(level);
}

void table_linearity_precision(struct table *t, const struct analysis *a)
{
	table_init(t, "linearity-precision", "Linearity of the precision");
	table_note(t, "Coefficient of variation of the replay's results at each load level.");
	fill_over_levels(t, a, FORMAT_SHARE, "cv");
}

void table_linearity_bias(struct table *t, const struct analysis *a)
{
	table_init(t, "linearity-bias", "Linearity of the bias");
	table_note(t, "Relative bias at each load level, with its sign.");
	fill_over_levels(t, a, FORMAT_RELATIVE, "bias");
}

void table_linearity(struct table *t, const struct analysis *a)
{
	table_init(t, "linearity", "Trend of the bias over the load level");
	table_note(
	    t, "Straight line through the relative bias of every replicate: its slope per level with standard error, "
	       "the p of \"no slope\", and the p of \"a straight line fits\" (lack of fit; needs three levels). That test "
	       "supposes that the levels scatter alike: the p of Brown-Forsythe says whether they do; the verdict uses "
	       "contrasts that do not suppose it. No trend: Mann-Kendall, from five levels on.");
	table_column(t, FORMAT_TEXT, "workload", "Workload");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	table_column(t, FORMAT_COUNT, "n_levels", "Levels");
	table_column(t, FORMAT_RELATIVE, "slope", "Slope per level");
	table_column(t, FORMAT_SHARE, "slope_se", "Standard error");
	table_column(t, FORMAT_P, "slope_p", "p of no slope");
	table_column(t, FORMAT_RELATIVE, "intercept", "Intercept");
	table_column(t, FORMAT_NUMBER, "lack_of_fit_f", "Lack of fit F");
	table_column(t, FORMAT_P, "lack_of_fit_p", "p of lack of fit");
	table_column(t, FORMAT_P, "spread_p", "p of equal scatter");
	table_column(t, FORMAT_P, "trend_p", "p of no trend");
	for (size_t i = 0; i < a->n_linearity; i++) {
		const struct linearity *l = &a->linearity[i];
		linearity_names(t, a, l);
		table_count(t, (double)l->n_levels);
		table_number_status(t, l->status, l->slope, l->slope_se);
		table_number_status(t, l->status, l->slope_se, l->slope_se);
		table_number_status(t, l->status, l->slope_p, NAN);
		table_number_status(t, l->status, l->intercept, l->slope_se);
		table_number_status(t, l->lack_of_fit_status, l->lack_of_fit_f, 0.1);
		table_number_status(t, l->lack_of_fit_status, l->lack_of_fit_p, NAN);
		table_number(t, l->spread_p);
		table_number_status(t, l->trend_status, l->trend_p, NAN);
	}
}
