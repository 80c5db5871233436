/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tables/tables.h"
#include "validate/analysis/added.h"

ROWS_OF(added_n, a->added ? a->n_cells : 0)

static void added_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct added_time *d = ROW_ITEM(t, &a->added[i]);
	if (!t->in_heads && !d->there)
		return;
	COL_CELL(t, a, &a->cell[i]);
	COL_NUMBER(t, TIME, "program_delivered", "Delivered service, program",
		   d->delivered_program_ns, NAN);
	COL_NUMBER(t, TIME, "replay_delivered", "replay", d->delivered_replay_ns, NAN);
	COL_ESTIMATE(t, TIME, "program_added", "Added time, program [95 %]", &d->program);
	COL_ESTIMATE(t, TIME, "replay_added", "replay [95 %]", &d->replay);
	COL_ESTIMATE(t, RELATIVE, "response_difference", "Difference: response time [95 %]",
		     &d->response_difference);
	COL_ESTIMATE(t, RELATIVE, "added_difference", "added time [95 %]", &d->added_difference);
	COL_NUMBER(t, NUMBER, "width_ratio", "Width of the interval, ratio", d->width_ratio, 0.01);
}

const struct table_kind table_added = {"added-time", "Added time on volumes", added_n, added_row,
	.note =
	"Cases on volumes, if program and replays ran as whole runs, not in slices. Delivered "
	"service: mean time from a request's arrival to its answer, by the log of the volume's "
	"server, plus the lead. The lead is the time by which the server deliberately answers "
	"earlier than programmed, so that the answer arrives on time. Added time: response time "
	"minus delivered service in the same run. Differences: replay minus program in a pair, "
	"relative to the program's mean response time. Ratio: width of the interval of the added "
	"time divided by that of the response time."};
