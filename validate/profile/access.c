/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/access.h"

const char *const access_pattern_names[ACCESS_N + 1] = {
    "first", "sequential", "repeated", "strided", "near", "random", NULL};

void access_release(struct access *a)
{
	free(a->sequence);
	u64_map_release(&a->number);
	*a = (struct access){.sequence = NULL};
}

/* Finds a sequence; NULL: there is none. *key: its key, or the first key that no other sequence
 * has. */
static struct access_sequence *sequence_find(const struct access *a, uint64_t high, uint32_t low,
					     uint64_t *key)
{
	for (*key = high ^ (uint64_t)low << 19;; ++*key) {
		const uint32_t *number = u64_map_find(&a->number, *key);
		struct access_sequence *s = number ? &a->sequence[*number] : NULL;
		if (!s || (s->high == high && s->low == low))
			return s;
	}
}

void access_add(struct access *a, uint64_t high, uint32_t low, bool write, uint64_t offset,
		uint64_t moved)
{
	uint64_t key;
	struct access_sequence *s = sequence_find(a, high, low, &key);
	if (!s && a->n_sequences == ACCESS_SEQUENCES_MAX) {
		a->counts.n_not_followed++;
		return;
	}
	if (!s) {
		GROW(a->sequence, a->n_sequences, a->cap_sequences);
		u64_map_at(&a->number, key, (uint32_t)a->n_sequences);
		s = &a->sequence[a->n_sequences++];
		*s = (struct access_sequence){high, low, ACCESS_PLACE_INIT};
	}
	access_count(&a->counts, &s->place, write, offset, moved);
}

void access_forget(struct access *a, uint64_t high, uint32_t low)
{
	uint64_t key;
	struct access_sequence *s = sequence_find(a, high, low, &key);
	if (s)
		s->place = ACCESS_PLACE_INIT;
}

uint64_t access_total(const struct access_counts *c, enum access_pattern pattern)
{
	return c->n[0][pattern] + c->n[1][pattern];
}

uint64_t access_all(const struct access_counts *c)
{
	uint64_t n = 0;
	for (int p = 0; p < ACCESS_N; p++)
		n += access_total(c, (enum access_pattern)p);
	return n;
}
