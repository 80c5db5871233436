/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/describe.h"

json_t *describe_options(const struct workload *w, const struct microbench_config *c)
{
	json_t *all = options_to_json(microbench_options, c);
	for (const char *const *name = special_options; all && *name; name++)
		if (!workload_has_option(w, *name))
			json_object_del(all, *name);
	return all;
}

void describe_command(const struct workload *w, const struct microbench_config *c,
		      struct strbuf *out)
{
	struct microbench_config standard;
	workload_config_init(w, &standard);
	strbuf_addf(out, "validate microbench %s", w->name);
	options_command(out, microbench_options, c, &standard, true);
}
