/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reports/words.h"

static void an_empty_list_is_none(void **state)
{
	(void)state;
	struct results r = {.protocol.accept = accept_defaults};
	struct analysis a = {.results = &r};
	struct strbuf out = STRBUF_INIT;
	for (size_t k = 0; k < COMPONENT_N; k++)
		a.assessed[k] = true;
	words_add_components(&out, &a, false);
	assert_string_equal(out.s, "none");
	strbuf_reset(&out);
	a.assessed[COMPONENT_BIAS] = false;
	words_add_components(&out, &a, false);
	assert_string_equal(out.s, "bias");
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_list_is_none)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
