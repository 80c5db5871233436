/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted traces, exported: any operations, names and numbers, in every format with a writer. The
 * export ends, every request is written or counted as left out, and if the format also has a
 * reader, the file can be read strictly.
 *
 * Input: 24 bytes per request (operation, thread, object, error, begin, duration, offset, length,
 * result), then a byte 0xff and names separated by NULs. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/format.h"
#include "capture/op.h"
#include "capture/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_NAMES = 8, N_REQUESTS = 64, REQUEST_BYTES = 24 };

static uint64_t number_at(const uint8_t *p, unsigned int n)
{
	uint64_t v = 0;
	memcpy(&v, p, n);
	return v;
}

static void request_make(struct trace_record *r, const uint8_t *p, const uint32_t *object,
			 unsigned int n_objects, uint64_t seq)
{
	unsigned int shift = p[23] % 40;
	uint16_t op = (uint16_t)(1 + p[0] % (OP_N - 1));
	if (op_info(op)->family == FAMILY_CAUSE) /* the metadata lists the nodes */
		op = OP_PREAD;
	int64_t begin = (int64_t)(number_at(p + 4, 5) << shift % 16),
		took = (int64_t)number_at(p + 9, 3);
	*r = (struct trace_record){.seq = seq,
				   .begin_ns = p[3] & 2 ? TIME_NONE : begin,
				   .end_ns = p[3] & 4 ? TIME_NONE : begin + took,
				   .intended_ns = TIME_NONE,
				   .dispatch_ns = TIME_NONE,
				   .offset = p[3] & 8 ? OFFSET_NONE : number_at(p + 12, 4) << shift % 24,
				   .length = number_at(p + 16, 3) << shift,
				   .rvalue = p[3] & 1 ? -1 : (int64_t)(number_at(p + 19, 4) << shift),
				   .pid = 1 + (p[1] & 1u),
				   .tid = 1u + p[1],
				   .object = object[p[2] % n_objects],
				   .fd = p[3] & 16 ? -1 : p[2],
				   .heap = HEAP_NONE,
				   .op = op,
				   .error = p[3] & 1 ? (uint16_t)(1 + p[19] % 40) : 0};
}

static bool trace_make(const char *path, const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size, *p = data;
	const struct trace_meta meta = {.level = size && data[size - 1] & 1 ? LEVEL_BLOCK
									    : LEVEL_SYSCALL,
					.clock = "monotonic",
					.clock_resolution_ns = 1,
					.captured_by = "fuzz"};
	const struct trace_write_options how = {.no_sync = true};
	uint32_t object[N_NAMES];
	unsigned int n_objects = 0, n_requests = 0;
	struct trace_writer *w;
	struct err e = ERR_INIT;
	while (p + REQUEST_BYTES <= end && *p != 0xff && n_requests < N_REQUESTS)
		p += REQUEST_BYTES, n_requests++;
	if (trace_writer_open(&w, path, &meta, &how, &e))
		abort();
	for (const uint8_t *name = p + 1; name < end && n_objects < N_NAMES;) {
		size_t len = strnlen((const char *)name, (size_t)(end - name));
		char *text = strndup((const char *)name, len < 4000 ? len : 4000);
		enum object_kind kind = meta.level == LEVEL_BLOCK ? OBJECT_DEVICE
					: *text == '#'            ? OBJECT_FD
								  : OBJECT_PATH;
		n_objects += *text && !trace_writer_object(w, kind, text, &object[n_objects], &e);
		free(text);
		name += len + 1;
	}
	for (unsigned int i = 0; i < n_requests && n_objects; i++) {
		struct trace_record r;
		request_make(&r, data + i * REQUEST_BYTES, object, n_objects, i);
		if (trace_writer_append(w, &r, 1, &e)) {
			trace_writer_abort(w);
			return false;
		}
	}
	return !trace_writer_close(w, &e);
}

static uint64_t count_strictly(const struct trace_format *f, const char *path)
{
	const struct trace_open_options o = {.as = "read"};
	const struct trace_record *r;
	struct trace *t;
	struct err e = ERR_INIT;
	uint64_t n = 0;
	int rc = trace_open_with(&t, f, path, &o, &e);
	if (rc) {
		fprintf(stderr, "%s: what was exported cannot be read: %s\n", f->name, e.msg);
		abort();
	}
	while ((rc = trace_next(t, &r, &e)) == 1)
		n++;
	if (rc) {
		fprintf(stderr, "%s: what was exported cannot be read: %s\n", f->name, e.msg);
		abort();
	}
	trace_close(t);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char in[4096], out[4096];
	/* in memory, where the sync of each file costs nothing */
	const char *tmp = access("/dev/shm", W_OK) ? getenv("TMPDIR") : "/dev/shm";
	struct err e = ERR_INIT;
	struct trace *t;
	if (!*in) {
		snprintf(in, sizeof in, "%s/fuzz-export-in-%d.trace", tmp ? tmp : "/tmp",
			 (int)getpid());
		snprintf(out, sizeof out, "%s/fuzz-export-out-%d", tmp ? tmp : "/tmp",
			 (int)getpid());
	}
	if (!trace_make(in, data, size) || trace_open(&t, in, &e))
		return 0;
	uint64_t n = count_strictly(format_find("trace"), in);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		struct trace_export_report report = {0};
		if (!(*f)->write)
			continue;
		unlink(out);
		assert(!trace_rewind(t, &e));
		e = (struct err)ERR_INIT;
		int ret = (*f)->write(t, out, &report, &e);
		assert(!ret || e.msg[0]);
		if (ret)
			continue;
		assert(report.n_written + report.n_left_out == n || !report.n_written);
		assert(!report.n_left_out || report.why[0]);
		if ((*f)->bid && report.n_written)
			count_strictly(*f, out);
	}
	trace_close(t);
	unlink(in);
	unlink(out);
	return 0;
}
