/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting the ranks with a launcher of MPI jobs, and judging how that ended. */
#ifndef REPLAY_JOB_H
#define REPLAY_JOB_H

#include <stdint.h>

#include "capture/causality/causality.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "common/words.h"
#include "replay/engines/parallel/layout.h"

#define JOB_PROGRAM "validate-mpi-replay"

struct job {
	struct words_list command;
	struct strbuf shown; /* the launcher's part of it */
};

/* The command for so many ranks with so many threads in all: the launcher's words
 * (common/mpi_launch.h), and `JOB_PROGRAM dir token watchdog_ns`. Errors: ENOENT where the program
 * or the launcher is not there, saying what to install; EINVAL for a launcher that is no command.
 * Ownership: job_release. */
int job_prepare(struct job *l, const char *launcher, uint32_t n_ranks, uint32_t n_threads,
		const char *dir, const char *token, int64_t watchdog_ns, struct err *e);
void job_release(struct job *l); /* an all-zero one is fine */

/* Runs it; whatever it started has ended when this returns. `scratch`: a directory for what it
 * prints. Errors: EIO with what a rank or the launcher said; EINTR after SIGINT, SIGTERM or SIGHUP.
 */
int job_run(struct job *l, const char *scratch, struct err *e);

/* Which signals answer which waits. Private to replay/parallel. */

/* Fills in the ranks' channels, and the numbers of signals and waits. Errors: EINVAL. */
int channels_find(struct layout *y, struct replay_plan *p, const struct causality_facts *f,
		  const struct load *l, struct err *e);

#endif
