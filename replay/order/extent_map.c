/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/extent_map.h"

#define LEAF 12u
#define INNER 20u

struct extent {
	uint64_t start, end;
	uint32_t owner;
};

/* Extents of child i begin at or after upper[i - 1] and end at or before upper[i]; the upper bound
 * of the last child is not used. No child is empty. */
struct extent_node {
	uint32_t n;
	uint32_t leaf; /* leaf; in an unused node: the next unused node */
	union {
		struct {
			uint64_t start[LEAF], end[LEAF];
			uint32_t owner[LEAF];
		};
		struct {
			uint64_t upper[INNER];
			uint32_t child[INNER];
		};
	};
};

/* --- the pool ------------------------------------------------------------ */

void extent_pool_release(struct extent_pool *p)
{
	free(p->node);
	*p = (struct extent_pool){.node = NULL};
}

static uint32_t node_new(struct extent_pool *p, bool leaf)
{
	uint32_t i = p->free;
	if (i) {
		p->free = p->node[i].leaf;
	} else {
		p->n += p->n == 0; /* number 0 means none */
		GROW(p->node, p->n, p->cap);
		i = p->n++;
	}
	p->node[i].n = 0;
	p->node[i].leaf = leaf;
	return i;
}

static void node_free(struct extent_pool *p, uint32_t i)
{
	p->node[i].leaf = p->free;
	p->free = i;
}

void extent_clear(struct extent_pool *p, uint32_t root)
{
	if (!root)
		return;
	for (uint32_t i = 0; !p->node[root].leaf && i < p->node[root].n; i++)
		extent_clear(p, p->node[root].child[i]);
	node_free(p, root);
}

/* --- leaves of the tree -------------------------------------------------- */

/* Returns the index of the first extent that ends after `at`. */
static uint32_t leaf_find(const struct extent_node *x, uint64_t at)
{
	uint32_t i = 0;
	while (i < x->n && x->end[i] <= at)
		i++;
	return i;
}

static void leaf_set(struct extent_node *x, uint32_t i, struct extent e)
{
	x->start[i] = e.start;
	x->end[i] = e.end;
	x->owner[i] = e.owner;
}

static struct extent leaf_get(const struct extent_node *x, uint32_t i)
{
	return (struct extent){x->start[i], x->end[i], x->owner[i]};
}

static void leaf_move(struct extent_node *x, uint32_t to, uint32_t from)
{
	const uint32_t n = x->n - from;
	memmove(&x->start[to], &x->start[from], n * sizeof *x->start);
	memmove(&x->end[to], &x->end[from], n * sizeof *x->end);
	memmove(&x->owner[to], &x->owner[from], n * sizeof *x->owner);
	x->n = to + n;
}

/* Removes a range. If an extent exceeds the range at both ends, its second part is returned in
 * *beyond. */
static void leaf_erase(struct extent_node *x, uint64_t start, uint64_t end, struct extent *beyond)
{
	uint32_t i = leaf_find(x, start);
	if (i < x->n && x->start[i] < start) {
		if (x->end[i] > end)
			*beyond = (struct extent){end, x->end[i], x->owner[i]};
		x->end[i++] = start;
	}
	uint32_t k = i;
	while (k < x->n && x->end[k] <= end)
		k++;
	if (k < x->n && x->start[k] < end)
		x->start[k] = end;
	if (k > i)
		leaf_move(x, i, k);
}

/* Adds an extent. The leaf must have room, and the range must be free. */
static void leaf_add(struct extent_node *x, struct extent e)
{
	const uint32_t i = leaf_find(x, e.start);
	leaf_move(x, i + 1, i);
	leaf_set(x, i, e);
}

/* --- the tree ------------------------------------------------------------ */

static uint32_t child_find(const struct extent_node *x, uint64_t at)
{
	uint32_t i = 0;
	while (i + 1 < x->n && x->upper[i] <= at)
		i++;
	return i;
}

static void node_erase(struct extent_pool *p, uint32_t node, uint64_t start, uint64_t end,
		       struct extent *beyond)
{
	struct extent_node *x = &p->node[node];
	if (x->leaf) {
		leaf_erase(x, start, end, beyond);
		return;
	}
	uint32_t first = child_find(x, start), i = first, to = first;
	for (; i < x->n && (i == first || x->upper[i - 1] < end); i++) {
		node_erase(p, x->child[i], start, end, beyond);
		if (!p->node[x->child[i]].n) {
			node_free(p, x->child[i]);
			continue;
		}
		x->child[to] = x->child[i];
		x->upper[to++] = x->upper[i];
	}
	if (to == i)
		return;
	memmove(&x->child[to], &x->child[i], (x->n - i) * sizeof *x->child);
	memmove(&x->upper[to], &x->upper[i], (x->n - i) * sizeof *x->upper);
	x->n -= i - to;
}

struct halved { /* a full node was split: extents after `upper` are now in `node` */
	uint64_t upper;
	uint32_t node;
};

static struct halved leaf_halve(struct extent_pool *p, uint32_t node, struct extent e)
{
	const uint32_t right = node_new(p, true);
	struct extent_node *x = &p->node[node], *y = &p->node[right];
	/* after a write beyond the last extent, keep the leaf full: writes in ascending order then
	 * fill the leaves */
	const uint32_t keep = e.start >= x->end[LEAF - 1] ? LEAF : LEAF / 2;
	for (uint32_t i = keep; i < LEAF; i++)
		leaf_set(y, y->n++, leaf_get(x, i));
	x->n = keep;
	leaf_add(keep < LEAF && e.start < x->end[keep - 1] ? x : y, e);
	return (struct halved){x->end[x->n - 1], right};
}

static struct halved inner_halve(struct extent_pool *p, uint32_t node, uint32_t at, struct halved h)
{
	const uint32_t right = node_new(p, false);
	struct extent_node *x = &p->node[node], *y = &p->node[right];
	uint64_t upper[INNER + 1];
	uint32_t child[INNER + 1];
	for (uint32_t i = 0, k = 0; i < INNER; i++) {
		child[k] = x->child[i];
		upper[k++] = i == at ? h.upper : x->upper[i];
		if (i != at)
			continue;
		child[k] = h.node;
		upper[k++] = x->upper[i];
	}
	x->n = at == INNER - 1 ? INNER : INNER / 2;
	y->n = INNER + 1 - x->n;
	memcpy(x->child, child, x->n * sizeof *child);
	memcpy(x->upper, upper, x->n * sizeof *upper);
	memcpy(y->child, child + x->n, y->n * sizeof *child);
	memcpy(y->upper, upper + x->n, y->n * sizeof *upper);
	return (struct halved){x->upper[x->n - 1], right};
}

/* Inserts an extent. Returns node 0 if no node was split. */
static struct halved node_insert(struct extent_pool *p, uint32_t node, struct extent e)
{
	struct extent_node *x = &p->node[node];
	if (x->leaf && x->n == LEAF)
		return leaf_halve(p, node, e);
	if (x->leaf) {
		leaf_add(x, e);
		return (struct halved){.node = 0};
	}
	const uint32_t at = child_find(x, e.start);
	if (at + 1 < x->n && x->upper[at] < e.end) /* the range up to e.end is free */
		x->upper[at] = e.end;
	const struct halved h = node_insert(p, x->child[at], e);
	x = &p->node[node];
	if (!h.node || x->n == INNER)
		return h.node ? inner_halve(p, node, at, h) : h;
	memmove(&x->child[at + 2], &x->child[at + 1], (x->n - at - 1) * sizeof *x->child);
	memmove(&x->upper[at + 1], &x->upper[at], (x->n - at) * sizeof *x->upper);
	x->child[at + 1] = h.node;
	x->upper[at] = h.upper;
	x->n++;
	return (struct halved){.node = 0};
}

static uint32_t tree_insert(struct extent_pool *p, uint32_t root, struct extent e)
{
	const struct halved h = node_insert(p, root, e);
	if (!h.node)
		return root;
	const uint32_t top = node_new(p, false);
	struct extent_node *x = &p->node[top];
	x->n = 2;
	x->child[0] = root;
	x->child[1] = h.node;
	x->upper[0] = h.upper;
	return top;
}

/* --- the map ------------------------------------------------------------- */

/* Changes the owner of the extent that has exactly these bytes. Returns false if there is none. */
static bool owner_set(struct extent_pool *p, uint32_t root, struct extent e)
{
	struct extent_node *x = &p->node[root];
	while (!x->leaf)
		x = &p->node[x->child[child_find(x, e.start)]];
	const uint32_t i = leaf_find(x, e.start);
	const bool same = i < x->n && x->start[i] == e.start && x->end[i] == e.end;
	if (same)
		x->owner[i] = e.owner;
	return same;
}

uint32_t extent_put(struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		    uint32_t owner)
{
	const struct extent e = {start, end, owner};
	struct extent beyond = {.end = 0};
	if (start >= end)
		return root;
	root = root ? root : node_new(p, true);
	if (owner_set(p, root, e))
		return root;
	node_erase(p, root, e.start, e.end, &beyond);
	while (!p->node[root].leaf && p->node[root].n <= 1) {
		const uint32_t below = p->node[root].n ? p->node[root].child[0] : node_new(p, true);
		node_free(p, root);
		root = below;
	}
	root = tree_insert(p, root, e);
	return beyond.end ? tree_insert(p, root, beyond) : root;
}

bool extent_visit(const struct extent_pool *p, uint32_t root, uint64_t start, uint64_t end,
		  bool (*visit)(void *arg, uint32_t owner), void *arg)
{
	if (!root || start >= end)
		return true;
	const struct extent_node *x = &p->node[root];
	if (x->leaf) {
		for (uint32_t i = leaf_find(x, start); i < x->n && x->start[i] < end; i++)
			if (!visit(arg, x->owner[i]))
				return false;
		return true;
	}
	const uint32_t first = child_find(x, start);
	for (uint32_t i = first; i < x->n && (i == first || x->upper[i - 1] < end); i++)
		if (!extent_visit(p, x->child[i], start, end, visit, arg))
			return false;
	return true;
}
