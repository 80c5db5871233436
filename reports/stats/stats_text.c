/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result on one screen: the answer in sentences, a picture, tables. The numbers come from lists
 * of estimates. */
#include "reports/escape.h"
#include "reports/table.h"
#include "reports/stats/stats_report.h"
#include "validate/stats/paper.h"
#include "validate/stats/series.h"

enum { CELL = 40, PLOT_WIDTH = 96, TABLE_WIDTH = 95 };

static const char *number_text(double x, char *cell)
{
	snprintf(cell, CELL, x == floor(x) && fabs(x) < 1e9 ? "%.0f" : "%.6g", x);
	return cell;
}

/* The value in %, and 0 for an end of an interval that only rounding separates from 0. */
static const char *percent_text(double x, double whole, char *cell)
{
	snprintf(cell, CELL, "%.3g", fabs(x) < 1e-9 * fabs(whole) ? 0 : x);
	return cell;
}

static const char *p_value(double p, char *cell)
{
	if (p < 1e-4)
		snprintf(cell, CELL, p < 1e-99 ? "< 1e-99" : "%.1e", p);
	else
		snprintf(cell, CELL, "%.4f", p);
	return cell;
}

/* The value, or its status in words. */
static const char *shown_value(const struct named_estimate *e, char *cell)
{
	if (!e)
		return "-";
	if (e->status)
		return stat_status_name(e->status);
	return e->word ? e->word : number_text(e->value, cell);
}

static const char *shown_p(const struct named_estimate *e, char *cell)
{
	return !e || e->status ? shown_value(e, cell) : p_value(e->value, cell);
}

/* --- names of samples ---------------------------------------------------- */

static const char *sample_name(const struct stats *s, size_t i, char *cell)
{
	if (i == 0)
		return s->n > 1 ? "reference" : "sample";
	if (s->n == 2)
		return "replay";
	snprintf(cell, CELL, "replay %zu", i);
	return cell;
}

static void who_print(const struct stats *s, struct strbuf *out)
{
	char cell[CELL];
	for (size_t i = 0; i < s->n; i++) {
		const struct stats_sample *x = &s->sample[i];
		strbuf_addf(out, "%-10s  ", sample_name(s, i, cell));
		escape_bytes(out, x->columns.path);
		strbuf_addf(out, ", ");
		escape_bytes(out, x->column->name);
		strbuf_addf(out, ": %zu value%s\n", x->columns.n, x->columns.n == 1 ? "" : "s");
	}
	if (s->n > 1)
		strbuf_addf(out, "samples     %s%s\n",
			    s->plan.paired ? "paired by line"
					   : "unpaired (--paired if lines belong together)",
			    s->plan.time_ordered ? "; in order of time: tests use 25 batch means"
						 : "");
	strbuf_addch(out, '\n');
}

/* --- results of a comparison --------------------------------------------- */

static void bias_print(const struct stats *s, const struct comparison *c, const char *who,
		       struct strbuf *out)
{
	const struct comparison_answer *a = &c->bias;
	double conf = 100 * (1 - s->plan.alpha), inner = 100 * (1 - 2 * s->plan.alpha),
	       limit = s->plan.limit_bias_pct;
	char p[CELL], lo[CELL], hi[CELL];
	if (a->status) {
		strbuf_addf(out, "The bias of the %s is inconclusive: %s (%s).\n", who,
		       table_status_text(a->status), stat_status_name(a->status));
		return;
	}
	bool shown_different = a->p <= s->plan.alpha;
	const char *side = a->value < 0 ? "below" : "above";
	percent_text(a->lo, a->hi, lo);
	percent_text(a->hi, a->lo, hi);
	p_value(a->p, p);
	if (c->paired)
		strbuf_addf(out, "The geometric mean of the ratios %s/reference is %.3g %% %s 1\n"
				 "  (sign-flip test of the pairs: %.4g %% interval %s to %s %%, "
				 "p %s):\n", who, fabs(a->value), side, conf, lo, hi, p);
	else
		strbuf_addf(out, "The mean of the %s is %.3g %% %s the reference's (%.4g %% "
				 "interval %s to %s %%, p %s):\n", who, fabs(a->value), side, conf,
			    lo, hi, p);
	strbuf_addf(out, "  a difference is %s, and ", shown_different ? "shown" : "not shown");
	if (c->bias_decision == DECIDED_REJECT) {
		strbuf_addf(out, "the bias is beyond the limits of %.4g %%.\n", limit);
		return;
	}
	strbuf_addf(out, "%s the limits of %.4g %%\n", c->bias_decision == DECIDED_ACCEPT
						   ? "the bias is within"
						   : "the bias is not shown to be within or beyond",
	       limit);
	strbuf_addf(out, "  (%.4g %% interval, widened for dependence between values: %.3g to "
			 "%.3g %%).\n", inner, a->inner_lo, a->inner_hi);
}

static void precision_print(const struct stats *s, const struct comparison *c, const char *who,
			    struct strbuf *out)
{
	const struct comparison_answer *a = &c->precision;
	double conf = 100 * (1 - s->plan.alpha), limit = s->plan.limit_precision;
	if (a->status) {
		strbuf_addf(out, "The precision of the %s is inconclusive: %s (%s).\n", who,
		       table_status_text(a->status), stat_status_name(a->status));
		return;
	}
	strbuf_addf(out, "The standard deviation of the %s%s is %.3g times the reference's%s"
			 "(%.4g %% interval %.3g to %.3g):\n",
		    c->paired ? "logarithms of the " : "", who, a->value,
		    c->paired ? "\n  " : " ", conf, a->lo, a->hi);
	if (c->precision_decision == DECIDED_ACCEPT)
		strbuf_addf(out, "  it is shown to be at most %.4g times the reference's", limit);
	else if (c->precision_decision == DECIDED_REJECT)
		strbuf_addf(out, "  it is shown to be more than %.4g times the reference's", limit);
	else
		strbuf_addf(out, "  it is inconclusive at the limit of %.4g times the reference's",
			    limit);
	strbuf_addf(out, "\n  (one-sided %.4g %% limits: lower %.3g; upper, widened for "
			 "dependence, %.3g%s).\n", conf, a->inner_lo, a->inner_hi,
		    c->precision_decision == DECIDED_INCONCLUSIVE && a->inner_hi <= limit
			? ",\n  not confirmed by the permutation test"
			: "");
}

const char *stats_verdict_name(const struct stats *s)
{
	static const char *const words[] = {"trusted", "not trusted", "inconclusive"};
	return words[s->verdict];
}

/* --- tables -------------------------------------------------------------- */

/* A table that is wider than `width` continues below. */
static void descriptions_print(const struct stats *s, size_t width, struct strbuf *out)
{
	static const char *const name[] = {"n", "mean", "sd", "cv_pct", "min", "median", "max"};
	static const char *const head[] = {"n", "mean", "sd", "CV %", "min", "median", "max"};
	const size_t n = sizeof name / sizeof *name, most = width > 24 ? (width - 10) / 14 : n;
	const char *units = s->config->units;
	for (size_t from = 0, end; from < n; from = end) {
		end = from + most < n ? from + most : n;
		strbuf_addf(out, "%-10s", "");
		for (size_t k = from; k < end; k++)
			strbuf_addf(out, "  %*s", k ? 12 : 8, head[k]);
		strbuf_addf(out, "%s%s\n", units && end == n ? "   " : "",
			    units && end == n ? units : "");
		for (size_t i = 0; i < s->n; i++) {
			char who[CELL], cell[CELL];
			const struct estimates *list = &s->sample[i].sample.estimates;
			strbuf_addf(out, "%-10s", sample_name(s, i, who));
			for (size_t k = from; k < end; k++)
				strbuf_addf(out, "  %*s", k ? 12 : 8,
					    shown_value(estimates_find(list, name[k], NULL), cell));
			strbuf_addch(out, '\n');
		}
	}
}

struct table_row {
	const char *label, *value, *value_params, *lo, *hi, *ends_params, *p, *p_params;
};

static const struct table_row rows[] = {
    {"relative bias of means, %", "relative_bias_of_means_pct", NULL, "bias_ci_lo_pct",
     "bias_ci_hi_pct", NULL, "bias_p", NULL},
    {"  BCa bootstrap", "relative_bias_of_means_pct", NULL, "boot_bias_lo_pct", "boot_bias_hi_pct",
     NULL, NULL, NULL},
    {"  paired log ratios (t test)", "log_ratio_bias_pct", NULL, "log_ratio_ci_lo_pct",
     "log_ratio_ci_hi_pct", NULL, "log_ratio_p", NULL},
    {"difference of means (Welch)", "welch_diff", NULL, "welch_ci_lo", "welch_ci_hi", NULL,
     "welch_p", NULL},
    {"shift (Hodges-Lehmann)", "hodges_lehmann", NULL, NULL, NULL, NULL, "mwu_p_asym", NULL},
    {"P(replay > reference); 0.5: alike", "vargha_delaney_A12", NULL, NULL, NULL, NULL, NULL, NULL},
    {"median bias, %", "quantile_bias_pct", "p=0.5;type=7", "quantile_bias_ci_lo_pct",
     "quantile_bias_ci_hi_pct", "p=0.5", NULL, NULL},
    {"p90 bias, %", "quantile_bias_pct", "p=0.9;type=7", "quantile_bias_ci_lo_pct",
     "quantile_bias_ci_hi_pct", "p=0.9", NULL, NULL},
    {"p99 bias, %", "quantile_bias_pct", "p=0.99;type=7", "quantile_bias_ci_lo_pct",
     "quantile_bias_ci_hi_pct", "p=0.99", NULL, NULL},
    {"p99.9 bias, %", "quantile_bias_pct", "p=0.999;type=7", "quantile_bias_ci_lo_pct",
     "quantile_bias_ci_hi_pct", "p=0.999", NULL, NULL},
    {"ratio of standard deviations", "precision_ratio", NULL, "precision_ratio_lo",
     "precision_ratio_hi", NULL, "F_p", "side=two"},
    {"  paired (Pitman-Morgan, logs)", "pm_log_ratio", NULL, NULL, NULL, NULL, NULL, NULL},
    {"F ratio (p: replay scatters more)", "F_r", NULL, "var_ratio_ci_lo", "var_ratio_ci_hi", NULL,
     "F_p", "side=greater"},
    {"  Brown-Forsythe", "brown_forsythe_W", NULL, NULL, NULL, NULL, "brown_forsythe_p", NULL},
    {"Kolmogorov-Smirnov distance, 0..1", "ks_D", NULL, NULL, NULL, NULL, "ks_p_asym", NULL},
    {"Wasserstein distance, %", "wasserstein1_pct", NULL, NULL, NULL, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL},
};

/* Returns the estimate of that name whose parameters begin with `prefix`. */
static const struct named_estimate *estimate_of(const struct estimates *list, const char *name,
						const char *prefix)
{
	for (size_t i = 0; name && i < list->n; i++) {
		const struct named_estimate *e = &list->e[i];
		size_t n = prefix ? strlen(prefix) : 0;
		if (!strcmp(e->name, name) && (!n || (!strncmp(e->params, prefix, n) &&
						      (!e->params[n] || e->params[n] == ';'))))
			return e;
	}
	return NULL;
}

struct table_widths {
	int gap, value, end; /* before a column, of the value, of an end of the interval */
};

/* Returns why there is no interval. */
static const char *no_interval(const struct table_row *row, enum stat_status status)
{
	return status == STAT_UNBOUNDED && !strcmp(row->value, "quantile_bias_pct")
		       ? "none: too few values"
		       : stat_status_name(status);
}

static void row_print(const struct estimates *list, const struct comparison_answer *precision,
		      const struct table_row *row, const struct table_widths *w, struct strbuf *out)
{
	const struct named_estimate *value = estimate_of(list, row->value, row->value_params);
	const struct named_estimate *lo = estimate_of(list, row->lo, row->ends_params),
				    *hi = estimate_of(list, row->hi, row->ends_params);
	const struct named_estimate *p = estimate_of(list, row->p, row->p_params);
	char a[CELL], b[CELL], c[CELL], d[CELL];
	/* the limits among the estimates are one-sided */
	const bool of_logs = !strcmp(row->value, "pm_log_ratio");
	const struct named_estimate pm[2] = {{.status = precision->status, .value = precision->lo},
					     {.status = precision->status, .value = precision->hi}};
	if (!value || (row->lo && !lo))
		return;
	if (of_logs) {
		lo = &pm[0];
		hi = &pm[1];
	}
	const bool interval = (lo && !lo->status) || (hi && !hi->status);
	strbuf_addf(out, "%-33s%*s%*s", row->label, w->gap, "", w->value, shown_value(value, a));
	if (value->status) {
		strbuf_addch(out, '\n');
		return;
	}
	if (interval)
		strbuf_addf(out, "%*s%*s .. %-*s", w->gap, "", w->end, shown_value(lo, b), w->end,
			    shown_value(hi, c));
	else
		strbuf_addf(out, "%*s%*s", w->gap, "", 2 * w->end + 4,
			    lo ? no_interval(row, lo->status) : "");
	strbuf_addf(out, "%*s%s\n", w->gap, "", p ? shown_p(p, d) : "");
}

static void table_print(const struct stats *s, const struct comparison *c, size_t width,
			struct strbuf *out)
{
	static const struct table_widths narrow = {1, 11, 10}, usual = {2, 14, 12};
	const struct table_widths *w = width && width < TABLE_WIDTH ? &narrow : &usual;
	const struct estimates *list = &c->estimates;
	strbuf_addf(out, "%-33s%*s%*s%*s%*.4g %% interval%*sp\n", "", w->gap, "", w->value,
		    "estimate", w->gap, "", w->value, 100 * (1 - s->plan.alpha), w->gap, "");
	for (const struct table_row *row = rows; row->label; row++) {
		bool of_pairs = !strcmp(row->value, "log_ratio_bias_pct") ||
				!strcmp(row->value, "pm_log_ratio");
		if (!of_pairs || c->paired)
			row_print(list, &c->precision, row, w, out);
	}
}

static void uncertainty_print(const struct stats *s, const struct comparison *c, struct strbuf *out)
{
	const struct estimates *list = &c->estimates;
	const char *mode = paper_mode_names[s->config->paper_mode];
	char params[CELL], a[CELL], b[CELL], d[CELL], f[CELL];
	strbuf_addf(out, "uncertainty of one replay, %%     u_c %s, k %s, U %s (GUM budget, "
			 "after correction for bias)\n",
		    shown_value(estimate_of(list, "budget_u_c_pct", NULL), a),
		    shown_value(estimate_of(list, "budget_k", "dof=cont"), b),
		    shown_value(estimate_of(list, "budget_U_pct", "dof=cont"), d));
	snprintf(params, sizeof params, "mode=%s", mode);
	const struct named_estimate *u_c = estimate_of(list, "u_c_pct", params);
	snprintf(params, sizeof params, "mode=%s;k=2", mode);
	strbuf_addf(out, "  as in Pereira and others, %%    u_c %s, U(k=2) %s (--paper-mode %s)\n",
		    shown_value(u_c, a), shown_value(estimate_of(list, "U_pct", params), f), mode);
}

/* --- notes --------------------------------------------------------------- */

static void sample_notes(const struct stats *s, size_t i, struct strbuf *out)
{
	const struct column_sample *x = &s->sample[i].sample;
	char who[CELL];
	const char *name = sample_name(s, i, who);
	const struct named_estimate *trend = estimates_find(&x->estimates, "mann_kendall_p", NULL);
	const struct named_estimate *normal = estimates_find(&x->estimates, "shapiro_p", NULL);
	const struct named_estimate *batch =
	    estimate_of(&x->estimates, "batch_means_acceptable", NULL);
	if (x->status && s->n > 1 && !x->unit_status)
		strbuf_addf(out, "note: the %s: %s\n", name, table_status_text(x->status));
	if (x->x.n >= 4 && fabs(x->lag1) > autocorrelation_warning(x->x.n) && !s->plan.time_ordered)
		strbuf_addf(out, "note: successive values of the %s depend on each other (lag-1 "
			"autocorrelation %.2g), so intervals may be too narrow. If these values "
			"come from one run and are in the order of time, give --time-ordered\n",
			name, x->lag1);
	if (s->plan.time_ordered && batch && !batch->status && batch->value == 0)
		strbuf_addf(out, "note: batch means of the %s still depend on each other: the run "
				 "is too short\n", name);
	if (trend && !trend->status && trend->value < 0.01)
		strbuf_addf(out, "note: the values of the %s drift (Mann-Kendall p %.2g)\n", name,
			    trend->value);
	if (normal && !normal->status && normal->value < 0.01)
		strbuf_addf(out, "note: the values of the %s are not normally distributed "
				 "(Shapiro-Wilk p %.2g): the Brown-Forsythe test and the bootstrap "
				 "are more reliable than F\n", name, normal->value);
}

static void comparison_notes(const struct comparison *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->estimates.n; i++) {
		const struct named_estimate *e = &c->estimates.e[i];
		bool flag = !e->status && e->value == 1;
		if (flag && !strcmp(e->name, "quantile_bias_extrapolated"))
			strbuf_addf(out, "note: the quantile at %s is extrapolated: too few values "
					 "lie beyond it\n", e->params);
		if (flag && strstr(e->name, "_percentile"))
			strbuf_addf(out, "note: %s: all resamples lie on one side of the estimate, "
					 "so the interval is a percentile interval, not a BCa "
					 "interval\n", e->name);
	}
}

/* --- the whole text ------------------------------------------------------ */

static void list_print(const char *title, const struct estimates *list, struct strbuf *out)
{
	char cell[CELL];
	strbuf_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < list->n; i++) {
		const struct named_estimate *e = &list->e[i];
		snprintf(cell, sizeof cell, "%.10g", e->value);
		strbuf_addf(out, "  %-32s  %-18s  %s\n", e->name,
		       e->status ? stat_status_name(e->status)
		       : e->word ? e->word
				 : cell,
		       e->params);
	}
}

static void sessions_print(const struct stats *s, size_t i, struct strbuf *out)
{
	const struct stats_sessions *g = &s->sample[i].sessions;
	static const char *const test[] = {"cochran", "grubbs_max", "grubbs_min",
					   "grubbs_double_high", "grubbs_double_low"};
	char who[CELL], a[CELL], b[CELL], c[CELL], key[CELL];
	if (!g->n)
		return;
	strbuf_addf(out, "\nsessions of the %s: %zu; repeatability s_r %s, reproducibility s_R %s, "
			 "F between sessions p %s\n", sample_name(s, i, who), g->n,
		    shown_value(estimate_of(&g->estimates, "s_r", NULL), a),
		    shown_value(estimate_of(&g->estimates, "s_R", NULL), b),
		    shown_p(estimate_of(&g->estimates, "anova_F_p", NULL), c));
	for (size_t k = 0; k < sizeof test / sizeof *test; k++) {
		snprintf(key, sizeof key, "%s_class", test[k]);
		const struct named_estimate *class = estimate_of(&g->estimates, key, NULL);
		snprintf(key, sizeof key, "%s_suspect", test[k]);
		const struct named_estimate *suspect = estimate_of(&g->estimates, key, NULL);
		if (!class || class->status || !suspect || suspect->status ||
		    !strcmp(class->word, "none"))
			continue;
		strbuf_addf(out, "  %s: %s, session ", test[k], class->word);
		escape_bytes(out, g->label[(size_t)suspect->value - 1]);
		strbuf_addch(out, '\n');
	}
	if (s->config->all)
		list_print("all statistics of the sessions", &g->estimates, out);
}

static void verdict_print(const struct stats *s, struct strbuf *out)
{
	bool beyond = false;
	for (size_t i = 0; i + 1 < s->n; i++)
		beyond |= s->comparison[i].bias_decision == DECIDED_REJECT ||
			  s->comparison[i].precision_decision == DECIDED_REJECT;
	strbuf_addf(out, "Verdict on bias and precision: %s", stats_verdict_name(s));
	if (beyond && s->verdict == DECIDED_INCONCLUSIVE)
		strbuf_addf(out, ".\n  Without Holm's correction, a test shows a value beyond its "
				 "limit (P <= %.4g).\n  The verdict \"not trusted\" needs P <= "
				 "%.4g with this correction",
			    s->plan.alpha, REJECTION_ERROR);
	strbuf_addstr(out, ".\n");
}

static void all_print(const struct stats *s, size_t width, struct strbuf *out)
{
	char cell[CELL];
	who_print(s, out);
	for (size_t i = 0; i + 1 < s->n; i++) {
		bias_print(s, &s->comparison[i], sample_name(s, i + 1, cell), out);
		precision_print(s, &s->comparison[i], sample_name(s, i + 1, cell), out);
	}
	if (s->config->judge)
		verdict_print(s, out);
	if (s->n > 1)
		strbuf_addch(out, '\n');
	stats_add_plot(out, s, width && width < PLOT_WIDTH ? width : PLOT_WIDTH);
	descriptions_print(s, width, out);
	for (size_t i = 0; i + 1 < s->n; i++) {
		strbuf_addch(out, '\n');
		if (s->n > 2)
			strbuf_addf(out, "%s\n", sample_name(s, i + 1, cell));
		table_print(s, &s->comparison[i], width, out);
		uncertainty_print(s, &s->comparison[i], out);
	}
	for (size_t i = 0; i < s->n; i++)
		sessions_print(s, i, out);
	for (size_t i = 0; i < s->n; i++)
		sample_notes(s, i, out);
	for (size_t i = 0; i + 1 < s->n; i++)
		comparison_notes(&s->comparison[i], out);
	for (size_t i = 0; i < s->n && s->config->all; i++)
		list_print(sample_name(s, i, cell), &s->sample[i].sample.estimates, out);
	for (size_t i = 0; i + 1 < s->n && s->config->all; i++)
		list_print("comparison", &s->comparison[i].estimates, out);
}

void stats_print_text(const struct stats *s, size_t width)
{
	SCOPED_STRBUF text = STRBUF_INIT, shown = STRBUF_INIT;
	all_print(s, width, &text);
	text_fit(&shown, text.s, width);
	fwrite(shown.s, 1, shown.len, stdout); /* main checks stdout for errors */
}
