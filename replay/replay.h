/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All steps of a replay, from reading the trace to writing the replay trace. */
#pragma once

#include "replay/load/prepare.h"
#include "replay/registry.h"
#include "replay/result/summary.h"

/* Like replay_run, with a summary. If it returns EPERM and n_refused > 0, the replay ran to its end
 * and the summary is complete. */
int replay_run_summary(const char *trace_path, const struct replay_config *c,
		       struct replay_summary *s, struct err *e);

/* Replays TRACE and writes the replay trace, in which record i replays record i. *n_mismatches:
 * number of requests whose return value differs from the traced value. Stopping on a mismatch is
 * not an error. Errors: EPERM, after the replay trace was written, if the trace opened a device,
 * FIFO or socket in the directory. */
int replay_run(const char *trace_path, const struct replay_config *c, uint64_t *n_mismatches,
	       struct err *e);
