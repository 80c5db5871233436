/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process is paused between its requests and loses no request, independent of what its threads
 * wait for. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "common/pause.h"

enum { N_THREADS = 3, N_REQUESTS = 20000, LONG_NS = 1000000000 };

struct work { /* of one thread */
	struct pause *pause;
	uint32_t index;
	uint64_t n_requests;
	_Atomic uint64_t n_done;
	bool ended_early;
};

static void *worker(void *arg)
{
	struct work *w = arg;
	pause_enter(w->pause, w->index);
	while (w->n_done < w->n_requests && !w->ended_early) {
		atomic_fetch_add(&w->n_done, 1);
		if (pause_wanted(w->pause->word))
			w->ended_early = pause_here(w->pause, w->index);
	}
	pause_leave(w->pause, w->index);
	return NULL;
}

static void wait_for(struct pause_page *page, enum pause_look wanted)
{
	for (int i = 0; i < 100; i++) {
		uint32_t seen = atomic_load(&page->n_events);
		if (pause_look(page) == wanted)
			return;
		pause_events_wait(page, seen, LONG_NS);
	}
	fail_msg("the threads did not come to state %d", (int)wanted);
}

/* The page as the child process finds it. */
static void join(struct pause *p, int fd)
{
	char text[20];
	snprintf(text, sizeof text, "%d", dup(fd));
	setenv(PAUSE_VARIABLE, text, 1);
	assert_int_equal(pause_join(p, NULL), 0);
	assert_non_null(p->page);
	assert_null(getenv(PAUSE_VARIABLE));
}

struct fixture {
	struct pause_page *page;
	int fd;
	struct pause pause;
	struct work work[N_THREADS];
	pthread_t id[N_THREADS];
};

static void start(struct fixture *f, uint64_t n_requests)
{
	assert_int_equal(pause_page_make(&f->page, &f->fd, NULL), 0);
	join(&f->pause, f->fd);
	assert_int_equal(pause_look(f->page), PAUSE_NOT_READY);
	assert_int_equal(pause_threads(&f->pause, N_THREADS, NULL), 0);
	for (uint32_t i = 0; i < N_THREADS; i++) {
		f->work[i] = (struct work){.pause = &f->pause, .index = i, .n_requests = n_requests};
		assert_int_equal(pthread_create(&f->id[i], NULL, worker, &f->work[i]), 0);
	}
	wait_for(f->page, PAUSE_QUIET);
}

static void end(struct fixture *f)
{
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(f->id[i], NULL);
	pause_release(&f->pause);
	pause_page_free(f->page, f->fd);
}

static uint64_t n_done(const struct fixture *f)
{
	uint64_t n = 0;
	for (int i = 0; i < N_THREADS; i++)
		n += f->work[i].n_done;
	return n;
}

static void test_stops_and_continues(void **state)
{
	(void)state;
	struct fixture f;
	start(&f, N_REQUESTS);
	assert_int_equal(n_done(&f), 0); /* no request before the first turn */
	int n_pauses = 0;
	for (; pause_look(f.page) != PAUSE_DONE; n_pauses++) {
		pause_go(f.page);
		usleep(200);
		pause_hold(f.page);
		for (uint32_t seen;
		     seen = atomic_load(&f.page->n_events), pause_look(f.page) == PAUSE_BUSY;)
			pause_events_wait(f.page, seen, 1000000);
		const uint64_t before = n_done(&f);
		usleep(100);
		assert_int_equal(n_done(&f), before);
		assert_true(n_pauses < 100000);
	}
	assert_true(n_pauses > 0);
	end(&f);
	assert_int_equal(n_done(&f), N_THREADS * N_REQUESTS);
}

static void test_end_wakes_parked_threads(void **state)
{
	(void)state;
	struct fixture f;
	start(&f, N_REQUESTS);
	pause_end(&f.pause);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(f.id[i], NULL);
	assert_true(n_done(&f) <= N_THREADS); /* each thread reads the word after its request */
	assert_int_equal(pause_look(f.page), PAUSE_DONE);
	pause_release(&f.pause);
	pause_page_free(f.page, f.fd);
}

static void test_waiting_threads_count_as_quiet(void **state)
{
	(void)state;
	struct pause_page *page;
	struct pause p;
	int fd;
	assert_int_equal(pause_page_make(&page, &fd, NULL), 0);
	join(&p, fd);
	pause_go(page);
	assert_int_equal(pause_threads(&p, 2, NULL), 0);
	pause_enter(&p, 0);
	assert_int_equal(pause_look(page), PAUSE_NOT_READY);
	pause_enter(&p, 1);
	assert_int_equal(pause_look(page), PAUSE_BUSY);
	pause_leave(&p, 0);
	assert_int_equal(pause_look(page), PAUSE_BUSY);
	pause_hold(page);
	const uint32_t seen = atomic_load(&page->n_events);
	pause_wait_begin(&p, 1);
	/* the controller sleeps until then */
	assert_int_not_equal(atomic_load(&page->n_events), seen);
	assert_int_equal(pause_look(page), PAUSE_QUIET);
	pause_go(page);
	pause_wait_end(&p, 1);
	assert_int_equal(pause_look(page), PAUSE_BUSY);
	pause_leave(&p, 1);
	assert_int_equal(pause_look(page), PAUSE_DONE);
	pause_let_finish(page);
	pause_finish(&p); /* returns */
	assert_int_equal(pause_threads(&p, PAUSE_THREADS_MAX + 1, NULL), -E2BIG);
	pause_release(&p);
	pause_page_free(page, fd);
}

/* The controller ended before the process joined, and is still a zombie. The process ends, because
 * otherwise it would sleep endlessly. */
static void test_controller_is_gone(void **state)
{
	(void)state;
	struct pause_page *page;
	struct pause p;
	int fd, status;
	siginfo_t info;
	assert_int_equal(pause_page_make(&page, &fd, NULL), 0);
	pid_t controller = fork();
	if (controller == 0)
		_exit(0);
	page->controller = controller;
	assert_int_equal(waitid(P_PID, (id_t)controller, &info, WEXITED | WNOWAIT), 0);
	for (int reaped = 0; reaped < 2; reaped++) {
		pid_t pid = fork();
		if (pid == 0) {
			join(&p, fd);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
		waitpid(controller, NULL, 0);
	}
	pause_page_free(page, fd);
}

static void test_without_a_controller(void **state)
{
	(void)state;
	struct pause p;
	unsetenv(PAUSE_VARIABLE);
	assert_int_equal(pause_join(&p, NULL), 0);
	assert_null(p.page);
	assert_int_equal(pause_threads(&p, 2, NULL), 0);
	pause_enter(&p, 0);
	pause_finish(&p);
	assert_int_equal(pause_wanted(p.word), 0);
	pause_end(&p);
	assert_true(pause_here(&p, 0));
	setenv(PAUSE_VARIABLE, "0", 1); /* a descriptor that is no page */
	assert_int_equal(pause_join(&p, NULL), -EINVAL);
	setenv(PAUSE_VARIABLE, "x", 1);
	assert_int_equal(pause_join(&p, NULL), -EINVAL);
	assert_null(getenv(PAUSE_VARIABLE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stops_and_continues),
		cmocka_unit_test(test_end_wakes_parked_threads),
		cmocka_unit_test(test_waiting_threads_count_as_quiet),
		cmocka_unit_test(test_controller_is_gone),
		cmocka_unit_test(test_without_a_controller),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
