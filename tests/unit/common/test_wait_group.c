/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <unistd.h>

#include "common/wait_group.h"

enum { MOST = 8, ROUNDS = 40 };

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

static void order_of_spinning_threads(void **state)
{
	(void)state;
	struct wait_group g;
	assert_int_equal(wait_group_init(&g, 4, 2, true, false, NULL), 0);
	assert_int_equal(wait_group_before(&g, 0, WAIT_NOBODY), 0);
	assert_int_equal(wait_group_next(&g), 4);
	atomic_store(&g.seat[0].spins_for, 100);
	atomic_store(&g.seat[1].spins_for, 200);
	atomic_store(&g.seat[3].spins_for, 300);
	assert_int_equal(wait_group_before(&g, 0, 100), 0);
	assert_int_equal(wait_group_before(&g, 1, 200), 1);
	/* if two times are equal, the lower seat is first */
	assert_int_equal(wait_group_before(&g, 2, 200), 2);
	assert_int_equal(wait_group_before(&g, 0, 200), 0);
	assert_int_equal(wait_group_before(&g, 3, 300), 2);
	atomic_store(&g.seat[2].sleeps_for, 50);
	atomic_store(&g.seat[1].sleeps_for, 40);
	assert_int_equal(wait_group_next(&g), 1);
	wait_group_release(&g);
}

/* wait_group_wake() counts the woken thread at once as spinning, and wakes no thread twice. */
static void a_sleeper_is_woken_once(void **state)
{
	(void)state;
	struct wait_group g;
	assert_int_equal(wait_group_init(&g, 2, 1, true, false, NULL), 0);
	assert_false(wait_group_wake(&g, 1));
	atomic_store(&g.seat[1].sleeps_for, 70);
	assert_true(wait_group_wake(&g, 1));
	assert_false(wait_group_wake(&g, 1));
	assert_int_equal(atomic_load(&g.seat[1].spins_for), 70);
	assert_int_equal(atomic_load(&g.seat[1].wakes), 1);
	assert_int_equal(wait_group_next(&g), 2);
	wait_group_release(&g);
}

struct sleeper {
	struct waiter w;
	uint64_t deadline, ended;
};

static void *sleeper_main(void *arg)
{
	struct sleeper *s = arg;
	wait_until(&s->w, s->deadline);
	s->ended = clock_now(&real);
	return NULL;
}

static void sleepers_of(struct sleeper *s, struct wait_group *g, double margin_ns)
{
	for (uint32_t i = 0; i < g->n; i++) {
		waiter_init(&s[i].w, &real, WAIT_HYBRID, (int64_t)margin_ns);
		waiter_join(&s[i].w, g, i);
	}
}

/* A thread sleeps for minutes, so its own timer cannot end the wait before the test times out.
 * Another thread wakes it. Then it spins until its time, which is soon. */
static void a_woken_thread_returns_at_its_time(void **state)
{
	(void)state;
	struct wait_group g;
	struct sleeper s[2];
	pthread_t id;
	assert_int_equal(wait_group_init(&g, 2, 2, true, false, NULL), 0);
	sleepers_of(s, &g, 50000);
	s[1].deadline = clock_now(&real) + ticks(300e6);
	assert_int_equal(pthread_create(&id, NULL, sleeper_main, &s[1]), 0);
	while (wait_group_next(&g) != 1)
		usleep(100);
	assert_true(wait_group_wake(&g, 1));
	pthread_join(id, NULL);
	assert_true(s[1].ended >= s[1].deadline);
	assert_true(s[1].w.n_woken >= 1);
	wait_group_release(&g);
}

/* A thread spins for some time. It wakes the other thread, which is due shortly after, if the other
 * thread's timer is late. */
static void a_spinning_thread_wakes_the_next(void **state)
{
	(void)state;
	uint64_t n_relays = 0;
	for (int round = 0; round < 100 && !n_relays; round++) { /* a busy machine may miss some */
		struct wait_group g;
		struct sleeper s[2];
		pthread_t id;
		assert_int_equal(wait_group_init(&g, 2, 2, true, false, NULL), 0);
		sleepers_of(s, &g, 900000);
		s[1].deadline = clock_now(&real) + ticks(6e6);
		assert_int_equal(pthread_create(&id, NULL, sleeper_main, &s[1]), 0);
		while (wait_group_next(&g) != 1 && clock_now(&real) < s[1].deadline)
			;
		/* the thread spins, because its margin is nearly as long as the rest of its wait;
		 * then the time of the other thread is near */
		s[0].w.margin_ticks = s[0].w.most_ticks;
		for (double before_ns = 1.3e6; before_ns > 2e5; before_ns -= 1e5)
			wait_until(&s[0].w, s[1].deadline - ticks(before_ns));
		pthread_join(id, NULL);
		assert_true(s[1].ended >= s[1].deadline);
		n_relays = s[0].w.n_relays;
		assert_true(s[1].w.n_woken <= n_relays);
		wait_group_release(&g);
	}
	assert_true(n_relays > 0);
}

struct turns {
	struct waiter w;
	uint64_t first, gap;
	uint32_t n_early;
};

static void *turns_main(void *arg)
{
	struct turns *t = arg;
	for (uint64_t i = 0; i < ROUNDS; i++) {
		uint64_t deadline = t->first + i * t->gap;
		wait_until(&t->w, deadline);
		t->n_early += clock_now(&real) < deadline;
	}
	return NULL;
}

/* With any number of threads and CPUs, all waits end and none ends early. */
static void no_wait_ends_early_or_never(void **state)
{
	(void)state;
	static const double gaps_ns[] = {0, 20000, 100000, 1000000};
	for (uint32_t n_processors = 1; n_processors <= 4; n_processors *= 2)
		for (size_t k = 0; k < 4; k++) {
			struct wait_group g;
			struct turns t[MOST];
			pthread_t id[MOST];
			assert_int_equal(
			    wait_group_init(&g, MOST, n_processors, k != 1, k == 2, NULL), 0);
			uint64_t start = clock_now(&real) + ticks(200000);
			for (uint32_t i = 0; i < MOST; i++) {
				t[i] = (struct turns){.first = start + i * ticks(gaps_ns[k]) / MOST,
						      .gap = ticks(gaps_ns[k])};
				waiter_init(&t[i].w, &real, WAIT_HYBRID, 100000);
				waiter_join(&t[i].w, &g, i);
				assert_int_equal(pthread_create(&id[i], NULL, turns_main, &t[i]),
						 0);
			}
			for (uint32_t i = 0; i < MOST; i++) {
				pthread_join(id[i], NULL);
				assert_int_equal(t[i].n_early, 0);
				assert_true(atomic_load(&g.seat[i].spins_for) == WAIT_NOBODY);
				assert_true(atomic_load(&g.seat[i].sleeps_for) == WAIT_NOBODY);
			}
			wait_group_release(&g);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order_of_spinning_threads),
	    cmocka_unit_test(a_sleeper_is_woken_once),
	    cmocka_unit_test(a_woken_thread_returns_at_its_time),
	    cmocka_unit_test(a_spinning_thread_wakes_the_next),
	    cmocka_unit_test(no_wait_ends_early_or_never),
	};
	return cmocka_run_group_tests(tests, calibrate, NULL);
}
