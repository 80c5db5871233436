/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the last two steps: calibration and uncertainty. */
#include <math.h>

#include "reports/tables/tables.h"

static const char *significance(const struct estimate *bias)
{
	if (bias->status != STAT_OK || isnan(bias->lo95) || isnan(bias->hi95))
		return NULL;
	return bias->lo95 > 0 ? "longer" : bias->hi95 < 0 ? "shorter" : "–";
}

void table_calibration(struct table *t, const struct analysis *a)
{
	table_init(t, "calibration", "Systematic difference, and what went along with it");
	table_note(
	    t, "The replay takes longer or shorter where the 95 %% interval of the bias leaves out 0; else no "
	       "systematic difference is shown. Beside it what may explain "
	       "one, program / replay: share of the time the threads were ready but not running, share stolen by other "
	       "machines, page faults a request, share of the files cached before the run, mean number of requests in "
	       "flight.");
	table_cell_columns(t);
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	table_column(t, FORMAT_TEXT, "difference", "Takes");
	table_column(t, FORMAT_SHARE, "program_off_cpu", "Off CPU, program");
	table_column(t, FORMAT_SHARE, "replay_off_cpu", "replay");
	table_column(t, FORMAT_SHARE, "program_stolen", "Stolen, program");
	table_column(t, FORMAT_SHARE, "replay_stolen", "replay");
	table_column(t, FORMAT_NUMBER, "program_faults_per_request", "Faults, program");
	table_column(t, FORMAT_NUMBER, "replay_faults_per_request", "replay");
	table_column(t, FORMAT_SHARE, "program_cached", "Cached, program");
	table_column(t, FORMAT_SHARE, "replay_cached", "replay");
	table_column(t, FORMAT_NUMBER, "program_mean_level", "In flight, program");
	table_column(t, FORMAT_NUMBER, "replay_mean_level", "replay");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		table_estimate(t, &c->bias);
		table_text(t, significance(&c->bias));
		table_number_u(t, c->off_cpu_r, 0.01);
		table_number_u(t, c->off_cpu_x, 0.01);
		table_number_u(t, c->stolen_r, 0.01);
		table_number_u(t, c->stolen_x, 0.01);
		table_number_u(t, c->faults_r, 0.01);
		table_number_u(t, c->faults_x, 0.01);
		table_number_u(t, c->resident_r, 0.01);
		table_number_u(t, c->resident_x, 0.01);
		table_number_u(t, c->concurrency_mean_r, 0.1);
		table_number_u(t, c->concurrency_mean_x, 0.1);
	}
}

void table_uncertainty(struct table *t, const struct analysis *a)
{
	table_init(t, "uncertainty", "Measurement uncertainty");
	table_note(
	    t,
	    "The result of one future replay lies within ±U of what the program would have shown, corrected for the "
	    "bias, "
	    "with 95 %% coverage. U = k u_c; u_c combines the budget below, k is Student's t for its effective degrees "
	    "of freedom. All relative to the program's mean. Beside it the interval that 200 000 Monte Carlo trials of the "
	    "same budget give (JCGM 101), and whether ±U agrees with it to one digit of u_c.");
	table_cell_columns(t);
	table_column(t, FORMAT_TIME, "program_mean", "Program");
	table_column(t, FORMAT_TIME, "replay_mean", "Replay");
	table_column(t, FORMAT_SHARE, "U95", "± U");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias, stated apart [95 %]");
	table_column(t, FORMAT_SHARE, "u_c", "u_c");
	table_column(t, FORMAT_NUMBER, "nu_eff", "Degrees of freedom");
	table_column(t, FORMAT_NUMBER, "k95", "k");
	table_column(t, FORMAT_DECISION, "decision", "Decision");
	table_column(t, FORMAT_RELATIVE, "monte_carlo_lo", "Monte Carlo, from");
	table_column(t, FORMAT_RELATIVE, "monte_carlo_hi", "to");
	table_column(t, FORMAT_TEXT, "gum_adequate", "GUM adequate");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct budget *b = &c->budget;
		const struct propagation *m = &b->monte_carlo;
		table_cell_names(t, a, c);
		table_number_u(t, c->r.mean, c->r.sem);
		table_number_u(t, c->x.mean, c->x.sem);
		table_number_status(t, b->status, b->U95, b->U95);
		table_estimate(t, &c->bias);
		table_number_status(t, b->status, b->u_c, b->u_c);
		table_number_status(t, b->status, b->nu_eff, 1);
		table_number_status(t, b->status, b->k95, 0.1);
		table_decision(t, c->component[COMPONENT_UNCERTAINTY].decision);
		table_number_status(t, m->status, m->lo, m->hi);
		table_number_status(t, m->status, m->hi, m->hi);
		table_text(t, m->status ? NULL : m->adequate ? "yes" : "no");
	}
}

void table_budget(struct table *t, const struct analysis *a)
{
	table_init(t, "budget", "Uncertainty budget");
	table_note(t, "Type A components come from the scatter of runs, Type B from other knowledge. u is relative to "
		      "the program's "
		      "mean: value / divisor x sensitivity. Shares are of u_c squared.");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "component", "Component");
	table_column(t, FORMAT_TEXT, "type", "Type");
	table_column(t, FORMAT_TEXT, "distribution", "Distribution");
	table_column(t, FORMAT_NUMBER, "value", "Value");
	table_column(t, FORMAT_NUMBER, "divisor", "Divisor");
	table_column(t, FORMAT_NUMBER, "sensitivity", "Sensitivity");
	table_column(t, FORMAT_SHARE, "u", "u");
	table_column(t, FORMAT_NUMBER, "nu", "Degrees of freedom");
	table_column(t, FORMAT_SHARE, "share", "Share");
	for (size_t i = 0; i < a->n_cells; i++)
		for (size_t k = 0; k < a->cell[i].budget.n_rows && k < BUDGET_MAX_ROWS; k++) {
			const struct budget_row *r = &a->cell[i].budget.row[k];
			table_cell_names(t, a, &a->cell[i]);
			table_text(t, r->source);
			table_textf(t, "%c", r->type);
			table_text(t, r->distribution);
			table_number(t, r->value);
			table_number(t, r->divisor);
			table_number(t, r->sensitivity);
			table_number_u(t, r->u, r->u);
			table_number_u(t, r->nu, 1);
			table_number_u(t, r->share, 0.01);
		}
}

void table_paper(struct table *t, const struct analysis *a)
{
	table_init(t, "uncertainty-classic", "Uncertainty combined as in the literature");
	table_note(t, "For comparison only: three ways of combining the root mean square of the "
		      "bias, the reference's uncertainty and the scatter of the replay. The root "
		      "mean square already holds the scatter, so these overstate u_c of an "
		      "unbiased replayer 1.5 to 2 times.");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "mode", "Mode");
	table_column(t, FORMAT_PERCENT, "rms_bias", "RMS bias");
	table_column(t, FORMAT_PERCENT, "u_reference", "u(C_ref)");
	table_column(t, FORMAT_PERCENT, "u_bias", "u(bias)");
	table_column(t, FORMAT_PERCENT, "u_within", "u(R_w)");
	table_column(t, FORMAT_PERCENT, "u_c", "u_c");
	table_column(t, FORMAT_PERCENT, "U2", "U, k = 2");
	table_column(t, FORMAT_PERCENT, "U3", "U, k = 3");
	for (size_t i = 0; i < a->n_cells; i++)
		for (size_t m = 0; m < PAPER_MODE_N; m++) {
			const struct paper_uncertainty *p = &a->cell[i].paper[m];
			const double v[] = {p->rms_bias_pct, p->u_cref_pct, p->u_bias_pct, p->u_rw_pct,
					    p->u_c_pct,      p->U2_pct,     p->U3_pct};
			table_cell_names(t, a, &a->cell[i]);
			table_text(t, paper_mode_names[m]);
			for (size_t k = 0; k < sizeof v / sizeof v[0]; k++)
				table_number_status(t, p->status, v[k], v[k]);
		}
}
