/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The densities of RFC 5236 for a sequence in memory: s[n], in the order of arrival. */
#pragma once

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/metrics/density.h"

struct arrived {
	uint64_t s;
	size_t i;
};

static inline int compare_arrived(const void *x, const void *y)
{
	const struct arrived *a = x, *b = y;
	if (a->s != b->s)
		return a->s < b->s ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

/* The arrivals by number, duplicates after the first. NULL: an error, such as a number 0. */
static inline struct arrived *sort_arrived(const uint64_t *s, size_t n, struct err *e)
{
	struct arrived *a = xreallocarray(NULL, n + 1, sizeof *a);
	for (size_t i = 0; i < n; i++)
		a[i] = (struct arrived){s[i], i};
	qsort(a, n, sizeof *a, compare_arrived);
	if (!n || a[0].s)
		return a;
	err_set(e, EINVAL, "arrival %zu has the number 0: numbers begin with 1", a[0].i + 1);
	free(a);
	return NULL;
}

struct displacements {
	int64_t *d;
	size_t n;
};

static inline void keep(void *context, int64_t displacement)
{
	struct displacements *k = context;
	k->d[k->n++] = displacement;
}

/* The displacements of the *n_kept arrivals within the threshold, duplicates dropped, in the order
 * of arrival: d[n] is the caller's. Errors: EINVAL for a number 0 or a dt above DENSITY_MAX_DT that
 * is not DENSITY_UNBOUNDED. O(n log n), with a threshold O(n dt) at the worst. */
static inline int density_displacements(const uint64_t *s, size_t n, uint64_t dt, int64_t *d,
					size_t *n_kept, struct err *e)
{
	*n_kept = 0;
	if (dt > DENSITY_MAX_DT && dt != DENSITY_UNBOUNDED)
		return err_set(e, EINVAL, "displacement threshold %llu: at most %u",
			       (unsigned long long)dt, DENSITY_MAX_DT);
	struct arrived *a = sort_arrived(s, n, e);
	if (!a)
		return -EINVAL;
	bool *first = xcalloc(n + 1, sizeof *first);
	size_t n_unique = 0;
	for (size_t i = 0; i < n; i++)
		if (!i || a[i].s != a[i - 1].s) {
			first[a[i].i] = true;
			a[n_unique++].s = a[i].s; /* now the receive indices, in turn */
		}
	struct displacements kept = {d, 0};
	struct stay_back *b = dt == DENSITY_UNBOUNDED ? NULL : stay_back_open(dt);
	for (size_t i = 0; i < n; i++) {
		if (first[i] && b)
			stay_back_add(b, s[i], keep, &kept);
		else if (first[i])
			keep(&kept, (int64_t)(a[kept.n].s - s[i]));
	}
	if (b)
		stay_back_finish(b, keep, &kept);
	*n_kept = kept.n;
	stay_back_close(b);
	free(first);
	free(a);
	return 0;
}

/* The occupancy after each of the *n_counted arrivals, in the order of arrival: b[n] is the
 * caller's. Errors: EINVAL for a number 0. O(n log n). */
static inline int density_occupancies(const uint64_t *s, size_t n, uint64_t bt, uint64_t *b,
				      size_t *n_counted, struct err *e)
{
	*n_counted = 0;
	struct arrived *a = sort_arrived(s, n, e);
	if (!a)
		return -EINVAL;
	/* only the order of the numbers matters, and whether a number between two others is
	 * missing: without larger gaps, they fit the ring */
	uint64_t *closed = xcalloc(n + 1, sizeof *closed), number = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t step = a[i].s - (i ? a[i - 1].s : 0);
		number += step > 2 ? 2 : step;
		closed[a[i].i] = number - 1;
	}
	struct occupancy o = {0};
	for (size_t i = 0; i < n; i++)
		*n_counted += occupancy_add(&o, closed[i], bt, &b[*n_counted]);
	occupancy_release(&o);
	free(closed);
	free(a);
	return 0;
}
