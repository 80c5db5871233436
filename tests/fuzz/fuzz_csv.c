/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted CSV: a trace that is read, written and read again is the same. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/op.h"
#include "tests/heap_item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEADER "pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch\n"

static struct trace *open_fd(int fd)
{
	char path[64];
	struct trace *t;
	struct err e = ERR_INIT;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int rc = trace_open_with(&t, &format_csv, path, NULL, &e);
	assert(rc ? !t && e.msg[0] : t != NULL);
	return t;
}

/* Checks that both have the same records and names, until `a` ends in an error. */
static void compare(struct trace *a, struct trace *b)
{
	const struct trace_record *x, *y;
	struct err e = ERR_INIT;
	while (trace_next(a, &x, &e) == 1) {
		int rc = trace_next(b, &y, &e);
		if (rc != 1) {
			fprintf(stderr, "%s\n", e.msg);
			abort();
		}
		struct trace_record p = *x, q = *y;
		size_t len_a, len_b;
		const struct trace_object *o = trace_object(a, x->object),
					  *u = trace_object(b, y->object);
		const void *h = heap_item(a, x->heap, &len_a), *i = heap_item(b, y->heap, &len_b);
		assert(!o == !u && (!o || (o->kind == u->kind && !strcmp(o->name, u->name))));
		assert(!h == !i && len_a == len_b && (!h || !memcmp(h, i, len_a)));
		p.object = q.object = p.heap = q.heap = 0;
		assert(!memcmp(&p, &q, sizeof p));
	}
}

static void try(const void *text, size_t len)
{
	int fd = memfd_create("fuzz", 0), copy = memfd_create("copy", 0);
	struct err e = ERR_INIT;
	if (fd < 0 || copy < 0 || write(fd, text, len) != (ssize_t)len)
		abort();
	struct trace *t = open_fd(fd);
	if (t) {
		/* writes the part before the first bad line as CSV again */
		const struct trace_record *r;
		struct trace_writer *w;
		struct trace_meta meta = {.level = LEVEL_SYSCALL};
		char out[64];
		snprintf(out, sizeof out, "/proc/self/fd/%d", copy);
		assert(!trace_writer_open(&w, out, &meta, &(struct trace_write_options){.no_sync = true}, &e));
		while (trace_next(t, &r, &e) == 1) {
			struct trace_record c = *r;
			const struct trace_object *o = trace_object(t, r->object);
			size_t heap_len;
			const void *heap = heap_item(t, r->heap, &heap_len);
			if (o)
				assert(!trace_writer_object(w, o->kind, o->name, &c.object, &e));
			if (heap)
				assert(!trace_writer_heap(w, heap, heap_len, &c.heap, &e));
			assert(!trace_writer_append(w, &c, 1, &e));
		}
		assert(!trace_writer_close(w, &e));
		struct trace *binary, *again;
		assert(!trace_open(&binary, out, &e));
		assert(!trace_rewind(t, &e));
		compare(t, binary);
		int text_fd = memfd_create("text", 0);
		char text_path[64];
		snprintf(text_path, sizeof text_path, "/proc/self/fd/%d", text_fd);
		assert(!trace_export_csv(binary, text_path, &e));
		again = open_fd(text_fd);
		assert(again);
		assert(!trace_rewind(t, &e));
		compare(t, again);
		trace_close(again);
		trace_close(binary);
		trace_close(t);
		close(text_fd);
	}
	close(fd);
	close(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	try(data, size);
	char *with_header = malloc(size + sizeof HEADER);
	if (!with_header)
		return 0;
	memcpy(with_header, HEADER, sizeof HEADER - 1);
	memcpy(with_header + sizeof HEADER - 1, data, size);
	try(with_header, size + sizeof HEADER - 1);
	free(with_header);
	return 0;
}
