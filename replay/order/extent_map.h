/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last writer of each byte of a file: disjoint extents with an owner, in a B+ tree (Bayer and
 * McCreight 1972). Random writes and hostile traces take logarithmic time, and a look-up touches
 * few cache lines. Empty nodes are removed; other nodes are not merged. Many files share one pool
 * of nodes. */
#pragma once

#include "common/std.h"

#define EXTENT_NONE 0u /* no node: an empty map's root */

struct extent_pool {
	struct extent_node *node; /* node[n], node[0] unused */
	uint32_t n, cap, free;	  /* `free`: list of nodes, 0 ends */
};

void extent_pool_release(struct extent_pool *p); /* a zeroed pool is empty */

/* Sets the owner of the bytes [start, end). Returns the new root. */
uint32_t extent_put(struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		    uint32_t owner);
/* Calls `visit` in order for the owners of extents that overlap [start, end), until it returns
 * false. Returns true if all were visited. */
bool extent_visit(const struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		  bool (*visit)(void *arg, uint32_t owner), void *arg);
/* Frees the nodes of a map. */
void extent_clear(struct extent_pool *p, uint32_t root);
