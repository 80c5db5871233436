/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals and waits: messages without content between ranks, gates between threads of a rank. A
 * receive is posted on each channel before the first message. A waiting thread polls; it yields the
 * CPU if there are more threads than CPUs.
 *
 * Threads call MPI at the same time if MPI permits it, otherwise one at a time. */
#pragma once

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "replay/issue/gate.h"
#include "replay/engines/parallel/mpi/rank.h"

/* The state of a channel, used by the thread at this end; CHANNEL_INSIDE: by the threads at both
 * ends. */
struct channel_line {
	/* receiving channel: the next message; sending channel: the previous message */
	_Alignas(128) MPI_Request request;
	/* number of signals sent or of waits ended; CHANNEL_INSIDE: number of signals */
	uint32_t n_done;
	_Alignas(128) uint32_t n_waited; /* CHANNEL_INSIDE: waits */
	struct gate_waiter waiter;
};

struct messages {
	const struct replay_rank *rank;
	struct channel_line *line; /* line[n_channels] */
	struct gates gates; /* of CHANNEL_INSIDE */
	MPI_Comm comm;
	pthread_mutex_t one_at_a_time;
	bool locks;
};

/* Posts the receives, and sends a first message over each channel to set up connections.
 * Collective. Errors: ENOMEM. Ownership: messages_close. */
int messages_open(struct messages *m, struct replay_rank *r, struct err *e);
void messages_close(struct messages *m);

/* Sends a signal. `channel`: the number of a channel, or that of a list with CHANNEL_LIST. */
void message_signal(struct messages *m, uint32_t channel);
/* Returns when the next signal has arrived; for a list, over each of its channels. */
void message_wait(struct messages *m, uint32_t channel);
