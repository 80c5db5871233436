/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts a trace by start, with more requests than are sorted at a time; compares with the C
 * library's sort of all of them. */
#include "capture/pour.h"
#include "tests/unit/capture/sample.h"

enum { N = 300000 };
static struct trace_record want[N], got[N];

/* The sorting key: a request without a start has the key of its predecessor. */
static int64_t begin_for_order[N];

static int by_order(const void *a, const void *b)
{
	const struct trace_record *x = a, *y = b;
	int64_t t = begin_for_order[x->seq], u = begin_for_order[y->seq];
	return t != u ? (t > u) - (t < u) : (x->seq > y->seq) - (x->seq < y->seq);
}

/* Starts of all sizes and both signs, many of them equal. */
static int64_t begin_of(uint64_t i, uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	uint64_t v = *state >> 33;
	switch (i % 4) {
	case 0:
		return (int64_t)(v % 1000) - 500;
	case 1:
		return ((int64_t)v - (INT64_C(1) << 30)) * (1 << 20);
	case 2:
		return i % 64 == 2 ? TIME_NONE : (int64_t)v;
	default:
		return i % 8 == 3 ? -TRACE_TIME_MAX : TRACE_TIME_MAX;
	}
}

static void all_requests_are_in_order_of_begins(void **state)
{
	(void)state;
	const struct trace_meta meta = {.level = LEVEL_SYSCALL};
	const struct trace_write_options o = {.no_sync = true};
	struct trace_writer *w;
	struct trace *t;
	const struct trace_record *r;
	struct err e = ERR_INIT;
	uint64_t random = 1;
	int64_t last_ns = -TRACE_TIME_MAX;
	for (uint64_t i = 0; i < N; i++) {
		want[i] = sample_record(i);
		want[i].object = OBJECT_NONE;
		want[i].begin_ns = begin_of(i, &random);
		want[i].end_ns = want[i].intended_ns = TIME_NONE;
		last_ns = begin_for_order[i] =
		    want[i].begin_ns == TIME_NONE ? last_ns : want[i].begin_ns;
	}
	must(trace_writer_open(&w, SCRATCH("unsorted"), &meta, &o, &e), &e);
	must(trace_writer_append(w, want, N, &e), &e);
	must(trace_writer_close(w, &e), &e);
	must(trace_sort(SCRATCH("unsorted"), SCRATCH("sorted"), &o, &e), &e);
	qsort(want, N, sizeof *want, by_order);
	must(trace_open(&t, SCRATCH("sorted"), &e), &e);
	size_t n = 0;
	for (; trace_next(t, &r, &e) == 1 && n < N; n++)
		got[n] = *r;
	trace_close(t);
	assert_int_equal(n, N);
	for (size_t i = 0; i < N; i++)
		if (got[i].seq != want[i].seq || got[i].begin_ns != want[i].begin_ns ||
		    got[i].offset != want[i].offset)
			fail_msg("place %zu has request %llu, not %llu", i,
				 (unsigned long long)got[i].seq, (unsigned long long)want[i].seq);
	unlink(SCRATCH("unsorted"));
	unlink(SCRATCH("sorted"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(all_requests_are_in_order_of_begins)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
