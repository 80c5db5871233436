/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/sizes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"

void sizes_init(struct sizes *s)
{
	*s = (struct sizes){.n_slots = 256};
	histogram_init(&s->distribution);
	s->slot = xcalloc(s->n_slots, sizeof *s->slot);
}

void sizes_release(struct sizes *s)
{
	histogram_release(&s->distribution);
	free(s->slot);
	s->slot = NULL;
}

static struct size_count *slot_of(const struct sizes *s, uint64_t size)
{
	size_t i = sizes_hash(size) >> 32 & (s->n_slots - 1);
	while (s->slot[i].n && s->slot[i].size != size)
		i = (i + 1) & (s->n_slots - 1);
	return &s->slot[i];
}

static void grow(struct sizes *s)
{
	struct size_count *old = s->slot;
	size_t n_old = s->n_slots;
	s->n_slots *= 2;
	s->slot = xcalloc(s->n_slots, sizeof *s->slot);
	for (size_t i = 0; i < n_old; i++)
		if (old[i].n)
			*slot_of(s, old[i].size) = old[i];
	free(old);
	memset(s->recent, 0, sizeof s->recent);
}

struct size_count *sizes_find(struct sizes *s, uint64_t size)
{
	if (2 * s->n_distinct >= s->n_slots && s->n_slots < 2 * SIZES_MAX)
		grow(s);
	struct size_count *c = slot_of(s, size);
	if (c->n)
		return c;
	if (s->n_distinct == SIZES_MAX)
		return NULL;
	c->size = size;
	s->n_distinct++;
	return c;
}

static bool is_before(const struct size_count *a, const struct size_count *b)
{
	return a->n > b->n || (a->n == b->n && a->size < b->size);
}

size_t sizes_common(const struct sizes *s, struct size_count *top, size_t k)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_slots; i++) {
		const struct size_count *c = &s->slot[i];
		if (!c->n || (n == k && !is_before(c, &top[n - 1])))
			continue;
		size_t at = n < k ? n++ : n - 1;
		for (; at > 0 && is_before(c, &top[at - 1]); at--)
			top[at] = top[at - 1];
		top[at] = *c;
	}
	return n;
}
