/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time that a cache line takes from one CPU to another: half of the round trip of two threads
 * that answer each other through one line and do nothing else. On a virtual machine it depends on
 * the hypervisor's placement of the CPUs, and changes within minutes. */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "common/clock.h"
#include "common/processors.h"

enum { LINE_STRETCHES = 51, LINE_STRETCH = 200 };

struct line_pair {
	_Alignas(128) _Atomic uint32_t word;
	_Alignas(128) char unused;
};

static void *line_answer(void *arg)
{
	struct line_pair *p = arg;
	(void)thread_pin(processor_nth(1));
	for (uint32_t i = 0; i < LINE_STRETCHES * LINE_STRETCH; i++) {
		while (atomic_load_explicit(&p->word, memory_order_acquire) != 2 * i + 1)
			;
		atomic_store_explicit(&p->word, 2 * i + 2, memory_order_release);
	}
	return NULL;
}

static int compare_way(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Time in ns of one transfer: the median of several series; 0 if there are not two CPUs. Takes some
 * ms. */
static double line_way_ns(void)
{
	struct line_pair p = {.word = 0};
	cpu_set_t before;
	pthread_t other;
	int64_t ns[LINE_STRETCHES];
	if (sched_getaffinity(0, sizeof before, &before) < 0 || CPU_COUNT(&before) < 2 ||
	    pthread_create(&other, NULL, line_answer, &p))
		return 0;
	(void)thread_pin(processor_nth(0));
	for (uint32_t k = 0, i = 0; k < LINE_STRETCHES; k++) {
		const int64_t from = clock_monotonic_ns();
		for (uint32_t n = 0; n < LINE_STRETCH; n++, i++) {
			atomic_store_explicit(&p.word, 2 * i + 1, memory_order_release);
			while (atomic_load_explicit(&p.word, memory_order_acquire) != 2 * i + 2)
				;
		}
		ns[k] = clock_monotonic_ns() - from;
	}
	pthread_join(other, NULL);
	(void)sched_setaffinity(0, sizeof before, &before);
	qsort(ns, LINE_STRETCHES, sizeof *ns, compare_way);
	return (double)ns[LINE_STRETCHES / 2] / LINE_STRETCH / 2;
}
