/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of rated ranges, and of replays without calls. */
#include <math.h>

#include "reports/tables/tables.h"
#include "validate/analysis/rated_range.h"

static const char *mark_of(const struct rated_limit *l, size_t i, const char *last)
{
	return i == l->last ? last : i == l->next ? "next" : NULL;
}

void table_rated_range(struct table *t, const struct analysis *a)
{
	table_init(t, "rated-range", "Rated range: how fast a program may be");
	table_note(t, "Cases of one workload and replayer that differ in level, pause and speed only, by what they ask: requests per "
		      "second of the program, and the mean time that a thread leaves between a request's end and the next begin, both "
		      "with the speed factor of a timed replay. A range ends with the last case up to which all are trusted; "
		      "\"next\" is the one that ends it.");
	table_column(t, FORMAT_TEXT, "workload", "Workload");
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 2;
	table_column(t, FORMAT_COUNT, "level", "Level");
	table_column(t, FORMAT_NUMBER, "speed", "Speed");
	table_column(t, FORMAT_RATE, "rate", "Rate");
	table_column(t, FORMAT_TIME, "gap", "Gap");
	table_column(t, FORMAT_VERDICT, "verdict", "Verdict");
	table_column(t, FORMAT_TEXT, "rate_limit", "By rate");
	table_column(t, FORMAT_TEXT, "gap_limit", "By gap");
	for (size_t i = 0; i < a->n_rated; i++)
		for (size_t k = 0; k < a->rated[i].n; k++) {
			const struct rated_range *r = &a->rated[i];
			const struct rated_point *q = &r->point[k];
			table_text(t, r->name);
			table_text(t, r->replayer);
			table_count(t, (double)q->level);
			table_number(t, q->speed);
			table_number(t, q->rate);
			table_number(t, q->gap_ns);
			table_verdict(t, q->verdict);
			table_text(t, mark_of(&r->rate, k, "highest rate"));
			table_text(t, mark_of(&r->gap, k, "shortest gap"));
		}
}

void table_blank(struct table *t, const struct analysis *a)
{
	table_init(t, "blank", "Limit of quantification");
	table_note(t, "Replays of the same recordings with every call left out: what the stamps then see is the replay itself. The "
		      "limit of quantification is 10 times the standard deviation of these runs' means; where the program's mean "
		      "response time is below it, nothing relative to it is decided.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "n_blanks", "Runs");
	table_column(t, FORMAT_TIME, "blank_mean", "Mean");
	table_column(t, FORMAT_TIME, "blank_sd", "Standard deviation");
	table_column(t, FORMAT_TIME, "limit_of_quantification", "Limit");
	table_column(t, FORMAT_TIME, "program_mean", "Program's mean");
	table_column(t, FORMAT_TEXT, "quantifiable", "Above the limit");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		const struct blank *b = &c->blank;
		if (b->status == STAT_NOT_ASSESSED || !b->n)
			continue;
		table_cell_names(t, a, c);
		table_count(t, (double)b->n);
		table_number_status(t, isnan(b->mean_ns) ? b->status : STAT_OK, b->mean_ns, b->sd_ns);
		table_number_status(t, b->status, b->sd_ns, NAN);
		table_number_status(t, b->status, b->loq_ns, NAN);
		table_number_u(t, c->r.mean, c->r.sem);
		table_text(t, b->status ? NULL : b->below ? "no" : "yes");
	}
}
