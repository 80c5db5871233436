/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Step 4: precision, bias, linearity, and how the replay went about its work. */
#include "reports/escape.h"
#include "reports/number.h"
#include "reports/html/html.h"
#include "reports/words.h"

static void add_precision(struct strbuf *out, const struct html_page *p)
{
	static const char *const keys[] = {"scenario",
					   "replayer",
					   "ratio",
					   "ratio_lower95",
					   "ratio_upper95",
					   "permutation_p_above",
					   "permutation_p_below",
					   "decision",
					   "f",
					   "f_critical",
					   "f_p",
					   "brown_forsythe_p",
					   NULL};
	const struct html_table_view view = {.keys = keys};
	strbuf_addstr(
	    out, "<h3 id=\"precision\">Precision</h3>\n<p>How much results scatter when the same "
		 "thing is "
		 "measured again. The program's own "
		 "runs scatter, too; a replayer is precise when it does not scatter much more.");
	if (p->a->between_process_cv >= 0) {
		struct strbuf cv = STRBUF_INIT;
		number_add(&cv, p->a->between_process_cv, p->a->between_process_cv,
			   number_unit_percent, false);
		strbuf_addf(out,
			    " On this machine the program's mean response time varies by <b>%s</b> "
			    "from run to run "
			    "(coefficient of variation, "
			    "median of the scenarios).",
			    cv.s);
		strbuf_release(&cv);
	}
	strbuf_addstr(out, "</p>\n");
	html_add_figures(out, p, "precision", false);
	html_add_table(out, p, "precision", &view);
	html_add_folded_table(out, p, "response-time", "Response times of program and replay",
			      NULL);
	strbuf_addstr(
	    out,
	    "<p class=\"src\">ISO 5725-1 and -2 (precision); Pitman 1939 and Morgan 1939 (paired "
	    "variances); Brown and Forsythe 1974; "
	    "F test as in Pereira et al. 2016, section III-D1</p>\n");
}

static bool has_operations(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (!a->cell[i].component[COMPONENT_OPERATION].estimate.status)
			return true;
	return false;
}

static void add_distribution(struct strbuf *out, const struct html_page *p)
{
	static const char *const keys[] = {
	    "scenario", "replayer",       "typical", "typical_decision", "tail", "tail_decision",
	    "shape",    "shape_decision", "half",    "half_decision",    NULL};
	const struct html_table_view view = {.keys = keys};
	strbuf_addstr(out, "<h3 id=\"distribution\">Distribution</h3>\n<p>The right mean can hide "
			   "a wrong distribution. The tail is the mean of the slowest 1 % of the "
			   "requests. The shape compares the distributions of response times, "
			   "each run's over its own typical response, the mean of the fastest 90 "
			   "%. Operations and halves of a run have a bias of their own. The "
			   "figures of the shape show, at each quantile that is judged, the share "
			   "of the replay's requests below a threshold less that of the program, "
			   "with 90 % intervals.</p>\n");
	html_add_table(out, p, "distribution", has_operations(p->a) ? NULL : &view);
	html_add_figures(out, p, "beyond", false);
	html_add_figures(out, p, "shape", true);
	html_add_folded_table(out, p, "parts", "Every operation, half and quantile", NULL);
	strbuf_addstr(out, "<p class=\"src\">Kolmogorov's distance at fixed points; conditional "
			   "tail expectation, Acerbi and Tasche 2002; "
			   "Berger and Hsu 1996 (all parts are needed)</p>\n");
}

static void add_bias(struct strbuf *out, const struct html_page *p)
{
	static const char *const keys[] = {
	    "scenario",    "replayer",     "program_mean",     "replay_mean", "bias", "decision",
	    "bias_median", "bias_trimmed", "bias_independent", "welch_p",     NULL};
	const struct html_table_view view = {.keys = keys};
	strbuf_addstr(out, "<h3 id=\"bias\">Bias</h3>\n<p>The systematic part of the difference "
			   "between replay and program. Each block gives one pair; the bias is "
			   "the geometric mean of the ratios replay / program, less one. + 5 % "
			   "means that a request takes 5 % longer in the replay.</p>\n");
	html_add_figures(out, p, "bias", false);
	html_add_table(out, p, "bias", &view);
	html_add_table(out, p, "operations", NULL);
	add_distribution(out, p);
	html_add_folded_table(out, p, "quantiles",
			      "Bias of the quantiles, and distance of the distributions", NULL);
	strbuf_addstr(out, "<p class=\"src\">VIM 2.18; GUM 3.2.3; equivalence by two one-sided "
			   "tests, Schuirmann 1987</p>\n");
}

static void add_linearity(struct strbuf *out, const struct html_page *p)
{
	if (!p->a->n_linearity)
		return;
	strbuf_addstr(
	    out,
	    "<h3 id=\"linearity\">Linearity</h3>\n<p>Whether precision and bias depend on the load "
	    "level (number of threads that issue "
	    "requests). In the figures, a level line means that the bias does not depend on the "
	    "load; "
	    "bars are 95 % intervals.</p>\n");
	html_add_figures(out, p, "linearity", true);
	strbuf_addstr(out, "<div class=\"pair\">\n<div>\n");
	html_add_table(out, p, "linearity-bias", NULL);
	strbuf_addstr(out, "</div>\n<div>\n");
	html_add_table(out, p, "linearity-precision", NULL);
	strbuf_addstr(out, "</div>\n</div>\n");
	html_add_folded_table(out, p, "linearity",
			      "Straight lines through the bias, and how well they fit", NULL);
	strbuf_addstr(
	    out, "<p class=\"src\">Pereira et al. 2016, section IV-A3 and tables III and IV</p>\n");
}

static bool is_timed(const struct analysis *a)
{
	for (size_t i = 0; i < a->n_cells; i++)
		if (a->cell[i].issue_error_p50.status != STAT_NOT_APPLICABLE)
			return true;
	return false;
}

static void add_behaviour(struct strbuf *out, const struct html_page *p)
{
	strbuf_addstr(out, "<h3 id=\"behaviour\">Time, order and fidelity of the replay</h3>\n<p>A "
			   "replay can show the "
			   "right response time for the wrong "
			   "reason: because it dropped requests, changed their order, or took "
			   "longer as a whole.</p>\n");
	html_add_table(out, p, "execution-time", NULL);
	html_add_table(out, p, "order", NULL);
	html_add_table(out, p, "fidelity", NULL);
	strbuf_addstr(out, "<p class=\"src\">RFC 4737, section 3 (Type-P-Reordered)</p>\n<h3 "
			   "id=\"concurrency\">Concurrency</h3>\n"
			   "<p>How many requests were in flight at a time. A replay that overlaps "
			   "requests more or less than the "
			   "program did puts "
			   "another load on the system. The figures show the share of the time "
			   "(left) and of the requests (right) "
			   "with so many "
			   "requests in flight or fewer: a curve above the program's means less "
			   "concurrency, below it more.</p>\n");
	html_add_figures(out, p, "concurrency", true);
	html_add_table(out, p, "in-flight", NULL);
	html_add_table(out, p, "concurrency", NULL);
	strbuf_addstr(out, "<p class=\"src\">Pereira et al. 2016, figure 5</p>\n<h3 "
			   "id=\"issue-error\">Issue error and "
			   "schedule</h3>\n");
	if (is_timed(p->a))
		strbuf_addstr(
		    out, "<p>How much later than intended a replay that keeps times issues its "
			 "requests. Late requests meet "
			 "another load, and those behind them wait less than they should.</p>\n");
	else
		strbuf_addstr(out,
			      "<p>No replayer here keeps the times of the trace, so that there is "
			      "no intended "
			      "time to miss; how far requests moved "
			      "from their place in the trace is listed for information.</p>\n");
	html_add_figures(out, p, "issue-error", false);
	if (is_timed(p->a))
		html_add_table(out, p, "issue-error", NULL);
	else
		html_add_folded_table(out, p, "issue-error", "Schedule", NULL);
	html_add_figures(out, p, "issue-cdf", true);
	html_add_figures(out, p, "issue-by-rate", true);
	html_add_figures(out, p, "issue-time", true);
	html_add_folded_table(out, p, "issue-rate", "Issue error by the rate of the moment", NULL);
	if (!p->a->course)
		return;
	strbuf_addstr(out, "<h3 id=\"pace\">Requests over time, and costs</h3>\n<p>Requests per "
			   "second over the time of a run, as "
			   "recorded and as replayed; means over the runs.</p>\n");
	html_add_figures(out, p, "pace", true);
	strbuf_addstr(
	    out, "<p>Mean number of requests in flight over the time of a run, of the program and "
		 "as replayed"
		 " (at the device, where runs are observed there); means over the runs.</p>\n");
	html_add_figures(out, p, "in-flight-time", true);
	html_add_table(out, p, "device", NULL);
	html_add_table(out, p, "costs", NULL);
	html_add_table(out, p, "stamps", NULL);
}

static void add_sessions(struct strbuf *out, const struct html_page *p)
{
	bool some = false;
	for (size_t i = 0; i < p->a->n_cells; i++)
		some |= p->a->cell[i].sessions.status == STAT_OK;
	strbuf_addstr(out, "<h3 id=\"sessions\">Sessions</h3>\n");
	if (!some) {
		strbuf_addstr(out, "<p>Not applicable: the campaign was made in one session. "
				   "Repeatability is what is known; a "
				   "campaign that is resumed, or one with <code>sessions</code> in "
				   "its protocol, tells it from "
				   "reproducibility.</p>\n");
		return;
	}
	html_add_table(out, p, "sessions", NULL);
	html_add_folded_table(out, p, "session-groups", "Every session, with Mandel's h and k",
			      NULL);
	strbuf_addstr(out, "<p class=\"src\">ISO 5725-2, 7.3 and 7.4</p>\n");
}

static void add_stability(struct strbuf *out, const struct html_page *p)
{
	strbuf_addstr(out, "<h3 id=\"stability\">Stability over the campaign</h3>\n<p>The mean "
			   "response time of every run, "
			   "in the order of the blocks. "
			   "Lines that run together mean no bias; what all of them do together is "
			   "the machine's doing.");
	if (p->figures->n_left_out)
		strbuf_addf(out,
			    " To keep the page small only some scenarios have figures of their "
			    "own, those that were "
			    "not accepted first; %zu were left "
			    "out here and above, and <a "
			    "href=\"tables/runs.csv\">tables/runs.csv</a> has them all.",
			    p->figures->n_left_out);
	strbuf_addstr(out, "</p>\n");
	html_add_figures(out, p, "runs", true);
	html_add_folded_table(out, p, "diagnostics", "Were the replicates independent?", NULL);
	html_add_figures(out, p, "control", true);
	html_add_folded_table(out, p, "control", "Chart of individuals and moving ranges", NULL);
	add_sessions(out, p);
}

void html_add_characterisation(struct strbuf *out, const struct html_page *p)
{
	strbuf_addstr(out, "<h2 id=\"step-4\">4 Characterisation</h2>\n");
	if (!p->a->n_cells) {
		strbuf_addstr(out, "<p>There is nothing to characterise yet.</p>\n");
		return;
	}
	add_precision(out, p);
	add_bias(out, p);
	add_linearity(out, p);
	add_behaviour(out, p);
	add_stability(out, p);
}
