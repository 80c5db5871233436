/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of the run without delays that do not exist yet in another run. If all existing threads
 * wait for the held node, so does the thread that would create the others: they wait for it, too.
 */
#pragma once

#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

#define SLOT_NONE UINT32_MAX

struct unborn {
	const struct watch_thread *known; /* known[n], borrowed */
	uint32_t n;
	bool *excluded; /* excluded[n]: it exists, or nothing can be said about it */
	/* [n]: the last wait recorded, which implies the earlier ones; at_ns 0: none */
	struct unborn_wait {
		int64_t at_ns;
		uint32_t throttled;
	} *last;
};

/* Excludes a rank's first process, which an unwatched launcher creates, and nodes with equal keys.
 */
void unborn_init(struct unborn *u, const struct watch_thread *known, uint32_t n);
void unborn_release(struct unborn *u);

/* Records that at this instant, ns of CLOCK_MONOTONIC, the nodes without a slot on the page wait
 * for the held slot, except those of a rank without any slot. */
void unborn_note(struct unborn *u, const struct cause_page *p, int64_t at_ns, uint32_t throttled);

/* The slot of the thread with this key, or SLOT_NONE. */
uint32_t slot_of_key(const struct cause_page *p, uint64_t key);
