/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of formats: every row is complete and described, and each format recognises its own
 * files only. */
#include "capture/format.h"
#include "tests/unit/capture/sample.h"

/* A file doc/formats/NAME.md, or `NAME` in a file that describes several formats. Tests run in the
 * source's root directory. */
static bool is_described(const char *name)
{
	static const char *const several[] = {"doc/formats/mapping.md", "doc/formats/blktrace.md",
					      "doc/formats/others.md",
					      "doc/formats/tracepoints.md"};
	char path[256], mark[64];
	size_t len;
	bool found = false;
	snprintf(path, sizeof path, "doc/formats/%s.md", name);
	snprintf(mark, sizeof mark, "`%s`", name);
	if (!access(path, R_OK))
		return true;
	for (size_t i = 0; i < sizeof several / sizeof *several && !found; i++)
		if (!access(several[i], R_OK)) {
			char *text = slurp(several[i], &len);
			found = strstr(text, mark) != NULL;
			free(text);
		}
	return found;
}

static void every_row_is_whole(void **state)
{
	(void)state;
	assert_non_null(trace_formats[0]);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		assert_true((*f)->name && *(*f)->name && (*f)->help && *(*f)->help);
		assert_true((*f)->bid || (*f)->write);
		assert_true(!(*f)->bid == !((*f)->open || (*f)->reader));
		assert_ptr_equal(format_find((*f)->name), *f);
		assert_true(is_described((*f)->name));
	}
	assert_null(format_find("no such format"));
	assert_null(format_find(""));
}

/* Each format recognises the files that it writes, and no other format does. Such a file is opened
 * in this format, independent of its name. */
static void each_format_recognises_its_own_files(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t, *again;
	write_sample(SCRATCH("t"), 10, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		size_t len;
		if (!(*f)->write || !(*f)->bid)
			continue;
		must((*f)->write(t, SCRATCH("misleading.name"), NULL, &e), &e);
		unsigned char *head = slurp(SCRATCH("misleading.name"), &len);
		for (const struct trace_format *const *g = trace_formats; *g; g++)
			if ((*g)->bid && ((*g)->bid(head, len, "misleading.name") > 0) != (f == g))
				fail_msg("%s %s a file of %s", (*g)->name,
					 f == g ? "does not claim" : "claims", (*f)->name);
		free(head);
		must(trace_open(&again, SCRATCH("misleading.name"), &e), &e);
		assert_ptr_equal(trace_format_of(again), *f);
		trace_close(again);
		must(trace_open_with(&again, *f, SCRATCH("misleading.name"), NULL, &e), &e);
		trace_close(again);
		unlink(SCRATCH("misleading.name"));
	}
	trace_close(t);
	unlink(SCRATCH("t"));
}

static void no_format_recognises_random_bytes(void **state)
{
	(void)state;
	unsigned char noise[300];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)(i * 151 + 7);
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		for (size_t len = 0; len < sizeof noise; len++)
			assert_int_equal((*f)->bid ? (*f)->bid(noise, len, "x") : 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_is_whole),
	    cmocka_unit_test(each_format_recognises_its_own_files),
	    cmocka_unit_test(no_format_recognises_random_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
