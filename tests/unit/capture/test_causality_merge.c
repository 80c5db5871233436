/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges runs of a parallel application into one trace with its waits and signals, or reports why
 * they cannot be merged. */
#include "capture/causality/work.h"
#include "tests/unit/capture/causality_sample.h"

static int merge(const struct causality_run *run, uint32_t n_runs, uint32_t n_nodes,
		 bool by_throttling, struct causality_merge_counts *counts, struct err *e)
{
	struct causality_facts f = made_facts(n_nodes, 100);
	f.by_throttling = by_throttling;
	int rc = causality_merge(run, n_runs, &f, SCRATCH("merged"), counts, e);
	free(f.node);
	return rc;
}

static void expect(const char *want)
{
	char *got = made_read(SCRATCH("merged"));
	assert_string_equal(got, want);
	free(got);
	struct trace *t;
	struct err e = ERR_INIT;
	must(trace_open(&t, SCRATCH("merged"), &e), &e);
	must(causality_check(t, &e), &e);
	trace_close(t);
	unlink(SCRATCH("merged"));
}

static void the_papers_example_has_one_signal(void **state)
{
	(void)state;
	/* figure 3 of the paper: node 1 reads what node 0 wrote, after node 0 has closed the file;
	 * node 1 is delayed in each of its requests */
	made_write(SCRATCH("base"), 2, 0,
		   "1 c 77, 0 w 10 5, 0 c 1000, 0 w 20 5, 0 c 2000, 0 w 30 5, 0 c 3000, 1 r 50 5, "
		   "1 c 4000, 1 r 60 5");
	made_write(SCRATCH("run0"), 2, 1, "0 w 10 5, 0 w 120 5, 0 w 230 5, 1 r 350 5, 1 r 460 5");
	const struct causality_edge edge[] = {{0, 1, 0, 0, 0}, {0, 1, 1, 0, 0}, {0, 1, 2, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, NULL, 0},
					    {SCRATCH("run0"), 0, edge, 3}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 2, 2, false, &counts, &e), &e);
	expect("1 c 77, 0 w 10, 0 c 1000, 0 w 20, 0 c 2000, 0 w 30, 0 s 1, 0 c 3000, 1 W 0, 1 r "
	       "50, 1 c 4000, 1 r 60");
	assert_int_equal(counts.n_edges_seen, 3);
	assert_int_equal(counts.n_edges_left, 1);
	assert_int_equal(counts.n_requests, 5);
}

/* Node 0 makes 100 requests before each of three barriers. Only the last request before a barrier
 * leaves an edge for each other node. */
static void edges_of_earlier_requests_are_removed(void **state)
{
	(void)state;
	enum { BARRIERS = 3, REQUESTS = 100, NODES = 4 };
	struct causality_edge edge[BARRIERS * REQUESTS * (NODES - 1)];
	uint64_t n = 0;
	for (uint64_t r = 0; r < BARRIERS * REQUESTS; r++)
		for (uint32_t w = 1; w < NODES; w++)
			edge[n++] = (struct causality_edge){0, w, r, r / REQUESTS + 1, 900000 + (uint32_t)(r % 7), 0, 0, false};
	assert_int_equal(causality_edges_reduce(edge, n), BARRIERS * (NODES - 1));
	for (uint64_t i = 0; i < BARRIERS * (NODES - 1); i++) {
		assert_int_equal(edge[i].signaller_request, (i / (NODES - 1) + 1) * REQUESTS - 1);
		assert_int_equal(edge[i].waiter, i % (NODES - 1) + 1);
	}
	assert_int_equal(causality_edges_reduce(edge, 0), 0);
}

/* An edge stays if its wait lies earlier in the computation, its signal lies later, or its waiter
 * is unknown. */
static void edges_that_say_more_stay(void **state)
{
	(void)state;
	struct causality_edge place[] = {{0, 1, 0, 5, 300000, 0, 0, false}, {0, 1, 1, 5, 800000, 0, 0, false}},
			      later[] = {{0, 1, 0, 5, 0, 2, 0, false}, {0, 1, 1, 5, 0, 0, 0, false}},
			      part[] = {{0, 1, 0, 5, 0, 1, 500000, false}, {0, 1, 1, 5, 0, 0, 400000, false}},
			      unknown[] = {{0, UINT32_MAX, 0, 5, 0, 0, 0, false}, {0, UINT32_MAX, 1, 5, 0, 0, 0, false}};
	assert_int_equal(causality_edges_reduce(place, 2), 2);
	assert_int_equal(causality_edges_reduce(later, 2), 2);
	assert_int_equal(causality_edges_reduce(part, 2), 2);
	assert_int_equal(causality_edges_reduce(unknown, 2), 2);
	later[0].n_later = 1;
	part[0].signalled_ppm = 400000;
	assert_int_equal(causality_edges_reduce(later, 2), 1);
	assert_int_equal(causality_edges_reduce(part, 2), 1);
	assert_int_equal(part[0].signaller_request, 1);
}

/* Node 2 makes no requests: it waits for node 0, computes, and sends a message for which node 1
 * waits. Then it waits again, computes, and sends a message for which no node waits. No node waits
 * for node 3. */
static void nodes_without_requests_stay_if_others_wait_for_them(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 4, 0,
		   "2 c 40000, 3 c 5000, 0 w 10 5, 2 m 50, 2 c 30000, 3 m 60, 1 w 70 5, 2 m 80");
	made_write(SCRATCH("run0"), 4, 1, "0 w 10 5, 2 m 50, 3 m 60, 1 w 70 5, 2 m 80");
	made_write(SCRATCH("run2"), 4, 2, "0 w 10 5, 2 m 50, 3 m 60, 1 w 70 5, 2 m 80");
	const struct causality_edge edge[] = {
	    {0, 1, 0, 0, 0}, {0, 2, 0, 0, 0}, {0, 3, 0, 0, 0}, {1, 2, 0, 1, 0}},
				    more[] = {{2, 1, 0, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, NULL, 0},
					    {SCRATCH("run0"), 0, edge, 4},
					    {SCRATCH("run2"), 2, more, 1}};
	struct causality_facts f = made_facts(4, 100), got;
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	f.node[2].sends = f.node[3].sends = true;
	must(causality_merge(run, 3, &f, SCRATCH("merged"), &counts, &e), &e);
	free(f.node);
	assert_int_equal(counts.n_requests, 2);
	assert_int_equal(counts.n_nodes, 3);
	assert_int_equal(counts.n_senders, 1);
	assert_int_equal(counts.n_edges_left, 2);
	struct trace *t;
	must(trace_open(&t, SCRATCH("merged"), &e), &e);
	must(causality_facts_read(&got, trace_meta(t), &e), &e);
	assert_int_equal(got.n_nodes, 3);
	assert_int_equal(got.node[2].pid, 102);
	causality_facts_release(&got);
	trace_close(t);
	expect("2 W 0, 2 c 40000, 0 w 10, 0 s 2, 2 s 1, 1 W 2, 1 w 70");
	/* another number of messages */
	made_write(SCRATCH("run2"), 4, 2, "0 w 10 5, 2 m 50, 2 m 55, 3 m 60, 1 w 70 5, 2 m 80");
	f = made_facts(4, 100);
	assert_int_equal(causality_merge(run, 3, &f, SCRATCH("merged"), &counts, &e), -EILSEQ);
	free(f.node);
}

static void compute_of_a_delayed_node_is_from_its_run(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 2, 0, "0 w 10 5, 0 c 999, 0 w 20 5, 1 w 30 5, 1 c 5, 1 w 40 5");
	made_write(SCRATCH("run0"), 2, 1,
		   "0 w 10 5, 0 c 1000, 0 w 120 5, 1 c 1, 1 w 130 5, 1 c 7, 1 w 140 5");
	const struct causality_run run[] = {{SCRATCH("base"), -1, NULL, 0},
					    {SCRATCH("run0"), 0, NULL, 0}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 2, 2, true, &counts, &e), &e);
	expect("0 w 10, 0 c 1000, 0 w 20, 1 w 30, 1 c 5, 1 w 40");
}

/* Waits: after a quarter of the computing, after a little more, after more than half, and at its
 * end. */
static void a_wait_keeps_its_place_in_the_computing(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 5, 0,
		   "0 w 10 5, 1 w 10 5, 2 w 10 5, 3 w 10 5, 4 w 10 5, 1 c 1000000, 0 w 20 5, 1 w "
		   "40 5, 1 c 5000, 1 w 60 5");
	const struct causality_edge edge[] = {{0, 1, 0, 1, 250000},
					      {2, 1, 0, 1, 260000},
					      {3, 1, 0, 1, 600000},
					      {4, 1, 0, 1, 990000},
					      {0, 1, 1, 2, 500000}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 5}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 1, 5, false, &counts, &e), &e);
	expect("0 w 10, 1 w 10, 2 w 10, 3 w 10, 4 w 10, 0 s 1, 4 s 1, 3 s 1, 2 s 1, 1 c 255000, 1 "
	       "W 0, 1 W 2, 1 c 345000, 1 W 3, 1 c 400000, "
	       "0 w 20, 0 s 1, 1 W 4, 1 w 40, 1 c 5000, 1 W 0, 1 w 60");
	assert_int_equal(counts.n_edges_left, 5);
}

/* Node 0 signals node 1 after three quarters of its computing, node 2 at about the same place, node
 * 3 almost at once, and node 4 just after its own wait, which came after nine tenths: the signal is
 * placed before that wait. */
static void a_signal_keeps_its_place_in_the_computing(void **state)
{
	(void)state;
	made_write(
	    SCRATCH("base"), 5, 0,
	    "1 w 5 5, 0 w 10 5, 0 c 1000000, 1 w 20 5, 2 w 22 5, 3 w 24 5, 4 w 26 5, 0 w 40 5");
	const struct causality_edge edge[] = {{0, 1, 0, 1, 0, 0, 750000},
					      {0, 2, 0, 0, 0, 0, 760000},
					      {0, 3, 0, 0, 0, 0, 30000},
					      {0, 4, 0, 0, 0, 0, 990000},
					      {1, 0, 0, 1, 900000, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 5}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 1, 5, false, &counts, &e), &e);
	expect("1 w 5, 1 s 0, 0 w 10, 0 s 3, 0 c 750000, 0 s 1, 0 s 2, 0 c 150000, 0 s 4, 0 W 1, 0 "
	       "c 100000, 1 W 0, 1 w 20, 2 W 0, 2 w 22, 3 W 0, 3 w 24, "
	       "4 W 0, 4 w 26, 0 w 40");
	assert_int_equal(counts.n_edges_left, 5);
	assert_int_equal(counts.n_early, 0);
}

/* A signal is placed after later requests that were not delayed, too, unless nodes would then wait
 * for each other. */
static void a_signal_follows_later_requests_if_possible(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 2, 0, "0 w 10 5, 0 w 20 5, 1 w 30 5, 1 w 40 5");
	struct causality_edge edge[] = {{0, 1, 0, 1, 0, 1, 0}, {1, 0, 0, 1, 0, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 2}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 1, 2, false, &counts, &e), &e);
	expect("0 w 10, 0 W 1, 0 w 20, 0 s 1, 1 w 30, 1 s 0, 1 W 0, 1 w 40");
	assert_int_equal(counts.n_early, 0);
	edge[1].n_later = 1;
	must(merge(run, 1, 2, false, &counts, &e), &e);
	expect("0 w 10, 0 s 1, 0 W 1, 0 w 20, 1 w 30, 1 s 0, 1 W 0, 1 w 40");
	assert_int_equal(counts.n_early, 2);
}

/* Two cycles, and two signals outside of them: only signals of the cycles are moved to an earlier
 * place. Nodes 0 and 1 form a cycle, nodes 2 and 3 another, in which the signal of node 3 already
 * follows the delayed request directly. Node 4 waits for nodes 0 and 2. */
static void signals_that_contradict_nothing_stay_where_they_were_sent(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 5, 0,
		   "0 w 10 5, 1 w 10 5, 2 w 10 5, 3 w 10 5, 0 w 20 5, 1 w 20 5, 2 w 20 5, 3 w 20 "
		   "5, 4 w 90 5");
	const struct causality_edge edge[] = {{0, 4, 0, 0, 0, 1, 0}, {2, 4, 0, 0, 0, 1, 0},
					      {0, 1, 0, 1, 0, 1, 0}, {1, 0, 0, 1, 0, 1, 0},
					      {2, 3, 0, 1, 0, 1, 0}, {3, 2, 1, 1, 0, 0, 0},
					      {2, 3, 1, 1, 0, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 2},
					    {SCRATCH("base"), 0, edge + 2, 1},
					    {SCRATCH("base"), 1, edge + 3, 3}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 3, 5, false, &counts, &e), &e);
	expect("0 w 10, 1 w 10, 2 w 10, 3 w 10, 0 s 1, 2 s 3, 1 s 0, 0 W 1, 0 w 20, 1 W 0, 1 w 20, "
	       "2 W 3, 2 w 20, 3 W 2, 3 w 20, 0 s 4, 3 s 2, 2 s 4, "
	       "4 W 0, 4 W 2, 4 w 90");
	assert_int_equal(counts.n_early, 3);
	/* a cycle in which all signals have their earliest place is an error */
	const struct causality_run real[] = {{SCRATCH("base"), -1, edge, 2},
					     {SCRATCH("base"), 0, edge + 2, 5}};
	assert_int_equal(merge(real, 2, 5, false, &counts, &e), -ELOOP);
	assert_non_null(
	    strstr(e.msg, "node 2 waits before its request 1 for the signal of node 3 after its "
			  "request 1"));
}

/* An earlier wait is kept although a later wait implies it, because the node computed in
 * between. */
static void an_earlier_wait_of_the_same_request_stays(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 3, 0, "1 c 1000000, 0 w 10 5, 2 w 20 5, 1 w 50 5");
	const struct causality_edge edge[] = {
	    {0, 2, 0, 0, COMPUTED_ALL}, {0, 1, 0, 0, 0}, {2, 1, 0, 0, 700000}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 3}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 1, 3, false, &counts, &e), &e);
	expect("1 W 0, 1 c 700000, 1 W 2, 1 c 300000, 0 w 10, 0 s 1, 0 s 2, 2 W 0, 2 w 20, 2 s 1, "
	       "1 w 50");
}

/* If computing before MPI_Init was recorded separately, waits are in the part after it. For a
 * delayed node, both parts count together. */
static void computing_in_two_parts_has_its_waits_in_the_last(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 2, 0, "1 C 400000, 1 c 100000, 0 w 10 5, 1 w 30 5");
	made_write(SCRATCH("run0"), 2, 1, "1 C 500000, 1 c 300000, 0 w 10 5, 1 w 40 5");
	const struct causality_edge edge[] = {{0, 1, 0, 0, 500000}};
	struct causality_run run[] = {{SCRATCH("base"), -1, edge, 1},
				      {SCRATCH("run0"), 1, NULL, 0}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 2, 2, false, &counts, &e), &e);
	expect("1 c 400000, 1 c 50000, 1 W 0, 1 c 50000, 0 w 10, 0 s 1, 1 w 30");
	must(merge(run, 2, 2, true, &counts, &e), &e);
	expect("1 c 400000, 1 W 0, 1 c 400000, 0 w 10, 0 s 1, 1 w 30");
}

/* Node 0's request ends after the begin of node 1's request; node 0's signal is placed at that
 * end. */
static void a_signal_stands_at_the_end_of_its_request(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 3, 0,
		   "2 c 9, 0 w 10 50, 1 w 20 5, 1 w 30 5, 2 w 70 5, 1 w 80 5");
	const struct causality_edge edge[] = {{0, 2, 0, 0, 0}, {1, 2, 1, 0, 0}, {0, 1, 0, 3, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 3}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	must(merge(run, 1, 3, false, &counts, &e), &e);
	expect("2 c 9, 0 w 10, 1 w 20, 1 w 30, 1 s 2, 0 s 2, 2 W 0, 2 W 1, 2 w 70, 1 w 80");
	assert_int_equal(counts.n_edges_left, 2); /* node 1 makes no fourth request */
}

static void work_read(struct causality_work *w, const char *path)
{
	struct causality_facts f;
	struct trace *t;
	struct err e = ERR_INIT;
	must(trace_open(&t, path, &e), &e);
	must(causality_facts_read(&f, trace_meta(t), &e), &e);
	must(causality_work_read(w, t, &f, &e), &e);
	causality_facts_release(&f);
	trace_close(t);
}

static void a_barrier_is_found_in_the_merged_trace(void **state)
{
	(void)state;
	struct causality_edge edge[6];
	uint64_t n = 0;
	for (uint32_t s = 0; s < 3; s++)
		for (uint32_t w = 0; w < 3; w++)
			if (s != w)
				/* node 0 computes for 1 us before it signals: too short to count */
				edge[n++] = (struct causality_edge){s, w, 0, 1, 0, 0,
								    s ? 0 : 900000};
	made_write(SCRATCH("base"), 3, 0,
		   "0 w 10 5, 1 w 11 5, 2 w 12 5, 0 c 1000, 0 w 30 5, 1 w 31 5, 2 w 32 5");
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, n}};
	struct causality_merge_counts counts;
	struct causality_work w;
	struct err e = ERR_INIT;
	must(merge(run, 1, 3, false, &counts, &e), &e);
	assert_int_equal(counts.n_barriers, 1);
	work_read(&w, SCRATCH("merged"));
	assert_int_equal(w.barriers.n, 1);
	assert_int_equal(w.barriers.v[0].n_nodes, 3);
	assert_int_equal(w.n_implied, 0);
	assert_int_equal(w.n_waiting, 3);
	assert_int_equal(w.n_pairs, 0);
	assert_int_equal(w.all.n_waits, 3); /* one record of each node */
	assert_int_equal(w.all.n_signals, 3);
	causality_work_release(&w);
	unlink(SCRATCH("merged"));
}

/* The size of a merged trace in which all nodes meet at `n_barriers` barriers. */
static int64_t size_with_barriers(uint32_t n_nodes, uint32_t n_barriers)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	struct causality_edge *edge = xcalloc((size_t)n_nodes * n_nodes * n_barriers, sizeof *edge);
	uint64_t n = 0;
	for (uint32_t b = 0; b <= n_barriers; b++)
		for (uint32_t s = 0; s < n_nodes; s++) {
			strbuf_addf(&text, "%s%u w %u 5", text.len ? ", " : "", s, 1000 * b + s);
			for (uint32_t w = 0; w < n_nodes && b < n_barriers; w++)
				if (w != s)
					edge[n++] = (struct causality_edge){s, w, b, b + 1, 0, 0, 0};
		}
	made_write(SCRATCH("base"), n_nodes, 0, text.s);
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, n}};
	struct causality_merge_counts counts;
	struct causality_work w;
	struct stat st;
	struct err e = ERR_INIT;
	must(merge(run, 1, n_nodes, false, &counts, &e), &e);
	free(edge);
	assert_int_equal(counts.n_barriers, n_barriers);
	work_read(&w, SCRATCH("merged"));
	assert_int_equal(w.all.n_waits, (uint64_t)n_nodes * n_barriers);
	assert_int_equal(w.all.n_signals, (uint64_t)n_nodes * n_barriers);
	/* a signal and a wait of each node, in 16 bytes each */
	assert_int_equal(w.links.n, 0);
	assert_int_equal(w.links.n_marks, 2 * (size_t)n_nodes * n_barriers);
	assert_int_equal(sizeof *w.links.mark, 16);
	causality_work_release(&w);
	assert_int_equal(stat(SCRATCH("merged"), &st), 0);
	unlink(SCRATCH("merged"));
	return st.st_size;
}

/* With single waits, 10 barriers of 128 nodes had 31.5 MB. */
static void barriers_grow_with_the_number_of_nodes(void **state)
{
	(void)state;
	const int64_t small = size_with_barriers(32, 10), large = size_with_barriers(128, 10);
	print_message("10 barriers of 32 nodes: %lld bytes, of 128 nodes: %lld bytes\n",
		      (long long)small, (long long)large);
	assert_true(large < 5 * small);
	assert_true(large < 500000);
}

/* Node 1 takes 10 us. Before it may continue, node 0 computes for 7 us and takes 30 us. Then node 1
 * takes 20 us. */
static void the_critical_path_is_the_longest_way(void **state)
{
	(void)state;
	struct causality_work w;
	made_write(SCRATCH("checked"), 3, 0,
		   "1 w 0 10, 0 c 7000, 0 w 7 30, 0 s 1, 0 s 2, 1 W 0, 1 w 40 20, 1 s 2, 2 W 0, 2 "
		   "W 1, 2 c 1000, 2 w 70 5");
	work_read(&w, SCRATCH("checked"));
	assert_int_equal(w.critical_ns, 7000 + 30000 + 20000 + 1000 + 5000);
	assert_int_equal(w.critical_compute_ns, 8000);
	assert_int_equal(w.n_implied, 1); /* of node 2 for node 0 */
	assert_int_equal(w.all.n_requests, 4);
	assert_int_equal(w.all.request_ns, 65000);
	assert_int_equal(w.all.compute_ns, 8000);
	assert_int_equal(w.node[2].n_waits, 2);
	assert_int_equal(w.barriers.n, 0);
	causality_work_release(&w);
}

/* Merges a base run with these edges; each request of each node was delayed. */
static void merge_complete(uint32_t n_nodes, const struct causality_edge *edge, uint64_t n_edges,
			   bool cpu_time, struct causality_merge_counts *counts)
{
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, n_edges}};
	uint32_t throttled[] = {0, 1, 2, 3};
	struct causality_facts f = made_facts(n_nodes, 100);
	struct err e = ERR_INIT;
	f.throttled = throttled;
	f.n_throttled = n_nodes;
	f.cpu_time = cpu_time;
	must(causality_merge(run, 1, &f, SCRATCH("merged"), counts, &e), &e);
	free(f.node);
}

/* Node 2 waits for node 0 and, a little later, for node 1, which waits for node 0 before. The time
 * between is too short to count, so the second wait implies the first. */
static void a_wait_that_follows_from_another_at_its_place_is_omitted(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	const struct causality_edge edge[] = {
	    {0, 1, 0, 0, COMPUTED_ALL}, {0, 2, 0, 1, 200000}, {1, 2, 0, 1, 900000}};
	made_write(SCRATCH("base"), 3, 0,
		   "0 w 0 5, 2 w 1 5, 2 c 10000, 1 w 10 5, 2 w 40 5");
	merge_complete(3, edge, 3, false, &counts);
	assert_int_equal(counts.n_edges_left, 2);
	struct causality_work w;
	work_read(&w, SCRATCH("merged"));
	assert_int_equal(w.n_implied, 0);
	causality_work_release(&w);
	expect("0 w 0, 2 w 1, 0 s 1, 2 c 10000, 1 W 0, 1 w 10, 1 s 2, 2 W 1, 2 w 40");
}

/* In the run that delayed node 0, node 1 continued after node 0's second request. In the base run
 * it continues before that, so the signal follows the first request. */
static void a_signal_is_not_later_than_its_waiter_continued(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	const struct causality_edge edge[] = {{0, 1, 0, 1, 0, 1, 0}};
	made_write(SCRATCH("base"), 2, 0,
		   "0 w 0 5, 1 w 1 5, 1 p 0 94000 94000 0 0, 1 w 100 5, 0 w 200 5, 0 w 300 5");
	merge_complete(2, edge, 1, false, &counts);
	assert_int_equal(counts.n_early, 1);
	expect("0 w 0, 1 w 1, 0 s 1, 1 c 0, 1 W 0, 1 x 94000, 1 w 100, 0 w 200, 0 w 300");
	made_write(SCRATCH("base"), 2, 0,
		   "0 w 0 5, 1 w 1 5, 1 p 0 294000 294000 0 0, 0 w 200 5, 1 w 300 5, 0 w 400 5");
	merge_complete(2, edge, 1, false, &counts);
	assert_int_equal(counts.n_early, 0);
	expect("0 w 0, 1 w 1, 1 c 0, 0 w 200, 0 s 1, 1 W 0, 1 x 95000, 1 w 300, 0 w 400");
}

/* A thread without requests works for 298 us of the 300 us between two requests. */
static void a_wait_for_no_node_is_external(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	made_write(SCRATCH("base"), 1, 0, "0 w 0 10, 0 p 2000 300000 298000 0 0, 0 w 310 10");
	merge_complete(1, NULL, 0, false, &counts);
	assert_int_equal(counts.external_ns, 298000);
	assert_int_equal(counts.predicted_ns, 320000);
	expect("0 w 0, 0 c 2000, 0 x 298000, 0 w 310");
}

/* Node 1 is blocked for 490 us. The request for which it waits ends 200 us after the begin of this
 * time, and the signal follows after half of 40 us. So node 1 waits for something else for 270
 * us. */
static void a_wait_that_outlasts_its_signal_is_external_from_then_on(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	const struct causality_edge edge[] = {{0, 1, 1, 1, 500000, 0, 500000}};
	made_write(SCRATCH("base"), 2, 0,
		   "1 w 0 10, 0 w 1 5, 1 p 40000 530000 490000 0 0, 0 w 200 30, "
		   "0 p 40000 40000 0 0 0, 0 w 270 5, 1 w 540 5");
	merge_complete(2, edge, 1, false, &counts);
	assert_int_equal(counts.external_ns, 270000);
	expect("1 w 0, 0 w 1, 1 c 20000, 1 W 0, 1 c 20000, 0 w 200, 0 c 20000, 0 s 1, 0 c 20000, "
	       "0 w 270, 1 x 270000, 1 w 540");
}

/* With CPU time, the time in which a node wanted to poll but had no CPU is not a wait. The first 1
 * ms of the rest is time that a replay takes itself, but not 5 ms. */
static void a_wait_for_a_cpu_is_not_external(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	made_write(SCRATCH("base"), 1, 0,
		   "0 w 0 10, 0 p 2000 10000000 9998000 0 4998000, 0 w 10010 10, "
		   "0 p 2000 10000000 9998000 0 8998000, 0 w 20020 10");
	merge_complete(1, NULL, 0, true, &counts);
	assert_int_equal(counts.predicted_ns, 20030000);
	expect("0 w 0, 0 c 2000, 0 x 5000000, 0 w 10010, 0 c 2000, 0 w 20020");
}

/* If requests were not delayed, a dependency may be missing. */
static void a_wait_without_complete_knowledge_is_unexplained(void **state)
{
	(void)state;
	const struct causality_run run[] = {{SCRATCH("base"), -1, NULL, 0}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	made_write(SCRATCH("base"), 2, 0,
		   "0 w 0 10, 1 w 5 5, 0 p 2000 300000 298000 0 0, 1 p 0 100000 100000 0 0, "
		   "1 w 110 5, 0 w 310 10");
	must(merge(run, 1, 2, false, &counts, &e), &e);
	assert_int_equal(counts.external_ns, 0);
	assert_int_equal(counts.unexplained_ns, 398000);
	assert_int_equal(counts.longest_ns, 298000);
	assert_int_equal(counts.longest_node, 0);
	assert_int_equal(counts.longest_request, 1);
	expect("0 w 0, 1 w 5, 0 c 2000, 1 c 0, 1 w 110, 0 w 310");
}

/* Before and after a wait, the same part of the computing is sleep. */
static void sleeping_is_kept_apart(void **state)
{
	(void)state;
	struct causality_merge_counts counts;
	const struct causality_edge edge[] = {{0, 1, 0, 1, 250000}};
	made_write(SCRATCH("base"), 2, 0,
		   "0 w 0 5, 1 w 1 5, 0 p 50000 50000 0 50000 0, 1 p 1000000 1000000 0 800000 0, "
		   "0 w 55 5, 1 w 1010 5");
	merge_complete(2, edge, 1, true, &counts);
	struct causality_work w;
	struct err e = ERR_INIT;
	struct causality_facts f;
	struct trace *t;
	must(trace_open(&t, SCRATCH("merged"), &e), &e);
	must(causality_facts_read(&f, trace_meta(t), &e), &e);
	must(causality_work_read(&w, t, &f, &e), &e);
	assert_int_equal(w.node[1].compute_ns, 200000);
	assert_int_equal(w.node[1].asleep_ns, 800000);
	assert_int_equal(w.node[0].asleep_ns, 50000);
	assert_int_equal(w.critical_ns, 1010000);
	assert_int_equal(w.critical_compute_ns, 200000);
	causality_work_release(&w);
	causality_facts_release(&f);
	trace_close(t);
	expect("0 w 0, 1 w 1, 0 s 1, 0 z 50000, 1 c 50000, 1 z 200000, 1 W 0, 1 c 150000, "
	       "1 z 600000, 0 w 55, 1 w 1010");
}

static void different_requests_are_an_error_that_names_them(void **state)
{
	(void)state;
	struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
	struct causality_merge_counts counts;
	for (int i = 0; i < 3000; i++) {
		strbuf_addf(&a, "%d w %d 1,", i % 2, 10 * i + 1);
		strbuf_addf(&b, "%d %c %d 1,", i % 2, i == 2001 ? 'r' : 'w',
			    10 * i + 1 + i % 2 * 50000);
	}
	made_write(SCRATCH("base"), 2, 0, a.s);
	made_write(SCRATCH("run0"), 2, 1, b.s);
	const struct causality_run run[] = {{SCRATCH("base"), -1, NULL, 0},
					    {SCRATCH("run0"), 0, NULL, 0}};
	struct err e = ERR_INIT;
	assert_int_equal(merge(run, 2, 2, false, &counts, &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "Request 1000 of node 1"));
	assert_non_null(strstr(e.msg, "pwrite("));
	assert_non_null(strstr(e.msg, "pread("));
	assert_non_null(strstr(e.msg, "while node 0 is delayed"));
	a.s[strlen(a.s) - strlen("0 w 10001 1,")] = 0;
	strbuf_release(&b);
	made_write(SCRATCH("run0"), 2, 1, a.s);
	assert_int_equal(merge(run, 2, 2, false, &counts, &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "Request 1499 of node 1"));
	assert_non_null(strstr(e.msg, "but missing while node 0 is delayed"));
	assert_int_equal(access(SCRATCH("merged"), F_OK), -1);
	strbuf_release(&a);
}

static void a_cycle_is_a_named_error(void **state)
{
	(void)state;
	made_write(SCRATCH("base"), 3, 0,
		   "0 w 10 5, 1 w 10 5, 2 w 10 5, 0 w 20 5, 1 w 20 5, 2 w 20 5");
	const struct causality_edge edge[] = {{0, 1, 1, 0, 0}, {1, 2, 1, 1, 0}, {2, 0, 1, 0, 0}};
	const struct causality_run run[] = {{SCRATCH("base"), -1, edge, 3}};
	struct causality_merge_counts counts;
	struct err e = ERR_INIT;
	assert_int_equal(merge(run, 1, 3, false, &counts, &e), -ELOOP);
	assert_non_null(
	    strstr(e.msg, "node 1 waits before its request 0 for the signal of node 0 after its "
			  "request 1"));
}

static void edges_of_unknown_nodes_are_refused(void **state)
{
	(void)state;
	static const struct causality_edge bad[] = {
	    {0, 2, 0, 0, 0}, {2, 0, 0, 0, 0}, {1, 1, 0, 1, 0}, {0, 1, 1, 0, 0}, {0, 1, 0, 2, 0}};
	made_write(SCRATCH("base"), 2, 0, "0 w 10 5, 1 w 10 5");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const struct causality_run run[] = {{SCRATCH("base"), -1, &bad[i], 1}};
		struct causality_merge_counts counts;
		struct err e = ERR_INIT;
		assert_int_equal(merge(run, 1, 2, false, &counts, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "base"));
	}
}

static int check(const char *text, struct err *e)
{
	struct trace *t;
	made_write(SCRATCH("checked"), 3, 0, text);
	must(trace_open(&t, SCRATCH("checked"), e), e);
	int rc = causality_check(t, e);
	trace_close(t);
	return rc;
}

static void the_check_finds_traces_that_cannot_be_replayed(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	must(check("0 w 10 5, 0 s 1, 1 W 0, 1 w 20 5, 1 s 0, 0 W 1, 0 w 30 5", &e), &e);
	/* the trace may contain the wait before its signal */
	must(check("1 W 0, 1 w 20 5, 0 w 10 5, 0 s 1", &e), &e);
	assert_int_equal(check("0 w 10 5, 1 W 0, 1 w 20 5", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "node 1 (traced thread) waits before its request 0 for a "
		       "signal of node 0"));
	assert_int_equal(check("0 w 10 5, 0 s 1, 0 s 1, 1 W 0, 1 w 20 5, 2 W 0", &e), -EINVAL);
	assert_non_null(strstr(e.msg, "node 0 (traced thread) signals node 1 after 1 requests"));
	assert_int_equal(check("0 W 1, 0 s 1, 1 W 0, 1 s 0", &e), -ELOOP);
	assert_int_equal(check("0 W 0", &e), -EINVAL);
	assert_int_equal(check("0 s 3", &e), -EINVAL);
	assert_int_equal(check("0 s 4294967297", &e), -EINVAL);
}

static void facts_are_read_as_they_were_written(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	uint32_t throttled[] = {0, 2};
	struct causality_facts f = made_facts(3, 7), g;
	f.throttled = throttled;
	f.n_throttled = 2;
	f.period = 10;
	f.n_runs = 3;
	f.by_throttling = f.cpu_time = true;
	f.application_ns = 123456789;
	f.tracing_ns = INT64_C(1) << 60;
	f.node[1].host = "far\xc3\xa4";
	char *text = causality_facts_text(&f, "{\"other\":[1]}");
	assert_non_null(strstr(text, "\"other\":[1]"));
	const struct trace_meta meta = {.extra_json = text};
	must(causality_facts_read(&g, &meta, &e), &e);
	assert_int_equal(g.n_nodes, 3);
	assert_int_equal(g.n_throttled, 2);
	assert_int_equal(g.throttled[1], 2);
	assert_int_equal(g.period, 10);
	assert_int_equal(g.n_runs, 3);
	assert_true(g.by_throttling && g.cpu_time);
	assert_int_equal(g.tracing_ns, f.tracing_ns);
	assert_string_equal(g.node[1].host, f.node[1].host);
	assert_null(g.node[0].host);
	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(causality_node_of(&g, 7 + i, 7 + i), i);
		assert_int_equal(causality_node_of(&f, 7 + i, 7 + i), i);
	}
	assert_int_equal(causality_node_of(&g, 7, 8), -1);
	causality_facts_release(&g);
	free(text);
	free(f.node);
	assert_null(causality_facts_text(&g, "["));
}

static void bad_facts_are_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "3",
	    "{}",
	    "{\"nodes\":[]}",
	    "{\"nodes\":[{\"node\":1,\"pid\":1,\"tid\":1}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":-1,\"tid\":1}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1,\"host\":3}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1},{\"node\":1,\"pid\":1,\"tid\":1}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1},{\"node\":0,\"pid\":1,\"tid\":2}]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"throttled\":[1]}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"throttled\":3}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"compute\":\"guessed\"}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"clock\":1}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"period\":-1}",
	    "{\"nodes\":[{\"node\":0,\"pid\":1,\"tid\":1}],\"runs\":1.5}"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[512];
		struct causality_facts f;
		struct err e = ERR_INIT;
		snprintf(text, sizeof text, "{\"causality\":%s}", bad[i]);
		const struct trace_meta meta = {.extra_json = text};
		assert_int_equal(causality_facts_read(&f, &meta, &e), -EINVAL);
		assert_non_null(strstr(e.msg, "causality"));
		assert_int_equal(f.n_nodes, 0);
	}
	struct causality_facts f;
	struct err e = ERR_INIT;
	const struct trace_meta none = {.extra_json = "{\"capture\":{}}"}, nothing = {0};
	must(causality_facts_read(&f, &none, &e), &e);
	assert_int_equal(f.n_nodes, 0);
	must(causality_facts_read(&f, &nothing, &e), &e);
	causality_facts_release(&f);
}

/* Reads records one at a time and in batches, and again from the beginning. */
static void records_that_are_no_requests_are_skipped_and_counted(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	struct strbuf text = STRBUF_INIT;
	size_t n, sum;
	strbuf_addstr(&text, "0 c 3, 0 W 1,");
	for (int i = 0; i < 5000; i++)
		strbuf_addf(&text, "%d w %d 1,%s", i % 2, 10 * i + 1,
			    i % 3 ? "" : " 0 s 1, 0 c 4,");
	made_write(SCRATCH("checked"), 2, 0, text.s);
	must(trace_open(&t, SCRATCH("checked"), &e), &e);
	trace_requests_only(t, true);
	for (int pass = 0; pass < 2; pass++) {
		must(trace_rewind(t, &e), &e);
		assert_int_equal(trace_causes(t)->n_signals, 0);
		for (sum = 0; sum < 10 && trace_next(t, &r, &e) == 1; sum++)
			assert_int_equal(r->op, OP_PWRITE);
		while (pass && trace_next(t, &r, &e) == 1) {
			assert_int_equal(r->op, OP_PWRITE);
			sum++;
		}
		while (!pass && trace_next_batch(t, &r, &n, &e) == 1) {
			sum += n;
			for (size_t i = 0; i < n; i++)
				assert_int_equal(r[i].op, OP_PWRITE);
		}
		must(-e.code, &e);
		assert_int_equal(sum, 5000);
		assert_int_equal(trace_causes(t)->n_signals, 1667);
		assert_int_equal(trace_causes(t)->n_computes, 1668);
		assert_int_equal(trace_causes(t)->n_waits, 1);
		assert_true(trace_causes(t)->compute_ns == 3 + 1667 * 4.0);
	}
	trace_requests_only(t, false);
	must(trace_rewind(t, &e), &e);
	for (sum = 0; trace_next(t, &r, &e) == 1; sum++)
		;
	assert_int_equal(sum, 5000 + 2 * 1667 + 2);
	trace_close(t);
	strbuf_release(&text);
}

static int clean(void **state)
{
	(void)state;
	static const char *const files[] = {"base", "run0", "checked", "merged", "merged.tmp"};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		unlink(SCRATCH(files[i]));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_papers_example_has_one_signal),
	    cmocka_unit_test(edges_of_earlier_requests_are_removed),
	    cmocka_unit_test(edges_that_say_more_stay),
	    cmocka_unit_test(nodes_without_requests_stay_if_others_wait_for_them),
	    cmocka_unit_test(compute_of_a_delayed_node_is_from_its_run),
	    cmocka_unit_test(a_wait_keeps_its_place_in_the_computing),
	    cmocka_unit_test(a_signal_keeps_its_place_in_the_computing),
	    cmocka_unit_test(a_signal_follows_later_requests_if_possible),
	    cmocka_unit_test(signals_that_contradict_nothing_stay_where_they_were_sent),
	    cmocka_unit_test(an_earlier_wait_of_the_same_request_stays),
	    cmocka_unit_test(computing_in_two_parts_has_its_waits_in_the_last),
	    cmocka_unit_test(a_signal_stands_at_the_end_of_its_request),
	    cmocka_unit_test(a_barrier_is_found_in_the_merged_trace),
	    cmocka_unit_test(barriers_grow_with_the_number_of_nodes),
	    cmocka_unit_test(the_critical_path_is_the_longest_way),
	    cmocka_unit_test(a_wait_that_follows_from_another_at_its_place_is_omitted),
	    cmocka_unit_test(a_signal_is_not_later_than_its_waiter_continued),
	    cmocka_unit_test(a_wait_for_no_node_is_external),
	    cmocka_unit_test(a_wait_that_outlasts_its_signal_is_external_from_then_on),
	    cmocka_unit_test(a_wait_for_a_cpu_is_not_external),
	    cmocka_unit_test(a_wait_without_complete_knowledge_is_unexplained),
	    cmocka_unit_test(sleeping_is_kept_apart),
	    cmocka_unit_test(records_that_are_no_requests_are_skipped_and_counted),
	    cmocka_unit_test(different_requests_are_an_error_that_names_them),
	    cmocka_unit_test(a_cycle_is_a_named_error),
	    cmocka_unit_test(edges_of_unknown_nodes_are_refused),
	    cmocka_unit_test(the_check_finds_traces_that_cannot_be_replayed),
	    cmocka_unit_test(facts_are_read_as_they_were_written),
	    cmocka_unit_test(bad_facts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
