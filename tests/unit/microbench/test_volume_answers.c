/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of a volume are given in the order of their due times, none is early, and each is
 * logged. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "microbench/volume/answers.h"

#define N 3000

static char *path;
static struct volume_log the_log;
static _Atomic uint32_t n_given;
static struct {
	int64_t at_ns, due_ns;
	size_t number;
} given[N];

static void note(const struct answer *x)
{
	uint32_t i = atomic_load(&n_given);
	if (i < N) {
		given[i].at_ns = clock_monotonic_ns();
		given[i].due_ns = x->entry.due_ns;
		given[i].number = (size_t)x->request;
	}
	atomic_store(&n_given, i + 1);
}

static int enter(void **state)
{
	(void)state;
	path = xasprintf("%s/test_answers.%d", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
			 (int)getpid());
	atomic_store(&n_given, 0);
	return volume_log_create(&the_log, path, 2000, NULL);
}

static int leave(void **state)
{
	(void)state;
	volume_log_close(&the_log);
	unlink(path);
	free(path);
	return 0;
}

static void wait_for(uint32_t n)
{
	while (atomic_load(&n_given) < n)
		usleep(1000);
}

static struct answer at(int64_t due_ns, size_t number)
{
	return (struct answer){.entry = {.arrival_ns = due_ns - 1000, .due_ns = due_ns, .offset = number, .length = 1}, .request = (void *)number};
}

static void in_order_and_none_early(void **state)
{
	(void)state;
	struct answers *a;
	assert_int_equal(answers_start(&a, note, &the_log, -1, NULL), 0);
	/* all answers are added before the first is due, even if this thread waits for a CPU */
	int64_t base_ns = clock_monotonic_ns() + 1000000000;
	uint64_t x = 1;
	for (size_t i = 1; i <= N; i++) {
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		struct answer answer = at(base_ns + (int64_t)(x >> 40) % 50000000, i);
		answers_add(a, &answer);
	}
	wait_for(N);
	answers_stop(a);
	assert_int_equal(n_given, N);
	for (size_t i = 0; i < N; i++) {
		assert_true(given[i].at_ns >= given[i].due_ns);
		assert_true(!i || given[i].due_ns >= given[i - 1].due_ns);
	}
	assert_int_equal(the_log.head->n, 2000);
	assert_int_equal(the_log.head->n_lost, N - 2000);
	for (size_t i = 0; i < 2000; i++) {
		assert_int_equal(the_log.entry[i].offset, given[i].number);
		assert_true(the_log.entry[i].end_ns >= the_log.entry[i].due_ns);
	}
}

/* An answer that is added later but due earlier is given first. */
static void an_earlier_answer_comes_first(void **state)
{
	(void)state;
	struct answers *a;
	assert_int_equal(answers_start(&a, note, &the_log, -1, NULL), 0);
	int64_t now_ns = clock_monotonic_ns(), hour_ns = INT64_C(3600000000000);
	struct answer late = at(now_ns + hour_ns, 1), soon = at(now_ns + 2000000, 2);
	answers_add(a, &late);
	usleep(1000);
	answers_add(a, &soon);
	wait_for(1);
	assert_int_equal(given[0].number, 2);
	answers_stop(a); /* gives the last one */
	assert_int_equal(n_given, 2);
	assert_int_equal(given[1].number, 1);
}

/* Each answer gets the lead for the number of answers that are pending with it, and keeps this
 * lead. */
static void leads_by_depth(void **state)
{
	(void)state;
	struct answers *a;
	const int64_t hour_ns = INT64_C(3600000000000), now_ns = clock_monotonic_ns();
	assert_int_equal(answers_start(&a, note, &the_log, -1, NULL), 0);
	for (int k = 0; k < VOLUME_DEPTHS; k++)
		the_log.head->lead_ns[k] = k;
	for (size_t i = 1; i <= 65; i++) {
		struct answer answer = at(now_ns + hour_ns, i);
		answers_add(a, &answer);
	}
	the_log.head->lead_ns[3] = 2 * hour_ns;
	struct answer early = at(now_ns + hour_ns, 66); /* its lead is longer than the wait */
	answers_add(a, &early);
	wait_for(1);
	assert_int_equal(given[0].number, 66);
	answers_stop(a);
	assert_int_equal(the_log.head->n, 66);
	for (size_t i = 0; i < 66; i++) {
		const struct volume_entry *x = &the_log.entry[i];
		/* number of answers pending at its arrival, including itself */
		const size_t n = x->offset;
		assert_int_equal(x->lead_ns, n == 66 ? 2 * hour_ns : n > 16 ? 3 : n > 4 ? 2 : n > 1);
	}
}

static void logs_read_by_other_programs(void **state)
{
	(void)state;
	struct volume_log l;
	struct err e = ERR_INIT;
	assert_int_equal(volume_log_open(&l, path, false, &e), 0);
	assert_int_equal(l.head->cap, 2000);
	volume_log_close(&l);
	the_log.head->cap = 1 << 20; /* larger than the file */
	assert_true(volume_log_open(&l, path, false, &e) < 0);
	the_log.head->cap = 2000;
	the_log.head->n = 2001;
	assert_true(volume_log_open(&l, path, false, &e) < 0);
	the_log.head->n = 0;
	memcpy(the_log.head->magic, "SOMETHIN", 8);
	assert_true(volume_log_open(&l, path, false, &e) < 0);
	assert_non_null(strstr(e.msg, "is not a log of a volume"));
	assert_true(volume_log_open(&l, "/dev/null", false, &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(in_order_and_none_early, enter, leave),
		cmocka_unit_test_setup_teardown(an_earlier_answer_comes_first, enter, leave),
		cmocka_unit_test_setup_teardown(leads_by_depth, enter, leave),
		cmocka_unit_test_setup_teardown(logs_read_by_other_programs, enter, leave),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
