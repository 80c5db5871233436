/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capture/op.h"
#include "commands/metrics_print.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "validate/metrics/levels.h"

#define LABEL_WIDTH 34
#define CELL_WIDTH 13

/* --- cells ---------------------------------------------------------------------------------------------------------- */

static void add_printable(struct strbuf *out, const char *text)
{
	for (const unsigned char *s = (const unsigned char *)text; *s; s++) {
		if (*s < 0x20 || *s >= 0x7f)
			strbuf_addf(out, "\\x%02x", *s);
		else
			strbuf_addch(out, (char)*s);
	}
}

static void add_count(struct strbuf *out, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			strbuf_addch(out, ',');
		strbuf_addch(out, digits[i]);
	}
}

static void add_cell(struct strbuf *out, struct strbuf *cell)
{
	strbuf_addf(out, "%*s", CELL_WIDTH, cell->s);
	strbuf_release(cell);
	strbuf_init(cell);
}

enum unit { COUNT, DURATION, NUMBER, PERCENT, BYTES };

static void format_value(struct strbuf *cell, double x, enum unit unit)
{
	if (!isfinite(x))
		strbuf_addstr(cell, "-");
	else if (unit == COUNT)
		add_count(cell, (uint64_t)x);
	else if (unit == DURATION)
		format_duration(cell, x);
	else if (unit == BYTES)
		format_size(cell, x > 0 ? (uint64_t)x : 0);
	else if (unit == PERCENT)
		strbuf_addf(cell, "%.4g %%", x);
	else
		strbuf_addf(cell, "%.5g", x);
}

static void add_label(struct strbuf *out, const char *label)
{
	strbuf_addf(out, "  %-*s", LABEL_WIDTH, label);
}

static void add_row(struct strbuf *out, const char *label, const double *x, size_t n, enum unit unit)
{
	struct strbuf cell = STRBUF_INIT;
	add_label(out, label);
	for (size_t i = 0; i < n; i++) {
		format_value(&cell, x[i], unit);
		add_cell(out, &cell);
	}
	strbuf_addch(out, '\n');
}

static double error_pct(double replay, double reference)
{
	return reference > 0 ? 100 * (replay - reference) / reference : NAN;
}

static void add_pair(struct strbuf *out, const char *label, double reference, double replay, enum unit unit)
{
	struct strbuf cell = STRBUF_INIT;
	double error = error_pct(replay, reference);
	add_label(out, label);
	format_value(&cell, reference, unit);
	add_cell(out, &cell);
	format_value(&cell, replay, unit);
	add_cell(out, &cell);
	if (isfinite(error))
		strbuf_addf(&cell, "%+.3g %%", error);
	else
		strbuf_addstr(&cell, "-");
	add_cell(out, &cell);
	strbuf_addch(out, '\n');
}

/* --- how alike ------------------------------------------------------------------------------------------------------ */

static void add_trace(struct strbuf *out, const char *what, const char *path, const struct metrics_side *s)
{
	strbuf_addf(out, "%-11s", what);
	add_printable(out, path);
	strbuf_addstr(out, ": ");
	add_count(out, s->n_issued);
	strbuf_addstr(out, s->n_issued == 1 ? " request in " : " requests in ");
	format_duration(out, metrics_execution_ns(s));
	strbuf_addch(out, '\n');
}

static void add_matching(struct strbuf *out, const struct metrics *m)
{
	strbuf_addf(out, "%-11sby %s", "Matched", m->match == MATCH_KEY ? "key" : "number");
	if (m->match_reason)
		strbuf_addf(out, " (%s)", m->match_reason);
	strbuf_addstr(out, ": ");
	add_count(out, m->n_matched);
	strbuf_addstr(out, " requests, ");
	add_count(out, m->n_lost);
	strbuf_addstr(out, " lost, ");
	add_count(out, m->n_extra);
	strbuf_addstr(out, " extra");
	if (m->parts & PART_FIDELITY) {
		strbuf_addstr(out, ", ");
		add_count(out, m->n_mismatched);
		strbuf_addstr(out, " with another result");
	}
	strbuf_addch(out, '\n');
}

static struct moments response_of(const struct metrics_side *s, double *p99)
{
	struct moment_sum all = {0};
	struct histogram h;
	histogram_init(&h);
	for (unsigned int op = 1; op < OP_N; op++) {
		moment_sum_merge(&all, &s->response[op].sum);
		histogram_merge(&h, &s->response[op].histogram);
	}
	if (histogram_quantile(&h, 0.99, p99, NULL))
		*p99 = NAN;
	histogram_release(&h);
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
	add_label(out, label);
	for (int s = 0; s < SCOPE_N; s++) {
		const struct disorder_total *t = &o->total[s];
		if (!(m->scopes >> s & 1))
			continue;
		strbuf_addf(out, first ? "    %.4g %% of %s" : ", %.4g %% %s",
			    t->n_received ? 100 * (double)t->n_reordered / (double)t->n_received : 0, words[s]);
		first = false;
	}
	strbuf_addch(out, '\n');
}

static void add_alike(struct strbuf *out, const struct metrics *m)
{
	const struct metrics_side *r = &m->reference, *x = &m->replay;
	strbuf_addf(out, "\n%-*s%*s%*s%*s\n", LABEL_WIDTH + 2, "How alike", CELL_WIDTH, "reference", CELL_WIDTH,
		    "replay", CELL_WIDTH, "error");
	add_pair(out, "execution time", metrics_execution_ns(r), metrics_execution_ns(x), DURATION);
	add_pair(out, "throughput [requests/s]", metrics_throughput(r), metrics_throughput(x), NUMBER);
	if (m->parts & PART_RESPONSE) {
		double p99_r, p99_x;
		struct moments a = response_of(r, &p99_r), b = response_of(x, &p99_x);
		add_pair(out, "response time, mean", a.n ? a.mean : NAN, b.n ? b.mean : NAN, DURATION);
		add_pair(out, "response time, p99", p99_r, p99_x, DURATION);
	}
	if (m->parts & PART_CONCURRENCY)
		add_pair(out, "requests in flight, mean", levels_mean(&r->concurrency, LEVELS_BY_TIME),
			 levels_mean(&x->concurrency, LEVELS_BY_TIME), NUMBER);
	for (int point = 0; point < POINT_N; point++)
		add_order_line(out, m, point);
}

/* --- sections ------------------------------------------------------------------------------------------------------- */

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

static void add_heads(struct strbuf *out, const char *title, const char *const *head, size_t n)
{
	strbuf_addf(out, "\n%-*s", LABEL_WIDTH + 2, title);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%*s", CELL_WIDTH, head[i]);
	strbuf_addch(out, '\n');
}

static const char *const distribution_heads[] = {"mean", "sd", "p50", "p90", "p99", "p99.9", "max"};

static void add_response(struct strbuf *out, const struct metrics *m)
{
	double x[7];
	char label[64];
	if (!(m->parts & PART_RESPONSE))
		return;
	add_heads(out, "Response time by operation", distribution_heads, 7);
	for (unsigned int op = 1; op < OP_N; op++) {
		const struct distribution *d[] = {&m->reference.response[op], &m->replay.response[op]};
		for (int side = 0; side < 2; side++) {
			if (!d[0]->sum.n && !d[1]->sum.n)
				continue;
			snprintf(label, sizeof label, "%s %s, %llu", op_name(op), side ? "replay" : "reference",
				 (unsigned long long)d[side]->sum.n);
			distribution_cells(d[side], x);
			add_row(out, label, x, 7, DURATION);
		}
	}
}

static void add_error_row(struct strbuf *out, const char *label, const struct issue_error *i, int64_t shift_ns)
{
	const double p[] = {0.5, 0.9, 0.99, 0.999};
	struct moments m = moment_sum_result(&i->sum, shift_ns);
	double x[7] = {m.mean, m.n > 1 ? m.sd : NAN, NAN, NAN, NAN, NAN, m.max};
	for (int k = 0; k < 4; k++)
		if (issue_error_quantile(i, p[k], &x[2 + k], NULL))
			x[2 + k] = NAN;
		else
			x[2 + k] -= (double)shift_ns;
	add_row(out, label, x, 7, DURATION);
}

static void add_schedule(struct strbuf *out, const struct metrics *m)
{
	if (!(m->parts & PART_SCHEDULE) || !m->schedule.sum.n)
		return;
	add_heads(out, "Schedule (late > 0)", distribution_heads, 7);
	if (m->has_issue_error)
		add_error_row(out, "begin - intended (issue error)", &m->issue_error, 0);
	add_error_row(out, "begin - traced begin", &m->schedule, m->schedule_rest_ns);
}

static void add_concurrency(struct strbuf *out, const struct metrics *m)
{
	static const char *const heads[] = {"reference", "replay", "error"};
	static const char *const distances[] = {"distance of the CDFs by time", "distance by busy time",
						"distance by request"};
	const struct concurrency *r = &m->reference.concurrency, *x = &m->replay.concurrency;
	if (!(m->parts & (PART_CONCURRENCY | PART_LIFETIME)))
		return;
	add_heads(out, "Concurrency", heads, 3);
	if (m->parts & PART_CONCURRENCY) {
		add_pair(out, "mean level, by time", levels_mean(r, LEVELS_BY_TIME), levels_mean(x, LEVELS_BY_TIME), NUMBER);
		add_pair(out, "mean level, while busy", levels_mean(r, LEVELS_BY_BUSY_TIME),
			 levels_mean(x, LEVELS_BY_BUSY_TIME), NUMBER);
		add_pair(out, "mean level found by a request", levels_mean(r, LEVELS_BY_REQUEST),
			 levels_mean(x, LEVELS_BY_REQUEST), NUMBER);
		add_pair(out, "largest level", (double)r->highest, (double)x->highest, COUNT);
		add_pair(out, "time with nothing in flight", (double)r->ns_at_level[0], (double)x->ns_at_level[0], DURATION);
	}
	if (m->parts & PART_LIFETIME)
		add_pair(out, "mean level over a request's life", m->reference.mean_lifetime_level,
			 m->replay.mean_lifetime_level, NUMBER);
	for (int w = 0; w < 3 && (m->parts & PART_CONCURRENCY); w++) {
		struct levels_distance d = levels_distance(r, x, (enum levels_weight)w);
		add_label(out, distances[w]);
		strbuf_addf(out, "    largest %.4g, area %.4g levels\n", d.largest, d.area);
	}
}

/* --- order ---------------------------------------------------------------------------------------------------------- */

static double mean_of(const struct distribution *d)
{
	return d->sum.n ? moment_sum_result(&d->sum, 0).mean : NAN;
}

static double max_of(const struct distribution *d)
{
	return d->sum.n ? (double)d->sum.max : NAN;
}

static double ratio(double x, double y)
{
	return y > 0 ? x / y : NAN;
}

static double n_reordered(const struct disorder_total *t, uint32_t n)
{
	uint64_t left = t->preceding.n;
	for (uint32_t i = 1; i < n && i < t->preceding.n_buckets; i++)
		left -= t->preceding.count[i];
	return (double)left;
}

struct order_row {
	const char *label;
	enum unit unit;
	double (*value)(const struct disorder_total *t);
};
#define VALUE(name, expression)                                                                                        \
	static double name(const struct disorder_total *t)                                                             \
	{                                                                                                              \
		return expression;                                                                                     \
	}
VALUE(value_sequences, (double)t->n_sequences)
VALUE(value_received, (double)t->n_received)
VALUE(value_missing, (double)t->n_lost)
VALUE(value_reordered, (double)t->n_reordered)
VALUE(value_ratio, 100 * ratio((double)t->n_reordered, (double)t->n_received))
VALUE(value_extent_mean, mean_of(&t->extent))
VALUE(value_extent_max, max_of(&t->extent))
VALUE(value_late_mean, mean_of(&t->late_ns))
VALUE(value_late_max, max_of(&t->late_ns))
VALUE(value_offset_mean, mean_of(&t->byte_offset))
VALUE(value_offset_max, max_of(&t->byte_offset))
VALUE(value_discontinuities, (double)t->n_discontinuities)
VALUE(value_gap, mean_of(&t->gap))
VALUE(value_gap_time, mean_of(&t->gap_ns))
VALUE(value_seq_discontinuities, (double)t->n_sequence_discontinuities)
VALUE(value_runs, (double)t->runs_x)
VALUE(value_run_mean, ratio((double)t->runs_a, (double)t->runs_x))
VALUE(value_run_variability, t->runs_x ? ratio((double)t->runs_q / (double)t->runs_a,
					       (double)t->runs_a / (double)t->runs_x) : NAN)
VALUE(value_1_reordered, 100 * ratio(n_reordered(t, 1), (double)t->n_received))
VALUE(value_3_reordered, 100 * ratio(n_reordered(t, 3), (double)t->n_received))
VALUE(value_descents, (double)t->n_descents)
VALUE(value_inversions, (double)t->inversions)
VALUE(value_tau, t->n_pairs ? 1 - 2 * ((double)t->inversions / (double)t->n_pairs) : NAN)
VALUE(value_moves, (double)t->n_moves)
VALUE(value_footrule, (double)t->footrule)
VALUE(value_displacement, ratio((double)t->displacement_sum, (double)t->n_displaced))
VALUE(value_displaced_late, 100 * ratio((double)t->displaced_late.n, (double)t->n_displaced))
VALUE(value_occupancy, t->needs_bt ? NAN : ratio((double)t->occupancy_sum, (double)t->n_occupancies))

static const struct order_row order_rows[] = {
    {"sequences", COUNT, value_sequences},
    {"received", COUNT, value_received},
    {"missing", COUNT, value_missing},
    {"reordered (RFC 4737)", COUNT, value_reordered},
    {"ratio", PERCENT, value_ratio},
    {"extent, mean", NUMBER, value_extent_mean},
    {"extent, largest", COUNT, value_extent_max},
    {"late time, mean", DURATION, value_late_mean},
    {"late time, largest", DURATION, value_late_max},
    {"byte offset, mean", BYTES, value_offset_mean},
    {"byte offset, largest", BYTES, value_offset_max},
    {"reordering discontinuities", COUNT, value_discontinuities},
    {"gap between them, mean", NUMBER, value_gap},
    {"gap in time, mean", DURATION, value_gap_time},
    {"sequence discontinuities", COUNT, value_seq_discontinuities},
    {"reordering-free runs", COUNT, value_runs},
    {"run length, mean", NUMBER, value_run_mean},
    {"run length, variability", NUMBER, value_run_variability},
    {"1-reordered", PERCENT, value_1_reordered},
    {"3-reordered", PERCENT, value_3_reordered},
    {"displacement (RFC 5236), mean size", NUMBER, value_displacement},
    {"displaced late", PERCENT, value_displaced_late},
    {"buffer occupancy, mean", NUMBER, value_occupancy},
    {"inversions", COUNT, value_inversions},
    {"Kendall's tau", NUMBER, value_tau},
    {"fewest requests to move", COUNT, value_moves},
    {"Spearman's footrule", COUNT, value_footrule},
    {"descents (hfplayer's own count)", COUNT, value_descents},
};

static void add_worst(struct strbuf *out, const struct metrics *m, int point)
{
	const struct metrics_order *o = &m->order[point];
	for (int s = 0; s < SCOPE_N; s++) {
		if (!o->worst[s].exists)
			continue;
		uint64_t key = o->worst[s].key;
		if (s == SCOPE_THREAD)
			strbuf_addf(out, "  worst thread: %llu/%llu", (unsigned long long)(key >> 32),
				    (unsigned long long)(key & UINT32_MAX));
		else if (key & METRICS_KEY_DESCRIPTOR)
			strbuf_addf(out, "  worst object: descriptor %llu", (unsigned long long)(key & UINT32_MAX));
		else {
			strbuf_addstr(out, "  worst object: ");
			add_printable(out, m->worst_object[point] ? m->worst_object[point] : "unknown");
		}
		strbuf_addstr(out, ", ");
		add_count(out, o->worst[s].n_reordered);
		strbuf_addstr(out, " of ");
		add_count(out, o->worst[s].n_received);
		strbuf_addstr(out, " reordered\n");
	}
}

static void add_order(struct strbuf *out, const struct metrics *m, int point)
{
	static const char *const titles[] = {"Order at issue", "Order at dispatch", "Order at completion"};
	static const char *const words[] = {"all", "by object", "by thread"};
	const char *head[SCOPE_N];
	double x[SCOPE_N];
	size_t n = 0;
	if (!m->order[point].observed)
		return;
	for (int s = 0; s < SCOPE_N; s++)
		if (m->scopes >> s & 1)
			head[n++] = words[s];
	add_heads(out, titles[point], head, n);
	for (size_t row = 0; row < sizeof order_rows / sizeof *order_rows; row++) {
		n = 0;
		for (int s = 0; s < SCOPE_N; s++)
			if (m->scopes >> s & 1)
				x[n++] = order_rows[row].value(&m->order[point].total[s]);
		add_row(out, order_rows[row].label, x, n, order_rows[row].unit);
	}
	if (m->order[point].bt != DENSITY_UNBOUNDED)
		strbuf_addf(out, "  (buffer threshold %llu)\n", (unsigned long long)m->order[point].bt);
	add_worst(out, m, point);
}

/* --- what makes it doubtful ------------------------------------------------------------------------------------------ */

static void add_note(struct strbuf *out, bool *any, uint64_t n, const char *what)
{
	if (!n)
		return;
	strbuf_addstr(out, *any ? "" : "\nNotes\n");
	*any = true;
	strbuf_addstr(out, "  ");
	add_count(out, n);
	strbuf_addf(out, " %s\n", what);
}

static void add_side_notes(struct strbuf *out, bool *any, const struct metrics_side *s, const char *name)
{
	const struct {
		uint64_t n;
		const char *what;
	} note[] = {
	    {s->n_failed, "requests failed"},
	    {s->n_unfinished, "requests have no end: active to the last instant, no response time"},
	    {s->n_negative, "requests end before they begin: left out of response times and of the order of completion"},
	    {s->n_backwards, "requests begin before the one before them in their thread: a clock that went backwards"},
	    {s->n_unknown, "requests name no object: not matched"},
	    {!s->complete, "trace without an end: its writer was killed or ran out of space"},
	};
	char text[200];
	for (size_t i = 0; i < sizeof note / sizeof *note; i++) {
		snprintf(text, sizeof text, "%s (%s)", note[i].what, name);
		add_note(out, any, note[i].n, text);
	}
}

static void add_notes(struct strbuf *out, const struct metrics *m)
{
	bool any = false;
	add_side_notes(out, &any, &m->reference, "reference");
	add_side_notes(out, &any, &m->replay, "replay");
	if (m->match == MATCH_KEY)
		add_note(out, &any, m->n_ambiguous_keys, m->ambiguous_at_least
			 ? "keys at least are ambiguous: swaps of identical requests are not seen"
			 : "keys are ambiguous: swaps of identical requests are not seen");
}

void metrics_print_text(const struct metrics *m, const struct metrics_paths *p)
{
	struct strbuf out = STRBUF_INIT;
	add_trace(&out, "Reference", p->reference, &m->reference);
	add_trace(&out, "Replay", p->replay, &m->replay);
	add_matching(&out, m);
	add_alike(&out, m);
	add_response(&out, m);
	add_schedule(&out, m);
	add_concurrency(&out, m);
	for (int point = 0; point < POINT_N; point++)
		add_order(&out, m, point);
	add_notes(&out, m);
	fwrite(out.s, 1, out.len, stdout); /* main sees stdout's errors */
	strbuf_release(&out);
}
