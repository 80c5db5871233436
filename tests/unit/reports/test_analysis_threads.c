/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of threads that make the requests of a run: the results that use it, and the results
 * that are inconclusive if it is unknown. */
#define REASONS_IN_WORDS
#include "reports/reasons.h"
#include "tests/unit/validate/made_campaign.h"

#include "validate/analysis/rated_range.h"
#include "validate/analysis/why.h"
#include "validate/evidence/pairs.h"

enum { N = 20 };

/* Replays whose response times are 1.5 times as long; their execution times are longer by the same
 * time, as for one thread. */
static const struct effect slow = {.bias = 0.5, .sd_x = 0.01, .sd_r = 0.01};

/* Sets for every run whether requests overlapped, and its number of nodes. */
static void every_run(struct campaign *c, uint64_t most_in_flight, uint64_t n_nodes)
{
	for (size_t i = 0; i < c->results.n_runs; i++) {
		struct run_summary *s = &c->results.run[i].summary;
		s->requests_at_level[2] = most_in_flight > 1;
		s->n_nodes = n_nodes;
	}
}

static const char *reason_of(const struct analysis *a)
{
	return a->cell[0].component[COMPONENT_EXECUTION_TIME].reason;
}

static void by_level_nodes_or_alone(void **state)
{
	(void)state;
	const struct scenario reads = {.level = 4}, script = {.script = "build.sh", .level = 1}, trace = {.trace = "t", .level = 1};
	int64_t ns[3] = {0, 5, 0};
	uint64_t alone[3] = {0, 7, 0}, together[3] = {0, 6, 1};
	const struct run_summary one = {.n_levels = 3, .ns_at_level = ns, .requests_at_level = alone},
				 many = {.n_levels = 3, .ns_at_level = ns, .requests_at_level = together},
				 nodes = {.n_levels = 3, .ns_at_level = ns, .requests_at_level = together, .n_nodes = 8};
	assert_true(run_n_threads(&reads, &many) == 4);
	assert_true(run_n_threads(&script, &one) == 1);
	assert_true(run_n_threads(&trace, &one) == 1);
	assert_true(run_n_threads(&script, &nodes) == 8);
	assert_true(isnan(run_n_threads(&script, &many)));
	assert_true(isnan(run_n_threads(&trace, &many)));
	/* a thread with several requests in flight, as with --queue-depth, does not serialise
	 * them */
	const struct scenario queued = {.level = 1};
	assert_true(run_n_lanes(&reads, &many) == 4 && run_n_lanes(&script, &nodes) == 8);
	assert_true(run_n_threads(&queued, &many) == 1 && isnan(run_n_lanes(&queued, &many)));
	assert_true(isnan(run_n_lanes(&script, &many)));
}

static void execution_time_is_split_among_them(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &slow, 1, 1, N, 1);
	const double alone = a.cell[0].execution_service;
	assert_between(0.42, alone, 0.48); /* requests take ten elevenths of the time */
	assert_non_null(strstr(reason_of(&a),
			"only show where the threads spent the time, not why"));
	c.results.protocol.scenario[0].script = "build.sh";
	every_run(&c, 2, 2);
	again(&c, &a);
	assert_true(a.cell[0].n_lanes == 2);
	assert_between(alone / 2 - 1e-9, a.cell[0].execution_service, alone / 2 + 1e-9);
	every_run(&c, 1, 0);
	again(&c, &a);
	assert_true(a.cell[0].n_lanes == 1);
	assert_between(alone - 1e-9, a.cell[0].execution_service, alone + 1e-9);
	done(&c, &a);
}

static void unknown_where_several_are_in_flight(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &slow, 1, 1, N, 1);
	assert_true(isfinite(a.cell[0].diagnostics.off_cpu_x));
	assert_true(a.n_rated == 1 && isfinite(a.rated[0].point[0].gap_ns));
	c.results.protocol.scenario[0].script = "build.sh";
	every_run(&c, 2, 0);
	again(&c, &a);
	assert_true(isnan(a.cell[0].n_lanes));
	assert_true(isnan(a.cell[0].execution_service) && isnan(a.cell[0].execution_schedule));
	assert_null(strstr(reason_of(&a),
			"only show where the threads spent the time, not why"));
	assert_true(isnan(a.cell[0].diagnostics.off_cpu_x));
	assert_true(isnan(a.cell[0].diagnostics.off_cpu_r));
	assert_true(isnan(a.rated[0].point[0].gap_ns));
	assert_true(a.rated[0].gap.last == RATED_NONE && a.rated[0].gap.next == RATED_NONE);
	assert_true(a.rated[0].rate.next == 0); /* not trusted, which the rate shows */
	for (size_t i = 0; i < a.why[0].split[SPLIT_RESPONSE].n_parts; i++) {
		const struct why_part *part = &a.why[0].split[SPLIT_RESPONSE].part[i];
		if (part->cause == CAUSE_OFF_PROCESSOR)
			assert_int_not_equal(part->part.status, STAT_OK);
	}
	done(&c, &a);
}

/* The time off the CPU and the wait for a CPU refer to the time in which a run was not paused. */
static void pauses_between_slices_do_not_count(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &slow, 1, 1, N, 1);
	const double off_x = a.cell[0].diagnostics.off_cpu_x, off_r = a.cell[0].diagnostics.off_cpu_r;
	for (size_t i = 0; i < c.results.n_runs; i++) {
		struct run_summary *s = &c.results.run[i].summary;
		s->facts.wall_ns = 3 * s->execution_ns;
		s->n_slices = 20;
	}
	again(&c, &a);
	assert_true(off_x > 0 && a.cell[0].diagnostics.off_cpu_x == off_x);
	assert_true(off_r > 0 && a.cell[0].diagnostics.off_cpu_r == off_r);
	const struct scenario reads = {.level = 4};
	const struct run_summary whole = {.execution_ns = 5, .facts = {.wall_ns = 6}},
				 sliced = {.execution_ns = 5, .n_slices = 3, .facts = {.wall_ns = 15}};
	assert_true(run_thread_ns(&reads, &whole) == 24 && run_thread_ns(&reads, &sliced) == 20);
	done(&c, &a);
}

/* Steal time is a sum over all CPUs, so it can be longer than the run. */
static void stolen_share_is_at_most_one(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analysed(&c, &a, &slow, 1, 1, N, 1);
	for (size_t i = 0; i < c.results.n_runs; i++) {
		struct run *r = &c.results.run[i];
		r->summary.facts.steal_ns = 3 * r->summary.facts.wall_ns;
		r->stolen_share = 0.75;
	}
	again(&c, &a);
	assert_true(a.cell[0].diagnostics.stolen_x == 0.75);
	assert_true(a.cell[0].diagnostics.stolen_r == 0.75);
	done(&c, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(by_level_nodes_or_alone),
	    cmocka_unit_test(execution_time_is_split_among_them),
	    cmocka_unit_test(unknown_where_several_are_in_flight),
	    cmocka_unit_test(pauses_between_slices_do_not_count),
	    cmocka_unit_test(stolen_share_is_at_most_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
