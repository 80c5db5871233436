/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables in addition to the verdict: quantiles and distributions of response times, sessions, the
 * chart of individuals. */
#include "reports/tables/tables.h"

static void quantiles_row(struct table *t, const struct analysis *a, size_t i)
{
	static const char *const key[QUANTILES_N][3] = {
	    {"bias_p50", "p50 [95 %]", "p50_extrapolated"},
	    {"bias_p90", "p90 [95 %]", "p90_extrapolated"},
	    {"bias_p99", "p99 [95 %]", "p99_extrapolated"},
	    {"bias_p999", "p99.9 [95 %]", "p999_extrapolated"}};
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	for (int k = 0; k < QUANTILES_N; k++) {
		COL_ESTIMATE(t, RELATIVE, key[k][0], key[k][1], &c->quantile_bias[k]);
		COL_YES(t, key[k][2], "Extrapolated", c->quantile_extrapolated[k]);
	}
	COL_NUMBER(t, NUMBER, "ks_distance", "Kolmogorov-Smirnov", c->ks_distance, 0.01);
	COL_NUMBER(t, SHARE, "wasserstein", "Wasserstein", c->wasserstein, 0.01);
}

const struct table_kind table_quantiles = {
    "quantiles", "Bias of the quantiles, and distance of the distributions", table_n_cells,
    quantiles_row,
    .note = "Relative bias of the quantiles of the response times of a run, computed from the "
    	"pairs. A quantile is extrapolated if no request of a run lies above it. The last "
    	"columns show the distance between the distributions of all requests of all runs: "
    	"Kolmogorov-Smirnov (0: equal, 1: entirely different), and 1-Wasserstein relative to "
    	"the program's mean. These values are not judged."};

static void add_mark(struct table *t, enum stat_status s, enum outlier_class class, size_t session)
{
	if (s || class == OUTLIER_NONE)
		table_text(t, s ? NULL : outlier_class_names[class]);
	else
		table_textf(t, "%s: session %zu", outlier_class_names[class], session + 1);
}

static void sessions_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct session_study *s = ROW_ITEM(t, &a->cell[i].sessions);
	if (!t->in_heads && s->status)
		return;
	COL_CELL(t, a, &a->cell[i]);
	COL_COUNT(t, "n_sessions", "Sessions", s->n_sessions);
	COL_NUMBER(t, SHARE, "s_r", "Within, s_r", s->s_r, s->s_r);
	COL_NUMBER(t, SHARE, "s_L", "Between, s_L", s->s_L, s->s_r);
	COL_NUMBER(t, SHARE, "s_R", "Both, s_R", s->s_R, s->s_r);
	COL_STATUS(t, NUMBER, "cochran", "Cochran", s->cochran_status, s->cochran, 0.01);
	COL_STATUS(t, NUMBER, "cochran_critical_5", "5 %", s->cochran_status,
		s->cochran_critical_5, 0.01);
	COL_STATUS(t, NUMBER, "cochran_critical_1", "1 %", s->cochran_status,
		s->cochran_critical_1, 0.01);
	COL(t, TEXT, "cochran_mark", "Mark",
		add_mark(t, s->cochran_status, s->cochran_class, s->cochran_session));
	COL_STATUS(t, NUMBER, "grubbs", "Grubbs", s->grubbs_status, s->grubbs, 0.01);
	COL_STATUS(t, NUMBER, "grubbs_critical_5", "5 %", s->grubbs_status, s->grubbs_critical_5,
		0.01);
	COL_STATUS(t, NUMBER, "grubbs_critical_1", "1 %", s->grubbs_status, s->grubbs_critical_1,
		0.01);
	COL(t, TEXT, "grubbs_mark", "Mark",
		add_mark(t, s->grubbs_status, s->grubbs_class, s->grubbs_session));
}

const struct table_kind table_sessions = {
	"sessions", "Repeatability and reproducibility over sessions", table_n_cells, sessions_row,
	.note =
	"Standard deviations of a replay's mean response time, relative to the program's mean: "
	"within a session (repeatability), between sessions, and both together "
	"(within-laboratory reproducibility). Cochran's test examines the largest scatter, "
	"Grubbs' test the extreme mean. Above the 5 % value is a straggler, above the 1 % value "
	"an outlier. Both are marked, but never left out."};

static size_t n_sessions(const struct analysis *a, size_t i)
{
	return a->cell[i].sessions.status ? 0 : a->cell[i].sessions.n_sessions;
}

static void session_groups_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct session_group *g = ROW_ITEM(t, &a->cell[i].sessions.session[k]);
	COL_CELL(t, a, &a->cell[i]);
	COL_COUNT(t, "session", "Session", k + 1);
	COL_COUNT(t, "n", "Replicates", g->n);
	COL_NUMBER(t, NUMBER, "mean", "Mean", g->mean, g->sd);
	COL_NUMBER(t, SHARE, "sd", "s", g->sd, g->sd);
	COL_NUMBER(t, NUMBER, "h", "h", g->h, 0.1);
	COL_TEXT(t, "h_mark", "Mark", outlier_class_names[g->h_class]);
	COL_NUMBER(t, NUMBER, "k", "k", g->k, 0.1);
	COL_TEXT(t, "k_mark", "Mark", outlier_class_names[g->k_class]);
}

const struct table_kind table_session_groups = {"session-groups", "Every session", table_n_cells,
	.n_items = n_sessions, .item = session_groups_item, .note =
	"Mean and standard deviation of the results of a session, relative to the program's "
	"mean, with Mandel's statistics: h compares the mean with the other sessions, k "
	"compares the scatter."};

static void control_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct control_chart *k = ROW_ITEM(t, &a->cell[i].control);
	COL_CELL(t, a, &a->cell[i]);
	COL_STATUS(t, RELATIVE, "center", "Centre", k->status, k->center, k->upper - k->lower);
	COL_STATUS(t, RELATIVE, "lower", "Lower limit", k->status, k->lower, k->upper - k->lower);
	COL_STATUS(t, RELATIVE, "upper", "Upper limit", k->status, k->upper, k->upper - k->lower);
	COL_STATUS(t, COUNT, "n_outside", "Outside", k->status, (double)k->n_out, 10);
	COL_STATUS(t, SHARE, "moving_range", "Mean moving range", k->status, k->mr_bar,
		   k->upper - k->lower);
	COL_STATUS(t, SHARE, "moving_range_upper", "Upper limit", k->status, k->mr_upper,
		   k->upper - k->lower);
	COL_STATUS(t, COUNT, "n_ranges_outside", "Outside", k->status, (double)k->n_mr_out, 10);
}

const struct table_kind table_control = {
    "control", "Chart of individuals and moving ranges", table_n_cells, control_row,
    .note =
	"Control chart of the relative differences of the pairs, in the order of the blocks: "
	"centre, limits (three standard deviations, from the mean moving range), limit of a "
	"moving range, and numbers of points outside. Points outside the limits show a "
	"disturbance. They are not left out."};
