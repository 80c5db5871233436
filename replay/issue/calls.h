/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running the calls of a table (plan/call_table.h). */
#ifndef REPLAY_CALLS_H
#define REPLAY_CALLS_H

#include "replay/plan/plan.h"

struct runner;
struct site;

/* One for each runner: directories it has looked up. */
struct call_store *call_store_new(uint32_t n_runners);
void call_store_free(struct call_store *s); /* NULL is fine */
uint32_t call_store_room(uint32_t n_runners); /* descriptors that all of them may hold */

/* Issues a HOT_CALL request, stamped; `publish`, `begun` and `careful` as in issue.h. */
void call_issue(const struct site *s, const struct hot_request *h, void *buffer, bool publish,
		uint32_t begun, bool careful, struct outcome *out);

/* A thread of the process has issued its last request; after the last thread's, the process's
 * descriptors and streams end. */
void call_leave(struct replay_plan *p, uint32_t process);
/* After the run: streams are flushed and closed. */
void call_table_finish(struct replay_plan *p);
/* Closes what is open still, and releases the table. An all-zero one is fine. */
void call_table_release(struct call_table *c);

#endif
