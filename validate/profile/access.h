/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each read or write begins, relative to the previous request of its sequence: an object, a
 * descriptor, or a thread on an object. Requests are in trace order. */
#pragma once

#include "common/u64_map.h"

enum access_pattern {
	ACCESS_FIRST,	   /* the first of its sequence */
	ACCESS_SEQUENTIAL, /* at the end of the preceding one */
	ACCESS_REPEATED,   /* at the start of the preceding one */
	/* the distance from the previous request equals that between the previous two requests */
	ACCESS_STRIDED,
	/* none of these, but within ACCESS_NEAR_BYTES of the end of the previous request */
	ACCESS_NEAR,
	ACCESS_RANDOM,	   /* elsewhere */
	ACCESS_N
};
extern const char *const access_pattern_names[ACCESS_N + 1];

#define ACCESS_NEAR_BYTES (128u << 10) /* default read-ahead window of the kernel */
/* largest number of sequences; requests of further sequences are counted in n_not_followed */
#define ACCESS_SEQUENCES_MAX 131072u

struct access_place { /* state of a sequence */
	/* of the last request of the sequence; end ACCESS_NO_END: none */
	uint64_t offset, end;
	/* modulo 2^64; 0: unknown */
	uint64_t step;
};
#define ACCESS_NO_END UINT64_MAX
#define ACCESS_PLACE_INIT ((struct access_place){0, ACCESS_NO_END, 0})

struct access_counts {
	uint64_t n[2][ACCESS_N]; /* reads; writes */
	uint64_t n_not_followed;
};

/* Counts the next request of a sequence: `moved` bytes at `offset`. */
static inline void access_count(struct access_counts *c, struct access_place *s, bool write,
				uint64_t offset, uint64_t moved)
{
	enum access_pattern pattern;
	uint64_t step = offset - s->offset;
	if (s->end == ACCESS_NO_END) {
		pattern = ACCESS_FIRST;
		step = 0;
	} else if (offset == s->end && step) {
		pattern = ACCESS_SEQUENTIAL;
	} else if (!step) {
		pattern = ACCESS_REPEATED;
	} else if (step == s->step) {
		pattern = ACCESS_STRIDED;
	} else {
		/* computed without a branch, because branches are unpredictable for random
		 * offsets */
		const uint64_t before = 0 - (uint64_t)(offset < s->end);
		const uint64_t gap = ((offset - s->end) ^ before) - before;
		pattern = gap <= ACCESS_NEAR_BYTES ? ACCESS_NEAR : ACCESS_RANDOM;
	}
	c->n[write][pattern]++;
	s->step = step;
	s->offset = offset;
	s->end = offset > ACCESS_NO_END - 1 - moved ? ACCESS_NO_END - 1 : offset + moved;
}

/* A sequence with a 96-bit key. Sequences of objects are stored with the objects instead. */
struct access_sequence {
	uint64_t high;
	uint32_t low;
	struct access_place place;
};

struct access {
	struct access_sequence *sequence; /* [n_sequences] */
	size_t n_sequences, cap_sequences;
	/* index of a sequence by its key, which is mixed to 64 bits */
	struct u64_map number;
	struct access_counts counts;
};

/* Zero-initialised means empty. */
void access_release(struct access *a);

void access_add(struct access *a, uint64_t high, uint32_t low, bool write, uint64_t offset,
		uint64_t moved);

/* Restarts the sequence, because the descriptor was opened again. */
void access_forget(struct access *a, uint64_t high, uint32_t low);

/* reads and writes together */
uint64_t access_total(const struct access_counts *c, enum access_pattern pattern);
/* all patterns, with ACCESS_FIRST */
uint64_t access_all(const struct access_counts *c);
