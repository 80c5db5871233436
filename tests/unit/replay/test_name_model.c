/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of paths while names are created and removed. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>

#include "common/xalloc.h"
#include "replay/load/name_model.h"

/* Link i names link i + 1 twice, and the last link names ".": to look up the first of n links, 2^n
 * - 1 links are followed. */
static void links_make(struct name_model *m, unsigned int n)
{
	name_model_init(m);
	for (unsigned int i = 0; i < n; i++) {
		char name[20];
		snprintf(name, sizeof name, "l%u", i);
		const uint32_t node = name_model_make(m, INITIAL_LINK);
		m->node[node].link = i + 1 < n ? xasprintf("l%u/l%u", i + 1, i + 1) : xstrdup(".");
		name_model_set(m, name, node);
	}
}

/* As in the kernel: the limit is for the whole look-up; with a limit per depth there would be no
 * end. */
static void too_many_links_in_one_look_up(void **state)
{
	(void)state;
	struct name_model m;
	links_make(&m, 5);
	assert_int_equal(name_model_find(&m, "l0", true), NODE_ROOT);
	name_model_release(&m);
	links_make(&m, 6);
	assert_int_equal(name_model_find(&m, "l0", true), NODE_NONE);
	assert_int_not_equal(name_model_find(&m, "l0", false), NODE_NONE);
	name_model_release(&m);
	links_make(&m, 60);
	assert_int_equal(name_model_find(&m, "l0/x", true), NODE_NONE);
	name_model_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(too_many_links_in_one_look_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
