/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/pool/pool_report.h"
#include "validate/pool/pool_league.h"

static void case_columns(struct table *t, const struct pool_case *c)
{
	COL_TEXT(t, "scenario", "Scenario", c->scenario);
	COL_TEXT(t, "replayer", "Replayer", c->replayer);
	t->n_row_headers = 2;
}

/* --- the league table ---------------------------------------------------- */

static void bias_column(struct table *t, const char *title, const struct baseline_case *c)
{
	if (!table_head(t, FORMAT_RELATIVE, "bias", title, true))
		return;
	const struct estimate bias = {.status = isnan(c->bias) ? STAT_NOT_ASSESSED : STAT_OK,
				      .value = c->bias,
				      .lo90 = NAN,
				      .hi90 = NAN,
				      .lo95 = c->bias_lo95,
				      .hi95 = c->bias_hi95,
				      .df = NAN};
	table_estimate(t, &bias);
}

static void rank_row(struct table *t, const struct pool_league *l, size_t i)
{
	const struct pool_rank *r = ROW_ITEM(t, &l->rank[i]);
	COL_COUNT(t, "rank", "Rank", i + 1);
	COL_TEXT(t, "replayer", "Replayer", r->replayer);
	COL_COUNT(t, "n_laboratories", "Labs", r->n_laboratories);
	COL_COUNT(t, "n_trusted", "Trusted", r->n_trusted);
	COL_COUNT(t, "n_inconclusive", "Inconclusive", r->n_inconclusive);
	COL_COUNT(t, "n_not_trusted", "Not trusted", r->n_not_trusted);
	bias_column(t, "Largest bias [95 %]", t->in_heads ? NULL : r->worst);
	COL_TEXT(t, "scenario", "Scenario", r->worst_scenario);
}

static void table_ranks(struct table *t, const struct pool *p)
{
	struct pool_league l;
	pool_league_make(&l, p);
	table_init(t, "league", "League table");
	table_note(t, "Number of cases of each replayer in all laboratories, by verdict. Replayers "
		"whose cases are all trusted or inconclusive come first. Within each group, the "
		"order is by the share of trusted cases, then by the share of cases that are not "
		"trusted, and then by the largest bias. Largest bias: the largest of the "
		"replayer's cases in all laboratories.");
	TABLE_HEADS(t, rank_row(t, NULL, 0));
	t->n_row_headers = 2;
	for (size_t i = 0; i < l.n_ranks; i++)
		rank_row(t, &l, i);
	pool_league_release(&l);
}

static void place_row(struct table *t, const struct pool *p, const struct pool_place *place)
{
	const struct baseline_case *c = t->in_heads ? NULL : place->one;
	COL_TEXT(t, "scenario", "Scenario", place->scenario);
	COL_TEXT(t, "replayer", "Replayer", c->replayer);
	COL_TEXT(t, "laboratory", "Laboratory", p->laboratory[place->laboratory].name);
	COL_VERDICT(t, "verdict", "Verdict", place->verdict);
	bias_column(t, "Bias [95 %]", c);
	COL_TENTH(t, SHARE, "U95", "U", isnan(c->U95) ? STAT_NOT_ASSESSED : STAT_OK, c->U95);
	COL_COUNT(t, "n_results", "Replicates", c->n);
	COL_TEXT(t, "reason", "Reason", *c->reason ? c->reason : NULL);
}

static void table_classes(struct table *t, const struct pool *p)
{
	struct pool_league l;
	pool_league_make(&l, p);
	table_init(t, "classes", "Verdicts by scenario");
	table_note(t, "Every case of every laboratory, judged by its own campaign. In a "
		"scenario, the best verdict comes first, then the smallest bias. U: expanded "
		"uncertainty of one replay on that machine.");
	TABLE_HEADS(t, place_row(t, p, NULL));
	t->n_row_headers = 2;
	for (size_t i = 0; i < l.n_places; i++)
		place_row(t, p, &l.place[i]);
	pool_league_release(&l);
}

/* --- the study ----------------------------------------------------------- */

static void suspect_row(struct table *t, const struct pool *p, const struct pool_case *c,
			const char *test, const struct outlier_finding *f)
{
	if (!t->in_heads && (f->status || f->class == OUTLIER_NONE))
		return;
	case_columns(t, c);
	COL_TEXT(t, "laboratory", "Laboratory", p->laboratory[c->group[f->group].laboratory].name);
	COL_TEXT(t, "test", "Test", test);
	COL_NUMBER(t, NUMBER, "statistic", "Statistic", f->statistic, NAN);
	COL_NUMBER(t, NUMBER, "critical_5", "5 %", f->critical_5, NAN);
	COL_NUMBER(t, NUMBER, "critical_1", "1 %", f->critical_1, NAN);
	COL_TEXT(t, "class", "Class", outlier_class_names[f->class]);
}

static void table_suspects(struct table *t, const struct pool *p)
{
	table_init(t, "suspects", "Outliers and stragglers");
	table_note(t, "Test \"scatter\" (Cochran): the laboratory has the largest scatter. Tests "
		"\"highest\" and \"lowest\" (Grubbs): the laboratory has the highest or lowest "
		"mean. Tests \"two highest\" and \"two lowest\" (Grubbs' double test): the "
		"laboratory has one of the two highest or lowest means; here a small statistic is "
		"suspect. A value beyond the 1 %% critical value is an outlier, and a value "
		"between the 5 %% and the 1 %% critical value is a straggler. With many cases, "
		"some outliers and stragglers occur by chance.");
	TABLE_HEADS(t, suspect_row(t, p, NULL, NULL, NULL));
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

static void study_row(struct table *t, const struct pool_case *c)
{
	case_columns(t, c);
	COL_COUNT(t, "n_laboratories", "Labs", c->n_groups);
	COL_TENTH(t, RELATIVE, "bias", "Bias", c->status, c->mean);
	COL_TENTH(t, SHARE, "s_r", "s_r", c->status, c->s_r);
	COL_TENTH(t, SHARE, "s_L", "s_L", c->status, c->s_L);
	COL_TENTH(t, SHARE, "s_R", "s_R", c->status, c->s_R);
	COL_TENTH(t, SHARE, "s_R_lo95", "s_R from", c->status, c->s_R_lo95);
	COL_TENTH(t, SHARE, "s_R_hi95", "s_R to", c->status, c->s_R_hi95);
	COL_TENTH(t, SHARE, "r_limit", "r", c->status, c->r_limit);
	COL_TENTH(t, SHARE, "R_limit", "R", c->status, c->R_limit);
}

static void table_studies(struct table *t, const struct pool *p)
{
	table_init(t, "pool", "Repeatability and reproducibility of each case");
	table_note(t, "All columns come from ratios: the %s of the replay divided by that of the "
		"program in the same block. Bias: mean over the laboratories of this ratio minus "
		"1. s_r: scatter within a laboratory. s_L: scatter between laboratories. s_R: both "
		"together. s_R from, s_R to: 95 %% interval of s_R, which is wide with few "
		"laboratories. "
		"Two results of one laboratory differ by more than r with a probability of 5 %%. "
		"Two results of different laboratories differ by more than R with a probability "
		"of 5 %% (ISO 5725-6).",
		pool_measure_names[p->measure]);
	TABLE_HEADS(t, study_row(t, NULL));
	for (size_t i = 0; i < p->n_cases; i++)
		study_row(t, &p->one[i]);
}

static void group_row(struct table *t, const struct pool *p, const struct pool_case *c,
		      const struct pool_group *g)
{
	const bool heads = t->in_heads;
	const enum stat_status h = heads ? 0 : g->h.status;
	const enum stat_status k = heads ? 0 : g->k.status;
	case_columns(t, c);
	COL_TEXT(t, "laboratory", "Laboratory", p->laboratory[g->laboratory].name);
	COL_COUNT(t, "n_results", "Replicates", g->n);
	COL_NUMBER(t, RELATIVE, "bias", "Bias", g->mean, NAN);
	COL_NUMBER(t, SHARE, "sd", "s", g->sd, NAN);
	COL_STATUS(t, NUMBER, "h", "h", h, g->h.statistic, NAN);
	COL_STATUS(t, NUMBER, "h_critical_5", "5 %", h, g->h.critical_5, NAN);
	COL_TEXT(t, "h_class", "By h", h ? NULL : outlier_class_names[g->h.class]);
	COL_STATUS(t, NUMBER, "k", "k", k, g->k.statistic, NAN);
	COL_STATUS(t, NUMBER, "k_critical_5", "5 %", k, g->k.critical_5, NAN);
	COL_TEXT(t, "k_class", "By k", k ? NULL : outlier_class_names[g->k.class]);
}

static void table_groups(struct table *t, const struct pool *p)
{
	table_init(t, "laboratories", "Each laboratory in each case");
	table_note(t, "Mandel's h: mean of the laboratory minus the mean of all laboratories, "
		"in standard deviations of these means. k: scatter of the laboratory divided by "
		"the common scatter. A value between the 5 %% and the 1 %% critical value is a "
		"straggler, and a value beyond the 1 %% critical value is an outlier.");
	TABLE_HEADS(t, group_row(t, p, NULL, NULL));
	for (size_t i = 0; i < p->n_cases; i++)
		for (size_t k = 0; k < p->one[i].n_groups; k++)
			group_row(t, p, &p->one[i], &p->one[i].group[k]);
}

static void laboratory_row(struct table *t, const struct pool_laboratory *l)
{
	COL_TEXT(t, "laboratory", "Laboratory", l->name);
	COL_TEXT(t, "source", "From", l->baseline->source);
	COL_TEXT(t, "host", "Host", l->baseline->host);
	COL_TEXT(t, "date", "Date", l->baseline->date);
	COL_COUNT(t, "n_cases", "Cases", l->n_cases);
	COL_COUNT(t, "n_outlying", "Outlier in", l->n_outlying);
	COL_COUNT(t, "n_straggling", "Straggler in", l->n_straggling);
}

static void table_laboratories(struct table *t, const struct pool *p)
{
	table_init(t, "tally", "Laboratories");
	table_note(t, "Number of cases in which a test (Cochran, Grubbs, Grubbs' double test) "
		"calls the laboratory an outlier (1 %%) or a straggler (5 %%). With many cases, "
		"some outliers and stragglers occur by chance.");
	TABLE_HEADS(t, laboratory_row(t, NULL));
	for (size_t i = 0; i < p->n_laboratories; i++)
		laboratory_row(t, &p->laboratory[i]);
}

static void machine_row(struct table *t, const struct pool_laboratory *l)
{
	const struct baseline *b = t->in_heads ? NULL : l->baseline;
	COL_TEXT(t, "laboratory", "Laboratory", l->name);
	COL_TEXT(t, "protocol", "Protocol", b->protocol);
	COL_TEXT(t, "version", "validate", b->program_version);
	COL_TEXT(t, "cpu", "CPU", baseline_fact_find(b, "processors.model"));
	COL_TEXT(t, "kernel", "Kernel", baseline_fact_find(b, "kernel.release"));
	COL_TEXT(t, "file_system", "File system", baseline_fact_find(b, "targets.0.file_system"));
}

static void table_machines(struct table *t, const struct pool *p)
{
	table_init(t, "machines", "Machines");
	table_note(t, "File system: that of the first target.");
	TABLE_HEADS(t, machine_row(t, NULL));
	for (size_t i = 0; i < p->n_laboratories; i++)
		machine_row(t, &p->laboratory[i]);
}

static void table_missing(struct table *t, const struct pool *p)
{
	table_init(t, "missing", "Left out");
	table_note(t, "Cases with fewer than two replicates in a laboratory.");
	table_column(t, FORMAT_TEXT, "laboratory", "Laboratory");
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
	static void (*const builders[])(struct table *, const struct pool *) = {
	    table_ranks, table_studies, table_suspects, table_laboratories,
	    table_classes, table_machines, table_groups, table_missing};
	ts->n = sizeof builders / sizeof *builders;
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		builders[i](&ts->table[i], p);
}
