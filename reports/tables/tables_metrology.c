/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables beside the verdict: quantiles and distributions of response times, sessions, the chart of individuals. */
#include <math.h>

#include "reports/tables/tables.h"

void table_quantiles(struct table *t, const struct analysis *a)
{
	static const char *const key[QUANTILES_N][3] = {{"bias_p50", "p50 [95 %]", "p50_extrapolated"},
							{"bias_p90", "p90 [95 %]", "p90_extrapolated"},
							{"bias_p99", "p99 [95 %]", "p99_extrapolated"},
							{"bias_p999", "p99.9 [95 %]", "p999_extrapolated"}};
	table_init(t, "quantiles", "Bias of the quantiles, and distance of the distributions");
	table_note(t, "Relative bias of each run's own quantiles of response time, from the pairs; extrapolated where a run has too "
		      "few requests for one to lie above the quantile. Beside it the distance of the distributions of all requests "
		      "of all runs: Kolmogorov-Smirnov (0 equal, 1 entirely different) and 1-Wasserstein, relative to the program's "
		      "mean. Shown, not judged.");
	table_cell_columns(t);
	for (int i = 0; i < QUANTILES_N; i++) {
		table_column_estimate(t, FORMAT_RELATIVE, key[i][0], key[i][1]);
		table_column(t, FORMAT_TEXT, key[i][2], "Extrapolated");
	}
	table_column(t, FORMAT_NUMBER, "ks_distance", "Kolmogorov-Smirnov");
	table_column(t, FORMAT_SHARE, "wasserstein", "Wasserstein");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		for (int k = 0; k < QUANTILES_N; k++) {
			table_estimate(t, &c->quantile_bias[k]);
			table_text(t, c->quantile_extrapolated[k] ? "yes" : "no");
		}
		table_number_u(t, c->ks_distance, 0.01);
		table_number_u(t, c->wasserstein, 0.01);
	}
}

static void add_outlier(struct table *t, enum stat_status s, double statistic, double critical_5, double critical_1,
			enum outlier_class class, size_t session)
{
	table_number_status(t, s, statistic, 0.01);
	table_number_status(t, s, critical_5, 0.01);
	table_number_status(t, s, critical_1, 0.01);
	if (s || class == OUTLIER_NONE)
		table_text(t, s ? NULL : outlier_class_names[class]);
	else
		table_textf(t, "%s: session %zu", outlier_class_names[class], session + 1);
}

void table_sessions(struct table *t, const struct analysis *a)
{
	table_init(t, "sessions", "Repeatability and reproducibility over sessions");
	table_note(t, "Standard deviations of a replay's mean response time over the program's mean: within a session (repeatability), "
		      "between sessions, and of both together (within-laboratory reproducibility). Beside it Cochran's test of the "
		      "largest scatter and Grubbs' of the extreme mean: above the 5 %% value a straggler, above the 1 %% value an "
		      "outlier. They are marked and never left out.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_sessions", "Sessions");
	table_column(t, FORMAT_SHARE, "s_r", "Within, s_r");
	table_column(t, FORMAT_SHARE, "s_L", "Between, s_L");
	table_column(t, FORMAT_SHARE, "s_R", "Both, s_R");
	table_column(t, FORMAT_NUMBER, "cochran", "Cochran");
	table_column(t, FORMAT_NUMBER, "cochran_critical_5", "5 %");
	table_column(t, FORMAT_NUMBER, "cochran_critical_1", "1 %");
	table_column(t, FORMAT_TEXT, "cochran_mark", "Mark");
	table_column(t, FORMAT_NUMBER, "grubbs", "Grubbs");
	table_column(t, FORMAT_NUMBER, "grubbs_critical_5", "5 %");
	table_column(t, FORMAT_NUMBER, "grubbs_critical_1", "1 %");
	table_column(t, FORMAT_TEXT, "grubbs_mark", "Mark");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct session_study *s = &a->cell[i].sessions;
		if (s->status)
			continue;
		table_cell_names(t, a, &a->cell[i]);
		table_count(t, (double)s->n_sessions);
		table_number_u(t, s->s_r, s->s_r);
		table_number_u(t, s->s_L, s->s_r);
		table_number_u(t, s->s_R, s->s_r);
		add_outlier(t, s->cochran_status, s->cochran, s->cochran_critical_5, s->cochran_critical_1, s->cochran_class,
			    s->cochran_session);
		add_outlier(t, s->grubbs_status, s->grubbs, s->grubbs_critical_5, s->grubbs_critical_1, s->grubbs_class,
			    s->grubbs_session);
	}
}

void table_session_groups(struct table *t, const struct analysis *a)
{
	table_init(t, "session-groups", "Every session");
	table_note(t, "Mean and standard deviation of a session's results over the program's mean, with Mandel's statistics: h of the "
		      "mean against the other sessions', k of the scatter.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "session", "Session");
	table_column(t, FORMAT_COUNT, "n", "Replicates");
	table_column(t, FORMAT_NUMBER, "mean", "Mean");
	table_column(t, FORMAT_SHARE, "sd", "s");
	table_column(t, FORMAT_NUMBER, "h", "h");
	table_column(t, FORMAT_TEXT, "h_mark", "Mark");
	table_column(t, FORMAT_NUMBER, "k", "k");
	table_column(t, FORMAT_TEXT, "k_mark", "Mark");
	for (size_t i = 0; i < a->n_cells; i++)
		for (size_t k = 0; !a->cell[i].sessions.status && k < a->cell[i].sessions.n_sessions; k++) {
			const struct session_group *g = &a->cell[i].sessions.session[k];
			table_cell_names(t, a, &a->cell[i]);
			table_count(t, (double)k + 1);
			table_count(t, (double)g->n);
			table_number_u(t, g->mean, g->sd);
			table_number_u(t, g->sd, g->sd);
			table_number_u(t, g->h, 0.1);
			table_text(t, outlier_class_names[g->h_class]);
			table_number_u(t, g->k, 0.1);
			table_text(t, outlier_class_names[g->k_class]);
		}
}

void table_control(struct table *t, const struct analysis *a)
{
	table_init(t, "control", "Chart of individuals and moving ranges");
	table_note(t, "Of the pairs' relative differences in the order of the blocks: centre and limits (three standard deviations, from "
		      "the mean moving range), the limit of a moving range, and how many lie outside. Points outside, or a moving "
		      "range above its limit, tell of a disturbance worth a look; nothing is left out for it.");
	table_cell_columns(t);
	table_column(t, FORMAT_RELATIVE, "center", "Centre");
	table_column(t, FORMAT_RELATIVE, "lower", "Lower limit");
	table_column(t, FORMAT_RELATIVE, "upper", "Upper limit");
	table_column(t, FORMAT_COUNT, "n_outside", "Outside");
	table_column(t, FORMAT_SHARE, "moving_range", "Mean moving range");
	table_column(t, FORMAT_SHARE, "moving_range_upper", "Upper limit");
	table_column(t, FORMAT_COUNT, "n_ranges_outside", "Outside");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct control_chart *k = &a->cell[i].control;
		double u = k->upper - k->lower;
		table_cell_names(t, a, &a->cell[i]);
		table_number_status(t, k->status, k->center, u);
		table_number_status(t, k->status, k->lower, u);
		table_number_status(t, k->status, k->upper, u);
		table_number_status(t, k->status, (double)k->n_out, 10);
		table_number_status(t, k->status, k->mr_bar, u);
		table_number_status(t, k->status, k->mr_upper, u);
		table_number_status(t, k->status, (double)k->n_mr_out, 10);
	}
}
