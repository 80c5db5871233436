/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaying a trace: the whole way from a trace to a replay trace. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdint.h>

#include "common/err.h"
#include "replay/load/prepare.h"
#include "replay/options/config.h"
#include "replay/options/engine.h"
#include "replay/registry.h"
#include "replay/result/summary.h"

/* As replay_run, and tells more. EPERM with n_refused: it ran to its end, and the summary is
 * complete. */
int replay_run_summary(const char *trace_path, const struct replay_config *c,
		       struct replay_summary *s, struct err *e);

/* Loads TRACE, replays it, writes the replay trace (record i replays record i). The number of
 * requests whose return value differs from the traced one goes to *n_mismatches. Stopping on a
 * mismatch is not an error. Errors: EPERM where the trace reached for a device, FIFO or socket in
 * the directory, after the replay trace was written. */
int replay_run(const char *trace_path, const struct replay_config *c, uint64_t *n_mismatches,
	       struct err *e);

/* What --prepare does, and nothing else: makes the files of TRACE in c->dir. For engines that have
 * no use for the plan. Errors: EINVAL for a trace of requests on a device; ENOSPC before anything
 * is written; of the system, with the path. */
int replay_files_prepare(const char *trace_path, const struct replay_config *c, struct err *e);

/* Takes back what --prepare and a replay of TRACE have made in c->dir: the trace's files, and
 * whatever has a name that the trace makes. Directories that hold anything else stay. Errors: as
 * replay_files_prepare; of the system. */
int replay_files_remove(const char *trace_path, const struct replay_config *c, struct err *e);

/* Checks what can be checked without the trace: engine, mutant, combinations. Errors: EINVAL,
 * ENOENT. */
int replay_check(const struct replay_config *c, struct err *e);

#endif
