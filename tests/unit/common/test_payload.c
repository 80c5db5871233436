/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Generated content depends only on its offset, and is as compressible and as repetitive as
 * requested. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "common/payload.h"
#include "common/xalloc.h"

enum { N_BLOCKS = 2048, BYTES = N_BLOCKS * PAYLOAD_BLOCK };

static double zstd_ratio(const void *data, size_t n)
{
	size_t room = ZSTD_compressBound(n), got;
	void *to = xmalloc(room);
	got = ZSTD_compress(to, room, data, n, 3);
	free(to);
	return (double)got / (double)n;
}

static int compare_block(const void *a, const void *b)
{
	return memcmp(a, b, PAYLOAD_BLOCK);
}

static size_t distinct_blocks(unsigned char *data, size_t n)
{
	size_t n_distinct = n > 0;
	qsort(data, n, PAYLOAD_BLOCK, compare_block);
	for (size_t i = 1; i < n; i++)
		n_distinct += memcmp(data + i * PAYLOAD_BLOCK, data + (i - 1) * PAYLOAD_BLOCK,
				     PAYLOAD_BLOCK) != 0;
	return n_distinct;
}

static void as_compressible_as_requested(void **state)
{
	static const double shares[] = {0, 0.25, 0.5, 0.9, 1};
	unsigned char *data = xmalloc(BYTES);
	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		const struct payload p = {.compressible = shares[i]};
		payload_make(&p, 7, 0, data, BYTES);
		const double ratio = zstd_ratio(data, BYTES), expected = 1 - shares[i];
		assert_true(ratio > expected - 0.01 && ratio < expected + 0.04);
		/* also block by block, as storage compresses it */
		double sum = 0;
		for (size_t k = 0; k < 64; k++)
			sum += zstd_ratio(data + k * PAYLOAD_BLOCK, PAYLOAD_BLOCK) / 64;
		assert_true(sum > expected - 0.01 && sum < expected + 0.05);
	}
	free(data);
}

static void as_repetitive_as_requested(void **state)
{
	static const double shares[] = {0, 0.3, 0.75, 1};
	unsigned char *data = xmalloc(BYTES);
	(void)state;
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		const struct payload p = {.duplicates = shares[i], .compressible = 0.5};
		for (size_t k = 0; k < N_BLOCKS; k++) /* each by a write of its own */
			payload_make(&p, 1000 + k, k * PAYLOAD_BLOCK, data + k * PAYLOAD_BLOCK,
				     PAYLOAD_BLOCK);
		const double n = (double)distinct_blocks(data, N_BLOCKS),
			     expected = (1 - shares[i]) * N_BLOCKS;
		/* 4 standard deviations of 2048 draws */
		assert_true(n >= expected - 80 && n <= expected + 80 + PAYLOAD_DUPLICATES);
		assert_true(shares[i] > 0 || n == N_BLOCKS);
		assert_true(shares[i] < 1 || n == PAYLOAD_DUPLICATES);
	}
	free(data);
}

/* Any part of the content can be generated separately. */
static void content_depends_on_the_offset(void **state)
{
	const struct payload p = {0.3, 0.3};
	unsigned char whole[5 * PAYLOAD_BLOCK], part[3 * PAYLOAD_BLOCK];
	(void)state;
	payload_make(&p, 9, 0, whole, sizeof whole);
	for (size_t offset = 0; offset < 2 * PAYLOAD_BLOCK; offset += 777)
		for (size_t len = 0; len <= sizeof part; len += 1531) {
			payload_make(&p, 9, offset, part, len);
			assert_memory_equal(part, whole + offset, len);
		}
	payload_make(&p, 10, 0, part, sizeof part);
	assert_memory_not_equal(part, whole, sizeof part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(as_compressible_as_requested),
	    cmocka_unit_test(as_repetitive_as_requested),
	    cmocka_unit_test(content_depends_on_the_offset),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
