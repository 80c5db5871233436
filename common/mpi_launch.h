/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that starts the ranks of an MPI job: any launcher, or mpirun on this host. Nothing
 * here needs MPI.
 *
 * Source: OpenMPI 4.1, mpirun(1); the parameters of its FAQ on oversubscribed nodes. */
#pragma once

#include "common/words.h"

/* Text for --help. */
#define MPI_LAUNCHER_HELP                                                                          \
	"command that starts the ranks, {n} is their number: \"srun -n {n}\" (default mpirun on " \
	"this host)"

/* The words before the program. `launcher`: as for words_parse; {n} becomes the number of ranks;
 * without {n}, "-n" and the number follow. NULL: mpirun with shared memory between the ranks; if
 * there are more ranks than processors, they are not bound and yield while they wait. Errors:
 * EINVAL: the text; ENOENT: the launcher is not installed. Ownership: words_list_release. */
int mpi_launch_words(struct words_list *w, const char *launcher, unsigned int n_ranks,
		     struct err *e);
/* The same for ranks with several threads: n_threads in all, which share the processors. */
int mpi_launch_words_threads(struct words_list *w, const char *launcher, unsigned int n_ranks,
			     unsigned int n_threads, struct err *e);
