/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/misses.h"

#include <stdlib.h>

#include "capture/op.h"
#include "common/xalloc.h"

struct under_way { /* of a thread */
	uint32_t call, touch;
};

static uint32_t file_of(const struct slots *s, const struct load_request *r)
{
	return r->slot ? s->slot[r->slot].file : NONE32;
}

static uint32_t owner_of(const struct under_way *w, const struct load *l, const struct slots *s,
			 const struct load_request *r)
{
	const uint32_t file = r->name;
	const struct load_request *c = w->call == NONE32 ? NULL : &l->request[w->call];
	if (file == NONE32)
		return NONE32;
	if (c && r->begin_ns <= load_end_ns(l, c) && file_of(s, c) == file)
		return w->call;
	return w->touch != NONE32 && file_of(s, &l->request[w->touch]) == file ? w->touch : NONE32;
}

/* Those of one request by place, not by time. */
static int compare(const void *a, const void *b)
{
	const struct miss *x = a, *y = b;
	if (x->request != y->request)
		return x->request < y->request ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

void misses_find(struct misses *m, const struct load *l, const struct slots *s)
{
	struct under_way *w = xcalloc((size_t)l->n_threads + 1, sizeof *w);
	for (uint32_t i = 0; i <= l->n_threads; i++)
		w[i] = (struct under_way){NONE32, NONE32};
	for (uint32_t i = 0; i < l->n; i++) {
		const struct load_request *r = &l->request[i];
		if (op_info(r->op)->family != FAMILY_PAGE) {
			w[r->thread].call = i;
		} else if (load_is_touch(r)) {
			w[r->thread].touch = r->passed ? w[r->thread].touch : i;
		} else {
			const uint32_t owner = owner_of(&w[r->thread], l, s, r);
			m->n_elsewhere += owner == NONE32;
			if (owner == NONE32 || !r->length || r->offset > INT64_MAX - r->length ||
			    r->length > INT64_MAX)
				continue;
			GROW(m->miss, m->n, m->cap);
			m->miss[m->n++] =
			    (struct miss){owner, r->flags & PAGE_ASKED, r->offset, r->length};
		}
	}
	free(w);
	if (m->n)
		qsort(m->miss, m->n, sizeof *m->miss, compare);
}

void misses_release(struct misses *m)
{
	free(m->miss);
	*m = (struct misses){.miss = NULL};
}

const struct miss *misses_of(const struct misses *m, uint32_t request, uint32_t *n)
{
	uint32_t low = 0, high = m->n;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (m->miss[middle].request < request)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < m->n && m->miss[high].request == request; high++)
		;
	*n = high - low;
	return *n ? &m->miss[low] : NULL;
}
