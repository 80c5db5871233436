/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/concurrency.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

int concurrency_init(struct concurrency *c, size_t max_level, struct err *e)
{
	memset(c, 0, sizeof *c);
	c->max_level = max_level;
	c->end_cap = 64;
	c->end = malloc(c->end_cap * sizeof *c->end);
	c->ns_at_level = calloc(max_level + 1, sizeof *c->ns_at_level);
	c->requests_at_level = calloc(max_level + 1, sizeof *c->requests_at_level);
	if (!c->end || !c->ns_at_level || !c->requests_at_level) {
		concurrency_release(c);
		return err_set(e, ENOMEM, "no memory for %zu levels of concurrency", max_level);
	}
	c->end[0] = INT64_MAX;
	return 0;
}

void concurrency_release(struct concurrency *c)
{
	free(c->end);
	free(c->ns_at_level);
	free(c->requests_at_level);
	memset(c, 0, sizeof *c);
}

/* --- heap of ends, for three and more ----------------------------------------------------------------------------- */

/* The last end takes the place of the first, which is gone. */
void concurrency_sift_down(struct concurrency *c)
{
	int64_t *end = c->end, value = end[c->n_ends];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < c->n_ends; i = child) {
		if (child + 1 < c->n_ends && end[child + 1] < end[child])
			child++;
		if (end[child] >= value)
			break;
		end[i] = end[child];
	}
	end[i] = value;
}

int concurrency_push(struct concurrency *c, int64_t end_ns, struct err *e)
{
	if (c->n_ends == c->end_cap) {
		int64_t *end = realloc(c->end, 2 * c->end_cap * sizeof *end);
		if (!end)
			return err_set(e, ENOMEM, "no memory for %zu requests active at one time", 2 * c->end_cap);
		c->end = end;
		c->end_cap *= 2;
	}
	size_t i = c->n_ends++;
	for (; i && c->end[(i - 1) / 2] > end_ns; i = (i - 1) / 2)
		c->end[i] = c->end[(i - 1) / 2];
	c->end[i] = end_ns;
	return 0;
}

int concurrency_refuse(const struct concurrency *c, int64_t begin_ns, int64_t end_ns, struct err *e)
{
	return err_set(e, EINVAL, "request from %lld ns to %lld ns: %s", (long long)begin_ns, (long long)end_ns,
		       begin_ns < c->last_ns ? "not in the order of begins" : "ends before it begins");
}

/* --- runs of usual requests ----------------------------------------------------------------------------------------- */

/* Up to so many ends are kept in registers, sorted; INT64_MAX: none. */
enum { FEW = 4 };

static inline void few_insert(int64_t few[FEW], int64_t end_ns)
{
	for (int k = 0; k < FEW; k++) {
		int64_t other = few[k];
		few[k] = other < end_ns ? other : end_ns;
		end_ns = other < end_ns ? end_ns : other;
	}
}

static inline void few_drop_first(int64_t few[FEW])
{
	for (int k = 0; k + 1 < FEW; k++)
		few[k] = few[k + 1];
	few[FEW - 1] = INT64_MAX;
}

/* As many requests as are in order, end, take time and find less than FEW others. Returns their number. */
static size_t add_few(struct concurrency *c, const int64_t *begin_ns, const int64_t *end_ns, size_t stride, size_t n)
{
	int64_t few[FEW] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, last_ns = c->last_ns;
	size_t level = c->n_ends, highest = c->highest, i = 0;
	for (size_t k = 0; k < level; k++)
		few_insert(few, c->end[k]);
	for (; i < n; i++, begin_ns += stride, end_ns += stride) {
		int64_t begin = *begin_ns, end = *end_ns;
		if (__builtin_expect(begin < last_ns || end <= begin, 0)) /* TIME_NONE lies below all */
			break;
		for (; few[0] <= begin; level--) {
			c->ns_at_level[level] += few[0] - last_ns;
			last_ns = few[0];
			few_drop_first(few);
		}
		c->ns_at_level[level] += begin - last_ns;
		last_ns = begin;
		if (__builtin_expect(level == FEW, 0))
			break;
		few_insert(few, end);
		level++;
		c->requests_at_level[level]++;
		highest = level > highest ? level : highest;
	}
	for (size_t k = 0; k < FEW; k++) /* sorted, they are a heap */
		c->end[k] = few[k];
	c->n_ends = level;
	c->last_ns = last_ns;
	c->highest = highest;
	c->n += i;
	return i;
}

int concurrency_add_run(struct concurrency *c, const int64_t *begin_ns, const int64_t *end_ns, size_t stride, size_t n,
			struct err *e)
{
	int rc = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		if (c->n && c->n_ends <= FEW && !c->n_unfinished && c->max_level > FEW)
			i += add_few(c, begin_ns + i * stride, end_ns + i * stride, stride, n - i);
		if (i < n)
			rc = concurrency_add(c, begin_ns[i * stride], end_ns[i * stride], NULL, e);
	}
	return rc;
}

void concurrency_finish(struct concurrency *c)
{
	while (c->n_ends)
		concurrency_end_earliest(c);
}

/* --- in memory ---------------------------------------------------------------------------------------------------- */

struct indexed_time {
	int64_t ns;
	size_t index;
};

static int compare_indexed(const void *x, const void *y)
{
	const struct indexed_time *a = x, *b = y;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static int compare_ns(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	return a < b ? -1 : a > b;
}

/* Sum over all requests of the time each has been active before t, from sorted times and their running sums. */
static __int128 active_before(const int64_t *sorted, const __int128 *sum, size_t n, int64_t origin, int64_t t)
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

/* Mean level over [b, e) = (area before e - area before b) / (e - b); the area before t is that under the starts less
 * that under the ends, each a sum of (t - time) over the times before t. */
static void lifetimes(double *lifetime, const int64_t *begin, const int64_t *end, const int64_t *starts,
		      const int64_t *stops, size_t n, size_t n_stops, int64_t origin)
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

int concurrency_levels(struct concurrency_levels *l, const int64_t *begin_ns, const int64_t *end_ns, size_t n,
		       struct err *e)
{
	memset(l, 0, sizeof *l);
	if (!n)
		return err_set(e, ENODATA, "concurrency of no requests");
	struct indexed_time *order = xreallocarray(NULL, n, sizeof *order);
	int64_t *starts = xreallocarray(NULL, n, sizeof *starts), *stops = xreallocarray(NULL, n, sizeof *stops);
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
	int rc = concurrency_init(&l->total, n, e);
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

void concurrency_levels_release(struct concurrency_levels *l)
{
	concurrency_release(&l->total);
	free(l->found);
	free(l->lifetime);
	memset(l, 0, sizeof *l);
}
