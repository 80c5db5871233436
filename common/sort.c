/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/sort.h"

size_t sort_top(void *top, size_t k, const void *all, size_t n, size_t size,
		int (*compare)(const void *, const void *))
{
	SCOPED_FREE char *sorted = xreallocarray(NULL, n + 1, size);
	k = k < n ? k : n;
	if (k) {
		memcpy(sorted, all, n * size);
		qsort(sorted, n, size, compare);
		memcpy(top, sorted, k * size);
	}
	return k;
}
