/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The description of a replay in the metadata of its trace. */
#ifndef REPLAY_DESCRIBE_H
#define REPLAY_DESCRIBE_H

#include "capture/trace.h"
#include "replay/result/output.h"
#include "replay/options/config.h"
#include "replay/result/summary.h"

/* The command line that repeats the replay. `c`: as given; `settled`: with the engine's changes.
 * The caller frees. */
char *replay_describe_command(const struct replay_config *c, const struct replay_config *settled,
			      const char *input_path);

/* The extra metadata, one JSON object: "replay" (engine, options, input, counts), "facts", and the
 * parts of the input's metadata that also apply to its replay ("descriptors", "workload"). The
 * caller frees. */
char *replay_describe_extra(const struct replay_config *c, const struct output_source *o,
			    const struct replay_summary *s, const struct trace_meta *input,
			    const char *input_path);

#endif
