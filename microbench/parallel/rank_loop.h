/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop of one rank of a parallel application: the calls of its script, stamped, and
 * between them computation and whatever it has to do with the other ranks, which is told by
 * functions: nothing here needs MPI. */
#ifndef MICROBENCH_PARALLEL_RANK_LOOP_H
#define MICROBENCH_PARALLEL_RANK_LOOP_H

#include <stdatomic.h>
#include <stdint.h>

#include "microbench/loop.h"

struct rank_messages {
	void (*barrier)(void *context);
	void (*send)(void *context, uint32_t to, uint32_t n_bytes);
	void (*receive)(void *context, uint32_t from, uint32_t n_bytes);
	/* both send, both receive */
	void (*exchange)(void *context, uint32_t with, uint32_t n_bytes);
	void *context;
	/* word[n_ranks]: of each rank, in memory that all of them see; NULL where no script asks
	 * for it */
	_Atomic uint32_t **word;
	uint32_t rank;
	bool gives_way; /* while it polls a word: there are more ranks than processors */
};

/* Plays the script of `t` to its end, or to the first call that does not return what it must
 * (t->failed). */
void rank_loop(struct bench_thread *t, const struct rank_messages *m);

#endif
