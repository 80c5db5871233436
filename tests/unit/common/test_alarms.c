/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms that are armed ahead: they end waits, not earlier than their time, and none is lost. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <poll.h>

#include "common/alarms.h"
#include "common/clock.h"

#define MS INT64_C(1000000)

/* Waits for a signal. Returns false if none came within 10 s. */
static bool wait_signal(const struct alarms *a)
{
	return ppoll(NULL, 0, &(struct timespec){.tv_sec = 10}, &a->waiting) < 0 && errno == EINTR;
}

static void an_alarm_ends_a_wait(void **state)
{
	(void)state;
	struct alarms a;
	assert_int_equal(alarms_open(&a), 0);
	for (int i = 0; i < 20; i++) {
		const int64_t at_ns = clock_monotonic_ns() + MS;
		assert_int_equal(alarms_set(&a, at_ns, 0), at_ns);
		assert_true(wait_signal(&a));
		assert_true(clock_monotonic_ns() >= at_ns);
	}
	alarms_close(&a);
}

/* The signal of an alarm that passes before the wait ends the wait at once. A later wait needs an
 * alarm of its own, although its time is about the same. */
static void an_alarm_before_the_wait_is_not_lost(void **state)
{
	(void)state;
	struct alarms a;
	assert_int_equal(alarms_open(&a), 0);
	const int64_t at_ns = clock_monotonic_ns() + MS;
	alarms_set(&a, at_ns, 0);
	while (clock_monotonic_ns() < at_ns + MS)
		;
	assert_true(wait_signal(&a));
	assert_true(alarms_set(&a, at_ns + 100, 1000000000) == at_ns + 100); /* armed again */
	assert_true(wait_signal(&a));
	alarms_close(&a);
}

static void an_alarm_ahead_is_used_later(void **state)
{
	(void)state;
	struct alarms a;
	assert_int_equal(alarms_open(&a), 0);
	const int64_t begin_ns = clock_monotonic_ns(), first_ns = begin_ns + 500 * MS,
		      second_ns = begin_ns + 510 * MS;
	alarms_set(&a, first_ns, 0);
	alarms_ahead(&a, second_ns, 1000);
	alarms_ahead(&a, second_ns + 900, 1000); /* near enough: not armed again */
	assert_int_equal(a.at_ns[a.current], first_ns);
	assert_int_equal(a.at_ns[!a.current], second_ns);
	/* the alarm ahead becomes the current alarm, and then stays when another is armed ahead */
	assert_int_equal(alarms_set(&a, second_ns + 900, 1000), second_ns);
	alarms_ahead(&a, second_ns + 10 * MS, 1000);
	assert_int_equal(a.at_ns[a.current], second_ns);
	assert_int_equal(a.at_ns[!a.current], second_ns + 10 * MS);
	assert_true(wait_signal(&a));
	assert_true(clock_monotonic_ns() >= second_ns);
	alarms_close(&a);
}

static void closing_restores_the_mask(void **state)
{
	(void)state;
	struct alarms a;
	sigset_t before, during, after;
	pthread_sigmask(SIG_SETMASK, NULL, &before);
	assert_int_equal(alarms_open(&a), 0);
	pthread_sigmask(SIG_SETMASK, NULL, &during);
	assert_true(sigismember(&during, SIGRTMIN));
	assert_false(sigismember(&a.waiting, SIGRTMIN));
	alarms_set(&a, clock_monotonic_ns(), 0); /* its signal is pending */
	alarms_close(&a);
	alarms_close(&a); /* closed: no effect */
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_false(sigismember(&before, SIGRTMIN) || sigismember(&after, SIGRTMIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alarm_ends_a_wait),
		cmocka_unit_test(an_alarm_before_the_wait_is_not_lost),
		cmocka_unit_test(an_alarm_ahead_is_used_later),
		cmocka_unit_test(closing_restores_the_mask),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
