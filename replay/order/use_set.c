/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/use_set.h"

/* sets with more threads use the hash table */
#define LISTED_MAX 8u

void use_table_release(struct use_table *t)
{
	u64_map_release(&t->at);
	FREE_EACH(t->use, t->number);
	*t = (struct use_table){.use = NULL};
}

static uint32_t *cell_of(struct use_table *t, const struct use_set *s, uint32_t thread)
{
	return u64_map_at(&t->at, u64_pair(s->number, thread), 0);
}

static uint32_t use_find(struct use_table *t, const struct use_set *s, uint32_t thread)
{
	if (s->number) {
		const uint32_t u = *cell_of(t, s, thread);
		return u && t->use[u].set == s->number && t->use[u].thread == thread ? u : 0;
	}
	uint32_t u = s->first;
	while (u && t->use[u].thread != thread)
		u = t->use[u].next;
	return u;
}

static void number_take(struct use_table *t, struct use_set *s)
{
	s->number = t->n_numbers ? t->number[--t->n_numbers] : ++t->n_sets;
	for (uint32_t u = s->first; u; u = t->use[u].next) {
		t->use[u].set = s->number;
		*cell_of(t, s, t->use[u].thread) = u;
	}
}

static uint32_t use_add(struct use_table *t, struct use_set *s, uint32_t thread, uint64_t value)
{
	uint32_t u = t->free;
	if (u) {
		t->free = t->use[u].next;
	} else {
		t->n += t->n == 0; /* number 0 ends lists */
		GROW(t->use, t->n, t->cap);
		u = t->n++;
	}
	if (s->n++ >= LISTED_MAX && !s->number)
		number_take(t, s);
	t->use[u] =
	    (struct use){.next = s->first, .least = value, .thread = thread, .set = s->number};
	if (s->number)
		*cell_of(t, s, thread) = u;
	s->first = u;
	return u;
}

void use_note(struct use_table *t, struct use_set *s, uint32_t thread, uint32_t request,
	      uint64_t value)
{
	const uint32_t known = use_find(t, s, thread),
		       at = known ? known : use_add(t, s, thread, value);
	struct use *u = &t->use[at];
	u->request = request;
	if (value < u->least)
		u->least = value;
}

static void use_free(struct use_table *t, uint32_t u)
{
	t->use[u] = (struct use){.next = t->free};
	t->free = u;
}

void use_drop(struct use_table *t, struct use_set *s)
{
	for (uint32_t u = s->first, next; u; u = next) {
		next = t->use[u].next;
		use_free(t, u);
	}
	if (s->number)
		APPEND(t->number, t->n_numbers, t->numbers_cap, s->number);
	*s = (struct use_set){.first = 0};
}
