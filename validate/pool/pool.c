/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/pool/pool.h"

#include "validate/pool/pool_alike.h"
#include "validate/stats/moments.h"

const char *const pool_measure_names[] = {"mean", "median", "p90", "p99", "execution-time", NULL};

static const enum baseline_column columns[POOL_MEASURE_N][2] = {
    [POOL_MEAN] = {COLUMN_X_MEAN, COLUMN_R_MEAN},
    [POOL_MEDIAN] = {COLUMN_X_MEDIAN, COLUMN_R_MEDIAN}, [POOL_P90] = {COLUMN_X_P90, COLUMN_R_P90},
    [POOL_P99] = {COLUMN_X_P99, COLUMN_R_P99},
    [POOL_EXECUTION_TIME] = {COLUMN_X_TIME, COLUMN_R_TIME},
};

#define LIMIT_FACTOR 2.8 /* ISO 5725-6, 4.1.2 */

/* --- laboratories -------------------------------------------------------- */

static int laboratories_make(struct pool *p, const struct baseline *b, size_t n, struct err *e)
{
	bool hosts = true;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(b[i].campaign, b[k].campaign))
				return err_set(
				    e, EINVAL,
				    "%s and %s are results of the same campaign: name each "
				    "campaign only once",
				    b[k].source, b[i].source);
			hosts &= b[i].host && b[k].host && strcmp(b[i].host, b[k].host);
		}
	p->laboratory = xcalloc(n, sizeof *p->laboratory);
	for (size_t i = 0; i < n; i++)
		p->laboratory[p->n_laboratories++] = (struct pool_laboratory){
		    .name = xstrdup(hosts ? b[i].host : b[i].source), .baseline = &b[i]};
	return 0;
}

/* --- cases --------------------------------------------------------------- */

/* Computes x/r of every pair that has both values; returns their number. */
static size_t results_of(const struct baseline_case *c, enum pool_measure measure, double *result)
{
	const double *x = c->column[columns[measure][0]], *r = c->column[columns[measure][1]];
	size_t n = 0;
	for (size_t i = 0; i < c->n; i++)
		if (isfinite(x[i]) && isfinite(r[i]) && r[i] > 0)
			result[n++] = x[i] / r[i];
	return n;
}

static void group_describe(struct pool_group *g, const struct values *v)
{
	struct sample_moments m;
	g->n = v->n;
	g->mean = g->sd = NAN;
	if (sample_moments(v->x, v->n, &m))
		return;
	g->mean = m.mean - 1;
	g->sd = m.spread ? NAN : m.sd;
}

static void classes_take(struct pool_case *c, const struct values *group)
{
	SCOPED(group_classes_release) struct group_classes k = {0};
	c->status = group_classes(group, c->n_groups, &k);
	if (c->status)
		return;
	c->cochran = k.cochran;
	c->grubbs_max = k.grubbs_max;
	c->grubbs_min = k.grubbs_min;
	c->double_high = k.double_high;
	c->double_low = k.double_low;
	for (size_t i = 0; i < c->n_groups; i++) {
		c->group[i].h = k.h[i];
		c->group[i].k = k.k[i];
	}
}

static void spread_compute(struct pool_case *c, const struct values *group)
{
	struct precision_study s;
	c->status = c->n_groups < 2 ? STAT_TOO_FEW : precision_study(group, c->n_groups, &s);
	if (c->status)
		return;
	c->s_r = s.s_r;
	c->s_L = sqrt(s.s_L2);
	c->s_R = s.s_R;
	c->s_R_lo95 = s.s_R_lo95;
	c->s_R_hi95 = s.s_R_hi95;
	c->r_limit = LIMIT_FACTOR * s.s_r;
	c->R_limit = LIMIT_FACTOR * s.s_R;
	for (size_t i = 0; i < c->n_groups; i++)
		c->mean += c->group[i].mean / (double)c->n_groups;
	classes_take(c, group);
}

static void case_compute(struct pool_case *c, const struct values *group)
{
	spread_compute(c, group);
	for (size_t i = 0; c->status && i < c->n_groups; i++)
		c->group[i].h.status = c->group[i].k.status = c->status;
}

static void case_make(struct pool *p, const char *scenario, const char *replayer)
{
	GROW(p->one, p->n_cases, p->cap_cases);
	struct pool_case *c = &p->one[p->n_cases++];
	SCOPED_FREE struct values *group = xcalloc(p->n_laboratories, sizeof *group);
	SCOPED_FREE double **result = xcalloc(p->n_laboratories, sizeof *result);
	*c = (struct pool_case){.scenario = xstrdup(scenario), .replayer = xstrdup(replayer),
		.group = xcalloc(p->n_laboratories, sizeof *c->group)};
	for (size_t i = 0; i < p->n_laboratories; i++) {
		const struct baseline_case *x =
		    baseline_case_find(p->laboratory[i].baseline, scenario, replayer);
		result[i] = xcalloc(x ? x->n + 1 : 1, sizeof **result);
		size_t n = x ? results_of(x, p->measure, result[i]) : 0;
		if (n < 2) {
			APPEND(p->missing, p->n_missing, p->cap_missing,
			       (struct pool_missing){i, xstrdup(scenario), xstrdup(replayer)});
			continue;
		}
		group[c->n_groups] = (struct values){result[i], n};
		c->group[c->n_groups].laboratory = i;
		group_describe(&c->group[c->n_groups], &group[c->n_groups]);
		c->n_groups++;
		c->n_results += n;
		p->laboratory[i].n_cases++;
	}
	case_compute(c, group);
	for (size_t i = 0; i < p->n_laboratories; i++)
		free(result[i]);
}

static bool is_known(const struct pool *p, const char *scenario, const char *replayer)
{
	for (size_t i = 0; i < p->n_cases; i++)
		if (!strcmp(p->one[i].scenario, scenario) && !strcmp(p->one[i].replayer, replayer))
			return true;
	return false;
}

/* --- outliers ------------------------------------------------------------ */

static enum outlier_class outlier_worse(enum outlier_class worst, const struct outlier_finding *f,
					size_t group)
{
	return !f->status && f->group == group && f->class > worst ? f->class : worst;
}

static void suspects_count(struct pool *p, const struct pool_case *c)
{
	for (size_t i = 0; i < c->n_groups && !c->status; i++) {
		enum outlier_class worst = OUTLIER_NONE;
		worst = outlier_worse(worst, &c->cochran, i);
		worst = outlier_worse(worst, &c->grubbs_max, i);
		worst = outlier_worse(worst, &c->grubbs_min, i);
		worst = outlier_worse(worst, &c->double_high, i);
		worst = outlier_worse(worst, &c->double_low, i);
		p->laboratory[c->group[i].laboratory].n_outlying += worst == OUTLIER_OUTLIER;
		p->laboratory[c->group[i].laboratory].n_straggling += worst == OUTLIER_STRAGGLER;
	}
}

int pool_make(struct pool *p, const struct baseline *b, size_t n, enum pool_measure measure,
	      bool allow, struct err *e)
{
	*p = (struct pool){.measure = measure};
	if (n < 2)
		return err_set(e, EINVAL, "a comparison needs at least two laboratories: name "
			"at least two results directories or baselines");
	struct err difference = ERR_INIT;
	int ret = laboratories_make(p, b, n, e);
	if (ret)
		return ret;
	if (pool_check(p, &difference) && !allow)
		return err_set(e, EPROTO, "%s (with --allow, these results are pooled "
			"nevertheless)", difference.msg);
	p->difference = difference.code ? xstrdup(difference.msg) : NULL;
	pool_warnings_add(p);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < b[i].n_cells; k++) {
			const char *scenario = b[i].scenario[b[i].cell[k].scenario].name;
			if (!is_known(p, scenario, b[i].cell[k].replayer))
				case_make(p, scenario, b[i].cell[k].replayer);
		}
	for (size_t i = 0; i < p->n_cases; i++)
		suspects_count(p, &p->one[i]);
	return p->n_cases ? 0 : err_set(e, EINVAL, "no laboratory has a case with results");
}

void pool_release(struct pool *p)
{
	for (size_t i = 0; i < p->n_cases; i++) {
		FREE_EACH(p->one[i].scenario, p->one[i].replayer, p->one[i].group);
	}
	for (size_t i = 0; i < p->n_missing; i++) {
		FREE_EACH(p->missing[i].scenario, p->missing[i].replayer);
	}
	for (size_t i = 0; i < p->n_laboratories; i++)
		free(p->laboratory[i].name);
	FREE_EACH(p->one, p->missing, p->laboratory, p->warning, p->difference);
	*p = (struct pool){0};
}
