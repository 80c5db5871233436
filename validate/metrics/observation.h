/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point at which requests are observed (issue, dispatch, completion), in the order of time:
 * reordering over the whole trace, within each object and within each thread, and the levels of
 * concurrency.
 *
 * The requests of the reference are numbered in the order of its begins, ties in the order of its
 * file. Where they are not given in that order, they are sorted first. Observations at the same
 * time are in the order of the observed file. Both sortings are those of arrivals.h: by a window,
 * which may turn out too small (`late`: all must be observed again, sorted in runs), or in runs. */
#ifndef VALIDATE_METRICS_OBSERVATION_H
#define VALIDATE_METRICS_OBSERVATION_H

#include <stdbool.h>
#include <stdint.h>

#include "validate/metrics/arrivals.h"
#include "validate/metrics/concurrency.h"
#include "validate/metrics/disorder.h"
#include "validate/metrics/lifetime.h"

enum order_scope { SCOPE_ALL, SCOPE_OBJECT, SCOPE_THREAD, SCOPE_N };
/* concurrency levels; what exceeds them is counted in the last */
#define OBSERVATION_MAX_LEVELS 65536u

struct observation_options {
	unsigned int scopes; /* bits 1 << enum order_scope; 0: no reordering */
	bool levels, lifetimes;
	bool sort_reference;	      /* requests are not given in the order of the reference */
	/* nor in that of the observed file: file_place of each breaks ties */
	bool by_place;
	/* no reordering, and requests come in the order of their begins: nothing is kept */
	bool in_order;
	enum arrivals_mode mode;
	struct arrivals_options sorting;
	struct disorder_options order;
};

struct observation {
	struct observation_options options;
	struct arrivals by_reference, by_time;
	uint32_t n_all;		       /* arrivals numbered so far */
	uint32_t *n_thread, *n_object; /* [thread_cap], [object_cap] */
	size_t thread_cap, object_cap;
	struct disorder scope[SCOPE_N];
	struct concurrency concurrency;
	struct lifetime lifetime;
};

/* Errors: ENOMEM. Ownership: observation_release, after an error too. The struct must stay where it
 * is. */
int observation_init(struct observation *o, const struct observation_options *options,
		     struct err *e);
void observation_release(struct observation *o);

void observation_reserve(struct observation *o, uint32_t thread, uint32_t object);
int observation_lost(struct observation *o, uint32_t thread, uint32_t object);
int observation_sort(struct observation *o, const struct arrival *a, int64_t reference_ns,
		     uint32_t reference_place, struct err *e);
int observation_take_levels(struct observation *o, const struct arrival *a, size_t n,
			    struct err *e);

/* Member by member: a copy by wide loads right behind the narrow stores waits until these have
 * reached the cache. */
__attribute__((always_inline)) static inline void arrival_put(struct arrival *to,
							      const struct arrival *a)
{
	to->begin_ns = a->begin_ns;
	to->end_ns = a->end_ns;
	to->thread = a->thread;
	to->object = a->object;
	to->bytes = a->bytes;
	to->file_place = a->file_place;
}

/* A request of the reference that began at reference_ns (or any number that is in the order of the
 * begins), record reference_place of its file, in the given sequences (numbers from 0, in the order
 * of first use). What was observed of it is in *a: begin_ns, the time of observation (TIME_NONE:
 * never); end_ns, for levels; bytes, thread and object; file_place, the record of the observed
 * file. */
__attribute__((always_inline)) static inline int
observation_add(struct observation *o, const struct arrival *a, int64_t reference_ns,
		uint32_t reference_place, struct err *e)
{
	if (__builtin_expect(o->options.sort_reference, 0)) {
		struct arrival copy = *a; /* so that *a may stay in registers */
		return observation_sort(o, &copy, reference_ns, reference_place, e);
	}
	if (o->options.scopes &&
	    __builtin_expect(a->thread >= o->thread_cap || a->object >= o->object_cap, 0))
		observation_reserve(o, a->thread, a->object);
	if (__builtin_expect(a->begin_ns == TIME_NONE, 0))
		return observation_lost(o, a->thread, a->object);
	struct arrival *to = arrivals_next(&o->by_time);
	arrival_put(to, a);
	if (o->options.scopes) {
		to->k_all = o->n_all++;
		to->k_thread = o->n_thread[a->thread]++;
		to->k_object = o->n_object[a->object]++;
	}
	return arrivals_added(&o->by_time, e);
}

/* One that has no place in the reference: for the levels only. */
static inline int observation_add_extra(struct observation *o, const struct arrival *a,
					struct err *e)
{
	if (!o->options.levels && !o->options.lifetimes)
		return 0;
	if (o->options.in_order) {
		struct arrival copy = *a;
		return observation_take_levels(o, &copy, 1, e);
	}
	struct arrival *to = arrivals_next(&o->by_time);
	arrival_put(to, a);
	to->thread = ARRIVAL_NO_SEQUENCE;
	return arrivals_added(&o->by_time, e);
}

/* No further request. *late: everything must be observed again, with ARRIVALS_RUNS. */
int observation_finish(struct observation *o, bool *late, struct err *e);

#endif
