/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the last two steps of the method validation: calibration and uncertainty. */

#include "common/residency.h"
#include "reports/number.h"
#include "reports/tables/tables.h"

static const char *significance_text(const struct estimate *bias)
{
	if (bias->status != STAT_OK || isnan(bias->lo95) || isnan(bias->hi95))
		return NULL;
	return bias->lo95 > 0 ? "longer" : bias->hi95 < 0 ? "shorter" : "–";
}

static void calibration_row(struct table *t, const struct cell *c)
{
	COL_OF(t, cell, c, bias, NULL, "Bias [95 %]");
	COL_TEXT(t, "difference", "Response times", significance_text(&c->bias));
	COL_OF_U(t, cell, c, diagnostics.off_cpu_r, "program_off_cpu", "Off CPU, program", 0.01);
	COL_OF_U(t, cell, c, diagnostics.off_cpu_x, "replay_off_cpu", "replay", 0.01);
	COL_OF_U(t, cell, c, diagnostics.stolen_r, "program_stolen", "Stolen, program", 0.01);
	COL_OF_U(t, cell, c, diagnostics.stolen_x, "replay_stolen", "replay", 0.01);
	COL_OF_U(t, cell, c, diagnostics.faults_r, "program_faults_per_request", "Faults, program",
	       0.01);
	COL_OF_U(t, cell, c, diagnostics.faults_x, "replay_faults_per_request", "replay", 0.01);
	COL_OF_U(t, cell, c, diagnostics.resident_r, "program_cached", "Cached, program", 0.01);
	COL_OF_U(t, cell, c, diagnostics.resident_x, "replay_cached", "replay", 0.01);
	COL_OF_U(t, cell, c, concurrency.mean_r, "program_mean_level", "In flight, program", 0.1);
	COL_OF_U(t, cell, c, concurrency.mean_x, "replay_mean_level", "replay", 0.1);
}

const struct table_kind table_calibration = {
    "calibration", "Bias and conditions of the runs", .cell = calibration_row,
    .note =
	"Response times: \"longer\" or \"shorter\" if the 95 % interval of the replay's bias "
	"excludes 0. The other columns show conditions, for program and replay, that can "
	"explain the bias. Off CPU: share of the time in which the threads did not run, because "
	"they waited for a device, slept or waited for a CPU. Stolen: share of the CPU time of all "
	"CPUs that other virtual machines took. Faults: page faults per request. Cached: share of "
	"the files' bytes that were in the page cache before the run. In flight: mean number of "
	"requests."};

static void uncertainty_row(struct table *t, const struct cell *c)
{
	const struct budget *b = ROW_ITEM(t, &c->budget);
	const struct propagation *m = ROW_ITEM(t, &b->monte_carlo);
	COL_NUMBER(t, TIME, "program_mean", "Program", c->r.mean, c->r.sem);
	COL_NUMBER(t, TIME, "replay_mean", "Replay", c->x.mean, c->x.sem);
	COL_OF_U(t, budget, b, U95, NULL, "± U", b->U95);
	COL_OF(t, cell, c, bias, NULL, "Bias, not in U [95 %]");
	COL_OF_U(t, budget, b, u_c, NULL, "u_c", b->u_c);
	COL_OF_U(t, budget, b, nu_eff, NULL, "Degrees of freedom", 1);
	COL_OF_U(t, budget, b, k95, NULL, "k", 0.1);
	COL_DECISION(t, "decision", "Decision", c->component[COMPONENT_UNCERTAINTY].decision);
	COL_OF_U(t, propagation, m, lo, "monte_carlo_lo", "Monte Carlo, from", m->hi);
	COL_OF_U(t, propagation, m, hi, "monte_carlo_hi", "to", m->hi);
	COL_TEXT(t, "gum_adequate", "Agrees with ±U",
		 m->status ? NULL : m->adequate ? "yes" : "no");
}

const struct table_kind table_uncertainty = {
    "uncertainty", "Measurement uncertainty", .cell = uncertainty_row,
    .note =
	"U = k u_c. The budget gives u_c, and k is Student's t for the effective degrees of "
	"freedom of u_c. All values are relative to the program's mean. For comparison, the table "
	"shows the interval from 200 000 Monte Carlo trials of the same budget (JCGM 101). This "
	"interval agrees with ±U if its ends differ from -U and +U by at most half a unit of the "
	"first significant digit of u_c (0.5 % if u_c is 3.4 %). If it does not agree, this "
	"interval is better than ±U. Even then, the decision compares U with its limit."};

static size_t n_budget_rows(const struct analysis *a, size_t i)
{
	const size_t n = a->cell[i].budget.n_rows;
	return n < BUDGET_MAX_ROWS ? n : BUDGET_MAX_ROWS;
}

static void budget_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct budget_row *r = ROW_ITEM(t, &a->cell[i].budget.row[k]);
	COL_CELL(t, a, &a->cell[i]);
	COL_TEXT(t, "component", "Component", r->source);
	COL(t, TEXT, "type", "Type", table_textf(t, "%c", r->type));
	COL_TEXT(t, "distribution", "Distribution", r->distribution);
	COL_OF(t, budget_row, r, value, NULL, "Value");
	COL_OF(t, budget_row, r, divisor, NULL, "Divisor");
	COL_OF(t, budget_row, r, sensitivity, NULL, "Sensitivity");
	COL_OF_U(t, budget_row, r, u, NULL, "u", r->u);
	COL_OF_U(t, budget_row, r, nu, NULL, "Degrees of freedom", 1);
	COL_OF_U(t, budget_row, r, share, NULL, "Share", 0.01);
}

const struct table_kind table_budget = {
    "budget",
    "Uncertainty budget",
    table_n_cells,
    .n_items = n_budget_rows,
    .item = budget_item,
    .note = "Type A components come from the scatter of runs, Type B components from other "
	    "knowledge. u is relative to the program's mean: value / divisor x sensitivity. Shares "
	    "are of u_c squared."};

static size_t n_modes(const struct analysis *a, size_t i)
{
	(void)a, (void)i;
	return PAPER_MODE_N;
}

static void paper_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct paper_uncertainty *p = ROW_ITEM(t, &a->cell[i].paper[k]);
	COL_CELL(t, a, &a->cell[i]);
	COL_TEXT(t, "mode", "Mode", paper_mode_names[k]);
	COL_OF_U(t, paper_uncertainty, p, rms_bias_pct, NULL, "RMS bias", p->rms_bias_pct);
	COL_OF_U(t, paper_uncertainty, p, u_cref_pct, "u_reference", "u(C_ref)", p->u_cref_pct);
	COL_OF_U(t, paper_uncertainty, p, u_bias_pct, NULL, "u(bias)", p->u_bias_pct);
	COL_OF_U(t, paper_uncertainty, p, u_rw_pct, "u_within", "u(R_w)", p->u_rw_pct);
	COL_OF_U(t, paper_uncertainty, p, u_c_pct, NULL, "u_c", p->u_c_pct);
	COL_OF_U(t, paper_uncertainty, p, U2_pct, NULL, "U, k = 2", p->U2_pct);
	COL_OF_U(t, paper_uncertainty, p, U3_pct, NULL, "U, k = 3", p->U3_pct);
}

const struct table_kind table_paper = {"uncertainty-classic",
	"Uncertainty combined as in the literature", table_n_cells, .n_items = n_modes,
	.item = paper_item, .note =
	"For comparison only: three older ways to combine the root mean square of the bias, the "
	"uncertainty of the reference and the scatter of the replay. The root mean square already "
	"contains the scatter. So for a replayer without bias, these values are 1.5 to 2 times as "
	"large as u_c."};

/* Tables of single replicates and runs. */

static size_t n_replicates(const struct analysis *a, size_t i)
{
	const struct cell *c = &a->cell[i];
	return c->x.n < c->r.n ? c->x.n : c->r.n;
}

static void replicates_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	COL_CELL(t, a, c);
	COL_COUNT(t, "pair", "Pair", k + 1);
	COL_NUMBER(t, TIME, "program", "Program", c->r.x[k], NAN);
	COL_NUMBER(t, TIME, "replay", "Replay", c->x.x[k], NAN);
}

const struct table_kind table_replicates = {
    "replicates",
    "Results of every pair",
    table_n_cells,
    .n_items = n_replicates,
    .item = replicates_item,
    .data_only = true,
    .note = "Mean response time of the program and of the replay in each pair. Bias and precision "
	    "are computed from these values."};

static const char *run_role(const struct protocol *p, const struct run *r)
{
	if (r->role == ROLE_PROGRAM)
		return "program";
	if (r->role == ROLE_RECORD)
		return "recording";
	return r->role >= 0 && (size_t)r->role < p->n_replayers ? p->replayer[r->role].name
								: "unknown";
}

ROWS_OF(runs_n, a->results->n_runs)

static void runs_row(struct table *t, const struct analysis *a, size_t i)
{
	static const char *const state[] = {
		[RUN_PENDING] = "not run", [RUN_OK] = "ok", [RUN_FAILED] = "failed"};
	const struct protocol *p = &a->results->protocol;
	const struct run *r = ROW_ITEM(t, &a->results->run[i]);
	const struct fileset_residency *f = ROW_ITEM(t, &r->residency);
	const bool ok = !t->in_heads && r->state == RUN_OK && r->has_summary;
	const struct run_summary *s = ROW_ITEM(t, &r->summary);
	t->data_only = !protocol_in_detail(p); /* too many pages for a reader */
	COL_OF(t, run, r, id, "run", "Run");
	COL_OF(t, run, r, block, NULL, "Block");
	COL_OF(t, run, r, position, NULL, "Position");
	COL_TEXT(t, "scenario", "Scenario",
		r->scenario < p->n_scenarios ? p->scenario[r->scenario].name : NULL);
	COL_TEXT(t, "role", "Role", run_role(p, r));
	COL_TEXT(t, "state", "State", state[r->state]);
	COL_NUMBER_IF(t, TIME, "mean", "Mean", ok, s->response.mean, NAN);
	COL_NUMBER_IF(t, TIME, "median", "Median", ok, s->response_median, NAN);
	COL_NUMBER_IF(t, TIME, "p99", "p99", ok, s->response_p99, NAN);
	COL_NUMBER_IF(t, TIME, "execution_time", "Execution time", ok, (double)s->execution_ns,
		      NAN);
	COL_COUNT_IF(t, "n_requests", "Requests", ok, s->response.n);
	COL_NUMBER_IF(t, SHARE, "cached_before", "Cached before", f->total_bytes,
		(double)f->cached_bytes / (double)f->total_bytes, 0.01);
	COL_NUMBER_IF(t, BYTES, "cgroup_limit", "Memory limit", r->cgroup_limit_bytes,
		(double)r->cgroup_limit_bytes, NAN);
	COL(t, TEXT, "started", "Started (UTC)",
		const struct short_text date = date_text(r->started_ns, "%Y-%m-%dT%H:%M:%SZ");
		table_text(t, *date.s ? date.s : NULL));
	COL_TEXT(t, "reason", "Reason", r->reason);
}

const struct table_kind table_runs = {"runs", "Runs", runs_n, runs_row, .n_row_headers = 1,
	.note = "In the order of the plan. Block 0 is a warm-up: only its recordings are used."};
