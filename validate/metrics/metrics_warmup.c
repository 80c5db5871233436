/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of the warm-up: a position in the order of the reference's starts, found before the
 * passes. */
#include "common/heap.h"
#include "validate/metrics/metrics_private.h"

/* The `wanted` smallest positions so far, the largest first. */
struct warmup_places {
	struct warmup_cut *place; /* heap */
	size_t n, cap;
	uint64_t wanted;
	uint64_t n_seen;
};

static bool is_before(const struct warmup_cut *a, const struct warmup_cut *b)
{
	return a->begin_ns < b->begin_ns || (a->begin_ns == b->begin_ns && a->index < b->index);
}

/* The largest first. */
static bool is_behind(const void *a, const void *b, const void *context)
{
	(void)context;
	return is_before(b, a);
}

static const struct heap_type heap = {sizeof(struct warmup_cut), is_behind, NULL};

static void places_add(struct warmup_places *s, const struct warmup_cut *x)
{
	s->n_seen++;
	if (s->n == s->wanted) {
		if (is_before(x, &s->place[0])) {
			s->place[0] = *x;
			heap_sift_down(&heap, s->place, s->n, 0);
		}
		return;
	}
	GROW(s->place, s->n, s->cap);
	s->place[s->n] = *x;
	heap_sift_up(&heap, s->place, s->n++);
}

/* Finds the first request after the warm-up, which is the largest of the smallest positions. A
 * sorted reference is read only up to it. */
static int read_places(struct warmup_places *s, const struct metrics_source *source, bool unsorted,
		       struct err *e)
{
	const struct trace_record *r;
	uint64_t index = 0;
	size_t n;
	int ret = 1;
	while ((unsorted || s->n < s->wanted) &&
	       (ret = source->next(source->context, &r, &n, e)) > 0)
		for (size_t i = 0; i < n; i++, index++) {
			struct warmup_cut place = {true, r[i].begin_ns, index};
			if (r[i].begin_ns != TIME_NONE && (unsorted || s->n < s->wanted))
				places_add(s, &place);
		}
	return ret < 0 ? ret : 0;
}

int warmup_find(struct warmup_cut *c, const struct metrics_origin *reference,
		const struct metrics_options *o, bool unsorted, struct err *e)
{
	struct metrics_source source = {0};
	/* a time needs only the first start; n requests need the first n + 1 starts */
	struct warmup_places s = {.wanted = o->warmup_requests + 1};
	c->on = o->warmup_requests || o->warmup_ns > 0;
	if (!c->on)
		return 0;
	int ret = reference->open(reference, &source, e);
	ret = ret ? ret : read_places(&s, &source, unsorted, e);
	if (!ret && s.n < s.wanted)
		ret = err_set(e, ENODATA, "%s: a warm-up of %llu requests leaves none of the %llu "
			      "requests to measure",
			      reference->name, (unsigned long long)o->warmup_requests,
			      (unsigned long long)s.n_seen);
	if (!ret && !o->warmup_requests)
		*c = (struct warmup_cut){true, s.place[0].begin_ns + o->warmup_ns, 0};
	else if (!ret)
		*c = s.place[0];
	if (source.close)
		source.close(source.context);
	free(s.place);
	return ret;
}
