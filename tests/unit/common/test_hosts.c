/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists and files that name hosts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "common/hosts.h"

static void expect_names(const char *text, const char *const *name)
{
	struct words_list w;
	struct err e = ERR_INIT;
	size_t n = 0;
	assert_int_equal(hosts_parse(text, &w, &e), 0);
	for (; name[n]; n++) {
		assert_true(n < w.n);
		assert_string_equal(w.v[n], name[n]);
	}
	assert_int_equal(w.n, n);
	words_list_release(&w);
}

static void lists(void **state)
{
	(void)state;
	expect_names("a", (const char *const[]){"a", NULL});
	expect_names("a, user@b.example", (const char *const[]){"a", "user@b.example", NULL});
	expect_names("node[08-11]", (const char *const[]){"node08", "node09", "node10", "node11", NULL});
	expect_names("n[9-10],m", (const char *const[]){"n9", "n10", "m", NULL});
	expect_names("r[1-2]n[3,5]x", (const char *const[]){"r1n3x", "r1n5x", "r2n3x", "r2n5x", NULL});
}

static void wrong_lists(void **state)
{
	(void)state;
	static const struct {
		const char *text, *part;
	} wrong[] = {
		{"", "empty"},
		{"a,,b", "empty"},
		{"a,a", "a occurs twice"},
		{"n[1-2],n2", "n2 occurs twice"},
		{"n[1-", "no ]"},
		{"n[2-1]", "[2-1]"},
		{"n[]", "empty"},
		{"n[a-b]", "[a-b]"},
		{"n[1-2-3]", "[1-2-3]"},
		{"n[1 2]", "[1 2]"},
		{"-oProxyCommand=x", "not the name"},
		{"a;b", "not the name"},
		{".x", "not the name"},
		{"n[0-999999999]", "more than 256 hosts"},
	};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct words_list w;
		struct err e = ERR_INIT;
		const int ret = hosts_parse(wrong[i].text, &w, &e);
		if (ret >= 0 || !strstr(e.msg, wrong[i].part))
			print_message("\"%s\": %d, %s\n", wrong[i].text, ret, e.msg);
		assert_true(ret < 0);
		assert_non_null(strstr(e.msg, wrong[i].part));
	}
}

static void files(void **state)
{
	(void)state;
	static const char text[] = "# all\nhosta slots=4\n\n  n[1-2] # two\r\nlast";
	char *dir = temp_dir_make(), *path = xasprintf("%s/list", dir);
	file_put(dir, "list", text, sizeof text - 1);
	expect_names(path, (const char *const[]){"hosta", "n1", "n2", "last", NULL});
	struct words_list w;
	struct err e = ERR_INIT;
	assert_int_equal(hosts_parse("/nothing/here", &w, &e), -ENOENT);
	free(path);
	temp_dir_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(wrong_lists),
		cmocka_unit_test(files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
