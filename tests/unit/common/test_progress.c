/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/progress.h"

/* While a function runs, standard error goes to a pipe or to a terminal of the test; `written` has
 * the output. */
static char written[65536];

static void collect(int fd)
{
	size_t len = 0;
	ssize_t n;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	while (len < sizeof written - 1 &&
	       (n = read(fd, written + len, sizeof written - 1 - len)) > 0)
		len += (size_t)n;
	written[len] = 0;
}

static void with_stderr(int read_end, int write_end, void (*f)(void))
{
	int saved = dup(STDERR_FILENO);
	dup2(write_end, STDERR_FILENO);
	f();
	dup2(saved, STDERR_FILENO);
	close(saved);
	collect(read_end);
	close(write_end);
	close(read_end);
}

static void on_pipe(void (*f)(void))
{
	int fds[2];
	assert_int_equal(pipe(fds), 0);
	with_stderr(fds[0], fds[1], f);
}

/* false if there are no pseudo-terminals */
static int on_terminal(unsigned short columns, void (*f)(void))
{
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return 0;
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	struct winsize size = {.ws_col = columns, .ws_row = 24};
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size))
		return 0;
	with_stderr(master, slave, f);
	return 1;
}

static void some_steps(void)
{
	struct progress p;
	progress_start(&p, 4, 10, true);
	progress_step(&p, 0, 0, "first");
	progress_step(&p, 1, 2.5,
		      "a text that is far too long for a narrow terminal, "
		      "\xc3\xa9\xc3\xa9\xc3\xa9, and then some");
	progress_step(&p, 4, 10, "last\nline");
	progress_end(&p);
}

static void disabled_steps(void)
{
	struct progress p;
	progress_start(&p, 4, 10, false);
	progress_step(&p, 1, 2.5, "first");
	progress_end(&p);
}

static void odd_numbers(void)
{
	struct progress p;
	progress_start(&p, 0, 0, true);
	progress_step(&p, 0, 0, "nothing to do");
	progress_step(&p, 5, 1e9, NULL);
	progress_end(&p);
}

/* Three quarters were done before; the remaining time is estimated from the work since then. */
static void resumed_steps(void)
{
	struct progress p;
	progress_start(&p, 4, 8, true);
	p.start_ns -= 360000000000000; /* 100 hours ago */
	progress_step(&p, 2, 4, "first");
	p.shown = false;
	progress_step(&p, 3, 6, "second");
	progress_end(&p);
}

static void time_left_is_of_the_work_done_here(void **state)
{
	(void)state;
	on_pipe(resumed_steps);
	assert_non_null(strstr(written, " 50%  2/4  first\n"));
	assert_non_null(strstr(written, " 75%  3/4  100 h 0 min left  second\n"));
}

static void without_a_terminal_it_writes_plain_lines(void **state)
{
	(void)state;
	on_pipe(some_steps);
	assert_null(strchr(written, '\r'));
	assert_null(strchr(written, '\033'));
	assert_non_null(strstr(written, "  0%  0/4  first\n"));
	assert_null(strstr(written, "1/4")); /* ten seconds have not passed */
	assert_non_null(strstr(written, "100%  4/4  last?line\n"));
}

static void a_disabled_display_is_silent(void **state)
{
	(void)state;
	on_pipe(disabled_steps);
	assert_string_equal(written, "");
	if (on_terminal(80, disabled_steps))
		assert_string_equal(written, "");
}

static void odd_numbers_do_no_harm(void **state)
{
	(void)state;
	on_pipe(odd_numbers);
	assert_non_null(strstr(written, "0/0"));
	assert_null(strstr(written, "nan"));
	assert_null(strstr(written, "inf"));
}

static void a_terminal_has_one_line_within_its_width(void **state)
{
	(void)state;
	setenv("TERM", "dumb", 1);
	if (!on_terminal(30, some_steps))
		skip();
	assert_null(strchr(written, '\033'));
	setenv("TERM", "xterm", 1);
	assert_true(on_terminal(30, some_steps));
	assert_null(strchr(written, '\n'));
	assert_true(strncmp(written, "\r  0%  0/4  first\033[K", 20) == 0);
	size_t len = strlen(written);
	assert_string_equal(written + len - 4, "\r\033[K"); /* cleared at the end */
	for (char *part = strtok(written, "\r"); part; part = strtok(NULL, "\r")) {
		char *end = strstr(part, "\033[K");
		assert_non_null(end);
		assert_true(end - part <= 29);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_left_is_of_the_work_done_here),
		cmocka_unit_test(without_a_terminal_it_writes_plain_lines),
		cmocka_unit_test(a_disabled_display_is_silent),
		cmocka_unit_test(odd_numbers_do_no_harm),
		cmocka_unit_test(a_terminal_has_one_line_within_its_width),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
