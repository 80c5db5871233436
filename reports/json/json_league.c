/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members "league" and "at_device" of report.json. */
#include <math.h>

#include "reports/json/json_report.h"
#include "reports/words.h"
#include "validate/analysis/at_device.h"
#include "validate/analysis/league.h"

static const char *const quantity_names[LEAGUE_N] = {"bias", "execution_time", "in_flight", "concurrency", "reordered", "issue_error_p99_ns"};

static json_t *worst(const struct analysis *a, size_t cell, enum league_quantity q)
{
	if (cell == LEAGUE_NO_CELL)
		return json_null();
	return json_make(J_TEXT("scenario",
		a->results->protocol.scenario[a->cell[cell].scenario].name),
		J_ESTIMATE("estimate", league_estimate(&a->cell[cell], q)));
}

json_t *json_league(const struct analysis *a)
{
	json_t *all = json_array();
	for (size_t i = 0; a->league && i < a->n_league; i++) {
		const struct league_row *row = &a->league[i];
		const struct replayer *r = &a->results->protocol.replayer[row->replayer];
		json_t *o = json_object(), *largest = json_object();
		json_add(o, J_TEXT("replayer", r->name));
		struct strbuf options = STRBUF_INIT;
		words_add_options(&options, r);
		json_add(o, J_TEXT("options", options.len ? options.s : NULL));
		strbuf_release(&options);
		json_add(o, J_TEXT("absent", r->absent),
			J_TEXT("verdict", row->judged ? verdict_name(row->verdict) : NULL),
			J_COUNT("n_trusted", row->n_trusted),
			J_COUNT("n_inconclusive", row->n_inconclusive),
			J_COUNT("n_not_trusted", row->n_not_trusted),
			J_COUNT("n_failed_runs", row->n_failed),
			J_COUNT("n_mismatched_lost_extra", row->n_infidelities),
			J_BOOL("differs_from_recording", row->differs),
			J_NUMBER("deviation_in_limits", row->deviation),
			J_NUMBER("mean_bias_size", row->mean_bias),
			J_NUMBER("cpu_per_request_ns", row->cpu_per_request_ns));
		for (int q = 0; q < LEAGUE_N; q++)
			json_object_set_new(largest, quantity_names[q], worst(a, row->worst[q], q));
		json_object_set_new(o, "largest", largest);
		json_array_append_new(all, o);
	}
	return all;
}

static json_t *own(const struct own_view *v)
{
	return json_make(J_ESTIMATE("response_ns", &v->response),
		J_NUMBER("in_flight", v->in_flight), J_NUMBER("in_flight_max", v->in_flight_max));
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
		json_add(o, J_TEXT("scenario",
			a->results->protocol.scenario[a->cell[i].scenario].name),
			J_TEXT("replayer", a->results->protocol.replayer[a->cell[i].replayer].name),
			J_VALUE("program_own", own(&d->program)),
			J_VALUE("replay_own", own(&d->replay)),
			J_NUMBER("reordered_program", d->reordered_program),
			J_NUMBER("seen_share", d->seen), J_NUMBER("n_split", d->n_split),
			J_NUMBER("n_extra", d->n_extra), J_NUMBER("n_outside", d->n_outside));
		json_array_append_new(all, o);
	}
	return all;
}
