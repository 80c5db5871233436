/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the raw material: replicates and runs. */
#include <math.h>
#include <time.h>

#include "reports/tables/tables.h"

void table_replicates(struct table *t, const struct analysis *a)
{
	table_init(t, "replicates", "Results of every pair");
	table_note(
	    t,
	    "Mean response time of the program and of the replay, pair by pair: what all statistics here are made of.");
	t->data_only = true;
	table_cell_columns(t);
	table_column(t, FORMAT_COUNT, "pair", "Pair");
	table_column(t, FORMAT_TIME, "program", "Program");
	table_column(t, FORMAT_TIME, "replay", "Replay");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct cell *c = &a->cell[i];
		size_t n = c->x.n < c->r.n ? c->x.n : c->r.n;
		for (size_t k = 0; k < n; k++) {
			table_cell_names(t, a, c);
			table_count(t, (double)k + 1);
			table_number(t, c->r.x[k]);
			table_number(t, c->x.x[k]);
		}
	}
}

/* UTC; the only dates in a report are those of the runs. */
static void add_date(struct table *t, int64_t ns)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char text[40];
	if (ns <= 0 || !gmtime_r(&s, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		table_none(t);
	else
		table_text(t, text);
}

static const char *run_role(const struct protocol *p, const struct run *r)
{
	if (r->role == ROLE_PROGRAM)
		return "program";
	if (r->role == ROLE_RECORD)
		return "recording";
	return r->role >= 0 && (size_t)r->role < p->n_replayers ? p->replayer[r->role].name : "unknown";
}

static void add_run(struct table *t, const struct protocol *p, const struct run *r)
{
	const struct fileset_residency *f = &r->residency;
	table_count(t, r->id);
	table_count(t, r->block);
	table_count(t, r->position);
	table_text(t, r->scenario < p->n_scenarios ? p->scenario[r->scenario].name : NULL);
	table_text(t, run_role(p, r));
	table_text(t, r->state == RUN_OK ? "ok" : r->state == RUN_FAILED ? "failed" : "not run");
	if (r->state == RUN_OK && r->has_summary) {
		table_number(t, r->summary.response.mean);
		table_number(t, r->summary.response_median);
		table_number(t, r->summary.response_p99);
		table_number(t, (double)r->summary.execution_ns);
		table_count(t, (double)r->summary.response.n);
	} else {
		for (int i = 0; i < 5; i++)
			table_none(t);
	}
	if (f->total_bytes)
		table_number_u(t, (double)f->cached_bytes / (double)f->total_bytes, 0.01);
	else
		table_none(t);
	if (r->cgroup_limit_bytes)
		table_number(t, (double)r->cgroup_limit_bytes);
	else
		table_none(t);
	add_date(t, r->started_ns);
	table_text(t, r->reason);
}

void table_runs(struct table *t, const struct analysis *a)
{
	const struct results *r = a->results;
	table_init(t, "runs", "Runs");
	table_note(t, "In the order of the plan. Block 0 warms up and is never used.");
	t->data_only = !protocol_in_detail(&r->protocol); /* nobody reads so many pages */
	table_column(t, FORMAT_COUNT, "run", "Run");
	table_column(t, FORMAT_COUNT, "block", "Block");
	table_column(t, FORMAT_COUNT, "position", "Position");
	table_column(t, FORMAT_TEXT, "scenario", "Scenario");
	table_column(t, FORMAT_TEXT, "role", "Role");
	table_column(t, FORMAT_TEXT, "state", "State");
	table_column(t, FORMAT_TIME, "mean", "Mean");
	table_column(t, FORMAT_TIME, "median", "Median");
	table_column(t, FORMAT_TIME, "p99", "p99");
	table_column(t, FORMAT_TIME, "execution_time", "Execution time");
	table_column(t, FORMAT_COUNT, "n_requests", "Requests");
	table_column(t, FORMAT_SHARE, "cached_before", "Cached before");
	table_column(t, FORMAT_BYTES, "cgroup_limit", "Memory limit");
	table_column(t, FORMAT_TEXT, "started", "Started (UTC)");
	table_column(t, FORMAT_TEXT, "reason", "Reason");
	for (size_t i = 0; i < r->n_runs; i++)
		add_run(t, &r->protocol, &r->run[i]);
}
