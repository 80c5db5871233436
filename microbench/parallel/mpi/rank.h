/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank of a parallel application (validate-mpi-workload). Only this directory needs MPI. */
#pragma once

#include <mpi.h>

#include "microbench/parallel/rank_loop.h"
#include "microbench/run/run.h"

struct rank {
	int number, n_ranks;
	bool one_host; /* all ranks are on one machine and share its clock */
	/* run.worker[number] is the worker of this rank; other workers are filled when the trace is
	 * written */
	struct bench_run run;
	struct rank_messages messages;
	unsigned char *out, *in;	  /* message buffers */
	/* words in shared memory; MPI_WIN_NULL if no script needs them */
	MPI_Win window;
	_Atomic uint32_t **word;
};

/* Collective: checks whether a rank failed. The lowest failed rank prints its message. All ranks
 * return the same value. */
int rank_agree(const struct rank *r, int ret, const struct err *e);

/* Prints the message of this rank and ends the job. */
void rank_abort(const struct rank *r, const struct err *e);

/* rank_mpi_io.c: workload mpi-io. Collective. Errors: EIO. */
int rank_mpi_io(const struct rank *r, struct err *e);

/* rank_messages.c: buffers, and words in shared memory if the script needs them. Collective.
 * Errors: EXDEV: ranks on several hosts would have to share memory. */
int rank_messages_init(struct rank *r, struct err *e);
void rank_messages_release(struct rank *r);

/* rank_gather.c: rank 0 collects samples and facts of all ranks and writes the trace. Collective.
 * Errors: EXDEV: ranks are on several hosts with different clocks; as bench_record. */
int rank_gather(struct rank *r, struct err *e);
