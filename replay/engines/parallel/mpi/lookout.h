/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects ranks that were stopped or whose host cannot be reached. A rank that waits for one of them
 * would wait for ever. Rank 0 and each other rank exchange heartbeats in a separate thread. If no
 * heartbeat of a rank arrives for the time of --watchdog, the job ends and the message names the
 * rank. */
#ifndef REPLAY_PARALLEL_MPI_LOOKOUT_H
#define REPLAY_PARALLEL_MPI_LOOKOUT_H

#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "replay/engines/parallel/mpi/rank.h"

struct peer { /* rank 0's: each other rank; the others': rank 0 */
	int number;
	char host[128];
	MPI_Request in, out;
	uint32_t received;
	int64_t heard_ns;
};

struct lookout {
	const struct rank *rank;
	struct peer *peer; /* peer[n_peers] */
	int n_peers;
	/* 0: no heartbeats: not requested, one rank only, or this MPI allows calls of one thread
	 * only */
	int64_t patience_ns;
	int64_t pause_ns;    /* between beats */
	MPI_Comm comm;
	pthread_t thread;
	_Atomic bool ends;
};

/* All ranks together. Errors: of starting a thread. Ownership: lookout_close, when all ranks have
 * met. */
int lookout_open(struct lookout *l, const struct rank *r, int64_t patience_ns, struct err *e);
void lookout_close(struct lookout *l);

#endif
