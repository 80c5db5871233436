/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resource matching: locked anonymous memory, held while the requests run, that makes up for what
 * the traced program had and the replay has not. Inside the same memory limit the page cache then
 * has the same room as it had beside the program.
 *
 * The traced memory comes from the trace's metadata ("anonymous_memory": samples over time). With
 * timing `timestamp` a sample counts from its time on, divided by the speed; otherwise when as many
 * requests have ended as the program had issued by then, so that it follows the replay however fast
 * that is. The replay's own anonymous memory is subtracted. Pages are filled with what cannot be
 * compressed or merged, and locked. It all belongs to the replaying process (of engine compiled: to
 * its program): however that ends, it is freed. Source: metrology paper, section IV-C (file-server
 * workload: up to 120 % from this alone). */
#ifndef REPLAY_BALLOON_H
#define REPLAY_BALLOON_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <jansson.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/load.h"
#include "replay/options/config.h"

struct replay_plan;

struct balloon_step {        /* from here on the program had so much */
	uint64_t n_requests; /* that it had issued */
	int64_t due_ns;      /* after the start, at the replay's speed */
	uint64_t bytes;
};

struct balloon {
	struct balloon_step *step; /* step[n_steps], by time; NULL: no balloon */
	size_t n_steps;
	bool by_time;

	/* while it is held */
	char *base; /* of room for the largest */
	uint64_t room_bytes, held_bytes;
	/* anonymous, of the replay without it, when it was filled first */
	uint64_t own_bytes;
	uint64_t least_bytes, most_bytes; /* that were held */
	uint64_t n_changes;
	const struct replay_plan *plan;
	pid_t *pids; /* pids[n_pids]: processes of the replay, beside this one */
	uint32_t n_pids;
	pid_t beside; /* another one, that started this; 0 none */
	uint32_t *next; /* next[n_lanes]: first request that has not ended */
	pthread_t id;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	bool running, ending;
};

/* "off", "traced" or a size: the anonymous memory that replay and balloon are to have together.
 * NULL is off. Errors: EINVAL. */
int balloon_text_check(const char *text, struct err *e);

/* What is to be held, by text and trace; `load` tells how many requests came before each sample.
 * Errors: EINVAL where the trace tells no memory, or what it tells cannot be. Ownership:
 * balloon_release. */
int balloon_init(struct balloon *b, const struct replay_config *c, const struct trace_meta *meta,
		 const struct load *l, struct err *e);
void balloon_release(struct balloon *b); /* an all-zero one is fine */

/* Fills it, just before the run, in which `pids[n_pids]` (copied) replay beside this process.
 * Nothing where there is none. Errors: EACCES and ENOMEM, with the limit that is in the way: of
 * locked memory, of a memory cgroup, of the machine. */
int balloon_hold(struct balloon *b, const struct replay_plan *p, const pid_t *pids, uint32_t n_pids,
		 struct err *e);
/* Follows the steps from now on, in a thread of its own, where there are several; the plan's start
 * is known. Errors: of threads. */
int balloon_follow(struct balloon *b, struct err *e);
/* Gives everything back; fine where nothing is held, and for NULL. */
void balloon_let_go(struct balloon *b);

/* What was held beside the replay's own memory: {"own_bytes", "least_bytes", "most_bytes",
 * "n_changes"}; null: there was no balloon. New reference. */
json_t *balloon_to_json(const struct balloon *b);

/* The step that counts after `n_requests` ended requests, or `ns` after the start where it goes by
 * time; for tests. */
const struct balloon_step *balloon_step_at(const struct balloon *b, uint64_t n_requests,
					   int64_t ns);

#endif
