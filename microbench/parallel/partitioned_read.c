/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks read the parts of one file in turn: each rank reads its part completely and then lets the
 * next rank start. There is one dependency less than there are ranks. A replay without these
 * dependencies reads all parts at the same time.
 *
 * Source: parallel-trace paper (FAST 2007), section 5.1: Fitness, 4 ranks (of 1 GB each). */
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

#define TOP "partitioned"

static void write_script(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
			 struct script *s)
{
	script_open(s, 0, script_name(s, xstrdup(TOP "/data")), OPEN_READ, 0644);
	if (rank > 0)
		script_between(s, STEP_RECEIVE, rank - 1, 8);
	for (uint64_t k = 0; k < n_units; k++) {
		script_block(s, OP_PREAD, 0, block_in_part(c, rank, k), (uint32_t)c->block_bytes);
		script_end_unit(s);
	}
	if (rank + 1 < c->level)
		script_between(s, STEP_SEND, rank + 1, 8);
	script_close(s, 0);
}

static const struct workload_default defaults[] = {
    {"level", "4"}, {"requests", "128"}, {"block-size", "64K"}, {"file-size", "8M"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = TOP, .unit = "reads", .n_per_unit = 1, .direct = true, .finite = true, .parallel = true,
    .check = ranks_check, .rank_files = ranks_data, .write = write_script,
};

const struct workload workload_partitioned_read = {
    .name = "partitioned-read", .alias = "fitness",
    .help = "MPI ranks read their parts of a file one after another; each rank signals the next",
    .defaults = defaults, .own_options = ranks_options, .script = &scripted,
};
