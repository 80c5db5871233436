/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of components: every row is complete, and its limit comes from the protocol. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "validate/components/component.h"

static void test_rows_are_complete(void **state)
{
	(void)state;
	for (int k = 0; k < COMPONENT_N; k++) {
		const struct component_row *row = components[k];
		assert_non_null(row);
		assert_true(row->title && *row->title && row->meaning && *row->meaning);
		assert_true(row->rule && *row->rule && row->source && *row->source);
		assert_non_null(row->decide);
		assert_true(row->above && strstr(row->above, "%s"));
		assert_true(!(row->scatter > 0) || row->two_sided);
		assert_true(*component_names[k] && *accept_limit_names[k] && accept_keys[k].name);
		for (int j = 0; j < k; j++) {
			assert_string_not_equal(component_names[j], component_names[k]);
			assert_string_not_equal(accept_keys[j].name, accept_keys[k].name);
		}
	}
	assert_null(components[COMPONENT_N]);
	assert_null(component_names[COMPONENT_N]);
}

/* Each limit by its own key, including "none". */
static void test_limits_follow_their_keys(void **state)
{
	(void)state;
	for (int k = 0; k < COMPONENT_N; k++) {
		struct protocol p = {.accept = accept_defaults};
		struct err e = ERR_INIT;
		const char *name = accept_keys[k].name,
			   *value = accept_keys[k].type == OPT_DURATION ? "1ns" : "1";
		bool below_one = accept_keys[k].max > 0 && accept_keys[k].max < 1;
		assert_int_equal(options_set(accept_keys, &p, name, below_one ? "0.5" : value, &e),
				 0);
		assert_true(accept_limit(&p.accept, k) == (below_one ? 0.5 : 1));
		for (int j = 0; j < COMPONENT_N; j++)
			if (j != k) {
				double limit = accept_limit(&p.accept, j),
				       before = accept_limit(&accept_defaults, j);
				assert_true(limit == before || (isnan(limit) && isnan(before)));
			}
		assert_int_equal(options_set(accept_keys, &p, name, "none", &e), 0);
		assert_true(isnan(accept_limit(&p.accept, k)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows_are_complete),
	    cmocka_unit_test(test_limits_follow_their_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
