/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a compiled program: the tables of its trace (image.h), a function for each traced
 * thread, and the loops, gates and calls of `event`. Generated sources include only this header. */
#pragma once

#include "replay/engines/compiled/image.h"
#include "replay/issue/loops.h"

typedef void program_thread(struct runner *w);

/* Part of a thread's function: with --unroll, the code of some consecutive requests. */
typedef void program_part(struct runner *w, const struct site *s, struct lane_walk *t);
#define PROGRAM_STEP(ordered_, timing_, k_, kind_, op_, flags_, process_, n_waits_, slot_,	   \
		     length_, offset_)								   \
	lane_step(w, s, t,									   \
		  &(const struct hot_request){.offset = (offset_),				   \
					      .length = (length_),				   \
					      .slot = (slot_),					   \
					      .n_waits = (n_waits_),				   \
					      .op = (op_),					   \
					      .flags = (flags_),				   \
					      .process = (process_)},				   \
		  k_, ordered_, timing_, kind_)

struct program {
	struct image *image;
	program_thread *const *thread; /* thread[n_threads]; worker i of a pool runs thread[0] */
	program_thread *const *blank;  /* the same functions without calls, for --blank */
	uint32_t n_threads;
};

/* Runs the replay. argv[1]: the number of the descriptor of a struct control. Returns the exit
 * status. After status 0 the struct control contains the result. */
int program_main(int argc, char **argv, const struct program *program);
