/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where each read or write begins, seen from the one before it in the same sequence: an object's, a
 * descriptor's, or a thread's on an object. Requests are taken in the order of the trace. */
#ifndef VALIDATE_PROFILE_ACCESS_H
#define VALIDATE_PROFILE_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/u64_map.h"

enum access_pattern {
	ACCESS_FIRST,	   /* of its sequence */
	ACCESS_SEQUENTIAL, /* where the one before ended */
	ACCESS_REPEATED,   /* where the one before began */
	ACCESS_STRIDED,	   /* as far from the one before as that one from its own predecessor */
	/* none of these, and within ACCESS_NEAR_BYTES of where the one before ended */
	ACCESS_NEAR,
	ACCESS_RANDOM,	   /* anywhere else */
	ACCESS_N
};
extern const char *const access_pattern_names[ACCESS_N + 1];

#define ACCESS_NEAR_BYTES (128u << 10) /* the kernel's read-ahead window as it comes */
/* followed; requests of further ones are counted in n_not_followed */
#define ACCESS_SEQUENCES_MAX 131072u

struct access_place { /* what is remembered of a sequence */
	uint64_t offset, end; /* of its last request; end ACCESS_NO_END: there was none */
	uint64_t step;	      /* modulo 2^64; 0: not known */
};
#define ACCESS_NO_END UINT64_MAX
#define ACCESS_PLACE_INIT ((struct access_place){0, ACCESS_NO_END, 0})

struct access_counts {
	uint64_t n[2][ACCESS_N]; /* of reads, of writes */
	uint64_t n_not_followed;
};

/* The next request of a sequence: `moved` bytes at `offset`. */
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
		/* of random places no branch is foreseen */
		const uint64_t before = 0 - (uint64_t)(offset < s->end);
		const uint64_t gap = ((offset - s->end) ^ before) - before;
		pattern = gap <= ACCESS_NEAR_BYTES ? ACCESS_NEAR : ACCESS_RANDOM;
	}
	c->n[write][pattern]++;
	s->step = step;
	s->offset = offset;
	s->end = offset > ACCESS_NO_END - 1 - moved ? ACCESS_NO_END - 1 : offset + moved;
}

/* Sequences by a key of 96 bits: an object's need none, their places are with what else is known of
 * an object. */
struct access_sequence {
	uint64_t high;
	uint32_t low;
	struct access_place place;
};

struct access {
	struct access_sequence *sequence; /* [n_sequences] */
	size_t n_sequences, cap_sequences;
	struct u64_map number; /* of a sequence, by its key mixed to 64 bits */
	struct access_counts counts;
};

/* An all-zero one is empty. */
void access_release(struct access *a);

void access_add(struct access *a, uint64_t high, uint32_t low, bool write, uint64_t offset,
		uint64_t moved);

/* The sequence begins anew: the descriptor was opened again. */
void access_forget(struct access *a, uint64_t high, uint32_t low);

/* of reads and writes */
uint64_t access_total(const struct access_counts *c, enum access_pattern pattern);
uint64_t access_all(const struct access_counts *c); /* of all patterns, ACCESS_FIRST included */

#endif
