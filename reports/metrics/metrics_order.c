/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the requests as text: a row for each number, a column for each scope. */
#include "reports/metrics/metrics_report.h"
#include "common/units.h"

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
	enum cell_unit unit;
	double (*value)(const struct disorder_total *t);
};
#define VALUE(name, expression)                                                                    \
	static double name(const struct disorder_total *t)                                         \
	{                                                                                          \
		return expression;                                                                 \
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
VALUE(value_n_reordered_max, (double)t->max_preceding)
VALUE(value_descents, (double)t->n_descents)
VALUE(value_inversions, (double)t->inversions)
VALUE(value_tau, t->n_pairs ? 1 - 2 * ((double)t->inversions / (double)t->n_pairs) : NAN)
VALUE(value_moves, (double)t->n_moves)
VALUE(value_footrule, (double)t->footrule)
VALUE(value_displacement, ratio((double)t->displacement_sum, (double)t->n_displaced))
VALUE(value_displaced_late, 100 * ratio((double)t->displaced_late.n, (double)t->n_displaced))
VALUE(value_occupancy,
      t->needs_bt ? NAN : ratio((double)t->occupancy_sum, (double)t->n_occupancies))

static const struct order_row order_rows[] = {
    {"sequences", CELL_COUNT, value_sequences},
    {"received", CELL_COUNT, value_received},
    {"missing", CELL_COUNT, value_missing},
    {"reordered (RFC 4737)", CELL_COUNT, value_reordered},
    {"ratio", CELL_PERCENT, value_ratio},
    {"extent, mean", CELL_NUMBER, value_extent_mean},
    {"extent, largest", CELL_COUNT, value_extent_max},
    {"late time, mean", CELL_DURATION, value_late_mean},
    {"late time, largest", CELL_DURATION, value_late_max},
    {"byte offset, mean", CELL_BYTES, value_offset_mean},
    {"byte offset, largest", CELL_BYTES, value_offset_max},
    {"reordering discontinuities", CELL_COUNT, value_discontinuities},
    {"gap between them, mean", CELL_NUMBER, value_gap},
    {"gap in time, mean", CELL_DURATION, value_gap_time},
    {"sequence discontinuities", CELL_COUNT, value_seq_discontinuities},
    {"reordering-free runs", CELL_COUNT, value_runs},
    {"run length, mean", CELL_NUMBER, value_run_mean},
    {"run length, variability", CELL_NUMBER, value_run_variability},
    {"1-reordered", CELL_PERCENT, value_1_reordered},
    {"3-reordered", CELL_PERCENT, value_3_reordered},
    {"n-reordered, largest n", CELL_COUNT, value_n_reordered_max},
    {"displacement (RFC 5236), mean size", CELL_NUMBER, value_displacement},
    {"displaced late", CELL_PERCENT, value_displaced_late},
    {"buffer occupancy, mean", CELL_NUMBER, value_occupancy},
    {"inversions", CELL_COUNT, value_inversions},
    {"Kendall's tau", CELL_NUMBER, value_tau},
    {"fewest requests to move", CELL_COUNT, value_moves},
    {"Spearman's footrule", CELL_COUNT, value_footrule},
    {"descents (hfplayer's own count)", CELL_COUNT, value_descents},
};

static void add_worst(struct strbuf *out, const struct metrics *m, int point)
{
	const struct metrics_order *o = &m->order[point];
	for (int s = 0; s < SCOPE_N; s++) {
		if (!o->worst[s].exists)
			continue;
		uint64_t key = o->worst[s].key;
		if (s == SCOPE_THREAD)
			strbuf_addf(out, "  worst thread: %llu/%llu", (unsigned long long)(key >>
				32), (unsigned long long)(key & UINT32_MAX));
		else if (key & METRICS_KEY_DESCRIPTOR)
			strbuf_addf(out, "  worst object: descriptor %llu",
				    (unsigned long long)(key & UINT32_MAX));
		else {
			strbuf_addstr(out, "  worst object: ");
			cells_add_printable(out, m->worst_object[point] ? m->worst_object[point]
									: "unknown");
		}
		strbuf_addf(out, ", %s of %s reordered\n", count_text(o->worst[s].n_reordered).s,
				 count_text(o->worst[s].n_received).s);
	}
}

/* Whether every scope received all requests in order. Then each number is 0, 1 or undefined. */
static bool all_in_order(const struct metrics *m, int point)
{
	for (int s = 0; s < SCOPE_N; s++) {
		const struct disorder_total *t = &m->order[point].total[s];
		if (m->scopes >> s & 1 &&
		    (t->n_lost || t->n_reordered || t->inversions || t->n_descents || t->footrule))
			return false;
	}
	return true;
}

void metrics_add_order(struct strbuf *out, const struct metrics *m, int point)
{
	static const char *const titles[] = {"Order at issue", "Order at dispatch",
					     "Order at completion"};
	static const char *const words[] = {"all", "by object", "by thread"};
	const char *head[SCOPE_N];
	double x[SCOPE_N];
	size_t n = 0;
	if (!m->order[point].observed)
		return;
	for (int s = 0; s < SCOPE_N; s++)
		if (m->scopes >> s & 1)
			head[n++] = words[s];
	if (all_in_order(m, point) && n) {
		strbuf_addf(out, "\n%s: no request reordered or missing (", titles[point]);
		for (size_t i = 0; i < n; i++)
			strbuf_addf(out, "%s%s", i ? ", " : "", head[i]);
		strbuf_addstr(out, "); --json has every figure\n");
		return;
	}
	cells_add_heads(out, titles[point], head, n);
	for (size_t row = 0; row < sizeof order_rows / sizeof *order_rows; row++) {
		n = 0;
		for (int s = 0; s < SCOPE_N; s++)
			if (m->scopes >> s & 1)
				x[n++] = order_rows[row].value(&m->order[point].total[s]);
		cells_add_row(out, order_rows[row].label, x, n, order_rows[row].unit);
	}
	if (m->order[point].bt != DENSITY_UNBOUNDED)
		strbuf_addf(out, "  (buffer threshold %llu)\n",
			    (unsigned long long)m->order[point].bt);
	add_worst(out, m, point);
}
