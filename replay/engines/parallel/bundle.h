/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is handed from `validate replay` to the ranks, and back: two files in a scratch directory
 * that one of the ranks must see. That one, the head, hands each of the others its part by
 * messages, and gathers what they did.
 *
 * The plan file: struct bundle_terms, struct bundle_part[n_ranks], and the parts: struct
 * bundle_rank, its channels, and the rank's share of the plan as an image
 * (replay/engines/compiled/image.h). The result file: struct bundle_result, struct
 * bundle_rank_result[n_ranks], and the outcomes of rank after rank, lane after lane, as
 * image_outcomes_set lays them; their ticks are ns of the head's CLOCK_MONOTONIC. Both are of the
 * version that wrote them. */
#ifndef REPLAY_PARALLEL_BUNDLE_H
#define REPLAY_PARALLEL_BUNDLE_H

#include <limits.h>
#include <stdint.h>

#include "capture/run_facts.h"
#include "common/err.h"
#include "replay/engines/parallel/layout.h"
#include "replay/plan/plan.h"

#define BUNDLE_MAGIC "validate ranks 1 " VALIDATE_VERSION
#define BUNDLE_PLAN "plan"	/* names of the two in the scratch directory */
#define BUNDLE_RESULT "result"
#define BUNDLE_ENDED "ended" /* made by a rank that ends the job, where it sees the directory */
/* what a rank prints about its end begins so, on a line of its own */
#define BUNDLE_MARK "validate-mpi-replay: "
#define BUNDLE_TOKEN 33
#define BUNDLE_BOOT 64

struct bundle_terms {
	char magic[64];
	uint64_t header_bytes; /* sizeof(struct bundle_terms) */
	/* a file of this name lies in the target while ranks look for it */
	char token[BUNDLE_TOKEN];
	uint32_t n_ranks;
	struct replay_config config; /* its texts are NULL; of them a rank wants only */
	char dir[PATH_MAX], cpus[16384], scheduler[256];
	struct payload payload;
	uint32_t n_open_max;
	uint8_t cpu_time; /* the trace says that computing is time on the processor */
	uint8_t of_mpi;	  /* and that its nodes were ranks of an MPI job */
	uint8_t null_fd;  /* calls need /dev/null */
	uint8_t causal;	  /* lanes compute, signal and wait */
};

struct bundle_part {
	uint64_t at, n_bytes;	/* in the plan file */
	uint64_t outcome_at, n_outcome_bytes; /* in the result file */
};

struct bundle_rank {
	uint32_t n_channels, n_inside;
	uint64_t channels_at, image_at; /* from the part's beginning */
};

struct bundle_rank_result {
	struct rank_report report;
	struct run_facts facts;
	struct call_counts counts;
	uint64_t n_futex_sleeps, n_timed_sleeps, n_late_wakes, n_relays;
};

struct bundle_result {
	char magic[64];
	char boot[BUNDLE_BOOT];	/* of the head's host: whose CLOCK_MONOTONIC the times are */
	int64_t start_ns, now_ns; /* of the replay; when this was written */
	uint32_t head;
	struct scheduling scheduling;
};

/* Writes DIR/plan. part[n_ranks] is filled in. Errors: of writing; E2BIG as image_write, and for
 * texts that are too long. */
int bundle_write(const char *dir, const char *token, const struct replay_plan *p,
		 const struct replay_config *c, struct bundle_part *part, struct err *e);

/* Reads DIR/result into the plan's outcomes, clock and counts, and into its layout's reports.
 * Errors: of reading; EIO where it is not whole. */
int bundle_take(const char *dir, const struct bundle_part *part, struct replay_plan *p,
		struct err *e);

/* The running kernel's name for itself, the same wherever it is asked on one machine. */
void bundle_boot(char boot[BUNDLE_BOOT]);

#endif
