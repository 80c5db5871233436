/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issues the calls of a call table (plan/call_table.h). */
#pragma once

#include "replay/plan/plan.h"

struct runner;
struct site;

#define CALL_STORE_MAX 64u
struct call_stored {
	uint32_t place; /* index into call_table.place; 0: empty */
	uint32_t turn;
	int fd;
};
/* The directories that a runner has looked up. */
struct call_store {
	uint32_t n; /* call_store_size() */
	struct call_stored item[CALL_STORE_MAX];
};
/* number of directories that each of `n_runners` may keep open */
uint32_t call_store_size(uint32_t n_runners);

/* Issues a HOT_CALL request between stamps; `publish`, `begun` and `careful` as in issue.h. */
void call_issue(const struct site *s, const struct hot_request *h, void *buffer, bool publish,
		uint32_t begun, bool careful, struct outcome *out);

/* Call it when a thread of the process has issued its last request. After the last thread, the
 * descriptors, streams and mappings of the process are closed. */
void call_leave(struct replay_plan *p, uint32_t process);
/* Flushes and closes streams. Call it after the run. */
void call_table_finish(struct replay_plan *p);
/* Closes streams and mappings and releases the table. An all-zero table is fine. */
void call_table_release(struct call_table *c);
