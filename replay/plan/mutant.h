/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deliberate faults. A validator is worth something when it finds a bad replayer, so here are bad
 * replayers, each with one known fault of a known size. Without a mutant none of this is on the
 * measured path.
 *
 * Faults of single requests (lost, repeat, swap, offset, size) strike an exact share of the reads
 * and writes, chosen at random with a fixed seed, and are put into the plan before the run. The
 * others act while it runs. */
#ifndef REPLAY_MUTANT_H
#define REPLAY_MUTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

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
	const char *usual; /* the argument where none is given */
	const char *help;
	bool timed; /* it is a fault of waiting for a time: meaningless at full speed */
};
extern const struct fault faults[]; /* ends with name NULL */

struct mutant {
	enum fault_kind kind;
	int64_t ns, every_ns; /* durations */
	double ratio;
};

/* Parses "delay:20us"; NULL or "" is no mutant. Errors: ENOENT for an unknown fault with the
 * nearest known one, EINVAL for a bad argument. */
int mutant_parse(struct mutant *m, const char *text, struct err *e);
const struct fault *mutant_fault(enum fault_kind kind);

struct replay_plan;
/* Puts the faults of single requests into a plan that is otherwise complete. Errors: EINVAL when
 * the trace has no request that the fault could strike. */
int mutant_apply(struct replay_plan *p, struct err *e);

/* How many of `n` reads and writes a share strikes: the nearest whole number (of swaps: no more
 * than there are pairs). */
uint64_t mutant_count(double share, uint64_t n);

/* Selection sampling (Knuth, TAOCP 3.4.2, algorithm S): exactly `wanted` of `left`, each subset
 * alike. */
struct sampler {
	uint64_t left, wanted, state;
};
/* As many as the mutant's share of `n_requests` (reads and writes), of the `n_can` that it can
 * strike. Errors: EINVAL where that is none. */
int sampler_init(struct sampler *s, const struct mutant *m, uint64_t n_can, uint64_t n_requests,
		 uint64_t seed, struct err *e);
bool sampler_takes(struct sampler *s); /* whether the next one is among them */

/* The shifts of a sequential request with a fault: bytes its descriptor is moved by before and
 * after the call, outside the stamps, so that this request is wrong and the next one right again.
 */
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

#endif
