/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals and waits: messages without content between ranks, gates between threads of one. Each
 * channel has a receive posted before its first message; who waits polls, and gives the processor
 * away where there are more threads than processors.
 *
 * Threads call MPI at the same time where it allows that and there are several; else one at a time.
 */
#ifndef REPLAY_PARALLEL_MPI_MESSAGES_H
#define REPLAY_PARALLEL_MPI_MESSAGES_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "common/err.h"
#include "replay/issue/gate.h"
#include "replay/engines/parallel/mpi/rank.h"

/* a channel while it runs: used by the one thread at this end of it, inside by one at either end */
struct line {
	/* in: of the message that comes next; out: of the one before */
	_Alignas(128) MPI_Request request;
	/* signals sent, or waits that are over; inside: signals, and */
	uint32_t n_done;
	_Alignas(128) uint32_t n_waited;   /* waits */
	struct gate_waiter waiter;
};

struct messages {
	const struct rank *rank;
	struct line *line; /* line[n_channels] */
	struct gates gates; /* inside */
	MPI_Comm comm;
	pthread_mutex_t one_at_a_time;
	bool locks;
};

/* Posts the receives, and sends something over each channel first, so that connections are there.
 * All ranks together. Errors: ENOMEM. Ownership: messages_close. */
int messages_open(struct messages *m, struct rank *r, struct err *e);
void messages_close(struct messages *m);

void message_signal(struct messages *m, uint32_t channel);
/* Returns when the next signal has come. */
void message_wait(struct messages *m, uint32_t channel);

#endif
