/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/infer.h"

#include "capture/trace.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#define OPEN_BITS 26
#define OPEN_MAX (UINT64_C(1) << OPEN_BITS)
#define REQUESTS_MAX (UINT64_C(1) << (64 - OPEN_BITS))
#define NO_PLACE UINT32_MAX

/* One 128-bit number for comparisons: the end, then the request's number, then its place in
 * open[]. */
struct infer_node {
	unsigned __int128 key;
};

struct infer_open {
	uint64_t hi;	  /* infer_parents.hi of the request */
	uint64_t depth;	  /* longest chain that ends in it */
	int64_t shift_ns; /* shift of its end if requests took no time, negative */
	uint32_t next;	  /* list of unused places */
};

struct infer_best {
	uint64_t rank;
	int64_t shift_ns;
};

/* --- the heap of open intervals ------------------------------------------ */
/* Four children per node share a cache line, and the heap is half as deep as a binary one. */

static unsigned __int128 key_make(int64_t end_ns, uint64_t request, uint32_t place)
{
	/* flips the sign bit, so that ends compare as unsigned numbers */
	uint64_t end = (uint64_t)end_ns ^ (UINT64_C(1) << 63);
	return (unsigned __int128)end << 64 | request << OPEN_BITS | place;
}

static int64_t key_end(unsigned __int128 key)
{
	return (int64_t)((uint64_t)(key >> 64) ^ (UINT64_C(1) << 63));
}

static unsigned __int128 heap_pop(struct infer *f)
{
	unsigned __int128 first = f->heap[0].key, key = f->heap[--f->n_open].key;
	size_t n = f->n_open, i = 0;
	for (size_t child; (child = 4 * i + 1) < n; i = child) {
		size_t last = child + 4 < n ? child + 4 : n;
		unsigned __int128 least = f->heap[child].key;
		for (size_t k = child + 1; k < last; k++) {
			bool less = f->heap[k].key < least;
			least = less ? f->heap[k].key : least;
			child = less ? k : child;
		}
		if (key <= least)
			break;
		f->heap[i].key = least;
	}
	if (n)
		f->heap[i].key = key;
	return first;
}

static int open_grow(struct infer *f, struct err *e)
{
	size_t cap = f->cap ? f->cap * 2 : 256;
	if (cap > OPEN_MAX)
		return err_set(e, E2BIG, "more than %llu requests are in flight at one time",
			       (unsigned long long)OPEN_MAX);
	struct infer_node *heap = realloc(f->heap, cap * sizeof *heap);
	f->heap = heap ? heap : f->heap;
	struct infer_open *open = heap ? realloc(f->open, cap * sizeof *open) : NULL;
	f->open = open ? open : f->open;
	if (!open)
		return err_set(e, ENOMEM, "out of memory: %zu requests are in flight at one time",
			       f->n_open);
	for (size_t i = f->cap; i < cap; i++)
		open[i].next = i + 1 < cap ? (uint32_t)i + 1 : NO_PLACE;
	f->unused = (uint32_t)f->cap;
	f->cap = cap;
	return 0;
}

/* --- the largest shift of the parents ------------------------------------ */

/* A queue for the largest shift of the ranks [lo, hi). Both bounds only grow, so a rank that is
 * followed by a larger shift is never the maximum again. */

static int best_grow(struct infer *f, struct err *e)
{
	size_t cap = f->best_cap ? f->best_cap * 2 : 256;
	struct infer_best *best = malloc(cap * sizeof *best);
	if (!best)
		return err_set(e, ENOMEM,
			       "out of memory: a request depends on more than %zu others",
			       f->best_n);
	for (size_t i = 0; i < f->best_n; i++)
		best[i] = f->best[(f->best_from + i) & (f->best_cap - 1)];
	free(f->best);
	f->best = best;
	f->best_cap = cap;
	f->best_from = 0;
	return 0;
}

static int best_add(struct infer *f, uint64_t rank, int64_t shift_ns, struct err *e)
{
	while (f->best_n &&
	       f->best[(f->best_from + f->best_n - 1) & (f->best_cap - 1)].shift_ns <= shift_ns)
		f->best_n--;
	if (UNLIKELY(f->best_n == f->best_cap) && best_grow(f, e))
		return -ENOMEM;
	f->best[(f->best_from + f->best_n++) & (f->best_cap - 1)] =
	    (struct infer_best){rank, shift_ns};
	return 0;
}

/* --- requests ------------------------------------------------------------ */

void infer_init(struct infer *f, int64_t threshold_ns)
{
	*f = (struct infer){.threshold_ns = threshold_ns,
			    .unused = NO_PLACE,
			    .last_begin_ns = INT64_MIN,
			    .last_end_ns = INT64_MIN};
}

static int request_end(struct infer *f, struct err *e)
{
	unsigned __int128 key = heap_pop(f);
	uint32_t place = (uint32_t)((uint64_t)key & (OPEN_MAX - 1));
	struct infer_open *o = &f->open[place];
	f->lo = o->hi > f->lo ? o->hi : f->lo;
	f->depth = o->depth > f->depth ? o->depth : f->depth;
	int ret = best_add(f, f->hi, o->shift_ns, e);
	if (f->ended)
		f->ended(f->ctx, (uint64_t)key >> OPEN_BITS, f->hi);
	f->hi++;
	o->next = f->unused;
	f->unused = place;
	return ret;
}

static int request_check(const struct infer *f, int64_t begin_ns, int64_t end_ns, struct err *e)
{
	if (begin_ns < f->last_begin_ns)
		return err_set(
		    e, EINVAL,
		    "it begins %lld ns before the previous request; `validate slice` sorts a trace",
		    (long long)(f->last_begin_ns - begin_ns));
	if (end_ns != TIME_NONE && end_ns < begin_ns)
		return err_set(e, EINVAL, "it ends %lld ns before it begins",
			       (long long)(begin_ns - end_ns));
	if (f->sum.n_requests >= REQUESTS_MAX)
		return err_set(e, E2BIG, "more than %llu requests",
			       (unsigned long long)REQUESTS_MAX);
	return 0;
}

static void summary_add(struct infer *f, int64_t begin_ns, const struct infer_parents *p,
			uint64_t depth)
{
	struct infer_summary *s = &f->sum;
	if (!s->n_requests++)
		s->first_begin_ns = begin_ns;
	uint64_t n = p->hi - p->lo, width = f->n_open + s->n_endless;
	s->n_edges += n;
	s->n_roots += n == 0;
	s->n_parents_max = n > s->n_parents_max ? n : s->n_parents_max;
	s->longest_chain = depth > s->longest_chain ? depth : s->longest_chain;
	s->width_max = width > s->width_max ? width : s->width_max;
	f->width_sum += (double)width;
}

int infer_feed(struct infer *f, int64_t begin_ns, int64_t end_ns, struct infer_parents *parents,
	       struct err *e)
{
	int ret = request_check(f, begin_ns, end_ns, e);
	while (!ret && f->n_open && key_end(f->heap[0].key) <= begin_ns - f->threshold_ns)
		ret = request_end(f, e);
	if (!ret && f->unused == NO_PLACE)
		ret = open_grow(f, e);
	if (ret)
		return ret;
	while (f->best_n && f->best[f->best_from].rank < f->lo) {
		f->best_from = (f->best_from + 1) & (f->best_cap - 1);
		f->best_n--;
	}
	*parents = (struct infer_parents){f->lo, f->hi};
	/* Without parents it keeps its time; otherwise it moves with the parent that would end
	 * last. */
	int64_t shift = f->best_n ? f->best[f->best_from].shift_ns : 0;
	uint64_t depth = f->depth + 1, request = f->sum.n_requests;
	int64_t issue = begin_ns + shift;
	f->last_issue_ns = request == 0 || issue > f->last_issue_ns ? issue : f->last_issue_ns;
	f->last_begin_ns = begin_ns;
	if (end_ns == TIME_NONE) {
		f->sum.n_endless++;
	} else {
		uint32_t place = f->unused;
		f->unused = f->open[place].next;
		f->open[place] = (struct infer_open){
			.hi = f->hi, .depth = depth, .shift_ns = shift - (end_ns - begin_ns)};
		unsigned __int128 key = key_make(end_ns, request, place);
		size_t i = f->n_open++;
		while (i) {
			size_t up = (i - 1) / 4;
			if (f->heap[up].key <= key)
				break;
			f->heap[i] = f->heap[up];
			i = up;
		}
		f->heap[i].key = key;
		f->sum.service_ns += (double)(end_ns - begin_ns);
		f->last_end_ns = end_ns > f->last_end_ns ? end_ns : f->last_end_ns;
	}
	summary_add(f, begin_ns, parents, depth);
	return 0;
}

void infer_finish(struct infer *f)
{
	struct infer_summary *s = &f->sum;
	while (f->n_open) {
		uint64_t request = (uint64_t)heap_pop(f) >> OPEN_BITS;
		if (f->ended)
			f->ended(f->ctx, request, f->hi);
		f->hi++;
	}
	if (!s->n_requests)
		return;
	s->width_mean = f->width_sum / (double)s->n_requests;
	s->span_ns = (f->last_end_ns > f->last_begin_ns ? f->last_end_ns : f->last_begin_ns) -
		     s->first_begin_ns;
	s->think_ns = f->last_issue_ns - s->first_begin_ns;
}

void infer_release(struct infer *f)
{
	FREE_EACH(f->heap, f->open, f->best);
	*f = (struct infer){.heap = NULL};
}
