/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All steps of a replay, from reading the trace to writing the replay trace. */
#pragma once

#include "replay/load/prepare.h"
#include "replay/registry.h"
#include "replay/result/summary.h"

/* Replays TRACE and writes the replay trace, in which record i replays record i. Completes `s`.
 * Stopping on a mismatch is not an error. Errors: EPERM with n_refused > 0, after the replay trace
 * was written: the trace opened a device, FIFO or socket in the directory; `s` is complete. */
int replay_run_summary(const char *trace_path, const struct replay_config *c,
		       struct replay_summary *s, struct err *e);
