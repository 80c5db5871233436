/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests without numbers, matched by key: operation, object, offset where it has one, and length;
 * the k-th of a key in the replay is the k-th in the reference, in the order of the files. Swaps of
 * identical requests so go unseen.
 *
 * Both traces are read side by side; a request waits until its partner comes. Objects are the same
 * by kind and name, devices also by the order of their first use, since a replay mostly goes to
 * another one; where a request names no object, by the descriptor's number. Memory: 24 bytes and
 * what the caller keeps for each request that waits, and 11 to 21 for each different key of the
 * reference, up to 25 million, or as many as there is memory for: then more may be ambiguous than
 * were counted.
 *
 * The tables are far larger than any cache. So a request's key is made some time before it is put,
 * KEY_MATCH_AHEAD requests of its side where there are as many, and fetches its places in them. */
#ifndef CAPTURE_MATCH_KEY_MATCH_H
#define CAPTURE_MATCH_KEY_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "capture/match/sequences.h"
#include "common/err.h"
#include "common/vm.h"

/* that wait, of both sides together: many, but no more than memory is for */
#define KEY_MATCH_MAX_WAITING (1u << 27)
#define KEY_MATCH_MAX_KEPT_BYTES (UINT64_C(200) << 20)

#define KEY_MATCH_AHEAD 16u /* a power of two */
#define KEY_NONE UINT64_C(0) /* of a request that cannot be matched */

enum match_side { SIDE_REFERENCE, SIDE_REPLAY };

struct key_waiting {
	uint64_t index; /* in its trace */
	uint32_t next;	/* the next of its key, or of the free ones; UINT32_MAX: none */
	uint8_t side;	/* enum match_side */
	bool waits;	/* false: free */
};

struct key_slot { /* requests of one side with one key, in order */
	uint64_t key;
	uint32_t head, tail; /* head UINT32_MAX: the slot is free */
	uint8_t side;
};

struct key_match {
	const struct trace *trace[2]; /* borrowed; NULL: object numbers mean the same in both */
	struct sequences names;	      /* of hashes of kind and name */
	/* [n_objects] what stands for an object in keys; 0 not yet known */
	uint64_t *object[2];
	uint32_t n_objects[2];
	uint32_t n_devices[2];
	struct key_waiting *waiting;
	char *kept;	   /* kept[waiting_cap * kept_bytes]: of each that waits */
	size_t kept_bytes;
	uint32_t most;	   /* that may wait */
	size_t n_waiting, waiting_cap; /* ever used */
	uint32_t free;
	uint32_t n_waits; /* at present */
	struct key_slot *slot;
	unsigned int bits;
	size_t n_slots_used;
	/* uint64_t [1 << seen_bits] keys of the reference, lowest bit: more than once */
	struct vm_region seen;
	unsigned int seen_bits;
	size_t n_seen;
	bool seen_all; /* false: there were too many */
	uint64_t n_ambiguous_keys, n_ambiguous_requests; /* so far */
};

/* `kept_bytes`: of each request that waits, for key_match_kept(). `most`: how many may wait, 0:
 * what KEY_MATCH_MAX_KEPT_BYTES hold. */
void key_match_init(struct key_match *m, const struct trace *reference, const struct trace *replay,
		    size_t kept_bytes, uint32_t most);
void key_match_release(struct key_match *m);

/* The key of the next request of a side; KEY_NONE: it has none. */
uint64_t key_match_key(struct key_match *m, enum match_side side, const struct trace_record *r);

/* The next request of a side, by its key, which is not KEY_NONE. 1: its partner is in *partner
 * (valid until the next call); 0: none yet, it waits unless `last` says that the other side has
 * ended, and `keep` is kept of it. Errors: E2BIG for too many that wait. */
int key_match_put(struct key_match *m, enum match_side side, uint64_t key, uint64_t index,
		  const void *keep, bool last, const struct key_waiting **partner, struct err *e);

/* What is kept of one that waits or of a partner, valid as long. */
static inline const void *key_match_kept(const struct key_match *m, const struct key_waiting *w)
{
	return m->kept + (size_t)(w - m->waiting) * m->kept_bytes;
}

/* The requests still waiting, in no particular order: *at begins with 0. NULL: no more. */
const struct key_waiting *key_match_left(const struct key_match *m, size_t *at);

#endif
