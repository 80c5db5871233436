/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of what the differences of response and execution times come from. */
#include <math.h>

#include "reports/tables/tables.h"
#include "validate/analysis/why.h"

static size_t why_n(const struct analysis *a)
{
	return a->why ? a->n_cells * SPLIT_N : 0;
}

static size_t n_parts(const struct analysis *a, size_t i)
{
	const struct why *w = &a->why[i / SPLIT_N];
	return w->shown ? 1 + w->split[i % SPLIT_N].n_parts : 0;
}

static void why_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct cell *c = &a->cell[i / SPLIT_N];
	const struct split *s = t->in_heads ? NULL : &a->why[i / SPLIT_N].split[i % SPLIT_N];
	const struct why_part *p = k ? &s->part[k - 1] : NULL; /* NULL: the whole */
	COL_CELL(t, a, c);
	COL_VERDICT(t, "verdict", "Verdict", c->verdict);
	COL_TEXT(t, "difference_of", "Difference of", split_names[i % SPLIT_N]);
	COL_TEXT(t, "cause", "Comes from", p ? p->name : "the whole difference");
	COL_ESTIMATE(t, RELATIVE, "part", "Part [95 %]", p ? &p->part : &s->whole);
	COL_NUMBER(t, SHARE, "share", "Share", p ? p->share : s->significant ? 1 : NAN, 0.01);
	COL_TEXT(t, "obtained_by", "How it was obtained", p ? p->how : "measured");
}

const struct table_kind table_why = {"why", "Why: what the differences come from", why_n,
	.n_items = n_parts, .item = why_item, .note =
	"Of every case that is not trusted, or whose mean response time or execution time differs "
	"significantly. Parts are relative to the program's time; those with a share add up to the "
	"whole, and what nothing that was measured accounts for is one of them. Shares are given "
	"where the whole differs significantly from 0; above 100 % or below 0 where parts work "
	"against each other. Parts marked \"at most\" are upper bounds."};
