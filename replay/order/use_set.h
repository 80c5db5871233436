/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of threads with the last request of each that did something to a resource: what a later request of another thread must
 * wait for. All sets of a derivation share one table. */
#ifndef REPLAY_USE_SET_H
#define REPLAY_USE_SET_H

#include <stdint.h>

#include "replay/load/u64_map.h"

struct use {
	uint32_t request; /* the thread's last */
	uint32_t next;	  /* of the set, 0 ends */
	uint64_t least;	  /* smallest value given */
};

struct use_table {
	struct u64_map at; /* (set, thread) to use */
	struct use *use;   /* use[n], use[0] unused */
	uint32_t n, cap;
	uint32_t n_sets;
};

struct use_set {
	uint32_t number; /* 0: not used yet */
	uint32_t first;	 /* into use_table.use */
};

void use_table_release(struct use_table *t); /* an all-zero one is empty */

/* Notes that `request` of `thread` used the resource. */
void use_note(struct use_table *t, struct use_set *s, uint32_t thread, uint32_t request, uint64_t value);

#endif
