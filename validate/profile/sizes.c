/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/sizes.h"

#include "common/sort.h"

void sizes_release(struct sizes *s)
{
	histogram_release(&s->distribution);
	free(s->count);
	u64_map_release(&s->count_of);
	s->count = NULL;
}

void sizes_add(struct sizes *s, uint64_t size)
{
	const uint32_t *known = u64_map_find(&s->count_of, size);
	histogram_add(&s->distribution, size < INT64_MAX ? (int64_t)size : INT64_MAX);
	if (!known && s->n_distinct == SIZES_MAX) {
		s->n_not_counted++;
		return;
	}
	if (!known) {
		known = u64_map_at(&s->count_of, size, (uint32_t)s->n_distinct);
		APPEND(s->count, s->n_distinct, s->cap_counts, (struct size_count){.size = size});
	}
	s->count[*known].n++;
}

static int by_count(const void *a, const void *b)
{
	const struct size_count *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return order_u64(&x->size, &y->size);
}

size_t sizes_common(const struct sizes *s, struct size_count *top, size_t k)
{
	return sort_top(top, k, s->count, s->n_distinct, sizeof *top, by_count);
}
