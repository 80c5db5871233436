/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Removes the shared-memory files that ranks of OpenMPI leave in /dev/shm when the ranks and their
 * launcher are killed. Note the existing files before a job, and remove the new files after it. */
#pragma once

#include "common/std.h"

struct mpi_leftovers {
	char **name; /* name[n], sorted, owned: the files that existed before the job */
	size_t n, cap;
};

/* Notes the files that exist now. Ownership: mpi_leftovers_remove. */
void mpi_leftovers_note(struct mpi_leftovers *m);
/* Removes the new files of this user and host that no process has open or mapped, and releases `m`.
 * Returns the number of removed files. */
size_t mpi_leftovers_remove(struct mpi_leftovers *m);
