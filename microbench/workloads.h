/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workloads. workloads.c contains their table. */
#pragma once

#include "microbench/microbench.h"

extern const struct workload workload_random_read, workload_random_write, workload_random_mixed,
    workload_sequential_read, workload_sequential_write, workload_cached_pread, workload_fileserver,
    workload_postmark, workload_compile, workload_createfiles, workload_copyfiles,
    workload_block_random, workload_block_sequential, workload_checkpoint, workload_checkpoint_sync,
    workload_checkpoint_compute, workload_partitioned_read, workload_earthquake,
    workload_shared_polling, workload_mpi_io;
