/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of requests in flight that each request in memory finds, and its mean over the life of
 * each request. */
#pragma once

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "validate/metrics/concurrency.h"

/* For requests in memory, in any order. */
struct concurrency_levels {
	struct concurrency total;
	size_t *found;    /* [n], level found by request i */
	/* [n], time average of the number in flight over the life of request i; NaN: empty or
	 * unfinished */
	double *lifetime;
};

struct indexed_time {
	int64_t ns;
	size_t index;
};

static inline int compare_indexed(const void *x, const void *y)
{
	const struct indexed_time *a = x, *b = y;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static inline int compare_ns(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* Sum over all requests of the time for which each has been active before t, from sorted times and
 * their running sums. */
static inline __int128 active_before(const int64_t *sorted, const __int128 *sum, size_t n,
				     int64_t origin, int64_t t)
{
	size_t lo = 0, hi = n; /* how many lie before t */
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (sorted[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return (__int128)lo * (t - origin) - (lo ? sum[lo - 1] : 0);
}

/* The mean level over [b, e) is (area before e - area before b) / (e - b). The area before t is
 * the sum of (t - start) over the starts before t, minus the sum of (t - end) over the ends before
 * t. */
static inline void lifetimes(double *lifetime, const int64_t *begin, const int64_t *end,
			     const int64_t *starts, const int64_t *stops, size_t n, size_t n_stops,
			     int64_t origin)
{
	__int128 *start_sum = xreallocarray(NULL, n, sizeof *start_sum);
	__int128 *stop_sum = xreallocarray(NULL, n_stops + 1, sizeof *stop_sum);
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		start_sum[i] = sum += starts[i] - origin;
	sum = 0;
	for (size_t i = 0; i < n_stops; i++)
		stop_sum[i] = sum += stops[i] - origin;
	for (size_t i = 0; i < n; i++) {
		lifetime[i] = NAN;
		if (end[i] == TIME_NONE || end[i] == begin[i])
			continue;
		__int128 area = active_before(starts, start_sum, n, origin, end[i]) -
				active_before(stops, stop_sum, n_stops, origin, end[i]) -
				active_before(starts, start_sum, n, origin, begin[i]) +
				active_before(stops, stop_sum, n_stops, origin, begin[i]);
		lifetime[i] = (double)area / (double)(end[i] - begin[i]);
	}
	free(start_sum);
	free(stop_sum);
}

static inline void concurrency_levels_release(struct concurrency_levels *l)
{
	concurrency_release(&l->total);
	free(l->found);
	free(l->lifetime);
	memset(l, 0, sizeof *l);
}

/* Errors: EINVAL for an end before its start, ENODATA for n = 0. Ownership:
 * concurrency_levels_release. */
static inline int concurrency_levels(struct concurrency_levels *l, const int64_t *begin_ns,
				     const int64_t *end_ns, size_t n, struct err *e)
{
	memset(l, 0, sizeof *l);
	if (!n)
		return err_set(e, ENODATA, "concurrency of no requests");
	struct indexed_time *order = xreallocarray(NULL, n, sizeof *order);
	int64_t *starts = xreallocarray(NULL, n, sizeof *starts),
		*stops = xreallocarray(NULL, n, sizeof *stops);
	l->found = xreallocarray(NULL, n, sizeof *l->found);
	l->lifetime = xreallocarray(NULL, n, sizeof *l->lifetime);
	size_t n_stops = 0;
	for (size_t i = 0; i < n; i++) {
		order[i] = (struct indexed_time){begin_ns[i], i};
		if (end_ns[i] != TIME_NONE)
			stops[n_stops++] = end_ns[i];
	}
	qsort(order, n, sizeof *order, compare_indexed);
	qsort(stops, n_stops, sizeof *stops, compare_ns);
	int rc = 0;
	concurrency_init(&l->total, n);
	for (size_t i = 0; i < n && !rc; i++) {
		size_t k = order[i].index;
		starts[i] = begin_ns[k];
		rc = concurrency_add(&l->total, begin_ns[k], end_ns[k], &l->found[k], e);
	}
	if (!rc) {
		concurrency_finish(&l->total);
		lifetimes(l->lifetime, begin_ns, end_ns, starts, stops, n, n_stops, starts[0]);
	} else {
		concurrency_levels_release(l);
	}
	free(order);
	free(starts);
	free(stops);
	return rc;
}
