/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables in addition to the verdict: quantiles and distributions of response times, sessions, the
 * chart of individuals. */
#include "reports/tables/tables.h"

static void quantiles_row(struct table *t, const struct cell *c)
{
	static const char *const key[QUANTILES_N][3] = {
	    {"bias_p50", "p50 [95 %]", "p50_extrapolated"},
	    {"bias_p90", "p90 [95 %]", "p90_extrapolated"},
	    {"bias_p99", "p99 [95 %]", "p99_extrapolated"},
	    {"bias_p999", "p99.9 [95 %]", "p999_extrapolated"}};
	for (int k = 0; k < QUANTILES_N; k++) {
		COL_ESTIMATE(t, RELATIVE, key[k][0], key[k][1], &c->quantile_bias[k]);
		COL_YES(t, key[k][2], "Extrapolated", c->quantile_extrapolated[k]);
	}
	COL_OF_U(t, cell, c, ks_distance, NULL, "Kolmogorov-Smirnov", 0.01);
	COL_OF_U(t, cell, c, wasserstein, "wasserstein", "Wasserstein", 0.01);
}

const struct table_kind table_quantiles = {
    "quantiles", "Bias of the quantiles, and distance of the distributions",
    .cell = quantiles_row,
    .note = "Relative bias of the quantiles of the response times of a run, computed from the "
    	"pairs. A quantile is extrapolated if a run has too few requests for it: fewer than 2 for "
    	"p50, 10 for p90, 100 for p99 or 1000 for p99.9. The last columns show the distance "
    	"between the distributions of all requests of all runs: Kolmogorov-Smirnov (0: equal, 1: "
    	"entirely different), and 1-Wasserstein relative to the program's mean. These "
    	"distances are not judged."};

static void outlier_columns(struct table *t, const char *name, const char *title,
			    const struct outlier_finding *f)
{
	char key[40];
	COL_OF_U(t, outlier_finding, f, statistic, name, title, 0.01);
	snprintf(key, sizeof key, "%s_critical_5", name);
	COL_OF_U(t, outlier_finding, f, critical_5, key, "5 %", 0.01);
	snprintf(key, sizeof key, "%s_critical_1", name);
	COL_OF_U(t, outlier_finding, f, critical_1, key, "1 %", 0.01);
	snprintf(key, sizeof key, "%s_mark", name);
	COL(t, TEXT, key, "Mark",
		if (f->status || f->class == OUTLIER_NONE)
			table_text(t, f->status ? NULL : outlier_class_names[f->class]);
		else
			table_textf(t, "%s: session %zu", outlier_class_names[f->class],
				    f->group + 1));
}

static void sessions_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct session_study *s = ROW_ITEM(t, &a->cell[i].sessions);
	if (!t->in_heads && s->status)
		return;
	COL_CELL(t, a, &a->cell[i]);
	COL_OF(t, session_study, s, n_sessions, NULL, "Sessions");
	COL_OF_U(t, session_study, s, s_r, NULL, "Within, s_r", s->s_r);
	COL_OF_U(t, session_study, s, s_L, NULL, "Between, s_L", s->s_r);
	COL_OF_U(t, session_study, s, s_R, NULL, "Both, s_R", s->s_r);
	outlier_columns(t, "cochran", "Cochran", ROW_ITEM(t, &s->cochran));
	outlier_columns(t, "grubbs", "Grubbs", ROW_ITEM(t, &s->grubbs));
}

const struct table_kind table_sessions = {
	"sessions", "Repeatability and reproducibility over sessions", table_n_cells, sessions_row,
	.note =
	"Standard deviations of a replay's mean response time, relative to the program's mean: "
	"within a session (repeatability), between sessions, and both together (within-laboratory "
	"reproducibility). Cochran's test examines the largest scatter, Grubbs' test the extreme "
	"mean. A session above the critical value at 5 % is a straggler, and a session above the "
	"critical value at 1 % is an outlier. Both are marked, but never left out."};

static size_t n_sessions(const struct analysis *a, size_t i)
{
	return a->cell[i].sessions.status ? 0 : a->cell[i].sessions.n_sessions;
}

static void session_groups_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct session_group *g = ROW_ITEM(t, &a->cell[i].sessions.session[k]);
	COL_CELL(t, a, &a->cell[i]);
	COL_COUNT(t, "session", "Session", k + 1);
	COL_OF(t, session_group, g, n, NULL, "Replicates");
	COL_OF_U(t, session_group, g, mean, NULL, "Mean", g->sd);
	COL_OF_U(t, session_group, g, sd, NULL, "s", g->sd);
	COL_OF_U(t, session_group, g, h, NULL, "h", 0.1);
	COL_TEXT(t, "h_mark", "Mark", outlier_class_names[g->h_class]);
	COL_OF_U(t, session_group, g, k, NULL, "k", 0.1);
	COL_TEXT(t, "k_mark", "Mark", outlier_class_names[g->k_class]);
}

const struct table_kind table_session_groups = {"session-groups", "Every session", table_n_cells,
	.n_items = n_sessions, .item = session_groups_item, .note =
	"Mean and standard deviation of the results of a session, relative to the program's "
	"mean, with Mandel's statistics: h compares the mean with the other sessions, k "
	"compares the scatter."};

static void control_row(struct table *t, const struct cell *c)
{
	const struct control_chart *k = ROW_ITEM(t, &c->control);
	COL_OF_U(t, control_chart, k, center, NULL, "Centre", k->upper - k->lower);
	COL_OF_U(t, control_chart, k, lower, NULL, "Lower limit", k->upper - k->lower);
	COL_OF_U(t, control_chart, k, upper, NULL, "Upper limit", k->upper - k->lower);
	COL_STATUS(t, COUNT, "n_outside", "Points outside", k->status, (double)k->n_out, 10);
	COL_OF_U(t, control_chart, k, mr_bar, NULL, "Mean moving range", k->upper - k->lower);
	COL_OF_U(t, control_chart, k, mr_upper, NULL, "Upper limit of the range",
		k->upper - k->lower);
	COL_STATUS(t, COUNT, "n_ranges_outside", "Ranges outside", k->status,
		   (double)k->n_mr_out, 10);
}

const struct table_kind table_control = {
    "control", "Chart of individuals and moving ranges", .cell = control_row,
    .note =
	"Control chart of the relative differences of the pairs, in the order of the blocks. "
	"Moving range: absolute difference of two successive points. Lower and upper limit: "
	"three standard deviations below and above the centre on a logarithmic scale, computed "
	"from the mean moving range of the logarithms. Expressed as relative differences, "
	"the two limits have unequal distances from the centre. Upper limit of the range: "
	"control limit of the moving ranges. Points outside the limits show a disturbance, but "
	"the analysis does not leave them out."};
