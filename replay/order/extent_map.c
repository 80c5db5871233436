/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/extent_map.h"

#include <stdlib.h>

#include "common/xalloc.h"

struct extent_node {
	uint64_t start, end;
	uint32_t owner, priority, left, right;
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
	p->random = p->random * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
	p->node[i] = (struct extent_node){.start = start, .end = end, .owner = owner, .priority = (uint32_t)(p->random >> 32)};
	return i;
}

static void node_free(struct extent_pool *p, uint32_t i)
{
	p->node[i].left = p->free;
	p->free = i;
}

/* Nodes that begin before `at`, and the others. */
static void split(struct extent_pool *p, uint32_t root, uint64_t at, uint32_t *before, uint32_t *rest)
{
	if (!root) {
		*before = *rest = EXTENT_NONE;
		return;
	}
	struct extent_node *x = &p->node[root];
	if (x->start < at) {
		*before = root;
		split(p, x->right, at, &x->right, rest);
	} else {
		*rest = root;
		split(p, x->left, at, before, &x->left);
	}
}

static uint32_t merge(struct extent_pool *p, uint32_t a, uint32_t b)
{
	if (!a || !b)
		return a ? a : b;
	if (p->node[a].priority > p->node[b].priority) {
		p->node[a].right = merge(p, p->node[a].right, b);
		return a;
	}
	p->node[b].left = merge(p, a, p->node[b].left);
	return b;
}

static uint32_t last_of(const struct extent_pool *p, uint32_t root)
{
	while (root && p->node[root].right)
		root = p->node[root].right;
	return root;
}

void extent_clear(struct extent_pool *p, uint32_t root)
{
	if (!root)
		return;
	uint32_t left = p->node[root].left, right = p->node[root].right;
	node_free(p, root);
	extent_clear(p, left);
	extent_clear(p, right);
}

uint32_t extent_put(struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end, uint32_t owner)
{
	if (start >= end)
		return root;
	uint32_t before, covered, after;
	split(p, root, start, &before, &covered);
	split(p, covered, end, &covered, &after);
	/* What reaches beyond `end` begins either before `start` or within; there is at most one of it. */
	uint32_t first = last_of(p, before), last = last_of(p, covered), reaching = last ? last : first;
	struct extent_node beyond = {.end = 0};
	if (reaching && p->node[reaching].end > end)
		beyond = p->node[reaching];
	if (first && p->node[first].end > start)
		p->node[first].end = start;
	extent_clear(p, covered);
	uint32_t made = merge(p, before, node_new(p, start, end, owner));
	if (beyond.end)
		made = merge(p, made, node_new(p, end, beyond.end, beyond.owner));
	return merge(p, made, after);
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
	return x->start >= end || extent_visit(p, x->right, start, end, visit, arg);
}
