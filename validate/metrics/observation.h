/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A point of observation (issue, dispatch, completion): reordering over the whole trace, per object
 * and per thread, and the levels of concurrency, from requests sorted by time.
 *
 * Requests of the reference are numbered in the order of their starts; those with equal starts keep
 * the file order. They are sorted first if necessary. Observations at equal times keep the order of
 * the observed file. Both sorts are those of arrivals.h: by a window that may be too small (`late`:
 * repeat with runs), or by runs. */
#pragma once

#include "validate/metrics/arrivals.h"
#include "validate/metrics/concurrency.h"
#include "validate/metrics/disorder.h"
#include "validate/metrics/lifetime.h"

enum order_scope { SCOPE_ALL, SCOPE_OBJECT, SCOPE_THREAD, SCOPE_N };
/* higher levels are counted together with this level */
#define OBSERVATION_MAX_LEVELS 65536u

struct observation_options {
	unsigned int scopes; /* bits 1 << enum order_scope; 0: no reordering */
	bool levels, lifetimes;
	bool sort_reference;	      /* requests do not come in the order of the reference */
	/* nor in the order of the observed file: with equal times, file_place decides */
	bool by_place;
	/* without reordering, and requests come in the order of their starts: nothing is stored */
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

/* Initialises the observation. The struct must not be moved afterwards. Errors: ENOMEM. Ownership:
 * observation_release, also after an error. */
int observation_init(struct observation *o, const struct observation_options *options,
		     struct err *e);
void observation_release(struct observation *o);

/* Makes room for the counters of a thread and an object. Call it before the numbers are used. */
void observation_reserve(struct observation *o, uint32_t thread, uint32_t object);
/* Counts a request of the reference as lost. Returns 0. */
int observation_lost(struct observation *o, uint32_t thread, uint32_t object);
/* Adds an arrival of the replay, to be sorted by start and place of its partner in the reference.
 * Errors: of the sort (validate/metrics/arrivals.h). */
int observation_sort(struct observation *o, const struct arrival *a, int64_t reference_ns,
		     uint32_t reference_place, struct err *e);
/* Adds n arrivals, in the order of their starts, to the levels of concurrency. Errors: ENOMEM. */
int observation_take_levels(struct observation *o, const struct arrival *a, size_t n,
			    struct err *e);

/* Copies each member separately: wide loads directly after narrow stores would stall until the
 * stores reach the cache. */
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

/* Adds a request of the reference that began at reference_ns (or any number in the order of the
 * starts), record reference_place of its file, in the given sequences (numbered from 0 by first
 * use). *a contains the observation: begin_ns is its time (TIME_NONE: never), end_ns is used for
 * levels; then follow bytes, thread, object and file_place, the record of the observed file. */
__attribute__((always_inline)) static inline int observation_add(struct observation *o,
	const struct arrival *a, int64_t reference_ns, uint32_t reference_place, struct err *e)
{
	if (__builtin_expect(o->options.sort_reference, 0)) {
		struct arrival copy = *a; /* lets *a stay in registers */
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

/* Adds a request that the reference does not have. It counts only for the levels. */
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

/* Ends the input. *late: everything must be observed again with ARRIVALS_RUNS. */
int observation_finish(struct observation *o, bool *late, struct err *e);
