/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU-delayed requests: a request that queued behind a CPU-delayed request also counts as
 * CPU-delayed, and the mark does not appear in a time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/result/output.h"

enum { N = 5, START = 1000 };

static bool is_cpu_delayed(const struct outcome *o)
{
	return o->end_ticks & OUTCOME_CPU_DELAYED;
}

/* Requests due every 100, with these begins after the start; the second was delayed. */
static void spread(const uint64_t begin[N], bool pool, bool lost, const bool expect[N])
{
	int64_t due[N] = {0, 100, 200, 300, 400};
	struct outcome outcome[N] = {{0, 0, 0}};
	struct lane lane = {.due = due, .outcome = outcome, .n = N};
	struct replay_plan p = {.lane = &lane, .n_lanes = 1, .pool = pool, .start_ticks = START};
	for (int k = 0; k < N; k++)
		outcome_set(&outcome[k], START + begin[k], START + begin[k] + 10, 0);
	outcome_mark_cpu_delayed(&outcome[1]);
	if (lost)
		outcome[2] = (struct outcome){.begin_ticks = 0};
	output_spread_cpu_delay(&p);
	for (int k = 0; k < N; k++) {
		assert_int_equal(is_cpu_delayed(&outcome[k]), expect[k]);
		assert_int_equal(outcome_end(&outcome[k]),
				 lost && k == 2 ? 0 : START + begin[k] + 10);
		assert_int_equal(outcome_ended_at(&outcome[k]), outcome_end(&outcome[k]));
	}
}

static void queued_requests_are_delayed_too(void **state)
{
	(void)state;
	const uint64_t begin[N] = {0, 350, 360, 370, 400};
	spread(begin, false, false, (bool[N]){false, true, true, true, false});
	/* a request that was not issued delays no other */
	spread(begin, false, true, (bool[N]){false, true, false, false, false});
	/* a pool's requests have other workers */
	spread(begin, true, false, (bool[N]){false, true, false, false, false});
}

/* Delayed by 106, and late by 700 later: about as late as without the delay. */
static void requests_late_for_other_reasons_are_not_delayed(void **state)
{
	(void)state;
	spread((const uint64_t[N]){0, 206, 900, 1000, 1100}, false, false,
	       (bool[N]){false, true, false, false, false});
	spread((const uint64_t[N]){0, 195, 205, 900, 1000}, false, false,
	       (bool[N]){false, true, true, false, false});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queued_requests_are_delayed_too),
		cmocka_unit_test(requests_late_for_other_reasons_are_not_delayed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
