/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Half of the blocks are only read and the other half only written, so the order of requests does
 * not change what is read. */
#include <unistd.h>

#include "microbench/loop.h"
#include "microbench/workloads.h"

static inline ssize_t read_block(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pread(fd, buffer, n_bytes, (off_t)offset);
}

static inline ssize_t write_block(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pwrite(fd, buffer, n_bytes, (off_t)offset);
}

static void loop(struct bench_thread *t)
{
	bench_loop_mixed(t, OP_PREAD, OP_PWRITE, false, read_block, write_block);
}

const struct workload workload_random_mixed = {
    .name = "random-mixed", .alias = "rm",
    .help = "random offsets, even blocks by pread and odd blocks by pwrite", .op = OP_INVALID,
    .reads = true, .writes = true, .sequential = false, .call = read_block, .loop = loop,
};
