/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop of one rank of a parallel application: the stamped calls of its script, and
 * between them computation and communication with other ranks. Communication uses callbacks, so
 * this file does not need MPI. */
#pragma once

#include "microbench/loop.h"

struct rank_messages {
	void (*barrier)(void *context);
	void (*send)(void *context, uint32_t to, uint32_t n_bytes);
	void (*receive)(void *context, uint32_t from, uint32_t n_bytes);
	/* both ranks send, and both receive */
	void (*exchange)(void *context, uint32_t with, uint32_t n_bytes);
	void *context;
	/* word[n_ranks]: a word of each rank, in shared memory; NULL if no script needs it */
	_Atomic uint32_t **word;
	uint32_t rank;
	bool gives_way; /* yield while polling, because there are more ranks than CPUs */
};

/* Plays the script of `t` to its end, or to the first call with an unexpected result
 * (t->failed). */
void rank_loop(struct bench_thread *t, const struct rank_messages *m);
