/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of block workloads, drawn before the run. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "microbench/block/block_load.h"

#define N 20000
#define MIB (UINT64_C(1) << 20)

static struct microbench_config standard(void)
{
	struct microbench_config c;
	workload_config_init(workload_find("block-random"), &c);
	return c;
}

static struct drawn_request *drawn(const struct microbench_config *c, const char *sizes,
				   bool sequential, uint64_t n_bytes, unsigned int thread)
{
	struct block_sizes s;
	struct drawn_request *r = xcalloc(N, sizeof *r);
	assert_int_equal(block_sizes_parse(&s, sizes, NULL), 0);
	block_draw(r, N, c, &s, sequential, n_bytes, s.min, thread);
	return r;
}

static void sizes_and_their_shares(void **state)
{
	(void)state;
	struct microbench_config c = standard();
	c.read_share = 0.25;
	struct drawn_request *r = drawn(&c, "4K:70%,64K:20%,512:10%", false, 64 * MIB, 0);
	double n[3] = {0}, reads = 0;
	for (size_t k = 0; k < N; k++) {
		assert_true(r[k].length == 4096 || r[k].length == 65536 || r[k].length == 512);
		assert_true(r[k].offset + r[k].length <= 64 * MIB);
		assert_int_equal(r[k].offset % 512, 0);
		assert_true(r[k].due == INT64_MIN);
		n[r[k].length == 4096 ? 0 : r[k].length == 65536 ? 1 : 2]++;
		reads += r[k].direction == BLOCK_READ;
	}
	/* within five standard deviations */
	assert_true(fabs(n[0] / N - 0.7) < 5 * sqrt(0.21 / N));
	assert_true(fabs(n[1] / N - 0.2) < 5 * sqrt(0.16 / N));
	assert_true(fabs(reads / N - 0.25) < 5 * sqrt(0.1875 / N));
	free(r);
}

static void random_offsets_cover_the_file(void **state)
{
	(void)state;
	struct microbench_config c = standard();
	struct drawn_request *r = drawn(&c, "4K", false, 16 * 4096, 0);
	unsigned int seen[16] = {0};
	for (size_t k = 0; k < N; k++)
		seen[r[k].offset / 4096]++;
	for (size_t i = 0; i < 16; i++)
		assert_true(fabs(seen[i] / (double)N - 1 / 16.0) < 5 * sqrt(1 / 16.0 / N));
	free(r);
}

static void sequential_through_a_part_of_its_own(void **state)
{
	(void)state;
	struct microbench_config c = standard();
	c.level = 4;
	struct drawn_request *r = drawn(&c, "4K", true, 40 * MIB, 2);
	for (size_t k = 0; k < N; k++)
		assert_int_equal(r[k].offset, 20 * MIB + k * 4096 % (10 * MIB));
	free(r);
}

static void due_at_a_rate(void **state)
{
	(void)state;
	struct microbench_config c = standard();
	c.rate = 1000;
	c.level = 2;
	c.burst = 4;
	struct drawn_request *r = drawn(&c, "4K", false, MIB, 1);
	for (size_t k = 0; k < N; k++) /* 4 at a time, every 8 ms; the second thread 4 ms later */
		assert_int_equal(r[k].due, 4000000 + 8000000 * (int64_t)(k / 4));
	free(r);

	c.burst = 1;
	c.arrivals = ARRIVALS_POISSON;
	r = drawn(&c, "4K", false, MIB, 1);
	double sum = 0, squares = 0;
	for (size_t k = 1; k < N; k++) {
		double gap = (double)(r[k].due - r[k - 1].due);
		assert_true(gap >= 0);
		sum += gap;
		squares += gap * gap;
	}
	double mean = sum / (N - 1), sd = sqrt(squares / (N - 1) - mean * mean);
	/* exponential: the standard deviation equals the mean */
	assert_true(fabs(mean / 2e6 - 1) < 5 / sqrt(N));
	assert_true(fabs(sd / 2e6 - 1) < 0.05);
	free(r);
}

static void the_same_seed_and_a_longer_run(void **state)
{
	(void)state;
	struct microbench_config c = standard();
	struct block_sizes s;
	assert_int_equal(block_sizes_parse(&s, "4K:50%,8K:50%", NULL), 0);
	struct drawn_request *a = drawn(&c, "4K:50%,8K:50%", false, MIB, 0),
			     *b = xcalloc(100, sizeof *b);
	block_draw(b, 100, &c, &s, false, MIB, 4096, 0);
	assert_memory_equal(a, b, 100 * sizeof *b);
	c.seed = 2;
	block_draw(b, 100, &c, &s, false, MIB, 4096, 0);
	assert_memory_not_equal(a, b, 100 * sizeof *b);
	free(a);
	free(b);
}

static void bad_sizes(void **state)
{
	(void)state;
	static const char *const texts[] = {
	    "",  "4K:", "4K:50%", "4K:50%,8K:60%", "0", "4K:120%,8K:-20%",
	    "x", "2G",  "4K,,8K", "4K:nan,4K:1"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct block_sizes s;
		struct err e = ERR_INIT;
		/* without other threads its share does not matter */
		if (!strcmp(texts[i], "4K:50%")) {
			assert_int_equal(block_sizes_parse(&s, texts[i], &e), 0);
			continue;
		}
		if (block_sizes_parse(&s, texts[i], &e) >= 0)
			fail_msg("\"%s\" was taken", texts[i]);
		assert_non_null(strstr(e.msg, "sizes"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_their_shares),
		cmocka_unit_test(random_offsets_cover_the_file),
		cmocka_unit_test(sequential_through_a_part_of_its_own),
		cmocka_unit_test(due_at_a_rate),
		cmocka_unit_test(the_same_seed_and_a_longer_run),
		cmocka_unit_test(bad_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
