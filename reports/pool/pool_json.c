/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/pool-schema.json describes it. */
#include <stdlib.h>

#include "reports/json/json_value.h"
#include "reports/pool/pool_report.h"

static json_t *finding(const struct pool *p, const struct pool_case *c, const struct outlier_finding *f)
{
	json_t *o = json_object();
	json_set_status_number(o, "statistic", f->status, f->statistic);
	json_set_status_number(o, "critical_5", f->status, f->critical_5);
	json_set_status_number(o, "critical_1", f->status, f->critical_1);
	json_object_set_new(o, "class", f->status ? json_null() : json_string(outlier_class_names[f->class]));
	json_object_set_new(o, "laboratory",
			    f->status || f->group >= c->n_groups ? json_null() : json_text(p->laboratory[c->group[f->group].laboratory].name));
	return o;
}

static json_t *group(const struct pool *p, const struct pool_case *c, const struct pool_group *g)
{
	json_t *o = json_object();
	enum stat_status h = c->status ? c->status : g->h.status, k = c->status ? c->status : g->k.status;
	json_set_text(o, "laboratory", p->laboratory[g->laboratory].name);
	json_set_count(o, "n", g->n);
	json_set_number(o, "bias", g->mean);
	json_set_number(o, "sd", g->sd);
	json_set_status_number(o, "h", h, g->h.statistic);
	json_object_set_new(o, "h_class", h ? json_null() : json_string(outlier_class_names[g->h.class]));
	json_set_status_number(o, "k", k, g->k.statistic);
	json_object_set_new(o, "k_class", k ? json_null() : json_string(outlier_class_names[g->k.class]));
	return o;
}

static json_t *case_json(const struct pool *p, const struct pool_case *c)
{
	json_t *o = json_object(), *groups = json_array();
	json_set_text(o, "scenario", c->scenario);
	json_set_text(o, "replayer", c->replayer);
	json_set_count(o, "n_results", c->n_results);
	json_set_status_number(o, "bias", c->status, c->mean);
	json_set_status_number(o, "s_r", c->status, c->s_r);
	json_set_status_number(o, "s_L", c->status, c->s_L);
	json_set_status_number(o, "s_R", c->status, c->s_R);
	json_set_status_number(o, "repeatability_limit", c->status, c->r_limit);
	json_set_status_number(o, "reproducibility_limit", c->status, c->R_limit);
	for (size_t i = 0; i < c->n_groups; i++)
		json_array_append_new(groups, group(p, c, &c->group[i]));
	json_object_set_new(o, "laboratories", groups);
	if (c->status)
		return o;
	json_object_set_new(o, "cochran", finding(p, c, &c->cochran));
	json_object_set_new(o, "grubbs_highest", finding(p, c, &c->grubbs_max));
	json_object_set_new(o, "grubbs_lowest", finding(p, c, &c->grubbs_min));
	json_object_set_new(o, "grubbs_two_highest", finding(p, c, &c->double_high));
	json_object_set_new(o, "grubbs_two_lowest", finding(p, c, &c->double_low));
	return o;
}

static json_t *laboratory(const struct pool_laboratory *l)
{
	json_t *o = json_object();
	json_set_text(o, "name", l->name);
	json_set_text(o, "source", l->baseline->source);
	json_set_text(o, "host", l->baseline->host);
	json_set_text(o, "date", l->baseline->date);
	json_set_text(o, "protocol_hash", l->baseline->protocol_hash);
	json_set_count(o, "n_cases", l->n_cases);
	json_set_count(o, "n_outlying", l->n_outlying);
	json_set_count(o, "n_straggling", l->n_straggling);
	return o;
}

static json_t *missing(const struct pool *p, const struct pool_missing *m)
{
	json_t *o = json_object();
	json_set_text(o, "laboratory", p->laboratory[m->laboratory].name);
	json_set_text(o, "scenario", m->scenario);
	json_set_text(o, "replayer", m->replayer);
	return o;
}

void pool_json_add(struct strbuf *out, const void *study)
{
	const struct pool *p = study;
	json_t *o = json_pack("{s:s, s:i, s:s}", "format", "validate-pool", "version", 1, "measure", pool_measure_names[p->measure]);
	json_t *laboratories = json_array(), *cases = json_array(), *left_out = json_array(), *warnings = json_array();
	for (size_t i = 0; i < p->n_laboratories; i++)
		json_array_append_new(laboratories, laboratory(&p->laboratory[i]));
	for (size_t i = 0; i < p->n_cases; i++)
		json_array_append_new(cases, case_json(p, &p->one[i]));
	for (size_t i = 0; i < p->n_missing; i++)
		json_array_append_new(left_out, missing(p, &p->missing[i]));
	for (size_t i = 0; i < p->n_warnings; i++)
		json_array_append_new(warnings, json_text(p->warning[i]));
	json_object_set_new(o, "difference", json_text(p->difference));
	json_object_set_new(o, "warnings", warnings);
	json_object_set_new(o, "laboratories", laboratories);
	json_object_set_new(o, "cases", cases);
	json_object_set_new(o, "left_out", left_out);
	json_add_document(out, o);
}
