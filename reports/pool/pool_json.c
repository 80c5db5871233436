/* SPDX-License-Identifier: GPL-3.0-or-later */
/* doc/pool-schema.json describes it. */
#include "reports/json/json_value.h"
#include "reports/pool/pool_report.h"
#include "validate/pool/pool_league.h"

static json_t *finding(const struct pool *p, const struct pool_case *c,
		       const struct outlier_finding *f)
{
	return json_make(J_STATUS("statistic", f->status, f->statistic),
		J_STATUS("critical_5", f->status, f->critical_5),
		J_STATUS("critical_1", f->status, f->critical_1),
		J_VALUE("class", f->status ? json_null()
			: json_string(outlier_class_names[f->class])),
		J_VALUE("laboratory", f->status || f->group >= c->n_groups ? json_null()
			: json_text(p->laboratory[c->group[f->group].laboratory].name)));
}

static json_t *group(const struct pool *p, const struct pool_case *c, const struct pool_group *g)
{
	enum stat_status h = c->status ? c->status : g->h.status,
			 k = c->status ? c->status : g->k.status;
	return json_make(J_TEXT("laboratory", p->laboratory[g->laboratory].name),
		J_COUNT("n", g->n), J_NUMBER("bias", g->mean), J_NUMBER("sd", g->sd),
		J_STATUS("h", h, g->h.statistic),
		J_VALUE("h_class", h ? json_null() : json_string(outlier_class_names[g->h.class])),
		J_STATUS("k", k, g->k.statistic),
		J_VALUE("k_class", k ? json_null() : json_string(outlier_class_names[g->k.class])));
}

static json_t *case_json(const struct pool *p, const struct pool_case *c)
{
	json_t *o = json_object(), *groups = json_array();
	json_add(o, J_TEXT("scenario", c->scenario), J_TEXT("replayer", c->replayer),
		J_COUNT("n_results", c->n_results), J_STATUS("bias", c->status, c->mean),
		J_STATUS("s_r", c->status, c->s_r), J_STATUS("s_L", c->status, c->s_L),
		J_STATUS("s_R", c->status, c->s_R), J_STATUS("s_R_lo95", c->status, c->s_R_lo95),
		J_STATUS("s_R_hi95", c->status, c->s_R_hi95), J_STATUS("repeatability_limit",
		c->status, c->r_limit), J_STATUS("reproducibility_limit", c->status, c->R_limit));
	for (size_t i = 0; i < c->n_groups; i++)
		json_array_append_new(groups, group(p, c, &c->group[i]));
	json_object_set_new(o, "laboratories", groups);
	if (c->status)
		return o;
	return json_add(o, J_VALUE("cochran", finding(p, c, &c->cochran)), J_VALUE("grubbs_highest",
		finding(p, c, &c->grubbs_max)), J_VALUE("grubbs_lowest", finding(p, c,
		&c->grubbs_min)), J_VALUE("grubbs_two_highest", finding(p, c, &c->double_high)),
		J_VALUE("grubbs_two_lowest", finding(p, c, &c->double_low)));
}

static json_t *laboratory(const struct pool_laboratory *l)
{
	return json_make(J_TEXT("name", l->name), J_TEXT("source", l->baseline->source),
		J_TEXT("host", l->baseline->host), J_TEXT("date", l->baseline->date),
		J_TEXT("protocol_hash", l->baseline->protocol_hash), J_COUNT("n_cases", l->n_cases),
		J_COUNT("n_outlying", l->n_outlying), J_COUNT("n_straggling", l->n_straggling));
}

static json_t *missing(const struct pool *p, const struct pool_missing *m)
{
	return json_make(J_TEXT("laboratory", p->laboratory[m->laboratory].name),
		J_TEXT("scenario", m->scenario), J_TEXT("replayer", m->replayer));
}

static json_t *league(const struct pool *p)
{
	struct pool_league l;
	json_t *all = json_array();
	pool_league_make(&l, p);
	for (size_t i = 0; i < l.n_places; i++) {
		const struct pool_place *x = &l.place[i];
		json_array_append_new(all, json_make(J_TEXT("scenario", x->scenario),
			J_TEXT("replayer", x->one->replayer),
			J_TEXT("laboratory", p->laboratory[x->laboratory].name),
			J_TEXT("verdict", verdict_name(x->verdict)),
			J_TEXT("reason", x->one->reason), J_COUNT("n", x->one->n),
			J_NUMBER("bias", x->one->bias), J_NUMBER("bias_lo95", x->one->bias_lo95),
			J_NUMBER("bias_hi95", x->one->bias_hi95), J_NUMBER("U95", x->one->U95)));
	}
	pool_league_release(&l);
	return all;
}

void pool_json_add(struct strbuf *out, const void *study)
{
	const struct pool *p = study;
	json_t *o = json_pack("{s:s, s:i, s:s}", "format", "validate-pool", "version", 1, "measure",
			      pool_measure_names[p->measure]);
	json_t *laboratories = json_array(), *cases = json_array(), *left_out = json_array(),
	       *warnings = json_array();
	for (size_t i = 0; i < p->n_laboratories; i++)
		json_array_append_new(laboratories, laboratory(&p->laboratory[i]));
	for (size_t i = 0; i < p->n_cases; i++)
		json_array_append_new(cases, case_json(p, &p->one[i]));
	for (size_t i = 0; i < p->n_missing; i++)
		json_array_append_new(left_out, missing(p, &p->missing[i]));
	for (size_t i = 0; i < p->n_warnings; i++)
		json_array_append_new(warnings, json_text(p->warning[i]));
	json_add(o, J_TEXT("difference", p->difference), J_VALUE("warnings", warnings),
		J_VALUE("laboratories", laboratories), J_VALUE("league", league(p)),
		J_VALUE("cases", cases), J_VALUE("left_out", left_out));
	json_add_document(out, o);
}
