/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of report.json for the protocol and the runs (model.h). */
#include "reports/model_rows.h"
#include "validate/components/component.h"

#define S accept_limits
GET_AT(double, component_limit, accept_limit(at->s, (enum component_kind)at->m->index))
GET_AT(bool, is_listed, at->m->index < components_listed(at->s))

#define LIMIT(KIND, row, name, limit, type, ...)                                                   \
	BY_REAL(component_limit, #limit, NUMBER, NULL, NAN_IS(STAT_NOT_ASSESSED),                  \
		.index = COMPONENT_##KIND, .whole = COMPONENT_##KIND == COMPONENT_FIDELITY,        \
		.present = COMPONENT_##KIND < COMPONENT_ON_DEMAND ? NULL : is_listed)

MODEL(S, "A limit is null if the protocol does not set it: the quantity is then shown, but not "
	"judged. The limits of the median, of the quantiles and of IOPS are present if at least "
	"one of them is set.",
	COMPONENT_LIST(LIMIT)
	WORD(reorder_scope, "reorder_scope", NULL, reorder_scope_names)
	ROW(double, execution_time_timed, "execution_time_timed", SHARE,
	    "Replaces execution_time for timed replays.", NAN_IS(STAT_NOT_ASSESSED))
	ROW(double, repeatability, "repeatability", SHARE,
	    "Coefficient of variation of the replays, if one recording is the reference of all "
	    "replays.",
	    NAN_IS(STAT_NOT_ASSESSED))
	ROW(double, guard_band, "guard_band", NUMBER,
	    "Guard band of the bias, as a multiple of the expanded uncertainty of the bias.",
	    NAN_IS(STAT_NOT_ASSESSED))
	WORD(uncertainty_bias, "uncertainty_bias", NULL, uncertainty_bias_names)
	WORD(concurrency_by, "concurrency_by", NULL, concurrency_by_names))
#undef S

#define S target
MODEL(S, NULL,
	TEXT(name, "name", NULL)
	TEXT(dir, "dir", "Null: a fresh directory inside the results directory.", NULLABLE)
	WORD(cache, "cache", NULL, cache_state_names)
	ROW(uint64_t, cache_budget_bytes, "cache_budget_bytes", BYTES, "0: none.")
	ROW(uint64_t, memory_limit_bytes, "memory_limit_bytes", BYTES, "0: none.")
	TEXT(queue, "queue", "Settings of the device queue.", NULLABLE)
	ROW(uint64_t, precondition_passes, "precondition_passes", COUNT,
	    "Number of times the files are overwritten before the campaign."))
#undef S

#define S scenario
static const char *target_name(const struct model_at *at)
{
	const struct scenario *s = at->s;
	const struct protocol *p = &at->a->results->protocol;
	return s->target < p->n_targets ? p->target[s->target].name : NULL;
}

MODEL(S, NULL,
	TEXT(name, "name", NULL)
	TEXT(workload, "workload", NULL)
	TEXT(type, "type", NULL)
	ROW(uint64_t, level, "level", COUNT, "Threads of a built-in workload.")
	BY_TEXT(target_name, "target", NULL, NULLABLE)
	SETTINGS(option, n_options, "options", NULL))
#undef S

#define S replayer
GET_AT(uint64_t, n_scenarios, at->a->results->protocol.n_scenarios)

static const char *scenario_replayed(const struct model_at *at)
{
	const struct replayer *r = at->s;
	const struct scenario *s = at->a->results->protocol.scenario;
	return !r->applies || r->applies[at->i] ? s[at->i].name : NULL;
}

MODEL(S, NULL,
	TEXT(name, "name", NULL)
	TEXT(engine, "engine", NULL)
	FLAG(total_order, "total_order", "The replayer promises a total order.")
	FLAG(timed, "timed", "The replayer keeps the issue times of the trace.")
	BY_TEXTS(n_scenarios, scenario_replayed, "scenarios", NULL)
	SETTINGS(option, n_options, "options", NULL))
#undef S

#define S protocol
MODEL(S, NULL,
	TEXT(title, "title", NULL, NULLABLE)
	ROW(uint64_t, n_replicates_min, "n_replicates_min", COUNT, NULL)
	ROW(uint64_t, n_replicates_max, "n_replicates_max", COUNT, NULL)
	ROW(uint64_t, seed, "seed", COUNT, NULL)
	ROW(uint64_t, n_bank, "n_bank", COUNT, "Reference traces per scenario; 0: one per block.")
	WORD(reference, "reference", NULL, reference_names)
	ROW(int64_t, min_duration_ns, "min_duration_ns", TIME, "0: request counts are fixed.")
	ROW(int64_t, settle_ns, "settle_ns", TIME,
	    "Time from the eviction of caches to the start of a run.")
	TEXT(cpus, "cpus", NULL, NULLABLE)
	TEXT(scheduler, "scheduler", NULL, NULLABLE)
	OBJECT(accept, "limits", NULL)
	ARRAY(target, n_targets, "targets", NULL)
	ARRAY(scenario, n_scenarios, "scenarios", NULL)
	ARRAY(replayer, n_replayers, "replayers", NULL))
#undef S

#define S run
static const char *const run_states[] = {
    [RUN_PENDING] = "pending", [RUN_OK] = "ok", [RUN_FAILED] = "failed", NULL};
static const char *const roles[] = {"program", "recording", "replay", NULL};

static const char *run_scenario_name(const struct model_at *at)
{
	const struct protocol *p = &at->a->results->protocol;
	const struct run *u = at->s;
	return u->scenario < p->n_scenarios ? p->scenario[u->scenario].name : NULL;
}

GET(const char *, role_name, run, u,
    roles[u->role == ROLE_PROGRAM ? 0 : u->role == ROLE_RECORD ? 1 : 2])

static const char *run_replayer_name(const struct model_at *at)
{
	const struct protocol *p = &at->a->results->protocol;
	const struct run *u = at->s;
	return u->role >= 0 && (size_t)u->role < p->n_replayers ? p->replayer[u->role].name : NULL;
}

GET(bool, has_numbers, run, u, u->state == RUN_OK && u->has_summary)
GET(bool, has_others, run, u, isfinite(u->others_share))

MODEL(S, NULL,
	ROW(uint32_t, id, "id", COUNT, NULL)
	ROW(uint32_t, block, "block", COUNT, "Block 0 is a warm-up: only its recordings are used.")
	ROW(uint32_t, position, "position", COUNT,
	    "Position within the block, after randomisation.")
	BY_TEXT(run_scenario_name, "scenario", NULL, NULLABLE)
	BY_TEXT(role_name, "role", NULL, .words = roles)
	BY_TEXT(run_replayer_name, "replayer", NULL, NULLABLE)
	ROW(uint32_t, bank, "bank", COUNT, "Index of the reference trace that the run replays or "
					   "records.")
	WORD(state, "state", NULL, run_states)
	TEXT(reason, "reason", "Why the run failed.", NULLABLE)
	ROW(int64_t, started_ns, "started_ns", TIME,
	    "Start of the run by CLOCK_REALTIME; 0 if the run was not started.")
	ROW(uint64_t, summary.response.n, "n_requests", COUNT, NULL, IF(has_numbers))
	ROW(double, summary.response.mean, "mean_ns", TIME, "Mean response time.", IF(has_numbers))
	ROW(double, summary.response_median, "median_ns", TIME, NULL, IF(has_numbers))
	ROW(double, summary.response_p99, "p99_ns", TIME, NULL, IF(has_numbers))
	ROW(int64_t, summary.execution_ns, "execution_time_ns", TIME, NULL, IF(has_numbers))
	ROW(uint64_t, summary.n_slices, "n_slices", COUNT,
	    "Number of slices, for a run that was made in slices.",
	    IF(has_numbers), IF_SET(summary.n_slices))
	ROW(uint64_t, summary.n_left_out, "n_left_out", COUNT,
	    "Requests whose response times do not count, because they were in flight at a switch "
	    "of slices or began in the settling time after a switch.",
	    IF(has_numbers), IF_SET(summary.n_slices))
	ROW(double, others_share, "others_share", SHARE,
	    "Share of the CPUs that other processes used during the run; absent if unknown.",
	    IF(has_others))
	ROW(double, stolen_share, "stolen_share", SHARE,
	    "Share of the CPUs that the hypervisor took.", IF(has_others))
	ROW(uint64_t, residency.total_bytes, "files_bytes", BYTES, "Size of the files of the run.")
	ROW(uint64_t, residency.cached_bytes, "cached_bytes", BYTES,
	    "Part of these files that was in the page cache directly before the run.")
	ROW(uint64_t, cgroup_limit_bytes, "cgroup_limit_bytes", BYTES,
	    "Limit of the memory cgroup of the run; 0 if there is no limit.")
	ROW(uint64_t, cgroup_peak_bytes, "cgroup_peak_bytes", BYTES, "Maximum memory of this "
								     "cgroup during the run; 0 if "
								     "unknown."))
#undef S

#define S results
MODEL(S, NULL,
	OBJECT(protocol, "protocol", "The protocol with all defaults filled in.")
	TEXT(environment, "environment", "The environment as the campaign found it.")
	ARRAY(run, n_runs, "runs", NULL))
#undef S
