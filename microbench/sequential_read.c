/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "microbench/loop.h"
#include "microbench/workloads.h"

static inline ssize_t call(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	(void)offset;
	return read(fd, buffer, n_bytes);
}

static void loop(struct bench_thread *t)
{
	bench_loop(t, OP_READ, true, call);
}

const struct workload workload_sequential_read = {
    .name = "sequential-read", .alias = "sr",
    .help = "read in sequence, from the start again at the end of the file", .op = OP_READ,
    .writes = false, .sequential = true, .call = call, .loop = loop,
};
