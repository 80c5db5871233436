/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV split by csv_scan() and by libcsv alone: equal requests, names, heap, errors and notes. Ends
 * the program if they differ. */
#pragma once

#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "capture/format_csv_private.h"
#include "tests/heap_item.h"

static void compare_record(struct trace *a, struct trace *b, const struct trace_record *x,
			   const struct trace_record *y)
{
	struct trace_record p = *x, q = *y;
	size_t len_a = 0, len_b = 0;
	const struct trace_object *o = trace_object(a, x->object), *u = trace_object(b, y->object);
	const void *h = heap_item(a, x->heap, &len_a), *i = heap_item(b, y->heap, &len_b);
	assert(!o == !u && (!o || (o->kind == u->kind && !strcmp(o->name, u->name))));
	assert(!h == !i && len_a == len_b && (!h || !memcmp(h, i, len_a)));
	p.heap = q.heap = 0; /* batches may end elsewhere */
	assert(!memcmp(&p, &q, sizeof p));
}

/* The number of requests that were read. */
static uint64_t csv_twice(const char *path, uint64_t n_lenient)
{
	const struct trace_open_options o = {.n_lenient = n_lenient};
	struct trace *a, *b;
	struct err e = ERR_INIT, f = ERR_INIT;
	int ra = format_csv.open(&a, path, &o, &e), rb = csv_open_by_libcsv(&b, path, &o, &f);
	uint64_t n_read = 0;
	assert(ra == rb && !strcmp(e.msg, f.msg));
	if (ra)
		return 0;
	for (;;) {
		const struct trace_record *x, *y;
		ra = trace_next(a, &x, &e);
		rb = trace_next(b, &y, &f);
		assert(ra == rb && !strcmp(e.msg, f.msg));
		if (ra != 1)
			break;
		compare_record(a, b, x, y);
		n_read++;
	}
	const struct trace_notes *m = trace_notes(a), *n = trace_notes(b);
	assert(m->n_skipped == n->n_skipped && !strcmp(m->first_skipped, n->first_skipped));
	trace_close(a);
	trace_close(b);
	return n_read;
}
