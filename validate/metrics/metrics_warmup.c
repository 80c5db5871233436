/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the warm-up ends: a place in the order of the reference's begins, known before anything is observed. */
#include <errno.h>
#include <stdlib.h>

#include "common/xalloc.h"
#include "validate/metrics/metrics_private.h"

/* The `wanted` smallest places seen so far, the largest of them first. */
struct places {
	struct warmup_cut *place; /* heap */
	size_t n, cap;
	uint64_t wanted;
	uint64_t n_seen;
};

static bool is_before(const struct warmup_cut *a, const struct warmup_cut *b)
{
	return a->begin_ns < b->begin_ns || (a->begin_ns == b->begin_ns && a->index < b->index);
}

static void sift_down(struct places *s, size_t i)
{
	struct warmup_cut moved = s->place[i];
	for (size_t child; (child = 2 * i + 1) < s->n; i = child) {
		if (child + 1 < s->n && is_before(&s->place[child], &s->place[child + 1]))
			child++;
		if (!is_before(&moved, &s->place[child]))
			break;
		s->place[i] = s->place[child];
	}
	s->place[i] = moved;
}

static void places_add(struct places *s, const struct warmup_cut *x)
{
	s->n_seen++;
	if (s->n == s->wanted) {
		if (is_before(x, &s->place[0])) {
			s->place[0] = *x;
			sift_down(s, 0);
		}
		return;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 1024;
		s->place = xreallocarray(s->place, s->cap, sizeof *s->place);
	}
	size_t i = s->n++;
	for (; i && is_before(&s->place[(i - 1) / 2], x); i = (i - 1) / 2)
		s->place[i] = s->place[(i - 1) / 2];
	s->place[i] = *x;
}

/* The first request behind the warm-up is the largest of the first so many. A sorted reference is read no further. */
static int read_places(struct places *s, const struct metrics_source *source, bool unsorted, struct err *e)
{
	const struct trace_record *r;
	uint64_t index = 0;
	size_t n;
	int rc = 1;
	while ((unsorted || s->n < s->wanted) && (rc = source->next(source->context, &r, &n, e)) > 0)
		for (size_t i = 0; i < n; i++, index++) {
			struct warmup_cut place = {true, r[i].begin_ns, index};
			if (r[i].begin_ns != TIME_NONE && (unsorted || s->n < s->wanted))
				places_add(s, &place);
		}
	return rc < 0 ? rc : 0;
}

int warmup_find(struct warmup_cut *c, const struct metrics_origin *reference, const struct metrics_options *o,
		bool unsorted, struct err *e)
{
	struct metrics_source source = {0};
	/* of a time only the first begin matters, of n requests the one behind them */
	struct places s = {.wanted = o->warmup_requests + 1};
	c->on = o->warmup_requests || o->warmup_ns > 0;
	if (!c->on)
		return 0;
	int rc = reference->open(reference, &source, e);
	rc = rc ? rc : read_places(&s, &source, unsorted, e);
	if (!rc && s.n < s.wanted)
		rc = err_set(e, ENODATA, "%s: a warm-up of %llu requests leaves none of %llu", reference->name,
			     (unsigned long long)o->warmup_requests, (unsigned long long)s.n_seen);
	if (!rc && !o->warmup_requests)
		*c = (struct warmup_cut){true, s.place[0].begin_ns + o->warmup_ns, 0};
	else if (!rc)
		*c = s.place[0];
	if (source.close)
		source.close(source.context);
	free(s.place);
	return rc;
}
