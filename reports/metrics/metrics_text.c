/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/op.h"
#include "reports/metrics/metrics_report.h"
#include "common/units.h"
#include "validate/metrics/levels.h"

/* --- how alike ----------------------------------------------------------- */

static void add_trace(struct strbuf *out, const char *what, const char *path,
		      const struct metrics_side *s)
{
	strbuf_addf(out, "%-11s", what);
	cells_add_printable(out, path);
	strbuf_addf(out, ": %s%s%s\n", count_text(s->n_issued).s,
			 s->n_issued == 1 ? " request in " : " requests in ",
			 duration_text(metrics_execution_ns(s)).s);
}

static void add_matching(struct strbuf *out, const struct metrics *m)
{
	strbuf_addf(out, "%-11sby %s: %s requests, %s lost, %s extra", "Matched",
			 m->match == MATCH_KEY ? "key" : "number", count_text(m->n_matched).s,
			 count_text(m->n_lost).s, count_text(m->n_extra).s);
	if (m->n_skipped)
		strbuf_addf(out, ", %s skipped", count_text(m->n_skipped).s);
	if (m->parts & PART_FIDELITY)
		strbuf_addf(out, ", %s with another result", count_text(m->n_mismatched).s);
	if (m->match_reason)
		strbuf_addf(out, "\n%-11s%s", "", m->match_reason);
	if (m->match_reason && m->n_compared)
		strbuf_addf(out, "\n%-11splace by place, %s of %s%s", "",
			    count_text(m->n_same_request).s, count_text(m->n_compared).s,
			    m->n_compared == 1 ? " is the same request" : " are the same requests");
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
	SCOPED(histogram_release) struct histogram h;
	histogram_init(&h);
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
	strbuf_addf(out, "\n%-*s%*s%*s%*s\n", CELLS_LABEL_WIDTH + 2, "How alike", CELLS_WIDTH,
		    "reference", CELLS_WIDTH, "replay", CELLS_WIDTH, "error");
	cells_add_pair(out, "execution time", metrics_execution_ns(r), metrics_execution_ns(x),
		       CELL_DURATION);
	cells_add_pair(out, "throughput [requests/s]", metrics_throughput(r), metrics_throughput(x),
		       CELL_NUMBER);
	if (m->parts & PART_RESPONSE) {
		double p99_r, p99_x;
		struct moments a = response_of(r, &p99_r), b = response_of(x, &p99_x);
		cells_add_pair(out, "response time, mean", a.n ? a.mean : NAN, b.n ? b.mean : NAN,
			       CELL_DURATION);
		cells_add_pair(out, "response time, p99", p99_r, p99_x, CELL_DURATION);
	}
	if (m->parts & PART_CONCURRENCY)
		cells_add_pair(out, "requests in flight, mean", levels_mean(&r->concurrency,
			LEVELS_BY_TIME), levels_mean(&x->concurrency, LEVELS_BY_TIME), CELL_NUMBER);
	for (int point = 0; point < POINT_N; point++)
		add_order_line(out, m, point);
}

/* --- sections ------------------------------------------------------------ */

static void distribution_cells(const struct distribution *d, double *x)
{
	const double p[] = {0.5, 0.9, 0.99, 0.999};
	struct moments m = moment_sum_result(&d->sum, 0);
	x[0] = m.n ? m.mean : NAN;
	x[1] = m.n > 1 ? m.sd : NAN;
	for (int i = 0; i < 4; i++)
		if (histogram_quantile(&d->histogram, p[i], &x[2 + i], NULL))
			x[2 + i] = NAN;
	x[6] = m.n ? m.max : NAN;
}

static const char *const distribution_heads[] = {"mean", "sd", "p50", "p90", "p99", "p99.9", "max"};

static void add_response(struct strbuf *out, const struct metrics *m)
{
	double x[7];
	char label[64];
	if (!(m->parts & PART_RESPONSE))
		return;
	cells_add_heads(out, "Response time by operation", distribution_heads, 7);
	for (unsigned int op = 1; op < OP_N; op++) {
		const struct distribution *d[] = {&m->reference.response[op],
						  &m->replay.response[op]};
		for (int side = 0; side < 2; side++) {
			if (!d[0]->sum.n && !d[1]->sum.n)
				continue;
			snprintf(label, sizeof label, "%s %s, %llu", op_name(op),
				 side ? "replay" : "reference", (unsigned long long)d[side]->sum.n);
			distribution_cells(d[side], x);
			cells_add_row(out, label, x, 7, CELL_DURATION);
		}
	}
}

static void add_error_row(struct strbuf *out, const char *label, const struct issue_error *i,
			  int64_t shift_ns)
{
	const double p[] = {0.5, 0.9, 0.99, 0.999};
	struct moments m = moment_sum_result(&i->sum, shift_ns);
	double x[7] = {m.mean, m.n > 1 ? m.sd : NAN, NAN, NAN, NAN, NAN, m.max};
	for (int k = 0; k < 4; k++)
		if (issue_error_quantile(i, p[k], &x[2 + k], NULL))
			x[2 + k] = NAN;
		else
			x[2 + k] -= (double)shift_ns;
	cells_add_row(out, label, x, 7, CELL_DURATION);
}

static void add_schedule(struct strbuf *out, const struct metrics *m)
{
	if (!(m->parts & PART_SCHEDULE) || !m->schedule.sum.n)
		return;
	cells_add_heads(out, "Schedule (late > 0)", distribution_heads, 7);
	if (m->has_issue_error)
		add_error_row(out, "begin - intended (issue error)", &m->issue_error, 0);
	add_error_row(out, "begin - traced begin", &m->schedule, m->schedule_rest_ns);
}

static void add_concurrency(struct strbuf *out, const struct metrics *m)
{
	static const char *const heads[] = {"reference", "replay", "error"};
	static const char *const distances[] = {"distance of the CDFs by time",
						"distance by busy time", "distance by request"};
	const struct concurrency *r = &m->reference.concurrency, *x = &m->replay.concurrency;
	if (!(m->parts & (PART_CONCURRENCY | PART_LIFETIME)))
		return;
	cells_add_heads(out, "Concurrency", heads, 3);
	if (m->parts & PART_CONCURRENCY) {
		cells_add_pair(out, "mean level, by time", levels_mean(r, LEVELS_BY_TIME),
			       levels_mean(x, LEVELS_BY_TIME), CELL_NUMBER);
		cells_add_pair(out, "mean level, while busy", levels_mean(r, LEVELS_BY_BUSY_TIME),
			 levels_mean(x, LEVELS_BY_BUSY_TIME), CELL_NUMBER);
		cells_add_pair(out, "mean level found by a request", levels_mean(r,
			LEVELS_BY_REQUEST), levels_mean(x, LEVELS_BY_REQUEST), CELL_NUMBER);
		cells_add_pair(out, "largest level", (double)r->highest, (double)x->highest,
			       CELL_COUNT);
		cells_add_pair(out, "time with nothing in flight", (double)r->ns_at_level[0],
			       (double)x->ns_at_level[0], CELL_DURATION);
	}
	if (m->parts & PART_LIFETIME)
		cells_add_pair(out, "mean level over a request's life",
			       m->reference.mean_lifetime_level, m->replay.mean_lifetime_level,
			       CELL_NUMBER);
	for (int w = 0; w < 3 && (m->parts & PART_CONCURRENCY); w++) {
		struct levels_distance d = levels_distance(r, x, (enum levels_weight)w);
		cells_add_label(out, distances[w]);
		strbuf_addf(out, "    largest %.4g, area %.4g levels\n", d.largest, d.area);
	}
}

/* --- what makes it doubtful ---------------------------------------------- */

/* "3 requests failed (reference)": `one` for the number 1, `more` for others. */
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
	     "request without an end: in flight to the end, without a response time",
	     "requests have no end: active to the last instant, no response time"},
	    {s->n_negative,
	     "request ends before it begins: left out of response times and of the order of "
	     "completion",
	     "requests end before they begin: left out of response times and of the order of "
	     "completion"},
	    {s->n_backwards,
	     "request begins before the one before it in its thread: a clock that went backwards",
	     "requests begin before the one before them in their thread: a clock that went "
	     "backwards"},
	    {s->n_unknown, "request names no object: not matched",
	     "requests name no object: not matched"},
	    {s->n_events_lost, "event was lost when it was captured: the trace is incomplete",
	     "events were lost when it was captured: the trace is incomplete"},
	    {!s->complete, "trace without an end: its writer was killed or ran out of space", ""},
	    {s->complete && s->cut,
	     "trace made from a trace without an end: requests may be missing", ""},
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
			? "key at least is ambiguous: swaps of identical requests are not seen"
			: "key is ambiguous: swaps of identical requests are not seen",
		    m->ambiguous_at_least
			? "keys at least are ambiguous: swaps of identical requests are not seen"
			: "keys are ambiguous: swaps of identical requests are not seen",
		    NULL);
}

void metrics_print_text(const struct metrics *m, const struct metrics_paths *p)
{
	SCOPED_STRBUF out = STRBUF_INIT;
	add_trace(&out, "Reference", p->reference, &m->reference);
	add_trace(&out, "Replay", p->replay, &m->replay);
	add_matching(&out, m);
	add_warmup(&out, m);
	add_alike(&out, m);
	add_response(&out, m);
	add_schedule(&out, m);
	add_concurrency(&out, m);
	for (int point = 0; point < POINT_N; point++)
		metrics_add_order(&out, m, point);
	add_notes(&out, m);
	fwrite(out.s, 1, out.len, stdout); /* main checks stdout for errors */
}
