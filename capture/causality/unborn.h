/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that the run without delays had, and that have not come to be yet in another one. Where all that are there wait for the node that is held
 * back, whoever would begin the others waits as well: they wait for it as those do. */
#ifndef CAPTURE_CAUSALITY_UNBORN_H
#define CAPTURE_CAUSALITY_UNBORN_H

#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

#define SLOT_NONE UINT32_MAX

struct unborn {
	const struct watch_thread *known; /* known[n], borrowed */
	uint32_t n;
	bool *told; /* told[n]: it has been seen, or it cannot be told of it */
};

/* It cannot be told of a rank's first process, which a launcher begins that nobody watches, nor of those that one key names. */
void unborn_init(struct unborn *u, const struct watch_thread *known, uint32_t n);
void unborn_release(struct unborn *u);

/* The first of known[] from `at` on that has no slot on the page yet; n where there is none. */
uint32_t unborn_next(struct unborn *u, const struct cause_page *p, uint32_t at);

/* The slot of the thread with this key, or SLOT_NONE. */
uint32_t slot_of_key(const struct cause_page *p, uint64_t key);

#endif
