/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in report.json. */
#include <math.h>

#include "reports/json/json_value.h"

static void role_add(struct strbuf *out, const struct protocol *p, int32_t role)
{
	bool replayer = role >= 0 && (size_t)role < p->n_replayers;
	json_text_text(out, "role", role == ROLE_PROGRAM ? "program" : role == ROLE_RECORD ? "recording" : "replay");
	json_text_text(out, "replayer", replayer ? p->replayer[role].name : NULL);
}

void json_run_add(struct strbuf *out, const struct analysis *a, size_t i)
{
	static const char *const state[] = {[RUN_PENDING] = "pending", [RUN_OK] = "ok", [RUN_FAILED] = "failed"};
	const struct results *r = a->results;
	const struct run *u = &r->run[i];
	json_text_count(out, "id", u->id);
	json_text_count(out, "block", u->block);
	json_text_count(out, "position", u->position);
	json_text_text(out, "scenario", u->scenario < r->protocol.n_scenarios ? r->protocol.scenario[u->scenario].name : NULL);
	role_add(out, &r->protocol, u->role);
	json_text_count(out, "bank", u->bank);
	json_text_text(out, "state", state[u->state]);
	json_text_text(out, "reason", u->reason);
	json_text_integer(out, "started_ns", u->started_ns);
	if (u->state == RUN_OK && u->has_summary) {
		json_text_count(out, "n_requests", u->summary.response.n);
		json_text_number(out, "mean_ns", u->summary.response.mean);
		json_text_number(out, "median_ns", u->summary.response_median);
		json_text_number(out, "p99_ns", u->summary.response_p99);
		json_text_integer(out, "execution_time_ns", u->summary.execution_ns);
		if (u->summary.n_slices) {
			json_text_count(out, "n_slices", u->summary.n_slices);
			json_text_count(out, "n_left_out", u->summary.n_left_out);
		}
	}
	if (isfinite(u->others_share)) {
		json_text_number(out, "others_share", u->others_share);
		json_text_number(out, "stolen_share", u->stolen_share);
	}
	json_text_count(out, "files_bytes", u->residency.total_bytes);
	json_text_count(out, "cached_bytes", u->residency.cached_bytes);
	json_text_count(out, "cgroup_limit_bytes", u->cgroup_limit_bytes);
	json_text_count(out, "cgroup_peak_bytes", u->cgroup_peak_bytes);
	json_text_end(out);
}
