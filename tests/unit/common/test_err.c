/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "common/err.h"

static void set_returns_the_code_and_keeps_the_message(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(err_set(&e, EINVAL, "%s:%d: bad %s", "file", 7, "value"), -EINVAL);
	assert_int_equal(e.code, EINVAL);
	assert_string_equal(e.msg, "file:7: bad value");
	err_clear(&e);
	assert_int_equal(e.code, 0);
	assert_string_equal(e.msg, "");
}

static void without_a_struct_only_the_code_returns(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ENOENT, "lost"), -ENOENT);
	assert_int_equal(err_sys(NULL, ENOENT, "lost"), -ENOENT);
	assert_true(err_context(NULL, "lost") < 0);
	err_clear(NULL);
}

static void a_code_of_zero_is_an_internal_error(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(err_set(&e, 0, "x"), -EIO);
	assert_int_equal(err_set(&e, -EAGAIN, "x"), -EAGAIN);
}

static void sys_appends_the_systems_text(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	assert_int_equal(err_sys(&e, ENOSPC, "cannot write %s", "a/b"), -ENOSPC);
	assert_string_equal(e.msg, "cannot write a/b: No space left on device");
	/* otherwise it would be a refusal by this program */
	assert_int_equal(err_sys(&e, EPERM, "a/b"), -EACCES);
	assert_string_equal(e.msg, "a/b: Operation not permitted");
	assert_int_equal(err_sys(&e, 99999, "odd"), -99999);
	assert_string_equal(e.msg, "odd: error 99999");
}

static void context_goes_in_front(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	err_set(&e, EBADMSG, "block 3");
	assert_int_equal(err_context(&e, "%s", "trace.vt"), -EBADMSG);
	assert_int_equal(err_context(&e, "run %d", 5), -EBADMSG);
	assert_string_equal(e.msg, "run 5: trace.vt: block 3");
	assert_int_equal(e.code, EBADMSG);
	/* an argument of the new message may be the old message */
	err_set(&e, EIO, "again: %s", e.msg);
	assert_string_equal(e.msg, "again: run 5: trace.vt: block 3");
	/* once, not twice */
	err_set(&e, EINVAL, "trace.csv: line 2: odd");
	assert_int_equal(err_context(&e, "%s", "trace.csv"), -EINVAL);
	assert_string_equal(e.msg, "trace.csv: line 2: odd");
	err_context(&e, "%s", "trace");
	assert_string_equal(e.msg, "trace: trace.csv: line 2: odd");
}

static void a_message_is_one_line(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	err_set(&e, EINVAL, "name \"%s\"", "a\nb\033[2Jc\177");
	assert_string_equal(e.msg, "name \"a?b?[2Jc?\"");
	/* CSI; a micro sign, a letter, and half of a letter: only the valid ones are kept */
	err_set(&e, EINVAL, "\xc2\x9b" "2J \xc2\xb5s \xc3\x9b \xc2");
	assert_string_equal(e.msg, "??2J \xc2\xb5s \xc3\x9b \xc2");
}

static void long_messages_are_cut(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	char big[3000];
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = 0;
	err_sys(&e, EIO, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
	err_context(&e, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
	err_set(&e, EIO, "short");
	err_context(&e, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof e.msg - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_the_code_and_keeps_the_message),
		cmocka_unit_test(without_a_struct_only_the_code_returns),
		cmocka_unit_test(a_code_of_zero_is_an_internal_error),
		cmocka_unit_test(sys_appends_the_systems_text),
		cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(a_message_is_one_line),
		cmocka_unit_test(long_messages_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
