/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/profile/errors.h"

void errors_init(struct errors *e)
{
	*e = (struct errors){.slot = xcalloc(ERRORS_SLOTS, sizeof *e->slot)};
}

void errors_release(struct errors *e)
{
	free(e->slot);
	e->slot = NULL;
}

void errors_add(struct errors *e, uint16_t error, uint16_t op)
{
	uint32_t key = (uint32_t)error << 16 | op;
	size_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (ERRORS_SLOTS - 1);
	e->n++;
	while (e->slot[i].n && (e->slot[i].error != error || e->slot[i].op != op))
		i = (i + 1) & (ERRORS_SLOTS - 1);
	struct error_count *c = &e->slot[i];
	if (!c->n) {
		if (e->n_pairs == ERRORS_SLOTS / 2) {
			e->n_not_followed++;
			return;
		}
		e->n_pairs++;
		c->error = error;
		c->op = op;
	}
	c->n++;
}

static int by_error(const void *a, const void *b)
{
	const struct error_count *x = a, *y = b;
	if (x->error != y->error)
		return x->error < y->error ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->op < y->op ? -1 : x->op > y->op;
}

struct errors_group {
	uint64_t n;
	size_t from, to;
};

static int by_sum(const void *a, const void *b)
{
	const struct errors_group *x = a, *y = b;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

size_t errors_sorted(const struct errors *e, struct error_count **sorted)
{
	struct error_count *pair = xmalloc((e->n_pairs + 1) * sizeof *pair),
			   *out = xmalloc((e->n_pairs + 1) * sizeof *out);
	struct errors_group *group = xmalloc((e->n_pairs + 1) * sizeof *group);
	size_t n = 0, n_groups = 0, n_out = 0;
	for (size_t i = 0; i < ERRORS_SLOTS; i++)
		if (e->slot[i].n)
			pair[n++] = e->slot[i];
	qsort(pair, n, sizeof *pair, by_error);
	for (size_t i = 0; i < n; i++) {
		if (!i || pair[i].error != pair[i - 1].error)
			group[n_groups++] = (struct errors_group){.from = i};
		group[n_groups - 1].n += pair[i].n;
		group[n_groups - 1].to = i + 1;
	}
	qsort(group, n_groups, sizeof *group, by_sum);
	for (size_t g = 0; g < n_groups; g++)
		for (size_t i = group[g].from; i < group[g].to; i++)
			out[n_out++] = pair[i];
	FREE_EACH(pair, group);
	*sorted = out;
	return n_out;
}
