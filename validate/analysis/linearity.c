/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linearity: whether scatter and relative bias stay constant as the level rises. Scenarios that
 * differ only in the level form a group. The regression uses the relative bias of the replicates
 * instead of the means of the levels, because lack of fit needs a pure error for comparison. */
#include "common/sort.h"
#include "validate/analysis/analysis_private.h"
#include "validate/stats/distributions.h"
#include "validate/stats/regression.h"
#include "validate/stats/series.h"

/* Copies the name of the scenario without its level. */
static void group_name(char *out, size_t size, const char *name)
{
	static const char key[] = " level=";
	const char *level = strstr(name, key), *rest = level ? level + strlen(key) : "";
	int before = (int)(level ? (size_t)(level - name) : strlen(name));
	phrase_add(out, size, "%.*s%s", before, name, rest + strcspn(rest, " "));
}

ORDER_BY(by_level, struct linearity_level, level)

static void line_fit(struct linearity *l, const double *level, const double *bias, size_t n)
{
	struct regression line;
	struct lack_of_fit lack;
	l->slope = l->slope_se = l->slope_p = l->intercept = l->lack_of_fit_f = l->lack_of_fit_p =
	    NAN;
	l->status = regression_fit(level, bias, n, &line);
	l->lack_of_fit_status = l->status ? l->status : lack_of_fit(level, bias, n, &lack);
	if (l->status)
		return;
	l->slope = line.slope;
	l->slope_se = line.se_slope;
	l->intercept = line.intercept;
	if (line.se_slope > 0)
		l->slope_p = t_two_sided(line.slope / line.se_slope, (double)(n - 2));
	if (!l->lack_of_fit_status) {
		l->lack_of_fit_f = lack.f;
		l->lack_of_fit_p = lack.p;
	}
}

/* Brown-Forsythe test with the replicates of each level as a group. They are contiguous, in cell
 * order. */
static void levels_spread(struct linearity *l, const double *level, const double *bias, size_t n)
{
	SCOPED_FREE struct values *group = xcalloc(n + 1, sizeof *group);
	struct spread_test t;
	size_t n_groups = 0;
	for (size_t i = 0; i < n; i++)
		if (i > 0 && level[i] == level[i - 1])
			group[n_groups - 1].n++;
		else
			group[n_groups++] = (struct values){bias + i, 1};
	l->spread_p =
	    n_groups > 1 && !spread_test(group, n_groups, SPREAD_ABOUT_MEDIAN, &t) ? t.p : NAN;
}

/* Tests whether the bias rises or falls monotonically with the level. */
static void trend_test(struct linearity *l)
{
	struct trend_test t;
	SCOPED_FREE double *bias = xcalloc(l->n_levels, sizeof *bias);
	for (size_t i = 0; i < l->n_levels; i++)
		bias[i] = l->level[i].relative_bias;
	l->trend_status = mann_kendall_exact(bias, l->n_levels, 0.05, &t);
	l->trend_p = l->trend_status ? NAN : t.p;
}

/* Appends a cell's level and the relative bias of its replicates. A cell without a usable reference
 * adds only its level. */
static size_t add_cell(struct linearity *l, const struct analysis *a, size_t index, double *level,
		       double *bias, size_t n)
{
	const struct cell *c = &a->cell[index];
	uint64_t of_cell = a->results->protocol.scenario[c->scenario].level;
	l->level[l->n_levels++] = (struct linearity_level){
	    .level = of_cell, .cell = index, .cv = c->x.cv,
	    .relative_bias = c->bias.status ? NAN : c->bias.value,
	};
	if (reference_check(c->r.x, c->r.n))
		return n;
	for (size_t i = 0; i < c->x.n; i++) {
		level[n] = (double)of_cell;
		bias[n++] = (c->x.x[i] - c->r.x[i]) / c->r.x[i];
	}
	return n;
}

/* Fits the cells of one group and replayer; returns false if there are fewer than two levels. */
static bool line_of(struct linearity *l, const struct analysis *a, size_t group, size_t replayer)
{
	const struct protocol *p = &a->results->protocol;
	size_t n = 0, room = 1;
	for (size_t i = 0; i < a->n_cells; i++)
		room += a->cell[i].x.n;
	SCOPED_FREE double *level = xcalloc(room, sizeof *level),
			   *bias = xcalloc(room, sizeof *bias);
	*l = (struct linearity){.group = group, .replayer = replayer};
	l->level = xcalloc(a->n_cells, sizeof *l->level);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		if (c->replayer != replayer || p->scenario[c->scenario].group != group)
			continue;
		if (!l->n_levels)
			group_name(l->name, sizeof l->name, p->scenario[c->scenario].name);
		n = add_cell(l, a, i, level, bias, n);
	}
	bool several = false;
	for (size_t i = 1; i < l->n_levels; i++)
		several |= l->level[i].level != l->level[0].level;
	if (several) {
		qsort(l->level, l->n_levels, sizeof *l->level, by_level);
		line_fit(l, level, bias, n);
		levels_spread(l, level, bias, n);
		trend_test(l);
	} else {
		free(l->level);
	}
	return several;
}

void linearity_compute(struct analysis *a)
{
	const struct protocol *p = &a->results->protocol;
	size_t n_groups = 0;
	for (size_t i = 0; i < p->n_scenarios; i++)
		n_groups =
		    p->scenario[i].group + 1 > n_groups ? p->scenario[i].group + 1 : n_groups;
	a->linearity = xcalloc(n_groups * p->n_replayers + 1, sizeof *a->linearity);
	for (size_t g = 0; g < n_groups; g++)
		for (size_t k = 0; k < p->n_replayers; k++)
			a->n_linearity += line_of(&a->linearity[a->n_linearity], a, g, k);
}
