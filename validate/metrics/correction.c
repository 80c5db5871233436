/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/correction.h"

#include "common/json_members.h"

static const struct json_member members[] = {
    MEMBER(correction, REAL, mean_ns), MEMBER(correction, POSITIVE, u_ns),
    MEMBER(correction, COUNT, n_corrected), MEMBER(correction, COUNT, n_clipped),
    MEMBER(correction, COUNT, n_without), {0}};

json_t *correction_to_json(const struct correction *c)
{
	json_t *o = json_object();
	json_members_put(o, c, members);
	return o;
}

int correction_from_json(struct correction *c, const json_t *extra, struct err *e)
{
	const json_t *o = json_object_get(extra, "correction");
	if (!o)
		return 0;
	return json_members_get(c, members, o, e)
		   ? err_context(e, "extra metadata, member \"correction\"")
		   : 1;
}
