/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a summary that needs the order of starts: levels of concurrency and reordering. */
#include "validate/metrics/metrics.h"
#include "validate/metrics/summary_private.h"

/* Adds the response time to *sum if this arrival is reordered. */
static int reorder_add(struct disorder *d, uint32_t sequence, uint32_t k, double response_ns,
		       double *sum, const char *scope, struct err *e)
{
	uint64_t before = sequence < d->n_sequences ? d->sequence[sequence].n_reordered : 0;
	int ret = disorder_add(d, sequence, k, 0, 0, e);
	if (ret)
		return err_context(e, "order of the requests of the same %s", scope);
	if (d->sequence[sequence].n_reordered != before)
		*sum += response_ns;
	return 0;
}

static int batch_take(void *context, const struct arrival *a, size_t n, struct err *e)
{
	struct summary_order *o = context;
	for (size_t i = 0; i < n; i++) {
		size_t level = 0;
		int ret = concurrency_add(&o->concurrency, a[i].begin_ns, a[i].end_ns, &level, e);
		if (ret)
			return ret;
		const bool counts = a[i].end_ns != TIME_NONE && !a[i].bytes;
		double response_ns = counts ? (double)(a[i].end_ns - a[i].begin_ns) : 0;
		level = level < SUMMARY_MAX_LEVELS ? level : SUMMARY_MAX_LEVELS - 1;
		o->response_at_level[level] += response_ns;
		/* counted before, but excluded */
		o->concurrency.requests_at_level[level] -= a[i].bytes;
		if (a[i].thread == ARRIVAL_NO_SEQUENCE)
			continue;
		ret = reorder_add(&o->all, 0, a[i].k_all, response_ns, &o->reordered_all,
				  "trace", e);
		if (!ret)
			ret = reorder_add(&o->by_thread, a[i].thread, a[i].k_thread, response_ns,
					  &o->reordered_thread, "thread", e);
		if (!ret)
			ret = reorder_add(&o->by_object, a[i].object, a[i].k_object, response_ns,
					  &o->reordered_object, "object", e);
		if (ret)
			return ret;
	}
	return 0;
}

int summary_order_init(struct summary_order *o, enum arrivals_mode mode,
		       const struct arrivals_options *options, bool has_input, struct err *e)
{
	const struct disorder_options unbounded = {DENSITY_UNBOUNDED, DENSITY_UNBOUNDED, true};
	memset(o, 0, sizeof *o);
	o->response_at_level = xcalloc(SUMMARY_MAX_LEVELS, sizeof *o->response_at_level);
	o->has_input = has_input;
	disorder_init(&o->all, &unbounded);
	disorder_init(&o->by_thread, &unbounded);
	disorder_init(&o->by_object, &unbounded);
	concurrency_init(&o->concurrency, SUMMARY_MAX_LEVELS - 1);
	return arrivals_init(&o->arrivals, mode, options, (struct arrivals_sink){o, batch_take}, e);
}

void summary_order_release(struct summary_order *o)
{
	sequences_release(&o->threads);
	sequences_release(&o->objects);
	disorder_release(&o->all);
	disorder_release(&o->by_thread);
	disorder_release(&o->by_object);
	concurrency_release(&o->concurrency);
	free(o->response_at_level);
	o->response_at_level = NULL;
	arrivals_release(&o->arrivals);
}

int summary_order_add(struct summary_order *o, const struct trace_record *x, const bool *kept,
		      size_t n, bool extra, struct err *e)
{
	int ret = 0;
	extra |= !o->has_input;
	for (size_t i = 0; i < n && !ret; i++) {
		bool negative = x[i].end_ns != TIME_NONE && x[i].end_ns < x[i].begin_ns;
		if (x[i].begin_ns == TIME_NONE || negative)
			continue;
		struct arrival *a = arrivals_next(&o->arrivals);
		a->begin_ns = x[i].begin_ns;
		a->end_ns = x[i].end_ns;
		/* the payload is not used here: 1 marks a request that is excluded from response
		 * times */
		a->bytes = kept && !kept[i];
		a->thread = ARRIVAL_NO_SEQUENCE;
		if (!extra) {
			a->k_all = o->n_issued++;
			a->thread = sequences_place(
			    &o->threads, (uint64_t)x[i].pid << 32 | x[i].tid, &a->k_thread);
			a->object =
			    sequences_place(&o->objects, metrics_object_key(&x[i]), &a->k_object);
		}
		ret = arrivals_added(&o->arrivals, e);
	}
	return ret;
}

int summary_order_finish(struct summary_order *o, bool *late, struct err *e)
{
	int ret = arrivals_finish(&o->arrivals, e);
	*late = o->arrivals.late;
	if (ret || *late)
		return ret;
	concurrency_finish(&o->concurrency);
	disorder_finish(&o->all);
	disorder_finish(&o->by_thread);
	disorder_finish(&o->by_object);
	return 0;
}
