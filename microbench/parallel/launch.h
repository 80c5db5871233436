/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the ranks of a parallel application and waits for them. Files are there already: ranks do
 * not make any. */
#ifndef MICROBENCH_PARALLEL_LAUNCH_H
#define MICROBENCH_PARALLEL_LAUNCH_H

#include "common/words.h"
#include "microbench/microbench.h"

#define MPI_WORKLOAD "validate-mpi-workload"

/* The whole command. Errors: as mpi_launch_words; ENOENT where the program of the ranks was not
 * built. Ownership: words_list_release. */
int parallel_command(const struct workload *w, const struct microbench_config *c,
		     struct words_list *out, struct err *e);

/* One run; rank 0 writes the trace, from which `o` is taken. Errors: EIO where the job failed,
 * which has said why on standard error; EINTR for a signal, after the job was ended. */
int parallel_launch(const struct workload *w, const struct microbench_config *c,
		    struct microbench_outcome *o, struct err *e);

#endif
