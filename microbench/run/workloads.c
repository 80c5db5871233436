/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/workloads.h"

const struct workload *const workloads[] = {
    &workload_random_read,        &workload_random_write,     &workload_random_mixed,
    &workload_sequential_read,    &workload_sequential_write, &workload_cached_pread,
    &workload_fileserver,         &workload_postmark,         &workload_compile,
    &workload_createfiles,        &workload_copyfiles,        &workload_block_random,
    &workload_block_sequential,   &workload_checkpoint,       &workload_checkpoint_sync,
    &workload_checkpoint_compute, &workload_partitioned_read, &workload_earthquake,
    &workload_shared_polling,     &workload_mpi_io,           NULL,
};

const struct workload *workload_find(const char *name_or_alias)
{
	for (const struct workload *const *w = workloads; *w; w++)
		if (!strcmp((*w)->name, name_or_alias) || !strcmp((*w)->alias, name_or_alias))
			return *w;
	return NULL;
}
