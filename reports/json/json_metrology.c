/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a case that stand beside the verdict: quantiles, sessions, the chart of individuals. */
#include <math.h>

#include "reports/json/json_value.h"

static void set_quantiles(json_t *o, const struct cell *c)
{
	static const char *const key[QUANTILES_N] = {"p50", "p90", "p99", "p999"};
	json_t *q = json_object(), *extrapolated = json_array();
	for (int i = 0; i < QUANTILES_N; i++) {
		json_set_estimate(q, key[i], &c->quantile_bias[i]);
		if (c->quantile_extrapolated[i])
			json_array_append_new(extrapolated, json_text(key[i]));
	}
	json_object_set_new(q, "extrapolated", extrapolated);
	json_object_set_new(o, "quantile_bias", q);
	json_set_number(o, "ks_distance", c->ks_distance);
	json_set_number(o, "wasserstein_relative", c->wasserstein);
}

static json_t *outlier(enum stat_status s, double statistic, double critical_5, double critical_1, enum outlier_class class,
		       size_t session)
{
	json_t *o = json_object();
	json_set_text(o, "status", stat_status_name(s));
	json_set_status_number(o, "statistic", s, statistic);
	json_set_status_number(o, "critical_5", s, critical_5);
	json_set_status_number(o, "critical_1", s, critical_1);
	json_set_text(o, "class", outlier_class_names[s ? OUTLIER_NONE : class]);
	json_set_count(o, "session", session + 1);
	return o;
}

static void set_sessions(json_t *o, const struct session_study *s)
{
	json_t *all = json_object(), *groups = json_array();
	json_set_text(all, "status", stat_status_name(s->status));
	json_set_count(all, "n_sessions", s->n_sessions);
	json_set_status_number(all, "s_r", s->status, s->s_r);
	json_set_status_number(all, "s_L", s->status, s->s_L);
	json_set_status_number(all, "s_R", s->status, s->s_R);
	json_object_set_new(all, "cochran", outlier(s->cochran_status, s->cochran, s->cochran_critical_5,
						    s->cochran_critical_1, s->cochran_class, s->cochran_session));
	json_object_set_new(all, "grubbs", outlier(s->grubbs_status, s->grubbs, s->grubbs_critical_5, s->grubbs_critical_1,
						   s->grubbs_class, s->grubbs_session));
	for (size_t i = 0; !s->status && i < s->n_sessions; i++) {
		const struct session_group *g = &s->session[i];
		json_t *v = json_object();
		json_set_count(v, "n", g->n);
		json_set_number(v, "mean", g->mean);
		json_set_number(v, "sd", g->sd);
		json_set_number(v, "h", g->h);
		json_set_text(v, "h_class", outlier_class_names[g->h_class]);
		json_set_number(v, "k", g->k);
		json_set_text(v, "k_class", outlier_class_names[g->k_class]);
		json_array_append_new(groups, v);
	}
	json_object_set_new(all, "groups", groups);
	json_object_set_new(o, "sessions", all);
}

static void set_control(json_t *o, const struct control_chart *k)
{
	json_t *v = json_object();
	json_set_text(v, "status", stat_status_name(k->status));
	json_set_status_number(v, "center", k->status, k->center);
	json_set_status_number(v, "lower", k->status, k->lower);
	json_set_status_number(v, "upper", k->status, k->upper);
	json_set_status_number(v, "moving_range", k->status, k->mr_bar);
	json_set_status_number(v, "moving_range_upper", k->status, k->mr_upper);
	json_set_count(v, "n_outside", k->n_out);
	json_set_count(v, "n_ranges_outside", k->n_mr_out);
	json_object_set_new(o, "control_chart", v);
}

void json_set_metrology(json_t *o, const struct cell *c)
{
	set_quantiles(o, c);
	set_sessions(o, &c->sessions);
	set_control(o, &c->control);
}
