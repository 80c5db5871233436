/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory that a compiled program shares with the process that started it. The starter puts in
 * what the program is to do and which descriptors it finds open; the program puts each outcome
 * where it belongs as soon as its request has ended. So what was completed is there however the
 * program ends.
 *
 * Both sides are made from the same headers: the program keeps its own plan in here, of which the
 * starter reads numbers (start, clock, facts, counts), never pointers. */
#ifndef REPLAY_CONTROL_H
#define REPLAY_CONTROL_H

#include <stdatomic.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/issue/balloon.h"
#include "replay/plan/plan.h"
#include "replay/options/config.h"

#define CONTROL_MAGIC "validate control 1"

enum control_state { CONTROL_STARTED, CONTROL_RUNNING, CONTROL_ENDED };

struct control {
	char magic[32];
	uint64_t n_bytes;	     /* of the whole */
	uint64_t header_bytes;	     /* sizeof(struct control): another version has another */
	uint64_t fds_at, steps_at,
	    outcomes_at; /* from the start: _Atomic int[n_slots], struct
			  * balloon_step[balloon.n_steps], struct outcome of lane after lane */
	uint32_t n_slots;
	int content_fd, content_memory_fd; /* of captured content (captured_take.h), -1 none */
	struct replay_config config; /* its texts are NULL; of them a program wants only */
	char cpus[16384], scheduler[256]; /* config.cpus and config.scheduler, empty for NULL */
	/* the program's; before it has begun: clock, root and calls.null_fd */
	struct replay_plan plan;
	struct call_counts counts;   /* of plan.calls, at the end */
	/* which the program holds: how many steps, and at the end what was held; numbers, too */
	struct balloon balloon;
	_Atomic uint32_t state;	     /* enum control_state */
	int result;		     /* of crew_run, and */
	struct err err;		     /* what it said; valid in CONTROL_ENDED */
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

#endif
