/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches requests without numbers by key: operation, object, offset if it has one, and length. The
 * k-th request of a key in the replay matches the k-th in the reference, in file order. So swaps of
 * identical requests are not noticed.
 *
 * Both traces are read side by side; a request waits until its partner comes. Objects are equal by
 * kind and name; devices also by the order of their first use, because a replay usually uses
 * another one; requests without an object by the descriptor's number. Memory: 24 bytes plus the
 * caller's data for each waiting request, and 11 to 21 bytes for each different key of the
 * reference, up to 25 million keys or as many as fit. Beyond that more requests may be ambiguous
 * than were counted.
 *
 * The tables are far larger than the CPU caches. So a request's key is computed in advance,
 * KEY_MATCH_AHEAD requests before it is put, and prefetches its slots. */
#pragma once

#include "capture/trace.h"
#include "capture/match/sequences.h"
#include "common/vm.h"

/* limit of waiting requests of both sides together, which bounds memory */
#define KEY_MATCH_MAX_WAITING (1u << 27)
#define KEY_MATCH_MAX_KEPT_BYTES (UINT64_C(200) << 20)

#define KEY_MATCH_AHEAD 16u /* a power of two */
#define KEY_NONE UINT64_C(0) /* the request cannot be matched */

enum match_side { SIDE_REFERENCE, SIDE_REPLAY };

struct key_waiting {
	uint64_t index; /* in its trace */
	uint32_t next;	/* next request of its key, or next free one; UINT32_MAX: none */
	uint8_t side;	/* enum match_side */
	bool waits;	/* false: free */
};

struct key_slot { /* requests of one side with one key, in order */
	uint64_t key;
	uint32_t head, tail; /* head UINT32_MAX: the slot is free */
	uint8_t side;
};

struct key_match {
	const struct trace *trace[2]; /* borrowed; NULL: object numbers are equal in both */
	struct sequences names;	      /* of hashes of kind and name */
	/* [n_objects] represents an object in keys; 0: unknown yet */
	uint64_t *object[2];
	uint32_t n_objects[2];
	uint32_t n_devices[2];
	struct key_waiting *waiting;
	char *kept;	   /* kept[waiting_cap * kept_bytes]: data of each waiting request */
	size_t kept_bytes;
	uint32_t most;	   /* limit of waiting requests */
	size_t n_waiting, waiting_cap; /* elements ever used */
	uint32_t free;
	uint32_t n_waits; /* waiting now */
	struct key_slot *slot;
	unsigned int bits;
	size_t n_slots_used;
	/* uint64_t [1 << seen_bits] keys of the reference; the lowest bit marks repeated keys */
	struct vm_region seen;
	unsigned int seen_bits;
	size_t n_seen;
	bool seen_all; /* false: there were too many keys */
	uint64_t n_ambiguous_keys, n_ambiguous_requests; /* so far */
};

/* `kept_bytes`: data of each waiting request, for key_match_kept(). `most`: limit of waiting
 * requests, 0: as many as KEY_MATCH_MAX_KEPT_BYTES hold. */
void key_match_init(struct key_match *m, const struct trace *reference, const struct trace *replay,
		    size_t kept_bytes, uint32_t most);
void key_match_release(struct key_match *m);

/* The key of the next request of a side; KEY_NONE: the request has no key. */
uint64_t key_match_key(struct key_match *m, enum match_side side, const struct trace_record *r);

/* Puts the next request of a side by its key, which is not KEY_NONE. 1: its partner is in *partner
 * (valid until the next call); 0: there is no partner yet, and the request waits with its data
 * `keep`, unless `last` says that the other side has ended. Errors: E2BIG for too many waiting
 * requests. */
int key_match_put(struct key_match *m, enum match_side side, uint64_t key, uint64_t index,
		  const void *keep, bool last, const struct key_waiting **partner, struct err *e);

/* The data of a waiting request or a partner, valid as long as that. */
static inline const void *key_match_kept(const struct key_match *m, const struct key_waiting *w)
{
	return m->kept + (size_t)(w - m->waiting) * m->kept_bytes;
}

/* The remaining waiting requests, in no particular order: *at begins with 0. NULL: no more. */
const struct key_waiting *key_match_left(const struct key_match *m, size_t *at);
