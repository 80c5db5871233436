/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Barriers that the trace contains as records: a barrier of n nodes has n signals and n waits. */
#include "capture/causality/links_private.h"
#include "common/sort.h"

void links_mark_add(struct links_barriers *b, struct causality_links *l, uint64_t number,
		    struct causality_mark mark)
{
	uint32_t *index = u64_map_at(&b->index, number, UINT32_MAX);
	if (*index == UINT32_MAX) {
		*index = l->n_barriers;
		GROW(b->number, l->n_barriers, b->numbers_cap);
		b->number[l->n_barriers++] = number;
	}
	mark.barrier = *index;
	GROW(l->mark, l->n_marks, b->marks_cap);
	l->mark[l->n_marks++] = mark;
}

ORDER_BY(compare_marks, struct causality_mark, node, place, barrier)

static void barriers_number(struct links_barriers *b, struct causality_links *l)
{
	SCOPED_FREE uint32_t *to = xcalloc((size_t)l->n_barriers + 1, sizeof *to);
	uint64_t *sorted = xcalloc((size_t)l->n_barriers + 1, sizeof *sorted);
	if (l->n_barriers) {
		memcpy(sorted, b->number, l->n_barriers * sizeof *sorted);
		qsort(sorted, l->n_barriers, sizeof *sorted, order_u64);
	}
	for (uint32_t i = 0; i < l->n_barriers; i++)
		to[*u64_map_find(&b->index, sorted[i])] = i;
	for (size_t i = 0; i < l->n_marks; i++)
		l->mark[i].barrier = to[l->mark[i].barrier];
	free(b->number);
	b->number = sorted;
}

struct barrier_seen { /* marks of a barrier */
	uint32_t last[2]; /* the last node with a signal and with a wait, + 1; 0: none */
	size_t first;
};

static int seen_check(const struct links_barriers *b, const struct barrier_seen *s,
		      const struct causality_mark *first, struct err *e)
{
	const uint64_t number = b->number[first->barrier];
	if (!s->last[1])
		return err_set(e, EINVAL,
			       "node %" PRIu32 " (traced thread) has a signal for barrier %" PRIu64
			       ", but no node has a wait for this barrier",
			       first->node, number);
	if (!s->last[0])
		return err_set(e, ENOENT,
			       "node %" PRIu32 " (traced thread) waits before its request %" PRIu32
			       " at barrier %" PRIu64 ", but no node has a signal for this barrier",
			       first->node, first->request, number);
	return 0;
}

int links_marks_finish(struct links_barriers *b, struct causality_links *l, struct err *e)
{
	SCOPED_FREE struct barrier_seen *seen = xcalloc((size_t)l->n_barriers + 1, sizeof *seen);
	int ret = 0;
	barriers_number(b, l);
	if (l->n_marks)
		qsort(l->mark, l->n_marks, sizeof *l->mark, compare_marks);
	for (size_t i = 0; i < l->n_marks && !ret; i++) {
		const struct causality_mark *m = &l->mark[i];
		const uint32_t node = m->node;
		struct barrier_seen *s = &seen[m->barrier];
		if (s->last[m->is_wait] == node + 1)
			ret = err_set(e, EINVAL, "node %" PRIu32 " (traced thread) reaches "
				      "barrier %" PRIu64 " twice", node, b->number[m->barrier]);
		if (!s->last[0] && !s->last[1])
			s->first = i;
		s->last[m->is_wait] = node + 1;
	}
	for (uint32_t i = 0; i < l->n_barriers && !ret; i++)
		ret = seen_check(b, &seen[i], &l->mark[seen[i].first], e);
	return ret;
}

void links_barriers_release(struct links_barriers *b)
{
	u64_map_release(&b->index);
	free(b->number);
	*b = (struct links_barriers){.number = NULL};
}
