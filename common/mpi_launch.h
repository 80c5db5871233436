/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command that starts the ranks of an MPI job: any launcher, or mpirun on this host. This file
 * does not need MPI.
 *
 * Source: OpenMPI 4.1, mpirun(1); the parameters of its FAQ on oversubscribed nodes. */
#pragma once

#include "common/words.h"

/* Text about --launcher for --help. */
#define MPI_LAUNCHER_HELP                                                                          \
	"command that starts {n} ranks, such as \"srun -n {n}\" (default mpirun on this host)"

/* Makes the words of the command before the program. `launcher`: as for words_parse; {n} is
 * replaced by the number of ranks. Without {n}, "-n" and the number are appended. NULL: mpirun with
 * shared memory between the ranks; if there are more ranks than CPUs, the ranks are not bound and
 * yield while they wait. Errors: EINVAL: invalid `launcher`; ENOENT: the launcher is not installed.
 * Ownership: words_list_release. */
int mpi_launch_words(struct words_list *w, const char *launcher, unsigned int n_ranks,
		     struct err *e);
/* The same for ranks with several threads, n_threads in total, which share the CPUs. */
int mpi_launch_words_threads(struct words_list *w, const char *launcher, unsigned int n_ranks,
			     unsigned int n_threads, struct err *e);
