/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes of the run without delays that do not exist yet in another run. If all existing threads
 * wait for the held node, the thread that will create the missing nodes waits, too. So the missing
 * nodes also wait for the held node. */
#pragma once

#include "capture/causality/watch.h"
#include "capture/preload/causes.h"

#define SLOT_NONE UINT32_MAX

struct future_nodes {
	const struct watch_thread *known; /* known[n], borrowed */
	uint32_t n;
	bool *excluded; /* excluded[n]: the node exists, or nothing can be concluded about it */
	/* [n]: the last recorded wait, which implies the earlier waits; at_ns 0: none */
	struct future_wait {
		int64_t at_ns;
		uint32_t throttled;
	} *last;
};

/* Excludes the first process of each rank, because a launcher that is not watched creates it, and
 * nodes with equal keys. */
void future_nodes_init(struct future_nodes *u, const struct watch_thread *known, uint32_t n);
void future_nodes_release(struct future_nodes *u);

/* Records that, at this instant (ns of CLOCK_MONOTONIC), nodes without a slot on the page wait for
 * the held slot. Nodes of a rank without any slot are excepted. */
void future_nodes_note(struct future_nodes *u, const struct cause_page *p, int64_t at_ns,
		       uint32_t throttled);

/* Number of slots on the page that threads have taken. */
uint32_t slots_used(const struct cause_page *p);
/* The slot of the thread with this key, or SLOT_NONE. */
uint32_t slot_of_key(const struct cause_page *p, uint64_t key);
