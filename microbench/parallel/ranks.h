/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the scripts of parallel applications: one file of all ranks, in parts or interleaved. A
 * script depends only on the configuration, the rank and the number of ranks. A rank therefore
 * makes the same requests in every run, on which the search for dependencies by delaying ranks
 * relies. */
#pragma once

#include "microbench/microbench.h"
#include "microbench/script.h"

/* --file-size is the part of each rank, in blocks of --block-size. */
static inline uint32_t blocks_of_rank(const struct microbench_config *c)
{
	return (uint32_t)(c->file_bytes / c->block_bytes);
}
/* Block k of a rank, if parts are consecutive, and if blocks of all ranks are interleaved; wraps
 * around at the end. */
uint32_t block_in_part(const struct microbench_config *c, unsigned int rank, uint64_t k);
uint32_t block_interleaved(const struct microbench_config *c, unsigned int rank, uint64_t k);

/* Checks for all these workloads: whole blocks, and block numbers that fit. Errors: EINVAL. */
int ranks_check(const struct microbench_config *c, struct err *e);
extern const char *const ranks_data[]; /* rank_files of most of them */
/* Options of these workloads besides the common ones. */
extern const char *const ranks_options[], *const ranks_compute_options[];
