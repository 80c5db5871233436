/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"
#include "reports/escape.h"
#include "reports/metrics/metrics_report.h"
#include "common/units.h"
#include "validate/metrics/levels.h"

/* --- similarity ---------------------------------------------------------- */

static void add_trace(struct strbuf *out, const char *what, const char *path,
		      const struct metrics_side *s)
{
	strbuf_addf(out, "%-11s", what);
	escape_bytes(out, path);
	strbuf_addf(out, ": %s%s%s\n", count_text(s->n_issued).s,
			 s->n_issued == 1 ? " request in " : " requests in ",
			 duration_text(metrics_execution_ns(s)).s);
}

static void add_matching(struct strbuf *out, const struct metrics *m)
{
	strbuf_addf(out, "%-11sby %s: %s request%s, %s lost, %s extra", "Matched",
			 m->match == MATCH_KEY ? "key" : "number", count_text(m->n_matched).s,
			 m->n_matched == 1 ? "" : "s", count_text(m->n_lost).s,
			 count_text(m->n_extra).s);
	if (m->n_skipped)
		strbuf_addf(out, ", %s skipped", count_text(m->n_skipped).s);
	if (m->parts & PART_FIDELITY)
		strbuf_addf(out, ", %s with a different result", count_text(m->n_mismatched).s);
	if (m->match_reason)
		strbuf_addf(out, "\n%-11sreason: %s", "", metrics_match_words(m->match_reason));
	if (m->match_reason && m->n_compared)
		strbuf_addf(out, "\n%-11scheck: of %s compared request number%s, %s %s the same "
				 "request in both traces", "", count_text(m->n_compared).s,
			    m->n_compared == 1 ? "" : "s", count_text(m->n_same_request).s,
			    m->n_same_request == 1 ? "denotes" : "denote");
	strbuf_addch(out, '\n');
}

static void add_warmup(struct strbuf *out, const struct metrics *m)
{
	if (!m->warmup_requests && !m->warmup_ns)
		return;
	strbuf_addf(out, "%-11sleft out: %s%s of the reference", "Warm-up",
			 count_text(m->reference.n_warmup).s,
			 m->reference.n_warmup == 1 ? " request" : " requests");
	if (m->warmup_ns)
		strbuf_addf(out, " within %s", duration_text((double)m->warmup_ns).s);
	strbuf_addf(out, ", %s of the replay\n", count_text(m->replay.n_warmup).s);
}

static struct moments response_of(const struct metrics_side *s, double *p99)
{
	struct moment_sum all = {0};
	SCOPED(histogram_release) struct histogram h = {0};
	for (unsigned int op = 1; op < OP_N; op++) {
		moment_sum_merge(&all, &s->response[op].sum);
		histogram_merge(&h, &s->response[op].histogram);
	}
	if (histogram_quantile(&h, 0.99, p99, NULL))
		*p99 = NAN;
	return moment_sum_result(&all, 0);
}

static void add_order_line(struct strbuf *out, const struct metrics *m, int point)
{
	static const char *const words[] = {"all", "within objects", "within threads"};
	const struct metrics_order *o = &m->order[point];
	char label[40];
	bool first = true;
	if (!o->observed)
		return;
	snprintf(label, sizeof label, "reordered, at %s", point == POINT_COMPLETE ? "completion"
							: point == POINT_ISSUE	? "issue"
										: "dispatch");
	cells_add_label(out, label);
	for (int s = 0; s < SCOPE_N; s++) {
		const struct disorder_total *t = &o->total[s];
		if (!(m->scopes >> s & 1))
			continue;
		strbuf_addf(out, first ? "    %.4g %% of %s" : ", %.4g %% %s",
			    t->n_received ? 100 * (double)t->n_reordered / (double)t->n_received
					  : 0,
			    words[s]);
		first = false;
	}
	strbuf_addch(out, '\n');
}

static void add_alike(struct strbuf *out, const struct metrics *m)
{
	const struct metrics_side *r = &m->reference, *x = &m->replay;
	strbuf_addf(out, "\n%-*s%*s%*s%*s\n", CELLS_LABEL_WIDTH + 2, "Comparison", CELLS_WIDTH,
		    "reference", CELLS_WIDTH, "replay", CELLS_WIDTH, "error");
	cells_add_pair(out, "execution time", metrics_execution_ns(r), metrics_execution_ns(x),
		       CELL_DURATION);
	cells_add_pair(out, "throughput [requests/s]", metrics_throughput(r), metrics_throughput(x),
		       CELL_DECIMAL);
	if (m->parts & PART_RESPONSE) {
		double p99_r, p99_x;
		struct moments a = response_of(r, &p99_r), b = response_of(x, &p99_x);
		cells_add_pair(out, "response time, mean", a.n ? a.mean : NAN, b.n ? b.mean : NAN,
			       CELL_DURATION);
		cells_add_pair(out, "response time, p99", p99_r, p99_x, CELL_DURATION);
	}
	if (m->parts & PART_CONCURRENCY)
		cells_add_pair(out, "requests in flight, mean",
			       levels_mean(&r->concurrency, LEVELS_BY_TIME),
			       levels_mean(&x->concurrency, LEVELS_BY_TIME), CELL_DECIMAL);
	for (int point = 0; point < POINT_N; point++)
		add_order_line(out, m, point);
}

/* --- sections ------------------------------------------------------------ */

static const char *const distribution_heads[] = {"mean", "sd", "p50", "p90", "p99", "p99.9", "max"};
#define N_HEADS (sizeof distribution_heads / sizeof *distribution_heads)

static void add_distribution(struct strbuf *out, const char *label, const json_t *d, size_t width)
{
	static const char *const key[N_HEADS] = {"mean", "sd", "p50", "p90", "p99", "p999", "max"};
	double x[N_HEADS];
	for (size_t i = 0; i < N_HEADS; i++)
		x[i] = cells_number(d, key[i]);
	cells_add_row(out, label, x, N_HEADS, CELL_DURATION, width);
}

static void add_response(struct strbuf *out, const json_t *all, size_t width)
{
	const json_t *list = json_object_get(all, "response"), *o;
	size_t i;
	char label[64];
	if (!list)
		return;
	cells_add_heads(out, "Response time by operation", distribution_heads, N_HEADS, width);
	json_array_foreach(list, i, o)
		for (int side = 0; side < 2; side++) {
			const json_t *d = json_object_get(o, side ? "replay_ns" : "reference_ns");
			snprintf(label, sizeof label, "%s %s, %.0f",
				json_string_value(json_object_get(o, "operation")),
				side ? "replay" : "reference", cells_number(d, "n"));
			add_distribution(out, label, d, width);
		}
}

static void add_schedule(struct strbuf *out, const struct metrics *m, const json_t *all,
			 size_t width)
{
	if (!(m->parts & PART_SCHEDULE) || !m->schedule.sum.n)
		return;
	cells_add_heads(out, "Start times (positive: late)", distribution_heads, N_HEADS, width);
	if (m->has_issue_error)
		add_distribution(out, "start - intended start (issue error)",
			json_object_get(all, "issue_error_ns"), width);
	add_distribution(out, "start - traced start", json_object_get(all, "schedule_error_ns"),
			 width);
}

static void add_concurrency(struct strbuf *out, const json_t *all)
{
	static const char *const heads[] = {"reference", "replay", "error"};
	static const struct {
		const char *label, *key;
		enum cell_unit unit;
	} pair[] = {{"mean number, by time", "conc_mean_time", CELL_DECIMAL},
		    {"mean number, while busy", "conc_mean_busy", CELL_DECIMAL},
		    {"mean number when a request starts", "conc_mean_request", CELL_DECIMAL},
		    {"largest number", "conc_max_level", CELL_COUNT},
		    {"time without a request in flight", "conc_idle_time", CELL_DURATION},
		    {"mean number during a request", "conc_mean_lifetime", CELL_DECIMAL}};
	static const char *const distance[][3] = {
	    {"distance of the CDFs, by time", "conc_ks_time", "conc_wasserstein1_time"},
	    {"distance of the CDFs, by busy time", "conc_ks_time_busy",
	     "conc_wasserstein1_time_busy"},
	    {"distance of the CDFs, by request", "conc_ks_request", "conc_wasserstein1_request"}};
	const json_t *o = json_object_get(all, "concurrency"),
		     *r = json_object_get(o, "reference"), *x = json_object_get(o, "replay");
	if (!o)
		return;
	cells_add_heads(out, "Requests in flight", heads, 3, 0);
	for (size_t i = 0; i < sizeof pair / sizeof *pair; i++)
		if (json_object_get(r, pair[i].key))
			cells_add_pair(out, pair[i].label, cells_number(r, pair[i].key),
				cells_number(x, pair[i].key), pair[i].unit);
	for (size_t i = 0; i < 3 && json_object_get(o, distance[i][1]); i++) {
		cells_add_label(out, distance[i][0]);
		strbuf_addf(out, "    largest %.4g, area %.4g requests\n",
			cells_number(o, distance[i][1]), cells_number(o, distance[i][2]));
	}
}

/* --- warnings ------------------------------------------------------------ */

/* Adds "3 requests failed (reference)": `one` is the text for the number 1, `more` for other
 * numbers. */
static void add_note(struct strbuf *out, bool *any, uint64_t n, const char *one, const char *more,
		     const char *side)
{
	if (!n)
		return;
	strbuf_addstr(out, *any ? "" : "\nNotes\n");
	*any = true;
	strbuf_addf(out, "  %s %s", count_text(n).s, n == 1 ? one : more);
	strbuf_addf(out, side ? " (%s)\n" : "\n", side);
}

static void add_side_notes(struct strbuf *out, bool *any, const struct metrics_side *s,
			   const char *name)
{
	const struct {
		uint64_t n;
		const char *one, *more;
	} note[] = {
	    {s->n_failed, "request failed", "requests failed"},
	    {s->n_unfinished,
	     "request has no end: it counts as in flight to the end of the trace, without a "
	     "response time",
	     "requests have no end: they count as in flight to the end of the trace, without a "
	     "response time"},
	    {s->n_negative,
	     "request ends before it begins: left out of response times and of the order of "
	     "completion",
	     "requests end before they begin: left out of response times and of the order of "
	     "completion"},
	    {s->n_backwards,
	     "request begins before the previous request of its thread: a clock went backwards",
	     "requests begin before the previous request of their thread: a clock went "
	     "backwards"},
	    {s->n_unknown, "request names no object: not matched",
	     "requests name no object: not matched"},
	    {s->n_events_lost, "event was lost during the capture: the trace is incomplete",
	     "events were lost during the capture: the trace is incomplete"},
	    {s->n_unseen, "program or request could not be captured: the trace is incomplete",
	     "programs or requests could not be captured: the trace is incomplete"},
	    {!s->complete,
	     "trace without an end: its writer was killed or ran out of space, or the file was "
	     "truncated", ""},
	    {s->complete && s->cut,
	     "trace made from an earlier trace that was truncated: requests may be missing", ""},
	};
	for (size_t i = 0; i < sizeof note / sizeof *note; i++)
		add_note(out, any, note[i].n, note[i].one, note[i].more, name);
}

static void add_notes(struct strbuf *out, const struct metrics *m)
{
	bool any = false;
	add_side_notes(out, &any, &m->reference, "reference");
	add_side_notes(out, &any, &m->replay, "replay");
	if (m->match == MATCH_KEY)
		add_note(
		    out, &any, m->n_ambiguous_keys,
		    m->ambiguous_at_least
			? "or more keys are ambiguous: several requests have the same key, so "
			  "swaps of these requests cannot be detected"
			: "key is ambiguous: several requests have this key, so swaps of these "
			  "requests cannot be detected",
		    m->ambiguous_at_least
			? "or more keys are ambiguous: several requests have the same key, so "
			  "swaps of these requests cannot be detected"
			: "keys are ambiguous: several requests have the same key, so swaps of "
			  "these requests cannot be detected",
		    NULL);
}

void metrics_print_text(const struct metrics *m, const struct metrics_paths *p, size_t width)
{
	SCOPED_STRBUF out = STRBUF_INIT, shown = STRBUF_INIT;
	json_auto_t *all = metrics_document(m, p);
	add_trace(&out, "Reference", p->reference, &m->reference);
	add_trace(&out, "Replay", p->replay, &m->replay);
	add_matching(&out, m);
	add_warmup(&out, m);
	add_alike(&out, m);
	add_response(&out, all, width);
	add_schedule(&out, m, all, width);
	add_concurrency(&out, all);
	for (int point = 0; point < POINT_N; point++)
		metrics_add_order(&out, m, point, all);
	add_notes(&out, m);
	text_fit(&shown, out.s, width);
	fwrite(shown.s, 1, shown.len, stdout); /* main checks stdout for errors */
}
