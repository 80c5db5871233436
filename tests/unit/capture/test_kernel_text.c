/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers in the kernel's text, which is untrusted: no number overflows to another number. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "capture/formats/kernel_text.h"

static uint64_t number(const char *s, unsigned int base)
{
	return text_number((struct text){s, s + strlen(s)}, base);
}

static void numbers(void **state)
{
	(void)state;
	assert_int_equal(number("", 10), 0);
	assert_int_equal(number("x1", 10), 0);
	assert_int_equal(number("17 of them", 10), 17);
	assert_int_equal(number("-5", 10), (uint64_t)-5);
	assert_int_equal(number("0x1f", 10), 31);
	assert_int_equal(number("ffffffffffffffff", 16), UINT64_MAX);
	assert_int_equal(number("18446744073709551615", 10), UINT64_MAX);
	assert_int_equal(number("18446744073709551616", 10), UINT64_MAX);
	/* not 1, the number of a system call */
	assert_int_equal(number("18446744073709551617", 10), UINT64_MAX);
	assert_int_equal(number("ffffffffffffffff0", 16), UINT64_MAX);
	assert_int_equal(number("-18446744073709551617", 10), (uint64_t)INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
