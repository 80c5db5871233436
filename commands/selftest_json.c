/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>

#include "commands/selftest_print.h"
#include "reports/json/json_value.h"

static const char *const promise_names[] = {NULL, "at most", "at least", "always"};

static json_t *rate_to_json(const struct rate *r)
{
	const char *standing = standing_names[rate_standing(r)];
	return json_pack(
	    "{s:s, s:s, s:s, s:s, s:o, s:I, s:I, s:o, s:f, s:f, s:s?, s:o, s:s?, s:s?}", "part",
	    r->part, "group", r->group, "name", r->name, "condition", r->condition, "size",
	    json_finite(r->size), "k", (json_int_t)r->k, "n", (json_int_t)r->n, "rate",
	    json_finite(rate_value(r)), "lo95", r->lo, "hi95", r->hi, "promise",
	    promise_names[r->promise], "promised",
	    r->promise == PROMISE_NONE ? json_null() : json_real(r->promised), "standing",
	    standing[0] ? standing : NULL, "note", r->note[0] ? r->note : NULL);
}

void selftest_print_json(const struct rates *rates, FILE *out)
{
	json_t *list = json_array();
	for (size_t i = 0; i < rates->n; i++)
		json_array_append_new(list, rate_to_json(&rates->rate[i]));
	json_t *o = json_pack("{s:s, s:o, s:I}", "version", VALIDATE_VERSION, "rates", list, "n_broken",
			      (json_int_t)rates_count(rates, STANDING_BROKEN));
	json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	fputc('\n', out);
	json_decref(o);
}
