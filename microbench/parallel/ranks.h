/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions for the scripts of parallel applications. All ranks share one file, which consists of
 * parts or of interleaved blocks. A script depends only on the configuration, the rank and the
 * number of ranks. So a rank makes the same requests in every run. The search for dependencies,
 * which delays ranks, requires this. */
#pragma once

#include "microbench/microbench.h"
#include "microbench/script.h"

/* Number of blocks (--block-size) in the part of each rank (--file-size). */
static inline uint32_t blocks_of_rank(const struct microbench_config *c)
{
	return (uint32_t)(c->file_bytes / c->block_bytes);
}
/* Number in the file of block k of a rank: if the parts are consecutive; if the blocks of all ranks
 * are interleaved. After the last block, the first follows. */
uint32_t block_in_part(const struct microbench_config *c, unsigned int rank, uint64_t k);
uint32_t block_interleaved(const struct microbench_config *c, unsigned int rank, uint64_t k);

/* Checks for all these workloads: whole blocks, and block numbers that fit. Errors: EINVAL. */
int ranks_check(const struct microbench_config *c, struct err *e);
extern const char *const ranks_data[]; /* rank_files of most of these workloads */
/* Options of these workloads in addition to the common options. */
extern const char *const ranks_options[], *const ranks_compute_options[];
