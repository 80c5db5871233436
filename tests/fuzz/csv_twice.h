/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV split by this program and by libcsv: the requests of a file equal those of a copy in which
 * each field that libcsv finds is quoted, one row a line. Ends the program if they differ. */
#pragma once

#undef NDEBUG
#include <assert.h>
#include <csv.h>
#include <string.h>
#include <sys/mman.h>

#include "capture/formats/csv_private.h"
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

static void copy_field(void *s, size_t len, void *copy)
{
	struct strbuf *b = copy;
	const size_t need = csv_write(NULL, 0, s, len);
	char *quoted = xmalloc(need);
	csv_write(quoted, need, s, len);
	if (b->len && b->s[b->len - 1] != '\n')
		strbuf_addch(b, ',');
	strbuf_add(b, quoted, need);
	free(quoted);
}

static void copy_row(int c, void *copy)
{
	struct strbuf *b = copy;
	(void)c;
	if (b->len && b->s[b->len - 1] != '\n')
		strbuf_addch(b, '\n');
}

/* Appends the rows before the first row that libcsv refuses. Returns whether libcsv accepts all
 * rows. */
static bool copy_by_libcsv(struct strbuf *b, const char *path)
{
	struct csv_parser parser;
	char text[4096];
	FILE *in = fopen(path, "re");
	bool good = true;
	size_t n;
	assert(in);
	csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI);
	for (bool first = true; good && (n = fread(text, 1, sizeof text, in)); first = false) {
		const size_t mark = first && n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
		good = csv_parse(&parser, text + mark, n - mark, copy_field, copy_row, b) ==
		       n - mark;
	}
	good = good && !csv_fini(&parser, copy_field, copy_row, b);
	while (!good && b->len && b->s[b->len - 1] != '\n')
		b->len--;
	csv_free(&parser);
	fclose(in);
	return good;
}

/* The number of requests that were read. */
static uint64_t csv_twice(const char *path)
{
	const struct trace_open_options o = {.n_lenient = 0};
	struct strbuf text = STRBUF_INIT;
	const bool good = copy_by_libcsv(&text, path);
	char copy[64];
	struct trace *a, *b;
	struct err e = ERR_INIT, f = ERR_INIT;
	const int fd = memfd_create("copy", 0);
	assert(fd >= 0 && write(fd, text.s, text.len) == (ssize_t)text.len);
	snprintf(copy, sizeof copy, "/proc/self/fd/%d", fd);
	int ra = format_csv.open(&a, path, &o, &e), rb = format_csv.open(&b, copy, &o, &f);
	uint64_t n_read = 0;
	assert(ra == rb);
	for (; !ra; n_read++) {
		const struct trace_record *x, *y;
		ra = trace_next(a, &x, &e);
		rb = trace_next(b, &y, &f);
		assert(ra == rb || (!good && !rb && ra == -EINVAL));
		if (ra != 1)
			break;
		ra = 0;
		compare_record(a, b, x, y);
	}
	trace_close(a);
	trace_close(b);
	close(fd);
	strbuf_release(&text);
	return n_read;
}
