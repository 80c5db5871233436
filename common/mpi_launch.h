/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the ranks of an MPI job are started: by any launcher's command, or by mpirun on this host.
 * Nothing here needs MPI.
 *
 * Source: OpenMPI 4.1, mpirun(1); the parameters of its FAQ on oversubscribed nodes. */
#ifndef COMMON_MPI_LAUNCH_H
#define COMMON_MPI_LAUNCH_H

#include "common/err.h"
#include "common/words.h"

/* What both ways of using it have to say in --help. */
#define MPI_LAUNCHER_HELP "command that starts the ranks, {n} is their number: \"srun -n {n}\" (default mpirun on this host)"

/* The words before the program. `launcher` as words_parse takes it; {n} becomes the number of
 * ranks, and where there is none "-n" and the number follow. NULL: mpirun with shared memory
 * between the ranks; where they are more than the processors of this process, bound to none and
 * giving way while they wait. Errors: EINVAL for the text; ENOENT where the launcher is not
 * installed, with what to do. Ownership: words_list_release. */
int mpi_launch_words(struct words_list *w, const char *launcher, unsigned int n_ranks,
		     struct err *e);
/* The same for ranks that have several threads: n_threads in all, which share the processors. */
int mpi_launch_words_threads(struct words_list *w, const char *launcher, unsigned int n_ranks,
			     unsigned int n_threads, struct err *e);

#endif
