/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small traces for the tests of capture/. The content of record i follows from i, so a test can
 * check what it reads back. */
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/trace.h"

/* A path in the test's scratch directory, in a buffer of the caller. */
static inline const char *scratch(char buf[512], const char *name)
{
	const char *dir = getenv("TMPDIR");
	snprintf(buf, 512, "%s/capture-%d-%s", dir ? dir : "/tmp", (int)getpid(), name);
	return buf;
}
#define SCRATCH(name) scratch((char[512]){0}, name)

static inline void must(int rc, const struct err *e)
{
	if (rc)
		fail_msg("unexpected error %d: %s", rc, e->msg);
}

static inline struct trace_record sample_record(uint64_t i)
{
	struct trace_record r = {
	    .seq = i,
	    .begin_ns = (int64_t)(i * 1000),
	    .end_ns = (int64_t)(i * 1000 + 500 + i * 7919 % 300),
	    .intended_ns = i % 3 ? TIME_NONE : (int64_t)(i * 1000 - 5),
	    .dispatch_ns = TIME_NONE,
	    .offset = i * 7919 % 100000 * 4096,
	    .length = 4096,
	    .rvalue = i % 10 == 9 ? -1 : 4096,
	    .pid = 100,
	    .tid = 100 + (uint32_t)(i % 4),
	    .object = (uint32_t)(i % 4),
	    .fd = 3 + (int32_t)(i % 4),
	    .heap = HEAP_NONE,
	    .op = i % 2 ? OP_PWRITE : OP_PREAD,
	    .error = i % 10 == 9 ? EIO : 0,
	    .commit = TRACE_COMMIT,
	};
	return r;
}

static inline void check_record(const struct trace_record *r, uint64_t i)
{
	struct trace_record want = sample_record(i);
	if (memcmp(r, &want, sizeof want))
		fail_msg("record %llu is not what was written (it has seq %llu)",
			 (unsigned long long)i, (unsigned long long)r->seq);
}

static inline struct trace_meta sample_meta(void)
{
	static struct fileset_entry files[] = {
	    {"data", 0, true}, {"data/f0", 1u << 20, false}, {"data/odd \xff\x01 name", UINT64_C(1) << 40, false}};
	return (struct trace_meta){
	    .level = LEVEL_SYSCALL,
	    .epoch_ns = 123456789012345,
	    .wall_epoch_ns = 1795227730673998000,
	    .clock = "tsc",
	    .clock_resolution_ns = 0.37,
	    .clock_read_cost_ns = 25.5,
	    .host = "host",
	    .command = "program --with \"quotes\" \xc3\xa4",
	    .captured_by = "test",
	    .root = "/tmp/\xff",
	    .n_events_lost = 3,
	    .seed = UINT64_MAX,
	    .extra_json = "{\"b\":[1,2.5,null],\"off_cpu_ns\":12}",
	    .files = {files, 3},
	};
}

/* A trace of n sample records over four objects. */
static inline void write_sample(const char *path, uint64_t n, const struct trace_write_options *o)
{
	static const char *const names[] = {"f0", "f1", "dir/f2", "odd \xff name"};
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	must(trace_writer_open(&w, path, &meta, o, &e), &e);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t id;
		must(trace_writer_object(w, OBJECT_PATH, names[i], &id, &e), &e);
		assert_int_equal(id, i);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct trace_record r = sample_record(i);
		r.commit = 0; /* the writer's business */
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}

static inline void *slurp(const char *path, size_t *len)
{
	struct stat st;
	int fd = open(path, O_RDONLY);
	assert_true(fd >= 0 && !fstat(fd, &st));
	char *p = malloc((size_t)st.st_size + 1);
	assert_non_null(p);
	assert_int_equal(read(fd, p, (size_t)st.st_size), st.st_size);
	close(fd);
	p[st.st_size] = 0;
	*len = (size_t)st.st_size;
	return p;
}

static inline void spill(const char *path, const void *p, size_t len)
{
	/* some file systems write a file to disk at once when it is truncated */
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, p, len), (ssize_t)len);
	close(fd);
}
