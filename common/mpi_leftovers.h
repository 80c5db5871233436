/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ranks of OpenMPI leave in /dev/shm when they and their launcher are killed: files by which
 * those on one host shared memory. Who starts a job notes what is there before, and removes
 * afterwards what the job has left. */
#ifndef COMMON_MPI_LEFTOVERS_H
#define COMMON_MPI_LEFTOVERS_H

#include <stddef.h>

struct mpi_leftovers {
	char **name; /* name[n], sorted, owned: those that were there before */
	size_t n, cap;
};

void mpi_leftovers_note(struct mpi_leftovers *m);
/* Removes those of this user that were not there before and that no process maps; releases what was
 * noted. Returns how many. */
size_t mpi_leftovers_remove(struct mpi_leftovers *m);

#endif
