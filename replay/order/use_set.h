/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of threads with the last request of each that did something to a resource: what a later
 * request of another thread must wait for. Requests are whatever numbers the caller knows them by.
 * All sets of a derivation share one table, and what a set gives back others use again. */
#ifndef REPLAY_USE_SET_H
#define REPLAY_USE_SET_H

#include <stdint.h>

#include "common/u64_map.h"

struct use {
	uint32_t request; /* the thread's last */
	uint32_t next;	  /* of the set, 0 ends */
	uint64_t least;	  /* smallest value given */
	uint32_t thread, set; /* set: its number, 0 none */
};

struct use_table {
	/* (set, thread) to use, which may have become another's since; of sets of many threads */
	struct u64_map at;
	struct use *use;   /* use[n], use[0] unused */
	uint32_t n, cap, n_free;
	uint32_t free; /* free[n_free], a list through `next` */
	uint32_t *number; /* number[n_numbers]: of sets that were given back */
	uint32_t n_numbers, numbers_cap, n_sets;
};

struct use_set {
	uint32_t first;	 /* into use_table.use */
	uint32_t n;
	uint32_t number; /* 0: of few threads */
};

void use_table_release(struct use_table *t); /* an all-zero one is empty */

/* Notes that `request` of `thread` used the resource. */
void use_note(struct use_table *t, struct use_set *s, uint32_t thread, uint32_t request,
	      uint64_t value);
/* Empties the set. */
void use_drop(struct use_table *t, struct use_set *s);
/* Takes away what is at or below known[thread]. */
void use_forget(struct use_table *t, struct use_set *s, const uint32_t *known);

/* How many uses all sets have. */
static inline uint32_t use_table_used(const struct use_table *t)
{
	return t->n ? t->n - 1 - t->n_free : 0;
}

#endif
