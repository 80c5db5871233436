/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All workloads in the order of lists: workload_NAME, each in the file of its subject. */
#pragma once

#include "microbench/microbench.h"

#define WORKLOADS(X) \
	X(random_read) X(random_write) X(random_mixed) X(sequential_read) X(sequential_write) \
	X(cached_pread) X(fileserver) X(postmark) X(compile) X(createfiles) X(copyfiles) \
	X(block_random) X(block_sequential) X(checkpoint) X(checkpoint_sync) \
	X(checkpoint_compute) X(partitioned_read) X(earthquake) X(shared_polling) X(mpi_io)
#define WORKLOAD_EXTERN(name) extern const struct workload workload_##name;
#define WORKLOAD_ADDRESS(name) &workload_##name,
WORKLOADS(WORKLOAD_EXTERN)
