/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/xalloc.h"

static void zero_bytes_are_memory(void **state)
{
	(void)state;
	void *a = xmalloc(0), *b = xcalloc(0, 8), *c = xrealloc(NULL, 0),
	     *d = xreallocarray(NULL, 0, 0);
	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	assert_non_null(d);
	free(a);
	free(b);
	free(c);
	free(d);
}

static void strings_are_copied(void **state)
{
	(void)state;
	char *a = xstrdup("text"), *b = xasprintf("%s-%d", a, 3);
	assert_string_equal(a, "text");
	assert_string_equal(b, "text-3");
	free(a);
	free(b);
}

static void growing_keeps_the_content(void **state)
{
	(void)state;
	int *v = NULL;
	size_t n = 0, cap = 0;
	for (int i = 0; i < 1000; i++) {
		GROW(v, n, cap);
		v[n++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	assert_true(cap >= n);
	free(v);
}

static void ask_too_much(int how)
{
	volatile size_t huge = SIZE_MAX / 2 + 2;
	if (how == 0)
		free(xreallocarray(NULL, huge, 2)); /* wraps around to a small number */
	else if (how == 1)
		free(xmalloc(huge));
	else
		free(xcalloc(huge, 4));
	_exit(0);
}

static void exhaustion_ends_with_status_3_and_a_line(void **state)
{
	(void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip(); /* the sanitizer ends the program itself */
#endif
	for (int how = 0; how < 3; how++) {
		int fds[2], status;
		assert_int_equal(pipe(fds), 0);
		pid_t pid = fork();
		if (!pid) {
			dup2(fds[1], STDERR_FILENO);
			ask_too_much(how);
		}
		close(fds[1]);
		char line[200];
		ssize_t n = read(fds[0], line, sizeof line - 1);
		close(fds[0]);
		assert_true(n > 0);
		line[n] = 0;
		assert_non_null(strstr(line, "validate: out of memory"));
		assert_int_equal(line[n - 1], '\n');
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zero_bytes_are_memory),
		cmocka_unit_test(strings_are_copied),
		cmocka_unit_test(growing_keeps_the_content),
		cmocka_unit_test(exhaustion_ends_with_status_3_and_a_line),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
