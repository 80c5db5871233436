/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "common/xalloc.h"
#include "reports/pool/pool_report.h"

static void suspect_row(struct table *t, const struct pool *p, const struct pool_case *c, const char *test, const struct outlier_finding *f)
{
	if (f->status || f->class == OUTLIER_NONE)
		return;
	table_text(t, c->scenario);
	table_text(t, c->replayer);
	table_text(t, p->laboratory[c->group[f->group].laboratory].name);
	table_text(t, test);
	table_number(t, f->statistic);
	table_number(t, f->critical_5);
	table_number(t, f->critical_1);
	table_text(t, outlier_class_names[f->class]);
}

static void table_suspects(struct table *t, const struct pool *p)
{
	table_init(t, "suspects", "Outliers and stragglers");
	table_note(t, "Cochran: its scatter is the largest; Grubbs: its mean is the highest or lowest, alone or (double test, where small values are "
		      "suspect) together with another. Beyond the 1 %% value an outlier, beyond the 5 %% value a straggler; of many cases some are by "
		      "chance.");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	table_column(t, FORMAT_TEXT, "laboratory", "Laboratory");
	table_column(t, FORMAT_TEXT, "test", "Test");
	table_column(t, FORMAT_NUMBER, "statistic", "Statistic");
	table_column(t, FORMAT_NUMBER, "critical_5", "5 %");
	table_column(t, FORMAT_NUMBER, "critical_1", "1 %");
	table_column(t, FORMAT_TEXT, "class", "It is");
	for (size_t i = 0; i < p->n_cases; i++) {
		const struct pool_case *c = &p->one[i];
		if (c->status)
			continue;
		suspect_row(t, p, c, "scatter", &c->cochran);
		suspect_row(t, p, c, "highest", &c->grubbs_max);
		suspect_row(t, p, c, "lowest", &c->grubbs_min);
		suspect_row(t, p, c, "two highest", &c->double_high);
		suspect_row(t, p, c, "two lowest", &c->double_low);
	}
}

static void table_studies(struct table *t, const struct pool *p)
{
	table_init(t, "pool", "Repeatability and reproducibility of each case");
	table_note(t, "Of x/r, the replay's %s over that of the program run again beside it. Bias: the laboratories' mean of x/r - 1. Two results "
		      "of one laboratory differ by more than r, and of two laboratories by more than R, once in twenty (ISO 5725-6).",
		   pool_measure_names[p->measure]);
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	table_column(t, FORMAT_COUNT, "n_laboratories", "Labs");
	table_column(t, FORMAT_RELATIVE, "bias", "Bias");
	table_column(t, FORMAT_SHARE, "s_r", "s_r");
	table_column(t, FORMAT_SHARE, "s_L", "s_L");
	table_column(t, FORMAT_SHARE, "s_R", "s_R");
	table_column(t, FORMAT_SHARE, "r_limit", "r");
	table_column(t, FORMAT_SHARE, "R_limit", "R");
	for (size_t i = 0; i < p->n_cases; i++) {
		const struct pool_case *c = &p->one[i];
		table_text(t, c->scenario);
		table_text(t, c->replayer);
		table_count(t, (double)c->n_groups);
		table_number_status(t, c->status, c->mean, fabs(c->mean) / 10);
		table_number_status(t, c->status, c->s_r, fabs(c->s_r) / 10);
		table_number_status(t, c->status, c->s_L, fabs(c->s_L) / 10);
		table_number_status(t, c->status, c->s_R, fabs(c->s_R) / 10);
		table_number_status(t, c->status, c->r_limit, fabs(c->r_limit) / 10);
		table_number_status(t, c->status, c->R_limit, fabs(c->R_limit) / 10);
	}
}

static void group_row(struct table *t, const struct pool *p, const struct pool_case *c, const struct pool_group *g)
{
	enum stat_status h = c->status ? c->status : g->h.status, k = c->status ? c->status : g->k.status;
	table_text(t, c->scenario);
	table_text(t, c->replayer);
	table_text(t, p->laboratory[g->laboratory].name);
	table_count(t, (double)g->n);
	table_number(t, g->mean);
	table_number(t, g->sd);
	table_number_status(t, h, g->h.statistic, NAN);
	table_number_status(t, h, g->h.critical_5, NAN);
	table_text(t, h ? NULL : outlier_class_names[g->h.class]);
	table_number_status(t, k, g->k.statistic, NAN);
	table_number_status(t, k, g->k.critical_5, NAN);
	table_text(t, k ? NULL : outlier_class_names[g->k.class]);
}

static void table_groups(struct table *t, const struct pool *p)
{
	table_init(t, "laboratories", "Each laboratory in each case");
	table_note(t, "Mandel's h is how far a laboratory's mean lies from all means, in their standard deviations; k is its scatter over the "
		      "laboratories' common one. Beyond the 5 %% value: straggler; beyond the 1 %% value: outlier.");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	table_column(t, FORMAT_TEXT, "laboratory", "Laboratory");
	table_column(t, FORMAT_COUNT, "n_results", "Results");
	table_column(t, FORMAT_RELATIVE, "bias", "Bias");
	table_column(t, FORMAT_SHARE, "sd", "s");
	table_column(t, FORMAT_NUMBER, "h", "h");
	table_column(t, FORMAT_NUMBER, "h_critical_5", "5 %");
	table_column(t, FORMAT_TEXT, "h_class", "By h");
	table_column(t, FORMAT_NUMBER, "k", "k");
	table_column(t, FORMAT_NUMBER, "k_critical_5", "5 %");
	table_column(t, FORMAT_TEXT, "k_class", "By k");
	for (size_t i = 0; i < p->n_cases; i++)
		for (size_t k = 0; k < p->one[i].n_groups; k++)
			group_row(t, p, &p->one[i], &p->one[i].group[k]);
}

static void table_laboratories(struct table *t, const struct pool *p)
{
	table_init(t, "tally", "Laboratories");
	table_note(t, "Cases in which a test (Cochran, Grubbs, Grubbs' double test) calls the laboratory an outlier (1 %%) or a straggler (5 %%). "
		      "Of many cases some do by chance.");
	table_column(t, FORMAT_TEXT, "laboratory", "Laboratory");
	t->n_row_headers = 1;
	table_column(t, FORMAT_TEXT, "source", "From");
	table_column(t, FORMAT_TEXT, "host", "Host");
	table_column(t, FORMAT_TEXT, "date", "Date");
	table_column(t, FORMAT_COUNT, "n_cases", "Cases");
	table_column(t, FORMAT_COUNT, "n_outlying", "Outlier in");
	table_column(t, FORMAT_COUNT, "n_straggling", "Straggler in");
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct pool_laboratory *l = &p->laboratory[i];
		table_text(t, l->name);
		table_text(t, l->baseline->source);
		table_text(t, l->baseline->host);
		table_text(t, l->baseline->date);
		table_count(t, (double)l->n_cases);
		table_count(t, (double)l->n_outlying);
		table_count(t, (double)l->n_straggling);
	}
}

static void table_missing(struct table *t, const struct pool *p)
{
	table_init(t, "missing", "Left out");
	table_note(t, "Cases of which a laboratory has fewer than two results.");
	table_column(t, FORMAT_TEXT, "laboratory", "Laboratory");
	t->n_row_headers = 1;
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	for (size_t i = 0; i < p->n_missing; i++) {
		table_text(t, p->laboratory[p->missing[i].laboratory].name);
		table_text(t, p->missing[i].scenario);
		table_text(t, p->missing[i].replayer);
	}
}

void pool_tables_build(struct tables *ts, const void *study)
{
	const struct pool *p = study;
	static void (*const builders[])(struct table *, const struct pool *) = {table_studies, table_suspects, table_laboratories, table_groups,
									  table_missing};
	ts->n = sizeof builders / sizeof *builders;
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i](&ts->table[i], p);
}
