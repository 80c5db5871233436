/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File access through MPI: collective writes of interleaved blocks, collective reads of the next
 * rank's blocks, independent reads. The MPI library decides which rank makes which request to the
 * file system (collective buffering), and which messages the ranks exchange. So requests are not
 * instrumented and the workload writes no trace. It is made for capture.
 *
 * Source: MPI 3.1, chapter 13; the access pattern of IOR's MPI-IO interface (interleaved
 * segments). */
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->direct || c->sync)
		return err_set(e, EINVAL, "direct and sync do not apply to mpi-io, because the MPI "
			"library opens the file: omit both options");
	if (c->pause_ns)
		return err_set(e, EINVAL, "pause does not apply to mpi-io, because its ranks do "
			"not pause between their blocks: omit the option");
	return ranks_check(c, e);
}

static const struct workload_default defaults[] = {
    {"level", "4"}, {"requests", "32"}, {"block-size", "64K"}, {"file-size", "2M"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = "mpi-io", .unit = "blocks", .n_per_unit = 3, .finite = true, .parallel = true,
    .inside_mpi = true, .check = config_check, .rank_files = ranks_data,
};

const struct workload workload_mpi_io = {
    .name = "mpi-io", .alias = "mpiio",
    .help = "MPI ranks write and read a file through MPI-IO. This workload writes no trace (no "
	    "-o). To record a trace, run \"validate capture causality\" with the command that "
	    "--print-command prints",
    .writes = true, .defaults = defaults, .own_options = ranks_options, .script = &scripted,
};
