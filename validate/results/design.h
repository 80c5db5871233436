/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The randomised design: the order of the runs.
 *
 * First the bank: the reference traces of every scenario are recorded, trace by trace, with
 * scenarios in random order. Then follow blocks 0..N. In each block, every scenario comes in random
 * order, and in each scenario the program and every applicable replayer in random order. So each
 * block is complete and balanced, compared runs are close in time, and neither drift nor order is
 * confounded with a replayer. Each block has a separate generator (GSL mt19937, seeded from the
 * protocol's seed and the block), so that more replicates do not change earlier blocks. */
#pragma once

#include <jansson.h>

#include "validate/protocol/protocol.h"

/* In blocks 1..DESIGN_BLANK_BLOCKS each replay is repeated without its calls, directly after it,
 * for the limit of quantification. These repetitions are not runs of the plan. Only engines of this
 * program can do this. */
#define DESIGN_BLANK_BLOCKS 5

struct design_run {
	uint32_t block, position; /* position in the block, or in the phase of the bank */
	uint32_t scenario;
	/* ROLE_... of results.h, or index of a replayer */
	int32_t role;
	uint32_t bank;
};

struct design {
	/* [n_runs] in the order of execution; the index is the id of the run */
	struct design_run *run;
	size_t n_runs;
	size_t n_bank_runs; /* the first runs of the plan */
};

/* Makes the plan, which depends only on the protocol and its seed. Ownership: design_release(). */
void design_make(struct design *plan, const struct protocol *p);
void design_release(struct design *plan);

/* Number of runs for blocks 0..n_replicates. */
size_t design_n_runs_until(const struct design *plan, uint64_t n_replicates);

/* Whether slowed targets (protocol_slows()) serve this block slowly: one block of each pair of
 * blocks (1 and 2, 3 and 4, ...), drawn with the protocol's seed. */
bool design_block_is_slow(const struct protocol *p, uint32_t block);

/* Seed of the workload of trace `bank`, and of its reruns in the blocks that use the trace. */
uint64_t design_workload_seed(const struct protocol *p, uint32_t bank);

/* Returns {"version": 1, "seed": .., "scenarios": [names], "replayers": [names], "runs": [[block,
 * position, scenario, role, bank], ...]}. */
json_t *design_to_json(const struct design *plan, const struct protocol *p);
/* Reads a plan. Errors: EINVAL if it is not a plan of this protocol. Ownership:
 * design_release(). */
int design_from_json(struct design *plan, const struct protocol *p, const json_t *o, struct err *e);

/* Removes from the protocol the replayers that were missing when the plan was made. Errors: EINVAL
 * for an unknown replayer. */
int design_leave_out(struct protocol *p, const json_t *plan, struct err *e);
