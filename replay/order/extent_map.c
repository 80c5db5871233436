/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/extent_map.h"

#include "common/splitmix.h"

/* Extents in the order of their starts. The hash of a node's number is its priority: no node has a
 * higher priority than its parent. */
struct extent_node {
	uint64_t start, end;
	uint32_t owner;
	uint32_t left, right; /* `left` of an unused node: the next unused node */
};

void extent_pool_release(struct extent_pool *p)
{
	free(p->node);
	*p = (struct extent_pool){.node = NULL};
}

static uint32_t node_new(struct extent_pool *p, uint64_t start, uint64_t end, uint32_t owner)
{
	uint32_t i = p->free;
	if (i) {
		p->free = p->node[i].left;
	} else {
		p->n += p->n == 0; /* number 0 means none */
		GROW(p->node, p->n, p->cap);
		i = p->n++;
	}
	p->node[i] = (struct extent_node){start, end, owner, 0, 0};
	return i;
}

void extent_clear(struct extent_pool *p, uint32_t root)
{
	if (!root)
		return;
	extent_clear(p, p->node[root].left);
	extent_clear(p, p->node[root].right);
	p->node[root].left = p->free;
	p->free = root;
}

/* Moves the extents that start before `at` to *left, the others to *right. */
static void split(struct extent_pool *p, uint32_t root, uint64_t at, uint32_t *left,
		  uint32_t *right)
{
	while (root) {
		struct extent_node *x = &p->node[root];
		if (x->start < at) {
			*left = root;
			left = &x->right;
			root = x->right;
		} else {
			*right = root;
			right = &x->left;
			root = x->left;
		}
	}
	*left = *right = 0;
}

/* Joins two trees; all extents of `left` are before those of `right`. */
static uint32_t join(struct extent_pool *p, uint32_t left, uint32_t right)
{
	uint32_t root = 0, *to = &root;
	while (left && right) {
		if (splitmix_mix(left) > splitmix_mix(right)) {
			*to = left;
			to = &p->node[left].right;
			left = *to;
		} else {
			*to = right;
			to = &p->node[right].left;
			right = *to;
		}
	}
	*to = left ? left : right;
	return root;
}

/* Ends the last extent of the tree at `at` at the latest. Returns what is cut off, or `cut`. */
static struct extent_node last_cut(struct extent_pool *p, uint32_t root, uint64_t at,
				   struct extent_node cut)
{
	while (root && p->node[root].right)
		root = p->node[root].right;
	if (!root || p->node[root].end <= at)
		return cut;
	cut = p->node[root];
	p->node[root].end = at;
	return cut;
}

uint32_t extent_put(struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		    uint32_t owner)
{
	uint32_t within, after;
	struct extent_node beyond = {.end = 0};
	if (start >= end)
		return root;
	split(p, root, start, &root, &after);
	split(p, after, end, &within, &after);
	beyond = last_cut(p, root, start, beyond);
	beyond = last_cut(p, within, end, beyond);
	extent_clear(p, within);
	if (beyond.end > end)
		after = join(p, node_new(p, end, beyond.end, beyond.owner), after);
	root = join(p, root, node_new(p, start, end, owner));
	return join(p, root, after);
}

bool extent_visit(const struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		  bool (*visit)(void *arg, uint32_t owner), void *arg)
{
	if (!root || start >= end)
		return true;
	const struct extent_node *x = &p->node[root];
	if (x->start > start && !extent_visit(p, x->left, start, end, visit, arg))
		return false;
	if (x->start < end && x->end > start && !visit(arg, x->owner))
		return false;
	return x->end >= end || extent_visit(p, x->right, start, end, visit, arg);
}
