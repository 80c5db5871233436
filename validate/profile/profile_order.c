/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/profile_private.h"

static int arrivals_take(void *context, const struct arrival *a, size_t n, struct err *e)
{
	struct profile_order *o = context;
	struct profile *p = o->p;
	double sum = p->sum_gap_ns, squared = p->sum_gap_squared;
	int64_t last_ns = o->n || !n ? o->last_begin_ns : a[0].begin_ns;
	for (size_t i = o->n ? 0 : 1; i < n; i++) {
		const int64_t gap_ns = a[i].begin_ns - last_ns;
		histogram_add(&p->gap, gap_ns);
		sum += (double)gap_ns;
		squared += (double)gap_ns * (double)gap_ns;
		last_ns = a[i].begin_ns;
	}
	p->sum_gap_ns = sum;
	p->sum_gap_squared = squared;
	o->last_begin_ns = last_ns;
	o->n += n;
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++)
		ret = concurrency_add(&p->concurrency, a[i].begin_ns, a[i].end_ns, NULL, e);
	return ret;
}

int profile_order_init(struct profile_order *o, struct profile *p, enum arrivals_mode mode,
		       struct err *e)
{
	static const struct arrivals_options options = {1u << 14, 1u << 19, 32u << 20, NULL};
	memset(o, 0, sizeof *o);
	o->p = p;
	concurrency_release(&p->concurrency);
	histogram_release(&p->gap);
	p->sum_gap_ns = p->sum_gap_squared = 0;
	p->sorted = mode == ARRIVALS_WINDOW;
	concurrency_init(&p->concurrency, PROFILE_LEVELS);
	return arrivals_init(&o->arrivals, mode, &options,
			     (struct arrivals_sink){o, arrivals_take}, e);
}

void profile_order_release(struct profile_order *o)
{
	arrivals_release(&o->arrivals);
}

int profile_order_add(struct profile_order *o, const struct trace_record *r, size_t n,
		      struct err *e)
{
	if (o->arrivals.late)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (r[i].begin_ns == TIME_NONE)
			continue;
		struct arrival *a = arrivals_next(&o->arrivals);
		a->begin_ns = r[i].begin_ns;
		/* an end before the start counts as length 0 */
		a->end_ns = r[i].end_ns != TIME_NONE && r[i].end_ns < r[i].begin_ns ? r[i].begin_ns
										    : r[i].end_ns;
		int ret = arrivals_added(&o->arrivals, e);
		if (ret)
			return ret;
	}
	return 0;
}

int profile_order_finish(struct profile_order *o, bool *late, struct err *e)
{
	int ret = o->arrivals.late ? 0 : arrivals_finish(&o->arrivals, e);
	*late = o->arrivals.late;
	if (!ret && !*late) {
		concurrency_finish(&o->p->concurrency);
		o->p->has_order = o->n > 0;
	}
	return ret;
}
