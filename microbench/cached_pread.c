/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two threads read 1 KiB at a time with pread from cached files. Such a request is mainly the
 * system call itself, so a replayer's overhead is most visible. Source: the VFS-replay paper (FAST
 * 2005), section 4.1, "Pread". */
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

static void defaults(struct microbench_config *c)
{
	c->level = 2;
	c->n_requests = 100000;
	c->block_bytes = 1024;
	c->file_bytes = 1 << 20;
}

const struct workload workload_cached_pread = {
    .name = "cached-pread", .alias = "cp",
    .help = "two threads, pread of 1 KiB from the page cache", .op = OP_PREAD, .warm = true,
    .defaults = defaults, .call = call, .loop = loop,
};
