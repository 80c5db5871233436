/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of the derivation of order `fs`. Private to replay/order/order_fs*.c. */
#pragma once

#include "replay/order/extent_map.h"
#include "replay/order/order_private.h"
#include "replay/order/use_set.h"

/* A resource with its last change and the uses since that change: a use waits for the change, and
 * the next change waits for all uses. */
struct resource {
	uint32_t changer; /* request, NONE32 */
	struct use_set users;
};

struct slot_state {
	uint32_t opener, closer; /* requests, NONE32 */
	uint32_t mover;		 /* origins: last request that moved the position */
	struct use_set users;
	bool closes; /* some request closes the descriptor, so its users are recorded */
};

struct file_state {
	struct resource attribute;
	uint32_t resizer, appender;
	struct use_set movers; /* reads and writes since the last change of the size */
	struct use_set writers, vague_writers; /* vague: offset unknown */
	/* requests that reached the end of the file; least: the smallest offset at which they
	 * did */
	struct use_set enders;
	uint32_t extents;
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
	/* note[n_notes], by event subject: index in one of the next four arrays; 0 none */
	uint32_t *note;
	size_t n_notes;
	struct resource *name; /* name[n_names], [0] unused */
	uint32_t n_names, names_cap;
	struct file_state *file; /* file[n_files], [0] unused */
	uint32_t n_files, files_cap;
	struct directory_state *directory; /* directory[n_directories]; [0] is unused */
	uint32_t n_directories, directories_cap;
	struct lock_state *lock; /* lock[n_locks], [0] unused */
	uint32_t n_locks, locks_cap;
	struct process_waits processes, asynchronous;
	struct u64_map process_wait_of, async_wait_of; /* request -> its first entry in `wait` */
	struct use_table uses; /* sets of uses; `request` of a use is a threshold of its thread */
	struct extent_pool extents;
	/* waited[thread * n_threads + other]: threshold that the thread has waited for; NULL: too
	 * many threads, use waited_of */
	uint32_t *waited;
	struct u64_map waited_of; /* (thread, other) -> the same */
	/* begun[n_threads]: number of requests of each thread up to and including the present
	 * request */
	uint32_t *begun;
	uint32_t request;	  /* the present request, NONE32 before the first */
	uint32_t own, threshold;  /* its thread, and the progress when it has ended */
	size_t first_edge;
	/* edge_of[n_threads]: index of the present request's edge to that thread, if >=
	 * first_edge */
	size_t *edge_of;
	uint32_t n_met;	 /* extents met by this read */
};

static inline bool fs_rule(const struct fs *f, enum fs_rule which)
{
	return f->rules >> which & 1;
}

/* Makes the present request wait until `thread` has reached `threshold`; for the end of request `q`
 * (NONE32: none); for all uses in `s`. */
void fs_wait_until(struct fs *f, uint32_t thread, uint32_t threshold);
void fs_wait_for(struct fs *f, uint32_t q);
void fs_wait_for_all(struct fs *f, const struct use_set *s);
/* Adds the present request to `s` with a value; the set keeps the smallest value. */
void fs_note(struct fs *f, struct use_set *s, uint64_t value);

/* Notes that the present request reads or writes bytes [start, end) of a file; a read returned n of
 * them. start: OFFSET_NONE if unknown. */
void fs_read_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end, uint64_t n);
void fs_write_rules(struct fs *f, struct file_state *file, uint64_t start, uint64_t end,
		    bool appends);
/* Notes that the present request sets the size of the file, or reads `size` (UINT64_MAX:
 * unknown). */
void fs_resize_rules(struct fs *f, struct file_state *file);
void fs_size_rules(struct fs *f, struct file_state *file, uint64_t size);
