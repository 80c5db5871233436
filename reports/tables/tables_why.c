/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of what the differences of response and execution times come from. */
#include <math.h>

#include "reports/tables/tables.h"
#include "validate/analysis/why.h"

static void add_row(struct table *t, const struct analysis *a, size_t i, enum split_quantity q, const struct why_part *p)
{
	const struct split *s = &a->why[i].split[q];
	table_cell_names(t, a, &a->cell[i]);
	table_verdict(t, a->cell[i].verdict);
	table_text(t, split_names[q]);
	table_text(t, p ? p->name : "the whole difference");
	table_estimate(t, p ? &p->part : &s->whole);
	table_number_u(t, p ? p->share : s->significant ? 1 : NAN, 0.01);
	table_text(t, p ? p->how : "measured");
}

void table_why(struct table *t, const struct analysis *a)
{
	table_init(t, "why", "Why: what the differences come from");
	table_note(t, "Of every case that is not trusted, or whose mean response time or execution time differs significantly. "
		      "Parts are relative to the program's time; those with a share add up to the whole, and what nothing that was "
		      "measured accounts for is one of them. Shares are given where the whole differs significantly from 0; above "
		      "100 %% or below 0 where parts work against each other. Parts marked \"at most\" are upper bounds.");
	table_cell_columns(t);
	table_column(t, FORMAT_VERDICT, "verdict", "Verdict");
	table_column(t, FORMAT_TEXT, "difference_of", "Difference of");
	table_column(t, FORMAT_TEXT, "cause", "Comes from");
	table_column_estimate(t, FORMAT_RELATIVE, "part", "Part [95 %]");
	table_column(t, FORMAT_SHARE, "share", "Share");
	table_column(t, FORMAT_TEXT, "obtained_by", "How it was obtained");
	for (size_t i = 0; a->why && i < a->n_cells; i++)
		for (enum split_quantity q = 0; q < SPLIT_N && a->why[i].shown; q++) {
			const struct split *s = &a->why[i].split[q];
			add_row(t, a, i, q, NULL);
			for (size_t k = 0; k < s->n_parts; k++)
				add_row(t, a, i, q, &s->part[k]);
		}
}
