/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One rank of a parallel replay: a program of its own, started by a launcher of MPI jobs. Its main
 * thread does everything up to the start and after the end; in between the threads of its crew send
 * and receive (messages.h), and it looks on. */
#ifndef REPLAY_PARALLEL_MPI_RANK_H
#define REPLAY_PARALLEL_MPI_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/vm.h"
#include "replay/engines/parallel/bundle.h"
#include "replay/plan/plan.h"

struct offset { /* a clock minus the head's, seen at one instant */
	uint64_t ticks; /* of the clock here, and */
	int64_t ns;	/* in ns, once it is calibrated */
	int64_t head_ns; /* the head's then */
	int64_t uncertainty_ns; /* half width */
};

struct rank {
	int number, n; /* of MPI_COMM_WORLD */
	int head;      /* the one that sees the scratch directory */
	char host[128], boot[BUNDLE_BOOT];
	const char *scratch, *token;
	bool multiple; /* threads may call MPI at the same time */
	/* more threads of the replay than processors, on this machine or of this rank's */
	bool crowded;
	struct bundle_terms *terms;
	struct bundle_part *part; /* part[n], the head's only */
	struct vm_region memory;  /* of: */
	char *share;		  /* the rank's part */
	uint64_t share_bytes;
	const struct channel *channel; /* channel[n_channels], in there */
	uint32_t n_channels, n_inside;
	struct replay_plan plan;
	struct outcome *outcome; /* as image_outcomes_set lays them */
	uint64_t n_outcome_bytes;
	struct vm_region outcome_memory;
	struct offset before, after;
	int64_t start_ns; /* by the head's clock */
};

/* share.c: the head's plan file, each rank its part. Errors: of reading and memory; ENOENT where no
 * rank sees the plan. */
int share_take(struct rank *r, struct err *e);
/* The plan of the part, with what was open before the first request. Errors: of memory and the
 * system; ENOENT for a target that is not the one of the others. */
int share_open(struct rank *r, struct err *e);

/* clocks.c: by how much this rank's clock and the head's differ now. All ranks together. */
void clocks_compare(struct rank *r, struct offset *o);
/* ns of the head's clock, by what was seen before and after. */
int64_t clocks_head_ns(const struct rank *r, uint64_t ticks);

/* results.c: what the ranks came to, into the head's result file. All ranks together. Errors: of
 * writing. */
int results_gather(struct rank *r, struct err *e);

/* main.c: says why, and ends the job. */
_Noreturn void rank_fail(const struct rank *r, const struct err *e);

#endif
