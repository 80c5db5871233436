/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight bytes at a time are a number, by which they are sorted; then those that have it in common
 * by the next eight. So a path is looked at a few times and not with each comparison. Source:
 * multikey quicksort, Bentley and Sedgewick 1997, with longer characters. */
#include "replay/load/path_sort.h"

#include <stdbool.h>
#include <stdlib.h>

#include "common/xalloc.h"

#define STEP 8u

struct keyed {
	uint64_t key;
	uint32_t path;
};

static uint64_t key_at(const char *text)
{
	uint64_t key = 0;
	for (unsigned int i = 0; i < STEP && text[i]; i++)
		key |= (uint64_t)(unsigned char)text[i] << (8 * (STEP - 1 - i));
	return key;
}

static int compare(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	return (x->key > y->key) - (x->key < y->key);
}

/* Keys of the next eight bytes; false where all have the same. */
static bool keys_make(struct keyed *x, uint32_t n, const char *const *path, size_t depth)
{
	bool differ = false;
	for (uint32_t i = 0; i < n; i++) {
		x[i].key = key_at(path[x[i].path] + depth);
		differ |= x[i].key != x[0].key;
	}
	return differ;
}

/* Those of x[n] have their first `depth` bytes in common. What all of them go on with is skipped at
 * once, so that calls within calls are no more than there are paths, however long these are. */
static void sort(struct keyed *x, uint32_t n, const char *const *path, size_t depth)
{
	if (n < 2)
		return;
	while (!keys_make(x, n, path, depth)) {
		if (!(x[0].key & 0xff))
			return;
		depth += STEP;
	}
	qsort(x, n, sizeof *x, compare);
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && x[k].key == x[i].key; k++)
			;
		if (x[i].key & 0xff) /* it goes on */
			sort(x + i, k - i, path, depth + STEP);
	}
}

uint32_t *path_sort(const char *const *path, uint32_t n)
{
	struct keyed *x = xcalloc((size_t)n + 1, sizeof *x);
	uint32_t *order = xcalloc((size_t)n + 1, sizeof *order);
	for (uint32_t i = 0; i < n; i++)
		x[i].path = i;
	sort(x, n, path, 0);
	for (uint32_t i = 0; i < n; i++)
		order[i] = x[i].path;
	free(x);
	return order;
}
