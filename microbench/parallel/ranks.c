/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/parallel/ranks.h"

const char *const ranks_options[] = {"launcher", NULL}, *const ranks_compute_options[] = {
							    "launcher", "compute", NULL};

const char *const ranks_data[] = {"data", NULL};

uint32_t block_in_part(const struct microbench_config *c, unsigned int rank, uint64_t k)
{
	const uint32_t n = blocks_of_rank(c);
	return rank * n + (uint32_t)(k % n);
}

uint32_t block_interleaved(const struct microbench_config *c, unsigned int rank, uint64_t k)
{
	return (uint32_t)(k % blocks_of_rank(c)) * (uint32_t)c->level + rank;
}

int ranks_check(const struct microbench_config *c, struct err *e)
{
	const unsigned long long block = c->block_bytes, part = c->file_bytes;
	if (c->file_bytes < c->block_bytes || c->file_bytes % c->block_bytes)
		return err_set(e, EINVAL, "file-size %llu (bytes of each rank): expected one or "
			"more whole blocks of %llu bytes (--block-size)", part, block);
	if (c->file_bytes / c->block_bytes * c->level > UINT32_MAX)
		return err_set(e, EINVAL,
			       "file-size %llu: all ranks together have more than 2^32-1 blocks of "
			       "%llu bytes", part, block);
	if (c->direct && c->block_bytes % 512)
		return err_set(e, EINVAL,
			"block-size %llu: option direct needs a multiple of 512 bytes", block);
	return 0;
}
