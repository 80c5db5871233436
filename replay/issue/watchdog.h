/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks whether a replay goes on. Something may block for ever that did not in the trace: a lock in
 * another order, a file system that does not answer. Then the request is named, and what waits for
 * it. */
#ifndef REPLAY_WATCHDOG_H
#define REPLAY_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/strbuf.h"
#include "replay/issue/crew.h"

struct watchdog {
	struct crew *crew;
	uint32_t *next;	 /* next[n_lanes]: first request of a lane that has not ended */
	uint64_t ticks;	 /* patience; 0 endless */
	/* ticks: of the last progress; progress; of the last look */
	uint64_t quiet_since, sum, looked;
};

/* Ownership: watchdog_release. */
void watchdog_init(struct watchdog *w, struct crew *c, int64_t patience_ns);
void watchdog_release(struct watchdog *w);

/* Whether nothing has ended for as long as that, and nothing waits for its time. To be asked again
 * and again, from one thread. */
bool watchdog_is_quiet(struct watchdog *w);
void watchdog_restart(struct watchdog *w); /* patience begins anew */
/* Which request blocks, and one that waits for it. */
void watchdog_describe(const struct watchdog *w, struct strbuf *to);
/* Appends, after ", at ", a request of lanes [from, to) that was under way, or the first that was
 * to come; nothing where there is none. */
void watchdog_describe_lanes(const struct watchdog *w, uint32_t from, uint32_t to,
			     struct strbuf *text);

#endif
