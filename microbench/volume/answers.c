/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/volume/answers.h"

#include <pthread.h>

#include "common/processors.h"
#include "common/wait.h"

#define AWAKE_NS 1000000000 /* the CPUs are kept awake for this time after the last answer */

struct answers {
	void (*give)(const struct answer *x);
	struct volume_log *log;
	struct clock clock;
	struct waiter waiter; /* only its margin is used */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct answer *heap; /* heap[n]; element 0 is due first */
	size_t n, cap;
	/* checked while spinning, because a new answer may be due earlier */
	_Atomic uint32_t n_added;
	bool stop;
	int latency_fd; /* descriptor of /dev/cpu_dma_latency, or -1 */
	bool awake;	/* the CPUs are kept awake */
	int cpu;	/* CPU of the thread, or -1 */
};

/* --- the heap ------------------------------------------------------------ */

static int64_t answer_instant(const struct answer *x)
{
	return x->entry.due_ns - x->entry.lead_ns;
}

static void heap_push(struct answers *a, const struct answer *x)
{
	size_t i = a->n++;
	for (; i && answer_instant(&a->heap[(i - 1) / 2]) > answer_instant(x); i = (i - 1) / 2)
		a->heap[i] = a->heap[(i - 1) / 2];
	a->heap[i] = *x;
}

/* --- idle CPUs ---------------------------------------------------------- */

/* An idle CPU needs about 10 us to wake up (on a virtual machine, up to 60 us), and each request
 * waits for several wake-ups. A latency limit of 0 makes idle CPUs poll
 * (Documentation/power/pm_qos_interface.rst of Linux). */
static void awake_set(struct answers *a, bool awake)
{
	const int32_t limit_us = awake ? 0 : INT32_MAX;
	if (a->latency_fd < 0 || a->awake == awake)
		return;
	a->awake = awake;
	if (write(a->latency_fd, &limit_us, sizeof limit_us) != sizeof limit_us)
		atomic_store(&a->log->head->awake, 0);
}

/* --- the thread ---------------------------------------------------------- */

static void answer_give(struct answers *a, struct answer *x)
{
	x->entry.end_ns = clock_monotonic_ns();
	volume_log_add(a->log, &x->entry);
	a->give(x);
	free(x->owned);
}

/* Call it with the mutex held. Sleeps until shortly before `due_ns`, or until an answer is
 * added. */
static void sleep_until_due(struct answers *a, int64_t due_ns)
{
	int64_t margin_ns = (int64_t)((double)a->waiter.margin_ticks * a->clock.ns_per_tick);
	int64_t aim_ns = due_ns - margin_ns;
	struct timespec until = {aim_ns / 1000000000, aim_ns % 1000000000};
	if (pthread_cond_timedwait(&a->changed, &a->mutex, &until) != ETIMEDOUT)
		return;
	int64_t over_ns = clock_monotonic_ns() - aim_ns;
	waiter_learn(&a->waiter,
		     (uint64_t)((double)(over_ns > 0 ? over_ns : 0) / a->clock.ns_per_tick));
}

/* Call it without the mutex. Spins for `left_ns`, or until an answer is added. (The spin uses a
 * duration in ticks: for an instant, the error of the initially measured rate would grow over
 * hours.) */
static void spin_for(struct answers *a, int64_t left_ns)
{
	uint32_t n_added = atomic_load_explicit(&a->n_added, memory_order_relaxed);
	uint64_t left_ticks = (uint64_t)((double)left_ns / a->clock.ns_per_tick),
		 until = clock_now(&a->clock) + left_ticks;
	waiter_narrow(&a->waiter, left_ticks);
	pthread_mutex_unlock(&a->mutex);
	while (clock_now(&a->clock) < until &&
	       atomic_load_explicit(&a->n_added, memory_order_relaxed) == n_added)
		cpu_relax();
	pthread_mutex_lock(&a->mutex);
}

/* Call it with the mutex held. Waits until an answer is added. */
static void answer_await(struct answers *a)
{
	if (!a->awake) {
		pthread_cond_wait(&a->changed, &a->mutex);
		return;
	}
	const int64_t until_ns = clock_monotonic_ns() + AWAKE_NS;
	const struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
	if (pthread_cond_timedwait(&a->changed, &a->mutex, &until) == ETIMEDOUT && !a->n)
		awake_set(a, false);
}

static void *answers_run(void *argument)
{
	struct answers *a = argument;
	pthread_mutex_lock(&a->mutex);
	while (!a->stop || a->n) {
		if (!a->n) {
			answer_await(a);
			continue;
		}
		awake_set(a, true);
		int64_t due_ns = answer_instant(&a->heap[0]),
			left_ns = due_ns - clock_monotonic_ns();
		if (left_ns <= 0 || a->stop) {
			struct answer first = a->heap[0], last = a->heap[--a->n];
			size_t i = 0;
			for (size_t child; (child = 2 * i + 1) < a->n; i = child) {
				if (child + 1 < a->n && answer_instant(&a->heap[child + 1]) <
							    answer_instant(&a->heap[child]))
					child++;
				if (answer_instant(&a->heap[child]) >= answer_instant(&last))
					break;
				a->heap[i] = a->heap[child];
			}
			a->heap[i] = last;
			struct answer x = first;
			pthread_mutex_unlock(&a->mutex);
			answer_give(a, &x);
			pthread_mutex_lock(&a->mutex);
		} else if ((double)left_ns >
			   (double)a->waiter.margin_ticks * a->clock.ns_per_tick) {
			sleep_until_due(a, due_ns);
		} else {
			spin_for(a, left_ns);
		}
	}
	pthread_mutex_unlock(&a->mutex);
	return NULL;
}

static void *thread_main(void *argument)
{
	struct answers *a = argument;
	if (a->cpu >= 0)
		atomic_store(&a->log->head->own_cpu, !thread_pin(a->cpu));
	waiter_thread_setup();
	return answers_run(a);
}

int answers_start(struct answers **out, void (*give_one)(const struct answer *x),
		  struct volume_log *log, int cpu, struct err *e)
{
	struct answers *a = calloc(1, sizeof *a);
	*out = NULL;
	if (!a)
		return err_set(e, ENOMEM, "not enough memory for the volume's queue of answers");
	a->give = give_one;
	a->log = log;
	a->cpu = cpu;
	/* without this permission, idle CPUs sleep as the system decides */
	a->latency_fd = open("/dev/cpu_dma_latency", O_RDWR | O_CLOEXEC);
	atomic_store(&a->log->head->awake, a->latency_fd >= 0);
	awake_set(a, true);
	int ret = clock_init(&a->clock, 5000000, e);
	if (!ret) {
		waiter_thread_setup(); /* the setup under which the margin was measured */
		waiter_init(&a->waiter, &a->clock, WAIT_HYBRID, 0);
		pthread_condattr_t monotonic;
		pthread_condattr_init(&monotonic);
		pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
		pthread_mutex_init(&a->mutex, NULL);
		pthread_cond_init(&a->changed, &monotonic);
		pthread_condattr_destroy(&monotonic);
		sigset_t all, old;
		sigfillset(&all);
		pthread_sigmask(SIG_BLOCK, &all, &old); /* other threads get the signals */
		int code = pthread_create(&a->thread, NULL, thread_main, a);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		ret = code ? err_sys(e, code, "cannot start the thread that answers requests to "
					      "the volume")
			   : 0;
	}
	if (ret) {
		fd_close(a->latency_fd);
		free(a);
		return ret;
	}
	*out = a;
	return 0;
}

static bool room_make(struct answers *a)
{
	if (a->n < a->cap)
		return true;
	size_t cap = a->cap ? 2 * a->cap : 1024;
	struct answer *heap = realloc(a->heap, cap * sizeof *heap);
	if (heap) {
		a->heap = heap;
		a->cap = cap;
	}
	return heap;
}

void answers_add(struct answers *a, const struct answer *x)
{
	pthread_mutex_lock(&a->mutex);
	bool placed = room_make(a);
	struct answer mine = *x;
	size_t k = 0;
	while (k < VOLUME_DEPTHS - 1 && a->n + 1 > volume_depth[k])
		k++;
	mine.entry.lead_ns = atomic_load_explicit(&a->log->head->lead_ns[k], memory_order_relaxed);
	if (placed)
		heap_push(a, &mine);
	bool first = placed && a->heap[0].request == x->request;
	atomic_fetch_add_explicit(&a->n_added, 1, memory_order_relaxed);
	pthread_mutex_unlock(&a->mutex);
	if (first)
		pthread_cond_signal(
		    &a->changed); /* the sleeping thread must wake for the new first answer */
	if (placed)
		return;
	struct answer failed = *x;
	failed.entry.error = ENOMEM;
	a->give(&failed);
	free(failed.owned);
}

void answers_stop(struct answers *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->mutex);
	a->stop = true;
	atomic_fetch_add(&a->n_added, 1);
	pthread_mutex_unlock(&a->mutex);
	pthread_cond_signal(&a->changed);
	pthread_join(a->thread, NULL);
	pthread_mutex_destroy(&a->mutex);
	pthread_cond_destroy(&a->changed);
	fd_close(a->latency_fd);
	FREE_EACH(a->heap, a);
}
