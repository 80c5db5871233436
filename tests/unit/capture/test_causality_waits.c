/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which data of the nodes a run keeps, and the requests between which the waits are that the
 * watchdog observed. */
#include "capture/causality/run_filter.h"
#include "capture/causality/waits.h"
#include "tests/unit/capture/causality_sample.h"

enum { STRANGER = 77 };

/* --- waits --------------------------------------------------------------- */

/* Node 1 has computed for 1 ms when it makes its second request; node 2 makes only one request. */
static const char application[] =
    "0 w 10 5, 1 w 12 5, 1 c 1000000, 2 w 20 5, 0 w 40 5, 0 w 100 5, 1 w 2000 5, 0 w 2100 5";

static uint64_t edges_of(const char *text, const struct watch_wait *wait, uint64_t n_waits,
			 struct causality_edge **edge, uint64_t *n_computing)
{
	static const int64_t number[] = {1, -1, 0, 2}; /* threads were started in another order */
	struct causality_facts f = made_facts(3, 100);
	struct err e = ERR_INIT;
	uint64_t n;
	made_write(SCRATCH("run"), 3, 0, text);
	must(waits_to_edges(SCRATCH("run"), &f, wait, n_waits, number, edge, &n, n_computing, &e),
	     &e);
	free(f.node);
	return n;
}

static void assert_edge(const struct causality_edge *g, uint32_t s, uint64_t sr, uint32_t w,
			uint64_t wr, uint32_t ppm)
{
	if (g->signaller != s || g->signaller_request != sr || g->waiter != w ||
	    g->waiter_request != wr || g->computed_ppm != ppm)
		fail_msg("%u:%llu %u:%llu %u", g->signaller,
			 (unsigned long long)g->signaller_request, g->waiter,
			 (unsigned long long)g->waiter_request, g->computed_ppm);
}

static void waits_connect_the_next_requests_of_both(void **state)
{
	(void)state;
	/* thread 2 is delayed, and threads 0, 1 (no node) and 3 (which makes no further request)
	 * wait; thread 0 waits again after the last request of thread 2 */
	const struct watch_wait wait[] = {{35000, 2, 0, false, 250000},
					  {35000, 2, 1, false, 0},
					  {35000, 2, 3, false, 0},
					  {90000, 2, 0, true, 70000},
					  {3000000, 2, 0, false, 0}};
	struct causality_edge *edge;
	uint64_t n_computing, n = edges_of(application, wait, 5, &edge, &n_computing);
	assert_int_equal(n, 2);
	assert_edge(&edge[0], 0, 1, 1, 1, 250000);
	/* the thread was found computing: the place of the wait is unknown */
	assert_edge(&edge[1], 0, 2, 1, 1, COMPUTED_ALL);
	assert_int_equal(n_computing, 1);
	free(edge);
}

/* Computing beyond the total of this run counts as the total. */
static void more_than_the_whole_computing_is_limited(void **state)
{
	(void)state;
	const struct watch_wait wait[] = {{600000, 2, 0, false, 0},
					  {610000, 2, 0, false, 1000000},
					  {610000, 2, 0, false, 7000000},
					  {620000, 2, 0, false, -5}};
	struct causality_edge *edge;
	uint64_t n_computing, n = edges_of(application, wait, 4, &edge, &n_computing);
	assert_int_equal(n, 4);
	assert_edge(&edge[0], 0, 3, 1, 1, 0);
	assert_edge(&edge[1], 0, 3, 1, 1, COMPUTED_ALL);
	assert_edge(&edge[2], 0, 3, 1, 1, COMPUTED_ALL);
	assert_edge(&edge[3], 0, 3, 1, 1, 0);
	assert_int_equal(n_computing, 0);
	free(edge);
}

static void without_computing_and_before_the_last_part_of_it(void **state)
{
	(void)state;
	const struct watch_wait wait[] = {{35000, 2, 0, false, 250000}};
	struct causality_edge *edge;
	uint64_t n_computing;
	assert_int_equal(
	    edges_of("0 w 10 5, 1 w 12 5, 0 w 40 5, 1 w 50 5", wait, 1, &edge, &n_computing), 1);
	assert_edge(&edge[0], 0, 1, 1, 1, COMPUTED_ALL);
	free(edge);
	assert_int_equal(edges_of("0 w 10 5, 1 w 12 5, 1 C 1000000, 0 w 40 5, 1 w 50 5", wait, 1,
				  &edge, &n_computing),
			 1);
	assert_edge(&edge[0], 0, 1, 1, 1, 0);
	free(edge);
}

/* Node 0 is delayed at its second request. It makes two later requests, the second shortly before
 * the others continue; by then it has computed 3 of 4 ms. */
static void the_first_continuing_thread_dates_the_signal(void **state)
{
	(void)state;
	static const char run[] = "0 w 10 5, 1 w 12 5, 2 w 20 5, 0 w 40 5, 0 c 1000, 0 w 1000 5, 0 "
				  "c 4000000, 0 w 9000 5, 1 w 9000 5, 2 w 9500 5";
	struct watch_wait wait[] = {{35000, 2, 0, false, 0, 6000000, 2, 3000000},
				    {35000, 2, 3, false, 0, 8000000, 2, 3500000},
				    {35000, 2, 1, false, 0, 1, 1, 1}};
	struct causality_edge *edge;
	uint64_t n_computing;
	assert_int_equal(edges_of(run, wait, 3, &edge, &n_computing), 2);
	for (int i = 0; i < 2; i++) {
		assert_edge(&edge[i], 0, 1, i ? 2 : 1, 1, COMPUTED_ALL);
		assert_int_equal(edge[i].n_later, 1);
		assert_int_equal(edge[i].signalled_ppm, 750000);
	}
	free(edge);
	/* so shortly after the second request that the signal may have been sent before it */
	wait[0].woken_ns = 1200000;
	assert_int_equal(edges_of(run, wait, 3, &edge, &n_computing), 2);
	assert_int_equal(edge[1].n_later, 0);
	assert_int_equal(edge[1].signalled_ppm, 0);
	free(edge);
	/* it is unknown which thread continued first */
	wait[0].n_ended = wait[1].n_ended = 0;
	assert_int_equal(edges_of(run, wait, 3, &edge, &n_computing), 2);
	assert_int_equal(edge[0].n_later, 0);
	assert_int_equal(edge[0].signalled_ppm, 0);
	free(edge);
}

static void no_waits_are_no_edges(void **state)
{
	(void)state;
	struct causality_edge *edge;
	uint64_t n_computing;
	assert_int_equal(edges_of(application, NULL, 0, &edge, &n_computing), 0);
	free(edge);
}

/* --- the filter ---------------------------------------------------------- */

struct line {
	uint32_t pid;
	uint16_t op;
	int64_t begin_ns, end_ns;
	uint64_t length, offset;
	uint32_t flags;
};

static void raw_write(const struct line *line, size_t n)
{
	struct trace_writer *w = made_open(SCRATCH("raw"), 2, 100);
	struct err e = ERR_INIT;
	for (size_t i = 0; i < n; i++) {
		struct trace_record r = made_record(line[i].pid, line[i].op, line[i].begin_ns,
						    line[i].end_ns, line[i].length);
		r.offset = line[i].offset;
		r.flags = line[i].flags;
		r.seq = i;
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}

static int filter(bool cpu_time, struct run_filter_counts *counts, struct err *e)
{
	struct causality_facts f = made_facts(2, 100);
	f.cpu_time = cpu_time;
	int rc = run_filter(SCRATCH("raw"), SCRATCH("run"), &f, false, counts, e);
	free(f.node);
	return rc;
}

static void expect(const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct trace *t;
	const struct trace_record *r;
	struct err e = ERR_INIT;
	must(trace_open(&t, SCRATCH("run"), &e), &e);
	for (uint64_t seq = 0; trace_next(t, &r, &e) == 1; seq++) {
		assert_int_equal(r->seq, seq);
		strbuf_addf(&out, "%s%u %s %lld", out.len ? ", " : "", r->pid - 100, op_name(r->op),
			    (long long)r->begin_ns);
		if (r->op == OP_COMPUTE)
			strbuf_addf(&out, " %llu+%llu", (unsigned long long)r->length,
				    (unsigned long long)r->offset);
	}
	assert_string_equal(out.s, want);
	trace_close(t);
	strbuf_release(&out);
}

/* Requests count after the library has recorded computing of the thread; and computing counts after
 * the first such request. */
static const struct line raw[] = {
	/* a library that is being loaded: before it, no computing is recorded */
	{100, OP_PREAD, 50, 60, 1, 0},
	{STRANGER, OP_COMPUTE, 0, 70, 70, 0},	      /* a thread that is no node */
	{STRANGER, OP_PREAD, 70, 75, 1, 0},
	{100, OP_COMPUTE, 0, 100, 60, 30},	      /* before the first request of all nodes */
	{100, OP_PREAD, 100, 200, 1, 0},
	{101, OP_COMPUTE, 20, 400, 350, 20},	      /* began before that request: 300 remain */
	{100, OP_COMPUTE, 200, 290, 40, 20},
	{100, OP_PWRITE, 300, 310, 1, 0},
	{100, OP_PREAD, 320, 330, 1, 0},	      /* again without */
	{101, OP_PREAD, 400, 450, 1, 0},
	/* waiting calls and elapsed time come from two clocks */
	{101, OP_COMPUTE, 450, 500, 10, 90},
	{101, OP_PREAD, 500, 520, 1, 0},
};

static void requests_after_computing_belong_to_the_application(void **state)
{
	(void)state;
	struct run_filter_counts counts;
	struct err e = ERR_INIT;
	raw_write(raw, sizeof raw / sizeof *raw);
	must(filter(true, &counts, &e), &e);
	expect("0 pread 100, 1 compute 100 300+0, 0 compute 200 40+20, 0 pwrite 300, 1 pread 400, "
	       "1 compute 450 10+90, 1 pread 500");
	assert_int_equal(counts.n_requests, 4);
	assert_int_equal(counts.running_ns, 420);
	must(filter(false, &counts, &e), &e);
	expect("0 pread 100, 1 compute 100 300+0, 0 compute 200 70+20, 0 pwrite 300, 1 pread 400, "
	       "1 compute 450 0+90, 1 pread 500");
	int64_t running_ns;
	must(trace_running(SCRATCH("run"), &running_ns, &e), &e);
	assert_int_equal(running_ns, 420);
}

/* Before its request node 1 sends two messages, by writes to a pipe that are no requests. */
static const struct line messages[] = {
	{100, OP_COMPUTE, 0, 50, 10, 0, 0},
	{100, OP_PREAD, 50, 60, 1, 0, 0},
	{101, OP_COMPUTE, 0, 100, 60, 30, CAUSE_GOES_ON | CAUSE_BEFORE_MESSAGE},
	{101, OP_SIGNAL, 100, 100, 0, 0, CAUSE_IS_MESSAGE},
	{101, OP_WRITE, 100, 105, 1, 0, 0},
	{101, OP_COMPUTE, 105, 200, 50, 40, CAUSE_GOES_ON | CAUSE_BEFORE_MESSAGE},
	{101, OP_SIGNAL, 200, 200, 0, 0, CAUSE_IS_MESSAGE},
	{101, OP_COMPUTE, 200, 300, 80, 20, 0},
	{101, OP_PWRITE, 300, 310, 1, 0, 0},
};

static void messages_count_for_nodes_without_requests(void **state)
{
	(void)state;
	struct run_filter_counts counts;
	struct err e = ERR_INIT;
	const size_t n = sizeof messages / sizeof *messages;
	raw_write(messages, n);
	must(filter(true, &counts, &e), &e);
	expect("0 pread 50, 1 compute 50 190+60, 1 pwrite 300");
	assert_int_equal(counts.n_requests, 2);
	raw_write(messages, n - 2);
	struct causality_facts f = made_facts(2, 100);
	f.cpu_time = f.node[1].sends = true;
	must(run_filter(SCRATCH("raw"), SCRATCH("run"), &f, false, &counts, &e), &e);
	free(f.node);
	expect("0 pread 50, 1 compute 50 50+0, 1 signal 100, 1 compute 105 50+40, 1 signal 200");
	assert_int_equal(counts.n_requests, 1);
}

static void no_request_is_an_error(void **state)
{
	(void)state;
	struct run_filter_counts counts;
	struct err e = ERR_INIT;
	int64_t running_ns;
	raw_write(raw, 3);
	assert_int_equal(filter(true, &counts, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "no request of the application"));
	raw_write(raw + 3, 1);
	assert_int_equal(trace_running(SCRATCH("raw"), &running_ns, &e), -ENODATA);
}

static int clean(void **state)
{
	(void)state;
	unlink(SCRATCH("raw"));
	unlink(SCRATCH("run"));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(waits_connect_the_next_requests_of_both),
	    cmocka_unit_test(more_than_the_whole_computing_is_limited),
	    cmocka_unit_test(without_computing_and_before_the_last_part_of_it),
	    cmocka_unit_test(the_first_continuing_thread_dates_the_signal),
	    cmocka_unit_test(no_waits_are_no_edges),
	    cmocka_unit_test(requests_after_computing_belong_to_the_application),
	    cmocka_unit_test(messages_count_for_nodes_without_requests),
	    cmocka_unit_test(no_request_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, clean);
}
