/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the ranks with a launcher of MPI jobs, and reports their failures. */
#pragma once

#include "capture/causality/causality.h"
#include "common/words.h"
#include "replay/engines/parallel/layout.h"

#define JOB_PROGRAM "validate-mpi-replay"

struct job {
	struct words_list command;
	struct strbuf shown; /* the first part of the command: the words of the launcher */
};

/* The command: the launcher's words for n_ranks and n_threads (common/mpi_launch.h), then
 * `JOB_PROGRAM dir token watchdog_ns`. Errors: ENOENT if the program or the launcher is missing,
 * with the package to install; EINVAL if the launcher is not a command. Ownership: job_release. */
int job_prepare(struct job *l, const char *launcher, uint32_t n_ranks, uint32_t n_threads,
		const char *dir, const char *token, int64_t watchdog_ns, struct err *e);
void job_release(struct job *l); /* a zeroed struct is fine */

/* Runs the command. On return, all processes of the job have ended. `scratch`: the directory of the
 * file with its output. Errors: EIO with the message of a rank or the launcher; EINTR after SIGINT,
 * SIGTERM or SIGHUP. */
int job_run(struct job *l, const char *scratch, struct err *e);

/* channels.c: finds the counterpart of each signal and wait. */
/* Makes the channels of all ranks, and counts signals and waits. Errors: EINVAL. */
int channels_find(struct rank_layout *y, struct replay_plan *p, const struct causality_facts *f,
		  const struct load *l, struct err *e);
