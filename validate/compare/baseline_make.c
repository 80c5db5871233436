/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a baseline from a campaign. */
#include "common/each.h"
#include "common/fnv1a.h"
#include "validate/analysis/analysis.h"
#include "validate/analysis/run_values.h"
#include "validate/compare/baseline_private.h"

const char *const baseline_columns[COLUMN_N + 1] = {
    [COLUMN_X_MEAN] = "x_mean_ns", [COLUMN_R_MEAN] = "r_mean_ns", [COLUMN_X_MEDIAN] = "x_median_ns",
    [COLUMN_R_MEDIAN] = "r_median_ns", [COLUMN_X_P90] = "x_p90_ns", [COLUMN_R_P90] = "r_p90_ns",
    [COLUMN_X_P99] = "x_p99_ns", [COLUMN_R_P99] = "r_p99_ns", [COLUMN_X_P999] = "x_p999_ns",
    [COLUMN_R_P999] = "r_p999_ns", [COLUMN_X_TIME] = "x_execution_time_ns",
    [COLUMN_R_TIME] = "r_execution_time_ns", [COLUMN_X_IN_FLIGHT] = "x_in_flight",
    [COLUMN_R_IN_FLIGHT] = "r_in_flight", [COLUMN_DISTANCE] = "concurrency_distance",
    [COLUMN_REORDERED] = "share_reordered", [COLUMN_MISMATCHED] = "n_mismatched",
    [COLUMN_REQUESTS] = "n_requests", [COLUMN_X_TYPICAL] = "x_typical_ns",
    [COLUMN_R_TYPICAL] = "r_typical_ns", [COLUMN_X_TAIL] = "x_tail_ns",
    [COLUMN_R_TAIL] = "r_tail_ns", [COLUMN_SHAPE] = "shape_1", "shape_5", "shape_10", "shape_20",
    "shape_35", "shape_50", "shape_65", "shape_80", "shape_90", "shape_95", "shape_99",
    "shape_99.9", [COLUMN_N] = NULL,
};

/* Rounds a number as if it were written to a file and read again. */
double baseline_round(double x)
{
	char digits[40];
	if (!isfinite(x))
		return NAN;
	if (fabs(x) < 1e8 && x * 2 <= floor(x * 2))
		/* already has so few digits, as most times in ns */
		return x;
	snprintf(digits, sizeof digits, "%.*g", BASELINE_DIGITS, x);
	return strtod(digits, NULL);
}

static void lines_take(char ***lines, size_t *n, const struct strbuf *text)
{
	size_t cap = 0;
	for (const char *s = text->s; *s;) {
		size_t len = strcspn(s, "\n");
		APPEND(*lines, *n, cap, xasprintf("%.*s", (int)len, s));
		s += len + (s[len] == '\n');
	}
}

/* --- the environment ----------------------------------------------------- */

/* Facts that differ between campaigns on the same machine, or that are stored elsewhere. */
static const char *const passing[] = {"version", "date", "time", "load", "session", "scenarios",
    "replaced_or_skipped", "left_behind", "costs", "program.path", "clock.resolution_ns",
    "clock.read_cost_ns", "protocol", "host", "memory.available_bytes", "memory.swap_free_bytes",
    "limits.aio_requests_in_use", NULL};

static bool is_passing(const char *name)
{
	for (const char *const *p = passing; *p; p++) {
		size_t n = strlen(*p);
		if (!strncmp(name, *p, n) && (!name[n] || name[n] == '.'))
			return true;
	}
	const char *last = strrchr(name, '.');
	return last && (!strcmp(last, ".free_bytes") || !strcmp(last, ".dir") ||
			!strcmp(last, ".files_bytes"));
}

static void fact_add(struct baseline *b, const char *name, char *value)
{
	b->fact = xreallocarray(b->fact, b->n_facts + 1, sizeof *b->fact);
	b->fact[b->n_facts++] = (struct baseline_fact){xstrdup(name), value};
}

#define FACTS_MAX 2000
#define DEPTH_MAX 8

static void facts_take(struct baseline *b, const char *name, const json_t *value,
		       unsigned int depth)
{
	const char *key;
	json_t *member;
	size_t i;
	if (is_passing(name) || depth > DEPTH_MAX || b->n_facts >= FACTS_MAX)
		return;
	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, member)
		{
			SCOPED_FREE char *below = xasprintf("%s%s%s", name, *name ? "." : "", key);
			facts_take(b, below, member, depth + 1);
		}
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, member)
		{
			SCOPED_FREE char *below = xasprintf("%s.%zu", name, i);
			facts_take(b, below, member, depth + 1);
		}
	} else if (json_is_string(value)) {
		fact_add(b, name, xstrdup(json_string_value(value)));
	} else if (!json_is_null(value)) {
		fact_add(b, name,
			 json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(BASELINE_DIGITS)));
	}
}

static char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return xstrdup(s ? s : "not available");
}

/* --- cases --------------------------------------------------------------- */

static void row_take(struct baseline_case *c, size_t i, const struct run_summary *x,
		     const struct run_summary *r, const struct reorder_summary *order)
{
	const double row[COLUMN_N] = {
	    [COLUMN_X_MEAN] = x->response.mean,
	    [COLUMN_R_MEAN] = r->response.mean,
	    [COLUMN_X_MEDIAN] = x->response_median,
	    [COLUMN_R_MEDIAN] = r->response_median,
	    [COLUMN_X_P90] = x->response_p90,
	    [COLUMN_R_P90] = r->response_p90,
	    [COLUMN_X_P99] = x->response_p99,
	    [COLUMN_R_P99] = r->response_p99,
	    [COLUMN_X_P999] = x->response_p999,
	    [COLUMN_R_P999] = r->response_p999,
	    [COLUMN_X_TIME] = (double)x->execution_ns,
	    [COLUMN_R_TIME] = (double)r->execution_ns,
	    [COLUMN_X_IN_FLIGHT] = run_in_flight(x),
	    [COLUMN_R_IN_FLIGHT] = run_in_flight(r),
	    [COLUMN_DISTANCE] = run_concurrency_distance(x, r),
	    [COLUMN_REORDERED] = x->has_input && order->n_received
				     ? (double)order->n_reordered / (double)order->n_received
				     : NAN,
	    [COLUMN_MISMATCHED] =
		x->has_input ? (double)x->n_lost + (double)x->n_extra + (double)x->n_mismatched
			     : NAN,
	    [COLUMN_REQUESTS] = (double)x->response.n,
	    [COLUMN_X_TYPICAL] = x->response_typical,
	    [COLUMN_R_TYPICAL] = r->response_typical,
	    [COLUMN_X_TAIL] = x->response_tail,
	    [COLUMN_R_TAIL] = r->response_tail,
	};
	for (size_t k = 0; k < COLUMN_SHAPE; k++)
		c->column[k][i] = baseline_round(row[k]);
}

/* Adds the shapes, at the edges of this case's pairs. Two replayers with successful runs in the
 * same blocks have the same edges. */
static void shape_take(struct baseline_case *c, const struct pairs *p)
{
	struct shape_edges s;
	const bool known = shape_edges(&s, p);
	for (size_t k = 0; k < SHAPE_N_QUANTILES; k++)
		for (size_t i = 0; i < p->n; i++)
			c->column[COLUMN_SHAPE + k][i] =
			    known ? baseline_round(shape_difference(&p->x[i]->summary,
								    &p->r[i]->summary, s.edge[k]))
				  : NAN;
}

static char *settings_of(const struct replayer *r, size_t scenario)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "engine=%s", r->engine ? r->engine : "event");
	for (size_t i = 0; i < r->n_options; i++)
		if (replayer_option_acts(r, i, scenario))
			strbuf_addf(&text, " %s=%s", r->option[i].key, r->option[i].value);
	return strbuf_detach(&text);
}

static void case_take(struct baseline_case *out, const struct results *r, const struct analysis *a,
		      const struct cell *c)
{
	SCOPED(pairs_release) struct pairs pairs;
	/* a copy of the cell, because pairs_collect() adds to its counts */
	struct cell counted = {.scenario = c->scenario, .replayer = c->replayer};
	const struct replayer *replayer = &r->protocol.replayer[c->replayer];
	pairs_collect(&pairs, &counted, r, a->n_replicates);
	*out = (struct baseline_case){
	    .scenario = c->scenario,
	    .replayer = xstrdup(replayer->name),
	    .settings = settings_of(replayer, c->scenario),
	    .verdict = xstrdup(verdict_name(c->verdict)),
	    .reason = xstrdup(c->verdict_reason),
	    .single_reference = c->single_reference,
	    .incomplete = c->n_events_lost || c->n_cut || c->n_unseen,
	    .n_failed = c->n_failed_program + c->n_failed_replayer,
	    .bias = baseline_round(c->bias.status ? NAN : c->bias.value),
	    .bias_lo95 = baseline_round(c->bias.status ? NAN : c->bias.lo95),
	    .bias_hi95 = baseline_round(c->bias.status ? NAN : c->bias.hi95),
	    .u_c = baseline_round(c->budget.status ? NAN : c->budget.u_c),
	    .u_c_df = baseline_round(c->budget.status ? NAN : c->budget.nu_spread),
	    .U95 = baseline_round(c->budget.status ? NAN : c->budget.U95),
	    .n = pairs.n,
	};
	baseline_rows_make(out);
	for (size_t i = 0; i < pairs.n; i++) {
		out->block[i] = pairs.x[i]->block;
		row_take(out, i, &pairs.x[i]->summary, &pairs.r[i]->summary,
			 run_order(&r->protocol, replayer, &pairs.x[i]->summary));
	}
	shape_take(out, &pairs);
}

/* --- baseline ------------------------------------------------------------ */

/* Sets a number derived from the results and their date, which differs between any two
 * campaigns. */
static void campaign_mark(struct baseline *b, const struct results *r)
{
	uint64_t x = FNV1A_START;
	for (size_t i = 0; i < r->n_runs; i++) {
		const int64_t part[2] = {r->run[i].started_ns, r->run[i].has_summary
								   ? r->run[i].summary.execution_ns
								   : -1};
		x = fnv1a(x, part, sizeof part);
	}
	snprintf(b->campaign, sizeof b->campaign, "%016" PRIx64, x);
}

static void scenario_take(struct baseline_scenario *s, const struct results *r, size_t index)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	size_t cap = 0;
	*s = (struct baseline_scenario){.name = xstrdup(r->protocol.scenario[index].name)};
	conditions_add_scenario(&r->protocol, index, &text);
	lines_take(&s->condition, &s->n_conditions, &text);
	const size_t recorded = scenario_recording(&r->protocol, index);
	/* recordings in bank order */
	for (const struct run *run = NULL; (run = run_of_scenario(r, recorded, run));) {
		if (run->role != ROLE_RECORD)
			continue;
		GROW(s->requests, s->n_requests, cap);
		s->requests[s->n_requests++] = run->has_summary ? run->summary.requests_hash : 0;
	}
}

static void limits_take(struct compare_limits *out, const struct compare_limits *l)
{
	*out = *l;
	out->environment = l->environment ? xstrdup(l->environment) : NULL;
	out->old = l->old ? xstrdup(l->old) : NULL;
	out->new = l->new ? xstrdup(l->new) : NULL;
}

struct baseline_making {
	struct baseline *b;
	const struct results *r;
	const struct analysis *a;
};

static void case_of(void *context, size_t i)
{
	const struct baseline_making *m = context;
	case_take(&m->b->cell[i], m->r, m->a, &m->a->cell[i]);
}

int baseline_make(struct baseline *b, const struct results *r, const struct analysis *a,
		  struct err *e)
{
	const struct protocol *p = &r->protocol;
	SCOPED_STRBUF text = STRBUF_INIT;
	*b = (struct baseline){.sealed = true, .look = a->look, .n_replicates = a->n_replicates,
		.level_accept = baseline_round(a->level_accept),
		.level_reject = baseline_round(a->level_reject), .span = baseline_round(a->span),
		.complete = a->complete};
	int ret = conditions_hash(p, b->protocol_hash, e);
	if (ret)
		return ret;
	b->source = xstrdup(r->dir ? r->dir : "results");
	b->title = xstrdup(p->title ? p->title : "");
	b->protocol = xstrdup(p->name ? p->name : "");
	b->program_version = text_of(json_object_get(r->environment, "program"), "version");
	b->date = text_of(r->environment, "date");
	b->host = text_of(r->environment, "host");
	campaign_mark(b, r);
	limits_take(&b->limits, &p->compare);
	conditions_add(p, &text);
	lines_take(&b->condition, &b->n_conditions, &text);
	facts_take(b, "", r->environment, 0);
	b->scenario = xcalloc(p->n_scenarios + 1, sizeof *b->scenario);
	for (; b->n_scenarios < p->n_scenarios; b->n_scenarios++)
		scenario_take(&b->scenario[b->n_scenarios], r, b->n_scenarios);
	b->cell = xcalloc(a->n_cells + 1, sizeof *b->cell);
	b->n_cells = a->n_cells;
	struct baseline_making all = {b, r, a};
	/* on several threads, as in analysis_compute() */
	if (!protocol_in_detail(p))
		each_do(a->n_cells, case_of, &all);
	else
		for (size_t i = 0; i < a->n_cells; i++)
			case_of(&all, i);
	return 0;
}
