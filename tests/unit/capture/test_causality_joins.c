/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Barriers whose edges are replaced by a join before the merge: the merged trace is the same as
 * that of all edges. */
#include "capture/causality/joins.h"
#include "capture/causality/work.h"
#include "tests/unit/capture/causality_sample.h"

enum { NODES = 24, BARRIERS = 3 };

/* Nodes make two requests, compute, and wait for each other, BARRIERS times. At the end, node 1
 * waits for node 0. */
static void base_write(void)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	for (uint32_t b = 0; b <= BARRIERS; b++) {
		for (uint32_t i = 0; i < 2 * NODES; i++)
			strbuf_addf(&text, "%s%u w %u 100", text.len ? ", " : "", i % NODES, 10000 * b + 500 * (i / NODES));
		for (uint32_t i = 0; i < NODES; i++)
			strbuf_addf(&text, ", %u c 3000000", i);
	}
	strbuf_addf(&text, ", 0 w 90000 5, 1 w 91000 5");
	made_write(SCRATCH("base"), NODES, 0, text.s);
}

/* The edges of the run that delays node `a`. */
static uint64_t edges_of(uint32_t a, struct causality_edge *to)
{
	uint64_t n = 0;
	for (uint32_t b = 0; b < BARRIERS; b++)
		for (uint32_t k = 0; k < 2; k++)
			for (uint32_t w = 0; w < NODES; w++)
				if (w != a)
					to[n++] = (struct causality_edge){a, w, 2 * b + k, 2 * b + 2, 960000, 0, k ? 900000 : 0, false};
	if (!a)
		to[n++] = (struct causality_edge){0, 1, 2 * BARRIERS + 2, 2 * BARRIERS + 2, COMPUTED_ALL, 0, 0, false};
	return n;
}

static char *merged(const struct causality_run *run, uint32_t n_runs,
		    struct causality_merge_counts *counts)
{
	struct causality_facts f = made_facts(NODES, 100);
	uint32_t throttled[NODES];
	struct err e = ERR_INIT;
	f.throttled = throttled;
	for (uint32_t i = 0; i < NODES; i++)
		throttled[f.n_throttled++] = i;
	must(causality_merge(run, n_runs, &f, SCRATCH("merged"), counts, &e), &e);
	free(f.node);
	struct trace *t;
	must(trace_open(&t, SCRATCH("merged"), &e), &e);
	must(causality_check(t, &e), &e);
	trace_close(t);
	return made_read(SCRATCH("merged"));
}

/* Merges the edges of the first `n_delayed` nodes, as they are and with joins. Returns the number
 * of edges of the second merge. */
static uint64_t both_merge(uint32_t n_delayed, bool same_text, uint32_t *n_joins)
{
	const size_t most = 2 * BARRIERS * NODES + 1;
	struct causality_edge *all = xcalloc(most * NODES, sizeof *all), *rest = xcalloc(most * NODES, sizeof *rest);
	struct causality_run run[2] = {{SCRATCH("base"), -1, all, 0, 0, 0}};
	struct causality_merge_counts want, got;
	struct joins *joins;
	base_write();
	joins_open(&joins, NODES);
	uint64_t n_rest = 0, n_implied = 0;
	for (uint32_t a = 0; a < n_delayed; a++) {
		uint64_t n = edges_of(a, all + run[0].n_edges);
		memcpy(rest + n_rest, all + run[0].n_edges, n * sizeof *all);
		run[0].n_edges += n;
		const uint64_t left = causality_edges_reduce(rest + n_rest, n);
		n_implied += n - left;
		n_rest += joins_take(joins, rest + n_rest, left);
	}
	char *expected = merged(run, 1, &want);
	run[0] = (struct causality_run){SCRATCH("base"), -1, rest, n_rest, n_implied, 0};
	joins_finish(joins, &run[1]);
	joins_close(joins);
	char *text = merged(run, 2, &got);
	if (same_text)
		assert_string_equal(text, expected);
	assert_int_equal(got.n_edges_seen, want.n_edges_seen);
	assert_int_equal(got.n_edges_left, want.n_edges_left);
	assert_int_equal(got.n_barriers, want.n_barriers);
	assert_int_equal(got.predicted_ns, want.predicted_ns);
	assert_int_equal(got.external_ns, want.external_ns);
	assert_int_equal(got.n_early, 0);
	const uint64_t n = run[0].n_edges + run[1].n_edges;
	*n_joins = run[1].n_joins;
	free((struct causality_edge *)(uintptr_t)run[1].edge);
	free(all);
	free(rest);
	free(text);
	free(expected);
	return n;
}

static void a_join_is_the_same_as_its_edges(void **state)
{
	(void)state;
	uint32_t n_joins;
	assert_int_equal(both_merge(NODES, true, &n_joins), BARRIERS * 2 * NODES + 1);
	assert_int_equal(n_joins, BARRIERS);
}

/* Only some nodes were delayed. */
static void few_delayed_nodes_make_no_join(void **state)
{
	(void)state;
	uint32_t n_joins;
	assert_int_equal(both_merge(10, true, &n_joins), BARRIERS * 10 * (NODES - 1) + 1);
	assert_int_equal(n_joins, 0);
	/* nodes that were not delayed wait at the same barrier; otherwise each has waits of its own */
	both_merge(20, false, &n_joins);
	assert_int_equal(n_joins, BARRIERS);
}

/* Edges that differ from those of another node: in a place, in the number of waiting nodes, or in
 * the place of their signal. */
static void other_edges_are_left(void **state)
{
	(void)state;
	struct causality_edge edge[NODES];
	struct joins *joins;
	joins_open(&joins, NODES);
	for (uint32_t a = 0; a < 6; a++) {
		uint64_t n = 0;
		for (uint32_t w = 0; w < NODES; w++)
			if (w != a)
				edge[n++] = (struct causality_edge){a, w, 0, 1, 960000, 0, 0, false};
		edge[NODES / 2].computed_ppm -= a == 1 ? 30000 : 0;
		edge[NODES / 2].n_later = a == 2;
		edge[NODES / 2].signalled_ppm = a == 3 ? 10 : 0;
		edge[NODES / 2].uncertain = a == 4;
		const uint64_t left = joins_take(joins, edge, n);
		assert_int_equal(left, a == 0 || a == 5 ? 0 : NODES - 1);
	}
	edge[0] = edge[1] = (struct causality_edge){7, UINT32_MAX, 0, 1, 0, 0, 0, false};
	assert_int_equal(joins_take(joins, edge, 2), 2);
	assert_int_equal(joins_take(joins, edge, 0), 0);
	joins_close(joins);
}

static int clean(void **state)
{
	(void)state;
	unlink(SCRATCH("base"));
	unlink(SCRATCH("merged"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_join_is_the_same_as_its_edges),
	    cmocka_unit_test(few_delayed_nodes_make_no_join),
	    cmocka_unit_test(other_edges_are_left),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
