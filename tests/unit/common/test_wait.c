/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/wait.h"

static struct clock real;

static int calibrate(void **state)
{
	(void)state;
	return clock_init(&real, 2000000, NULL);
}

static uint64_t ticks(double ns)
{
	return (uint64_t)(ns / real.ns_per_tick);
}

static void no_wait_returns_before_the_deadline(void **state)
{
	(void)state;
	static const double gaps_ns[] = {0, 1, 500, 20000, 300000, 2000000};
	for (int method = WAIT_HYBRID; wait_method_names[method]; method++) {
		struct waiter w;
		waiter_init(&w, &real, (enum wait_method)method, 0);
		for (int i = 0; i < 60; i++) {
			uint64_t deadline = clock_now(&real) + ticks(gaps_ns[i % 6]);
			wait_until(&w, deadline);
			assert_true(clock_now(&real) >= deadline);
		}
	}
}

static void a_deadline_that_has_passed_costs_no_sleep(void **state)
{
	(void)state;
	for (int method = WAIT_HYBRID; wait_method_names[method]; method++) {
		struct waiter w;
		waiter_init(&w, &real, (enum wait_method)method, 100000);
		wait_until(&w, 0);
		wait_until(&w, clock_now(&real) - 1);
		assert_int_equal(w.n_sleeps, 0);
		assert_int_equal(w.n_late, 0);
	}
}

static void which_threads_sleep(void **state)
{
	(void)state;
	struct waiter spin, sleep, hybrid;
	waiter_init(&spin, &real, WAIT_SPIN, 0);
	waiter_init(&sleep, &real, WAIT_NANOSLEEP, 0);
	waiter_init(&hybrid, &real, WAIT_HYBRID, 1000000);
	wait_until(&spin, clock_now(&real) + ticks(3000000));
	assert_int_equal(spin.n_sleeps, 0);
	/* repeated if the deadline passed before the call, as it may on a busy machine */
	for (int i = 0; i < 1000 && !sleep.n_sleeps; i++)
		wait_until(&sleep, clock_now(&real) + ticks(3000000));
	assert_int_equal(sleep.n_sleeps, 1);
	wait_until(&hybrid, clock_now(&real) + ticks(500000)); /* shorter than its margin */
	assert_int_equal(hybrid.n_sleeps, 0);
	for (int i = 0; i < 1000 && !hybrid.n_sleeps; i++)
		wait_until(&hybrid, clock_now(&real) + ticks(5000000));
	assert_true(hybrid.n_sleeps >= 1);
}

static void the_first_margin_is_measured_or_given(void **state)
{
	(void)state;
	struct waiter w;
	waiter_init(&w, &real, WAIT_HYBRID, 0);
	assert_true(w.margin_ticks >= w.least_ticks && w.margin_ticks <= w.most_ticks);
	waiter_init(&w, &real, WAIT_HYBRID, 123456);
	assert_int_equal(w.margin_ticks, ticks(123456));
	waiter_init(&w, &real, WAIT_HYBRID, 1);
	assert_int_equal(w.margin_ticks, w.least_ticks);
	waiter_init(&w, &real, WAIT_HYBRID, INT64_MAX / 2);
	assert_int_equal(w.margin_ticks, w.most_ticks);
}

/* --- learning, without real sleep ----------------------------------------- */

static struct waiter with_margin(double margin_ns)
{
	struct waiter w;
	waiter_init(&w, &real, WAIT_HYBRID, (int64_t)margin_ns);
	return w;
}

static void one_outlier_changes_little(void **state)
{
	(void)state;
	struct waiter w = with_margin(100000);
	uint64_t before = w.margin_ticks;
	waiter_learn(&w, ticks(4000000));
	assert_true(w.margin_ticks > before);
	assert_true(w.margin_ticks < before + before / 5);
	for (int i = 0; i < 2000; i++)
		waiter_learn(&w, ticks(60000));
	assert_true(w.margin_ticks <= before);
}

static void repeated_lateness_is_followed(void **state)
{
	(void)state;
	struct waiter w = with_margin(60000);
	int n = 0;
	while (w.margin_ticks < ticks(300000) && n < 1000) {
		waiter_learn(&w, ticks(300000));
		n++;
	}
	assert_in_range(n, 1, 20);
	assert_int_equal(w.n_late, n);
	assert_int_equal(w.n_sleeps, n);
}

static void the_margin_is_bounded(void **state)
{
	(void)state;
	struct waiter w = with_margin(60000);
	for (int i = 0; i < 10000; i++)
		waiter_learn(&w, UINT64_MAX);
	assert_int_equal(w.margin_ticks, w.most_ticks);
	for (int i = 0; i < 100000; i++)
		waiter_learn(&w, 0);
	assert_int_equal(w.margin_ticks, w.least_ticks);
}

/* Overshoots of 50 to 150 us, and 400 us once in a hundred: the margin settles so that about 1 in
 * 1000 waits is late, or 2 in 3 if CPU time is saved. */
static double late_share(struct waiter *w)
{
	uint64_t random = 12345, late_before = 0;
	for (int i = 0; i < 200000; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		double u = (double)(random >> 11) / 9007199254740992.0;
		if (i == 20000)
			late_before = w->n_late;
		waiter_learn(w, ticks(u > 0.99 ? 400000 : 50000 + 100000 * u));
	}
	assert_true(w->margin_ticks < ticks(500000));
	return (double)(w->n_late - late_before) / 180000;
}

static void in_balance_one_in_a_thousand_is_late(void **state)
{
	(void)state;
	struct waiter w = with_margin(60000), sparing = w;
	const double share = late_share(&w);
	assert_true(share > 0.0005 && share < 0.002);
	waiter_spare(&sparing);
	const double spared = late_share(&sparing);
	assert_true(spared > 0.6 && spared < 0.75);
	assert_true(sparing.margin_ticks < w.margin_ticks);
}

/* A trace of 2000 requests/s for a second: the margin is near its balance from the begin. */
static void a_sparing_margin_begins_small(void **state)
{
	(void)state;
	struct waiter w = with_margin(100000);
	waiter_spare(&w);
	assert_int_equal(w.base_ticks, ticks(100000) / 5);
	assert_int_equal(w.margin_ticks, w.base_ticks);
	struct waiter least = with_margin(1);
	waiter_spare(&least);
	assert_int_equal(least.margin_ticks, least.least_ticks);
}

static void a_margin_above_all_gaps_shrinks_again(void **state)
{
	(void)state;
	struct waiter w = with_margin(20000);
	w.margin_ticks = ticks(90000);
	int n = 0;
	while (w.n_sleeps == 0 && n++ < 5000)
		wait_until(&w, clock_now(&real) + ticks(60000));
	assert_true(w.n_sleeps > 0);
	assert_true(w.margin_ticks >= w.base_ticks);

	/* gaps that are shorter than every earlier gap are spun, and do not change the margin */
	struct waiter short_gaps = with_margin(20000);
	for (int i = 0; i < 1000; i++)
		wait_until(&short_gaps, clock_now(&real) + ticks(2000));
	assert_int_equal(short_gaps.n_sleeps, 0);
	assert_int_equal(short_gaps.margin_ticks, short_gaps.base_ticks);
}

/* --- CPU delays ------------------------------------------------------------- */

static volatile uint64_t taken_until;

/* Simulates that another thread has the CPU until then. */
static void take(int number)
{
	(void)number;
	while (clock_now(&real) < taken_until)
		;
}

static void take_at(timer_t timer, double after_ns, double until_ns)
{
	const struct itimerspec at = {.it_value = {.tv_nsec = (long)after_ns}};
	taken_until = clock_now(&real) + ticks(until_ns);
	assert_int_equal(timer_settime(timer, 0, &at, NULL), 0);
}

/* Another thread gets the CPU 1 ms before the deadline and releases it 1 ms after the deadline. A
 * thread that spun then was delayed; a thread that slept too long was not. Repeated if the timer
 * was late on a busy machine. */
static void a_spinning_thread_detects_a_hold_up(void **state)
{
	(void)state;
	static const enum wait_method methods[] = {WAIT_SPIN, WAIT_HYBRID};
	struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	timer_t timer;
	to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	struct sigaction action = {.sa_handler = take, .sa_flags = SA_RESTART};
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &to, &timer), 0);
	for (size_t i = 0; i < 2; i++) {
		struct waiter w;
		bool cpu_delayed = false;
		waiter_init(&w, &real, methods[i], 1000000);
		for (int n = 0; n < 200 && !cpu_delayed; n++) {
			/* hybrid: within its margin */
			const uint64_t deadline = clock_now(&real) + ticks(900000);
			take_at(timer, 400000, 2000000);
			cpu_delayed = wait_until(&w, deadline);
			assert_true(!cpu_delayed ||
				    clock_now(&real) >= deadline + ticks(WAIT_CPU_DELAY_NS));
			while (clock_now(&real) < taken_until)
				;
		}
		assert_true(cpu_delayed);
	}
	struct waiter sleeps;
	waiter_init(&sleeps, &real, WAIT_NANOSLEEP, 0);
	for (int n = 0; n < 5; n++) {
		take_at(timer, 400000, 2000000);
		assert_false(wait_until(&sleeps, clock_now(&real) + ticks(900000)));
	}
	timer_delete(timer);
	signal(SIGUSR1, SIG_DFL);
	assert_false(wait_until(&sleeps, clock_now(&real) - ticks(1000000)));
}

/* --- contention ---------------------------------------------------------- */

/* Makes checks every 10 ms, each with this additional run-queue delay in `n_runs` runs. */
static void look_runs(struct waiter *w, int n, int64_t delay_ns, int64_t n_runs)
{
	for (int i = 0; i < n; i++)
		waiter_sensed(w, w->sensed_ticks + ticks(10000000),
			      (struct run_queue_facts){w->sensed.wait_ns + delay_ns,
						       w->sensed.n_runs + n_runs});
}

static void look(struct waiter *w, int n, int64_t delay_ns)
{
	look_runs(w, n, delay_ns, 0);
}

static void contention_narrows_the_margin_until_it_ends(void **state)
{
	(void)state;
	struct waiter w = with_margin(200000);
	/* the first check has no earlier value to compare with */
	waiter_sensed(&w, ticks(1), (struct run_queue_facts){5000000000, 7});
	look(&w, 10, 100000);			 /* 1 % */
	assert_false(w.contended);
	assert_int_equal(w.delayed_ns, 0);
	assert_int_equal(waiter_margin(&w), w.margin_ticks);
	look(&w, 1, 3000000);
	assert_true(w.contended);
	assert_int_equal(w.delayed_ns, 3000000);
	assert_int_equal(waiter_margin(&w), w.least_ticks);
	uint64_t margin = w.margin_ticks;
	waiter_learn(&w, ticks(900000)); /* the run-queue delay does not depend on timers */
	assert_int_equal(w.margin_ticks, margin);
	assert_int_equal(w.n_late, 1);
	look(&w, 3, 0);
	assert_true(w.contended);
	look(&w, 1, 0);
	assert_false(w.contended);
	assert_int_equal(waiter_margin(&w), margin);
	/* contention has begun again, so it ends only after twice as many checks */
	look(&w, 1, 3000000);
	look(&w, 7, 0);
	assert_true(w.contended);
	look(&w, 1, 0);
	assert_false(w.contended);
}

static void yields_are_bounded(void **state)
{
	(void)state;
	struct waiter w = with_margin(200000);
	waiter_submitted(&w, ticks(1000000));
	for (uint64_t us = 1000; us < 1100; us++)
		waiter_yield(&w, ticks(1000.0 * (double)us));
	assert_int_equal(w.n_yields, 2); /* at once, and after 50 us */
	for (uint64_t us = 1100; us < 11000; us++)
		waiter_yield(&w, ticks(1000.0 * (double)us));
	assert_int_equal(w.n_yields, 8);
	w.contended = true;
	waiter_submitted(&w, ticks(20000000));
	waiter_yield(&w, ticks(30000000));
	assert_int_equal(w.n_yields, 8);
}

static void unknown_delay_is_no_contention(void **state)
{
	(void)state;
	struct waiter w = with_margin(200000);
	for (uint64_t i = 1; i < 100; i++)
		waiter_sensed(&w, i * ticks(10000000), (struct run_queue_facts){.wait_ns = -1});
	assert_false(w.contended);
}

/* 10,000 requests/s on an idle machine: the thread gets a CPU 140 times in 10 ms, each time after
 * 4 us. */
static void waking_up_is_no_contention(void **state)
{
	(void)state;
	struct waiter w = with_margin(200000);
	waiter_sensed(&w, ticks(1), (struct run_queue_facts){5000000000, 7});
	look_runs(&w, 100, 140 * 4000, 140);
	assert_false(w.was_contended);
	/* once, it waited for a time slice of another thread */
	look_runs(&w, 1, 139 * 4000 + 3000000, 140);
	assert_true(w.contended);
	look_runs(&w, 4, 140 * 4000, 140);
	assert_false(w.contended);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spinning_thread_detects_a_hold_up),
		cmocka_unit_test(no_wait_returns_before_the_deadline),
		cmocka_unit_test(a_deadline_that_has_passed_costs_no_sleep),
		cmocka_unit_test(which_threads_sleep),
		cmocka_unit_test(the_first_margin_is_measured_or_given),
		cmocka_unit_test(one_outlier_changes_little),
		cmocka_unit_test(repeated_lateness_is_followed),
		cmocka_unit_test(the_margin_is_bounded),
		cmocka_unit_test(in_balance_one_in_a_thousand_is_late),
		cmocka_unit_test(a_sparing_margin_begins_small),
		cmocka_unit_test(a_margin_above_all_gaps_shrinks_again),
		cmocka_unit_test(contention_narrows_the_margin_until_it_ends),
		cmocka_unit_test(yields_are_bounded),
		cmocka_unit_test(unknown_delay_is_no_contention),
		cmocka_unit_test(waking_up_is_no_contention),
	};
	return cmocka_run_group_tests(tests, calibrate, NULL);
}
