/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files for tests: written from records in memory. */
#pragma once

#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/trace.h"

enum { TRACE_N_OBJECTS = 4 };

static inline struct trace_meta trace_file_meta(void)
{
	return (struct trace_meta){.level = LEVEL_SYSCALL,
				   .clock = "monotonic",
				   .clock_resolution_ns = 0.5,
				   .clock_read_cost_ns = 21.25,
				   .captured_by = "test"};
}

/* A path in $TMPDIR. */
struct trace_path {
	char s[500];
};

static inline struct trace_path trace_file_path(const char *name)
{
	struct trace_path p;
	const char *dir = getenv("TMPDIR");
	snprintf(p.s, sizeof p.s, "%s/%s", dir ? dir : "/tmp", name);
	return p;
}

/* Objects are "f0", "f1", ... in that order, or in the reverse order with `reverse`. `killed`:
 * without an end block. */
static inline void trace_file_write(const char *path, const struct trace_record *r, size_t n,
				    const struct trace_meta *meta, bool reverse, bool killed)
{
	struct trace_writer *w;
	struct err e = ERR_INIT;
	struct trace_write_options o = {.no_sync = true};
	uint32_t id;
	if (killed) /* complete already: the previous file would be kept */
		unlink(path);
	if (trace_writer_open(&w, path, meta, &o, &e))
		fail_msg("%s", e.msg);
	for (int i = 0; i < TRACE_N_OBJECTS; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%d", reverse ? TRACE_N_OBJECTS - 1 - i : i);
		assert_int_equal(trace_writer_object(w, OBJECT_PATH, name, &id, &e), 0);
	}
	for (size_t i = 0; i < n; i++) {
		struct trace_record q = r[i];
		if (reverse && q.object != OBJECT_NONE)
			q.object = TRACE_N_OBJECTS - 1 - q.object;
		if (trace_writer_append(w, &q, 1, &e))
			fail_msg("%s", e.msg);
	}
	if (killed)
		trace_writer_abort(w);
	else
		assert_int_equal(trace_writer_close(w, &e), 0);
}
