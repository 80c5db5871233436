/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "microbench/loop.h"
#include "microbench/workloads.h"

static inline ssize_t call(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pwrite(fd, buffer, n_bytes, (off_t)offset);
}

static void loop(struct bench_thread *t)
{
	bench_loop(t, OP_PWRITE, false, call);
}

const struct workload workload_random_write = {
    .name = "random-write", .alias = "rw", .help = "pwrite at random offsets", .op = OP_PWRITE,
    .writes = true, .sequential = false, .call = call, .loop = loop,
};
