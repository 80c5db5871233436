/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/concurrency.h"

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
	FREE_EACH(c->end, c->ns_at_level, c->requests_at_level);
	memset(c, 0, sizeof *c);
}

/* --- heap of ends, for three and more ------------------------------------ */

/* The last end replaces the first, which has been removed. */
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
			return err_set(e, ENOMEM, "no memory for %zu requests active at one time",
				       2 * c->end_cap);
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
	return err_set(e, EINVAL, "request from %lld ns to %lld ns: %s", (long long)begin_ns,
		       (long long)end_ns,
		       begin_ns < c->last_ns ? "not in the order of begins"
					     : "ends before it begins");
}

/* --- runs of usual requests ---------------------------------------------- */

/* Up to this many ends are kept in registers, sorted; INT64_MAX: none. */
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

/* Adds requests while they are in order, complete, longer than 0 and find fewer than FEW others.
 * Returns their number. */
static size_t add_few(struct concurrency *c, const int64_t *begin_ns, const int64_t *end_ns,
		      size_t stride, size_t n)
{
	int64_t few[FEW] = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}, last_ns = c->last_ns;
	size_t level = c->n_ends, highest = c->highest, i = 0;
	for (size_t k = 0; k < level; k++)
		few_insert(few, c->end[k]);
	for (; i < n; i++, begin_ns += stride, end_ns += stride) {
		int64_t begin = *begin_ns, end = *end_ns;
		/* TIME_NONE is below every time */
		if (__builtin_expect(begin < last_ns || end <= begin, 0))
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
	for (size_t k = 0; k < FEW; k++) /* a sorted array is a heap */
		c->end[k] = few[k];
	c->n_ends = level;
	c->last_ns = last_ns;
	c->highest = highest;
	c->n += i;
	return i;
}

int concurrency_add_run(struct concurrency *c, const int64_t *begin_ns, const int64_t *end_ns,
			size_t stride, size_t n, struct err *e)
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
