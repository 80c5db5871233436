/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/order/use_set.h"

#include <stdlib.h>

#include "common/xalloc.h"

void use_table_release(struct use_table *t)
{
	u64_map_release(&t->at);
	free(t->use);
	*t = (struct use_table){.use = NULL};
}

void use_note(struct use_table *t, struct use_set *s, uint32_t thread, uint32_t request, uint64_t value)
{
	if (!s->number)
		s->number = ++t->n_sets;
	uint32_t *known = u64_map_at(&t->at, u64_pair(s->number, thread), 0);
	if (!*known) {
		t->n += t->n == 0; /* number 0 ends lists */
		GROW(t->use, t->n, t->cap);
		t->use[t->n] = (struct use){.next = s->first, .least = value};
		*known = s->first = t->n++;
	}
	struct use *u = &t->use[*known];
	u->request = request;
	if (value < u->least)
		u->least = value;
}
