/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/order_private.h"

#include <pthread.h>

#define STRETCHES 4u

struct relay {
	relay_take *take;
	void *ctx;
	bool apart; /* `id` is a thread that takes the events */
	pthread_t id;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* the next batch is n_given modulo STRETCHES; memory of taken batches is used again */
	struct fs_events stretch[STRETCHES];
	uint64_t n_given, n_taken;
	bool done;
};

static void *taking(void *arg)
{
	struct relay *r = arg;
	pthread_mutex_lock(&r->lock);
	for (;;) {
		while (r->n_taken == r->n_given && !r->done)
			pthread_cond_wait(&r->changed, &r->lock);
		if (r->n_taken == r->n_given)
			break;
		const struct fs_events *t = &r->stretch[r->n_taken % STRETCHES];
		pthread_mutex_unlock(&r->lock);
		r->take(r->ctx, t->word, t->n);
		pthread_mutex_lock(&r->lock);
		r->n_taken++;
		pthread_cond_signal(&r->changed);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

struct relay *relay_begin(relay_take *take, void *ctx)
{
	struct relay *r = xcalloc(1, sizeof *r);
	r->take = take;
	r->ctx = ctx;
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->changed, NULL);
	r->apart = pthread_create(&r->id, NULL, taking, r) == 0;
	return r;
}

static void words_add(struct fs_events *t, const uint64_t *word, size_t n)
{
	if (t->cap < n) {
		t->word = xreallocarray(t->word, n * 2, sizeof *t->word);
		t->cap = n * 2;
	}
	if (n)
		memcpy(t->word, word, n * sizeof *word);
	t->n = n;
}

void relay_give(struct relay *r, struct fs_events *events, size_t n)
{
	if (!r->apart) {
		r->take(r->ctx, events->word, n);
		memmove(events->word, events->word + n, (events->n - n) * sizeof *events->word);
		events->n -= n;
		return;
	}
	pthread_mutex_lock(&r->lock);
	while (r->n_given - r->n_taken == STRETCHES)
		pthread_cond_wait(&r->changed, &r->lock);
	pthread_mutex_unlock(&r->lock);
	/* other threads read it only after n_given has grown */
	struct fs_events *slot = &r->stretch[r->n_given % STRETCHES], full = *events;
	words_add(slot, full.word + n, full.n - n);
	*events = *slot;
	full.n = n;
	*slot = full;
	pthread_mutex_lock(&r->lock);
	r->n_given++;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

void relay_end(struct relay *r)
{
	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->done = true;
	pthread_cond_signal(&r->changed);
	pthread_mutex_unlock(&r->lock);
	if (r->apart)
		pthread_join(r->id, NULL);
	for (size_t i = 0; i < STRETCHES; i++)
		free(r->stretch[i].word);
	pthread_mutex_destroy(&r->lock);
	pthread_cond_destroy(&r->changed);
	free(r);
}
