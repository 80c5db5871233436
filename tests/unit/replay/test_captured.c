/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Captured content on its way to workers: each request gets its own content, in any order of
 * requests, with little memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/content/content.h"
#include "replay/content/captured.h"
#include "replay/content/captured_take.h"
#include "tests/unit/replay/sample.h"

#define N 200u
#define LARGE 78u /* more than all of the memory */
#define MEMORY (UINT64_C(1) << 20)

static char trace_path[512];

static uint64_t bytes_of(uint64_t seq)
{
	return seq == LARGE ? 3 * MEMORY / 2 : 1 + seq * 7919 % 60000;
}

static uint8_t byte_of(uint64_t seq, uint64_t at)
{
	return (uint8_t)((at >> 3) * (seq + 1) + at / 4096);
}

/* Requests 3, 6, ... of the trace wrote content; its records are numbered from `first` on. */
static void made(uint64_t first)
{
	struct err e = ERR_INIT;
	struct content_writer *w;
	struct content_facts facts;
	struct trace_writer *t;
	char path[600], extra[200];
	uint8_t block[CONTENT_BLOCK];
	uint32_t number[1024];
	snprintf(trace_path, sizeof trace_path, "%s/captured-%d",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (int)getpid());
	snprintf(path, sizeof path, "%s" CONTENT_SUFFIX, trace_path);
	assert_int_equal(content_writer_open(&w, path, &e), 0);
	for (uint64_t seq = 3; seq < N; seq += 3) {
		size_t n = 0;
		for (uint64_t at = 0; at < bytes_of(seq); at += CONTENT_BLOCK, n++) {
			const uint64_t left = bytes_of(seq) - at;
			const uint32_t some = left < CONTENT_BLOCK ? (uint32_t)left : CONTENT_BLOCK;
			for (uint32_t i = 0; i < some; i++)
				block[i] = byte_of(seq, at + i);
			assert_int_equal(content_writer_block(w, block, some, &number[n], &e), 0);
		}
		assert_int_equal(content_writer_request(w, seq, number, n, &e), 0);
	}
	assert_int_equal(content_writer_close(w, &facts, &e), 0);
	size_t len = (size_t)snprintf(extra, sizeof extra, "{\"content\":{\"name\":\"");
	for (size_t i = 0; i < sizeof facts.name; i++)
		len += (size_t)snprintf(extra + len, sizeof extra - len, "%02x", facts.name[i]);
	snprintf(extra + len, sizeof extra - len, "\"}}");
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made", .extra_json = extra};
	assert_int_equal(trace_writer_open(&t, trace_path, &meta, &(struct trace_write_options){.no_sync = true}, &e), 0);
	for (uint64_t seq = first; seq < N; seq++) {
		const struct trace_record r = {.seq = seq, .begin_ns = (int64_t)seq, .end_ns = (int64_t)seq, .intended_ns = TIME_NONE,
					       .dispatch_ns = TIME_NONE, .pid = 1, .tid = 1, .object = OBJECT_NONE, .fd = 3, .heap = HEAP_NONE,
					       .op = OP_PWRITE, .commit = TRACE_COMMIT};
		assert_int_equal(trace_writer_append(t, &r, 1, &e), 0);
	}
	assert_int_equal(trace_writer_close(t, &e), 0);
}

struct taker {
	const struct captured_reader *c;
	uint64_t *number, *seq, n;
	uint64_t from; /* first of every second item */
	bool backwards;
	uint64_t n_wrong;
};

static void *take(void *arg)
{
	struct taker *t = arg;
	uint8_t *to = malloc(2 * MEMORY);
	for (uint64_t k = t->from; k < t->n; k += 2) {
		const uint64_t i = t->backwards ? t->n - 1 - k : k, n = bytes_of(t->seq[i]);
		memset(to, 0, n);
		captured_take(t->c, t->number[i], to, n);
		for (uint64_t at = 0; at < n; at++)
			t->n_wrong += to[at] != byte_of(t->seq[i], at);
	}
	free(to);
	return NULL;
}

/* Two threads: one takes every second request, the other the rest, from the other end if
 * `backwards` is set. */
static void taken_by_two(uint64_t first, bool backwards)
{
	struct err e = ERR_INIT;
	struct captured *c;
	struct captured_summary s;
	struct trace *t;
	uint64_t number[N], seq[N], n = 0;
	pthread_t id[2];
	made(first);
	assert_int_equal(trace_open(&t, trace_path, &e), 0);
	assert_int_equal(captured_open(&c, trace_path, t, &e), 0);
	for (uint64_t record = 0; record < N - first; record++) {
		const uint64_t is = first + record;
		assert_int_equal(captured_add(c, record, &number[n]), is && is % 3 == 0);
		seq[n] = is;
		n += is && is % 3 == 0;
	}
	assert_int_equal(captured_start(c, MEMORY, &e), 0);
	/* from the other end, the second thread must begin elsewhere to get the other half */
	const bool odd = backwards && n % 2;
	struct taker w[2] = {{captured_reader(c), number, seq, n, 0, false, 0},
			     {captured_reader(c), number, seq, n, odd ? 1 : backwards ? 0 : 1, backwards, 0}};
	for (int i = 0; i < 2; i++)
		pthread_create(&id[i], NULL, take, &w[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(id[i], NULL);
	assert_int_equal(w[0].n_wrong + w[1].n_wrong, 0);
	assert_int_equal(captured_stop(c, &s, &e), 0);
	assert_int_equal(s.n_requests, n);
	assert_true(s.n_late >= 1); /* the large one */
	captured_free(c);
	trace_close(t);
}

static void in_order(void **state)
{
	(void)state;
	taken_by_two(0, false);
}

static void against_each_other(void **state)
{
	(void)state;
	taken_by_two(0, true);
}

static void of_a_slice(void **state)
{
	(void)state;
	taken_by_two(40, false);
}

/* Two processes: a forked process, and another program that gets descriptors only. */
static void by_processes(void **state)
{
	struct err e = ERR_INIT;
	struct captured *c;
	struct captured_summary s;
	struct captured_reader *joined;
	struct trace *t;
	uint64_t number[N], seq[N], n = 0;
	int content_fd, memory_fd;
	(void)state;
	made(0);
	assert_int_equal(trace_open(&t, trace_path, &e), 0);
	assert_int_equal(captured_open(&c, trace_path, t, &e), 0);
	captured_descriptors(c, &content_fd, &memory_fd);
	assert_true(memory_fd < 0 && content_fd < 0);
	for (seq[0] = 3; seq[n] < N; n++, seq[n] = seq[n - 1] + 3)
		assert_true(captured_add(c, seq[n], &number[n]));
	assert_int_equal(captured_start(c, MEMORY, &e), 0);
	captured_descriptors(c, &content_fd, &memory_fd);
	assert_int_equal(captured_join(&joined, dup(content_fd), dup(memory_fd), &e), 0);
	struct taker w[2] = {{captured_reader(c), number, seq, n, 0, false, 0},
			     {joined, number, seq, n, 1, false, 0}};
	pid_t pid[2];
	for (int i = 0; i < 2; i++)
		if ((pid[i] = fork()) == 0) {
			captured_own(w[i].c);
			take(&w[i]);
			_exit(w[i].n_wrong != 0);
		}
	for (int i = 0, status; i < 2; i++) {
		assert_true(waitpid(pid[i], &status, 0) == pid[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert_int_equal(captured_stop(c, &s, &e), 0);
	assert_int_equal(s.n_requests, n);
	assert_true(s.n_late >= 1); /* counted in the other program, visible here */
	content_close(joined->content);
	vm_free(&joined->memory);
	free(joined);
	captured_free(c);
	trace_close(t);
}

/* A thread that ends before all content was taken does not wait. */
static void stopped_early(void **state)
{
	struct err e = ERR_INIT;
	struct captured *c;
	struct trace *t;
	uint64_t number;
	(void)state;
	made(0);
	assert_int_equal(trace_open(&t, trace_path, &e), 0);
	assert_int_equal(captured_open(&c, trace_path, t, &e), 0);
	for (uint64_t record = 0; record < N; record++)
		captured_add(c, record, &number);
	assert_int_equal(captured_start(c, MEMORY, &e), 0);
	captured_free(c);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(in_order),
	    cmocka_unit_test(against_each_other),
	    cmocka_unit_test(of_a_slice),
	    cmocka_unit_test(by_processes),
	    cmocka_unit_test(stopped_early),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
