/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of rated ranges, and of replays without calls. */
#include "reports/tables/tables.h"
#include "validate/analysis/rated_range.h"

static const char *mark_of(const struct rated_limit *l, size_t i, const char *last)
{
	return i == l->last ? last : i == l->next ? "next" : NULL;
}

ROWS_OF(rated_n, a->n_rated)

static size_t n_points(const struct analysis *a, size_t i)
{
	return a->rated[i].n;
}

static void rated_range_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct rated_range *r = ROW_ITEM(t, &a->rated[i]);
	const struct rated_point *q = ROW_ITEM(t, &r->point[k]);
	COL_TEXT(t, "workload", "Workload", r->name);
	COL_TEXT(t, "replayer", "Replayer", r->replayer);
	COL_OF(t, rated_point, q, level, NULL, "Level");
	COL_OF(t, rated_point, q, speed, NULL, "Speed");
	COL_OF(t, rated_point, q, rate, "rate", "Rate");
	COL_OF(t, rated_point, q, gap_ns, NULL, "Gap");
	COL_VERDICT(t, "verdict", "Verdict", q->verdict);
	COL_TEXT(t, "rate_limit", "By rate", mark_of(&r->rate, k, "highest rate"));
	COL_TEXT(t, "gap_limit", "By gap", mark_of(&r->gap, k, "shortest gap"));
}

const struct table_kind table_rated_range = {
    "rated-range",
    "Rated range: how fast a program may be",
    rated_n,
    .n_items = n_points,
    .item = rated_range_item,
    .n_row_headers = 2,
    .note = "Each row is a case. The cases of one workload and replayer differ only in level, "
	    "pause and speed. Rate: requests per second of the program. Gap: mean time of a thread "
	    "between the end of a request and the start of the next. For a timed replay, the rate "
	    "is multiplied by the speed factor, and the gap is divided by it. The range "
	    "ends at the case marked \"highest rate\" or \"shortest gap\". The case marked "
	    "\"next\" is the first case beyond it."};

static void blank_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct cell *c = ROW_ITEM(t, &a->cell[i]);
	const struct blank *b = ROW_ITEM(t, &a->cell[i].blank);
	if (!t->in_heads && (b->status == STAT_NOT_ASSESSED || !b->n))
		return;
	COL_CELL(t, a, c);
	COL_OF(t, blank, b, n, "n_blanks", "Runs");
	COL_STATUS(t, TIME, "blank_mean", "Mean", isnan(b->mean_ns) ? b->status : STAT_OK,
		b->mean_ns, b->sd_ns);
	COL_OF(t, blank, b, sd_ns, "blank_sd", "Standard deviation");
	COL_OF(t, blank, b, loq_ns, NULL, "Limit of quantification");
	COL_NUMBER(t, TIME, "program_mean", "Program's mean", c->r.mean, c->r.sem);
	COL_TEXT(t, "quantifiable", "Mean above the limit",
		 b->status ? NULL : b->below ? "no" : "yes");
}

const struct table_kind table_blank = {"blank", "Limit of quantification", table_n_cells, blank_row,
	.note =
	"Blank replays: replays of the same recordings without I/O calls. These replays measure "
	"the time that the replayer itself adds. The limit of quantification is 10 times the "
	"standard deviation of their means. If the program's mean response time is below this "
	"limit, all components that are computed from response times are inconclusive."};
