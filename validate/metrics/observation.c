/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/observation.h"

int observation_take_levels(struct observation *o, const struct arrival *a, size_t n, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < n && o->options.levels && !ret; i++)
		ret = concurrency_add(&o->concurrency, a[i].begin_ns, a[i].end_ns, NULL, e);
	for (size_t i = 0; i < n && o->options.lifetimes && !ret; i++)
		lifetime_add(&o->lifetime, a[i].begin_ns, a[i].end_ns);
	return ret;
}

/* Processes one scope at a time, so that its data stays in the first-level cache. */
static int take_order(struct observation *o, const struct arrival *a, size_t n,
		      enum order_scope scope, struct err *e)
{
	static const char *const names[SCOPE_N] = {"trace", "object", "thread"};
	struct disorder *d = &o->scope[scope];
	int ret = 0;
	for (size_t i = 0; i < n && !ret; i++) {
		if (a[i].thread == ARRIVAL_NO_SEQUENCE)
			continue;
		uint32_t sequence = scope == SCOPE_ALL      ? 0
				    : scope == SCOPE_OBJECT ? a[i].object
							    : a[i].thread;
		uint32_t k = scope == SCOPE_ALL      ? a[i].k_all
			     : scope == SCOPE_OBJECT ? a[i].k_object
						     : a[i].k_thread;
		ret = disorder_add(d, sequence, k, a[i].begin_ns, a[i].bytes, e);
	}
	return ret ? err_context(e, "order of the requests of the same %s", names[scope]) : 0;
}

enum { AT_ONCE = 128 };

static int batch_take(void *context, const struct arrival *a, size_t n, struct err *e)
{
	struct observation *o = context;
	int ret = 0;
	while (n && !ret) {
		size_t m = n < AT_ONCE ? n : AT_ONCE;
		ret = observation_take_levels(o, a, m, e);
		for (int s = 0; s < SCOPE_N && !ret; s++)
			if (o->options.scopes & (1u << s))
				ret = take_order(o, a, m, (enum order_scope)s, e);
		a += m;
		n -= m;
	}
	return ret;
}

/* Encoding of an entry that is sorted by the reference. begin_ns and file_place are those of the
 * reference; end_ns and k_object are time and place of the observation. k_all and k_thread contain
 * the time from the observation to the end of the request, or NO_END if it has no end. */
#define NO_END UINT64_MAX

static int take_by_reference(void *context, const struct arrival *a, size_t n, struct err *e)
{
	struct observation *o = context;
	int ret = 0;
	o->options.sort_reference = false; /* from now on requests come in order */
	for (size_t i = 0; i < n && !ret; i++) {
		struct arrival observed = a[i];
		observed.begin_ns = a[i].end_ns;
		observed.end_ns = TIME_NONE;
		observed.file_place = a[i].k_object;
		const uint64_t duration = (uint64_t)a[i].k_all << 32 | a[i].k_thread;
		if (duration != NO_END)
			observed.end_ns = a[i].end_ns + (int64_t)duration;
		ret = observation_add(o, &observed, 0, 0, e);
	}
	o->options.sort_reference = true;
	return ret;
}

int observation_sort(struct observation *o, const struct arrival *a, int64_t reference_ns,
		     uint32_t reference_place, struct err *e)
{
	struct arrival *to = arrivals_next(&o->by_reference);
	bool ends = a->begin_ns != TIME_NONE && a->end_ns != TIME_NONE;
	uint64_t duration = ends ? (uint64_t)(a->end_ns - a->begin_ns) : NO_END;
	*to = *a;
	to->begin_ns = reference_ns;
	to->end_ns = a->begin_ns;
	to->k_all = (uint32_t)(duration >> 32);
	to->k_thread = (uint32_t)duration;
	to->k_object = a->file_place;
	to->file_place = reference_place;
	return arrivals_added(&o->by_reference, e);
}

int observation_init(struct observation *o, const struct observation_options *options,
		     struct err *e)
{
	memset(o, 0, sizeof *o);
	o->options = *options;
	o->by_time.fd = o->by_reference.fd = -1;
	for (int s = 0; s < SCOPE_N; s++)
		disorder_init(&o->scope[s], &options->order);
	int ret = arrivals_init(&o->by_time, options->mode, &options->sorting,
				(struct arrivals_sink){o, batch_take}, e);
	if (!ret && options->sort_reference)
		ret = arrivals_init(&o->by_reference, options->mode, &options->sorting,
				    (struct arrivals_sink){o, take_by_reference}, e);
	o->by_time.by_place = options->by_place;
	o->by_reference.by_place = options->sort_reference;
	if (options->levels)
		concurrency_init(&o->concurrency, OBSERVATION_MAX_LEVELS);
	return ret;
}

void observation_release(struct observation *o)
{
	arrivals_release(&o->by_reference);
	arrivals_release(&o->by_time);
	FREE_EACH(o->n_thread, o->n_object);
	for (int s = 0; s < SCOPE_N; s++)
		disorder_release(&o->scope[s]);
	concurrency_release(&o->concurrency);
	lifetime_release(&o->lifetime);
}

static void counters_reserve(uint32_t **n, size_t *cap, uint32_t number)
{
	size_t was = *cap;
	if (number < was)
		return;
	while (number >= *cap)
		*cap = *cap ? 2 * *cap : 64;
	*n = xreallocarray(*n, *cap, sizeof **n);
	memset(*n + was, 0, (*cap - was) * sizeof **n);
}

void observation_reserve(struct observation *o, uint32_t thread, uint32_t object)
{
	counters_reserve(&o->n_thread, &o->thread_cap, thread);
	counters_reserve(&o->n_object, &o->object_cap, object);
}

int observation_lost(struct observation *o, uint32_t thread, uint32_t object)
{
	if (o->options.scopes & 1u << SCOPE_ALL)
		disorder_lost(&o->scope[SCOPE_ALL], 0, o->n_all);
	if (o->options.scopes & 1u << SCOPE_OBJECT)
		disorder_lost(&o->scope[SCOPE_OBJECT], object, o->n_object[object]);
	if (o->options.scopes & 1u << SCOPE_THREAD)
		disorder_lost(&o->scope[SCOPE_THREAD], thread, o->n_thread[thread]);
	return 0;
}

int observation_finish(struct observation *o, bool *late, struct err *e)
{
	*late = false;
	if (o->options.sort_reference) {
		int ret = arrivals_finish(&o->by_reference, e);
		*late = o->by_reference.late;
		if (ret || *late)
			return ret;
	}
	int ret = arrivals_finish(&o->by_time, e);
	*late = o->by_time.late;
	if (ret || *late)
		return ret;
	for (int s = 0; s < SCOPE_N; s++)
		disorder_finish(&o->scope[s]);
	if (o->options.levels)
		concurrency_finish(&o->concurrency);
	return 0;
}
