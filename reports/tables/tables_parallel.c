/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of parallel applications: error of the execution time, cost of recording, and nodes. */
#include "reports/words.h"
#include "reports/tables/tables.h"

/* Adds the columns that all cells of a family share. */
static void family_columns(struct table *t, const struct analysis *a, size_t cell)
{
	const struct scenario *s = t->in_heads ? NULL : cell_scenario(a, cell);
	const struct parallel_case *c = t->in_heads ? NULL : parallel_case_of(a, cell);
	COL_WORDS(t, "application", "Application", parallel_add_application(&s_, s));
	COL_TEXT(t, "target", "Target", a->results->protocol.target[s->target].name);
	COL_WORDS(t, "period", "Period", parallel_add_period(&s_, s, c ? c->recording : NULL));
	COL_WORDS(t, "nodes", "Delayed nodes", parallel_add_nodes(&s_, s));
}

ROWS_OF(n_cases, a->parallel ? a->parallel->n_cases : 0)

static void parallel_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	const struct parallel_case *c = a->parallel ? &a->parallel->of_case[i] : NULL;
	const struct causality_summary *r = t->in_heads ? NULL : c->recording;
	COL_CELL(t, a, &a->cell[c->cell]);
	COL_TEXT(t, "recorded_on", "Recorded on",
		p->target[cell_scenario(a, c->cell)->recorded_on].name);
	COL_OF(t, parallel_case, c, program, NULL, "Application [95 %]");
	COL_OF(t, parallel_case, c, replay, NULL, "Replay [95 %]");
	COL_OF(t, parallel_case, c, error, NULL, "Error [95 %]");
	COL_KNOWN(t, SHARE, "U", "U", c->U);
	COL_KNOWN(t, NUMBER, "k", "k", c->k);
	COL_OF(t, parallel_case, c, bandwidth_program, NULL,
	       "Bytes per second, application [95 %]");
	COL_OF(t, parallel_case, c, bandwidth_replay, NULL, "replay [95 %]");
	COL_COUNT_IF(t, "n_nodes", "Nodes", r, r->n_nodes);
	COL_COUNT_IF(t, "n_delayed", "Delayed", r, r->n_throttled);
	COL_COUNT_IF(t, "period", "Period", r, r->period);
	COL_COUNT_IF(t, "n_waits", "Waits", r, r->n_waits);
	COL_KNOWN(t, SHARE, "predicted_error", "Predicted error",
		  r ? causality_predicted_error(r) : NAN);
	COL_COUNT_IF(t, "n_runs", "Runs of the recording", r, r->n_runs);
	COL_KNOWN(t, NUMBER, "tracing_time", "Time of these runs / time of the application",
		  c->tracing_time);
	COL_KNOWN(t, NUMBER, "tracing_increase", "Time of a delayed run / time of the application",
		  c->tracing_increase);
}

const struct table_kind table_parallel = {"parallel",
	"Parallel applications: error of the execution time", n_cases, parallel_row, .note =
	"The error is (execution time of the application - execution time of the replay) / "
	"execution time of the application. A positive error means that the replay is too fast: "
	"the sign is opposite to that of the component \"execution time\". U: expanded uncertainty "
	"of the error, with 95 % coverage. It is k times the standard uncertainty, which comes "
	"from the scatter of the pairs and the resolution of the clock. Execution time: from the "
	"start of the first request to the end of the last. Predicted error: computed from the "
	"recording, without a replay. If the predicted error is beyond 5 %, the recording does not "
	"explain the execution time of the application, and the error does not show how well the "
	"replayer works. A recording consists of several runs of the application. The last two "
	"columns are multiples of the time of the application: the total time of these runs, and "
	"the mean time of a run in which a node (traced thread) is delayed."};

ROWS_OF(n_worst, a->parallel ? a->parallel->n_worst : 0)

static void parallel_worst_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct protocol *p = &a->results->protocol;
	const struct parallel_worst *w = ROW_ITEM(t, &a->parallel->worst[i]);
	family_columns(t, a, t->in_heads ? 0 : w->first);
	COL_TEXT(t, "replayer", "Replayer", p->replayer[a->cell[w->first].replayer].name);
	COL_OF(t, parallel_worst, w, size, "error", "Error [95 %]");
	COL_TEXT(t, "recorded_on", "Recorded on", w->cell == PARALLEL_NO_CELL ? NULL
		: p->target[cell_scenario(a, w->cell)->recorded_on].name);
	COL_OF(t, parallel_worst, w, n_cells, NULL, "Recordings");
	COL_KNOWN(t, SHARE, "published", "Published",
		w->published ? fabs(w->published->value) : NAN);
	COL_TEXT(t, "source", "Published in", w->published ? w->published->source : NULL);
	COL_KNOWN(t, NUMBER, "tracing_time", "Time of the recording / time of the application",
		w->tracing_time);
	COL_KNOWN(t, NUMBER, "tracing_increase", "Time of a delayed run / time of the application",
		  w->tracing_increase);
}

const struct table_kind table_parallel_worst = {"parallel-worst",
	"Parallel applications: the largest error over the recordings", n_worst,
	parallel_worst_row, .n_row_headers = 5, .note =
	"For each application, the recording whose replay has the largest error, as in the //TRACE "
	"paper (figures 8 to 11), and the number of recordings. Errors are absolute values. "
	"Published values are means of at least 3 runs; their uncertainty is unknown."};

/* --- comparison of replayers ----------------------------------------- */

static bool same_row(const struct analysis *a, size_t x, size_t y)
{
	return parallel_same_family(cell_scenario(a, x), cell_scenario(a, y));
}

static const struct parallel_worst *worst_of(const struct analysis *a, size_t family,
					     size_t replayer)
{
	for (size_t i = 0; i < a->parallel->n_worst; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		if (a->cell[w->first].replayer == replayer && same_row(a, w->first, family))
			return w;
	}
	return NULL;
}

static void parallel_replayers_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct parallel_worst *all = a->parallel ? a->parallel->worst : NULL;
	double time = NAN;
	for (size_t k = 0; !t->in_heads && k < i; k++)
		if (same_row(a, all[k].first, all[i].first))
			return; /* a row for each family */
	family_columns(t, a, t->in_heads ? 0 : all[i].first);
	for (size_t k = 0; a->parallel && k < a->parallel->n_sums; k++) {
		const size_t replayer = a->parallel->sum[k].replayer;
		char key[40], *title = xasprintf("%s [95 %%]",
						 a->results->protocol.replayer[replayer].name);
		snprintf(key, sizeof key, "error_%zu", k + 1);
		if (table_head(t, FORMAT_SHARE, key, title, true)) {
			const struct parallel_worst *w = worst_of(a, all[i].first, replayer);
			table_estimate(t, w ? &w->size : NULL);
			time = w ? fmax(time, w->tracing_time) : time;
		}
		free(title);
	}
	COL_KNOWN(t, NUMBER, "tracing_time", "Time of the recording / time of the application",
		  time);
}

const struct table_kind table_parallel_replayers = {"parallel-replayers",
	"Parallel applications: comparison of replayers", n_worst, parallel_replayers_row,
	.n_row_headers = 4, .note =
	"Absolute value of the error of the execution time. If an application was recorded on "
	"several targets, the table shows the largest of its errors."};

/* --- hosts --------------------------------------------------------------- */

ROWS_OF(n_hosts, a->parallel ? a->parallel->n_hosts : 0)

static void parallel_hosts_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct parallel_host *o = ROW_ITEM(t, &a->parallel->host[i]);
	COL_CELL(t, a, &a->cell[o->cell]);
	COL_TEXT(t, "host", "Host", o->host);
	COL_OF(t, parallel_host, o, n_nodes, NULL, "Nodes");
	COL_KNOWN(t, COUNT, "n_requests", "Requests per run", o->n_requests);
	COL_OF(t, parallel_host, o, program, NULL, "Application [95 %]");
	COL_OF(t, parallel_host, o, replay, NULL, "Replay [95 %]");
	COL_OF(t, parallel_host, o, bias, NULL, "Bias [95 %]");
	COL_KNOWN(t, SHARE, "U", "U", o->U);
	COL_KNOWN(t, NUMBER, "program_busy_s", "Busy, application, s", o->busy_program_s);
	COL_KNOWN(t, NUMBER, "replay_busy_s", "replay, s", o->busy_replay_s);
}

const struct table_kind table_parallel_hosts = {
    "parallel-hosts",
    "Parallel applications: response times of each host",
    n_hosts,
    parallel_hosts_row,
    .n_row_headers = 3,
    .note = "The host is that of the node (traced thread) in the application; a replay may place "
	    "it on another host. Response times are means over all requests of a run. U: the mean "
	    "of the host in one replay lies within ±U of the program's mean, after correction for "
	    "the bias, with 95 % coverage. Busy: longest time of a node of the host, from the "
	    "start of the node's first request to the end of its last request."};

/* --- nodes --------------------------------------------------------------- */

ROWS_OF(n_nodes, a->parallel ? a->parallel->n_nodes : 0)

static void parallel_nodes_row(struct table *t, const struct analysis *a, size_t i)
{
	const struct parallel_node *o = ROW_ITEM(t, &a->parallel->node[i]);
	COL_CELL(t, a, &a->cell[o->cell]);
	COL_OF(t, parallel_node, o, node, NULL, "Node");
	COL_KNOWN(t, COUNT, "n_requests", "Requests per run", o->n_requests);
	COL_OF(t, parallel_node, o, program, NULL, "Application [95 %]");
	COL_OF(t, parallel_node, o, replay, NULL, "Replay [95 %]");
	COL_OF(t, parallel_node, o, bias, NULL, "Bias [95 %]");
	COL_KNOWN(t, SHARE, "U", "U", o->U);
	COL_KNOWN(t, NUMBER, "program_busy_s", "Busy, application, s", o->busy_program_s);
	COL_KNOWN(t, NUMBER, "replay_busy_s", "replay, s", o->busy_replay_s);
}

const struct table_kind table_parallel_nodes = {
    "parallel-nodes",
    "Parallel applications: response times of each node (traced thread)",
    n_nodes,
    parallel_nodes_row,
    .n_row_headers = 3,
    .note =
	"Computing, signals and waits are not requests. U: the mean of the node in one replay "
	"lies within ±U of the program's mean, after correction for the bias, with 95 % "
	"coverage. Busy: from the start of the node's first request to the end of its last."};
