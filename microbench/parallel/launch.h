/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts the ranks of a parallel application and waits for them. The files must exist, because
 * ranks do not create files. */
#pragma once

#include "common/words.h"
#include "microbench/microbench.h"

#define MPI_WORKLOAD "validate-mpi-workload"

/* Makes the complete command. Errors: as mpi_launch_words; ENOENT: the program of the ranks was not
 * built. Ownership: words_list_release. */
int parallel_command(const struct workload *w, const struct microbench_config *c,
		     struct words_list *out, struct err *e);

/* Makes one run. Rank 0 writes the trace, from which `o` is computed. Errors: EIO: the job failed
 * and printed a message on standard error; EINTR: a signal, after the end of the job. */
int parallel_launch(const struct workload *w, const struct microbench_config *c,
		    struct microbench_outcome *o, struct err *e);
