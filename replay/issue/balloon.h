/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resource matching: while the requests run, locked anonymous memory takes the place of the memory
 * that the traced program used. Under the same memory limit the page cache then has the same size
 * as it had beside the program.
 *
 * The trace's metadata contain the program's memory ("anonymous_memory": samples over time). With
 * timing `timestamp` a sample is applied at its time divided by the speed. Otherwise it is applied
 * when as many requests have ended as the program had issued at the time of the sample. The
 * replay's own anonymous memory is subtracted. Pages are filled with content that cannot be
 * compressed or merged, and locked. The memory belongs to the replaying process (engine compiled:
 * to its program), so it is freed however that process ends. Source: metrology paper, section IV-C
 * (file-server workload: an effect of up to 120 %). */
#pragma once

#include <pthread.h>

#include <jansson.h>

#include "replay/load/load.h"

struct replay_plan;

struct balloon_step {
	uint64_t n_requests; /* requests that the program had issued before this step */
	int64_t due_ns;      /* time after the start, at the replay's speed */
	uint64_t bytes;      /* memory of the program from this step on */
};

struct balloon {
	struct balloon_step *step; /* step[n_steps], in order of time; NULL: no balloon */
	size_t n_steps;
	bool by_time;

	/* while it is held */
	char *base; /* room_bytes long: enough for the largest step */
	uint64_t room_bytes, held_bytes;
	uint64_t own_bytes; /* anonymous memory of the replay before the balloon was filled */
	uint64_t least_bytes, most_bytes; /* extremes of held_bytes */
	uint64_t n_changes;
	const struct replay_plan *plan;
	pid_t *pids; /* pids[n_pids]: further processes of the replay */
	uint32_t n_pids;
	pid_t beside; /* the process that started this one, whose memory counts as well; 0 none */
	uint32_t *next; /* next[n_lanes]: first request that has not ended */
	pthread_t id;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool running, ending;
};

/* Checks the text: "off", "traced", or a size, which is the anonymous memory of replay and balloon
 * together. NULL means off. Errors: EINVAL. */
int balloon_text_check(const char *text, struct err *e);

/* Derives the steps from the option and the trace; `l` gives the number of requests before each
 * sample. Errors: EINVAL if the trace has no samples or invalid samples. Ownership:
 * balloon_release. */
int balloon_init(struct balloon *b, const struct replay_config *c, const struct trace_meta *meta,
		 const struct load *l, struct err *e);
void balloon_release(struct balloon *b); /* a zeroed struct is fine */

/* Fills the balloon. Call it just before the run. pids[n_pids] (copied): further processes of the
 * replay. No effect without steps. Errors: EACCES and ENOMEM with the limit that is too low: of
 * locked memory, of the memory cgroup, or of the machine. */
int balloon_hold(struct balloon *b, const struct replay_plan *p, const pid_t *pids, uint32_t n_pids,
		 struct err *e);
/* Starts a thread that follows the steps, if there are several. Call it when the plan's start is
 * set. Errors: of threads. */
int balloon_follow(struct balloon *b, struct err *e);
/* Ends the thread and frees the memory. An empty balloon is fine. */
void balloon_let_go(struct balloon *b);

/* {"own_bytes", "least_bytes", "most_bytes", "n_changes"}. New reference. */
json_t *balloon_to_json(const struct balloon *b);

/* The step that is in effect after `n_requests` ended requests or, if by_time, `ns` after the
 * start; for tests. */
const struct balloon_step *balloon_step_at(const struct balloon *b, uint64_t n_requests,
					   int64_t ns);
