/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan file, which `validate replay` writes for the ranks, and the result file, which the ranks
 * write. Both are in a scratch directory that at least one rank must see. This rank, the head,
 * sends each other rank its part by messages, and gathers the results.
 *
 * Plan file: struct bundle_terms, struct bundle_part[n_ranks], then the parts. A part is a struct
 * bundle_rank, its channels, its lists of channels, and the rank's share of the plan as an image
 * (replay/engines/compiled/image.h). Result file: struct bundle_result, struct
 * bundle_rank_result[n_ranks], then the outcomes, ordered by rank and lane, in the layout of
 * image_outcomes_set(). Their ticks are ns of the head's CLOCK_MONOTONIC. Only the version that
 * wrote a file can read it. */
#pragma once

#include "capture/run_facts.h"
#include "replay/engines/parallel/layout.h"
#include "replay/plan/plan.h"

#define BUNDLE_MAGIC "validate ranks 1 " VALIDATE_VERSION
#define BUNDLE_PLAN "plan" /* file names in the scratch directory */
#define BUNDLE_RESULT "result"
#define BUNDLE_ENDED "ended" /* created by a rank that ends the job, if it sees the directory */
/* first words of the line in which a rank prints why it ended */
#define BUNDLE_MARK "validate-mpi-replay: "
#define BUNDLE_TOKEN 33
#define BUNDLE_BOOT 64

struct bundle_terms {
	char magic[64];
	uint64_t header_bytes; /* sizeof(struct bundle_terms) */
	/* name of a file in the target; a rank that finds it sees the right target */
	char token[BUNDLE_TOKEN];
	uint32_t n_ranks;
	struct replay_config_sent sent;
	char dir[PATH_MAX];
	struct payload payload;
	uint32_t n_open_max;
	uint8_t cpu_time; /* the trace gives computing as CPU time */
	uint8_t of_mpi;	  /* its nodes were ranks of an MPI job */
	uint8_t null_fd;  /* calls need /dev/null */
	uint8_t causal;	  /* lanes compute, signal and wait */
};

struct bundle_part {
	uint64_t at, n_bytes;	/* in the plan file */
	uint64_t outcome_at, n_outcome_bytes; /* in the result file */
};

struct bundle_rank {
	uint32_t n_channels, n_inside;
	uint64_t channels_at, lists_at, listed_at, image_at; /* offsets in the part */
};

struct bundle_rank_result {
	struct rank_report report;
	struct run_facts facts;
	struct call_counts counts;
	uint64_t n_futex_sleeps, n_timed_sleeps, n_late_wakes, n_relays;
};

struct bundle_result {
	char magic[64];
	char boot[BUNDLE_BOOT];	/* identifies the head's host, whose CLOCK_MONOTONIC is used */
	int64_t start_ns, now_ns; /* start of the replay; time of writing */
	uint32_t head;
	struct scheduling scheduling;
};

/* Writes DIR/plan and fills in part[n_ranks]. Errors: of writing; those of image_make; E2BIG if
 * strings are too long. */
int bundle_write(const char *dir, const char *token, const struct replay_plan *p,
		 const struct replay_config *c, struct bundle_part *part, struct err *e);

/* Reads the outcomes, clock and counts of DIR/result into the plan, and the reports into its
 * layout. Errors: of reading; EIO if the file is incomplete. */
int bundle_take(const char *dir, const struct bundle_part *part, struct replay_plan *p,
		struct err *e);

/* The boot id: identifies the running kernel of a machine. */
void bundle_boot(char boot[BUNDLE_BOOT]);
