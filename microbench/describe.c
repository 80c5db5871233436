/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/describe.h"

#include "common/options_describe.h"

json_t *describe_options(const struct microbench_config *c)
{
	return options_to_json(microbench_options, c);
}

void describe_command(const struct workload *w, const struct microbench_config *c, struct strbuf *out)
{
	struct microbench_config standard;
	microbench_config_init(&standard);
	strbuf_addf(out, "validate microbench %s", w->name);
	options_command(out, microbench_options, c, &standard, true);
}
