/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components that look at more than the mean: shape, tail, operations and halves of a run. */
#include <math.h>
#include <stdio.h>

#include "reports/tables/tables.h"
#include "validate/components/component.h"

/* The largest deviation of a component's parts decides; where there is none, its own estimate. */
static void component_columns(struct table *t, const struct component *c, enum table_format format,
			      const char *key, const char *title)
{
	char decision[40];
	snprintf(decision, sizeof decision, "%s_decision", key);
	if (table_head(t, format, key, title, true))
		table_estimate(t, &c->estimate);
	COL_DECISION(t, decision, "Decision", c->decision);
}

static void distribution_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct component *c = a->cell[i].component;
	COL_CELL(t, a, &a->cell[i]);
	component_columns(t, &c[COMPONENT_TYPICAL], FORMAT_RELATIVE, "typical", "Typical [95 %]");
	component_columns(t, &c[COMPONENT_TAIL], FORMAT_RELATIVE, "tail", "Tail [95 %]");
	component_columns(t, &c[COMPONENT_SHAPE], FORMAT_NUMBER, "shape", "Shape [95 %]");
	component_columns(t, &c[COMPONENT_OPERATION], FORMAT_RELATIVE, "operation",
			  "Operation [95 %]");
	component_columns(t, &c[COMPONENT_HALF], FORMAT_RELATIVE, "half", "Half [95 %]");
}

const struct table_kind table_distribution = {"distribution",
	"Response times beyond their mean", table_n_cells, distribution_row, .note =
	"Typical: mean of the fastest 90 % of the requests of a run. Tail: mean of the slowest 1 "
	"%. Shape: largest difference of the distributions, each run's over its own typical "
	"response. Operation and half: the part that deviates most."};

static size_t parts_n(const struct analysis *a)
{
	return a->n_cells * COMPONENT_N;
}

static size_t n_parts(const struct analysis *a, size_t i)
{
	return a->cell[i / COMPONENT_N].component[i % COMPONENT_N].n_parts;
}

static void parts_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct cell *cell = &a->cell[i / COMPONENT_N];
	const struct component *c = &cell->component[i % COMPONENT_N];
	COL_CELL(t, a, cell);
	COL_TEXT(t, "component", "Component", component_names[i % COMPONENT_N]);
	COL_TEXT(t, "part", "Part", c->part[k].label);
	COL_ESTIMATE(t, NUMBER, "estimate", "Estimate [95 %]", &c->part[k].estimate);
	COL_NUMBER(t, NUMBER, "limit", "Limit ±", c->limit, NAN);
}

const struct table_kind table_parts = {"parts", "Every part of the components that have several",
	parts_n, .n_items = n_parts, .item = parts_item, .n_row_headers = 4, .note =
	"Relative deviations are ratios (0.1 is 10 %)."};
