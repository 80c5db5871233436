/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matches requests without numbers by key: operation, object, offset if it has one, and length. The
 * k-th request of a key in the replay matches the k-th in the reference, in file order. So swaps of
 * identical requests are not noticed.
 *
 * Both traces are read in parallel; a request waits until its partner is read. Objects are equal if
 * kind and name are equal. Devices are also equal if they are first used in the same order, because
 * a replay usually uses another device. Requests without an object are compared by the number of
 * the descriptor. Memory: 24 bytes plus the caller's data for each waiting request, and 11 to 21
 * bytes for each different key of the reference, up to 25 million keys or as many as fit. With more
 * keys, more requests may be ambiguous than are counted.
 *
 * The tables are far larger than the CPU caches. So the key of a request is computed
 * KEY_MATCH_AHEAD requests in advance, and its slots are prefetched. */
#pragma once

#include "capture/trace.h"
#include "capture/match/sequences.h"
#include "common/vm.h"

/* limit of the waiting requests of both sides together, which limits memory */
#define KEY_MATCH_MAX_WAITING (1u << 27)
#define KEY_MATCH_MAX_KEPT_BYTES (UINT64_C(200) << 20)

#define KEY_MATCH_AHEAD 16u /* a power of two */
#define KEY_NONE UINT64_C(0) /* the request cannot be matched */

enum match_side { SIDE_REFERENCE, SIDE_REPLAY };

struct key_waiting {
	uint64_t index; /* number of the request in its trace */
	uint32_t next;	/* next request of its key, or next free entry; UINT32_MAX: none */
	uint8_t side;	/* enum match_side */
	bool waits;	/* false: the entry is free */
};

struct key_slot { /* requests of one side with one key, in order */
	uint64_t key;
	uint32_t head, tail; /* head UINT32_MAX: the slot is free */
	uint8_t side;
};

struct key_match {
	const struct trace *trace[2]; /* borrowed; NULL: object numbers are equal in both */
	struct sequences names;	      /* numbers of hashes of kind and name */
	/* [n_objects]: number of an object in keys; 0: unknown yet */
	uint64_t *object[2];
	uint32_t n_objects[2];
	uint32_t n_devices[2];
	struct key_waiting *waiting;
	char *kept;	   /* kept[waiting_cap * kept_bytes]: data of each waiting request */
	size_t kept_bytes;
	uint32_t most;	   /* limit of waiting requests */
	size_t n_waiting, waiting_cap; /* waiting_cap: elements that were ever used */
	uint32_t free;
	uint32_t n_waits; /* number of requests that wait now */
	struct key_slot *slot;
	unsigned int bits;
	size_t n_slots_used;
	/* uint64_t [1 << seen_bits] keys of the reference; the lowest bit marks repeated keys */
	struct vm_region seen;
	unsigned int seen_bits;
	size_t n_seen;
	bool seen_all; /* false: the memory is not enough to count all keys */
	uint64_t n_ambiguous_keys, n_ambiguous_requests; /* so far */
};

/* `kept_bytes`: bytes of data for each waiting request, for key_match_kept(). `most`: limit of
 * waiting requests; 0: as many as KEY_MATCH_MAX_KEPT_BYTES can contain. Errors: ENOMEM. Call
 * key_match_release() also after an error. */
int key_match_init(struct key_match *m, const struct trace *reference, const struct trace *replay,
		   size_t kept_bytes, uint32_t most, struct err *e);
void key_match_release(struct key_match *m);

/* The key of the next request of a side; KEY_NONE: the request has no key. */
uint64_t key_match_key(struct key_match *m, enum match_side side, const struct trace_record *r);

/* Adds the next request of a side; `key` must not be KEY_NONE. Returns 1: its partner is in
 * *partner (valid until the next call); 0: there is no partner yet, and the request waits with its
 * data `keep`. With `last`, the other side has ended, and the request does not wait. Errors: E2BIG:
 * too many waiting requests. */
int key_match_put(struct key_match *m, enum match_side side, uint64_t key, uint64_t index,
		  const void *keep, bool last, const struct key_waiting **partner, struct err *e);

/* The data of a waiting request or a partner, valid as long as the request itself. */
static inline const void *key_match_kept(const struct key_match *m, const struct key_waiting *w)
{
	return m->kept + (size_t)(w - m->waiting) * m->kept_bytes;
}

/* Returns the next of the remaining waiting requests, in no particular order; NULL: no more. *at
 * must be 0 before the first call. */
const struct key_waiting *key_match_left(const struct key_match *m, size_t *at);
