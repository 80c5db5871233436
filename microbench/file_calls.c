/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workloads whose requests are one kind of call, on a file for each thread. */

#include "microbench/loop.h"
#include "microbench/workloads.h"

static inline ssize_t call_pread(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pread(fd, buffer, n_bytes, (off_t)offset);
}

static inline ssize_t call_pwrite(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	return pwrite(fd, buffer, n_bytes, (off_t)offset);
}

static inline ssize_t call_read(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	(void)offset;
	return read(fd, buffer, n_bytes);
}

static inline ssize_t call_write(int fd, void *buffer, size_t n_bytes, uint64_t offset)
{
	(void)offset;
	return write(fd, buffer, n_bytes);
}

static void loop_pread(struct bench_thread *t)
{
	bench_loop(t, OP_PREAD, false, call_pread);
}

static void loop_pwrite(struct bench_thread *t)
{
	bench_loop(t, OP_PWRITE, false, call_pwrite);
}

static void loop_mixed(struct bench_thread *t)
{
	bench_loop_mixed(t, OP_PREAD, OP_PWRITE, false, call_pread, call_pwrite);
}

static void loop_read(struct bench_thread *t)
{
	bench_loop(t, OP_READ, true, call_read);
}

static void loop_write(struct bench_thread *t)
{
	bench_loop(t, OP_WRITE, true, call_write);
}

static const struct workload_default cached_defaults[] = {
    {"level", "2"}, {"requests", "100000"}, {"block-size", "1K"}, {"file-size", "1M"}, {NULL, NULL},
};

const struct workload workload_random_read = {
    .name = "random-read", .alias = "rr", .help = "pread at random offsets", .op = OP_PREAD,
    .call = call_pread, .loop = loop_pread,
};

const struct workload workload_random_write = {
    .name = "random-write", .alias = "rw", .help = "pwrite at random offsets", .op = OP_PWRITE,
    .writes = true, .call = call_pwrite, .loop = loop_pwrite,
};

/* Half of the blocks are only read, and the other half only written. So the order of requests does
 * not change the data that are read. */
const struct workload workload_random_mixed = {
    .name = "random-mixed", .alias = "rm",
    .help = "pread of even blocks and pwrite of odd blocks, at random offsets", .op = OP_INVALID,
    .reads = true, .writes = true, .call = call_pread, .loop = loop_mixed,
};

const struct workload workload_sequential_read = {
    .name = "sequential-read", .alias = "sr",
    .help = "sequential reads; after the end of the file, they continue at its start",
    .op = OP_READ,
    .sequential = true, .call = call_read, .loop = loop_read,
};

const struct workload workload_sequential_write = {
    .name = "sequential-write", .alias = "sw",
    .help = "sequential writes; after the end of the file, they continue at its start",
    .op = OP_WRITE,
    .writes = true, .sequential = true, .call = call_write, .loop = loop_write,
};

/* Two threads read 1 KiB at a time with pread from cached files. Such a request consists mainly of
 * the system call itself, so the overhead of a replayer is most visible. Source: the VFS-replay
 * paper (FAST 2005), section 4.1, "Pread". */
const struct workload workload_cached_pread = {
    .name = "cached-pread", .alias = "cp",
    .help = "two threads call pread to read 1 KiB at a time from the "
	    "page cache", .op = OP_PREAD, .warm = true,
    .defaults = cached_defaults, .call = call_pread, .loop = loop_pread,
};
