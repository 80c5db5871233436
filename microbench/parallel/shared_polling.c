/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A pipeline whose ranks synchronise only by polling words in shared memory, so no call shows that
 * they wait. In round k, a rank reads the block that its predecessor wrote in that round, and
 * writes its own block. Rank 0 reads its own block of the previous round. Rank 0 is ahead of the
 * last rank by at most the number of blocks of a part minus one, so a block is read before it is
 * overwritten.
 *
 * Source: parallel-trace paper (FAST 2007), section 3.2, approach 1: synchronisation by
 * "untraceable" means. */
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

#define TOP "polling"

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->n_requests >= UINT32_MAX)
		return err_set(
		    e, EINVAL,
		    "requests %llu (number of rounds): expected at most 2^32-2",
		    (unsigned long long)c->n_requests);
	if (c->file_bytes < 2 * c->block_bytes)
		return err_set(e, EINVAL,
			       "file-size %llu (bytes of each rank): expected at least two "
			       "blocks (--block-size)",
			       (unsigned long long)c->file_bytes);
	return ranks_check(c, e);
}

static void write_script(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
			 struct script *s)
{
	const unsigned int last = (unsigned int)c->level - 1;
	const uint64_t ahead = blocks_of_rank(c) - 1;
	script_open(s, 0, script_name(s, xstrdup(TOP "/data")), OPEN_UPDATE, 0644);
	for (uint64_t k = 0; k < n_units; k++) {
		if (rank > 0)
			script_between(s, STEP_AWAIT, rank - 1, (uint32_t)k + 1);
		else if (last > 0 && k > ahead)
			script_between(s, STEP_AWAIT, last, (uint32_t)(k - ahead));
		script_block(s, OP_PREAD, 0, rank > 0 ? block_in_part(c, rank - 1, k)
			: block_in_part(c, 0, k + ahead), (uint32_t)c->block_bytes);
		script_block(s, OP_PWRITE, 0, block_in_part(c, rank, k), (uint32_t)c->block_bytes);
		script_between(s, STEP_RAISE, 0, (uint32_t)k + 1);
		script_end_unit(s);
	}
	script_close(s, 0);
}

static const struct workload_default defaults[] = {
    {"level", "2"}, {"requests", "200"}, {"block-size", "16K"}, {"file-size", "64K"}, {NULL, NULL},
};

static const struct workload_script scripted = {
    .top = TOP, .unit = "rounds", .n_per_unit = 2, .direct = true, .finite = true, .parallel = true,
    .check = config_check, .rank_files = ranks_data, .write = write_script,
};

const struct workload workload_shared_polling = {
    .name = "shared-polling", .alias = "polling",
    .help = "MPI ranks in a pipeline that synchronise only by polling shared memory",
    .writes = true, .defaults = defaults, .own_options = ranks_options, .script = &scripted,
};
