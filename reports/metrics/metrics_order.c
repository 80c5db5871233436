/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the requests as text: a row for each number, a column for each scope. */
#include "reports/escape.h"
#include "reports/metrics/metrics_report.h"
#include "common/units.h"

/* The rows. The number of a row is that of `key`, minus that of `less` if it is given. */
static const struct {
	const char *label;
	enum cell_unit unit;
	const char *key, *less;
} order_rows[] = {
    {"sequences", CELL_COUNT, "n_sequences", NULL},
    {"received", CELL_COUNT, "ro_received", NULL},
    {"missing", CELL_COUNT, "ro_missing", NULL},
    {"reordered (RFC 4737)", CELL_COUNT, "ro_reordered", NULL},
    {"ratio", CELL_SHARE, "ro_ratio", NULL},
    {"extent, mean", CELL_DECIMAL, "ro_mean_extent", NULL},
    {"extent, largest", CELL_COUNT, "ro_extent.max", NULL},
    {"late time, mean", CELL_DURATION, "ro_late_time.mean", NULL},
    {"late time, largest", CELL_DURATION, "ro_late_time.max", NULL},
    {"byte offset, mean", CELL_BYTES, "ro_byte_offset.mean", NULL},
    {"byte offset, largest", CELL_BYTES, "ro_byte_offset.max", NULL},
    {"reordering discontinuities", CELL_COUNT, "ro_discontinuities", NULL},
    {"reordering gap, mean", CELL_DECIMAL, "ro_gap.mean", NULL},
    {"reordering gap in time, mean", CELL_DURATION, "ro_gap_time.mean", NULL},
    {"sequence discontinuities", CELL_COUNT, "ro_seq_discontinuities", NULL},
    {"reordering-free runs", CELL_COUNT, "ro_runs_x", NULL},
    {"run length, mean", CELL_DECIMAL, "ro_runs_mean", NULL},
    {"run length, variability", CELL_DECIMAL, "ro_runs_variability", NULL},
    {"1-reordered", CELL_SHARE, "ro_n_reordering_degree.0", NULL},
    {"3-reordered", CELL_SHARE, "ro_n_reordering_degree.2", NULL},
    {"n-reordered, largest n", CELL_COUNT, "ro_n_reordered_max", NULL},
    {"displacement (RFC 5236), mean size", CELL_DECIMAL, "rd_mean_abs_displacement", NULL},
    {"displaced late", CELL_SHARE, "rd_frac_late", NULL},
    {"buffer occupancy, mean", CELL_DECIMAL, "rbd_mean_occupancy", NULL},
    {"inversions", CELL_COUNT, "ro_inversions", NULL},
    {"Kendall's tau", CELL_DECIMAL, "ro_kendall_tau", NULL},
    {"fewest moves to restore the order", CELL_COUNT, "ro_received", "ro_lis_length"},
    {"Spearman's footrule", CELL_COUNT, "ro_spearman_footrule", NULL},
    {"descents (hfplayer's count)", CELL_COUNT, "ro_hfplayer_script_count", NULL},
};

static void add_worst(struct strbuf *out, const struct metrics *m, int point)
{
	const struct metrics_order *o = &m->order[point];
	for (int s = 0; s < SCOPE_N; s++) {
		if (!o->worst[s].exists)
			continue;
		uint64_t key = o->worst[s].key;
		if (s == SCOPE_THREAD)
			strbuf_addf(out, "  worst thread: process %llu, thread %llu",
				    (unsigned long long)(key >> 32),
				    (unsigned long long)(key & UINT32_MAX));
		else if (key & METRICS_KEY_DESCRIPTOR)
			strbuf_addf(out, "  worst object: descriptor %llu",
				    (unsigned long long)(key & UINT32_MAX));
		else {
			strbuf_addstr(out, "  worst object: ");
			escape_bytes(out, m->worst_object[point] ? m->worst_object[point]
									: "unknown");
		}
		strbuf_addf(out, ", %s of %s reordered\n", count_text(o->worst[s].n_reordered).s,
				 count_text(o->worst[s].n_received).s);
	}
}

/* Whether every scope received all requests in order. In that case each number is 0, 1 or
 * undefined. */
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

void metrics_add_order(struct strbuf *out, const struct metrics *m, int point, const json_t *all)
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
	const json_t *scopes = json_object_get(json_object_get(all, "order"),
		metrics_point_names[point]);
	cells_add_heads(out, titles[point], head, n, 0);
	for (size_t row = 0; row < sizeof order_rows / sizeof *order_rows; row++) {
		n = 0;
		for (int s = 0; s < SCOPE_N; s++) {
			if (!(m->scopes >> s & 1))
				continue;
			const json_t *o = json_object_get(scopes, metrics_scope_names[s]);
			const char *less = order_rows[row].less;
			x[n++] = cells_number(o, order_rows[row].key) -
				 (less ? cells_number(o, less) : 0);
		}
		cells_add_row(out, order_rows[row].label, x, n, order_rows[row].unit, 0);
	}
	if (m->order[point].bt != DENSITY_UNBOUNDED)
		strbuf_addf(out, "  (buffer threshold %llu)\n",
			    (unsigned long long)m->order[point].bt);
	add_worst(out, m, point);
}
