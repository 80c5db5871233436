/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <unistd.h>

#include "microbench/loop.h"
#include "microbench/workloads.h"

static inline ssize_t call(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pread(fd, buffer, n_bytes, (off_t)offset);
}

static void loop(struct bench_thread *t)
{
	bench_loop(t, OP_PREAD, false, call);
}

const struct workload workload_random_read = {
    .name = "random-read", .alias = "rr", .help = "pread at random offsets", .op = OP_PREAD,
    .writes = false, .sequential = false, .call = call, .loop = loop,
};
