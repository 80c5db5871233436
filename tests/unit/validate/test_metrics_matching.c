/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests left out as warm-up, compared with the same pair without them; and the default way of
 * matching requests. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/made_pair.h"

/* --- warm-up ------------------------------------------------------------- */

static void leave_out(struct made *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		m->n_lost -= m->x[i].begin_ns == TIME_NONE;
	memmove(m->r, m->r + n, (m->n - n) * sizeof *m->r);
	memmove(m->x, m->x + n, (m->n_x - n) * sizeof *m->x);
	m->n -= n;
	m->n_x -= n;
}

static void ask_for(struct metrics_options *o, const struct made *made, struct random *q, size_t *n)
{
	*n = 1 + random_below(q, made->n - 1);
	if (random_below(q, 2)) {
		o->warmup_requests = *n;
		return;
	}
	o->warmup_ns = made->r[*n].begin_ns - made->r[0].begin_ns;
	o->warmup_ns += !o->warmup_ns;
	for (*n = 0; *n < made->n && made->r[*n].begin_ns < made->r[0].begin_ns + o->warmup_ns;)
		++*n;
}

/* Requests that the replay skips are left out of both sides: compared with the pair without
 * them. */
static void pass_over(struct made *m, struct random *q, struct made *without)
{
	without->n = without->n_x = without->n_lost = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct trace_record *x = &m->x[i];
		if (i && i + 1 < m->n && random_below(q, 3)) {
			x->begin_ns = x->end_ns = x->intended_ns = TIME_NONE;
			x->rvalue = -1;
			x->error = EOPNOTSUPP;
			continue;
		}
		without->n_lost += x->begin_ns == TIME_NONE;
		without->r[without->n++] = m->r[i];
		without->x[without->n_x++] = *x;
	}
	for (size_t i = m->n; i < m->n_x; i++)
		without->x[without->n_x++] = m->x[i];
}

static void check_skipped(const struct made *without, const struct metrics *m, size_t n_skipped)
{
	double sum = 0;
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < without->n; i++) {
		const struct trace_record *r = &without->r[i];
		sum += (double)(r->end_ns - r->begin_ns);
		first = r->begin_ns < first ? r->begin_ns : first;
		last = r->end_ns > last ? r->end_ns : last;
	}
	assert_int_equal(m->n_skipped, n_skipped);
	assert_int_equal(m->reference.n_issued, without->n);
	assert_int_equal(m->reference.n_records, without->n + n_skipped);
	assert_int_equal(m->reference.response[OP_PREAD].sum.n, without->n);
	assert_true(fabs(moment_sum_result(&m->reference.response[OP_PREAD].sum, 0).mean -
			 sum / (double)without->n) < 1e-9 * sum);
	assert_true(metrics_execution_ns(&m->reference) == (double)(last - first));
	check_tally(without, m);
	check_order(without, m);
	check_levels(without->r, without->n, &m->reference);
	check_levels(without->x, without->n_x, &m->replay);
}

static void skipped_requests(enum metrics_match match, uint64_t seed)
{
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {seed};
	static struct made made, without;
	static struct metrics m;
	for (int round = 0; round < 40; round++) {
		make(&q, &made, round < 20 ? 40 : MAX_N, round % 2);
		if (match == MATCH_KEY) /* which of two equal requests is extra is open there */
			made.n_x = made.n;
		pass_over(&made, &q, &without);
		write_pair(&made, &r, &x);
		struct metrics_options o =
		    options_by(match, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		compute(&m, &r, &x, &o);
		check_skipped(&without, &m, made.n - without.n);
		metrics_release(&m);
	}
}

static void test_skipped_by_number(void **state)
{
	(void)state;
	skipped_requests(MATCH_NUMBER, 811);
}

static void test_skipped_by_key(void **state)
{
	(void)state;
	skipped_requests(MATCH_KEY, 812);
}

/* Whether any issued request remains: at least the last request was issued. */
static bool anything_left(const struct made *m)
{
	return m->n && m->n_lost < m->n;
}

static void check_without(const struct made *made, const struct metrics *m, size_t n_left_out)
{
	assert_int_equal(m->reference.n_warmup, n_left_out);
	assert_int_equal(m->reference.n_records, made->n + n_left_out);
	check_tally(made, m);
	check_order(made, m);
	check_levels(made->r, made->n, &m->reference);
	check_levels(made->x, made->n_x, &m->replay);
}

static void test_warmup_by_number(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {409};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 60; round++) {
		size_t n;
		make(&q, &made, round < 30 ? 40 : MAX_N, round % 2);
		struct metrics_options o =
		    options_by(MATCH_NUMBER, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		ask_for(&o, &made, &q, &n);
		write_pair(&made, &r, &x);
		leave_out(&made, n);
		if (!anything_left(&made))
			continue;
		compute(&m, &r, &x, &o);
		check_without(&made, &m, n);
		metrics_release(&m);
	}
}

/* In the order of the starts, whatever the places of the requests in the file. */
static void test_warmup_of_an_unsorted_reference(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {410};
	static struct made made, shuffled;
	static struct metrics m;
	for (int round = 0; round < 60; round++) {
		size_t n;
		make(&q, &made, round < 30 ? 40 : MAX_N, false);
		/* no equal times, because they would be in the order of the file */
		for (size_t i = 0; i < made.n; i++) {
			made.r[i].begin_ns = 1000 + 10 * (int64_t)i;
			made.r[i].end_ns = made.r[i].begin_ns + 25;
			made.x[i].begin_ns = made.x[i].begin_ns * 1000 + (int64_t)i;
			made.x[i].end_ns = made.x[i].end_ns * 1000 + (int64_t)i;
		}
		struct metrics_options o = options_by(MATCH_NUMBER, 9, 2, round % 3 == 0);
		ask_for(&o, &made, &q, &n);
		shuffled = made;
		for (size_t i = shuffled.n - 1; i; i--) {
			size_t j = random_below(&q, i + 1);
			struct trace_record t = shuffled.r[i], u = shuffled.x[i];
			shuffled.r[i] = shuffled.r[j];
			shuffled.x[i] = shuffled.x[j];
			shuffled.r[j] = t;
			shuffled.x[j] = u;
		}
		write_pair(&shuffled, &r, &x);
		leave_out(&made, n);
		if (!anything_left(&made))
			continue;
		compute(&m, &r, &x, &o);
		check_without(&made, &m, n);
		metrics_release(&m);
	}
}

static void test_warmup_by_key(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct trace_meta meta = trace_file_meta();
	struct random q = {411};
	static struct made made;
	static struct metrics m;
	for (int round = 0; round < 60; round++) {
		struct trace_record x_file[MAX_N];
		size_t n, n_file = 0;
		make(&q, &made, round < 30 ? 40 : MAX_N, round % 2);
		/* a repeated request has the key of another request: which of the two is extra is
		 * open */
		made.n_x = made.n;
		for (size_t i = made.n; i--;) /* backwards */
			if (made.x[i].begin_ns != TIME_NONE)
				x_file[n_file++] = made.x[i];
		struct metrics_options o =
		    options_by(MATCH_KEY, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		ask_for(&o, &made, &q, &n);
		trace_file_write(r.s, made.r, made.n, &meta, false, false);
		trace_file_write(x.s, x_file, n_file, &meta, true, false);
		leave_out(&made, n);
		if (!anything_left(&made))
			continue;
		compute(&m, &r, &x, &o);
		assert_int_equal(m.replay.n_warmup + m.replay.n_issued, n_file);
		assert_int_equal(m.reference.n_warmup, n);
		assert_int_equal(m.replay.n_issued, made.n - made.n_lost);
		check_tally(&made, &m);
		check_levels(made.r, made.n, &m.reference);
		metrics_release(&m);
	}
}

static void test_warmup_that_leaves_nothing(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {412};
	struct err e = ERR_INIT;
	static struct made made;
	static struct metrics m;
	make(&q, &made, 40, false);
	write_pair(&made, &r, &x);
	struct metrics_origin a = metrics_file(r.s), b = metrics_file(x.s);
	struct metrics_options o = options_by(MATCH_NUMBER, 9, 1, false);
	o.warmup_requests = made.n;
	assert_int_equal(metrics_compute(&m, &a, &b, &o, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "leaves none of"));
	o.warmup_requests = 0;
	o.warmup_ns = 1000000000;
	err_clear(&e);
	assert_int_equal(metrics_compute(&m, &a, &b, &o, &e), -ENODATA);
	assert_non_null(strstr(e.msg, "after the warm-up"));
}

/* --- by number or by key ------------------------------------------------- */

static void write_numbered(const struct made *m, const struct trace_path *r,
			   const struct trace_path *x, size_t n_told)
{
	struct trace_meta meta = trace_file_meta(), told = meta;
	char extra[60];
	snprintf(extra, sizeof extra, "{\"replay\": {\"n_records\": %zu}}", n_told);
	told.extra_json = extra;
	trace_file_write(r->s, m->r, m->n, &meta, false, false);
	trace_file_write(x->s, m->x, m->n_x, &told, true, false);
}

static void test_auto(void **state)
{
	(void)state;
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {413};
	static struct made made;
	static struct metrics m;
	struct metrics_options o = options_by(MATCH_AUTO, 9, 2, false);
	make(&q, &made, 400, false);
	made.n = made.n_x = made.n / 4 * 4;

	write_numbered(&made, &r, &x, made.n + 1); /* of another trace */
	compute(&m, &r, &x, &o);
	assert_int_equal(m.match, MATCH_KEY);
	assert_int_equal(m.match_reason, MATCHED_OTHER_COUNT);
	assert_int_equal(m.n_compared, 0);
	metrics_release(&m);

	/* a faulty replayer still numbers its requests */
	for (size_t i = 0; i < made.n; i += 4)
		made.x[i].offset += 512;
	write_numbered(&made, &r, &x, made.n);
	compute(&m, &r, &x, &o);
	assert_int_equal(m.match, MATCH_NUMBER);
	assert_int_equal(m.n_compared, made.n);
	assert_int_equal(m.n_same_request, made.n - made.n / 4);
	assert_true(m.n_mismatched >= made.n / 4);
	metrics_release(&m);
	for (size_t i = 0; i < made.n; i += 4)
		made.x[i].offset -= 512;

	for (size_t i = 0; i < made.n / 2; i++) { /* the file was sorted */
		struct trace_record t = made.x[i];
		made.x[i] = made.x[made.n - 1 - i];
		made.x[made.n - 1 - i] = t;
	}
	write_numbered(&made, &r, &x, made.n);
	compute(&m, &r, &x, &o);
	assert_int_equal(m.match, MATCH_KEY);
	assert_int_equal(m.match_reason, MATCHED_OTHER_REQUESTS);
	assert_int_equal(m.n_same_request, 0);
	assert_int_equal(m.n_compared, made.n);
	assert_int_equal(m.n_matched, made.n);
	assert_int_equal(m.n_lost + m.n_extra, 0);
	metrics_release(&m);
	o.match = MATCH_NUMBER;
	compute(&m, &r, &x, &o);
	assert_int_equal(m.n_mismatched, made.n);
	assert_int_equal(m.match_reason, MATCHED_AS_SET);
	metrics_release(&m);
}

/* --- equal times --------------------------------------------------------- */

static void shuffle(struct trace_record *x, size_t n, struct random *q)
{
	for (size_t i = n; i-- > 1;) {
		const size_t j = random_below(q, i + 1);
		struct trace_record t = x[i];
		x[i] = x[j];
		x[j] = t;
	}
}

/* A coarse clock of `tick_ns`. With `refine`, equal times differ by the place in the file. */
static void coarsen(struct trace_record *x, size_t n, int64_t tick_ns, bool refine)
{
	for (size_t i = 0; i < n; i++) {
		if (x[i].begin_ns == TIME_NONE)
			continue;
		x[i].begin_ns = x[i].begin_ns / tick_ns * 100000 + (refine ? (int64_t)i : 0);
		x[i].end_ns = x[i].end_ns / tick_ns * 100000 + (refine ? (int64_t)i : 0);
		x[i].intended_ns = TIME_NONE;
	}
}

static void check_same_order(const struct metrics *a, const struct metrics *b)
{
	for (int k = 0; k < 2 * SCOPE_N; k++) {
		const enum metrics_point point = k % 2 ? POINT_COMPLETE : POINT_ISSUE;
		const struct disorder_total *t = &a->order[point].total[k / 2],
					    *u = &b->order[point].total[k / 2];
		assert_int_equal(t->n_received, u->n_received);
		assert_int_equal(t->n_reordered, u->n_reordered);
		assert_int_equal(t->n_descents, u->n_descents);
		assert_int_equal(t->inversions, u->inversions);
		assert_int_equal(t->footrule, u->footrule);
		assert_int_equal(t->n_moves, u->n_moves);
	}
}

static void ties(enum metrics_match match, bool shuffled, uint64_t seed)
{
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {seed};
	static struct made made, refined;
	static struct metrics m, expected;
	for (int round = 0; round < 60; round++) {
		make(&q, &made, round < 30 ? 40 : MAX_N, false);
		const int64_t tick_ns = 1 + (int64_t)random_below(&q, 4000);
		if (match == MATCH_KEY)
			shuffle(made.x, made.n, &q);
		if (shuffled && match == MATCH_KEY)
			shuffle(made.r, made.n, &q);
		/* equal in both */
		for (size_t i = made.n; shuffled && match == MATCH_NUMBER && i-- > 1;) {
			const size_t j = random_below(&q, i + 1);
			struct trace_record t = made.r[i], u = made.x[i];
			made.r[i] = made.r[j];
			made.x[i] = made.x[j];
			made.r[j] = t;
			made.x[j] = u;
		}
		refined = made;
		coarsen(made.x, made.n, tick_ns, false);
		coarsen(made.r, made.n, shuffled ? 300 : 1, false);
		coarsen(refined.x, made.n, tick_ns, true);
		coarsen(refined.r, made.n, shuffled ? 300 : 1, true);
		struct metrics_options o =
		    options_by(match, 9, 1 + (unsigned int)round / 2 % 2, round % 3 == 0);
		write_pair(&refined, &r, &x);
		compute(&expected, &r, &x, &o);
		write_pair(&made, &r, &x);
		compute(&m, &r, &x, &o);
		check_same_order(&m, &expected);
		metrics_release(&m);
		metrics_release(&expected);
	}
}

/* Requests with equal starts, as a coarse clock gives them, are in the order of their file. */
static void test_equal_times_by_key(void **state)
{
	(void)state;
	ties(MATCH_KEY, false, 501);
}

static void test_equal_times_of_an_unsorted_reference(void **state)
{
	(void)state;
	ties(MATCH_KEY, true, 502);
	ties(MATCH_NUMBER, true, 503);
}

static void test_a_clock_that_stands_still(void **state)
{
	(void)state;
	enum { N = 50 };
	struct trace_path r = trace_file_path("reference.trace"),
			  x = trace_file_path("replay.trace");
	struct random q = {504};
	static struct made made;
	static struct metrics m;
	make(&q, &made, MAX_N, false);
	made.n = made.n_x = made.n < N ? made.n : N;
	/* the file is in reverse order, all requests begin at 0 */
	for (size_t i = 0; i < made.n; i++) {
		made.x[i] = made.r[made.n - 1 - i];
		made.x[i].begin_ns = 0;
		made.x[i].end_ns = 10;
	}
	write_pair(&made, &r, &x);
	struct metrics_options o = options_by(MATCH_KEY, DENSITY_UNBOUNDED, 1, false);
	compute(&m, &r, &x, &o);
	assert_int_equal(m.order[POINT_ISSUE].total[SCOPE_ALL].n_reordered, made.n - 1);
	metrics_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_warmup_by_number),
	    cmocka_unit_test(test_skipped_by_number),
	    cmocka_unit_test(test_skipped_by_key),
	    cmocka_unit_test(test_warmup_of_an_unsorted_reference),
	    cmocka_unit_test(test_warmup_by_key),
	    cmocka_unit_test(test_warmup_that_leaves_nothing),
	    cmocka_unit_test(test_auto),
	    cmocka_unit_test(test_equal_times_by_key),
	    cmocka_unit_test(test_equal_times_of_an_unsorted_reference),
	    cmocka_unit_test(test_a_clock_that_stands_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
