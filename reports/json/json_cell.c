/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case as JSON: everything in struct cell, in its order. */
#include <math.h>

#include "reports/json/json_value.h"
#include "validate/analysis/leaning.h"

static void set_samples(json_t *o, const struct cell *c)
{
	json_t *program = json_object(), *replay = json_object();
	json_set_sample(program, "mean_ns", &c->r);
	json_set_sample(program, "median_ns", &c->r_median);
	json_set_sample(program, "p99_ns", &c->r_p99);
	json_set_sample(program, "trimmed_mean_ns", &c->r_trimmed);
	json_set_sample(program, "execution_time_ns", &c->r_time);
	json_set_sample(program, "requests_per_s", &c->r_rate);
	json_set_sample(replay, "mean_ns", &c->x);
	json_set_sample(replay, "median_ns", &c->x_median);
	json_set_sample(replay, "p99_ns", &c->x_p99);
	json_set_sample(replay, "trimmed_mean_ns", &c->x_trimmed);
	json_set_sample(replay, "execution_time_ns", &c->x_time);
	json_set_sample(replay, "requests_per_s", &c->x_rate);
	json_object_set_new(o, "program", program);
	json_object_set_new(o, "replay", replay);
	json_set_number(o, "correlation", c->correlation);
}

static void set_bias_and_precision(json_t *o, const struct cell *c)
{
	json_set_estimate(o, "bias", &c->bias);
	json_set_estimate(o, "bias_independent", &c->bias_independent);
	json_set_estimate(o, "bias_median", &c->bias_median);
	json_set_estimate(o, "bias_trimmed_mean", &c->bias_trimmed);
	json_set_estimate(o, "precision_ratio", &c->precision_ratio);
	json_set_status_number(o, "precision_lower95", c->precision_ratio.status, c->precision_lower95);
	json_set_status_number(o, "precision_upper95", c->precision_ratio.status, c->precision_upper95);
	json_set_number(o, "permutation_p_above", c->permutation_p_above);
	json_set_number(o, "permutation_p_below", c->permutation_p_below);
	json_set_estimate(o, "precision_ratio_independent", &c->precision_independent);
	json_t *f = json_object();
	json_set_text(f, "status", stat_status_name(c->f_status));
	json_set_status_number(f, "ratio", c->f_status, c->f_ratio);
	json_set_status_number(f, "critical", c->f_status, c->f_critical);
	json_set_status_number(f, "p", c->f_status, c->f_p);
	json_set_status_number(f, "p_two_sided", c->f_status, c->f_p_two_sided);
	json_set_status_number(f, "ci_lo", c->f_status, c->f_ci_lo);
	json_set_status_number(f, "ci_hi", c->f_status, c->f_ci_hi);
	json_object_set_new(o, "f_test", f);
	json_set_number(o, "brown_forsythe_p", c->brown_forsythe_p);
	json_set_number(o, "levene_p", c->levene_p);
	json_set_number(o, "welch_p", c->welch_p);
	json_set_number(o, "shapiro_p_replay", c->shapiro_p_x);
	json_set_number(o, "shapiro_p_program", c->shapiro_p_r);
}

static json_t *monte_carlo(const struct propagation *m)
{
	json_t *o = json_object();
	json_set_text(o, "status", stat_status_name(m->status));
	json_set_count(o, "n_trials", m->n_trials);
	json_set_status_number(o, "lo", m->status, m->lo);
	json_set_status_number(o, "hi", m->status, m->hi);
	json_set_status_number(o, "tolerance", m->status, m->delta);
	json_object_set_new(o, "gum_adequate", m->status ? json_null() : json_boolean(m->adequate));
	return o;
}

static void set_budget(json_t *o, const struct budget *b)
{
	json_t *budget = json_object(), *rows = json_array();
	json_set_text(budget, "status", stat_status_name(b->status));
	for (size_t i = 0; i < b->n_rows && i < BUDGET_MAX_ROWS; i++) {
		const struct budget_row *r = &b->row[i];
		const char type[2] = {r->type, 0};
		json_t *row = json_object();
		json_set_text(row, "source", r->source);
		json_set_text(row, "type", type);
		json_set_text(row, "distribution", r->distribution);
		json_set_number(row, "value", r->value);
		json_set_number(row, "divisor", r->divisor);
		json_set_number(row, "sensitivity", r->sensitivity);
		json_set_number(row, "u", r->u);
		json_set_number(row, "nu", r->nu);
		json_set_number(row, "share", r->share);
		json_array_append_new(rows, row);
	}
	json_object_set_new(budget, "rows", rows);
	json_set_status_number(budget, "u_c", b->status, b->u_c);
	json_set_status_number(budget, "nu_eff", b->status, b->nu_eff);
	json_set_status_number(budget, "k95", b->status, b->k95);
	json_set_status_number(budget, "U95", b->status, b->U95);
	json_set_status_number(budget, "nu_spread", b->status, b->nu_spread);
	json_set_status_number(budget, "nu_spread_upper", b->status, b->nu_spread_upper);
	json_set_status_number(budget, "u_c_upper", b->status, b->u_c_upper);
	json_set_status_number(budget, "u_c_program", b->status, b->u_c_program);
	json_set_status_number(budget, "nu_spread_program", b->status, b->nu_spread_program);
	json_object_set_new(budget, "monte_carlo", monte_carlo(&b->monte_carlo));
	json_object_set_new(o, "budget", budget);
}

static void set_worth(json_t *o, const struct worth *w)
{
	json_t *worth = json_object();
	json_set_number(worth, "U95", w->U95);
	json_set_number(worth, "machine", w->machine);
	json_set_number(worth, "replayer", w->own);
	json_object_set_new(o, "worth", worth);
}

static void set_paper(json_t *o, const struct cell *c)
{
	json_t *paper = json_object();
	for (size_t m = 0; m < PAPER_MODE_N; m++) {
		const struct paper_uncertainty *p = &c->paper[m];
		json_t *mode = json_object();
		json_set_text(mode, "status", stat_status_name(p->status));
		json_set_status_number(mode, "rms_bias_percent", p->status, p->rms_bias_pct);
		json_set_status_number(mode, "u_cref_percent", p->status, p->u_cref_pct);
		json_set_status_number(mode, "u_bias_percent", p->status, p->u_bias_pct);
		json_set_status_number(mode, "u_rw_percent", p->status, p->u_rw_pct);
		json_set_status_number(mode, "u_c_percent", p->status, p->u_c_pct);
		json_set_status_number(mode, "U2_percent", p->status, p->U2_pct);
		json_set_status_number(mode, "U3_percent", p->status, p->U3_pct);
		json_object_set_new(paper, paper_mode_names[m], mode);
	}
	json_object_set_new(o, "uncertainty_classic", paper);
}

static void set_cdf(json_t *o, const char *key, const struct cdf *d)
{
	json_t *p = json_array();
	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(p, json_finite(d->p[i]));
	json_object_set_new(o, key, p);
}

static void set_order_and_concurrency(json_t *o, const struct cell *c)
{
	json_t *order = json_object(), *concurrency = json_object();
	json_set_count(order, "n_received", c->n_received);
	json_set_count(order, "n_reordered", c->n_reordered);
	json_set_count(order, "n_descents", c->n_descents);
	json_set_estimate(order, "deciding", &c->reordered);
	json_set_estimate(order, "all", &c->reordered_all);
	json_set_estimate(order, "thread", &c->reordered_thread);
	json_set_estimate(order, "object", &c->reordered_object);
	json_object_set_new(o, "reordered", order);
	json_set_number(concurrency, "mean_program", c->concurrency_mean_r);
	json_set_number(concurrency, "mean_replay", c->concurrency_mean_x);
	json_set_number(concurrency, "max_program", c->concurrency_max_r);
	json_set_number(concurrency, "max_replay", c->concurrency_max_x);
	json_set_estimate(concurrency, "in_flight", &c->in_flight);
	json_set_estimate(concurrency, "in_flight_max", &c->in_flight_max);
	json_set_estimate(concurrency, "distance_of_means_by_time", &c->concurrency_time);
	json_set_estimate(concurrency, "distance_of_means_by_request", &c->concurrency_request);
	json_set_estimate(concurrency, "distance_by_time", &c->concurrency_distance_time);
	json_set_estimate(concurrency, "distance_by_request", &c->concurrency_distance_request);
	set_cdf(concurrency, "cdf_by_time_program", &c->concurrency_time_r);
	set_cdf(concurrency, "cdf_by_time_replay", &c->concurrency_time_x);
	set_cdf(concurrency, "cdf_by_request_program", &c->concurrency_request_r);
	set_cdf(concurrency, "cdf_by_request_replay", &c->concurrency_request_x);
	json_object_set_new(o, "concurrency", concurrency);
}

static void set_time(json_t *o, const struct cell *c)
{
	json_t *issue = json_object();
	json_set_estimate(o, "execution_time", &c->execution_time);
	json_set_number(o, "execution_time_service", c->execution_service);
	json_set_number(o, "execution_time_schedule", c->execution_schedule);
	json_set_estimate(issue, "p50_ns", &c->issue_error_p50);
	json_set_estimate(issue, "p99_ns", &c->issue_error_p99);
	json_set_status_number(issue, "max_ns", c->issue_error_p50.status, c->issue_error_max);
	json_set_status_number(issue, "share_late", c->issue_error_p50.status, c->share_late);
	json_set_estimate(issue, "late", &c->late);
	json_set_estimate(issue, "held_up", &c->held_up);
	json_set_estimate(issue, "others_p99_ns", &c->issue_error_others_p99);
	json_object_set_new(o, "issue_error", issue);
	json_set_estimate(o, "schedule_error_ns", &c->schedule_error);
}

static void set_fidelity(json_t *o, const struct cell *c)
{
	json_set_count(o, "n_requests", c->n_requests);
	json_set_count(o, "n_lost", c->n_lost);
	json_set_count(o, "n_passed", c->n_passed);
	json_set_count(o, "n_results_untold", c->n_untold);
	json_set_count(o, "n_extra", c->n_extra);
	json_set_count(o, "n_mismatched", c->n_mismatched);
}

static void set_diagnostics(json_t *o, const struct cell *c)
{
	json_t *d = json_object();
	json_set_number(d, "lag1", c->lag1);
	json_set_number(d, "n_effective", c->n_effective);
	json_set_number(d, "runs_p", c->runs_p);
	json_set_number(d, "trend_p", c->trend_p);
	json_set_number(d, "off_cpu_program", c->off_cpu_r);
	json_set_number(d, "off_cpu_replay", c->off_cpu_x);
	json_set_number(d, "stolen_program", c->stolen_r);
	json_set_number(d, "stolen_replay", c->stolen_x);
	json_set_number(d, "faults_per_request_program", c->faults_r);
	json_set_number(d, "faults_per_request_replay", c->faults_x);
	json_set_number(d, "cached_program", c->resident_r);
	json_set_number(d, "cached_replay", c->resident_x);
	json_object_set_new(o, "diagnostics", d);
}

static json_t *parts(const struct component *c)
{
	json_t *all = json_array();
	for (size_t i = 0; i < c->n_parts; i++) {
		json_t *o = json_object();
		json_set_text(o, "part", c->part[i].label);
		json_set_estimate(o, "estimate", &c->part[i].estimate);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *components(const struct cell *c)
{
	json_t *all = json_array();
	for (size_t k = 0; k < COMPONENT_N; k++) {
		const struct component *p = &c->component[k];
		json_t *o = json_object();
		json_set_text(o, "component", component_names[k]);
		json_set_text(o, "decision", decision_name(p->decision));
		json_object_set_new(o, "rejected_before_holm", json_boolean(p->rejected_before_holm));
		json_set_estimate(o, "estimate", &p->estimate);
		json_set_number(o, "limit", p->limit);
		json_set_number(o, "p_reject", p->p_reject);
		json_set_number(o, "p_reject_holm", p->p_reject_holm);
		json_set_number(o, "lag1", p->lag1);
		json_set_number(o, "n_effective", p->n_effective);
		json_set_number(o, "accept_lo", p->accept_lo);
		json_set_number(o, "accept_hi", p->accept_hi);
		json_object_set_new(o, "dependent", json_boolean(p->dependent));
		json_set_count(o, "n_more", p->n_more);
		json_object_set_new(o, "impractical", json_boolean(p->impractical));
		json_set_text(o, "reason", p->reason);
		if (p->n_parts)
			json_object_set_new(o, "parts", parts(p));
		json_array_append_new(all, o);
	}
	return all;
}

json_t *json_cell(const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	json_t *o = json_object();
	json_set_text(o, "scenario", p->scenario[c->scenario].name);
	json_set_text(o, "replayer", p->replayer[c->replayer].name);
	json_set_text(o, "verdict", verdict_name(c->verdict));
	if (cell_leaning(c) != LEANING_NONE)
		json_set_text(o, "leaning", leaning_text(cell_leaning(c)));
	json_set_text(o, "reason", c->verdict_reason);
	json_object_set_new(o, "components", components(c));
	json_set_why(o, a, c);
	json_object_set_new(o, "blank", json_blank(&c->blank));
	json_set_count(o, "n_blocks", c->n_blocks);
	json_set_count(o, "n_pairs", c->n_pairs);
	json_set_count(o, "n_failed_program", c->n_failed_program);
	json_set_count(o, "n_failed_replayer", c->n_failed_replayer);
	json_object_set_new(o, "single_reference", json_boolean(c->single_reference));
	json_set_text(o, "first_failure", *c->first_failure ? c->first_failure : NULL);
	set_samples(o, c);
	set_bias_and_precision(o, c);
	set_budget(o, &c->budget);
	set_worth(o, &c->worth);
	set_paper(o, c);
	set_time(o, c);
	set_order_and_concurrency(o, c);
	set_fidelity(o, c);
	set_diagnostics(o, c);
	json_set_metrology(o, c);
	return o;
}
