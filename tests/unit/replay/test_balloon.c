/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/process_memory.h"
#include "common/xalloc.h"
#include "replay/issue/balloon.h"
#include "replay/plan/plan.h"

#define MIB ((uint64_t)1 << 20)
#if defined(__SANITIZE_THREAD__)
static const bool shadowed = true;
#else
static const bool shadowed = false;
#endif

static void texts(void **state)
{
	(void)state;
	static const char *const good[] = {"off", "traced", "0", "64M", "1GiB", NULL},
				 *const bad[] = {"", "on", "tracd", "-1", "64 bananas"};
	struct err e = ERR_INIT;
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(balloon_text_check(good[i], &e), 0);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(balloon_text_check(bad[i], &e), -EINVAL);
}

/* Ten requests, one every ms, starting at 5 ms. */
static struct load ten_requests(struct load_request *r)
{
	for (int i = 0; i < 10; i++)
		r[i] = (struct load_request){.begin_ns = 5000000 + 1000000 * i};
	return (struct load){.request = r, .n = 10, .first_begin_ns = 5000000};
}

static int init(struct balloon *b, const char *text, const char *samples, enum replay_timing timing,
		double speed, struct err *e)
{
	struct load_request r[10];
	struct load l = ten_requests(r);
	struct replay_config c;
	replay_config_init(&c);
	c.balloon = text;
	c.timing = (int)timing;
	c.speed = speed;
	char *extra = samples ? xasprintf("{\"anonymous_memory\":%s}", samples) : NULL;
	const struct trace_meta meta = {.extra_json = extra};
	int ret = balloon_init(b, &c, &meta, &l, e);
	free(extra);
	return ret;
}

static const char three[] =
    "[{\"t_ns\":0,\"bytes\":50000000},{\"t_ns\":7000000,\"bytes\":90000000},"
    "{\"t_ns\":7500000,\"bytes\":90000001},{\"t_ns\":12000000,\"bytes\":30000000}]";

static void samples_become_steps(void **state)
{
	(void)state;
	struct balloon b;
	struct err e = ERR_INIT;
	assert_int_equal(init(&b, "traced", three, TIMING_FULLSPEED, 1, &e), 0);
	assert_int_equal(b.n_steps, 3); /* a change of a byte is none */
	assert_false(b.by_time);
	assert_int_equal(b.step[0].n_requests, 0);
	assert_int_equal(b.step[1].n_requests, 3); /* the requests at 5, 6 and 7 ms */
	assert_int_equal(b.step[2].n_requests, 8);
	assert_int_equal(balloon_step_at(&b, 0, INT64_MAX)->bytes, 50000000);
	assert_int_equal(balloon_step_at(&b, 2, 0)->bytes, 50000000);
	assert_int_equal(balloon_step_at(&b, 3, 0)->bytes, 90000000);
	assert_int_equal(balloon_step_at(&b, 7, 0)->bytes, 90000000);
	assert_int_equal(balloon_step_at(&b, 10, 0)->bytes, 30000000);
	balloon_release(&b);
	assert_int_equal(init(&b, "traced", three, TIMING_TIMESTAMP, 2, &e), 0);
	assert_true(b.by_time);
	/* 2 ms after the first request, at twice the speed */
	assert_int_equal(b.step[1].due_ns, 1000000);
	assert_int_equal(balloon_step_at(&b, 10, -5)->bytes, 50000000);
	assert_int_equal(balloon_step_at(&b, 10, 999999)->bytes, 50000000);
	assert_int_equal(balloon_step_at(&b, 0, 1000000)->bytes, 90000000);
	assert_int_equal(balloon_step_at(&b, 0, 3500000)->bytes, 30000000);
	balloon_release(&b);
}

static void invalid_samples_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    NULL,
	    "[]",
	    "{}",
	    "7",
	    "[1]",
	    "[{\"t_ns\":0}]",
	    "[{\"bytes\":5}]",
	    "[{\"t_ns\":0,\"bytes\":-1}]",
	    "[{\"t_ns\":0.5,\"bytes\":1}]",
	    "[{\"t_ns\":\"0\",\"bytes\":1}]",
	    "[{\"t_ns\":5,\"bytes\":1},{\"t_ns\":4,\"bytes\":1}]",
	    "[{\"t_ns\":0,\"bytes\":9223372036854775807}]",
	    "[null]",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct balloon b;
		struct err e = ERR_INIT;
		if (init(&b, "traced", bad[i], TIMING_FULLSPEED, 1, &e) != -EINVAL)
			fail_msg("%s was taken", bad[i] ? bad[i] : "no metadata");
		assert_true(*e.msg);
		balloon_release(&b);
	}
	struct balloon b;
	assert_int_equal(init(&b, "off", "[7]", TIMING_FULLSPEED, 1, NULL), 0);
	assert_int_equal(b.n_steps, 0);
	assert_int_equal(balloon_hold(&b, NULL, NULL, 0, NULL), 0);
	balloon_let_go(&b);
	balloon_release(&b);
}

/* Whether the process may lock the memory that the tests lock: 16 MiB. */
static bool may_lock(void)
{
	struct rlimit l;
	return geteuid() == 0 || (getrlimit(RLIMIT_MEMLOCK, &l) == 0 && l.rlim_cur > 17 * MIB);
}

static uint64_t locked_bytes(void)
{
	char line[200];
	unsigned long long kib = 0;
	FILE *in = fopen("/proc/self/status", "re");
	while (in && fgets(line, sizeof line, in) && sscanf(line, "VmLck: %llu", &kib) != 1)
		;
	if (in)
		fclose(in);
	return kib * 1024;
}

static void it_is_resident_locked_and_given_back(void **state)
{
	(void)state;
	struct balloon b;
	struct err e = ERR_INIT;
	if (shadowed || !may_lock())
		/* ThreadSanitizer's shadow memory grows with locked memory; or RLIMIT_MEMLOCK
		 * allows too little */
		skip();
	uint64_t own = process_anonymous_bytes(getpid());
	char text[40];
	snprintf(text, sizeof text, "%llu", (unsigned long long)(own + 16 * MIB));
	assert_int_equal(init(&b, text, NULL, TIMING_FULLSPEED, 1, &e), 0);
	assert_int_equal(balloon_hold(&b, NULL, NULL, 0, &e), 0);
	uint64_t now = process_anonymous_bytes(getpid());
	assert_in_range(now, own + 16 * MIB - MIB, own + 16 * MIB + MIB);
	assert_in_range(b.held_bytes + b.own_bytes, own + 15 * MIB, own + 17 * MIB);
	assert_true(locked_bytes() >= b.held_bytes);
	for (uint64_t i = 0; i < b.held_bytes; i += 4096) {
		uint64_t word, other;
		memcpy(&word, b.base + i, 8);
		memcpy(&other, b.base + (i + 4096 < b.held_bytes ? i + 4096 : i + 8), 8);
		assert_true(word && word != other);
	}
	balloon_let_go(&b);
	assert_in_range(process_anonymous_bytes(getpid()), 0, own + MIB);
	assert_int_equal(locked_bytes(), 0);
	balloon_release(&b);
}

static uint64_t held(struct balloon *b)
{
	pthread_mutex_lock(&b->mutex);
	uint64_t bytes = b->held_bytes;
	pthread_mutex_unlock(&b->mutex);
	return bytes;
}

/* Waits until the balloon has `bytes` less the process's own memory, which may change by some pages
 * meanwhile; at most a minute. */
static void wait_for(struct balloon *b, uint64_t bytes)
{
	for (int i = 0; i < 60000; i++) {
		uint64_t now = held(b);
		if (now + b->own_bytes < bytes + MIB && now + b->own_bytes + MIB > bytes)
			return;
		usleep(1000);
	}
	fail_msg("it holds %llu beside %llu, not %llu", (unsigned long long)held(b),
		 (unsigned long long)b->own_bytes, (unsigned long long)bytes);
}

/* The balloon grows and shrinks as requests end; the test ends them one by one. */
static void it_follows_the_requests(void **state)
{
	(void)state;
	struct balloon b;
	struct err e = ERR_INIT;
	struct outcome outcome[10] = {{.begin_ticks = 0}};
	struct lane lane = {.n = 10, .outcome = outcome};
	struct replay_plan plan = {.lane = &lane, .n_lanes = 1};
	if (shadowed || !may_lock())
		/* ThreadSanitizer's shadow memory grows with locked memory; or RLIMIT_MEMLOCK
		 * allows too little */
		skip();
	uint64_t own = process_anonymous_bytes(getpid()) + 64 * 1024;
	char *samples =
	    xasprintf("[{\"t_ns\":0,\"bytes\":%llu},{\"t_ns\":7000000,\"bytes\":%llu},{\"t_ns\":"
		      "12000000,\"bytes\":%llu}]",
		      (unsigned long long)(own + 4 * MIB), (unsigned long long)(own + 16 * MIB),
		      (unsigned long long)(own + 8 * MIB));
	assert_int_equal(clock_init(&plan.clock, 1000000, &e), 0);
	plan.start_ticks = clock_now(&plan.clock);
	assert_int_equal(init(&b, "traced", samples, TIMING_FULLSPEED, 1, &e), 0);
	assert_int_equal(balloon_hold(&b, &plan, NULL, 0, &e), 0);
	assert_int_equal(balloon_follow(&b, &e), 0);
	wait_for(&b, own + 4 * MIB);
	for (int i = 0; i < 3; i++)
		outcome_set(&outcome[i], 1, 2, 0);
	wait_for(&b, own + 16 * MIB);
	assert_in_range(process_anonymous_bytes(getpid()), own + 15 * MIB, own + 18 * MIB);
	for (int i = 3; i < 8; i++)
		outcome_set(&outcome[i], 1, 2, 0);
	wait_for(&b, own + 8 * MIB);
	assert_in_range(process_anonymous_bytes(getpid()), own + 7 * MIB, own + 10 * MIB);
	balloon_let_go(&b);
	assert_true(b.most_bytes > b.least_bytes + 11 * MIB);
	assert_int_equal(b.n_changes, 3);
	balloon_release(&b);
	free(samples);
}

static void too_much_is_refused_before_it_is_taken(void **state)
{
	(void)state;
	struct balloon b;
	struct err e = ERR_INIT;
	assert_int_equal(init(&b, "500T", NULL, TIMING_FULLSPEED, 1, &e), 0);
	assert_int_equal(balloon_hold(&b, NULL, NULL, 0, &e), -ENOMEM);
	assert_non_null(strstr(e.msg, "500"));
	assert_null(b.base);
	balloon_release(&b);
}

/* In a child that may lock no memory. */
static void missing_permission_to_lock_is_reported(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (!pid) {
		struct balloon b;
		struct err e = ERR_INIT;
		struct rlimit none = {4096, 4096};
		if (setrlimit(RLIMIT_MEMLOCK, &none) || (geteuid() == 0 && setuid(12345)))
			_exit(77);
		init(&b, "64M", NULL, TIMING_FULLSPEED, 1, &e);
		int ret = balloon_hold(&b, NULL, NULL, 0, &e);
		_exit(ret == -EACCES && strstr(e.msg, "RLIMIT_MEMLOCK") && !b.base ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == 77)
		skip(); /* this user may lock memory beyond the limit */
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(texts),
	    cmocka_unit_test(samples_become_steps),
	    cmocka_unit_test(invalid_samples_are_refused),
	    cmocka_unit_test(it_is_resident_locked_and_given_back),
	    cmocka_unit_test(it_follows_the_requests),
	    cmocka_unit_test(too_much_is_refused_before_it_is_taken),
	    cmocka_unit_test(missing_permission_to_lock_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
