/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs in slices: random runs are generated in active time, and then paused at random. Their
 * summary must be that of the run without pauses, except for the response times of requests that a
 * switch disturbs. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/random.h"
#include "tests/unit/validate/trace_file.h"
#include "validate/metrics/summary.h"

enum { MAX_N = 300, MAX_SLICES = 40 };
#define EPOCH_NS 7000000000

static struct trace_record request(int64_t begin, int64_t end, uint32_t tid)
{
	return (struct trace_record){.begin_ns = begin,
				     .end_ns = end,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .op = OP_PREAD,
				     .pid = 100,
				     .tid = tid,
				     .fd = 3,
				     .offset = 4096,
				     .length = 512,
				     .rvalue = 512,
				     .heap = HEAP_NONE};
}

static void summarise(struct run_summary *s, const struct trace_record *x, size_t n,
		      const struct trace_record *r, const struct slices *slices)
{
	struct trace_path of_x = trace_file_path("run"), of_r = trace_file_path("input");
	struct trace_meta meta = trace_file_meta();
	struct err e = ERR_INIT;
	meta.epoch_ns = EPOCH_NS;
	trace_file_write(of_x.s, x, n, &meta, false, false);
	if (r)
		trace_file_write(of_r.s, r, n, &meta, false, false);
	if (summary_compute(s, of_x.s, r ? of_r.s : NULL, slices, &e))
		fail_msg("%s", e.msg);
	unlink(of_x.s);
	unlink(of_r.s);
}

/* --- random runs --------------------------------------------------------- */

struct sliced {
	/* the same requests in active time and as recorded */
	struct trace_record active[MAX_N], x[MAX_N];
	size_t n;
	struct slice slice[MAX_SLICES];
	int64_t active_ns[MAX_SLICES]; /* active time before each slice */
	struct slices slices;
};

/* CLOCK_MONOTONIC minus the epoch at an active time; at the limit between two slices it is in the
 * earlier slice. */
static int64_t recorded_ns(const struct sliced *c, int64_t active_ns)
{
	size_t i = c->slices.n - 1;
	while (i && active_ns <= c->active_ns[i])
		i--;
	return c->slice[i].open_ns + active_ns - c->active_ns[i] - EPOCH_NS;
}

static void draw_slices(struct random *q, struct sliced *c, int64_t length_ns)
{
	const int64_t longest = 1 + (int64_t)random_below(q, 3000);
	int64_t now = EPOCH_NS + 50, active_ns = 0;
	size_t n = 0;
	while (n < MAX_SLICES && active_ns < length_ns) {
		const bool last = n == MAX_SLICES - 1;
		const int64_t open =
		    last ? length_ns : 300 + (int64_t)random_below(q, (uint64_t)longest);
		const int64_t stopping = (int64_t)random_below(q, 60);
		c->slice[n] = (struct slice){now, now + open, now + open + stopping};
		c->active_ns[n++] = active_ns;
		active_ns += open + stopping;
		now += open + stopping + (int64_t)random_below(q, 9000);
	}
	c->slices = (struct slices){c->slice, n, (int64_t)random_below(q, 3) * 70};
}

static void draw(struct random *q, struct sliced *c)
{
	int64_t now = (int64_t)random_below(q, 20), last_ns = 0;
	c->n = 20 + random_below(q, MAX_N - 20);
	for (size_t i = 0; i < c->n; i++) {
		const int64_t end_ns = now + 1 + (int64_t)random_below(q, 150);
		c->active[i] = request(now, end_ns, 1 + (uint32_t)random_below(q, 3));
		c->active[i].op = random_below(q, 2) ? OP_PREAD : OP_PWRITE;
		last_ns = end_ns > last_ns ? end_ns : last_ns;
		now += (int64_t)random_below(q, 100);
	}
	for (size_t i = 1; i < c->n; i++) { /* reordering */
		const size_t j = i - 1 - random_below(q, i < 4 ? i : 4);
		struct trace_record t = c->active[i];
		if (random_below(q, 5))
			continue;
		c->active[i] = c->active[j];
		c->active[j] = t;
	}
	draw_slices(q, c, last_ns + 1);
	for (size_t i = 0; i < c->n; i++) {
		c->x[i] = c->active[i];
		c->x[i].begin_ns = recorded_ns(c, c->active[i].begin_ns);
		c->x[i].end_ns = recorded_ns(c, c->active[i].end_ns);
	}
}

static bool is_inside_one_slice(const struct sliced *c, const struct trace_record *x)
{
	for (size_t i = 0; i < c->slices.n; i++) {
		const int64_t from = c->slice[i].open_ns + (i ? c->slices.settle_ns : 0) - EPOCH_NS;
		if (x->begin_ns >= from && x->end_ns <= c->slice[i].close_ns - EPOCH_NS)
			return true;
	}
	return false;
}

struct expected {
	uint64_t n, n_op[2], n_half[2];
	double sum, sum_op[2], sum_half[2];
};

/* By definition, from the recorded times. */
static struct expected kept_of(const struct sliced *c)
{
	struct expected k = {0};
	for (size_t i = 0; i < c->n; i++) {
		const double t = (double)(c->x[i].end_ns - c->x[i].begin_ns);
		const int op = c->x[i].op == OP_PWRITE, half = i >= (c->n + 1) / 2;
		if (!is_inside_one_slice(c, &c->x[i]))
			continue;
		k.n++;
		k.n_op[op]++;
		k.n_half[half]++;
		k.sum += t;
		k.sum_op[op] += t;
		k.sum_half[half] += t;
	}
	return k;
}

static void assert_moments(const struct moments *m, uint64_t n, double sum)
{
	assert_int_equal(m->n, n);
	assert_true(fabs(m->mean * (double)n - sum) <= 1e-9 * (1 + sum));
}

static void check_kept(const struct run_summary *s, const struct sliced *c,
		       const struct expected *k)
{
	assert_int_equal(s->n_slices, c->slices.n);
	/* no request is lost or counted twice */
	assert_int_equal(s->response.n + s->n_left_out, c->n);
	assert_moments(&s->response, k->n, k->sum);
	for (int i = 0; i < 2; i++)
		assert_moments(&s->half[i], k->n_half[i], k->sum_half[i]);
	assert_int_equal(s->n_ops, (k->n_op[0] > 0) + (k->n_op[1] > 0));
	for (unsigned int i = 0; i < s->n_ops; i++) {
		const int op = !strcmp(s->op[i].op, "pwrite");
		assert_moments(&s->op[i].response, k->n_op[op], k->sum_op[op]);
	}
	assert_int_equal(s->response_histogram.n, k->n);
	assert_int_equal(s->shape[SUMMARY_N_SHAPE - 1], k->n);
	uint64_t n = 0;
	double sum = 0;
	for (uint64_t level = 0; level < s->n_levels; level++) {
		n += s->requests_at_level[level];
		sum += s->response_at_level[level];
	}
	assert_int_equal(n, k->n);
	assert_true(fabs(sum - k->sum) < 1e-6);
}

static void assert_same_order(const struct reorder_summary *a, const struct reorder_summary *b)
{
	assert_memory_equal(a, b, sizeof *a);
}

/* Counts over all requests: as in the run without pauses. */
static void check_all(const struct run_summary *s, const struct run_summary *undivided,
		      const struct sliced *c)
{
	assert_int_equal(undivided->response.n, c->n);
	assert_int_equal(s->execution_ns, undivided->execution_ns);
	assert_int_equal(s->n_bytes, undivided->n_bytes);
	assert_int_equal(s->n_levels, undivided->n_levels);
	assert_memory_equal(s->ns_at_level, undivided->ns_at_level,
			    s->n_levels * sizeof *s->ns_at_level);
	assert_int_equal(s->n_lost + s->n_extra + s->n_mismatched, 0);
	assert_same_order(&s->reorder_all, &undivided->reorder_all);
	assert_same_order(&s->reorder_thread, &undivided->reorder_thread);
	assert_true(s->schedule_error.n == c->n && s->schedule_error.mean == 0 &&
		    s->schedule_error.max == 0);
}

static void test_random_runs(void **state)
{
	(void)state;
	struct random q = {1719};
	static struct sliced c;
	uint64_t n_left_out = 0, n_reordered = 0;
	for (int round = 0; round < 300; round++) {
		struct run_summary s, undivided;
		draw(&q, &c);
		const struct expected k = kept_of(&c);
		if (!k.n)
			continue;
		summarise(&s, c.x, c.n, c.active, &c.slices);
		summarise(&undivided, c.active, c.n, c.active, NULL);
		check_kept(&s, &c, &k);
		check_all(&s, &undivided, &c);
		n_left_out += s.n_left_out;
		n_reordered += s.reorder_all.n_reordered;
		summary_release(&s);
		summary_release(&undivided);
	}
	assert_true(n_left_out > 300 && n_reordered > 300); /* the cases are not trivial */
}

/* --- by hand ------------------------------------------------------------- */

/* Three slices of 1000 ns, stopped 10 ns later, pauses of 5000 ns. */
static struct slice three[] = {
    {EPOCH_NS, EPOCH_NS + 1000, EPOCH_NS + 1010},
    {EPOCH_NS + 6010, EPOCH_NS + 7010, EPOCH_NS + 7020},
    {EPOCH_NS + 12020, EPOCH_NS + 13020, EPOCH_NS + 13030},
};
static const struct slices three_slices = {three, 3, 100};

static void test_limits_of_a_slice(void **state)
{
	(void)state;
	const struct trace_record x[] = {
	    request(0, 100, 1),	     /* the first slice needs no settling time */
	    /* ends at the instant at which the process is asked to pause */
	    request(200, 1000, 1),
	    request(300, 1001, 2),   /* left out: ends 1 ns later */
	    request(1005, 6500, 1),  /* left out: in flight while the process is paused */
	    request(6109, 6400, 2),  /* left out: begins 1 ns before the settling time ends */
	    request(6110, 6300, 1),  /* begins at its end */
	    request(7000, 12130, 1), /* left out: spans two slices */
	    request(12120, 13020, 1),
	};
	struct run_summary s;
	summarise(&s, x, sizeof x / sizeof *x, NULL, &three_slices);
	assert_int_equal(s.n_slices, 3);
	assert_int_equal(s.n_left_out, 4);
	assert_int_equal(s.response.n, 4);
	assert_true(s.response.mean == (100 + 800 + 190 + 900) / 4.0);
	assert_int_equal(s.execution_ns, 1010 + 1010 + 1000); /* active time only */
	summary_release(&s);
}

static void test_unfinished_requests_are_not_left_out(void **state)
{
	(void)state;
	struct trace_record x[] = {request(0, 100, 1), request(900, TIME_NONE, 2),
				   request(6200, 6300, 1)};
	struct run_summary s;
	summarise(&s, x, 3, NULL, &three_slices);
	assert_int_equal(s.n_unfinished, 1);
	assert_int_equal(s.n_left_out, 0);
	assert_int_equal(s.response.n, 2);
	summary_release(&s);
}

static void test_active_time(void **state)
{
	(void)state;
	const int64_t ns[][2] = {{-5, 0},       {0, 0},        {1000, 1000},  {1010, 1010},
				 {3000, 1010},  {6010, 1010},  {6011, 1011},  {7020, 2020},
				 {12019, 2020}, {12021, 2021}, {13030, 3030}, {99999, 3030},
				 {500, 500},    {12020, 2020}};
	struct slice_clock clock;
	struct err e = ERR_INIT;
	assert_int_equal(slice_clock_init(&clock, &three_slices, EPOCH_NS, &e), 0);
	for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
		assert_int_equal(slice_clock_active_ns(&clock, ns[i][0]), ns[i][1]);
	slice_clock_release(&clock);
}

static void test_refused(void **state)
{
	(void)state;
	struct slice slice[] = {{0, 10, 12}, {20, 30, 31}};
	struct slices s = {slice, 0, 0};
	struct err e = ERR_INIT;
	assert_int_equal(slices_check(&s, &e), -EINVAL);
	s.n = 2;
	assert_int_equal(slices_check(&s, &e), 0);
	s.settle_ns = -1;
	assert_int_equal(slices_check(&s, &e), -EINVAL);
	s.settle_ns = 0;
	slice[1].open_ns = 11; /* before the first slice was quiet */
	err_clear(&e);
	assert_int_equal(slices_check(&s, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "slice 1"));
	slice[1].open_ns = 31;
	err_clear(&e);
	assert_int_equal(slices_check(&s, &e), -EINVAL);
}

static void test_all_left_out(void **state)
{
	(void)state;
	const struct trace_record x = request(900, 6500, 1);
	struct trace_path path = trace_file_path("run");
	struct trace_meta meta = trace_file_meta();
	struct run_summary s;
	struct err e = ERR_INIT;
	meta.epoch_ns = EPOCH_NS;
	trace_file_write(path.s, &x, 1, &meta, false, false);
	assert_int_equal(summary_compute(&s, path.s, NULL, &three_slices, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "longer slices"));
	unlink(path.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_runs),
	    cmocka_unit_test(test_limits_of_a_slice),
	    cmocka_unit_test(test_unfinished_requests_are_not_left_out),
	    cmocka_unit_test(test_active_time),
	    cmocka_unit_test(test_refused),
	    cmocka_unit_test(test_all_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
