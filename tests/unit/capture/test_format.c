/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of formats: every row is whole and described, and knows its own files from the others'. */
#include "capture/format.h"
#include "tests/unit/capture/sample.h"

static void every_row_is_whole(void **state)
{
	(void)state;
	char path[256];
	assert_non_null(trace_formats[0]);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		assert_true((*f)->name && *(*f)->name && (*f)->help && *(*f)->help);
		assert_non_null((*f)->bid);
		assert_non_null((*f)->open);
		assert_ptr_equal(format_find((*f)->name), *f);
		snprintf(path, sizeof path, "doc/formats/%s.md", (*f)->name); /* tests run at the source's root */
		assert_int_equal(access(path, R_OK), 0);
	}
	assert_null(format_find("no such format"));
	assert_null(format_find(""));
}

/* What each format writes, it claims, and no other does; and it is opened by that claim, whatever it is called. */
static void each_claims_its_own(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t, *again;
	write_sample(SCRATCH("t"), 10, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		size_t len;
		if (!(*f)->write)
			continue;
		must((*f)->write(t, SCRATCH("misleading.name"), &e), &e);
		unsigned char *head = slurp(SCRATCH("misleading.name"), &len);
		for (const struct trace_format *const *g = trace_formats; *g; g++)
			assert_true(((*g)->bid(head, len, "misleading.name") > 0) == (f == g));
		free(head);
		must(trace_open(&again, SCRATCH("misleading.name"), &e), &e);
		assert_ptr_equal(trace_format_of(again), *f);
		trace_close(again);
		must(trace_open_as(&again, *f, SCRATCH("misleading.name"), &e), &e);
		trace_close(again);
		unlink(SCRATCH("misleading.name"));
	}
	trace_close(t);
	unlink(SCRATCH("t"));
}

static void nobody_claims_noise(void **state)
{
	(void)state;
	unsigned char noise[300];
	for (size_t i = 0; i < sizeof noise; i++)
		noise[i] = (unsigned char)(i * 151 + 7);
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		for (size_t len = 0; len < sizeof noise; len++)
			assert_int_equal((*f)->bid(noise, len, "x"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_row_is_whole),
	    cmocka_unit_test(each_claims_its_own),
	    cmocka_unit_test(nobody_claims_noise),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
