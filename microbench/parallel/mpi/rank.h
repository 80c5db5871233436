/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank of a parallel application (validate-mpi-workload). The only files that need MPI are
 * those of this directory. */
#ifndef MICROBENCH_PARALLEL_MPI_RANK_H
#define MICROBENCH_PARALLEL_MPI_RANK_H

#include <mpi.h>

#include "microbench/parallel/rank_loop.h"
#include "microbench/run.h"

struct rank {
	int number, n_ranks;
	bool one_host; /* all ranks are on one machine, with one clock */
	/* run.worker[number] is the rank's own; those of others are filled where the trace is
	 * written */
	struct bench_run run;
	struct rank_messages messages;
	unsigned char *out, *in;	  /* what is sent and received */
	/* of the words in shared memory, MPI_WIN_NULL where no script asks for them */
	MPI_Win window;
	_Atomic uint32_t **word;
};

/* Collective: whether something failed on any rank; then the lowest such rank says what, and all
 * return the same. */
int rank_agree(const struct rank *r, int ret, const struct err *e);

/* Says what went wrong on this rank, and ends the job. */
void rank_abort(const struct rank *r, const struct err *e);

/* rank_mpi_io.c: workload mpi-io. Collective. Errors: EIO. */
int rank_mpi_io(const struct rank *r, struct err *e);

/* rank_messages.c: buffers, and words in shared memory where the script asks for them. Collective.
 * Errors: EXDEV where ranks on several hosts are to share memory. */
int rank_messages_init(struct rank *r, struct err *e);
void rank_messages_release(struct rank *r);

/* rank_gather.c: rank 0 collects the samples and facts of all and writes the trace. Collective.
 * Errors: EXDEV where ranks are on several hosts, whose clocks are not one; as bench_record. */
int rank_gather(struct rank *r, struct err *e);

#endif
