/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of threads. For each thread, a set has the last request that used a resource: a later
 * request of another thread must wait for it. Requests are numbers that the caller chooses. All
 * sets of a derivation share one table and reuse its memory. */
#pragma once

#include "common/u64_map.h"

struct use {
	uint32_t request; /* last request of the thread */
	uint32_t next;	  /* next use of the set, 0: end */
	uint64_t least;	  /* smallest value of the thread's uses */
	uint32_t thread, set; /* set: its number, 0 none */
};

struct use_table {
	/* for sets with many threads: (set, thread) -> use. Another set may have taken over the
	 * use */
	struct u64_map at;
	struct use *use;   /* use[n], use[0] unused */
	uint32_t n, cap;
	uint32_t free; /* list of unused uses, linked by `next` */
	uint32_t *number; /* number[n_numbers]: numbers of dropped sets, for reuse */
	uint32_t n_numbers, numbers_cap, n_sets;
};

struct use_set {
	uint32_t first;	 /* index into use_table.use */
	uint32_t n;
	uint32_t number; /* 0: a set of few threads */
};

void use_table_release(struct use_table *t); /* a zeroed set is empty */

/* Notes that `request` of `thread` used the resource. */
void use_note(struct use_table *t, struct use_set *s, uint32_t thread, uint32_t request,
	      uint64_t value);
/* Empties the set. */
void use_drop(struct use_table *t, struct use_set *s);
