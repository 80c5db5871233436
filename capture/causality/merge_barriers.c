/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects the barriers that a merge writes as barrier records. */
#include "capture/causality/merge_private.h"

struct last_signal { /* last signal of the current node at a barrier */
	uint64_t place;
	uint32_t node; /* number of the node + 1; 0: none */
};

/* Sets differs[barrier] if a node sends its signals for the barrier at several places. Then a
 * single record would be too late for some of the waits. */
static void places_compare(const struct causality_links *l, const size_t *by_signal,
			   const struct causality_barriers *b, bool *differs)
{
	SCOPED_FREE struct last_signal *last = xcalloc((size_t)b->n + 1, sizeof *last);
	for (size_t i = 0; i < l->n; i++) {
		const struct causality_link *g = &l->link[by_signal[i]];
		const uint32_t of = b->of_link[by_signal[i]];
		if (of == UINT32_MAX)
			continue;
		if (last[of].node == g->signaller + 1 && last[of].place != g->signal_place)
			differs[of] = true;
		last[of] = (struct last_signal){g->signal_place, g->signaller + 1};
	}
}

/* Finds links whose node already has the record of their barrier. order[l->n]: links by the node
 * that waits or signals. */
static void again_find(const struct causality_links *l, const uint32_t *number, uint32_t n_numbers,
		       const size_t *order, bool of_waits, bool *again)
{
	SCOPED_FREE uint32_t *last = xcalloc((size_t)n_numbers + 1, sizeof *last); /* node + 1 */
	for (size_t i = 0; i < l->n; i++) {
		const struct causality_link *g = &l->link[order[i]];
		const uint32_t of = number[order[i]], node = of_waits ? g->waiter : g->signaller;
		if (!of)
			continue;
		again[order[i]] = last[of] == node + 1;
		last[of] = node + 1;
	}
}

int merge_barriers_find(struct merge_barriers *m, const struct causality_links *l,
			const size_t *by_wait, const size_t *by_signal, struct err *e)
{
	struct causality_barriers b = {0};
	int ret = causality_barriers_find(&b, l, e);
	uint32_t *number = xcalloc((size_t)b.n + 1, sizeof *number), n = 0;
	bool *differs = xcalloc((size_t)b.n + 1, sizeof *differs);
	*m = (struct merge_barriers){.number = xcalloc(l->n + 1, sizeof *m->number),
				     .again_wait = xcalloc(l->n + 1, sizeof *m->again_wait),
				     .again_signal = xcalloc(l->n + 1, sizeof *m->again_signal)};
	if (!ret) {
		places_compare(l, by_signal, &b, differs);
		for (uint32_t i = 0; i < b.n; i++)
			number[i] = b.v[i].n_nodes > 2 && !differs[i] ? ++n : 0;
		for (size_t i = 0; i < l->n; i++) {
			const struct causality_link *g = &l->link[i];
			m->number[i] = b.of_link[i] == UINT32_MAX ? 0 : number[b.of_link[i]];
			if (links_join_at(l, g))
				m->number[i] =
				    n + 1 +
				    (g->waiter > g->signaller ? g->waiter : g->signaller) -
				    links_nodes(l);
		}
		n += l->n_joins;
		again_find(l, m->number, n, by_wait, true, m->again_wait);
		again_find(l, m->number, n, by_signal, false, m->again_signal);
	}
	FREE_EACH(differs, number);
	causality_barriers_release(&b);
	return ret;
}

void merge_barriers_release(struct merge_barriers *m)
{
	FREE_EACH(m->number, m->again_wait, m->again_signal);
	*m = (struct merge_barriers){0};
}
