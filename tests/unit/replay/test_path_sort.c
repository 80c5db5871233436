/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths are sorted as strcmp does. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "replay/load/path_sort.h"
#include "sample.h"

/* Short ones of few letters, so that many begin alike and some are beginnings of others; bytes
 * above 127 come last. */
static void as_strcmp(void **state)
{
	(void)state;
	enum { N = 3000 };
	static char text[N][40];
	static const char *path[N];
	uint64_t seed = 77;
	for (uint32_t n = 0; n < N; n += n < 20 ? 1 : 331) {
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t len = (uint32_t)(sample_random(&seed) % 20);
			for (uint32_t k = 0; k < len; k++)
				text[i][k] = "ab/-\xff"[sample_random(&seed) % (k < 9 ? 2 : 5)];
			/* no two are equal */
			snprintf(text[i] + len, sizeof text[i] - len, "/%u", i);
			path[i] = text[i];
		}
		uint32_t *order = path_sort(path, n);
		for (uint32_t i = 1; i < n; i++)
			assert_true(strcmp(path[order[i - 1]], path[order[i]]) < 0);
		free(order);
	}
}

/* As long as a trace can tell a name, and alike up to the last byte. */
static void long_ones(void **state)
{
	(void)state;
	enum { N = 3, LEN = 16 << 20 };
	char *text[N];
	for (uint32_t i = 0; i < N; i++) {
		text[i] = malloc(LEN + 2);
		assert_non_null(text[i]);
		memset(text[i], 'a', LEN);
		strcpy(text[i] + LEN, i == 1 ? "" : i ? "b" : "c");
	}
	uint32_t *order = path_sort((const char *const *)text, N);
	assert_true(order[0] == 1 && order[1] == 2 && order[2] == 0);
	free(order);
	for (uint32_t i = 0; i < N; i++)
		free(text[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(as_strcmp),
					   cmocka_unit_test(long_ones)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
