/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components that look at more than the mean: shape, tail, operations and halves of a run. */
#include "reports/tables/tables.h"
#include "validate/components/component.h"

/* The largest deviation of a component's parts decides; where there is none, its own estimate. */
static void add_component(struct table *t, const struct component *c)
{
	table_estimate(t, &c->estimate);
	table_decision(t, c->decision);
}

void table_distribution(struct table *t, const struct analysis *a)
{
	table_init(t, "distribution", "Response times beyond their mean");
	table_note(t, "Typical: mean of the fastest 90 %% of the requests of a run. Tail: mean of "
		      "the slowest 1 %%. Shape: largest difference of the distributions, each "
		      "run's over its own typical response. Operation and half: the part that "
		      "deviates most.");
	table_cell_columns(t);
	table_column_estimate(t, FORMAT_RELATIVE, "typical", "Typical [95 %]");
	table_column(t, FORMAT_DECISION, "typical_decision", "Decision");
	table_column_estimate(t, FORMAT_RELATIVE, "tail", "Tail [95 %]");
	table_column(t, FORMAT_DECISION, "tail_decision", "Decision");
	table_column_estimate(t, FORMAT_NUMBER, "shape", "Shape [95 %]");
	table_column(t, FORMAT_DECISION, "shape_decision", "Decision");
	table_column_estimate(t, FORMAT_RELATIVE, "operation", "Operation [95 %]");
	table_column(t, FORMAT_DECISION, "operation_decision", "Decision");
	table_column_estimate(t, FORMAT_RELATIVE, "half", "Half [95 %]");
	table_column(t, FORMAT_DECISION, "half_decision", "Decision");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		table_cell_names(t, a, c);
		add_component(t, &c->component[COMPONENT_TYPICAL]);
		add_component(t, &c->component[COMPONENT_TAIL]);
		add_component(t, &c->component[COMPONENT_SHAPE]);
		add_component(t, &c->component[COMPONENT_OPERATION]);
		add_component(t, &c->component[COMPONENT_HALF]);
	}
}

void table_parts(struct table *t, const struct analysis *a)
{
	table_init(t, "parts", "Every part of the components that have several");
	table_note(t, "Relative deviations are ratios (0.1 is 10 %%).");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "component", "Component");
	table_column(t, FORMAT_TEXT, "part", "Part");
	t->n_row_headers = 4;
	table_column_estimate(t, FORMAT_NUMBER, "estimate", "Estimate [95 %]");
	table_column(t, FORMAT_NUMBER, "limit", "Limit ±");
	for (size_t i = 0; i < a->n_cells; i++)
		for (size_t k = 0; k < COMPONENT_N; k++) {
			const struct component *c = &a->cell[i].component[k];
			for (size_t n = 0; n < c->n_parts; n++) {
				table_cell_names(t, a, &a->cell[i]);
				table_text(t, component_names[k]);
				table_text(t, c->part[n].label);
				table_estimate(t, &c->part[n].estimate);
				table_number(t, c->limit);
			}
		}
}
