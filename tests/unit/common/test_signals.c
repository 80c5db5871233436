/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "common/signals.h"

#define WHOLE 7 /* exit status of a child that reached its end */

/* A child gets one signal, reads it, and gets another, as from timeout(1). */
static int end_of_child(int first, int second, bool signalled)
{
	const pid_t pid = fork();
	if (pid == 0) {
		sigset_t held, before;
		int got = 0;
		for (const int *s = (const int[]){SIGINT, SIGTERM, SIGHUP, 0}; *s; s++)
			signal(*s, SIG_DFL);
		signals_hold(&held, true, &before);
		raise(first);
		if (sigwait(&held, &got) || got != first)
			_exit(1);
		raise(second);
		signals_release(&before, signalled);
		_exit(WHOLE);
	}
	int status = -1;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void test_second_signal_is_discarded(void **state)
{
	(void)state;
	for (const int *s = (const int[]){SIGINT, SIGTERM, SIGHUP, 0}; *s; s++) {
		int status = end_of_child(SIGTERM, *s, true);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == WHOLE);
	}
	assert_true(WIFSIGNALED(end_of_child(SIGTERM, SIGTERM, false)));
}

/* A caller that has blocked the signals itself still gets them. */
static void test_inner_release_keeps_signals(void **state)
{
	(void)state;
	sigset_t outer, outer_before, inner, inner_before, pending;
	const struct timespec now = {0, 0};
	signals_hold(&outer, false, &outer_before);
	signals_hold(&inner, true, &inner_before);
	assert_true(sigismember(&inner, SIGCHLD) && !sigismember(&outer, SIGCHLD));
	raise(SIGTERM);
	signals_release(&inner_before, true);
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGTERM));
	assert_int_equal(sigtimedwait(&outer, NULL, &now), SIGTERM);
	signals_release(&outer_before, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second_signal_is_discarded),
		cmocka_unit_test(test_inner_release_keeps_signals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
