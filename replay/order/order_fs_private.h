/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept while the order `fs` is derived. Private to replay/order/order_fs*.c. */
#ifndef REPLAY_ORDER_FS_PRIVATE_H
#define REPLAY_ORDER_FS_PRIVATE_H

#include "replay/order/extent_map.h"
#include "replay/order/order.h"
#include "replay/order/order_private.h"
#include "replay/order/use_set.h"

#define FORGET_AT (1u << 14) /* uses, before any is forgotten */

/* Somebody changed it last, others used it since: a use waits for the change, a change for all of
 * them. */
struct resource {
	uint32_t changer; /* request, NONE32 */
	struct use_set users;
};

struct slot_state {
	uint32_t opener, closer; /* requests, NONE32 */
	uint32_t mover;		 /* the last that moved the position; of origins */
	struct use_set users;
	bool closes; /* some request closes it: users are worth noting */
};

struct file_state {
	struct resource attribute;
	uint32_t resizer, appender;
	struct use_set movers; /* read or wrote it since */
	struct use_set writers, vague_writers; /* vague: where is not known */
	struct use_set enders;	/* met its end; least: where that was */
	uint32_t extents;
	/* of the model; NONE32: unused, and `appender` the next unused one, 0 ends */
	uint32_t object;
};

struct directory_state {
	struct use_set changers, listers;
};

struct lock_state {
	struct use_set takers, sharers, releasers, queriers;
};

struct fs {
	const struct load *l;
	const struct slots *s;
	struct edges *out;
	unsigned int rules;
	struct slot_state *slot;
	struct resource *map; /* map[s->n_maps] */
	/* note[n_notes]: what the model tells of has a place in one of the next four, 0 none */
	uint32_t *note;
	size_t n_notes;
	struct resource *name; /* name[n_names], [0] unused */
	uint32_t n_names, names_cap;
	struct file_state *file; /* file[n_files], [0] unused */
	uint32_t n_files, files_cap, unused_file;
	struct directory_state *directory; /* directory[n_directories], [0] unused */
	uint32_t n_directories, directories_cap;
	struct lock_state *lock; /* lock[n_locks], [0] unused */
	uint32_t n_locks, locks_cap;
	struct process_waits processes, asynchronous;
	struct u64_map process_wait_of, async_wait_of; /* request to the first in their wait */
	struct use_table uses; /* of requests by the thresholds of their threads */
	struct extent_pool extents;
	/* waited[thread * n_threads + other]: the threshold already waited for; NULL where there
	 * are too many threads: */
	uint32_t *waited;
	struct u64_map waited_of; /* (thread, other) to the same */
	/* begun[n_threads]: requests of each thread, the present one included */
	uint32_t *begun;
	/* known[n_threads]: what every other thread has waited for of this one; for fs_forget */
	uint32_t *known;
	uint32_t forget_at;	  /* uses, when some are forgotten the next time */
	uint32_t request;	  /* the one whose edges are being found, NONE32 before the first */
	/* its thread, and what of that has been reached when it has ended */
	uint32_t own, threshold;
	size_t first_edge;
	size_t *edge_of; /* edge_of[n_threads]: of this request to that thread, if >= first_edge */
	uint32_t n_met;	 /* extents met by this read */
};

static inline bool fs_rule(const struct fs *f, enum fs_rule which)
{
	return f->rules >> which & 1;
}

/* The request whose edges are being found waits: until thread `thread` has reached `threshold`, for
 * the end of request `q` (NONE32: for none), for all that were noted in `s`. */
void fs_wait_until(struct fs *f, uint32_t thread, uint32_t threshold);
void fs_wait_for(struct fs *f, uint32_t q);
void fs_wait_for_all(struct fs *f, const struct use_set *s);
/* Notes that request in `s`, with a value of which the least is kept. */
void fs_note(struct fs *f, struct use_set *s, uint64_t value);

/* That request reads or writes bytes [start, end) of a file; a read got n of them. start:
 * OFFSET_NONE where it is not known. */
void fs_read_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end, uint64_t n);
void fs_write_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end,
		    bool appends);
/* It sets the file's size, or learns that it is `size` (UINT64_MAX: not known). */
void fs_resize_rules(struct fs *f, struct file_state *file);
void fs_size_rules(struct fs *f, struct file_state *file, uint64_t size);

/* Gives back what nobody will wait for any more, because every other thread that has requests left
 * has waited for as much or more of the same thread already: uses, and with them the files of which
 * nothing else is known, most of which are not there any more. Waits do not change, but that who
 * writes beyond a file's end no longer waits for a later use for an earlier one's sake. Between two
 * requests. */
void fs_forget(struct fs *f);

/* order_derive_fs into an all-zero `out`, with another number in place of FORGET_AT, for tests: 0
 * forgets before each request. */
int order_derive_fs_forgetting(struct edges *out, unsigned int rules, const struct load *l,
			       const struct slots *s, uint32_t forget_at, struct err *e);

#endif
