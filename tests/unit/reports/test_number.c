/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/number.h"
#include "reports/table.h"

#define GIVES(call, expected)                                                                                          \
	do {                                                                                                           \
		struct strbuf b = STRBUF_INIT;                                                                         \
		struct strbuf *out = &b;                                                                               \
		call;                                                                                                  \
		assert_string_equal(b.s, expected);                                                                    \
		strbuf_release(&b);                                                                                    \
	} while (0)

static void the_uncertainty_places_the_last_digit(void **state)
{
	(void)state;
	GIVES(number_add_pm(out, 1234.5678, 5.678, number_unit_plain, false), "1234.6 ± 5.7");
	GIVES(number_add_pm(out, 1234.5678, 56.78, number_unit_plain, false), "1235 ± 57");
	GIVES(number_add_pm(out, 1234.5678, 5678, number_unit_plain, false), "1235 ± 5678");
	GIVES(number_add_pm(out, 0.012345, 0.00123, number_unit_percent, true), "+1.23 ± 0.12 %");
	/* rounds up to two digits */
	GIVES(number_add_pm(out, 1, 0.0996, number_unit_plain, false), "1.00 ± 0.10");
	GIVES(number_add_pm(out, 1, 0.0994, number_unit_plain, false), "1.000 ± 0.099");
	GIVES(number_add(out, 1.23456, 0.01, number_unit_plain, false), "1.235");
	GIVES(number_add(out, 1.23456, NAN, number_unit_plain, false), "1.235");
}

static void times_have_the_unit_that_fits(void **state)
{
	(void)state;
	GIVES(number_add(out, 513.2, NAN, number_unit_time(513.2), false), "513.2 ns");
	GIVES(number_add(out, 1234.5, 10, number_unit_time(1234.5), false), "1.234 µs");
	GIVES(number_add(out, 2.1e8, 1e6, number_unit_time(2.1e8), false), "210.0 ms");
	GIVES(number_add(out, 3.2e9, 1e8, number_unit_time(3.2e9), false), "3.20 s");
	GIVES(number_add(out, -1500, 100, number_unit_time(-1500), false), "-1.50 µs");
}

static void invalid_numbers_are_refused(void **state)
{
	(void)state;
	GIVES(number_add(out, NAN, 1, number_unit_percent, true), "undefined");
	GIVES(number_add(out, INFINITY, 1, number_unit_percent, true), "+∞ %");
	GIVES(number_add(out, -INFINITY, NAN, number_unit_plain, false), "-∞");
	GIVES(number_add_pm(out, 1.5, INFINITY, number_unit_plain, false), "1.500");
	GIVES(number_add_pm(out, 1.5, NAN, number_unit_plain, false), "1.500");
	GIVES(number_add_p(out, NAN), "undefined");
}

static void nothing_is_zero_without_sign(void **state)
{
	(void)state;
	GIVES(number_add(out, 0, NAN, number_unit_percent, true), "0 %");
	GIVES(number_add(out, -0.0, 0.01, number_unit_percent, true), "0 %");
	GIVES(number_add(out, -0.0001, 0.01, number_unit_percent, true), "0.0 %");
	GIVES(number_add(out, 1e-9, 1e-9, number_unit_percent, false), "<0.0001 %");
	GIVES(number_add(out, 1e300, NAN, number_unit_plain, false), "1.000e+300");
}

static void probabilities(void **state)
{
	(void)state;
	GIVES(number_add_p(out, 0.5), "0.50");
	GIVES(number_add_p(out, 0.0344), "0.034");
	GIVES(number_add_p(out, 1e-9), "< 0.0001");
	GIVES(number_add_p(out, 1), "1.00");
}

static struct table_cell cell_of(double value, double lo, double hi)
{
	static struct estimate all[8];
	static size_t n;
	all[n] = (struct estimate){STAT_OK, value, lo, hi, lo, hi, 9};
	return (struct table_cell){.kind = CELL_ESTIMATE, .estimate = &all[n++]};
}

static void an_interval_that_leans_is_not_shown_as_plus_minus(void **state)
{
	(void)state;
	struct table_column relative = {.format = FORMAT_RELATIVE, .estimate = true};
	struct table_column ratio = {.format = FORMAT_NUMBER, .estimate = true};
	struct table_cell even = cell_of(0.02, 0.01, 0.03), leaning = cell_of(1.5, 1.0, 3.0),
			  exact = cell_of(0, 0, 0);
	GIVES(table_cell_text(out, &relative, &even, true), "+2.0 ± 1.0 %");
	GIVES(table_cell_text(out, &relative, &even, false), "+2.0 % [1.0, 3.0]");
	GIVES(table_cell_text(out, &ratio, &leaning, true), "1.5 [1.0, 3.0]");
	GIVES(table_cell_text(out, &relative, &exact, true), "0 %");
	even.status = STAT_TOO_FEW;
	GIVES(table_cell_text(out, &relative, &even, true), "too few");
	even.status = STAT_NOT_APPLICABLE;
	GIVES(table_cell_text(out, &relative, &even, true), "–");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_uncertainty_places_the_last_digit),
	    cmocka_unit_test(times_have_the_unit_that_fits),
	    cmocka_unit_test(invalid_numbers_are_refused),
	    cmocka_unit_test(nothing_is_zero_without_sign),
	    cmocka_unit_test(probabilities),
	    cmocka_unit_test(an_interval_that_leans_is_not_shown_as_plus_minus),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
