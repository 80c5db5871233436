/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/sizes.h"

void sizes_init(struct sizes *s)
{
	*s = (struct sizes){.n_distinct = 0};
	histogram_init(&s->distribution);
}

void sizes_release(struct sizes *s)
{
	histogram_release(&s->distribution);
	free(s->count);
	u64_map_release(&s->count_of);
	s->count = NULL;
}

struct size_count *sizes_find(struct sizes *s, uint64_t size)
{
	const uint32_t *known = u64_map_find(&s->count_of, size);
	if (known)
		return &s->count[*known];
	if (s->n_distinct == SIZES_MAX)
		return NULL;
	/* growing moves the entries */
	memset(s->recent, 0, sizeof s->recent);
	GROW(s->count, s->n_distinct, s->cap_counts);
	u64_map_at(&s->count_of, size, (uint32_t)s->n_distinct);
	struct size_count *c = &s->count[s->n_distinct++];
	*c = (struct size_count){.size = size};
	return c;
}

static bool is_before(const struct size_count *a, const struct size_count *b)
{
	return a->n > b->n || (a->n == b->n && a->size < b->size);
}

size_t sizes_common(const struct sizes *s, struct size_count *top, size_t k)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n_distinct; i++) {
		const struct size_count *c = &s->count[i];
		if (n == k && !is_before(c, &top[n - 1]))
			continue;
		size_t at = n < k ? n++ : n - 1;
		for (; at > 0 && is_before(c, &top[at - 1]); at--)
			top[at] = top[at - 1];
		top[at] = *c;
	}
	return n;
}
