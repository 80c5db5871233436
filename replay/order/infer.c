/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/infer.h"

#include "capture/trace.h"
#include "common/heap.h"

#define OPEN_MAX (1u << 26)

struct infer_open {
	int64_t end_ns;
	uint64_t request; /* its number */
	uint64_t hi;	  /* infer_parents.hi of the request */
	uint64_t depth;	  /* longest chain that ends in it */
	/* difference between its end if requests took no time and its traced end; negative */
	int64_t shift_ns;
};

struct infer_best {
	uint64_t rank;
	int64_t shift_ns;
};

static bool ends_before(const void *a, const void *b, const void *context)
{
	const struct infer_open *x = a, *y = b;
	(void)context;
	return x->end_ns != y->end_ns ? x->end_ns < y->end_ns : x->request < y->request;
}

static const struct heap_type by_end = {sizeof(struct infer_open), ends_before, NULL};

/* Removes the open interval that ends first, and assigns its rank. */
static struct infer_open open_end(struct infer *f)
{
	const struct infer_open o = f->open[0];
	f->open[0] = f->open[--f->n_open];
	heap_sift_down(&by_end, f->open, f->n_open, 0);
	if (f->ended)
		f->ended(f->ctx, o.request, f->hi);
	f->hi++;
	return o;
}

/* Adds to the queue that gives the largest shift of the ranks [lo, hi). Both bounds only grow, so a
 * rank that is followed by a larger shift cannot become the maximum again. */
static void best_add(struct infer *f, uint64_t rank, int64_t shift_ns)
{
	while (f->best_n > f->best_from && f->best[f->best_n - 1].shift_ns <= shift_ns)
		f->best_n--;
	if (f->best_n == f->best_cap && f->best_from > f->best_n / 2) {
		f->best_n -= f->best_from;
		memmove(f->best, f->best + f->best_from, f->best_n * sizeof *f->best);
		f->best_from = 0;
	}
	APPEND(f->best, f->best_n, f->best_cap, (struct infer_best){rank, shift_ns});
}

/* --- requests ------------------------------------------------------------ */

void infer_init(struct infer *f, int64_t threshold_ns)
{
	*f = (struct infer){.threshold_ns = threshold_ns,
			    .last_begin_ns = INT64_MIN,
			    .last_end_ns = INT64_MIN};
}

static void request_end(struct infer *f)
{
	const uint64_t rank = f->hi;
	const struct infer_open o = open_end(f);
	f->lo = o.hi > f->lo ? o.hi : f->lo;
	f->depth = o.depth > f->depth ? o.depth : f->depth;
	best_add(f, rank, o.shift_ns);
}

static int request_check(const struct infer *f, int64_t begin_ns, int64_t end_ns, struct err *e)
{
	if (begin_ns < f->last_begin_ns)
		return err_set(e, EINVAL, "the request begins %lld ns before the previous request; "
			"sort the trace with `validate slice`",
			(long long)(f->last_begin_ns - begin_ns));
	if (end_ns != TIME_NONE && end_ns < begin_ns)
		return err_set(e, EINVAL, "the request ends %lld ns before it begins",
			       (long long)(begin_ns - end_ns));
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
	if (ret)
		return ret;
	while (f->n_open && f->open[0].end_ns <= begin_ns - f->threshold_ns)
		request_end(f);
	if (f->n_open == OPEN_MAX)
		return err_set(e, E2BIG, "more than %u requests are in flight at one time",
			       OPEN_MAX);
	while (f->best_n > f->best_from && f->best[f->best_from].rank < f->lo)
		f->best_from++;
	*parents = (struct infer_parents){f->lo, f->hi};
	/* A request without parents keeps its time. Other requests move with the parent that would
	 * end last. */
	int64_t shift = f->best_n > f->best_from ? f->best[f->best_from].shift_ns : 0;
	uint64_t depth = f->depth + 1, request = f->sum.n_requests;
	int64_t issue = begin_ns + shift;
	f->last_issue_ns = request == 0 || issue > f->last_issue_ns ? issue : f->last_issue_ns;
	f->last_begin_ns = begin_ns;
	if (end_ns == TIME_NONE) {
		f->sum.n_endless++;
	} else {
		GROW(f->open, f->n_open, f->cap);
		f->open[f->n_open] = (struct infer_open){
		    end_ns, request, f->hi, depth, shift - (end_ns - begin_ns)};
		heap_sift_up(&by_end, f->open, f->n_open++);
		f->sum.service_ns += (double)(end_ns - begin_ns);
		f->last_end_ns = end_ns > f->last_end_ns ? end_ns : f->last_end_ns;
	}
	summary_add(f, begin_ns, parents, depth);
	return 0;
}

void infer_finish(struct infer *f)
{
	struct infer_summary *s = &f->sum;
	while (f->n_open)
		open_end(f);
	if (!s->n_requests)
		return;
	s->width_mean = f->width_sum / (double)s->n_requests;
	s->span_ns = (f->last_end_ns > f->last_begin_ns ? f->last_end_ns : f->last_begin_ns) -
		     s->first_begin_ns;
	s->think_ns = f->last_issue_ns - s->first_begin_ns;
}

void infer_release(struct infer *f)
{
	FREE_EACH(f->open, f->best);
	*f = (struct infer){.open = NULL};
}
