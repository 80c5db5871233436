/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/lock_turns.h"

#include <stdlib.h>

#include "common/xalloc.h"
#include "replay/load/load.h"

struct taker {
	int64_t end_ns;
	uint32_t file, request;
	bool shared;
};

static int by_file_and_end(const void *one, const void *other)
{
	const struct taker *a = one, *b = other;
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns < b->end_ns ? -1 : 1;
	return (a->request > b->request) - (a->request < b->request);
}

static int by_turn(const void *one, const void *other)
{
	const struct lock_turn *a = one, *b = other;
	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	return (a->request > b->request) - (a->request < b->request);
}

static int by_number(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

static struct taker *takers_find(uint32_t *n, const struct load *l, const struct slots *s)
{
	struct taker *taker = NULL;
	uint32_t cap = 0;
	*n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		const uint32_t file = s->slot[r->slot].file;
		bool of_process;
		if (!r->slot || file == NONE32 || !s->file[file].locked)
			continue;
		const enum lock_act act = lock_act(l, r, &of_process);
		if (act != LOCK_TAKEN && act != LOCK_SHARED)
			continue;
		GROW(taker, *n, cap);
		taker[(*n)++] = (struct taker){load_end_ns(l, r), file, i, act == LOCK_SHARED};
	}
	return taker;
}

void lock_turns_find(struct lock_turns *t, const struct load *l, const struct slots *s)
{
	*t = (struct lock_turns){.turn = NULL};
	uint32_t n, cap = 0;
	struct taker *const taker = takers_find(&n, l, s);
	int64_t exclusive = INT64_MIN, any = INT64_MIN;
	if (n)
		qsort(taker, n, sizeof *taker, by_file_and_end);
	for (uint32_t i = 0; i < n; i++) {
		if (!i || taker[i].file != taker[i - 1].file)
			exclusive = any = INT64_MIN;
		const int64_t after = taker[i].shared ? exclusive : any;
		if (after > l->request[taker[i].request].begin_ns) {
			GROW(t->turn, t->n, cap);
			t->turn[t->n++] = (struct lock_turn){after, taker[i].request};
		}
		any = taker[i].end_ns;
		exclusive = taker[i].shared ? exclusive : any;
	}
	free(taker);
	if (!t->n)
		return;
	qsort(t->turn, t->n, sizeof *t->turn, by_turn);
	t->left_out = xcalloc(t->n, sizeof *t->left_out);
	for (uint32_t i = 0; i < t->n; i++)
		t->left_out[i] = t->turn[i].request;
	qsort(t->left_out, t->n, sizeof *t->left_out, by_number);
}

uint32_t lock_turns_next(struct lock_turns *t, const struct load *l, int64_t *begin_ns)
{
	while (t->n_left_out < t->n && t->left_out[t->n_left_out] == t->next) {
		t->n_left_out++;
		t->next++;
	}
	const bool turn = t->at < t->n;
	if (t->next < l->n && (!turn || t->turn[t->at].ns > l->request[t->next].begin_ns)) {
		*begin_ns = l->request[t->next].begin_ns;
		return t->next++;
	}
	if (!turn)
		return NONE32;
	*begin_ns = t->turn[t->at].ns;
	return t->turn[t->at++].request;
}

void lock_turns_release(struct lock_turns *t)
{
	free(t->turn);
	free(t->left_out);
	*t = (struct lock_turns){.turn = NULL};
}
