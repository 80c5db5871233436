/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rank of a parallel replay: a separate program, started by a launcher of MPI jobs. Its main
 * thread prepares the replay and gathers the results. During the replay, the threads of its crew
 * send and receive messages (messages.h). */
#pragma once

#include <mpi.h>

#include "common/vm.h"
#include "replay/engines/parallel/bundle.h"
#include "replay/plan/plan.h"

struct clock_offset { /* this rank's clock and the head's clock at one instant */
	uint64_t ticks; /* of this rank */
	int64_t ns;	/* the same, after the calibration */
	int64_t head_ns;
	int64_t uncertainty_ns; /* half width */
};

struct replay_rank {
	int number, n; /* of MPI_COMM_WORLD */
	int head;      /* rank that sees the scratch directory */
	char host[128], boot[BUNDLE_BOOT];
	const char *scratch, *token;
	bool multiple; /* MPI permits several threads to call it at the same time */
	/* the replay has more threads than CPUs, on this machine or in this rank's set of CPUs */
	bool crowded;
	/* shares_clock[n_ranks]: the rank runs on the head's host and so shares its
	 * CLOCK_MONOTONIC */
	bool *shares_clock;
	struct bundle_terms *terms;
	struct bundle_part *part; /* part[n], only in the head */
	struct vm_region memory;  /* of `share` */
	char *share;		  /* the rank's part of the plan */
	uint64_t share_bytes;
	const struct channel *channel; /* channel[n_channels], in `share` */
	const struct channel_list *list; /* in `share` */
	const uint32_t *listed;
	uint32_t n_channels, n_inside;
	struct replay_plan plan;
	struct outcome *outcome; /* in the layout of image_outcomes_set() */
	uint64_t n_outcome_bytes;
	struct vm_region outcome_memory;
	struct clock_offset before, after;
	int64_t start_ns; /* of the head's clock */
};

/* share.c: distributes the parts of the plan. Errors: of reading and memory; ENOENT if no rank sees
 * the plan. */
int share_take(struct replay_rank *r, struct err *e);
/* Opens the plan of this rank's part, and the descriptors that are open before the first request.
 * Errors: of memory; from the system; ENOENT if the target is not the directory that was
 * prepared. */
int share_open(struct replay_rank *r, struct err *e);

/* clocks.c: measures the present offset from the head's clock. It is 0 for ranks that share that
 * clock. Collective. */
void clocks_compare(struct replay_rank *r, struct clock_offset *o);
/* Converts ticks to ns of the head's clock, by the offsets before and after the replay. */
int64_t clocks_head_ns(const struct replay_rank *r, uint64_t ticks);

/* results.c: writes the results of all ranks into the head's result file. Collective. Errors: of
 * writing. */
int results_gather(struct replay_rank *r, struct err *e);

/* main.c: prints the error and ends the job. */
_Noreturn void rank_fail(const struct replay_rank *r, const struct err *e);
