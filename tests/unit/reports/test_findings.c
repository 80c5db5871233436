/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "reports/first_screen.h"

/* Whether a campaign with this many scenarios is warned that cases are left out. */
static bool is_reported(size_t n_scenarios)
{
	struct replayer replayer = {.name = (char *)"event"};
	struct results r = {.protocol = {.n_scenarios = n_scenarios, .n_replayers = 1, .replayer = &replayer}};
	const struct analysis a = {.results = &r, .look = 1, .complete = true};
	struct findings f;
	bool told = false;
	findings_collect(&f, &a);
	for (size_t i = 0; i < f.n_warnings; i++)
		told |= strstr(f.warning[i], "has more than 256 cases") != NULL;
	findings_release(&f);
	return told;
}

static void a_large_campaign_reports_omissions(void **state)
{
	(void)state;
	assert_false(is_reported(256));
	assert_true(is_reported(257));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_large_campaign_reports_omissions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
