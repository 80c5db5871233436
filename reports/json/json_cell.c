/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case as JSON: everything in struct cell, in its order. */
#include "reports/json/json_report.h"
#include "reports/words.h"
#include "validate/components/component.h"

static void set_bias_and_precision(json_t *o, const struct cell *c)
{
	json_add(o, J_ESTIMATE("bias", &c->bias), J_ESTIMATE("bias_independent",
		&c->bias_independent), J_ESTIMATE("bias_median", &c->bias_median),
		J_ESTIMATE("bias_trimmed_mean", &c->bias_trimmed), J_ESTIMATE("precision_ratio",
		&c->precision_ratio), J_STATUS("precision_lower95", c->precision_ratio.status,
		c->precision_lower95), J_STATUS("precision_upper95", c->precision_ratio.status,
		c->precision_upper95), J_NUMBER("permutation_p_above", c->permutation_p_above),
		J_NUMBER("permutation_p_below", c->permutation_p_below),
		J_ESTIMATE("precision_ratio_independent", &c->precision_independent));
	json_t *f = json_make(J_TEXT("status", stat_status_name(c->f_status)), J_STATUS("ratio",
		c->f_status, c->f_ratio), J_STATUS("critical", c->f_status, c->f_critical),
		J_STATUS("p", c->f_status, c->f_p), J_STATUS("p_two_sided", c->f_status,
		c->f_p_two_sided), J_STATUS("ci_lo", c->f_status, c->f_ci_lo),
		J_STATUS("ci_hi", c->f_status, c->f_ci_hi));
	json_add(o, J_VALUE("f_test", f), J_NUMBER("brown_forsythe_p", c->brown_forsythe_p),
		J_NUMBER("levene_p", c->levene_p), J_NUMBER("welch_p", c->welch_p),
		J_NUMBER("shapiro_p_replay", c->shapiro_p_x),
		J_NUMBER("shapiro_p_program", c->shapiro_p_r));
}

static json_t *monte_carlo(const struct propagation *m)
{
	return json_make(J_TEXT("status", stat_status_name(m->status)),
		J_COUNT("n_trials", m->n_trials), J_STATUS("lo", m->status, m->lo),
		J_STATUS("hi", m->status, m->hi), J_STATUS("tolerance", m->status, m->delta),
		J_VALUE("gum_adequate", m->status ? json_null() : json_boolean(m->adequate)));
}

static void set_budget(json_t *o, const struct budget *b)
{
	json_t *budget = json_object(), *rows = json_array();
	json_add(budget, J_TEXT("status", stat_status_name(b->status)));
	for (size_t i = 0; i < b->n_rows && i < BUDGET_MAX_ROWS; i++) {
		const struct budget_row *r = &b->row[i];
		const char type[2] = {r->type, 0};
		json_append(rows, J_TEXT("source", r->source), J_TEXT("type", type),
			J_TEXT("distribution", r->distribution), J_NUMBER("value", r->value),
			J_NUMBER("divisor", r->divisor), J_NUMBER("sensitivity", r->sensitivity),
			J_NUMBER("u", r->u), J_NUMBER("nu", r->nu), J_NUMBER("share", r->share));
	}
	json_add(budget, J_VALUE("rows", rows), J_STATUS("u_c", b->status, b->u_c),
		J_STATUS("nu_eff", b->status, b->nu_eff), J_STATUS("k95", b->status, b->k95),
		J_STATUS("U95", b->status, b->U95), J_STATUS("nu_spread", b->status, b->nu_spread),
		J_STATUS("nu_spread_upper", b->status, b->nu_spread_upper), J_STATUS("u_c_upper",
		b->status, b->u_c_upper), J_STATUS("u_c_program", b->status, b->u_c_program),
		J_STATUS("nu_spread_program", b->status, b->nu_spread_program),
		J_VALUE("monte_carlo", monte_carlo(&b->monte_carlo)));
	json_object_set_new(o, "budget", budget);
}

static void set_paper(json_t *o, const struct cell *c)
{
	json_t *paper = json_object();
	for (size_t m = 0; m < PAPER_MODE_N; m++) {
		const struct paper_uncertainty *p = &c->paper[m];
		json_t *mode = json_make(J_TEXT("status", stat_status_name(p->status)),
			J_STATUS("rms_bias_percent", p->status, p->rms_bias_pct),
			J_STATUS("u_cref_percent", p->status, p->u_cref_pct),
			J_STATUS("u_bias_percent", p->status, p->u_bias_pct),
			J_STATUS("u_rw_percent", p->status, p->u_rw_pct), J_STATUS("u_c_percent",
			p->status, p->u_c_pct), J_STATUS("U2_percent", p->status, p->U2_pct),
			J_STATUS("U3_percent", p->status, p->U3_pct));
		json_object_set_new(paper, paper_mode_names[m], mode);
	}
	json_object_set_new(o, "uncertainty_classic", paper);
}

static json_t *cdf(const struct cdf *d)
{
	json_t *p = json_array();
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(p, json_finite(d->p[i]));
	return p;
}

static void set_order_and_concurrency(json_t *o, const struct cell *c)
{
	json_t *order = json_make(J_COUNT("n_received", c->n_received), J_COUNT("n_reordered",
		c->n_reordered), J_COUNT("n_descents", c->n_descents), J_ESTIMATE("deciding",
		&c->reordered), J_ESTIMATE("all", &c->reordered_all), J_ESTIMATE("thread",
		&c->reordered_thread), J_ESTIMATE("object", &c->reordered_object));
	json_t *concurrency = json_make(J_NUMBER("mean_program", c->concurrency_mean_r),
		J_NUMBER("mean_replay", c->concurrency_mean_x), J_NUMBER("max_program",
		c->concurrency_max_r), J_NUMBER("max_replay", c->concurrency_max_x),
		J_ESTIMATE("in_flight", &c->in_flight), J_ESTIMATE("in_flight_max",
		&c->in_flight_max), J_ESTIMATE("distance_of_means_by_time", &c->concurrency_time),
		J_ESTIMATE("distance_of_means_by_request", &c->concurrency_request),
		J_ESTIMATE("distance_by_time", &c->concurrency_distance_time),
		J_ESTIMATE("distance_by_request", &c->concurrency_distance_request),
		J_VALUE("cdf_by_time_program", cdf(&c->concurrency_time_r)),
		J_VALUE("cdf_by_time_replay", cdf(&c->concurrency_time_x)),
		J_VALUE("cdf_by_request_program", cdf(&c->concurrency_request_r)),
		J_VALUE("cdf_by_request_replay", cdf(&c->concurrency_request_x)));
	json_add(o, J_VALUE("reordered", order), J_VALUE("concurrency", concurrency));
}

static void set_time(json_t *o, const struct cell *c)
{
	json_t *issue = json_object();
	json_add(o, J_ESTIMATE("execution_time", &c->execution_time),
		J_NUMBER("execution_time_service", c->execution_service),
		J_NUMBER("execution_time_schedule", c->execution_schedule));
	json_add(issue, J_ESTIMATE("p50_ns", &c->issue_error_p50), J_ESTIMATE("p99_ns",
		&c->issue_error_p99), J_STATUS("max_ns", c->issue_error_p50.status,
		c->issue_error_max), J_STATUS("share_late", c->issue_error_p50.status,
		c->share_late), J_ESTIMATE("late", &c->late),
		J_ESTIMATE("held_up", &c->share_cpu_delayed),
		J_ESTIMATE("others_p99_ns", &c->issue_error_others_p99));
	json_add(o, J_VALUE("issue_error", issue),
		J_ESTIMATE("schedule_error_ns", &c->schedule_error));
}

static json_t *diagnostics(const struct cell *c)
{
	return json_make(J_NUMBER("lag1", c->lag1), J_NUMBER("n_effective", c->n_effective),
		J_NUMBER("runs_p", c->runs_p), J_NUMBER("trend_p", c->trend_p),
		J_NUMBER("off_cpu_program", c->off_cpu_r), J_NUMBER("off_cpu_replay", c->off_cpu_x),
		J_NUMBER("stolen_program", c->stolen_r), J_NUMBER("stolen_replay", c->stolen_x),
		J_NUMBER("faults_per_request_program", c->faults_r),
		J_NUMBER("faults_per_request_replay", c->faults_x), J_NUMBER("cached_program",
		c->resident_r), J_NUMBER("cached_replay", c->resident_x));
}

static json_t *parts(const struct component *c)
{
	json_t *all = json_array();
	for (size_t i = 0; i < c->n_parts; i++)
		json_append(all, J_TEXT("part", c->part[i].label),
			J_ESTIMATE("estimate", &c->part[i].estimate));
	return all;
}

static json_t *components_json(const struct analysis *a, const struct cell *c)
{
	json_t *all = json_array();
	for (size_t k = 0; k < components_listed(&a->results->protocol.accept); k++) {
		const struct component *p = &c->component[k];
		json_t *o = json_object();
		json_add(o, J_TEXT("component", component_names[k]), J_TEXT("decision",
			decision_name(p->decision)), J_BOOL("rejected_before_holm",
			p->rejected_before_holm), J_ESTIMATE("estimate", &p->estimate),
			J_NUMBER("limit", p->limit), J_NUMBER("p_reject", p->p_reject),
			J_NUMBER("p_reject_holm", p->p_reject_holm), J_NUMBER("lag1", p->lag1),
			J_NUMBER("n_effective", p->n_effective),
			J_NUMBER("accept_lo", p->accept_lo), J_NUMBER("accept_hi", p->accept_hi),
			J_BOOL("dependent", p->dependent), J_COUNT("n_more", p->n_more),
			J_BOOL("impractical", p->impractical), J_TEXT("reason", p->reason));
		if (p->n_parts)
			json_object_set_new(o, "parts", parts(p));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_cell(const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	json_t *o = json_make(J_TEXT("scenario", p->scenario[c->scenario].name), J_TEXT("replayer",
		p->replayer[c->replayer].name), J_TEXT("verdict", verdict_name(c->verdict)));
	if (cell_tendency(c) != TENDENCY_NONE)
		json_add(o, J_TEXT("leaning", words_tendency(cell_tendency(c))));
	json_add(o, J_TEXT("reason", c->verdict_reason),
		 J_VALUE("components", components_json(a, c)));
	json_set_why(o, a, c);
	json_add(o, J_VALUE("blank", json_blank(&c->blank)), J_COUNT("n_blocks", c->n_blocks),
		J_COUNT("n_pairs", c->n_pairs), J_COUNT("n_failed_program", c->n_failed_program),
		J_COUNT("n_failed_replayer", c->n_failed_replayer),
		J_BOOL("single_reference", c->single_reference),
		J_TEXT("first_failure", *c->first_failure ? c->first_failure : NULL));
	json_add(o, J_VALUE("program", json_make(J_SAMPLE("mean_ns", &c->r),
			J_SAMPLE("median_ns", &c->r_median), J_SAMPLE("p99_ns", &c->r_p99),
			J_SAMPLE("trimmed_mean_ns", &c->r_trimmed),
			J_SAMPLE("execution_time_ns", &c->r_time),
			J_SAMPLE("requests_per_s", &c->r_rate))),
		J_VALUE("replay", json_make(J_SAMPLE("mean_ns", &c->x),
			J_SAMPLE("median_ns", &c->x_median), J_SAMPLE("p99_ns", &c->x_p99),
			J_SAMPLE("trimmed_mean_ns", &c->x_trimmed),
			J_SAMPLE("execution_time_ns", &c->x_time),
			J_SAMPLE("requests_per_s", &c->x_rate))),
		J_NUMBER("correlation", c->correlation));
	set_bias_and_precision(o, c);
	set_budget(o, &c->budget);
	json_add(o, J_VALUE("worth", json_make(J_NUMBER("U95", c->expanded.U95),
		J_NUMBER("machine", c->expanded.machine), J_NUMBER("replayer", c->expanded.own))));
	set_paper(o, c);
	set_time(o, c);
	set_order_and_concurrency(o, c);
	json_add(o, J_COUNT("n_requests", c->n_requests), J_COUNT("n_lost", c->n_lost),
		 J_COUNT("n_skipped", c->n_skipped),
		 J_COUNT("n_results_unknown", c->n_results_unknown), J_COUNT("n_extra", c->n_extra),
		 J_COUNT("n_mismatched", c->n_mismatched), J_VALUE("diagnostics", diagnostics(c)));
	json_set_metrology(o, c);
	return o;
}

/* Members of a case in addition to the verdict: quantiles, sessions, chart of individuals. */

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

static json_t *outlier(enum stat_status s, double statistic, double critical_5, double critical_1,
		       enum outlier_class class, size_t session)
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
		J_STATUS("upper", k->status, k->upper), J_STATUS("moving_range", k->status,
		k->mr_bar), J_STATUS("moving_range_upper", k->status, k->mr_upper),
		J_COUNT("n_outside", k->n_out), J_COUNT("n_ranges_outside", k->n_mr_out));
	json_object_set_new(o, "control_chart", v);
}

void json_set_metrology(json_t *o, const struct cell *c)
{
	set_quantiles(o, c);
	set_sessions(o, &c->sessions);
	set_control(o, &c->control);
}
