/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The randomised design: which run is made when.
 *
 * First the bank: every scenario's reference traces are recorded, the scenarios of each trace in
 * random order. Then blocks 0..N: in each, every scenario in random order, and in each scenario the
 * program again and every replayer that applies, in random order. So each block holds everything
 * once (it is complete and balanced), the runs that are compared lie close together, and neither
 * drift nor order is confounded with a replayer. Each block draws from a generator of its own (GSL,
 * mt19937, seeded from the protocol's seed and the block), so that more replicates do not change
 * the blocks before them. */
#ifndef VALIDATE_DESIGN_H
#define VALIDATE_DESIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "common/err.h"
#include "validate/protocol/protocol.h"

/* Blocks 1..N hold each replay a second time without its calls, right after it, for the limit of
 * quantification; they are no runs of the plan, and only the engines of this program have such a
 * thing. */
#define DESIGN_BLANK_BLOCKS 5

struct design_run {
	uint32_t block, position; /* position: place in its block, or in the bank's phase */
	uint32_t scenario;
	int32_t role; /* ROLE_... of results.h, or index of the replayer */
	uint32_t bank;
};

struct design {
	/* run[n_runs] in the order in which they are made; the index is the run's id */
	struct design_run *run;
	size_t n_runs;
	size_t n_bank_runs; /* the first ones */
};

void design_make(struct design *plan, const struct protocol *p);
void design_release(struct design *plan);

/* Number of the runs that are needed for blocks 0..n_replicates. */
size_t design_n_runs_until(const struct design *plan, uint64_t n_replicates);

/* Whether targets that are slowed (protocol_slows) serve this block slowly: one block of 1 and 2,
 * of 3 and 4, ..., drawn by the protocol's seed. */
bool design_block_is_slow(const struct protocol *p, uint32_t block);

/* Seed of the workload that is recorded as trace `bank` and run again in the blocks that use it. */
uint64_t design_workload_seed(const struct protocol *p, uint32_t bank);

/* {"version": 1, "seed": .., "scenarios": [names], "replayers": [names], "runs": [[block, position,
 * scenario, role, bank], ...]} */
json_t *design_to_json(const struct design *plan, const struct protocol *p);
/* Errors: EINVAL where it is no plan, or none of this protocol. Ownership: design_release. */
int design_from_json(struct design *plan, const struct protocol *p, const json_t *o, struct err *e);

/* Takes out of the protocol the replayers that were not found when the plan was made. Errors:
 * EINVAL for ones that it does not have. */
int design_leave_out(struct protocol *p, const json_t *plan, struct err *e);

#endif
