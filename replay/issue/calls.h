/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Issues the calls of a call table (plan/call_table.h). */
#pragma once

#include "replay/plan/plan.h"

struct runner;
struct site;

/* The directories that a runner has looked up; one store for each runner. */
struct call_store *call_store_new(uint32_t n_runners);
void call_store_free(struct call_store *s); /* NULL is fine */
uint32_t call_store_room(uint32_t n_runners); /* descriptors that all stores together may hold */
/* Issues a HOT_CALL request between stamps; `publish`, `begun` and `careful` as in issue.h. */
void call_issue(const struct site *s, const struct hot_request *h, void *buffer, bool publish,
		uint32_t begun, bool careful, struct outcome *out);

/* A thread of the process has issued its last request. After the last thread the descriptors,
 * streams and mappings of the process are closed. */
void call_leave(struct replay_plan *p, uint32_t process);
/* After the run: flushes and closes streams. */
void call_table_finish(struct replay_plan *p);
/* Closes streams and mappings and releases the table. An all-zero table is fine. */
void call_table_release(struct call_table *c);
