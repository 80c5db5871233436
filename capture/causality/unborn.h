/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that the run without delays had, and that have not come to be yet in another one. Where all
 * that are there wait for the node that is held back, whoever would begin the others waits as well:
 * they wait for it as those do. */
#ifndef CAPTURE_CAUSALITY_UNBORN_H
#define CAPTURE_CAUSALITY_UNBORN_H

#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

#define SLOT_NONE UINT32_MAX

struct unborn {
	const struct watch_thread *known; /* known[n], borrowed */
	uint32_t n;
	bool *told; /* told[n]: it has been seen, or it cannot be told of it */
	/* [n]: the last that was noted, which implies those before; at_ns 0: none */
	struct unborn_wait {
		int64_t at_ns;
		uint32_t throttled;
	} *last;
};

/* It cannot be told of a rank's first process, which a launcher begins that nobody watches, nor of
 * those that one key names. */
void unborn_init(struct unborn *u, const struct watch_thread *known, uint32_t n);
void unborn_release(struct unborn *u);

/* At this instant, ns of CLOCK_MONOTONIC, those that have no slot on the page yet wait for the slot
 * that is held back; not those of a rank that has none itself. */
void unborn_note(struct unborn *u, const struct cause_page *p, int64_t at_ns, uint32_t throttled);

/* The slot of the thread with this key, or SLOT_NONE. */
uint32_t slot_of_key(const struct cause_page *p, uint64_t key);

#endif
