/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From outcomes back to a trace: record i of the replay trace replays record i of the input. And the summary. */
#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/load.h"
#include "replay/plan.h"
#include "replay/replay.h"

/* Refuses an output that is the input itself or cannot be written, before anything is replayed. Leaves no file behind. */
int output_check(const char *input, const char *output, struct err *e);

/* Walks the input again beside the plan's outcomes: completes `s`, and writes c->output unless it is NULL. A failed output is
 * removed. Errors: of writing; EIO when the input changed meanwhile. */
int output_write(struct trace *input, const char *input_path, const struct replay_plan *p, const struct replay_config *c,
		 struct replay_summary *s, struct err *e);

#endif
