/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects a replay that makes no progress. A request may block although it did not block in the
 * trace: a lock is taken in another order, or a file system does not respond. The message names the
 * request and a request that waits for it. */
#pragma once

#include "replay/issue/crew.h"

struct watchdog {
	struct crew *crew;
	uint32_t *next;	 /* next[n_lanes]: first request of a lane that has not ended */
	uint64_t ticks;	 /* time without progress that ends the replay; 0: unlimited */
	uint64_t quiet_since, looked; /* ticks of the last progress and of the last check */
	uint64_t sum;	 /* progress at the last check */
};

/* Ownership: the caller frees w->next. */
void watchdog_init(struct watchdog *w, struct crew *c, int64_t timeout_ns);

/* Whether no request has ended for w->ticks and no request waits for its due time. Call it
 * periodically from one thread. */
bool watchdog_is_quiet(struct watchdog *w);
void watchdog_restart(struct watchdog *w); /* starts a new period without progress */
/* Appends which request blocks, and which request waits for it. */
void watchdog_describe(const struct watchdog *w, struct strbuf *to);
/* Call it when watchdog_is_quiet(): abandons waits for locks, describes the blocked request in
 * `blocked`, and lets the replay continue for at most a second without progress. Returns false if
 * it was called before. */
bool watchdog_give_up(struct watchdog *w, struct strbuf *blocked);
/* Appends ", at " and a request of lanes [from, to) that is in progress, or the first one that has
 * not begun; nothing if all have ended. */
void watchdog_describe_lanes(const struct watchdog *w, uint32_t from, uint32_t to,
			     struct strbuf *text);
