/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "common/strbuf.h"

static void an_empty_buffer_is_a_string(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	assert_string_equal(b.s, "");
	strbuf_reset(&b);
	strbuf_release(&b);
	strbuf_release(&b);
	char *s = strbuf_detach(&b);
	assert_string_equal(s, "");
	free(s);
	assert_string_equal(strbuf_empty, "");
}

static void it_grows_and_stays_terminated(void **state)
{
	(void)state;
	struct strbuf b;
	strbuf_init(&b);
	for (int i = 0; i < 10000; i++) {
		strbuf_addch(&b, (char)('a' + i % 26));
		assert_int_equal(b.s[b.len], 0);
	}
	assert_int_equal(b.len, 10000);
	for (int i = 0; i < 10000; i++)
		assert_int_equal(b.s[i], 'a' + i % 26);
	strbuf_release(&b);
}

static void bytes_may_be_zero(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, "a\0b", 3);
	strbuf_add(&b, NULL, 0);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.s, "a\0b", 4);
	strbuf_release(&b);
}

static void formats_append(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	strbuf_addstr(&b, "x=");
	strbuf_addf(&b, "%d %s", 42, "and");
	strbuf_addf(&b, "%200d", 7); /* longer than the remaining room */
	assert_int_equal(b.len, 8 + 200);
	assert_int_equal(strncmp(b.s, "x=42 and   ", 11), 0);
	assert_int_equal(b.s[207], '7');
	strbuf_reset(&b);
	assert_string_equal(b.s, "");
	assert_true(b.cap > 200);
	strbuf_release(&b);
}

static void detach_gives_the_memory_away(void **state)
{
	(void)state;
	struct strbuf b = STRBUF_INIT;
	strbuf_addstr(&b, "mine");
	char *s = strbuf_detach(&b);
	strbuf_addstr(&b, "next");
	assert_string_equal(s, "mine");
	assert_string_equal(b.s, "next");
	free(s);
	strbuf_release(&b);
}

static void words_have_a_blank_between_them(void **state)
{
	(void)state;
	char *const words[] = {"", "a b", "", "c", NULL};
	struct strbuf b = STRBUF_INIT;
	strbuf_addwords(&b, NULL);
	assert_string_equal(b.s, "");
	strbuf_addstr(&b, "x:");
	strbuf_addwords(&b, words);
	assert_string_equal(b.s, "x: a b  c");
	strbuf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_empty_buffer_is_a_string),
	    cmocka_unit_test(it_grows_and_stays_terminated),
	    cmocka_unit_test(bytes_may_be_zero),
	    cmocka_unit_test(formats_append),
	    cmocka_unit_test(detach_gives_the_memory_away),
	    cmocka_unit_test(words_have_a_blank_between_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
