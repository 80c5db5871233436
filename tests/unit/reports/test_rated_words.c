/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "reports/words.h"

/* Two cases, the case at 1000 requests/s is trusted: the words for gaps of 1 ms and of `gap_ns`. */
static void assert_words(double gap_ns, struct rated_limit gap, bool of_claim, const char *words)
{
	struct scenario scenario[] = {{.name = (char *)"slow"}, {.name = (char *)"fast"}};
	struct results r = {.protocol = {.n_scenarios = 2, .scenario = scenario, .claimed = (char *)"c"}};
	struct cell cell[] = {{.scenario = 0}, {.scenario = 1}};
	const struct analysis a = {.results = &r, .cell = cell, .n_cells = 2};
	struct rated_point point[] = {{.cell = 0, .rate = 1000, .gap_ns = 1e6, .verdict = VERDICT_TRUSTED},
				      {.cell = 1, .rate = 2000, .gap_ns = gap_ns, .verdict = VERDICT_NOT_TRUSTED}};
	const struct rated_range range = {
	    .name = "reads", .replayer = "event", .point = point, .n = 2, .rate = {0, 1, 0}, .gap = gap};
	struct strbuf out = STRBUF_INIT;
	rated_add_words(&out, &a, &range, of_claim);
	assert_string_equal(out.s, words);
	strbuf_release(&out);
}

static void a_range_by_gap_needs_all_gaps(void **state)
{
	(void)state;
	assert_words(5e5, (struct rated_limit){0, 1, 0}, false,
		     "reads, event: trusted up to 1000 requests/s, not trusted at 2000 requests/s "
		     "(fast). By the gap between requests: trusted down to 1.00 ms, not trusted at "
		     "500 µs (fast)");
	assert_words(
	    NAN, (struct rated_limit){RATED_NONE, RATED_NONE, 0}, false,
	    "reads, event: trusted up to 1000 requests/s, not trusted at 2000 requests/s "
	    "(fast)");
}

static void a_claim_has_its_own_words(void **state)
{
	(void)state;
	assert_words(NAN, (struct rated_limit){RATED_NONE, RATED_NONE, 0}, true,
		     "reads, event: shown up to 1000 requests/s, refuted at 2000 requests/s (fast)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_range_by_gap_needs_all_gaps),
	    cmocka_unit_test(a_claim_has_its_own_words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
