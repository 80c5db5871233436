/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the threads of the replay can all run at once. Several hosts may be one machine
 * (namespaces, containers); its kernel's name for itself tells. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/processors.h"
#include "common/xalloc.h"
#include "replay/engines/parallel/mpi/rank.h"

struct neighbour {
	char boot[BUNDLE_BOOT];
	uint32_t n_threads;
	cpu_set_t cpus;
};

void neighbours_find(struct rank *r)
{
	struct neighbour own, *all = xcalloc((size_t)r->n, sizeof *all);
	memset(&own, 0, sizeof own);
	memcpy(own.boot, *r->boot ? r->boot : r->host, sizeof own.boot);
	own.n_threads = r->plan.n_workers;
	if (sched_getaffinity(0, sizeof own.cpus, &own.cpus) < 0)
		for (int i = 0; i < processors_allowed(); i++)
			CPU_SET(i, &own.cpus);
	MPI_Allgather(&own, (int)sizeof own, MPI_BYTE, all, (int)sizeof own, MPI_BYTE,
		      MPI_COMM_WORLD);
	cpu_set_t cpus;
	CPU_ZERO(&cpus);
	uint32_t n_threads = 0;
	for (int i = 0; i < r->n; i++) {
		if (memcmp(all[i].boot, own.boot, sizeof own.boot))
			continue;
		n_threads += all[i].n_threads;
		CPU_OR(&cpus, &cpus, &all[i].cpus);
	}
	r->crowded = n_threads > (uint32_t)CPU_COUNT(&cpus) ||
		     own.n_threads > (uint32_t)CPU_COUNT(&own.cpus);
	free(all);
}
