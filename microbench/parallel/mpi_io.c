/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File access through MPI: collective writes of interleaved blocks, collective reads of the next
 * rank's blocks, independent reads. The MPI library decides which rank makes which request to
 * the file system (collective buffering), and the messages between them. Requests are therefore
 * not instrumented and there is no own trace; the workload is meant for capture.
 *
 * Source: MPI 3.1, chapter 13; the access pattern of IOR's MPI-IO interface (interleaved
 * segments). */
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

static void defaults(struct microbench_config *c)
{
	c->level = 4;
	c->n_requests = 32;
	c->block_bytes = 65536;
	c->file_bytes = 32 * c->block_bytes;
}

static int check(const struct microbench_config *c, struct err *e)
{
	if (c->direct || c->sync || c->fsync_end)
		return err_set(e, EINVAL, "direct, sync, fsync-end: mpi-io has none of these, "
			"because the MPI library opens its file");
	return ranks_check(c, e);
}

static int files(const struct microbench_config *c, struct fileset *s, struct err *e)
{
	size_t cap = 0;
	(void)e;
	ranks_file(c, s, &cap, "mpi-io", "data");
	return 0;
}

static const struct workload_script scripted = {
    .top = "mpi-io", .unit = "blocks", .n_per_unit = 3, .finite = true, .parallel = true,
    .inside_mpi = true, .check = check, .files = files,
};

const struct workload workload_mpi_io = {
    .name = "mpi-io", .alias = "mpiio",
    .help = "MPI ranks write and read a file by MPI-IO; for capture only, writes no trace",
    .writes = true, .defaults = defaults, .own_options = ranks_options, .script = &scripted,
};
