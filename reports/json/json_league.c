/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "league" and "at_device" of report.json. */
#include <math.h>

#include "reports/json/json_value.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/league.h"

static const char *const quantity_names[LEAGUE_N] = {"bias", "execution_time", "in_flight", "concurrency", "reordered", "issue_error_p99_ns"};

static json_t *worst(const struct analysis *a, size_t cell, enum league_quantity q)
{
	if (cell == LEAGUE_NO_CELL)
		return json_null();
	json_t *o = json_object();
	json_set_text(o, "scenario", a->results->protocol.scenario[a->cell[cell].scenario].name);
	json_set_estimate(o, "estimate", league_estimate(&a->cell[cell], q));
	return o;
}

json_t *json_league(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->league && i < a->n_league; i++) {
		const struct league_row *row = &a->league[i];
		const struct replayer *r = &a->results->protocol.replayer[row->replayer];
		json_t *o = json_object(), *largest = json_object();
		json_set_text(o, "replayer", r->name);
		struct strbuf options = STRBUF_INIT;
		words_add_options(&options, r);
		json_set_text(o, "options", options.len ? options.s : NULL);
		strbuf_release(&options);
		json_set_text(o, "absent", r->absent);
		json_set_text(o, "verdict", row->judged ? verdict_name(row->verdict) : NULL);
		json_set_count(o, "n_trusted", row->n_trusted);
		json_set_count(o, "n_inconclusive", row->n_inconclusive);
		json_set_count(o, "n_not_trusted", row->n_not_trusted);
		json_set_count(o, "n_failed_runs", row->n_failed);
		json_set_count(o, "n_mismatched_lost_extra", row->n_infidelities);
		json_object_set_new(o, "differs_from_recording", json_boolean(row->differs));
		json_set_number(o, "deviation_in_limits", row->deviation);
		json_set_number(o, "mean_bias_size", row->mean_bias);
		json_set_number(o, "cpu_per_request_ns", row->cpu_per_request_ns);
		for (int q = 0; q < LEAGUE_N; q++)
			json_object_set_new(largest, quantity_names[q], worst(a, row->worst[q], q));
		json_object_set_new(o, "largest", largest);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *own(const struct own_view *v)
{
	json_t *o = json_object();
	json_set_estimate(o, "response_ns", &v->response);
	json_set_number(o, "in_flight", v->in_flight);
	json_set_number(o, "in_flight_max", v->in_flight_max);
	return o;
}

json_t *json_at_device(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->device && i < a->n_cells; i++) {
		const struct at_device *d = &a->device[i];
		json_t *o = json_object();
		if (!d->there) {
			json_decref(o);
			continue;
		}
		json_set_text(o, "scenario", a->results->protocol.scenario[a->cell[i].scenario].name);
		json_set_text(o, "replayer", a->results->protocol.replayer[a->cell[i].replayer].name);
		json_object_set_new(o, "program_own", own(&d->program));
		json_object_set_new(o, "replay_own", own(&d->replay));
		json_set_number(o, "reordered_program", d->reordered_program);
		json_set_number(o, "seen_share", d->seen);
		json_set_number(o, "n_split", d->n_split);
		json_set_number(o, "n_extra", d->n_extra);
		json_set_number(o, "n_outside", d->n_outside);
		json_array_append_new(all, o);
	}
	return all;
}
