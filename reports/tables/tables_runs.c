/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the raw material: replicates and runs. */
#include <math.h>
#include <time.h>

#include "reports/tables/tables.h"

static size_t n_replicates(const struct analysis *a, size_t i)
{
	const struct cell *c = &a->cell[i];
	return c->x.n < c->r.n ? c->x.n : c->r.n;
}

static void replicates_item(struct table *t, const struct analysis *a, size_t i, size_t k)
{
	const struct cell *c = &a->cell[i];
	COL_CELL(t, a, c);
	COL_COUNT(t, "pair", "Pair", k + 1);
	COL_NUMBER(t, TIME, "program", "Program", c->r.x[k], NAN);
	COL_NUMBER(t, TIME, "replay", "Replay", c->x.x[k], NAN);
}

const struct table_kind table_replicates = {"replicates", "Results of every pair", table_n_cells,
	.n_items = n_replicates, .item = replicates_item, .data_only = true, .note =
	"Mean response time of the program and of the replay, pair by pair: what all statistics "
	"here are made of."};

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

static size_t runs_n(const struct analysis *a)
{
	return a->results->n_runs;
}

static void runs_row(struct table *t, const struct analysis *a, size_t i)
{
	static const char *const state[] = {
		[RUN_PENDING] = "not run", [RUN_OK] = "ok", [RUN_FAILED] = "failed"};
	const struct protocol *p = &a->results->protocol;
	const struct run *r = &a->results->run[i];
	const struct fileset_residency *f = &r->residency;
	const bool ok = !t->in_heads && r->state == RUN_OK && r->has_summary;
	const struct run_summary *s = &r->summary;
	t->data_only = !protocol_in_detail(p); /* nobody reads so many pages */
	COL_COUNT(t, "run", "Run", r->id);
	COL_COUNT(t, "block", "Block", r->block);
	COL_COUNT(t, "position", "Position", r->position);
	COL_TEXT(t, "scenario", "Scenario",
		r->scenario < p->n_scenarios ? p->scenario[r->scenario].name : NULL);
	COL_TEXT(t, "role", "Role", run_role(p, r));
	COL_TEXT(t, "state", "State", state[r->state]);
	COL_NUMBER_IF(t, TIME, "mean", "Mean", ok, s->response.mean, NAN);
	COL_NUMBER_IF(t, TIME, "median", "Median", ok, s->response_median, NAN);
	COL_NUMBER_IF(t, TIME, "p99", "p99", ok, s->response_p99, NAN);
	COL_NUMBER_IF(t, TIME, "execution_time", "Execution time", ok, (double)s->execution_ns, NAN);
	COL_COUNT_IF(t, "n_requests", "Requests", ok, s->response.n);
	COL_NUMBER_IF(t, SHARE, "cached_before", "Cached before", f->total_bytes,
		(double)f->cached_bytes / (double)f->total_bytes, 0.01);
	COL_NUMBER_IF(t, BYTES, "cgroup_limit", "Memory limit", r->cgroup_limit_bytes,
		(double)r->cgroup_limit_bytes, NAN);
	COL(t, TEXT, "started", "Started (UTC)", add_date(t, r->started_ns));
	COL_TEXT(t, "reason", "Reason", r->reason);
}

const struct table_kind table_runs = {"runs", "Runs", runs_n, runs_row, .n_row_headers = 1,
	.note = "In the order of the plan. Block 0 warms up and is never used."};
