/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "common/crc32c.h"

typedef uint32_t crc_function(uint32_t, const void *, size_t);
static crc_function *const both[] = {crc32c, crc32c_portable};

/* RFC 3720 B.4; its examples are written in the order in which the bytes are sent. */
static void rfc_3720_examples(void **state)
{
	(void)state;
	unsigned char zeros[32] = {0}, ones[32], up[32], down[32];
	memset(ones, 0xff, sizeof ones);
	for (int i = 0; i < 32; i++) {
		up[i] = (unsigned char)i;
		down[i] = (unsigned char)(31 - i);
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(both[i](0, zeros, 32), 0x8a9136aa);
		assert_int_equal(both[i](0, ones, 32), 0x62a8ab43);
		assert_int_equal(both[i](0, up, 32), 0x46dd794e);
		assert_int_equal(both[i](0, down, 32), 0x113fdb5c);
		assert_int_equal(both[i](0, "123456789", 9), 0xe3069283);
		assert_int_equal(both[i](0, NULL, 0), 0);
	}
}

static void parts_give_the_same_as_the_whole(void **state)
{
	(void)state;
	unsigned char data[301];
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)(i * 37 + i / 7);
	for (size_t from = 0; from < 9; from++) { /* every alignment */
		const unsigned char *p = data + from;
		size_t len = sizeof data - from;
		uint32_t whole = crc32c_portable(0, p, len);
		assert_int_equal(crc32c(0, p, len), whole);
		for (size_t cut = 0; cut <= len; cut++) {
			assert_int_equal(crc32c(crc32c(0, p, cut), p + cut, len - cut), whole);
			assert_int_equal(crc32c_portable(crc32c(0, p, cut), p + cut, len - cut),
					 whole);
		}
	}
}

/* Long data takes another code path, three parts at a time. */
static void long_data(void **state)
{
	(void)state;
	static unsigned char data[20000];
	uint32_t x = 1;
	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (unsigned char)((x = x * 1664525 + 1013904223) >> 24);
	for (size_t len = 3000; len + 9 < sizeof data; len += len % 3072 < 3060 ? 59 : 1)
		for (size_t from = 0; from < 9; from += 4) {
			uint32_t start = (uint32_t)len * 2654435761u;
			assert_int_equal(crc32c(start, data + from, len),
					 crc32c_portable(start, data + from, len));
		}
}

static void one_bit_changes_it(void **state)
{
	(void)state;
	unsigned char data[64] = {1, 2, 3};
	uint32_t before = crc32c(0, data, sizeof data);
	for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_int_not_equal(crc32c(0, data, sizeof data), before);
		data[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rfc_3720_examples),
		cmocka_unit_test(parts_give_the_same_as_the_whole),
		cmocka_unit_test(long_data),
		cmocka_unit_test(one_bit_changes_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
