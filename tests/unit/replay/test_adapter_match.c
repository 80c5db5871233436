/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the input's request for each observed request: by number, by position, and by operation,
 * object, offset and length. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/engines/adapters/adapter_private.h"
#include "sample.h"

struct match { /* an input and the observed requests of its replay, matched */
	char *dir;
	struct adapter_state a;
};

static const struct adapter some = {.name = "some"};

static void match_make(struct match *m, const struct sample *input, const struct sample *seen,
		       enum adapter_times how, const char *device)
{
	struct err e = ERR_INIT;
	*m = (struct match){.dir = sample_dir(), .a = {.times = {.how = how}}};
	m->a.run.device = (char *)device;
	char *path = xasprintf("%s/input.trace", m->dir);
	m->a.run.adapter = &some;
	m->a.run.own = &m->a;
	m->a.run.scratch = m->dir;
	m->a.seen_path = xasprintf("%s/seen.trace", m->dir);
	sample_write(input, path);
	sample_write(seen, m->a.seen_path);
	assert_int_equal(trace_open(&m->a.run.input, path, &e), 0);
	assert_int_equal(inputs_count(&m->a.run.inputs, m->a.run.input, &e), 0);
	free(path);
}

static void match_run(struct match *m)
{
	struct err e = ERR_INIT;
	if (seen_match(&m->a, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(m->a.n_outcomes, m->a.run.inputs.n_records);
}

static void match_release(struct match *m)
{
	seen_release(&m->a);
	inputs_release(&m->a.run.inputs);
	trace_close(m->a.run.input);
	free(m->a.seen_path);
	sample_dir_remove(m->dir);
}

/* The start of request i of the input in the replay; -1: not observed. */
static int64_t begin_of(const struct match *m, uint64_t i)
{
	return m->a.outcome[i].begin ? outcome_begin_ns(&m->a.outcome[i]) : -1;
}

static void assert_begins(const struct match *m, const int64_t *begin, size_t n)
{
	assert_int_equal(m->a.n_outcomes, n);
	for (size_t i = 0; i < n; i++)
		if (begin_of(m, i) != begin[i])
			fail_msg("request %zu began at %lld, not at %lld", i,
				 (long long)begin_of(m, i), (long long)begin[i]);
}

#define BEGINS(M, ...)                                                                             \
	assert_begins(M, (const int64_t[]){__VA_ARGS__},                                           \
		      sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct trace_record *read_add(struct sample *s, int64_t begin, uint64_t offset)
{
	return sample_data(s, 1, begin, begin + 5, OP_PREAD, 3, 0, offset, 4096, 4096);
}

static void sample_start(struct sample *s)
{
	*s = (struct sample){.paths = {"dev/some", "dev/other"}, .n_paths = 2};
}

/* --- by key -------------------------------------------------------------- */

static void in_another_order(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	for (uint64_t i = 0; i < 4; i++)
		read_add(&in, (int64_t)i * 10, i * 4096);
	in.r[3].op = OP_PWRITE;
	read_add(&seen, 1000, 2 * 4096);
	read_add(&seen, 1010, 0);
	/* writes all do the same */
	sample_data(&seen, 1, 1020, 1025, OP_PWRITEV, 9, 0, 3 * 4096, 4096, 4096);
	/* a read is no write */
	read_add(&seen, 1030, 3 * 4096);
	match_make(&m, &in, &seen, ADAPTER_PRELOAD, "/dev/some");
	match_run(&m);
	BEGINS(&m, 1010, -1, 1000, 1020);
	assert_int_equal(m.a.n_matched, 3);
	assert_int_equal(m.a.n_extra, 1);
	assert_int_equal(m.a.n_ambiguous, 0);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* Three equal requests, of which two were replayed: the first matches the first, and any of the
 * three may be missing. */
static void matched_in_order(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	read_add(&in, 0, 4096);
	read_add(&in, 10, 8192);
	read_add(&in, 20, 4096);
	read_add(&in, 30, 4096);
	read_add(&seen, 500, 4096);
	read_add(&seen, 510, 4096);
	read_add(&seen, 520, 8192);
	match_make(&m, &in, &seen, ADAPTER_BLOCK, "/dev/some");
	match_run(&m);
	BEGINS(&m, 500, 520, 510, -1);
	assert_int_equal(m.a.n_ambiguous, 3);
	assert_false(m.a.ambiguous_at_least);
	assert_int_equal(m.a.n_extra, 0);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* More equal requests than the input has; calls that only prepare the replay; and requests on other
 * files. */
static void extra_and_others(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	read_add(&in, 0, 0);
	sample_open(&seen, 1, 80, 90, 0, O_RDWR, 3);
	read_add(&seen, 100, 0);
	read_add(&seen, 110, 0);
	read_add(&seen, 120, 4096);
	sample_data(&seen, 1, 130, 135, OP_PREAD, 4, 1, 0, 4096, 4096); /* of its own input */
	match_make(&m, &in, &seen, ADAPTER_PRELOAD, "/dev/some");
	match_run(&m);
	BEGINS(&m, 100);
	assert_int_equal(m.a.n_extra, 2);
	assert_int_equal(m.a.n_other, 2);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* An observed request does not match a request that was not exported. */
static void requests_that_were_not_exported(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	read_add(&in, 0, 0);
	read_add(&in, 10, 0);
	read_add(&seen, 100, 0);
	match_make(&m, &in, &seen, ADAPTER_BLOCK, "/dev/some");
	m.a.run.inputs.left_out[0] = 1; /* the first */
	match_run(&m);
	BEGINS(&m, -1, 100);
	assert_int_equal(m.a.n_ambiguous, 0);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

static struct trace_record *piece_add(struct sample *s, uint32_t tid, int64_t begin, int64_t end,
				      uint64_t offset, uint64_t length)
{
	return sample_data(s, tid, begin, end, OP_PREAD, -1, 0, offset, length, (int64_t)length);
}

/* Requests that the kernel split are joined: interleaved pieces of two threads, a piece with an
 * error, pieces of two lengths. */
static void pieces_of_requests(void **state)
{
	enum { K = 1024, M = K * K };
	struct sample in, seen;
	struct match m;
	struct err e = ERR_INIT;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	piece_add(&in, 1, 0, 5, 0, 5 * M / 2);
	piece_add(&in, 2, 10, 15, 16 * M, 2 * M);
	piece_add(&in, 1, 20, 25, 0, 2 * M);
	piece_add(&in, 1, 30, 35, 32 * M, M);
	piece_add(&in, 1, 40, 45, 33 * M, M);
	piece_add(&in, 1, 50, 55, 32 * M, 2 * M);
	piece_add(&in, 1, 60, 65, 32 * M, 2 * M);
	piece_add(&seen, 1, 100, 150, 0, M);
	piece_add(&seen, 2, 101, 160, 16 * M, M);
	piece_add(&seen, 1, 102, 170, M, M);
	piece_add(&seen, 2, 103, 140, 17 * M, M)->error = EIO;
	piece_add(&seen, 1, 104, 155, 2 * M, M / 2);
	piece_add(&seen, 1, 200, 250, 0, M);
	piece_add(&seen, 1, 201, 251, M, M);
	piece_add(&seen, 1, 300, 310, 32 * M, M); /* these two were waited for */
	piece_add(&seen, 1, 320, 330, 33 * M, M);
	piece_add(&seen, 1, 400, 450, 32 * M, M);
	piece_add(&seen, 1, 401, 440, 33 * M, M);
	piece_add(&seen, 1, 500, 550, 64 * M, M); /* pieces of no request of the input */
	piece_add(&seen, 1, 501, 551, 65 * M, M);
	piece_add(&seen, 1, 600, 650, 32 * M, M);
	piece_add(&seen, 1, 601, 640, 33 * M, M);
	match_make(&m, &in, &seen, ADAPTER_BLOCK, "/dev/some");
	assert_int_equal(seen_join(&m.a, &e), 0);
	match_run(&m);
	BEGINS(&m, 100, 101, 200, 300, 320, 400, 600);
	assert_int_equal(m.a.outcome[0].took_ns, 70);
	assert_int_equal(m.a.outcome[0].rvalue, 5 * M / 2);
	assert_int_equal(m.a.outcome[1].rvalue, -EIO);
	assert_int_equal(m.a.outcome[5].took_ns, 50);
	assert_int_equal(m.a.n_seen, 9);
	assert_int_equal(m.a.n_extra, 2);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* Files match by name, whatever their number; a read without an offset is at the position of its
 * file. */
static void files_by_name_and_position(void **state)
{
	struct sample in = {.paths = {"sub/a", "b"}, .n_paths = 2}, seen = {.paths = {"other", "/b", "/sub/a"}, .n_paths = 3};
	struct match m;
	(void)state;
	sample_open(&in, 1, 0, 1, 0, O_RDONLY, 3);
	sample_data(&in, 1, 10, 15, OP_PREAD, 3, 0, 4096, 4096, 4096);
	sample_data(&in, 1, 20, 25, OP_PREAD, 3, 0, 0, 4096, 4096);
	sample_data(&in, 1, 30, 35, OP_PREAD, 4, 1, 0, 4096, 4096);
	sample_open(&seen, 1, 100, 101, 2, O_RDONLY, 7);
	sample_data(&seen, 1, 110, 115, OP_PREAD, 8, 1, 0, 4096, 4096);
	sample_data(&seen, 1, 120, 125, OP_READ, 7, 2, OFFSET_NONE, 4096, 4096);
	sample_data(&seen, 1, 130, 135, OP_READ, 7, 2, OFFSET_NONE, 4096, 4096);
	sample_data(&seen, 1, 140, 145, OP_READ, 9, 0, OFFSET_NONE, 4096, 4096);
	match_make(&m, &in, &seen, ADAPTER_PRELOAD, NULL);
	match_run(&m);
	BEGINS(&m, 100, 130, 120, 110);
	assert_int_equal(m.a.n_extra, 1);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* A random replay: every request is matched once, with an equal request. As many requests remain on
 * one side as on the other. */
static void every_request_once(void **state)
{
	enum { N = 3000, LOST = 100 };
	struct sample in, seen;
	struct match m;
	uint64_t seed = 11, order[N];
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	for (uint64_t i = 0; i < N; i++) {
		read_add(&in, (int64_t)i * 10, sample_random(&seed) % 500 * 4096);
		order[i] = i;
	}
	for (uint64_t i = N - 1; i > 0; i--) {
		uint64_t j = sample_random(&seed) % (i + 1), at = order[i];
		order[i] = order[j];
		order[j] = at;
	}
	for (uint64_t i = 0; i < N - LOST; i++)
		read_add(&seen, 100000 + (int64_t)i * 10, in.r[order[i]].offset);
	match_make(&m, &in, &seen, ADAPTER_BLOCK, "/dev/some");
	match_run(&m);
	bool taken[N] = {false};
	uint64_t n_lost = 0;
	for (uint64_t i = 0; i < N; i++) {
		int64_t begin = begin_of(&m, i);
		if (begin < 0) {
			n_lost++;
			continue;
		}
		uint64_t k = (uint64_t)(begin - 100000) / 10;
		assert_true(k < N && !taken[k]);
		taken[k] = true;
		assert_int_equal(seen.r[k].offset, in.r[i].offset);
	}
	assert_int_equal(n_lost, LOST);
	assert_int_equal(m.a.n_matched, N - LOST);
	assert_int_equal(m.a.n_extra, 0);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

/* --- by number, by position ------------------------------------------------ */

static void by_number(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	for (uint64_t i = 0; i < 3; i++)
		read_add(&in, (int64_t)i * 10, i * 4096);
	read_add(&seen, 100, 77)->seq = 2; /* the number decides, whatever the other values */
	read_add(&seen, 110, 0)->seq = 0;
	read_add(&seen, 120, 0)->seq = 0;	 /* twice */
	read_add(&seen, 130, 0)->seq = 3;	 /* there is none */
	read_add(&seen, 140, 0)->seq = UINT64_MAX - 1;
	match_make(&m, &in, &seen, ADAPTER_SELF, "/dev/some");
	m.a.numbered = true;
	m.a.run.started_ns = 5000;
	m.a.first_seen_ns = 100;
	match_run(&m);
	BEGINS(&m, 5010, -1, 5000); /* its clock: the first start is the start of the process */
	assert_int_equal(m.a.n_matched, 2);
	assert_int_equal(m.a.n_extra, 3);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

static void by_place(void **state)
{
	struct sample in, seen;
	struct match m;
	struct err e = ERR_INIT;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	for (uint64_t i = 0; i < 3; i++)
		read_add(&in, (int64_t)i * 10, i * 4096);
	for (int64_t i = 0; i < 3; i++)
		read_add(&seen, i * 10, OFFSET_NONE);
	match_make(&m, &in, &seen, ADAPTER_SELF, "/dev/some");
	m.a.in_order = true;
	/* the second request was not exported: the lines belong to the others */
	m.a.run.inputs.left_out[0] = 2;
	match_run(&m);
	BEGINS(&m, 0, -1, 10);
	assert_int_equal(m.a.n_extra, 1);
	match_release(&m);
	match_make(&m, &in, &seen, ADAPTER_SELF, "/dev/some");
	m.a.in_order = true;
	m.a.per = ADAPTER_PER_THREAD; /* the lines do not show to which requests they belong */
	assert_int_equal(seen_match(&m.a, &e), -EINVAL);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

static void times_and_results(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	read_add(&in, 0, 0);
	read_add(&in, 10, 4096);
	read_add(&seen, 100, 0)->dispatch_ns = 102;
	struct trace_record *failed =
	    sample_data(&seen, 1, 110, TIME_NONE, OP_PREAD, 3, 0, 4096, 4096, -EIO);
	failed->end_ns = 119;
	match_make(&m, &in, &seen, ADAPTER_BLOCK, "/dev/some");
	match_run(&m);
	assert_int_equal(m.a.outcome[0].took_ns, 5);
	assert_int_equal(m.a.outcome[0].dispatched_ns, 2);
	assert_int_equal(m.a.outcome[0].rvalue, 4096);
	assert_int_equal(m.a.outcome[1].took_ns, 9);
	assert_int_equal(m.a.outcome[1].dispatched_ns, -1);
	assert_int_equal(m.a.outcome[1].rvalue, -EIO);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

static void without_an_observer(void **state)
{
	struct sample in, seen;
	struct match m;
	(void)state;
	sample_start(&in);
	sample_start(&seen);
	read_add(&in, 0, 0);
	read_add(&seen, 0, 0);
	match_make(&m, &in, &seen, ADAPTER_UNTIMED, "/dev/some");
	match_run(&m);
	BEGINS(&m, -1);
	match_release(&m);
	sample_release(&in);
	sample_release(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_another_order),   cmocka_unit_test(matched_in_order),
	    cmocka_unit_test(extra_and_others),   cmocka_unit_test(requests_that_were_not_exported),
	    cmocka_unit_test(pieces_of_requests), cmocka_unit_test(files_by_name_and_position),
	    cmocka_unit_test(every_request_once), cmocka_unit_test(by_number),
	    cmocka_unit_test(by_place),           cmocka_unit_test(times_and_results),
	    cmocka_unit_test(without_an_observer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
