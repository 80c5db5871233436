/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/each.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/processors.h"

struct each_work {
	void (*one)(void *context, size_t i);
	void *context;
	size_t n;
	atomic_size_t next;
};

static void *worker_main(void *arg)
{
	struct each_work *w = arg;
	for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->n;)
		w->one(w->context, i);
	return NULL;
}

size_t each_threads(size_t n)
{
	size_t most = (size_t)processors_allowed();
	most = most < EACH_THREADS_MAX ? most : EACH_THREADS_MAX;
	return n < 1 ? 1 : n < most ? n : most;
}

void each_do(size_t n, void (*one)(void *context, size_t i), void *context)
{
	struct each_work w = {.one = one, .context = context, .n = n};
	pthread_t thread[EACH_THREADS_MAX];
	const size_t n_threads = each_threads(n);
	size_t n_started = 0;
	while (n_started + 1 < n_threads &&
	       !pthread_create(&thread[n_started], NULL, worker_main, &w))
		n_started++;
	worker_main(&w);
	while (n_started > 0)
		pthread_join(thread[--n_started], NULL);
}
