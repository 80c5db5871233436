/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of trace files, random and constructed to be wrong: the metrics of a pair by number, by
 * key, with one thread and two, with large and tiny windows, compared with plain computations on
 * the requests in memory. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/made_pair.h"
#include "validate/metrics/levels.h"

/* --- by number ----------------------------------------------------------- */

static void test_by_number(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {2026};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 120; round++) {
		bool losses = round % 2;
		make(&q, &made, round < 60 ? 40 : MAX_N, losses);
		write_pair(&made, &r, &x);
		struct metrics_options o =
		    options_by(MATCH_NUMBER, round % 4 < 2 ? DENSITY_UNBOUNDED : 9,
			       1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		compute(&m, &r, &x, &o);
		check_tally(&made, &m);
		check_order(&made, &m);
		check_levels(made.r, made.n, &m.reference);
		check_levels(made.x, made.n_x, &m.replay);
		metrics_release(&m);
	}
}

/* --- by key -------------------------------------------------------------- */

static int compare_begins(const void *x, const void *y)
{
	const struct trace_record *a = x, *b = y;
	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* A replay without numbers: records in the order of its starts, other processes, and no records of
 * lost requests. */
static void test_by_key(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct trace_meta meta = trace_file_meta();
	struct random q = {77};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 80; round++) {
		struct trace_record x_file[MAX_N];
		size_t n = 0;
		make(&q, &made, round < 40 ? 40 : MAX_N, round % 2);
		/* a repeated request has the key of another request: which of the two is extra is
		 * open */
		made.n_x = made.n;
		for (size_t i = 0; i < made.n; i++) {
			if (made.x[i].begin_ns == TIME_NONE)
				continue;
			x_file[n] = made.x[i];
			x_file[n].pid = 99;
			x_file[n++].tid = 99;
		}
		qsort(x_file, n, sizeof *x_file, compare_begins);
		for (size_t i = 0; i < n; i++)
			made.place[x_file[i].seq] = i;
		trace_file_write(r.s, made.r, made.n, &meta, false, false);
		trace_file_write(x.s, x_file, n, &meta, true, false);
		struct metrics_options o =
		    options_by(MATCH_AUTO, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		compute(&m, &r, &x, &o);
		assert_int_equal(m.match, MATCH_KEY);
		assert_int_equal(m.n_ambiguous_keys, 0);
		check_tally(&made, &m);
		check_order(&made, &m);
		check_levels(made.x, made.n, &m.replay);
		metrics_release(&m);
	}
}

static void test_ambiguous_keys(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {5};
	static struct made made;
	static struct metrics m;
	make(&q, &made, 20, false);
	made.n = made.n_x = 7;
	/* three times one key, twice another, and two unique keys; one extra, one lost */
	for (size_t i = 0; i < 7; i++) {
		made.r[i].offset = i < 3 ? 0 : i < 5 ? 512 : 512 * i;
		made.r[i].object = made.x[i].object = 1;
		made.x[i].offset = made.r[i].offset;
	}
	made.x[6].offset = 0;
	write_pair(&made, &r, &x);
	struct metrics_options o = options_by(MATCH_KEY, 9, 1, false);
	compute(&m, &r, &x, &o);
	assert_int_equal(m.n_ambiguous_keys, 2);
	assert_int_equal(m.n_ambiguous_requests, 5);
	assert_int_equal(m.n_matched, 6);
	assert_int_equal(m.n_lost, 1);
	assert_int_equal(m.n_extra, 1);
	metrics_release(&m);
}

/* The file of the reference need not be in the order of its starts. */
static void test_reference_out_of_order(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {31};
	static struct made made, shuffled;
	static struct metrics a, b;
	for (int round = 0; round < 40; round++) {
		make(&q, &made, MAX_N, round % 2);
		/* no equal times, because their order would differ in the other file */
		for (size_t i = 1; i < made.n; i++)
			made.r[i].begin_ns += made.r[i].begin_ns <= made.r[i - 1].begin_ns
						  ? made.r[i - 1].begin_ns - made.r[i].begin_ns + 1
						  : 0;
		for (size_t i = 0; i < made.n; i++) {
			made.r[i].end_ns = made.r[i].begin_ns + 3;
			if (made.x[i].begin_ns != TIME_NONE) {
				made.x[i].begin_ns = made.x[i].begin_ns * 1000 + (int64_t)i;
				made.x[i].end_ns = made.x[i].end_ns * 1000 + (int64_t)i;
			}
		}
		struct metrics_options o = options_by(MATCH_NUMBER, 9, 2, round % 3 == 0);
		write_pair(&made, &r, &x);
		compute(&a, &r, &x, &o);
		shuffled = made;
		for (size_t i = 0; i < 50; i++) {
			size_t j = random_below(&q, made.n), k = random_below(&q, made.n);
			struct trace_record t = shuffled.r[j], u = shuffled.x[j];
			shuffled.r[j] = shuffled.r[k];
			shuffled.x[j] = shuffled.x[k];
			shuffled.r[k] = t;
			shuffled.x[k] = u;
		}
		write_pair(&shuffled, &r, &x);
		compute(&b, &r, &x, &o);
		for (int s = 0; s < SCOPE_N; s++) {
			const struct disorder_total *t = &a.order[POINT_ISSUE].total[s],
						    *u = &b.order[POINT_ISSUE].total[s];
			assert_int_equal(t->n_reordered, u->n_reordered);
			assert_int_equal(t->inversions, u->inversions);
			assert_int_equal(t->displacement_sum, u->displacement_sum);
			assert_int_equal(t->occupancy_sum, u->occupancy_sum);
			assert_int_equal(t->n_sequence_discontinuities,
					 u->n_sequence_discontinuities);
		}
		assert_int_equal(a.n_mismatched, b.n_mismatched);
		assert_int_equal(a.replay.concurrency.highest, b.replay.concurrency.highest);
		metrics_release(&a);
		metrics_release(&b);
	}
}

/* --- what is wrong ------------------------------------------------------- */

static int status_of(const struct trace_path *r, const struct trace_path *x, bool lenient,
		     struct metrics *m, struct err *e)
{
	struct metrics_origin a = metrics_file(r->s), b = metrics_file(x->s);
	struct metrics_options o = METRICS_DEFAULTS;
	o.match = MATCH_NUMBER;
	o.lenient = lenient;
	err_clear(e);
	return metrics_compute(m, &a, &b, &o, e);
}

static void test_bad_traces(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct trace_meta meta = trace_file_meta();
	struct random q = {8};
	struct err e = ERR_INIT;
	static struct made made;
	static struct metrics m;
	make(&q, &made, 40, false);
	made.x[1].end_ns = made.x[1].begin_ns - 1;
	write_pair(&made, &r, &x);
	assert_int_equal(status_of(&r, &x, false, &m, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "replay.trace: record 1 (pread"));
	assert_int_equal(status_of(&r, &x, true, &m, &e), 0);
	assert_int_equal(m.replay.n_negative, 1);
	assert_int_equal(m.replay.first_negative, 1);
	assert_int_equal(m.replay.response[OP_PREAD].sum.n, made.n - 1);
	metrics_release(&m);

	trace_file_write(x.s, made.r, made.n, &meta, false, true); /* killed */
	assert_int_equal(status_of(&r, &x, false, &m, &e), -ENODATA);
	assert_int_equal(status_of(&r, &x, true, &m, &e), 0);
	assert_false(m.replay.complete);
	metrics_release(&m);

	trace_file_write(x.s, made.r, 0, &meta, false, false); /* empty */
	assert_int_equal(status_of(&r, &x, false, &m, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "replay.trace"));
	assert_int_equal(status_of(&x, &r, false, &m, &e), -ENODATA);

	made.r[2].tid = made.r[1].tid; /* a clock that goes backwards */
	made.r[2].begin_ns = made.r[1].begin_ns - 10;
	trace_file_write(x.s, made.r, made.n, &meta, false, false);
	trace_file_write(r.s, made.r, made.n, &meta, false, false);
	assert_int_equal(status_of(&r, &x, false, &m, &e), 0);
	assert_int_equal(m.reference.n_backwards, 1);
	assert_int_equal(m.reference.first_backwards, 2);
	metrics_release(&m);
}

static void test_a_trace_with_itself(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {12};
	static struct made made;
	static struct metrics m;
	make(&q, &made, MAX_N, false);
	write_pair(&made, &r, &x);
	struct metrics_options o = options_by(MATCH_AUTO, DENSITY_UNBOUNDED, 2, false);
	compute(&m, &r, &r, &o);
	assert_int_equal(m.n_matched, made.n);
	assert_int_equal(m.n_mismatched + m.n_lost + m.n_extra, 0);
	for (int s = 0; s < SCOPE_N; s++)
		assert_int_equal(m.order[POINT_ISSUE].total[s].n_reordered, 0);
	for (int w = 0; w < 3; w++)
		assert_true(levels_distance(&m.reference.concurrency, &m.replay.concurrency,
					    (enum levels_weight)w)
				.area == 0);
	assert_true(metrics_execution_ns(&m.reference) == metrics_execution_ns(&m.replay));
	metrics_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_number),
	    cmocka_unit_test(test_by_key),
	    cmocka_unit_test(test_ambiguous_keys),
	    cmocka_unit_test(test_reference_out_of_order),
	    cmocka_unit_test(test_bad_traces),
	    cmocka_unit_test(test_a_trace_with_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
