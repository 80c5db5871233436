/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a case that stand beside the verdict: quantiles, sessions, the chart of individuals. */
#include <math.h>

#include "reports/json/json_report.h"

static void set_quantiles(json_t *o, const struct cell *c)
{
	static const char *const key[QUANTILES_N] = {"p50", "p90", "p99", "p999"};
	json_t *q = json_object(), *extrapolated = json_array();
	for (int i = 0; i < QUANTILES_N; i++) {
		json_add(q, J_ESTIMATE(key[i], &c->quantile_bias[i]));
		if (c->quantile_extrapolated[i])
			json_array_append_new(extrapolated, json_text(key[i]));
	}
	json_object_set_new(q, "extrapolated", extrapolated);
	json_add(o, J_VALUE("quantile_bias", q), J_NUMBER("ks_distance", c->ks_distance),
		J_NUMBER("wasserstein_relative", c->wasserstein));
}

static json_t *outlier(enum stat_status s, double statistic, double critical_5, double critical_1, enum outlier_class class,
		       size_t session)
{
	return json_make(J_TEXT("status", stat_status_name(s)), J_STATUS("statistic", s, statistic),
		J_STATUS("critical_5", s, critical_5), J_STATUS("critical_1", s, critical_1),
		J_TEXT("class", outlier_class_names[s ? OUTLIER_NONE : class]),
		J_COUNT("session", session + 1));
}

static void set_sessions(json_t *o, const struct session_study *s)
{
	json_t *all = json_object(), *groups = json_array();
	json_add(all, J_TEXT("status", stat_status_name(s->status)),
		J_COUNT("n_sessions", s->n_sessions), J_STATUS("s_r", s->status, s->s_r),
		J_STATUS("s_L", s->status, s->s_L), J_STATUS("s_R", s->status, s->s_R),
		J_VALUE("cochran", outlier(s->cochran_status, s->cochran, s->cochran_critical_5,
			s->cochran_critical_1, s->cochran_class, s->cochran_session)),
		J_VALUE("grubbs", outlier(s->grubbs_status, s->grubbs, s->grubbs_critical_5,
			s->grubbs_critical_1, s->grubbs_class, s->grubbs_session)));
	for (size_t i = 0; !s->status && i < s->n_sessions; i++) {
		const struct session_group *g = &s->session[i];
		json_append(groups, J_COUNT("n", g->n), J_NUMBER("mean", g->mean),
			J_NUMBER("sd", g->sd), J_NUMBER("h", g->h),
			J_TEXT("h_class", outlier_class_names[g->h_class]), J_NUMBER("k", g->k),
			J_TEXT("k_class", outlier_class_names[g->k_class]));
	}
	json_object_set_new(all, "groups", groups);
	json_object_set_new(o, "sessions", all);
}

static void set_control(json_t *o, const struct control_chart *k)
{
	json_t *v = json_make(J_TEXT("status", stat_status_name(k->status)),
		J_STATUS("center", k->status, k->center), J_STATUS("lower", k->status, k->lower),
		J_STATUS("upper", k->status, k->upper),
		J_STATUS("moving_range", k->status, k->mr_bar),
		J_STATUS("moving_range_upper", k->status, k->mr_upper),
		J_COUNT("n_outside", k->n_out), J_COUNT("n_ranges_outside", k->n_mr_out));
	json_object_set_new(o, "control_chart", v);
}

void json_set_metrology(json_t *o, const struct cell *c)
{
	set_quantiles(o, c);
	set_sessions(o, &c->sessions);
	set_control(o, &c->control);
}
