/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/metrics/device_side.h"

#include <stdlib.h>

#include "capture/op.h"
#include "common/xalloc.h"

enum device_kind device_kind_of(const struct trace_record *r)
{
	switch (op_info(r->op)->family) {
	case FAMILY_READ:
		return KIND_READ;
	case FAMILY_WRITE:
		return KIND_WRITE;
	case FAMILY_SYNC:
		return KIND_FLUSH;
	default:
		return r->op == OP_FALLOCATE ? KIND_DISCARD : KIND_NONE;
	}
}

static int by_place(const void *x, const void *y)
{
	const struct device_request *a = x, *b = y;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (a->queue_ns != b->queue_ns)
		return a->queue_ns < b->queue_ns ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

int device_side_read(struct device_side *s, const char *path, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	*s = (struct device_side){0};
	int rc = trace_open(&s->trace, path, e);
	while (!rc && (rc = trace_next_batch(s->trace, &r, &n, e)) == 1) {
		for (size_t i = 0; i < n; i++) {
			GROW(s->seen, s->n, s->cap);
			s->seen[s->n] = (struct device_request){.offset = r[i].offset, .length = r[i].length, .queue_ns = r[i].begin_ns,
						      .dispatch_ns = r[i].dispatch_ns, .end_ns = r[i].end_ns, .index = s->n,
						      .object = r[i].object, .error = r[i].error, .kind = (uint8_t)device_kind_of(&r[i])};
			s->n++;
		}
		rc = 0;
	}
	if (rc)
		return err_context(e, "%s", path);
	if (s->n)
		qsort(s->seen, s->n, sizeof *s->seen, by_place);
	s->first = xreallocarray(NULL, s->n + 1, sizeof *s->first);
	for (size_t i = 0; i < s->n; i++)
		s->first[i] = i;
	return 0;
}

void device_side_release(struct device_side *s)
{
	trace_close(s->trace);
	free(s->seen);
	free(s->first);
}

/* The first request of a place, s->n where there is none. */
static size_t place_find(const struct device_side *s, enum device_kind kind, uint64_t offset)
{
	size_t lo = 0, hi = s->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct device_request *q = &s->seen[mid];
		if (q->kind < kind || (q->kind == kind && q->offset < offset))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s->n && s->seen[lo].kind == kind && s->seen[lo].offset == offset ? lo : s->n;
}

/* The earliest free one of a place with that length; `shorter`: with less. NULL: none. */
static struct device_request *place_take(struct device_side *s, enum device_kind kind, uint64_t offset, uint64_t length, bool shorter)
{
	size_t at = place_find(s, kind, offset);
	if (at == s->n)
		return NULL;
	size_t i = s->first[at];
	while (i < s->n && s->seen[i].taken && s->seen[i].kind == kind && s->seen[i].offset == offset)
		i++;
	s->first[at] = i;
	for (; i < s->n && s->seen[i].kind == kind && s->seen[i].offset == offset; i++) {
		struct device_request *q = &s->seen[i];
		if (!q->taken && (shorter ? q->length < length && q->length : q->length == length)) {
			q->taken = true;
			return q;
		}
	}
	return NULL;
}

/* Adds a piece to what was seen of a request. */
static void piece_join(struct device_request *all, const struct device_request *piece)
{
	all->length += piece->length;
	all->queue_ns = piece->queue_ns < all->queue_ns ? piece->queue_ns : all->queue_ns;
	if (all->dispatch_ns == TIME_NONE || (piece->dispatch_ns != TIME_NONE && piece->dispatch_ns < all->dispatch_ns))
		all->dispatch_ns = piece->dispatch_ns;
	if (piece->end_ns == TIME_NONE || all->end_ns == TIME_NONE)
		all->end_ns = TIME_NONE;
	else
		all->end_ns = piece->end_ns > all->end_ns ? piece->end_ns : all->end_ns;
	all->error = all->error ? all->error : piece->error;
}

#define PIECES_MAX 4096

bool device_side_find(struct device_side *s, enum device_kind kind, const struct trace_record *r, struct device_request *found, bool *split)
{
	struct device_request *piece[PIECES_MAX], *q = place_take(s, kind, r->offset, r->length, false);
	size_t n = 0;
	*split = false;
	if (q) {
		*found = *q;
		return true;
	}
	uint64_t done = 0;
	while (done < r->length && n < PIECES_MAX) {
		q = place_take(s, kind, r->offset + done, r->length - done, n == 0);
		if (!q && n)
			q = place_take(s, kind, r->offset + done, r->length - done, true);
		if (!q)
			break;
		done += q->length;
		piece[n++] = q;
	}
	if (!n || done < r->length) {
		while (n)
			piece[--n]->taken = false;
		return false;
	}
	*found = *piece[0];
	for (size_t i = 1; i < n; i++)
		piece_join(found, piece[i]);
	return *split = true;
}
