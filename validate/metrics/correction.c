/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/correction.h"

json_t *correction_to_json(const struct correction *c)
{
	return json_pack("{s:f, s:f, s:I, s:I, s:I}", "mean_ns", c->mean_ns, "u_ns", c->u_ns,
			 "n_corrected", (json_int_t)c->n_corrected, "n_clipped",
			 (json_int_t)c->n_clipped, "n_without", (json_int_t)c->n_without);
}

static int get_count(uint64_t *out, const json_t *o, const char *name, struct err *e)
{
	const json_t *value = json_object_get(o, name);
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return err_set(
		    e, EINVAL,
		    "extra metadata: correction: \"%s\" is not a whole number of 0 or more", name);
	*out = (uint64_t)json_integer_value(value);
	return 0;
}

int correction_from_json(struct correction *c, const json_t *extra, struct err *e)
{
	const json_t *o = json_object_get(extra, "correction");
	if (!o)
		return 0;
	const json_t *mean = json_object_get(o, "mean_ns"), *u = json_object_get(o, "u_ns");
	if (!json_is_number(mean) || !isfinite(json_number_value(mean)))
		return err_set(e, EINVAL,
			       "extra metadata: correction: \"mean_ns\" is not a number");
	if (!json_is_number(u) || !isfinite(json_number_value(u)) || json_number_value(u) < 0)
		return err_set(e, EINVAL,
			       "extra metadata: correction: \"u_ns\" is not a number of 0 or more");
	c->mean_ns = json_number_value(mean);
	c->u_ns = json_number_value(u);
	int rc = get_count(&c->n_corrected, o, "n_corrected", e);
	rc = rc ? rc : get_count(&c->n_clipped, o, "n_clipped", e);
	rc = rc ? rc : get_count(&c->n_without, o, "n_without", e);
	return rc ? rc : 1;
}
