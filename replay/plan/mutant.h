/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults (mutants): each makes the replayer wrong in a known way and by a known amount,
 * to test whether the validator finds the fault. Without a mutant, none of this code runs in timed
 * regions.
 *
 * Faults of single requests (lost, repeat, swap, offset, size) change an exact share of the reads
 * and writes, chosen at random with a fixed seed, in the plan before the run. Other faults act
 * during the run. */
#pragma once

#include "common/std.h"

enum fault_kind {
	FAULT_NONE,
	FAULT_DELAY,
	FAULT_PROPORTIONAL,
	FAULT_LOST,
	FAULT_REPEAT,
	FAULT_SWAP,
	FAULT_OFFSET,
	FAULT_SIZE,
	FAULT_SERIALISE,
	FAULT_DOUBLE,
	FAULT_DRIFT,
	FAULT_COARSE,
	FAULT_STALL,
};

enum fault_argument {
	ARGUMENT_NONE,
	ARGUMENT_DURATION,
	ARGUMENT_RATIO,
	ARGUMENT_SHARE,
	ARGUMENT_DURATION_EVERY
};

struct fault {
	const char *name;
	enum fault_kind kind;
	enum fault_argument argument;
	const char *usual; /* default argument */
	const char *help;
	/* the fault changes the waiting for due times: it is not possible at full speed */
	bool timed;
};
extern const struct fault faults[]; /* ends with name NULL */

struct mutant {
	enum fault_kind kind;
	int64_t ns, every_ns; /* durations */
	double ratio;
};

/* Parses "delay:20us"; NULL or "" is no mutant. Errors: ENOENT for an unknown fault, with the
 * nearest known fault; EINVAL for a bad argument. */
int mutant_parse(struct mutant *m, const char *text, struct err *e);
/* Returns the row of a fault, or NULL if there is none. */
const struct fault *mutant_fault(enum fault_kind kind);

struct replay_plan;
/* Applies faults of single requests to a complete plan. Errors: EINVAL if the fault can change no
 * request of the trace. */
int mutant_apply(struct replay_plan *p, struct err *e);

/* Returns how many of `n` reads and writes a share changes: the nearest whole number. */
uint64_t mutant_count(double share, uint64_t n);

/* Selection sampling (Knuth, TAOCP 3.4.2, algorithm S): selects exactly `wanted` of `left`
 * requests, each subset with equal probability. */
struct sampler {
	uint64_t left, wanted, state;
};
/* Selects the mutant's share of `n_requests` (reads and writes) from the `n_can` requests that it
 * can change. Errors: EINVAL if the mutant can change no request. */
int sampler_init(struct sampler *s, const struct mutant *m, uint64_t n_can, uint64_t n_requests,
		 uint64_t seed, struct err *e);
bool sampler_takes(struct sampler *s); /* whether the next request is selected */

/* The shifts of a faulty sequential request: numbers of bytes by which its file position is moved
 * before and after the call, outside the stamps. So this request is wrong, and the next request is
 * correct. */
static inline uint64_t shifts_pack(int32_t before, int32_t after)
{
	return (uint64_t)(uint32_t)before << 32 | (uint32_t)after;
}
static inline int32_t shift_before(uint64_t packed)
{
	return (int32_t)(packed >> 32);
}
static inline int32_t shift_after(uint64_t packed)
{
	return (int32_t)(uint32_t)packed;
}
