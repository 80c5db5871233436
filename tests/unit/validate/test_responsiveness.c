/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays on storage that is slower in half of the blocks. */
#include "tests/unit/validate/made_campaign.h"

enum { N_BLOCKS = 20 };

/* In slow blocks the program takes `program` times as long, the replay `replay` times. */
static void slow_blocks_make(struct campaign *c, double program, double replay)
{
	for (unsigned int b = 1; b <= N_BLOCKS; b++) {
		const bool slow = (b + 1) / 2 % 3 ? b % 2 : b % 2 == 0;
		for (int role = ROLE_PROGRAM; role < 1; role++) {
			struct run *run = run_find(c, b, 0, role);
			const double factor = !slow ? 1 : role == 0 ? replay : program;
			run->service_factor = slow ? 1.5 : 1;
			run->summary.response.mean *= factor;
			run->summary.execution_ns =
			    (int64_t)((double)run->summary.execution_ns * factor);
			run->summary.facts.wall_ns = run->summary.execution_ns;
			run->summary.ns_at_level[0] = run->summary.execution_ns / 10;
			run->summary.ns_at_level[1] =
			    run->summary.execution_ns - run->summary.ns_at_level[0];
		}
	}
}

static const struct component *judged(struct campaign *c, struct analysis *a, double program,
				      double replay)
{
	analysed(c, a, &faultless, 1, 1, N_BLOCKS, 7);
	slow_blocks_make(c, program, replay);
	again(c, a);
	return &a->cell[0].component[COMPONENT_RESPONSIVENESS];
}

/* The campaign's change of the storage counts neither as scatter nor as bias. */
static void a_replay_that_follows_is_trusted(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	const struct component *k = judged(&c, &a, 1.45, 1.45);
	assert_int_equal(k->decision, DECISION_ACCEPT);
	assert_between(-0.03, k->estimate.value, 0.03);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	assert_between(0, a.cell[0].r.cv, 0.04);
	assert_between(0, a.cell[0].x.cv, 0.04);
	done(&c, &a);
}

static void a_dead_instrument_is_not_trusted(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	const struct component *k = judged(&c, &a, 1.45, 1);
	assert_int_equal(k->decision, DECISION_REJECT);
	assert_between(1 / 1.45 - 1 - 0.03, k->estimate.value, 1 / 1.45 - 1 + 0.03);
	assert_int_equal(a.cell[0].verdict, VERDICT_NOT_TRUSTED);
	done(&c, &a);
}

/* The replay follows by half of the required change, and by one and a half times it. */
static void a_replay_must_follow_as_far_as_the_program(void **state)
{
	(void)state;
	static const double factor[] = {1.22, 1.75};
	for (size_t i = 0; i < 2; i++) {
		struct campaign c;
		struct analysis a;
		assert_int_equal(judged(&c, &a, 1.45, factor[i])->decision, DECISION_REJECT);
		done(&c, &a);
	}
}

static void no_verdict_if_the_program_does_not_follow(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	assert_int_equal(judged(&c, &a, 1.02, 1.02)->decision, DECISION_NOT_APPLICABLE);
	assert_int_equal(a.cell[0].verdict, VERDICT_TRUSTED);
	done(&c, &a);
	analysed(&c, &a, &faultless, 1, 1, N_BLOCKS, 7); /* no volume at all */
	assert_int_equal(a.cell[0].component[COMPONENT_RESPONSIVENESS].decision,
			 DECISION_NOT_APPLICABLE);
	done(&c, &a);
}

/* A failed run also excludes the other block of its pair of blocks. */
static void both_blocks_are_needed(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	judged(&c, &a, 1.45, 1.45);
	run_find(&c, 3, 0, 0)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_RESPONSIVENESS].decision, DECISION_ACCEPT);
	for (unsigned int b = 1; b <= N_BLOCKS; b += 2)
		run_find(&c, b, 0, 0)->state = RUN_FAILED;
	again(&c, &a);
	assert_int_equal(a.cell[0].component[COMPONENT_RESPONSIVENESS].decision,
			 DECISION_NOT_APPLICABLE);
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_replay_that_follows_is_trusted),
		cmocka_unit_test(a_dead_instrument_is_not_trusted),
		cmocka_unit_test(a_replay_must_follow_as_far_as_the_program),
		cmocka_unit_test(no_verdict_if_the_program_does_not_follow),
		cmocka_unit_test(both_blocks_are_needed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
