/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the other ranks are still there. Who waits for a rank that was stopped, or whose host
 * cannot be reached any more, would wait for ever, for no message tells him. So rank 0 and each
 * other rank exchange beats, which a thread of their own sends and looks for; who has not been
 * heard of for as long as --watchdog says ends the job, and is named. */
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
	/* 0: nobody looks out: it was not wanted, there is one rank, or this MPI lets only one
	 * thread call it */
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
