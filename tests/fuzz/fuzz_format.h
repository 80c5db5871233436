/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An untrusted foreign trace. For any content, reading ends, the requests are valid, and a second
 * pass gives the same requests, in strict and in lenient mode. */
#pragma once

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/op.h"
#include "capture/trace_private.h"
#include "tests/heap_item.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t sum_of(struct trace *t)
{
	const struct trace_record *r;
	struct err e = ERR_INIT;
	uint64_t sum = 0, n = 0;
	int rc;
	while ((rc = trace_next(t, &r, &e)) == 1) {
		size_t len;
		const struct trace_object *o = trace_object(t, r->object);
		const unsigned char *heap = heap_item(t, r->heap, &len);
		assert(record_is_sane(r) && r->commit == TRACE_COMMIT && r->seq == n++);
		assert(r->object == OBJECT_NONE || o);
		assert(r->heap == HEAP_NONE || heap);
		sum = sum * 31 + (uint64_t)r->begin_ns + (uint64_t)r->end_ns * 3 + r->offset * 5 +
		      r->length * 7 + r->op;
		for (size_t i = 0; heap && i < len; i++)
			sum = sum * 31 + heap[i];
	}
	assert(!rc || e.msg[0]);
	return sum;
}

static void fuzz_format(const struct trace_format *f, const uint8_t *data, size_t size,
			struct trace_open_options o)
{
	char path[64], text[1000];
	int fd = memfd_create("fuzz", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	f->bid(data, size < FORMAT_HEAD_BYTES ? size : FORMAT_HEAD_BYTES, "x");
	for (int lenient = 0; lenient < 2; lenient++) {
		struct trace *t;
		struct err e = ERR_INIT;
		o.n_lenient = lenient ? 1000000 : 0;
		int rc = trace_open_with(&t, f, path, &o, &e);
		assert(rc ? !t && e.msg[0] : t != NULL);
		if (!t)
			continue;
		uint64_t first = sum_of(t);
		for (unsigned int i = 0; trace_note(t, i, text, sizeof text); i++)
			;
		assert(!trace_rewind(t, &e));
		assert(sum_of(t) == first);
		trace_close(t);
	}
	close(fd);
}

#define FUZZ_FORMAT(FORMAT, ...)                                                                                       \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                                   \
	{                                                                                                              \
		fuzz_format(&(FORMAT), data, size, (struct trace_open_options){__VA_ARGS__});                          \
		return 0;                                                                                              \
	}
