/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps 5 and 6: calibration analysis and measurement uncertainty. */
#include "reports/html/html.h"

static void add_calibration(struct strbuf *out, const struct html_page *p)
{
	static const char *const keys[] = {"scenario",
					   "replayer",
					   "bias",
					   "difference",
					   "program_off_cpu",
					   "replay_off_cpu",
					   "program_stolen",
					   "replay_stolen",
					   "program_faults_per_request",
					   "replay_faults_per_request",
					   "program_cached",
					   "replay_cached",
					   NULL};
	const struct html_table_view causes = {.keys = keys};
	strbuf_addstr(
	    out,
	    "<h2 id=\"step-5\">5 Calibration analysis</h2>\n<p>Could the bias be corrected? A "
	    "correction found here would hold for this "
	    "machine, this target and these workloads only, and replay is used to look at others. "
	    "So "
	    "none is applied: the bias is "
	    "stated, and serves to find what in the replayer or in the procedure makes it.</p>\n");
	html_add_table(out, p, "calibration", &causes);
	strbuf_addstr(out, "<p class=\"src\">GUM 3.2.4 (correction of recognised effects); Pereira "
			   "et al. 2016, section III-E</p>\n");
}

static void add_uncertainty(struct strbuf *out, const struct html_page *p)
{
	static const char *const budget_keys[] = {
	    "scenario", "replayer", "component", "type", "distribution", "u", "nu", "share", NULL};
	const struct html_table_view budget = {.keys = budget_keys};
	strbuf_addstr(
	    out, "<h2 id=\"step-6\">6 Measurement uncertainty</h2>\n<p>How far the result of one "
		 "future replay, by this procedure in this laboratory, may lie from what the "
		 "program would have shown. Read a row so: the program takes the time under "
		 "<i>Program</i>; a replay shows the time under <i>Replay</i>, give or take U; "
		 "what is systematic in the difference is the <i>bias</i>.</p>\n");
	html_add_table(out, p, "uncertainty", NULL);
	html_add_figures(out, p, "budget", false);
	html_add_folded_table(out, p, "budget", "Uncertainty budget, row by row", &budget);
	html_add_folded_table(out, p, "uncertainty-classic",
			      "Combined as in the literature, for comparison", NULL);
	strbuf_addstr(out,
		      "<p class=\"src\">GUM 5.1 (combination), 4.2 and 4.3 (Type A and B), 6.2 and "
		      "G.4 (expanded "
		      "uncertainty, effective degrees of "
		      "freedom); Pereira et al. 2016, section III-F and tables V to VII</p>\n");
}

void html_add_conclusion(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->n_cells) {
		strbuf_addstr(out, "<h2 id=\"step-5\">5 Calibration analysis</h2>\n<p>Nothing to "
				   "analyse yet.</p>\n"
				   "<h2 id=\"step-6\">6 Measurement uncertainty</h2>\n<p>Nothing "
				   "to determine yet.</p>\n");
		return;
	}
	add_calibration(out, p);
	add_uncertainty(out, p);
}
