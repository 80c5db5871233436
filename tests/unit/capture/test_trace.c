/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trace file: records of every shape are read back as written. Damage is in
 * test_trace_damage.c. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <signal.h>

#include "capture/format.h"
#include "capture/trace_meta.h"
#include "common/xalloc.h"
#include "tests/unit/capture/sample.h"
#include "tests/heap_item.h"

static void check_all(const char *path, uint64_t n)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	bool known;
	must(trace_open(&t, path, &e), &e);
	assert_int_equal(trace_n_records(t, &known), n);
	assert_true(known);
	for (int pass = 0; pass < 2; pass++) {
		int rc;
		for (uint64_t i = 0; i < n; i++) {
			rc = trace_next(t, &r, &e);
			if (rc != 1)
				fail_msg("record %llu of %llu: %d %s", (unsigned long long)i,
					 (unsigned long long)n, rc, e.msg);
			check_record(r, i);
		}
		assert_int_equal(trace_next(t, &r, &e), 0);
		assert_int_equal(trace_next(t, &r, &e), 0); /* and stays there */
		must(trace_rewind(t, &e), &e);
	}
	struct trace_health h;
	trace_health(t, &h);
	assert_true(h.complete);
	assert_int_equal(h.n_blocks_damaged, 0);
	assert_int_equal(h.n_records_uncommitted, 0);
	trace_close(t);
}

static void round_trips(void **state)
{
	(void)state;
	const uint64_t sizes[] = {0, 1, 2, 1023, 1024, 1025, 3 * 1024, 10000};
	for (int compress = 0; compress < 2; compress++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			struct trace_write_options o = {.compress = compress, .no_sync = true};
			write_sample(SCRATCH("t"), sizes[i], &o);
			check_all(SCRATCH("t"), sizes[i]);
		}
	unlink(SCRATCH("t"));
}

static void objects_are_read_back(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	write_sample(SCRATCH("t"), 5, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_int_equal(trace_next(t, &r, &e), 1);
	assert_int_equal(trace_n_objects(t), 4);
	const struct trace_object *o = trace_object(t, 3);
	assert_non_null(o);
	assert_string_equal(o->name, "odd \xff name");
	assert_int_equal(o->kind, OBJECT_PATH);
	assert_null(trace_object(t, 4));
	assert_null(trace_object(t, OBJECT_NONE));
	trace_close(t);
	unlink(SCRATCH("t"));
}

/* One append of many records, starting in the middle of a block, as a workload writes at its
 * end. */
static void large_appends(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct trace_record *r = calloc(N, sizeof *r);
	for (uint64_t i = 0; i < N; i++)
		r[i] = sample_record(i);
	const size_t first[] = {0, 1, 100, 1024, 5000, N};
	for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
		struct err e = ERR_INIT;
		struct trace_writer *w;
		struct trace_meta meta = sample_meta();
		must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
		must(trace_writer_append(w, r, first[k], &e), &e);
		must(trace_writer_append(w, r + first[k], N - first[k], &e), &e);
		must(trace_writer_close(w, &e), &e);
		check_all(SCRATCH("t"), N);
	}
	free(r);
	unlink(SCRATCH("t"));
}

static void metadata_are_read_back(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	for (int compress = 0; compress < 2; compress++) {
		struct trace_write_options o = {.compress = compress};
		write_sample(SCRATCH("t"), 1, &o);
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		const struct trace_meta *m = trace_meta(t);
		struct trace_meta want = sample_meta();
		assert_int_equal(m->level, want.level);
		assert_int_equal(m->epoch_ns, want.epoch_ns);
		assert_int_equal(m->wall_epoch_ns, want.wall_epoch_ns);
		assert_string_equal(m->clock, want.clock);
		assert_true(m->clock_resolution_ns == want.clock_resolution_ns);
		assert_true(m->clock_read_cost_ns == want.clock_read_cost_ns);
		assert_string_equal(m->host, want.host);
		assert_string_equal(m->command, want.command);
		assert_string_equal(m->captured_by, want.captured_by);
		assert_string_equal(m->root, want.root);
		assert_int_equal(m->n_events_lost, want.n_events_lost);
		assert_true(m->seed == want.seed);
		assert_string_equal(m->extra_json, want.extra_json);
		assert_int_equal(m->files.n, want.files.n);
		for (size_t i = 0; i < want.files.n; i++) {
			assert_string_equal(m->files.entry[i].path, want.files.entry[i].path);
			assert_int_equal(m->files.entry[i].size, want.files.entry[i].size);
			assert_int_equal(m->files.entry[i].directory,
					 want.files.entry[i].directory);
		}
		trace_close(t);
	}
	unlink(SCRATCH("t"));
}

static void last_metadata_counts(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	struct trace_meta meta = sample_meta();
	struct trace_record r;
	for (int close_it = 0; close_it < 2; close_it++) {
		must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
		r = sample_record(0);
		must(trace_writer_append(w, &r, 1, &e), &e);
		struct trace_meta later = meta;
		later.epoch_ns = 42;
		later.host = NULL;
		must(trace_writer_set_meta(w, &later, &e), &e);
		r = sample_record(1);
		must(trace_writer_append(w, &r, 1, &e), &e);
		if (close_it)
			must(trace_writer_close(w, &e), &e);
		else
			trace_writer_abort(w); /* found although there is no end block */
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		assert_int_equal(trace_meta(t)->epoch_ns, 42);
		assert_null(trace_meta(t)->host);
		assert_int_equal(trace_n_records(t, NULL), 2);
		const struct trace_record *q;
		for (uint64_t i = 0; i < 2; i++) {
			assert_int_equal(trace_next(t, &q, &e), 1);
			check_record(q, i);
		}
		trace_close(t);
	}
	unlink(SCRATCH("t"));
}

static void metadata_is_checked(void **state)
{
	(void)state;
	static const char *const bad[] = {"", "[]", "7", "{\"a\":1", "{\"a\":1,\"a\":2}"};
	struct err e = ERR_INIT;
	struct trace_writer *w = (void *)1;
	struct trace_meta meta = {.level = LEVEL_SYSCALL};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		meta.extra_json = bad[i];
		assert_int_equal(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), -EINVAL);
		assert_null(w);
	}
	meta.extra_json = NULL;
	meta.level = 7;
	assert_int_equal(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), -EINVAL);
	unlink(SCRATCH("t"));
}

static void names_are_interned(void **state)
{
	(void)state;
	enum { N = 3000 };
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	struct trace_meta meta = {.level = LEVEL_BLOCK};
	char name[80];
	uint32_t id, again;
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	/* a new object with each record: the worst case */
	for (uint32_t i = 0; i < N; i++) {
		snprintf(name, sizeof name, "%*u", (int)(i % 60), i);
		must(trace_writer_object(w, OBJECT_PATH, name, &id, &e), &e);
		assert_int_equal(id, i);
		must(trace_writer_object(w, OBJECT_PATH, name, &again, &e), &e);
		assert_int_equal(again, i);
		struct trace_record r = sample_record(i);
		r.object = id;
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	/* the same name, another kind */
	must(trace_writer_object(w, OBJECT_DEVICE, "0", &id, &e), &e);
	assert_int_equal(id, N);
	char *too_long = malloc(70000);
	memset(too_long, 'x', 69999);
	too_long[69999] = 0;
	assert_int_equal(trace_writer_object(w, OBJECT_PATH, too_long, &id, &e), -ENAMETOOLONG);
	free(too_long);
	assert_int_equal(trace_writer_object(w, 9, "x", &id, &e), -EINVAL);
	must(trace_writer_object(w, OBJECT_FD, "", &id, &e), &e);
	must(trace_writer_close(w, &e), &e);

	must(trace_open(&t, SCRATCH("t"), &e), &e);
	const struct trace_record *r;
	const struct trace_object *kept = NULL;
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(trace_next(t, &r, &e), 1);
		assert_int_equal(r->object, i);
		snprintf(name, sizeof name, "%*u", (int)(i % 60), i);
		assert_non_null(trace_object(t, r->object));
		assert_string_equal(trace_object(t, r->object)->name, name);
		if (!i)
			kept = trace_object(t, 0);
	}
	assert_int_equal(trace_next(t, &r, &e), 0);
	assert_ptr_equal(kept, trace_object(t, 0)); /* borrowed until close */
	assert_int_equal(trace_object(t, N)->kind, OBJECT_DEVICE);
	assert_string_equal(trace_object(t, N + 1)->name, "");
	trace_close(t);
	unlink(SCRATCH("t"));
}

static size_t heap_len(uint32_t i)
{
	return i % 50 == 49 ? 300000 : i % 7 * 3;
}

static void heap_items_are_read_back(void **state)
{
	(void)state;
	enum { N = 500 };
	unsigned char *bytes = malloc(300000);
	for (int compress = 0; compress < 2; compress++) {
		struct err e = ERR_INIT;
		struct trace_writer *w;
		struct trace *t;
		struct trace_meta meta = {.level = LEVEL_SYSCALL};
		struct trace_write_options o = {.compress = compress};
		must(trace_writer_open(&w, SCRATCH("t"), &meta, &o, &e), &e);
		for (uint32_t i = 0; i < N; i++) {
			struct trace_record r = sample_record(i);
			memset(bytes, (int)i, heap_len(i));
			must(trace_writer_heap(w, bytes, heap_len(i), &r.heap, &e), &e);
			must(trace_writer_append(w, &r, 1, &e), &e);
		}
		must(trace_writer_close(w, &e), &e);
		must(trace_open(&t, SCRATCH("t"), &e), &e);
		uint32_t ref[N];
		const struct trace_record *r;
		size_t len;
		assert_null(heap_item(t, 0, &len)); /* not read yet */
		for (uint32_t i = 0; i < N; i++) {
			assert_int_equal(trace_next(t, &r, &e), 1);
			ref[i] = r->heap;
			const unsigned char *got = heap_item(t, ref[i], &len);
			assert_non_null(got);
			assert_int_equal(len, heap_len(i));
			for (size_t j = 0; j < len; j++)
				assert_int_equal(got[j], i & 0xff);
			/* the window of the heap is separate from that of the records */
			assert_int_equal(r->seq, i);
		}
		for (uint32_t i = N; i-- > 0;) { /* and in any order afterwards */
			assert_non_null(heap_item(t, ref[i], &len));
			assert_int_equal(len, heap_len(i));
		}
		assert_null(heap_item(t, HEAP_NONE, &len));
		assert_null(heap_item(t, HEAP_NONE - 1, &len));
		trace_close(t);
	}
	free(bytes);
	unlink(SCRATCH("t"));
}

static void copies_are_equal(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t, *c;
	struct trace_write_options z = {.compress = true};
	write_sample(SCRATCH("t"), 5000, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_ptr_equal(trace_format_of(t), &format_trace);
	must(trace_copy(t, SCRATCH("c"), NULL, &z, &e), &e);
	must(trace_open(&c, SCRATCH("c"), &e), &e);
	const struct trace_record *r;
	for (uint64_t i = 0; i < 5000; i++) {
		assert_int_equal(trace_next(c, &r, &e), 1);
		check_record(r, i);
	}
	assert_int_equal(trace_next(c, &r, &e), 0);
	assert_string_equal(trace_object(c, 3)->name, "odd \xff name");
	assert_string_equal(trace_meta(c)->root, "/tmp/\xff");
	trace_close(c);
	/* the copy replaces its own input: a process that has the old file open keeps its
	 * content */
	must(trace_copy(t, SCRATCH("t"), NULL, NULL, &e), &e);
	trace_close(t);
	check_all(SCRATCH("t"), 5000);
	struct stat a, b;
	assert_int_equal(stat(SCRATCH("t"), &a) | stat(SCRATCH("c"), &b), 0);
	assert_true(b.st_size < a.st_size / 3);
	unlink(SCRATCH("t"));
	unlink(SCRATCH("c"));
}

/* Files of format version 1, written by its first program: they stay readable. The first has blocks
 * of every kind, some with one record, replaced metadata, and an object that was added late. The
 * second is the same, compressed. */
static void version_1_stays_readable(void **state)
{
	(void)state;
	static const char *const files[] = {"tests/data/trace-v1.trace",
					    "tests/data/trace-v1-zstd.trace"};
	for (int k = 0; k < 2; k++) {
		struct err e = ERR_INIT;
		struct trace *t;
		const struct trace_record *r;
		must(trace_open(&t, files[k], &e), &e);
		assert_int_equal(trace_n_records(t, NULL), 60);
		for (uint64_t i = 0; i < 60; i++) {
			size_t len;
			assert_int_equal(trace_next(t, &r, &e), 1);
			struct trace_record got = *r, want = sample_record(i);
			const void *heap = heap_item(t, r->heap, &len);
			assert_int_equal(heap != NULL, i < 10);
			if (heap)
				assert_true(len == i && !memcmp(heap, "0123456789", len));
			assert_int_equal(got.op, 1 + i % 9);
			got.op = want.op;
			got.heap = want.heap;
			assert_memory_equal(&got, &want, sizeof want);
		}
		assert_int_equal(trace_next(t, &r, &e), 0);
		assert_int_equal(trace_n_objects(t), 5);
		assert_string_equal(trace_object(t, 2)->name, "dir/f2");
		assert_string_equal(trace_object(t, 3)->name, "odd \xff name");
		assert_int_equal(trace_object(t, 3)->kind, OBJECT_DEVICE);
		assert_string_equal(trace_object(t, 4)->name, "late");
		assert_int_equal(trace_meta(t)->epoch_ns, 42);
		assert_string_equal(trace_meta(t)->extra_json, sample_meta().extra_json);
		assert_int_equal(trace_meta(t)->files.n, 3);
		struct trace_health h;
		trace_health(t, &h);
		assert_true(h.complete && !h.n_blocks_damaged && !h.n_records_uncommitted);
		trace_close(t);
	}
}

static void batches_and_single_records_mix(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	size_t n;
	write_sample(SCRATCH("t"), 10000, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	uint64_t i = 0;
	while (i < 10) {
		assert_int_equal(trace_next(t, &r, &e), 1);
		check_record(r, i++);
	}
	while (trace_next_batch(t, &r, &n, &e) == 1) {
		assert_true(n > 0);
		for (size_t j = 0; j < n; j++)
			check_record(&r[j], i++);
	}
	assert_int_equal(i, 10000);
	trace_close(t);
	unlink(SCRATCH("t"));
}

static void unfit_records_are_refused(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	struct trace_record r = sample_record(0);
	must(trace_writer_append(w, &r, 1, &e), &e);
	r.op = OP_INVALID;
	assert_int_equal(trace_writer_append(w, &r, 1, &e), -EINVAL);
	r.op = OP_N;
	assert_int_equal(trace_writer_append(w, &r, 1, &e), -EINVAL);
	r = sample_record(0);
	r.end_ns = INT64_MAX;
	assert_int_equal(trace_writer_append(w, &r, 1, &e), -EINVAL);
	r.end_ns = INT64_MIN + 1;
	assert_int_equal(trace_writer_append(w, &r, 1, &e), -EINVAL);
	struct trace_record two[] = {sample_record(1), r};
	assert_int_equal(trace_writer_append(w, two, 2, &e), -EINVAL);
	r = sample_record(1);
	must(trace_writer_append(w, &r, 1, &e), &e); /* the writer goes on */
	must(trace_writer_close(w, &e), &e);
	check_all(SCRATCH("t"), 2);
	unlink(SCRATCH("t"));
}

static void no_traces_are_refused(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t len;
	} none[] = {{"", 0},
		    {"x", 1},
		    {"\x89VTRACE\n", 8},
		    {"hello, world\n", 13},
		    {"\0\0\0\0\0\0\0\0\0", 9}};
	struct err e = ERR_INIT;
	struct trace *t = (void *)1;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		spill(SCRATCH("t"), none[i].bytes, none[i].len);
		assert_int_equal(trace_open(&t, SCRATCH("t"), &e), -EILSEQ);
		assert_null(t);
		assert_non_null(strstr(e.msg, SCRATCH("t")));
	}
	unlink(SCRATCH("t"));
	assert_int_equal(trace_open(&t, SCRATCH("t"), &e), -ENOENT);
	assert_int_equal(trace_open(&t, "/", &e), -EISDIR);
	assert_int_equal(mkfifo(SCRATCH("fifo"), 0600), 0);
	assert_int_equal(trace_open(&t, SCRATCH("fifo"), &e), -ESPIPE); /* and does not wait */
	unlink(SCRATCH("fifo"));
}

static void other_versions_are_refused(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	size_t len;
	write_sample(SCRATCH("t"), 1, NULL);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	unsigned char swapped[4] = {p[15], p[14], p[13], p[12]};
	memcpy(p + 12, swapped, 4);
	spill(SCRATCH("t"), p, len);
	assert_int_equal(trace_open(&t, SCRATCH("t"), &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "byte order"));
	free(p);
	unlink(SCRATCH("t"));
}

static void unwritable_places(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w = (void *)1;
	struct trace_meta meta = sample_meta();
	assert_int_equal(trace_writer_open(&w, "/nowhere/to/be/found", &meta, NULL, &e), -ENOENT);
	assert_null(w);
	assert_non_null(strstr(e.msg, "/nowhere/to/be/found"));
	trace_writer_abort(NULL);
	trace_close(NULL);
	must(trace_writer_open(&w, "/dev/null", &meta, NULL, &e), &e);
	must(trace_writer_close(w, &e), &e);
	/* a pipe, with and without a reader: opening it does not wait */
	const char *path = SCRATCH("pipe");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	alarm(20);
	assert_int_equal(trace_writer_open(&w, path, &meta, NULL, &e), -ESPIPE);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	assert_int_equal(trace_writer_open(&w, path, &meta, NULL, &e), -ESPIPE);
	assert_non_null(strstr(e.msg, path));
	alarm(0);
	close(reader);
	unlink(path);
}

/* Names that no file can have are refused before a long operation such as a capture of hours. */
static void impossible_names(void **state)
{
	char text[300];
	struct err e = ERR_INIT;
	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = 0;
	assert_int_equal(trace_output_check(text, &e), -ENAMETOOLONG);
	text[255] = 0;
	assert_int_equal(trace_output_check(text, &e), 0);
	assert_int_equal(trace_output_check("not-there/", &e), -EISDIR);
	assert_non_null(strstr(e.msg, "not-there/"));
	const char *program = SCRATCH("program");
	int fd = open(program, O_WRONLY | O_CREAT, 0700);
	assert_true(fd >= 0);
	close(fd);
	char *below = xasprintf("%s/trace", program);
	assert_int_equal(trace_output_check(below, &e), -ENOTDIR);
	free(below);
	unlink(program);
	assert_int_equal(trace_output_check("/nowhere/to/be/found", &e), -ENOENT);
	assert_int_equal(trace_output_check(SCRATCH("new"), &e), 0);
}

/* Appends until an append fails. Returns the number of appended records, or -1 after an unexpected
 * failure. */
static int64_t append_until_full(const char *path)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	if (trace_writer_open(&w, path, &meta, NULL, &e))
		return -1;
	for (int64_t i = 0; i < 1000000; i++) {
		struct trace_record r = sample_record((uint64_t)i);
		int rc = trace_writer_append(w, &r, 1, &e);
		if (!rc)
			continue;
		bool named = strstr(e.msg, path) != NULL;
		int again = trace_writer_append(w, &r, 1, &e), end = trace_writer_close(w, &e);
		return rc == -EFBIG && again == rc && end == rc && named && strstr(e.msg, path)
			   ? i
			   : -1;
	}
	return -1;
}

/* A limit on the size of files has the effect of a full disk, without a separate file system. */
static void full_disk(void **state)
{
	(void)state;
	const char *path = SCRATCH("full");
	int fds[2];
	int64_t n;
	assert_int_equal(pipe(fds), 0);
	pid_t child = fork();
	if (!child) {
		struct rlimit limit = {100000, 100000};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		n = append_until_full(path);
		_exit(write(fds[1], &n, sizeof n) != sizeof n);
	}
	assert_int_equal(read(fds[0], &n, sizeof n), sizeof n);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fds[0]);
	close(fds[1]);
	assert_true(n > 900 && n < 1050); /* 100,000 bytes hold about a thousand records */
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	must(trace_open(&t, path, &e), &e);
	for (int64_t i = 0; i < n; i++) {
		assert_int_equal(trace_next(t, &r, &e), 1);
		check_record(r, (uint64_t)i);
	}
	assert_int_equal(trace_next(t, &r, &e), 0);
	struct trace_health h;
	trace_health(t, &h);
	assert_false(h.complete);
	trace_close(t);
	unlink(path);
}

static void check_five(const char *path)
{
	struct err e = ERR_INIT;
	struct trace *t;
	struct trace_health h;
	must(trace_open(&t, path, &e), &e);
	trace_health(t, &h);
	assert_true(h.complete);
	assert_int_equal(trace_n_records(t, NULL), 5);
	trace_close(t);
}

static void write_some(const char *path, uint64_t n, bool whole)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	must(trace_writer_open(&w, path, &meta, NULL, &e), &e);
	for (uint64_t i = 0; i < n; i++) {
		struct trace_record r = sample_record(i);
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	if (whole)
		must(trace_writer_close(w, &e), &e);
	else
		trace_writer_abort(w);
}

static unsigned int n_files(const char *dir)
{
	unsigned int n = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	for (struct dirent *entry; (entry = readdir(d));)
		n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(d);
	return n;
}

/* The old file stays until the new trace is complete: if the new trace is abandoned, if the disk is
 * full, and if the name is a link. */
static void old_file_stays(void **state)
{
	(void)state;
	const char *dir = SCRATCH("kept"), *path = SCRATCH("kept/t"), *link = SCRATCH("kept/link"),
		   *fresh = SCRATCH("kept/fresh");
	struct stat st;
	assert_int_equal(mkdir(dir, 0700), 0);
	write_some(path, 5, true);
	assert_int_equal(symlink("t", link), 0);
	write_some(path, 9, false);
	check_five(path);
	write_some(link, 9, false);
	check_five(path);
	pid_t child = fork();
	if (!child) {
		struct rlimit limit = {100000, 100000};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(append_until_full(link) < 900);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	check_five(path);
	assert_int_equal(n_files(dir), 2);
	write_some(path, 3, true);
	write_some(link, 5, true);
	check_five(path);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	/* an incomplete trace goes to the requested file */
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = sample_meta();
	must(trace_writer_open(&w, fresh, &meta, &(struct trace_write_options){.no_part = true}, &e), &e);
	assert_int_equal(n_files(dir), 3);
	trace_writer_abort(w);
	assert_int_equal(n_files(dir), 2);
	unlink(link);
	unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

/* Many functions add and subtract untrusted times, so no time may be so large that a sum
 * overflows. */
static void epochs_are_bounded(void **state)
{
	static const struct {
		const char *text;
		bool good;
	} cases[] = {
	    {"{\"level\":\"block\",\"epoch_ns\":2305843009213693952,\"wall_epoch_ns\":-4611686018427387903}", true},
	    {"{\"level\":\"block\",\"epoch_ns\":-2305843009213693952,\"wall_epoch_ns\":4611686018427387903}", true},
	    {"{\"level\":\"block\",\"epoch_ns\":2305843009213693953}", false},
	    {"{\"level\":\"block\",\"epoch_ns\":-9223372036854775808}", false},
	    {"{\"level\":\"block\",\"wall_epoch_ns\":4611686018427387904}", false},
	    {"{\"level\":\"block\",\"wall_epoch_ns\":-9223372036854775808}", false},
	    {"{\"level\":\"block\",\"wall_epoch_ns\":1.5}", false},
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct meta_store m;
		meta_store_init(&m);
		assert_int_equal(meta_from_json(&m, cases[i].text, strlen(cases[i].text), NULL),
				 cases[i].good ? 0 : -EINVAL);
		meta_store_release(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(round_trips),
	    cmocka_unit_test(objects_are_read_back),
	    cmocka_unit_test(large_appends),
	    cmocka_unit_test(metadata_are_read_back),
	    cmocka_unit_test(last_metadata_counts),
	    cmocka_unit_test(metadata_is_checked),
	    cmocka_unit_test(names_are_interned),
	    cmocka_unit_test(heap_items_are_read_back),
	    cmocka_unit_test(copies_are_equal),
	    cmocka_unit_test(version_1_stays_readable),
	    cmocka_unit_test(batches_and_single_records_mix),
	    cmocka_unit_test(unfit_records_are_refused),
	    cmocka_unit_test(no_traces_are_refused),
	    cmocka_unit_test(other_versions_are_refused),
	    cmocka_unit_test(unwritable_places),
	    cmocka_unit_test(impossible_names),
	    cmocka_unit_test(full_disk),
	    cmocka_unit_test(old_file_stays),
	    cmocka_unit_test(epochs_are_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
