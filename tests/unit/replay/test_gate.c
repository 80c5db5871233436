/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for the progress of another thread: no thread continues too early, and no thread sleeps
 * forever. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "replay/issue/gate.h"

static struct clock a_clock;

struct pair {
	struct gates gates;
	uint32_t n;
	/* of each side; written before it publishes, read by the other side after it has waited */
	uint64_t done[2];
	uint64_t n_early;
	struct gate_waiter waiter[2];
};

struct side {
	struct pair *p;
	uint32_t me;
};

/* The sides take turns: each step waits for the other's, so a lost wake-up would stop both. */
static void *side_run(void *arg)
{
	struct side *s = arg;
	struct pair *p = s->p;
	uint32_t other = !s->me;
	for (uint32_t k = 0; k < p->n; k++) {
		/* the first side is one step ahead */
		uint32_t wanted = s->me == 0 ? 2 * k : 2 * k + 2;
		if (!gate_passed(&p->gates, other, wanted))
			gate_wait(&p->gates, &p->waiter[s->me], other, wanted);
		uint64_t seen = p->done[!s->me];
		if (seen < (s->me == 0 ? k : k + 1))
			__atomic_fetch_add(&p->n_early, 1, __ATOMIC_RELAXED);
		if (k % 3 == 0) { /* for a start without and with an early announcement */
			gate_drain(&p->gates, s->me, 2 * k + 1);
			gate_publish(&p->gates, s->me, 2 * k + 1);
		}
		p->done[s->me] = k + 1;
		gate_publish(&p->gates, s->me, 2 * k + 2);
	}
	return NULL;
}

static void ping_pong(uint32_t n, int64_t spin_ns, bool crowded, uint64_t *n_sleeps)
{
	struct pair p = {.n = n};
	uint64_t spin_ticks = (uint64_t)((double)spin_ns / a_clock.ns_per_tick);
	assert_int_equal(gates_init(&p.gates, 2, &a_clock, spin_ticks, crowded, false, NULL), 0);
	if (crowded)
		assert_false(p.gates.asymmetric);
	struct side side[2] = {{&p, 0}, {&p, 1}};
	pthread_t t;
	assert_int_equal(pthread_create(&t, NULL, side_run, &side[1]), 0);
	side_run(&side[0]);
	pthread_join(t, NULL);
	assert_int_equal(p.n_early, 0);
	assert_int_equal(p.done[0], n);
	assert_int_equal(p.done[1], n);
	vm_free(&p.gates.memory);
	*n_sleeps = p.waiter[0].n_sleeps + p.waiter[1].n_sleeps;
}

/* Two threads that run at the same time may rarely wait: repeated until enough waits used the
 * futex. */
enum { ENOUGH_SLEEPS = 100, MOST_ROUNDS = 50 };

static void ping_pong_asleep(bool crowded)
{
	uint64_t all = 0, n;
	for (int i = 0; i < MOST_ROUNDS && all <= ENOUGH_SLEEPS; i++, all += n)
		ping_pong(20000, 0, crowded, &n); /* every wait sleeps at once: the futex path */
	assert_true(all > ENOUGH_SLEEPS);
}

static void no_wake_up_is_lost(void **state)
{
	(void)state;
	uint64_t n;
	ping_pong_asleep(false);
	ping_pong(20000, 1000, false, &n);
	ping_pong(20000, 100000, false, &n);
}

static void no_wake_up_is_lost_without_membarrier(void **state)
{
	(void)state;
	ping_pong_asleep(true);
}

/* The same with one side in another process; returns how often one of the sides slept. */
static uint64_t ping_pong_across(bool crowded)
{
	struct vm_region memory;
	assert_int_equal(vm_get(&memory, VM_SHARED, sizeof(struct pair), "a pair", NULL), 0);
	struct pair *p = memory.base;
	p->n = 20000;
	assert_int_equal(gates_init(&p->gates, 2, &a_clock, 0, crowded, true, NULL), 0);
	struct side side[2] = {{p, 0}, {p, 1}};
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!gates_join(&p->gates, NULL))
			side_run(&side[1]);
		_exit(0);
	}
	assert_int_equal(gates_join(&p->gates, NULL), 0);
	side_run(&side[0]);
	int status = -1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(p->n_early, 0);
	assert_int_equal(p->done[1], p->n);
	uint64_t n = p->waiter[0].n_sleeps + p->waiter[1].n_sleeps;
	vm_free(&p->gates.memory);
	vm_free(&memory);
	return n;
}

static void no_wake_up_is_lost_across_processes(void **state)
{
	(void)state;
	for (int crowded = 0; crowded < 2; crowded++) {
		uint64_t n = 0;
		for (int i = 0; i < MOST_ROUNDS && n <= ENOUGH_SLEEPS; i++)
			n += ping_pong_across(crowded);
		assert_true(n > ENOUGH_SLEEPS);
	}
}

enum { N_WAITERS = 12, N_STEPS = 3000 };

struct crowd {
	/* the test publishes the first gate; the others keep gates off the same cache line */
	struct gates gates;
	uint64_t value;
	uint64_t n_early;
};

struct watcher {
	struct crowd *c;
	uint32_t step;
};

static void *watch(void *arg)
{
	struct watcher *w = arg;
	struct gate_waiter waiter = {.n_sleeps = 0};
	for (uint32_t k = w->step; k <= N_STEPS; k += w->step) {
		if (!gate_passed(&w->c->gates, 0, k))
			gate_wait(&w->c->gates, &waiter, 0, k);
		if (__atomic_load_n(&w->c->value, __ATOMIC_RELAXED) < k)
			__atomic_fetch_add(&w->c->n_early, 1, __ATOMIC_RELAXED);
	}
	/* never published: only the end wakes it */
	if (!gate_passed(&w->c->gates, 0, N_STEPS + 1))
		gate_wait(&w->c->gates, &waiter, 0, N_STEPS + 1);
	return NULL;
}

/* Many threads sleep at one gate for different progress; each wake-up withdraws the announcements
 * of all. */
static void many_sleep_at_one_gate(void **state)
{
	(void)state;
	struct crowd c = {.value = 0};
	assert_int_equal(gates_init(&c.gates, 3, &a_clock, 0, false, false, NULL), 0);
	pthread_t t[N_WAITERS];
	struct watcher w[N_WAITERS];
	for (uint32_t i = 0; i < N_WAITERS; i++) {
		w[i] = (struct watcher){&c, 1 + i * 7};
		assert_int_equal(pthread_create(&t[i], NULL, watch, &w[i]), 0);
	}
	for (uint32_t k = 1; k <= N_STEPS; k++) {
		__atomic_store_n(&c.value, k, __ATOMIC_RELAXED);
		gate_publish(&c.gates, 0, k);
	}
	gate_publish(&c.gates, 0, GATE_DONE);
	for (uint32_t i = 0; i < N_WAITERS; i++)
		pthread_join(t[i], NULL);
	vm_free(&c.gates.memory);
	assert_int_equal(c.n_early, 0);
}

static int set_up(void **state)
{
	(void)state;
	return clock_init(&a_clock, 5000000, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_wake_up_is_lost),
		cmocka_unit_test(no_wake_up_is_lost_without_membarrier),
		cmocka_unit_test(no_wake_up_is_lost_across_processes),
		cmocka_unit_test(many_sleep_at_one_gate),
	};
	return cmocka_run_group_tests(tests, set_up, NULL);
}
