/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of parallel applications: the error of the running time, what recording took, and each node by itself. */
#include <math.h>

#include "common/xalloc.h"
#include "reports/parallel_words.h"
#include "reports/tables/tables.h"

static void text_take(struct table *t, struct strbuf *s)
{
	table_text(t, s->s);
	strbuf_reset(s);
}

/* What a cell shares with those of the same family. */
static void family_columns(struct table *t)
{
	table_column(t, FORMAT_TEXT, "application", "Application");
	table_column(t, FORMAT_TEXT, "target", "Target");
	table_column(t, FORMAT_TEXT, "period", "Period");
	table_column(t, FORMAT_TEXT, "nodes", "Delayed nodes");
	t->n_row_headers = 4;
}

static void family_names(struct table *t, const struct analysis *a, size_t cell)
{
	const struct scenario *s = parallel_scenario(a, cell);
	const struct parallel_case *c = parallel_case_of(a, cell);
	struct strbuf text = STRBUF_INIT;
	parallel_add_application(&text, s);
	text_take(t, &text);
	table_text(t, a->results->protocol.target[s->target].name);
	parallel_add_period(&text, s, c ? c->recording : NULL);
	text_take(t, &text);
	parallel_add_nodes(&text, s);
	text_take(t, &text);
	strbuf_release(&text);
}

static void number_or_none(struct table *t, double x)
{
	table_number_status(t, isnan(x) ? STAT_NOT_ASSESSED : STAT_OK, x, NAN);
}

static void count_or_none(struct table *t, const struct causality_summary *r, uint64_t n)
{
	if (r)
		table_count(t, (double)n);
	else
		table_none(t);
}

static void case_row(struct table *t, const struct analysis *a, const struct parallel_case *c)
{
	const struct scenario *s = parallel_scenario(a, c->cell);
	const struct causality_summary *r = c->recording;
	table_cell_names(t, a, &a->cell[c->cell]);
	table_text(t, a->results->protocol.target[s->recorded_on].name);
	table_estimate(t, &c->program);
	table_estimate(t, &c->replay);
	table_estimate(t, &c->error);
	number_or_none(t, c->U);
	number_or_none(t, c->k);
	table_estimate(t, &c->bandwidth_program);
	table_estimate(t, &c->bandwidth_replay);
	count_or_none(t, r, r ? r->n_nodes : 0);
	count_or_none(t, r, r ? r->n_throttled : 0);
	count_or_none(t, r, r ? r->period : 0);
	count_or_none(t, r, r ? r->n_waits : 0);
	count_or_none(t, r, r ? r->n_runs : 0);
	number_or_none(t, c->tracing_time);
	number_or_none(t, c->tracing_increase);
}

void table_parallel(struct table *t, const struct analysis *a)
{
	table_init(t, "parallel", "Parallel applications: error of the running time");
	table_note(t, "The error is (running time of the application - that of the replay) / that of the application: above 0 the replay is too short. U is "
		      "its expanded uncertainty, k times what the pairs of runs scatter and the clock's step, for 95 %%. Running time: from the first "
		      "request to the end of the last. The recording's runs together took so many times as long as the application; one with a "
		      "delayed node, in the mean, so many times.");
	table_cell_columns(t);
	table_column(t, FORMAT_TEXT, "recorded_on", "Recorded on");
	table_column_estimate(t, FORMAT_TIME, "program", "Application [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay", "Replay [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "error", "Error [95 %]");
	table_column(t, FORMAT_SHARE, "U", "U");
	table_column(t, FORMAT_NUMBER, "k", "k");
	table_column_estimate(t, FORMAT_BYTES, "program_bytes_per_s", "Bandwidth, application [95 %]");
	table_column_estimate(t, FORMAT_BYTES, "replay_bytes_per_s", "replay [95 %]");
	table_column(t, FORMAT_COUNT, "n_nodes", "Nodes");
	table_column(t, FORMAT_COUNT, "n_delayed", "Delayed");
	table_column(t, FORMAT_COUNT, "period", "Period");
	table_column(t, FORMAT_COUNT, "n_waits", "Waits");
	table_column(t, FORMAT_COUNT, "n_runs", "Runs of the recording");
	table_column(t, FORMAT_NUMBER, "tracing_time", "their time, times the application's");
	table_column(t, FORMAT_NUMBER, "tracing_increase", "Increase of a run's");
	for (size_t i = 0; a->parallel && i < a->parallel->n_cases; i++)
		case_row(t, a, &a->parallel->of_case[i]);
}

void table_parallel_worst(struct table *t, const struct analysis *a)
{
	table_init(t, "parallel-worst", "Parallel applications: the worst error over what they were recorded on");
	table_note(t, "Of the targets that an application was recorded on, the one whose trace makes the replay worst, as the parallel-trace paper has it "
		      "(figures 8 to 11); sizes, without the sign. Behind a published value nothing is known of its uncertainty: means of at least 3 "
		      "runs.");
	family_columns(t);
	table_column(t, FORMAT_TEXT, "replayer", "Replayer");
	t->n_row_headers = 5;
	table_column_estimate(t, FORMAT_SHARE, "error", "Error [95 %]");
	table_column(t, FORMAT_TEXT, "recorded_on", "Recorded on");
	table_column(t, FORMAT_COUNT, "n_recorded_on", "of");
	table_column(t, FORMAT_SHARE, "published", "Published");
	table_column(t, FORMAT_TEXT, "source", "in");
	table_column(t, FORMAT_NUMBER, "tracing_time", "Recording, times the application's time");
	table_column(t, FORMAT_NUMBER, "tracing_increase", "Increase of a run's");
	for (size_t i = 0; a->parallel && i < a->parallel->n_worst; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		const struct protocol *p = &a->results->protocol;
		family_names(t, a, w->first);
		table_text(t, p->replayer[a->cell[w->first].replayer].name);
		table_estimate(t, &w->size);
		table_text(t, w->cell == PARALLEL_NO_CELL ? NULL : p->target[parallel_scenario(a, w->cell)->recorded_on].name);
		table_count(t, (double)w->n_cells);
		number_or_none(t, w->published ? fabs(w->published->value) : NAN);
		table_text(t, w->published ? w->published->source : NULL);
		number_or_none(t, w->tracing_time);
		number_or_none(t, w->tracing_increase);
	}
}

/* --- replayers beside each other -------------------------------------------------------------------------------------- */

static bool same_row(const struct analysis *a, size_t x, size_t y)
{
	return parallel_same_family(parallel_scenario(a, x), parallel_scenario(a, y));
}

static const struct parallel_worst *worst_of(const struct analysis *a, size_t family, size_t replayer)
{
	for (size_t i = 0; i < a->parallel->n_worst; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		if (a->cell[w->first].replayer == replayer && same_row(a, w->first, family))
			return w;
	}
	return NULL;
}

static void replayers_row(struct table *t, const struct analysis *a, size_t family)
{
	const struct estimate none = {.status = STAT_NOT_ASSESSED, .value = NAN, .lo90 = NAN, .hi90 = NAN, .lo95 = NAN, .hi95 = NAN, .df = NAN};
	double time = NAN;
	family_names(t, a, family);
	for (size_t k = 0; k < a->parallel->n_sums; k++) {
		const struct parallel_worst *w = worst_of(a, family, a->parallel->sum[k].replayer);
		table_estimate(t, w ? &w->size : &none);
		time = w ? fmax(time, w->tracing_time) : time;
	}
	number_or_none(t, time);
}

void table_parallel_replayers(struct table *t, const struct analysis *a)
{
	table_init(t, "parallel-replayers", "Parallel applications: replayers beside each other");
	table_note(t, "Size of the error of the running time, the worst over the targets that the application was recorded on.");
	family_columns(t);
	for (size_t k = 0; a->parallel && k < a->parallel->n_sums; k++) {
		char *key = xasprintf("error_%zu", k + 1), *title = xasprintf("%s [95 %%]", a->results->protocol.replayer[a->parallel->sum[k].replayer].name);
		table_column_estimate(t, FORMAT_SHARE, key, title);
		free(key);
		free(title);
	}
	table_column(t, FORMAT_NUMBER, "tracing_time", "Recording, times the application's time");
	for (size_t i = 0; a->parallel && i < a->parallel->n_worst; i++) {
		size_t before = 0;
		while (before < i && !same_row(a, a->parallel->worst[before].first, a->parallel->worst[i].first))
			before++;
		if (before == i)
			replayers_row(t, a, a->parallel->worst[i].first);
	}
}

/* --- nodes ------------------------------------------------------------------------------------------------------------ */

void table_parallel_nodes(struct table *t, const struct analysis *a)
{
	table_init(t, "parallel-nodes", "Parallel applications: response times of each node");
	table_note(t, "Computing, signals and waits are no requests. U: what one replay's mean of that node may be off, bias apart, for 95 %%. Busy: from "
		      "the node's first request to the end of its last.");
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "node", "Node");
	t->n_row_headers = 3;
	table_column(t, FORMAT_COUNT, "n_requests", "Requests a run");
	table_column_estimate(t, FORMAT_TIME, "program", "Application [95 %]");
	table_column_estimate(t, FORMAT_TIME, "replay", "Replay [95 %]");
	table_column_estimate(t, FORMAT_RELATIVE, "bias", "Bias [95 %]");
	table_column(t, FORMAT_SHARE, "U", "U");
	table_column(t, FORMAT_NUMBER, "program_busy_s", "Busy, application, s");
	table_column(t, FORMAT_NUMBER, "replay_busy_s", "replay, s");
	for (size_t i = 0; a->parallel && i < a->parallel->n_nodes; i++) {
		const struct parallel_node *o = &a->parallel->node[i];
		table_cell_names(t, a, &a->cell[o->cell]);
		table_count(t, (double)o->node);
		number_or_none(t, o->n_requests);
		table_estimate(t, &o->program);
		table_estimate(t, &o->replay);
		table_estimate(t, &o->bias);
		number_or_none(t, o->U);
		number_or_none(t, o->busy_program_s);
		number_or_none(t, o->busy_replay_s);
	}
}
