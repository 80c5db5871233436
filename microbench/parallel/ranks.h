/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the scripts of parallel applications share: one file of all ranks, in parts or interleaved.
 * Every script is a matter of the configuration, the rank and the number of ranks alone: a rank
 * makes the same requests in every run, which finding its dependencies by delaying one rank after
 * the other stands on. */
#ifndef MICROBENCH_PARALLEL_RANKS_H
#define MICROBENCH_PARALLEL_RANKS_H

#include "microbench/microbench.h"
#include "microbench/script.h"

/* --file-size is the part of each rank, in blocks of --block-size. */
static inline uint32_t blocks_of_rank(const struct microbench_config *c)
{
	return (uint32_t)(c->file_bytes / c->block_bytes);
}
/* Block k of a rank where parts lie one behind the other, and where blocks of all ranks are
 * interleaved; it begins anew behind the last one. */
uint32_t block_in_part(const struct microbench_config *c, unsigned int rank, uint64_t k);
uint32_t block_interleaved(const struct microbench_config *c, unsigned int rank, uint64_t k);

/* Whole blocks, so many in all that their numbers fit; for every workload here. Errors: EINVAL. */
int ranks_check(const struct microbench_config *c, struct err *e);
/* The set: the directory `top`, and in it one file of the parts of all ranks. */
void ranks_file(const struct microbench_config *c, struct fileset *s, size_t *cap, const char *top,
		const char *path);

/* The options that all of them have besides those of every workload. */
extern const char *const ranks_options[], *const ranks_compute_options[];

#endif
