/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors of execution times compared with given errors, the worst over the targets of the
 * recordings, and nodes. */
#include "made_parallel.h"

#include "validate/analysis/analysis.h"
#include "validate/analysis/claims.h"
#include "validate/analysis/courses.h"
#include "validate/analysis/measure_values.h"
#include "validate/protocol/selector.h"

enum { N_BLOCKS = 6 };

/* Application on a, recorded on b and c; on b, recorded on a; with another period, and with one
 * delayed node. */
static const struct made_pair pairs[] = {
    {1, 0, 1, 0, {0.02, -0.80}},  {2, 0, 1, 0, {-0.05, 0.30}}, {0, 1, 1, 0, {0.01, 0.10}},
    {1, 0, 10, 0, {0.15, -0.80}}, {1, 0, 1, 1, {0.25, -0.80}},
};
enum { N = sizeof pairs / sizeof *pairs };

static void analyse(struct campaign *c, struct analysis *a)
{
	struct err e = ERR_INIT;
	made_parallel(c, pairs, N, N_BLOCKS);
	assert_int_equal(analysis_compute(a, &c->results, &e), 0);
	assert_int_equal(analysis_describe(a, NULL), 0);
	assert_non_null(a->parallel);
}

static void release(struct campaign *c, struct analysis *a)
{
	analysis_release(a);
	made_parallel_release(c);
}

static void test_errors(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analyse(&c, &a);
	assert_int_equal(a.parallel->n_cases, 2 * N);
	for (size_t i = 0; i < a.parallel->n_cases; i++) {
		const struct parallel_case *k = &a.parallel->of_case[i];
		const struct cell *cell = &a.cell[k->cell];
		const double wanted = pairs[cell->scenario].error[cell->replayer];
		/* half of the blocks deviate by further 0.0005 */
		assert_between(wanted, k->error.value, wanted + 0.0005);
		assert_true(k->error.lo95 < k->error.value && k->error.value < k->error.hi95);
		assert_between(wanted - 0.002, k->error.lo95, k->error.hi95);
		/* the step of the clock adds to the scatter of the pairs */
		assert_true(k->U >= (k->error.hi95 - k->error.lo95) / 2 &&
			    fabs(k->U - k->k * k->u) < 1e-12);
		assert_between(0.9999999, k->tracing_time - 2 * (double)(cell->scenario + 1),
			       1.0000001);
		assert_between(-1e-9, k->tracing_increase - (double)(cell->scenario + 1), 1e-9);
		assert_between(1e8, k->bandwidth_program.value, 1.1e8);
		assert_true(k->recording->n_nodes == MADE_NODES);
	}
	release(&c, &a);
}

static void test_worst(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	/* scenarios 0 and 1 differ in the target of their recording */
	static const double causal[] = {0.05, 0.01, 0.15, 0.25}, think[] = {0.80, 0.10, 0.80, 0.80};
	static const size_t recorded_on[2][4] = {{2, 0, 1, 1}, {1, 0, 1, 1}};
	analyse(&c, &a);
	size_t n[2] = {0};
	for (size_t i = 0; i < a.parallel->n_worst; i++) {
		const struct parallel_worst *w = &a.parallel->worst[i];
		const struct cell *cell = &a.cell[w->cell];
		const size_t at = n[cell->replayer]++;
		assert_in_range(at, 0, 3);
		assert_between(-0.0005, w->size.value - (cell->replayer ? think : causal)[at],
			       0.0006);
		assert_int_equal(c.results.protocol.scenario[cell->scenario].recorded_on,
				 recorded_on[cell->replayer][at]);
		assert_int_equal(w->n_cells, at == 0 ? 2 : 1);
		assert_true(w->size.lo95 >= 0 && w->size.lo95 < w->size.value);
		assert_null(w->published);
	}
	assert_true(n[0] == 4 && n[1] == 4);
	assert_int_equal(a.parallel->n_sums, 2);
	/* (2 + 5 + 1 + 15 + 25) / 5 % */
	assert_between(0.0955, a.parallel->sum[0].mean_size, 0.0965);
	assert_between(0.114, a.parallel->sum[0].mean_worst_size, 0.116);
	assert_between(0.25, a.parallel->worst[a.parallel->sum[0].worst].size.value, 0.2506);
	release(&c, &a);
}

static void test_nodes(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analyse(&c, &a);
	assert_int_equal(a.parallel->n_nodes, 2 * N * MADE_NODES);
	for (size_t i = 0; i < a.parallel->n_nodes; i++) {
		const struct parallel_node *o = &a.parallel->node[i];
		const double slower = (double)(o->node + 1);
		assert_between(0.1, o->bias.value, 0.101);
		assert_between(1000 * slower, o->program.value, 1003 * slower);
		assert_between(1100 * slower, o->replay.value, 1103.5 * slower);
		assert_between(100 * slower, o->n_requests, 100 * slower);
		assert_between(1e-6, o->U, 0.02);
		assert_between(0.00999, o->busy_program_s, 0.0101);
	}
	release(&c, &a);
}

/* If the nodes of the application ran on several hosts, each host has a row. Its response time is
 * the mean over its requests: node 1 makes twice as many requests as node 0, of twice the time. */
static void test_hosts(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	struct err e = ERR_INIT;
	analyse(&c, &a);
	assert_int_equal(a.parallel->n_hosts, 0);
	release(&c, &a);
	for (int same = 0; same < 2; same++) {
		made_parallel(&c, pairs, N, N_BLOCKS);
		for (size_t i = 0; i < c.results.n_runs; i++)
			for (uint64_t k = 0; k < c.results.run[i].summary.n_nodes; k++)
				snprintf(c.results.run[i].summary.node[k].host, 64, "host%d", same ? 0 : (int)k);
		assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
		assert_int_equal(analysis_describe(&a, NULL), 0);
		assert_int_equal(a.parallel->n_hosts, 2 * N * (size_t)(same ? 1 : 2));
		for (size_t i = 0; i < a.parallel->n_hosts; i++) {
			const struct parallel_host *o = &a.parallel->host[i];
			const double factor = same ? 5. / 3 : i % 2 ? 2 : 1;
			assert_string_equal(o->host, !same && i % 2 ? "host1" : "host0");
			assert_int_equal(o->n_nodes, same ? 2 : 1);
			assert_between(1000 * factor, o->program.value, 1003 * factor);
			assert_between(1100 * factor, o->replay.value, 1103.5 * factor);
			assert_between(0.1, o->bias.value, 0.101);
			assert_true(fabs(o->n_requests - (same ? 300 : i % 2 ? 200 : 100)) < 1e-9);
			assert_between(0.00999, o->busy_program_s, 0.0101);
		}
		release(&c, &a);
	}
}

/* The verdict judges the execution time by the same limits as for any program. */
static void test_verdict(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analyse(&c, &a);
	for (size_t i = 0; i < a.n_cells; i++) {
		const struct cell *cell = &a.cell[i];
		const double error = fabs(pairs[cell->scenario].error[cell->replayer]);
		const enum decision d = cell->component[COMPONENT_EXECUTION_TIME].decision;
		if (error < 0.09)
			assert_int_equal(d, DECISION_ACCEPT);
		if (error > 0.11)
			assert_int_equal(d, DECISION_REJECT);
	}
	release(&c, &a);
}

static void test_published(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	struct err e = ERR_INIT;
	struct published_value v[] = {{.source = "Figure 9", .measure = MEASURE_PERCENT_ERROR_MAGNITUDE, .value = 0.17, .uncertainty = NAN},
				      {.source = "Figure 8", .measure = MEASURE_TRACING_TIME, .value = 7, .uncertainty = NAN}};
	assert_int_equal(selector_parse(&v[0].scenario, "target=a period=1", &e), 0);
	assert_int_equal(selector_parse(&v[0].replayer, "mode=causal", &e), 0);
	made_parallel(&c, pairs, N, N_BLOCKS);
	struct setting period[] = {{"period", "1"}, {"period", "10"}};
	for (size_t s = 0; s < N; s++) {
		c.results.protocol.scenario[s].option = &period[pairs[s].period == 10];
		c.results.protocol.scenario[s].n_options = 1;
	}
	c.results.protocol.published = v;
	c.results.protocol.n_published = 2;
	assert_int_equal(analysis_compute(&a, &c.results, &e), 0);
	assert_int_equal(analysis_describe(&a, NULL), 0);
	for (size_t i = 0; i < a.parallel->n_worst; i++) {
		const struct parallel_worst *w = &a.parallel->worst[i];
		const struct scenario *s = &c.results.protocol.scenario[a.cell[w->first].scenario];
		const bool wanted =
		    s->target == 0 && s->parallel.period == 1 && a.cell[w->first].replayer == 0;
		assert_ptr_equal(w->published, wanted ? &v[0] : NULL);
	}
	size_t n[2] = {0};
	for (size_t i = 0; i < a.n_published; i++)
		n[a.published[i].value == &v[1]]++;
	assert_int_equal(n[0], 3); /* scenarios 0, 1 and 4 */
	assert_int_equal(n[1], 2 * N);
	selector_release(&v[0].scenario);
	selector_release(&v[0].replayer);
	release(&c, &a);
}

static void test_bandwidth(void **state)
{
	(void)state;
	struct campaign c;
	struct analysis a;
	analyse(&c, &a);
	for (size_t i = 0; i < a.n_cells; i++) {
		const struct course *k = &a.course[i];
		assert_non_null(k->bandwidth_program);
		for (size_t b = 0; b < k->n; b++)
			assert_between(-1e-3,
				       k->bandwidth_program[b] - (double)(b % 8) * 1000 / 131072e-9,
				       1e-3);
	}
	release(&c, &a);
}

/* (application - replay) / application, with its sign and without. */
static void test_measures(void **state)
{
	(void)state;
	struct run r[2] = {{.block = 1, .summary = {.execution_ns = 1000}}, {.block = 2, .summary = {.execution_ns = 2000}}};
	struct run x[2] = {{.block = 1, .summary = {.execution_ns = 1300}}, {.block = 2, .summary = {.execution_ns = 1800}}};
	struct run recording = {.summary.causality = {.n_nodes = 4, .n_runs = 5, .application_ns = 100, .tracing_ns = 900}};
	const struct run *px[] = {&x[0], &x[1]}, *pr[] = {&r[0], &r[1]},
			 *pc[] = {&recording, &recording};
	const struct measure_runs m = {px, pr, pc, 2};
	/* (-0.3 + 0.1) / 2 */
	assert_between(-1e-12, measure_value(MEASURE_PERCENT_ERROR, NULL, &m) + 0.1, 1e-12);
	assert_between(-1e-12, measure_value(MEASURE_PERCENT_ERROR_MAGNITUDE, NULL, &m) - 0.1,
		       1e-12);
	assert_between(-1e-9, measure_value(MEASURE_TRACING_TIME, NULL, &m) - 9, 1e-9);
	assert_between(-1e-9, measure_value(MEASURE_TRACING_INCREASE, NULL, &m) - 2, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_errors),    cmocka_unit_test(test_worst),
	    cmocka_unit_test(test_nodes),     cmocka_unit_test(test_verdict),
	    cmocka_unit_test(test_hosts),
	    cmocka_unit_test(test_published), cmocka_unit_test(test_bandwidth),
	    cmocka_unit_test(test_measures),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
