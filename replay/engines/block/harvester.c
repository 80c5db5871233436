/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/block/harvester.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/processors.h"
#include "common/xalloc.h"

#define FETCH_MAX 64u
#define LOOK_NS 20000000 /* how often it looks whether it is to stop */

struct harvester {
	_Alignas(128) _Atomic uint32_t written; /* by the thread */
	_Atomic int failed;
	_Alignas(128) _Atomic uint32_t read; /* by the worker */
	_Atomic bool stop;
	/* ring[mask + 1]: room for all that can be in flight */
	_Alignas(128) struct harvested *ring;
	uint32_t mask;
	const struct block_backend *backend;
	struct block_queue *queue;
	const struct clock *clock;
	int cpu;
	pthread_t id;
};

static void *harvester_main(void *arg)
{
	struct harvester *h = arg;
	struct block_done done[FETCH_MAX];
	uint32_t written = 0;
	(void)thread_pin(h->cpu);
	while (!atomic_load_explicit(&h->stop, memory_order_relaxed)) {
		int n = h->backend->harvest(h->queue, done, FETCH_MAX, LOOK_NS);
		uint64_t end = clock_end(h->clock);
		if (n < 0) {
			atomic_store(&h->failed, -n);
			break;
		}
		/* The worker has read what is overwritten here: a slot is used again only after
		 * that. This load pairs with the store of harvester_take, because C knows no order
		 * by way of the kernel. */
		(void)atomic_load_explicit(&h->read, memory_order_acquire);
		for (int i = 0; i < n; i++)
			h->ring[written++ & h->mask] = (struct harvested){done[i], end};
		atomic_store_explicit(&h->written, written, memory_order_release);
	}
	return NULL;
}

int harvester_start(struct harvester **out, const struct block_backend *b, struct block_queue *q,
		    uint32_t n_slots, const struct clock *clock, int cpu, struct err *e)
{
	uint32_t cap = 1;
	while (cap < n_slots + 1)
		cap *= 2;
	struct harvester *h = aligned_alloc(128, sizeof *h);
	if (!h)
		return err_set(e, ENOMEM, "not enough memory for a harvester");
	*h = (struct harvester){.mask = cap - 1, .backend = b, .queue = q, .clock = clock, .cpu = cpu};
	h->ring = xcalloc(cap, sizeof *h->ring);
	int code = pthread_create(&h->id, NULL, harvester_main, h);
	if (code) {
		free(h->ring);
		free(h);
		return err_sys(e, code, "starting a harvester");
	}
	*out = h;
	return 0;
}

uint32_t harvester_take(struct harvester *h, struct harvested *got, uint32_t max, int *failed)
{
	uint32_t read = atomic_load_explicit(&h->read, memory_order_relaxed), n = 0;
	uint32_t written = atomic_load_explicit(&h->written, memory_order_acquire);
	int code = atomic_load_explicit(&h->failed, memory_order_relaxed);
	while (read != written && n < max)
		got[n++] = h->ring[read++ & h->mask];
	atomic_store_explicit(&h->read, read, memory_order_release);
	*failed = code ? code : *failed;
	return n;
}

void harvester_stop(struct harvester *h)
{
	if (!h)
		return;
	atomic_store(&h->stop, true);
	pthread_join(h->id, NULL);
	free(h->ring);
	free(h);
}
