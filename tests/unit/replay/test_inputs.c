/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a replayer: the counts of the trace, and the files for each thread, process or
 * device with the requests that they leave out. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/strbuf.h"
#include "replay/engines/adapters/inputs.h"
#include "sample.h"

struct given { /* a trace, counted */
	char *dir;
	struct trace *t;
	struct inputs in;
};

static void given_make(struct given *g, const struct sample *s)
{
	struct err e = ERR_INIT;
	g->dir = sample_dir();
	char *path = xasprintf("%s/sample.trace", g->dir);
	sample_write(s, path);
	assert_int_equal(trace_open(&g->t, path, &e), 0);
	free(path);
	if (inputs_count(&g->in, g->t, &e))
		fail_msg("%s", e.msg);
}

static void given_release(struct given *g)
{
	inputs_release(&g->in);
	trace_close(g->t);
	sample_dir_remove(g->dir);
}

static struct trace_record *read_add(struct sample *s, uint32_t tid, int64_t begin, int64_t end,
				     uint32_t object)
{
	return sample_data(s, tid, begin, end, OP_PREAD, 3, object, 4096 * s->n, 4096, 4096);
}

/* --- formats ------------------------------------------------------------- */

static void formats_and_parts(void **state)
{
	static const struct {
		const char *text, *format;
		enum adapter_per per;
	} good[] = {{"csv", "csv", ADAPTER_PER_TRACE},
		    {"csv/trace", "csv", ADAPTER_PER_TRACE},
		    {"blkreplay/thread", "blkreplay", ADAPTER_PER_THREAD},
		    {"csv/process", "csv", ADAPTER_PER_PROCESS},
		    {"csv/device", "csv", ADAPTER_PER_DEVICE}};
	static const struct {
		const char *text, *message;
		int error;
	} bad[] = {{"blkreplai", "did you mean \"blkreplay\"?", -ENOENT},
		   {"", "unknown format \"\"", -ENOENT},
		   {"csv/threads", "\"threads\" is not one of", -EINVAL},
		   {"csv/", "\"\" is not one of", -EINVAL}};
	const struct trace_format *f;
	enum adapter_per per;
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(inputs_format_parse(good[i].text, &f, &per, NULL), 0);
		assert_string_equal(f->name, good[i].format);
		assert_int_equal(per, good[i].per);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;
		assert_int_equal(inputs_format_parse(bad[i].text, &f, &per, &e), bad[i].error);
		if (!strstr(e.msg, bad[i].message))
			fail_msg("\"%s\" is not in \"%s\"", bad[i].message, e.msg);
	}
	for (const struct trace_format *const *g = trace_formats; *g; g++)
		assert_int_equal(inputs_format_parse((*g)->name, &f, &per, NULL),
				 (*g)->write ? 0 : -EINVAL);
}

/* --- counting ------------------------------------------------------------ */

static void counts_of_a_trace(void **state)
{
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	struct given g;
	(void)state;
	read_add(&s, 1, 100, 300, 0);
	read_add(&s, 2, 200, 400, 1);
	read_add(&s, 3, 250, 300, 0);
	read_add(&s, 1, 300, 350, 0); /* begins when two end: not in flight together with them */
	/* no end; another process with the same thread number */
	read_add(&s, 2, 50, TIME_NONE, 1)->pid = 9;
	sample_add(&s, 1, TIME_NONE, TIME_NONE, OP_FSYNC); /* no times */
	sample_add(&s, 4, 0, 1000, OP_COMPUTE); /* no request */
	given_make(&g, &s);
	assert_int_equal(g.in.n_records, 7);
	assert_int_equal(g.in.n_of[OP_PREAD], 5);
	assert_int_equal(g.in.n_of[OP_FSYNC], 1);
	assert_int_equal(g.in.n_of[OP_COMPUTE], 0);
	assert_int_equal(g.in.n_threads, 4);
	assert_int_equal(g.in.n_processes, 2);
	assert_int_equal(g.in.max_in_flight, 3);
	assert_int_equal(g.in.first_ns, 50);
	assert_int_equal(g.in.last_ns, 400);
	given_release(&g);
	sample_release(&s);
}

static void many_in_flight(void **state)
{
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct given g;
	uint64_t seed = 7;
	(void)state;
	for (int64_t i = 0; i < 1000; i++)
		read_add(&s, (uint32_t)(i % 5), i, i + 1 + (int64_t)(sample_random(&seed) % 100),
			 0);
	uint64_t most = 0; /* by counting */
	for (size_t i = 0; i < s.n; i++) {
		uint64_t n = 0;
		for (size_t j = 0; j < s.n; j++)
			n += s.r[j].begin_ns <= s.r[i].begin_ns && s.r[j].end_ns > s.r[i].begin_ns;
		most = n > most ? n : most;
	}
	given_make(&g, &s);
	assert_int_equal(g.in.max_in_flight, most);
	given_release(&g);
	sample_release(&s);
}

static void an_empty_trace(void **state)
{
	struct sample s = {.n = 0};
	struct inputs in;
	struct trace *t;
	struct err e = ERR_INIT;
	char *dir = sample_dir(), *path = xasprintf("%s/empty.trace", dir);
	(void)state;
	sample_write(&s, path);
	assert_int_equal(trace_open(&t, path, &e), 0);
	assert_int_equal(inputs_count(&in, t, &e), -ENODATA);
	inputs_release(&in);
	trace_close(t);
	free(path);
	sample_dir_remove(dir);
}

/* --- files --------------------------------------------------------------- */

static void export_to(struct given *g, const char *how, int expected, struct err *e)
{
	const struct trace_format *f;
	enum adapter_per per;
	assert_int_equal(inputs_format_parse(how, &f, &per, e), 0);
	int ret = inputs_export(&g->in, g->t, f, per, g->dir, ".in", e);
	if (ret != expected)
		fail_msg("%s: %d, not %d: %s", how, ret, expected, e->msg);
}

/* The exported file `at` has exactly the records with these numbers. */
static void assert_numbers(const struct given *g, size_t at, const uint64_t *number, size_t n)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	size_t i = 0;
	if (trace_open(&t, g->in.file.v[at], &e))
		fail_msg("%s", e.msg);
	while (trace_next(t, &r, &e) == 1) {
		assert_true(i < n);
		assert_int_equal(r->seq, number[i]);
		i++;
	}
	assert_int_equal(i, n);
	trace_close(t);
}

static void a_file_for_each(void **state)
{
	struct sample s = {.paths = {"a", "b"}, .n_paths = 2};
	struct err e = ERR_INIT;
	struct given g;
	(void)state;
	read_add(&s, 5, 0, 10, 1);
	read_add(&s, 2, 20, 30, 0);
	read_add(&s, 5, 40, 50, 0)->pid = 8;
	read_add(&s, 2, 60, 70, 1);
	read_add(&s, 5, 80, 90, 1);
	given_make(&g, &s);
	export_to(&g, "csv/thread", 0, &e); /* in the order of the first request of each */
	assert_int_equal(g.in.file.n, 3);
	assert_numbers(&g, 0, (const uint64_t[]){0, 4}, 2);
	assert_numbers(&g, 1, (const uint64_t[]){1, 3}, 2);
	assert_numbers(&g, 2, (const uint64_t[]){2}, 1);
	given_release(&g);
	given_make(&g, &s);
	export_to(&g, "csv/process", 0, &e);
	assert_int_equal(g.in.file.n, 2);
	assert_numbers(&g, 0, (const uint64_t[]){0, 1, 3, 4}, 4);
	assert_numbers(&g, 1, (const uint64_t[]){2}, 1);
	given_release(&g);
	given_make(&g, &s);
	export_to(&g, "csv/device", 0, &e);
	assert_int_equal(g.in.file.n, 2);
	assert_numbers(&g, 0, (const uint64_t[]){0, 3, 4}, 3);
	assert_numbers(&g, 1, (const uint64_t[]){1, 2}, 2);
	given_release(&g);
	given_make(&g, &s);
	export_to(&g, "csv", 0, &e);
	assert_int_equal(g.in.file.n, 1);
	assert_numbers(&g, 0, (const uint64_t[]){0, 1, 2, 3, 4}, 5);
	given_release(&g);
	sample_release(&s);
}

/* Requests that the format cannot represent are known by their number in the whole trace, also if
 * the trace went into several files. */
static void skipped_requests(void **state)
{
	static const char *const how[] = {"blkreplay", "blkreplay/thread"};
	struct err e = ERR_INIT;
	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct sample s = {.paths = {"a"}, .n_paths = 1};
		struct given g;
		read_add(&s, 1, 0, 10, 0);
		read_add(&s, 2, 20, 30, 0);
		sample_add(&s, 2, 40, 50, OP_FSYNC);
		read_add(&s, 1, 60, 70, 0)->length = 100; /* no whole sectors */
		read_add(&s, 2, 80, 90, 0);
		given_make(&g, &s);
		export_to(&g, how[k], 0, &e);
		assert_int_equal(g.in.file.n, k + 1);
		assert_int_equal(g.in.n_left_out, 2);
		for (uint64_t i = 0; i < 5; i++)
			assert_int_equal(inputs_is_left_out(&g.in, i), i == 2 || i == 3);
		assert_int_equal(g.in.n_of[OP_PREAD], 3);
		assert_int_equal(g.in.n_of[OP_FSYNC], 0);
		assert_true(*g.in.why != 0);
		given_release(&g);
		sample_release(&s);
	}
}

static void nothing_to_export(void **state)
{
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct err e = ERR_INIT;
	struct given g;
	(void)state;
	sample_add(&s, 1, 40, 50, OP_FSYNC);
	given_make(&g, &s);
	export_to(&g, "blkreplay", -EINVAL, &e);
	assert_non_null(strstr(e.msg, "cannot represent any request of the trace"));
	given_release(&g);
	sample_release(&s);
}

static void too_many_files(void **state)
{
	struct sample s = {.paths = {"a"}, .n_paths = 1};
	struct err e = ERR_INIT;
	struct given g;
	(void)state;
	for (uint32_t i = 0; i < 513; i++)
		read_add(&s, i + 1, i, i + 1, 0);
	given_make(&g, &s);
	export_to(&g, "csv/thread", -EINVAL, &e);
	assert_non_null(strstr(e.msg, "more than 512 files"));
	given_release(&g);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formats_and_parts), cmocka_unit_test(counts_of_a_trace),
	    cmocka_unit_test(many_in_flight),    cmocka_unit_test(an_empty_trace),
	    cmocka_unit_test(a_file_for_each),   cmocka_unit_test(skipped_requests),
	    cmocka_unit_test(nothing_to_export), cmocka_unit_test(too_many_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
