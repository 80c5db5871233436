/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/errors.h"

void errors_release(struct errors *e)
{
	free(e->pair);
	u64_map_release(&e->pair_of);
	e->pair = NULL;
}

void errors_add(struct errors *e, uint16_t error, uint16_t op)
{
	const uint64_t key = u64_pair(error, op);
	const uint32_t *known = u64_map_find(&e->pair_of, key);
	e->n++;
	if (!known && e->n_pairs == ERRORS_MAX) {
		e->n_not_followed++;
		return;
	}
	if (!known) {
		known = u64_map_at(&e->pair_of, key, (uint32_t)e->n_pairs);
		APPEND(e->pair, e->n_pairs, e->cap, (struct error_count){.error = error, .op = op});
	}
	e->pair[*known].n++;
}

static int by_frequency(const void *a, const void *b)
{
	const struct error_count *x = a, *y = b;
	if (x->of_error != y->of_error)
		return x->of_error > y->of_error ? -1 : 1;
	if (x->error != y->error)
		return x->error < y->error ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->op < y->op ? -1 : x->op > y->op;
}

size_t errors_sorted(const struct errors *e, struct error_count **sorted)
{
	const size_t n = e->n_pairs;
	struct error_count *all = *sorted = xreallocarray(NULL, n + 1, sizeof *all);
	for (size_t i = 0; i < n; i++) {
		all[i] = e->pair[i];
		for (size_t k = 0; k < n; k++)
			if (e->pair[k].error == all[i].error)
				all[i].of_error += e->pair[k].n;
	}
	if (n)
		qsort(all, n, sizeof *all, by_frequency);
	return n;
}
