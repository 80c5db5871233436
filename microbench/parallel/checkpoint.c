/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A defensive checkpoint: all ranks write interleaved blocks of one file, wait for each other, and
 * read their blocks back. In variants, the ranks wait after every write, or also compute on the
 * data. An earlier checkpoint is overwritten in place, so that all runs make the same requests.
 *
 * Source: parallel-trace paper (FAST 2007), section 5.1: Pseudo, PseudoSync and PseudoSyncDat,
 * after the pseudo-application of Los Alamos National Laboratory, 8 ranks. */
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

#define TOP "checkpoint"

static void write_all_blocks(const struct microbench_config *c, unsigned int rank,
			     uint64_t n_blocks, bool sync_each, bool computes, struct script *s)
{
	script_open(s, 0, script_name(s, xstrdup(TOP "/data")), OPEN_CREATE, 0644);
	for (uint64_t k = 0; k < n_blocks; k++) {
		script_block(s, OP_PWRITE, 0, block_interleaved(c, rank, k),
			     (uint32_t)c->block_bytes);
		if (sync_each)
			script_between(s, STEP_BARRIER, 0, 0);
		script_end_unit(s);
	}
	if (c->fsync_end)
		script_fsync(s, 0);
	script_between(s, STEP_BARRIER, 0, 0);
	for (uint64_t k = 0; k < n_blocks; k++) {
		script_block(s, OP_PREAD, 0, block_interleaved(c, rank, k),
			     (uint32_t)c->block_bytes);
		if (computes)
			script_between(s, STEP_COMPUTE, 0, (uint32_t)c->compute_ns);
	}
	script_close(s, 0);
}

static void write_plain(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
			struct script *s)
{
	write_all_blocks(c, rank, n_units, false, false, s);
}

static void write_sync(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
		       struct script *s)
{
	write_all_blocks(c, rank, n_units, true, false, s);
}

static void write_compute(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
			  struct script *s)
{
	write_all_blocks(c, rank, n_units, true, true, s);
}

static const struct workload_default defaults[] = {
    {"level", "8"}, {"requests", "64"}, {"block-size", "64K"}, {"file-size", "4M"}, {NULL, NULL},
};

static const struct workload_default compute_defaults[] = {
    {"level", "8"}, {"requests", "64"}, {"block-size", "64K"}, {"file-size", "4M"},
    {"compute", "1ms"}, {NULL, NULL},
};

#define SCRIPTED(how) \
	{ \
		.top = TOP, .unit = "writes", .n_per_unit = 2, .direct = true, .finite = true, \
		.parallel = true, .fsync_end = true, .check = ranks_check, \
		.rank_files = ranks_data, .write = how, \
	}
static const struct workload_script plain = SCRIPTED(write_plain), sync_each = SCRIPTED(write_sync),
				    computing = SCRIPTED(write_compute);

const struct workload workload_checkpoint = {
    .name = "checkpoint", .alias = "pseudo",
    .help = "MPI ranks write interleaved blocks of one file, wait for each other, and read the "
	    "blocks back",
    .writes = true, .defaults = defaults, .own_options = ranks_options, .script = &plain,
};

const struct workload workload_checkpoint_sync = {
    .name = "checkpoint-sync", .alias = "pseudosync",
    .help = "checkpoint in which the ranks wait for each other after every write", .writes = true,
    .defaults = defaults, .own_options = ranks_options, .script = &sync_each,
};

const struct workload workload_checkpoint_compute = {
    .name = "checkpoint-compute", .alias = "pseudosyncdat",
    .help = "checkpoint-sync, but each rank computes after each block that it reads",
    .writes = true,
    .defaults = compute_defaults, .own_options = ranks_compute_options, .script = &computing,
};
