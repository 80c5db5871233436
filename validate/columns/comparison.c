/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "common/processors.h"
#include "common/xalloc.h"
#include "validate/columns/comparison_private.h"

enum { MAX_THREADS = 16 };

struct work {
	void (*const *part)(const struct comparison_part *);
	const struct comparison *c;
	const struct comparison_plan *plan;
	struct estimates *out; /* [n] */
	size_t n;
	atomic_size_t next;
};

static void *worker(void *arg)
{
	struct work *w = arg;
	for (;;) {
		size_t i = atomic_fetch_add(&w->next, 1);
		if (i >= w->n)
			return NULL;
		struct comparison_part part = {w->c, w->plan, &w->out[i]};
		w->part[i](&part);
	}
}

void comparison_run(void (*const *part)(const struct comparison_part *), size_t n, const struct comparison *c,
		    const struct comparison_plan *plan, struct estimates *out)
{
	struct work w = {.part = part, .c = c, .plan = plan, .n = n};
	long processors = plan->n_threads ? (long)plan->n_threads : processors_allowed();
	size_t n_threads = processors < 1 ? 1 : processors > MAX_THREADS ? MAX_THREADS : (size_t)processors;
	pthread_t thread[MAX_THREADS];
	size_t n_started = 0;
	bool small = c->ref->x.n + c->rep->x.n < 10000; /* done sooner than a thread starts */
	w.out = xcalloc(n, sizeof *w.out);
	while (!small && n_started + 1 < n_threads && n_started + 1 < n &&
	       !pthread_create(&thread[n_started], NULL, worker, &w))
		n_started++;
	worker(&w);
	for (size_t i = 0; i < n_started; i++)
		pthread_join(thread[i], NULL);
	for (size_t i = 0; i < n; i++)
		estimates_append(out, &w.out[i]);
	free(w.out);
}

void comparison_compute(struct comparison *c, const struct column_sample *ref, const struct column_sample *rep,
			const struct comparison_plan *plan)
{
	/* the long ones first, so that threads end together; the bootstrap has threads of its own */
	static void (*const part[])(const struct comparison_part *) = {
	    compare_shift, compare_ranks,     compare_budget, compare_spread, compare_means,
	    compare_paper, compare_quantiles, compare_pairs,  compare_equivalence,
	};
	*c = (struct comparison){.ref = ref, .rep = rep, .paired = plan->paired};
	answer_bias(c, plan);
	answer_precision(c, plan);
	comparison_run(part, sizeof part / sizeof *part, c, plan, &c->estimates);
	struct comparison_part last = {c, plan, &c->estimates};
	compare_bootstrap(&last);
}

void comparison_release(struct comparison *c)
{
	estimates_release(&c->estimates);
	*c = (struct comparison){0};
}
