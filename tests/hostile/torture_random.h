/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random hostile traces. Operations and their fields come from the program's own table
 * (capture/op.h), so that a new operation is covered without a change here. The same seed gives the
 * same trace. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

/* SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA
 * 2014. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
static inline uint64_t random_below(uint64_t *state, uint64_t n) /* n > 0 */
{
	return random_next(state) % n;
}

/* A replay is refused if the target cannot have the state that the trace shows. Most traces match
 * it, so that their calls are made. */
enum random_manner {
	RANDOM_QUIET, /* names no special object */
	RANDOM_BOLD,  /* gives special objects ordinary names, and opens them */
	RANDOM_WILD   /* every request names every object */
};

struct random_trace {
	uint64_t seed;
	enum trace_level level;
	uint32_t n_requests;   /* 1 to RANDOM_REQUESTS_MAX */
	uint64_t device_bytes; /* level block: size that most requests stay within */
	enum random_manner manner;
	bool prepared;	 /* the replay creates the files that the trace needs */
	/* mostly preads and pwrites that name their file, because the formats of other replayers
	 * can represent them */
	bool positioned;
	/* left_out[n_requests]: requests that are not written, to reduce a failing trace; NULL:
	 * none */
	const bool *left_out;
};
#define RANDOM_REQUESTS_MAX 200

/* Writes the trace to `path`. Errors: those of trace_writer_*. */
int random_trace_write(const struct random_trace *t, const char *path, struct err *e);
