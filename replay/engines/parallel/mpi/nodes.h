/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop of a node: it computes, waits, makes its requests, and signals. */
#ifndef REPLAY_PARALLEL_MPI_NODES_H
#define REPLAY_PARALLEL_MPI_NODES_H

#include "replay/issue/crew.h"
#include "replay/engines/parallel/mpi/messages.h"

struct nodes { /* crew.shared */
	struct rank *rank;
	struct messages messages;
};

/* For lanes with computing, signals and waits, or for lanes of requests with times. */
void (*nodes_loop(const struct bundle_terms *t))(struct runner *);

#endif
