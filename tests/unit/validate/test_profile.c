/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The profile of a trace, compared with plain loops over the records. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/trace_file.h"
#include "validate/profile/profile.h"

static uint64_t random_state = 1;
static uint64_t draw(void) /* xorshift64* */
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * 2685821657736338717ull;
}

static void assert_near(double a, double b, double relative)
{
	if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b))))
		fail_msg("%.17g is not %.17g", a, b);
}

/* --- timeline ------------------------------------------------------------ */

static void timeline_matches(const int64_t *at, size_t n, size_t n_bins)
{
	struct timeline t;
	timeline_init(&t, 1000, n_bins);
	for (size_t i = 0; i < n; i++) {
		struct timeline_bin *b = timeline_at(&t, at[i]);
		b->n[KIND_READ]++;
		b->bytes[KIND_WRITE] += i;
	}
	assert_true(t.used_to <= n_bins && t.used_from < t.used_to);
	uint64_t seen = 0;
	for (size_t k = 0; k < n_bins; k++) {
		uint64_t expected = 0, bytes = 0;
		if (k < t.used_from || k >= t.used_to) {
			assert_int_equal(timeline_requests(&t.bin[k]) + t.bin[k].bytes[KIND_WRITE],
					 0);
			continue;
		}
		int64_t from = (t.base + (int64_t)k) * t.width_ns;
		for (size_t i = 0; i < n; i++)
			if (at[i] >= from && at[i] < from + t.width_ns) {
				expected++;
				bytes += i;
			}
		assert_int_equal(t.bin[k].n[KIND_READ], expected);
		assert_int_equal(t.bin[k].bytes[KIND_WRITE], bytes);
		seen += t.bin[k].n[KIND_READ];
	}
	assert_int_equal(seen, n);
	struct timeline wide, shrunk;
	timeline_widen(&wide, &t, t.width_ns < INT64_MAX / 10 ? 10 * t.width_ns : t.width_ns);
	timeline_shrink(&shrunk, &t, 7);
	uint64_t in_wide = 0, in_shrunk = 0;
	for (size_t k = wide.used_from; k < wide.used_to; k++)
		in_wide += wide.bin[k].n[KIND_READ];
	for (size_t k = shrunk.used_from; k < shrunk.used_to; k++)
		in_shrunk += shrunk.bin[k].n[KIND_READ];
	assert_int_equal(in_wide, n);
	assert_int_equal(in_shrunk, n);
	assert_true(shrunk.used_to - shrunk.used_from <= 7);
	assert_int_equal(shrunk.width_ns % t.width_ns, 0);
	timeline_release(&wide);
	timeline_release(&shrunk);
	timeline_release(&t);
}

static void test_timeline(void **state)
{
	(void)state;
	int64_t at[400];
	for (int shape = 0; shape < 60; shape++) {
		int64_t span = INT64_C(1) << (shape % 60 + 2);
		for (size_t i = 0; i < 400; i++) {
			int64_t x = (int64_t)(draw() % (uint64_t)span);
			at[i] = shape % 3 == 0   ? x
				: shape % 3 == 1 ? (int64_t)i * (span / 400)
						 : -(int64_t)i * (span / 400);
			at[i] = at[i] > TRACE_TIME_MAX    ? TRACE_TIME_MAX
				: at[i] < -TRACE_TIME_MAX ? -TRACE_TIME_MAX
							  : at[i];
		}
		timeline_matches(at, 400, shape % 2 ? 20 : 333);
	}
	const int64_t ends[] = {TRACE_TIME_MAX, -TRACE_TIME_MAX, 0, 1, -1, 999, 1000};
	timeline_matches(ends, sizeof ends / sizeof *ends, 64);
}

static void test_busiest(void **state)
{
	(void)state;
	struct timeline t;
	int64_t begin;
	timeline_init(&t, 1000, 100);
	assert_null(timeline_busiest(&t, &begin));
	timeline_at(&t, 5500)->n[KIND_OTHER] += 3;
	timeline_at(&t, -1)->n[KIND_READ] += 3;
	timeline_at(&t, 9999)->bytes[KIND_READ] += 10;
	assert_int_equal(timeline_requests(timeline_busiest(&t, &begin)), 3);
	assert_int_equal(begin, -1000); /* the first of equals */
	assert_int_equal(timeline_most_bytes(&t, &begin)->bytes[KIND_READ], 10);
	assert_int_equal(begin, 9000);
	timeline_release(&t);
}

/* --- positions ----------------------------------------------------------- */

static void test_access_patterns(void **state)
{
	(void)state;
	struct access a;
	static const struct {
		uint64_t offset, moved;
		enum access_pattern expected;
	} step[] = {
	    {0, 4096, ACCESS_FIRST},
	    {4096, 4096, ACCESS_SEQUENTIAL},
	    {8192, 0, ACCESS_SEQUENTIAL}, /* a read at the end of the file */
	    {8192, 0, ACCESS_REPEATED},
	    {1 << 30, 512, ACCESS_RANDOM},
	    {(1 << 30) + 1024, 512, ACCESS_NEAR},
	    {(1 << 30) + 2048, 512, ACCESS_STRIDED},
	    {(1 << 30) + 3072, 512, ACCESS_STRIDED},
	    {(1 << 30) + 2048, 512, ACCESS_NEAR},    /* backwards */
	    {(1 << 30) + 1024, 512, ACCESS_STRIDED}, /* ... by the same step */
	    {0, 100, ACCESS_RANDOM},
	    {100 + ACCESS_NEAR_BYTES, 1, ACCESS_NEAR},
	    {0, 1, ACCESS_RANDOM}, /* one byte beyond the end of the last read */
	    {UINT64_MAX - 1, UINT64_MAX, ACCESS_RANDOM},
	    {UINT64_MAX - 1, 1, ACCESS_REPEATED},
	};
	for (int write = 0; write < 2; write++) {
		a = (struct access){.sequence = NULL};
		for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
			uint64_t before = a.counts.n[write][step[i].expected];
			access_add(&a, 1, 2, write, step[i].offset, step[i].moved);
			/* another sequence */
			access_add(&a, 2, 1, !write, step[i].offset, step[i].moved);
			if (a.counts.n[write][step[i].expected] != before + 1)
				fail_msg("step %zu is not %s", i,
					 access_pattern_names[step[i].expected]);
		}
		assert_int_equal(access_all(&a.counts), 2 * (sizeof step / sizeof *step));
		access_forget(&a, 1, 2);
		access_forget(&a, 7, 7); /* never seen */
		access_add(&a, 1, 2, write, 0, 1);
		assert_int_equal(a.counts.n[write][ACCESS_FIRST], 2);
		access_release(&a);
	}
}

static void test_access_has_a_limit(void **state)
{
	(void)state;
	struct access a = {.sequence = NULL};
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < ACCESS_SEQUENCES_MAX + 10; i++)
			access_add(&a, i / 3, i, false, round, 1);
	assert_int_equal(a.counts.n_not_followed, 20);
	assert_int_equal(a.counts.n[0][ACCESS_FIRST], ACCESS_SEQUENCES_MAX);
	assert_int_equal(a.counts.n[0][ACCESS_SEQUENTIAL], ACCESS_SEQUENCES_MAX);
	access_release(&a);
}

/* --- sizes, errors, objects ---------------------------------------------- */

static void test_sizes(void **state)
{
	(void)state;
	struct sizes s = {.n_distinct = 0};
	struct size_count top[4];
	assert_int_equal(sizes_common(&s, top, 4), 0);
	static const struct size_count add[] = {
	    {4096, 5}, {0, 2}, {UINT64_MAX, 5}, {1, 7}, {512, 1}};
	for (int i = 0; i < 5; i++)
		for (uint64_t k = 0; k < add[i].n; k++)
			sizes_add(&s, add[i].size);
	assert_int_equal(sizes_common(&s, top, 4), 4);
	static const uint64_t expected[] = {1, 4096, UINT64_MAX, 0}; /* equals by size */
	for (int i = 0; i < 4; i++)
		assert_true(top[i].size == expected[i]);
	assert_int_equal(s.distribution.n, 20);
	for (uint64_t i = 0; i < 2 * SIZES_MAX; i++)
		sizes_add(&s, 10000 + i);
	assert_int_equal(s.n_distinct, SIZES_MAX);
	assert_int_equal(s.n_not_counted, SIZES_MAX + 5);
	sizes_add(&s, 10000); /* among the first: still counted separately */
	assert_int_equal(s.n_not_counted, SIZES_MAX + 5);
	sizes_release(&s);
}

static void test_errors(void **state)
{
	(void)state;
	struct errors e = {.n = 0};
	struct error_count *sorted;
	for (int i = 0; i < 3; i++)
		errors_add(&e, EIO, OP_READ);
	for (int i = 0; i < 2; i++)
		errors_add(&e, ENOENT, OP_OPEN);
	for (int i = 0; i < 2; i++)
		errors_add(&e, ENOENT, OP_STAT);
	errors_add(&e, 0, OP_CLOSE);
	assert_int_equal(errors_sorted(&e, &sorted), 4);
	/* ENOENT occurs four times in all, and precedes EIO */
	assert_true(sorted[0].error == ENOENT && sorted[0].op == OP_OPEN && sorted[0].n == 2);
	assert_true(sorted[1].error == ENOENT && sorted[1].op == OP_STAT);
	assert_true(sorted[2].error == EIO && sorted[2].n == 3);
	assert_true(sorted[3].error == 0);
	free(sorted);
	for (unsigned int i = 0; i < 65536; i++)
		errors_add(&e, (uint16_t)i, OP_WRITE);
	assert_int_equal(e.n, 8 + 65536);
	assert_int_equal(e.n_pairs, ERRORS_MAX);
	uint64_t counted = 0;
	size_t n = errors_sorted(&e, &sorted);
	for (size_t i = 0; i < n; i++)
		counted += sorted[i].n;
	assert_int_equal(counted + e.n_not_followed, e.n);
	free(sorted);
	errors_release(&e);
}

static void test_objects(void **state)
{
	(void)state;
	struct object_uses o = {.use = NULL};
	struct object_use top[3];
	for (uint32_t i = 0; i < 1000; i++)
		object_uses_at(&o, i * 7919)->bytes_read += i;
	object_uses_at(&o, 5 * 7919)->bytes_written += 995; /* 1000 including the reads: the most */
	assert_int_equal(object_uses_top(&o, top, 3), 3);
	assert_int_equal(top[0].object, 5 * 7919);
	assert_int_equal(top[1].object, 999 * 7919);
	assert_int_equal(top[2].object, 998 * 7919);
	for (uint32_t i = 0; i < OBJECT_USES_MAX + 5; i++)
		object_uses_at(&o, i);
	assert_int_equal(o.n_objects, OBJECT_USES_MAX);
	assert_null(object_uses_at(&o, UINT32_MAX - 1));
	object_uses_release(&o);
}

/* --- whole traces -------------------------------------------------------- */

enum { N = 20000 };
static struct trace_record record[N];

/* Reads, writes and opens of three threads; `disorder`: how far begins go back at most. */
static void records_make(int64_t disorder)
{
	static const uint16_t ops[] = {OP_PREAD, OP_PWRITE, OP_READ, OP_OPEN, OP_FSYNC};
	for (size_t i = 0; i < N; i++) {
		struct trace_record *r = &record[i];
		*r = (struct trace_record){.seq = i, .op = ops[draw() % 5], .pid = 7, .tid = 8 + (uint32_t)(draw() % 3)};
		r->begin_ns =
		    (int64_t)i * 1000 + (disorder ? (int64_t)(draw() % (uint64_t)disorder) : 0);
		r->end_ns = draw() % 50 ? r->begin_ns + (int64_t)(draw() % 4000) : r->begin_ns;
		r->intended_ns = r->dispatch_ns = TIME_NONE;
		r->object = draw() % 20 ? (uint32_t)(draw() % TRACE_N_OBJECTS) : OBJECT_NONE;
		r->fd = 3 + (int32_t)(draw() % 3);
		r->offset = draw() % 10 ? draw() % 64 * 4096 : OFFSET_NONE;
		r->length = 4096 * (1 + draw() % 2);
		r->rvalue = draw() % 10 ? r->op == OP_OPEN ? 3 : (int64_t)r->length : -1;
		r->error = r->rvalue < 0 ? (uint16_t)(1 + draw() % 3) : 0;
		r->heap = HEAP_NONE;
	}
}

static struct profile *profile_of(unsigned int n_threads)
{
	struct trace_path path = trace_file_path("profile.trace");
	struct trace_meta meta = trace_file_meta();
	struct err e = ERR_INIT;
	struct trace *t;
	struct profile *p = calloc(1, sizeof *p);
	trace_file_write(path.s, record, N, &meta, false, false);
	assert_int_equal(trace_open(&t, path.s, &e), 0);
	if (profile_compute(p, t, &(struct profile_options){n_threads}, &e))
		fail_msg("%s", e.msg);
	trace_close(t);
	unlink(path.s);
	return p;
}

static void profile_free(struct profile *p)
{
	profile_release(p);
	free(p);
}

/* Requests in progress by time, from all starts and ends sorted: the plain computation. */
struct edge {
	int64_t ns;
	int change;
};

static int by_time(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return x->ns < y->ns ? -1 : x->ns > y->ns ? 1 : x->change - y->change;
}

static void levels_match(const struct profile *p)
{
	static struct edge edge[2 * N];
	int64_t ns_at[64] = {0};
	for (size_t i = 0; i < N; i++) {
		edge[2 * i] = (struct edge){record[i].begin_ns, 1};
		edge[2 * i + 1] = (struct edge){record[i].end_ns, -1};
	}
	qsort(edge, (size_t)2 * N, sizeof *edge, by_time);
	double mean = 0;
	for (size_t i = 0, level = 0; i + 1 < (size_t)2 * N; i++) {
		level += (size_t)edge[i].change;
		if (edge[i + 1].ns > edge[i].ns)
			ns_at[level] += edge[i + 1].ns - edge[i].ns;
		mean += (double)level * (double)(edge[i + 1].ns - edge[i].ns);
	}
	for (size_t k = 0; k <= p->concurrency.highest && k < 64; k++)
		assert_int_equal(p->concurrency.ns_at_level[k], ns_at[k]);
	assert_near(profile_mean_concurrency(p), mean / (double)(edge[2 * N - 1].ns - edge[0].ns),
		    1e-9);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void gaps_match(const struct profile *p)
{
	static int64_t begin[N];
	double sum = 0, squares = 0;
	for (size_t i = 0; i < N; i++)
		begin[i] = record[i].begin_ns;
	qsort(begin, N, sizeof *begin, by_value);
	for (size_t i = 1; i < N; i++)
		sum += (double)(begin[i] - begin[i - 1]);
	double mean = sum / (N - 1);
	for (size_t i = 1; i < N; i++) {
		double d = (double)(begin[i] - begin[i - 1]) - mean;
		squares += d * d;
	}
	assert_int_equal(p->gap.n, N - 1);
	assert_near(profile_gap_variation(p), sqrt(squares / (N - 2)) / mean, 1e-6);
}

static void counts_match(const struct profile *p)
{
	uint64_t n_failed = 0, n_unknown = 0, n_known = 0, read_bytes = 0, n_sequential = 0,
		 n_first = 0;
	uint64_t end[TRACE_N_OBJECTS], last[TRACE_N_OBJECTS];
	bool seen[TRACE_N_OBJECTS] = {false};
	for (size_t i = 0; i < N; i++) {
		const struct trace_record *r = &record[i];
		bool read = r->op == OP_PREAD || r->op == OP_READ, write = r->op == OP_PWRITE;
		n_failed += r->rvalue < 0;
		if ((!read && !write) || r->rvalue < 0)
			continue;
		read_bytes += read ? (uint64_t)r->rvalue : 0;
		n_unknown += r->offset == OFFSET_NONE;
		n_known += r->offset != OFFSET_NONE;
		if (r->offset == OFFSET_NONE || r->object == OBJECT_NONE)
			continue;
		n_first += !seen[r->object];
		n_sequential +=
		    seen[r->object] && r->offset == end[r->object] && r->offset != last[r->object];
		seen[r->object] = true;
		last[r->object] = r->offset;
		end[r->object] = r->offset + (uint64_t)r->rvalue;
	}
	assert_int_equal(p->errors.n, n_failed);
	assert_int_equal(p->n_position_unknown, n_unknown);
	assert_int_equal(p->n_position_known, n_known);
	assert_int_equal(p->n_aligned_4096, n_known);
	assert_int_equal(p->tally.op[OP_PREAD].bytes + p->tally.op[OP_READ].bytes, read_bytes);
	const struct access_counts *c = profile_access(p, PROFILE_OBJECT);
	assert_int_equal(access_total(c, ACCESS_SEQUENTIAL), n_sequential);
	assert_int_equal(access_total(c, ACCESS_FIRST), n_first);
	assert_int_equal(p->tally.n_threads, 3);
	assert_int_equal(p->objects.n_objects, TRACE_N_OBJECTS);
}

static void test_profile(void **state)
{
	(void)state;
	static const int64_t disorder[] = {0, 3000, INT64_C(20000000)};
	for (int d = 0; d < 3; d++)
		for (unsigned int n_threads = 1; n_threads <= 2; n_threads++) {
			random_state = 42;
			records_make(disorder[d]);
			struct profile *p = profile_of(n_threads);
			assert_int_equal(p->tally.n_records, N);
			levels_match(p);
			gaps_match(p);
			counts_match(p);
			profile_free(p);
		}
}

/* Missing ends, missing begins, ends before begins, and times at the greatest possible distance. */
static void test_profile_of_odd_times(void **state)
{
	(void)state;
	records_make(0);
	for (size_t i = 0; i < N; i++)
		record[i].end_ns = TIME_NONE;
	struct profile *p = profile_of(2);
	assert_int_equal(p->tally.n_without_end, N);
	assert_false(profile_has_ends(p));
	profile_free(p);
	for (size_t i = 0; i < N; i++)
		record[i].begin_ns = TIME_NONE;
	p = profile_of(2);
	assert_int_equal(p->tally.n_without_begin, N);
	assert_false(p->has_order);
	assert_true(isnan(profile_mean_concurrency(p)) && isnan(profile_gap_variation(p)));
	profile_free(p);
	for (size_t i = 0; i < N; i++) {
		record[i].begin_ns = i % 2 ? TRACE_TIME_MAX : -TRACE_TIME_MAX;
		record[i].end_ns = i % 3 ? TRACE_TIME_MAX : -TRACE_TIME_MAX;
		record[i].rvalue = INT64_MAX;
		record[i].offset = UINT64_MAX - i % 5;
		record[i].length = UINT64_MAX - i % 3;
	}
	p = profile_of(2);
	assert_int_equal(p->tally.n_end_before_begin, (N + 3) / 6);
	assert_true(p->tally.n_bytes == UINT64_MAX);
	assert_int_equal(p->timeline.used_to - p->timeline.used_from <= p->timeline.n_bins, true);
	assert_int_equal(p->tally.granularity_ns, TRACE_TIME_MAX);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_timeline),
	    cmocka_unit_test(test_busiest),
	    cmocka_unit_test(test_access_patterns),
	    cmocka_unit_test(test_access_has_a_limit),
	    cmocka_unit_test(test_sizes),
	    cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_objects),
	    cmocka_unit_test(test_profile),
	    cmocka_unit_test(test_profile_of_odd_times),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
