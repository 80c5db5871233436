/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares redundant dependencies with a brute force over the graph of all requests, and barriers
 * with the places where the test put them. */
#include "capture/causality/links.h"
#include "tests/unit/capture/causality_sample.h"

enum { NODES = 9, REQUESTS = 12, ALL = NODES * REQUESTS };

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % n);
}

static void link_add(struct causality_links *l, uint32_t s, uint64_t a, uint32_t w, uint64_t b)
{
	GROW(l->link, l->n, l->cap);
	l->link[l->n++] = (struct causality_link){s, w, 2 * a + 1, 2 * b, a + 1, b, 0};
}

/* Makes links that agree with some order of all requests. */
static void make_random(struct causality_links *l, uint32_t n_nodes, uint32_t n_links)
{
	uint32_t at[NODES][REQUESTS], done[NODES] = {0};
	for (uint32_t i = 0; i < n_nodes * REQUESTS;) {
		uint32_t n = below(n_nodes);
		if (done[n] < REQUESTS)
			at[n][done[n]++] = i++;
	}
	*l = (struct causality_links){.n_nodes = n_nodes};
	while (l->n < n_links) {
		uint32_t s = below(n_nodes), w = below(n_nodes), a = below(REQUESTS),
			 b = below(REQUESTS);
		if (s != w && at[s][a] < at[w][b])
			link_add(l, s, a, w, b);
	}
}

static bool edge[ALL][ALL], reach[ALL][ALL];

static uint32_t vertex(uint32_t node, uint64_t request)
{
	return node * REQUESTS + (uint32_t)request;
}

static void reach_find(const struct causality_links *l)
{
	memset(edge, 0, sizeof edge);
	for (uint32_t n = 0; n < l->n_nodes; n++)
		for (uint32_t r = 0; r + 1 < REQUESTS; r++)
			edge[vertex(n, r)][vertex(n, r + 1)] = true;
	for (size_t i = 0; i < l->n; i++)
		edge[vertex(l->link[i].signaller, l->link[i].signal_request - 1)]
		    [vertex(l->link[i].waiter, l->link[i].wait_request)] = true;
	memcpy(reach, edge, sizeof reach);
	for (uint32_t k = 0; k < ALL; k++)
		for (uint32_t i = 0; i < ALL; i++)
			for (uint32_t j = 0; reach[i][k] && j < ALL; j++)
				reach[i][j] |= reach[k][j];
}

/* Edges between nodes that are needed for reachability: no other successor reaches their target. */
static uint32_t needed(uint32_t n_nodes, bool (*need)[ALL])
{
	uint32_t n = 0;
	memset(need, 0, sizeof(bool[ALL][ALL]));
	for (uint32_t i = 0; i < ALL; i++)
		for (uint32_t j = 0; j < ALL; j++) {
			if (!edge[i][j] || i / REQUESTS == j / REQUESTS || i / REQUESTS >= n_nodes)
				continue;
			bool implied = false;
			for (uint32_t k = 0; k < ALL && !implied; k++)
				implied = edge[i][k] && k != j && reach[k][j];
			need[i][j] = !implied;
			n += !implied;
		}
	return n;
}

static void the_result_is_the_transitive_reduction(void **state)
{
	(void)state;
	static bool need[ALL][ALL];
	struct err e = ERR_INIT;
	for (uint32_t seed = 0; seed < 60; seed++) {
		struct causality_links l;
		random_state = seed;
		make_random(&l, 2 + seed % (NODES - 1), 1 + below(seed % 3 == 2 ? 400 : 40));
		reach_find(&l);
		uint32_t n = needed(l.n_nodes, need);
		must(causality_links_reduce(&l, &e), &e);
		assert_int_equal(l.n, n);
		for (size_t i = 0; i < l.n; i++)
			assert_true(need[vertex(l.link[i].signaller, l.link[i].signal_request - 1)]
					[vertex(l.link[i].waiter, l.link[i].wait_request)]);
		must(causality_links_walk(&l, NULL, &e), &e);
		causality_links_release(&l);
	}
}

/* One link against the order makes a cycle, which is found among all other links. */
static void a_cycle_is_found_among_many_links(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	for (uint32_t seed = 0; seed < 20; seed++) {
		struct causality_links l;
		random_state = seed;
		make_random(&l, NODES, 60);
		struct causality_link g = l.link[below((uint32_t)l.n)];
		link_add(&l, g.waiter, g.wait_request, g.signaller, g.signal_request - 1);
		assert_int_equal(causality_links_walk(&l, NULL, &e), -ELOOP);
		assert_int_equal(causality_links_reduce(&l, &e), -ELOOP);
		causality_links_release(&l);
	}
}

static void mark_add(struct causality_links *l, uint32_t node, bool is_wait, uint32_t place,
		     uint32_t request)
{
	l->mark = xrealloc(l->mark, (l->n_marks + 1) * sizeof *l->mark);
	l->mark[l->n_marks++] = (struct causality_mark){.node = node & INT32_MAX,
							.is_wait = is_wait,
							.place = place,
							.request = request};
}

/* A barrier of all nodes with records implies all links across it, and no other link. */
static void a_barrier_implies_the_links_across_it(void **state)
{
	(void)state;
	enum { HALF = REQUESTS / 2 };
	struct err e = ERR_INIT;
	for (uint32_t seed = 0; seed < 40; seed++) {
		struct causality_links l, halves;
		random_state = seed;
		make_random(&l, 2 + seed % (NODES - 1), 1 + below(200));
		halves = (struct causality_links){.n_nodes = l.n_nodes};
		size_t n = 0;
		for (size_t i = 0; i < l.n; i++) { /* links from the second half would be a cycle */
			const struct causality_link g = l.link[i];
			if (g.signal_request > HALF && g.wait_request < HALF)
				continue;
			if ((g.signal_request > HALF) == (g.wait_request >= HALF))
				link_add(&halves, g.signaller, g.signal_request - 1, g.waiter,
					 g.wait_request);
			l.link[n++] = g;
		}
		l.n = n;
		for (uint32_t i = 0; i < l.n_nodes; i++) {
			mark_add(&l, i, false, 2 * HALF - 1, HALF);
			mark_add(&l, i, true, 2 * HALF, HALF);
		}
		l.n_barriers = 1;
		must(causality_links_reduce(&l, &e), &e);
		must(causality_links_reduce(&halves, &e), &e);
		assert_int_equal(l.n, halves.n);
		for (size_t i = 0; i < l.n; i++)
			assert_memory_equal(&l.link[i], &halves.link[i], sizeof *l.link);
		causality_links_release(&l);
		causality_links_release(&halves);
	}
}

/* Node 1 needs a signal that node 0 sends after the barrier. */
static void a_cycle_through_a_barrier_is_named(void **state)
{
	(void)state;
	struct causality_links l = {.n_nodes = 3, .n_barriers = 1};
	struct err e = ERR_INIT;
	link_add(&l, 0, 5, 1, 2);
	for (uint32_t i = 0; i < 3; i++) {
		mark_add(&l, i, false, 7, 4);
		mark_add(&l, i, true, 8, 4);
	}
	assert_int_equal(causality_links_walk(&l, NULL, &e), -ELOOP);
	assert_string_equal(e.msg, "deadlock: nodes (traced threads) wait for each other: node 1 "
				   "waits before its request 2 for the signal of node 0 after its "
				   "request 5, node 0 waits before its request 4 for barrier 1, "
				   "which waits for the signal of node 1 after its request 3 "
				   "(requests are counted from 0 in each node)");
	causality_links_release(&l);
}

static void barrier_add(struct causality_links *l, const uint32_t *node, uint32_t n,
			uint64_t request)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			if (i != k)
				link_add(l, node[i], request - 1, node[k], request);
}

static void barriers_are_found_where_they_are(void **state)
{
	(void)state;
	static const uint32_t all[] = {0, 1, 2, 3, 4}, some[] = {1, 3}, three[] = {0, 2, 4};
	struct causality_links l = {.n_nodes = 5};
	struct causality_barriers b;
	struct err e = ERR_INIT;
	barrier_add(&l, all, 5, 2);
	barrier_add(&l, some, 2, 4);
	barrier_add(&l, three, 3, 6);
	barrier_add(&l, all, 5, 9);
	link_add(&l, 1, 4, 2, 6); /* no part of any */
	must(causality_links_reduce(&l, &e), &e);
	must(causality_barriers_find(&b, &l, &e), &e);
	assert_int_equal(b.n, 4);
	size_t n_free = 0;
	for (size_t i = 0; i < l.n; i++)
		n_free += b.of_link[i] == UINT32_MAX;
	assert_int_equal(n_free, 1);
	for (uint32_t i = 0; i < b.n; i++) {
		const struct causality_barrier *one = &b.v[i];
		uint64_t want = one->n_nodes == 2 ? 4 : one->n_nodes == 3 ? 6 : i ? 9 : 2;
		assert_true(one->n_nodes == 5 || one->n_nodes == 2 || one->n_nodes == 3);
		for (uint32_t k = 0; k < one->n_nodes; k++)
			assert_int_equal(one->request[k], want);
		if (one->n_nodes == 3)
			assert_memory_equal(one->node, three, sizeof three);
	}
	assert_int_equal(b.v[0].n_nodes, 5); /* in an order that is possible */
	assert_int_equal(b.v[3].n_nodes, 5);
	causality_barriers_release(&b);
	causality_links_release(&l);
}

/* Node 0 signals node 1 and node 1 signals back: in turn, and then at the same time. */
static void taking_turns_is_no_barrier(void **state)
{
	(void)state;
	struct causality_links l = {.n_nodes = 2};
	struct causality_barriers b;
	struct err e = ERR_INIT;
	for (uint64_t i = 0; i < 10; i++) {
		link_add(&l, 0, i, 1, i);
		if (i)
			link_add(&l, 1, i - 1, 0, i);
	}
	must(causality_barriers_find(&b, &l, &e), &e);
	assert_int_equal(b.n, 0);
	causality_barriers_release(&b);
	causality_links_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_result_is_the_transitive_reduction),
	    cmocka_unit_test(a_cycle_is_found_among_many_links),
	    cmocka_unit_test(a_barrier_implies_the_links_across_it),
	    cmocka_unit_test(a_cycle_through_a_barrier_is_named),
	    cmocka_unit_test(barriers_are_found_where_they_are),
	    cmocka_unit_test(taking_turns_is_no_barrier),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
