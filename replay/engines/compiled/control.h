/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a compiled program shares with the process that started it. The starter writes
 * the configuration and the open descriptors. The program writes each outcome when its request has
 * ended, so completed requests are known however the program ends.
 *
 * Both sides are compiled from the same headers. The program's plan is in this memory; the starter
 * reads its numbers (start, clock, facts, counts), never its pointers. */
#pragma once

#include "replay/issue/balloon.h"
#include "replay/plan/plan.h"

#define CONTROL_MAGIC "validate control 1"

enum control_state { CONTROL_STARTED, CONTROL_RUNNING, CONTROL_ENDED };

struct control {
	char magic[32];
	uint64_t n_bytes;	     /* of the whole */
	uint64_t header_bytes;	     /* sizeof(struct control), which identifies the version */
	/* offsets of _Atomic int[n_slots], struct balloon_step[balloon.n_steps], and the outcomes,
	 * one lane after the other */
	uint64_t fds_at, steps_at, outcomes_at;
	uint32_t n_slots;
	int content_fd, content_memory_fd; /* captured content (captured_take.h); -1: none */
	struct replay_config_sent sent;
	/* the program's plan; the process that starts it sets clock, root and calls.null_fd */
	struct replay_plan plan;
	struct call_counts counts;   /* of plan.calls, at the end */
	struct balloon balloon; /* the program holds it; at the end it contains the results */
	_Atomic uint32_t state;	     /* enum control_state */
	int result;		     /* result of crew_run; valid in CONTROL_ENDED */
	struct err err;		     /* its message */
};

static inline _Atomic int *control_fds(struct control *c)
{
	return (_Atomic int *)(void *)((char *)c + c->fds_at);
}

static inline struct balloon_step *control_steps(struct control *c)
{
	return (struct balloon_step *)(void *)((char *)c + c->steps_at);
}

static inline struct outcome *control_outcomes(struct control *c)
{
	return (struct outcome *)(void *)((char *)c + c->outcomes_at);
}
