/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reports/reasons.h"
#include "reports/standard_words.h"
#include "reports/words.h"

static void an_empty_list_is_none(void **state)
{
	(void)state;
	struct results r = {.protocol.accept = accept_defaults};
	struct analysis a = {.results = &r};
	struct strbuf out = STRBUF_INIT;
	for (size_t k = 0; k < COMPONENT_N; k++)
		a.assessed[k] = true;
	words_add_components(&out, &a, false);
	assert_string_equal(out.s, "none");
	strbuf_reset(&out);
	a.assessed[COMPONENT_BIAS] = false;
	words_add_components(&out, &a, false);
	assert_string_equal(out.s, "bias");
	strbuf_release(&out);
}

static void large_numbers_have_no_exponent(void **state)
{
	(void)state;
	static const double number[] = {323, 1e5, -1234.5, 0.00001234, 99.6, 4.2};
	struct strbuf out = STRBUF_INIT;
	words_add_template(&out, "%.2g %.2g %+.3g %.2g %.2g %.3g", number, "", COMPONENT_N);
	assert_string_equal(out.s, "320 100000 -1230 1.2e-05 100 4.2");
	strbuf_release(&out);
}

static void a_p_value_differs_from_its_limit(void **state)
{
	(void)state;
	static const double number[] = {0.01008, 0.01, 0.0504, 0.05, 0.58, 0.01, 1, 0.05};
	struct strbuf out = STRBUF_INIT;
	words_add_template(&out, "%D %.2g %D %.3g %D %.2g %D %.2g", number, "", COMPONENT_N);
	assert_string_equal(out.s, "0.0101 0.01 0.0504 0.05 0.58 0.01 1 0.05");
	strbuf_release(&out);
}

/* The end of an interval beyond a limit of 10 % does not look equal to the limit. */
static void a_change_differs_from_a_whole_number(void **state)
{
	(void)state;
	static const double number[] = {-0.10007, 0.1, 0.1004, -0.12345, 0.0700001, 0, 1.163, 0.41};
	struct strbuf out = STRBUF_INIT;
	words_add_template(&out, "%C %C %C %C %C %C %C %P", number, "", COMPONENT_N);
	assert_string_equal(out.s, "-10.01 +10 +10.04 -12.3 +7 0 +116 41");
	strbuf_release(&out);
}

/* The shown shares add up: to the sum before them, and with program and replays to the whole. */
static void test_line(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT;
	json_t *o = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "total_s", 200.0, "program_s", 50.0,
			      "replay_s", 100.0, "sync_s", 30.0, "start_s", 14.0, "journal_s", 6.0);
	words_add_time(&text, NULL, 0.01);
	assert_int_equal(text.len, 0);
	words_add_time(&text, o, 0.01);
	assert_string_equal(text.s, "3 min 20 s: program 25 %, replays 50 %; other work 25 %: "
				    "syncing 15 %, starting processes 7 %, journal 3 %");
	strbuf_reset(&text);
	words_add_time(&text, o, 0.1);
	assert_string_equal(text.s, "3 min 20 s: program 25 %, replays 50 %; other work 25 %: "
				    "syncing 15 %, the rest 10 %");
	json_decref(o);
	/* also if each share would be rounded down */
	o = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "total_s", 1000.0, "program_s", 304.0,
		      "replay_s", 304.0, "sync_s", 134.0, "start_s", 124.0, "evict_s", 114.0,
		      "journal_s", 20.0);
	strbuf_reset(&text);
	words_add_time(&text, o, 0.1);
	double whole = 0, other = NAN, parts = 0;
	const char *const work = strstr(text.s, "other work ");
	assert_non_null(work);
	for (const char *at = text.s; (at = strchr(at, '%')); at++) {
		const char *begin = at;
		while (begin > text.s && strchr("0123456789 ", begin[-1]))
			begin--;
		const double percent = strtod(begin, NULL);
		if (begin < work)
			whole += percent;
		else if (isnan(other))
			other = percent;
		else
			parts += percent;
	}
	if (!(other == parts && whole + other == 100))
		fail_msg("%s", text.s);
	strbuf_release(&text);
	json_decref(o);
}

/* Every component has words for its deviations. */
static void a_deviation_has_words(void **state)
{
	(void)state;
	for (int k = 0; k < COMPONENT_N; k++)
		assert_true(component_words[k].above && strstr(component_words[k].above, "%s"));
}

static void an_invalid_point_has_a_reason(void **state)
{
	(void)state;
	static const char *const words[] = {"", "too few measurements of the point",
					    "|bias| + U is 3.5 % (limit 2 %)",
					    "p99 of the excess over the programmed time is 60 us "
					    "(limit 50 us)",
					    "the check of the lead (the time by which the server "
					    "answers earlier than programmed) failed in 4 of 6 "
					    "measurements at this point (permitted: at most half "
					    "of them)"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		struct standard_point p = {.service_ns = 200000, .fault = (enum standard_fault)i,
					   .bias = -0.03, .expanded = 0.005,
					   .excess_p99_ns = 60000, .n_unsteady = 4, .n_visits = 6};
		standard_word(&(struct standard){.point = &p, .n = 1});
		assert_string_equal(p.reason, words[i]);
	}
}

/* a time is shorter or longer in the replay; other causes have their direction in their name */
static void a_cause_states_its_direction(void **state)
{
	(void)state;
	struct why w = {.main = CAUSE_N};
	struct split *s = &w.split[SPLIT_RESPONSE];
	s->whole.value = -0.1;
	s->significant = true;
	s->n_parts = 3;
	s->part[0] = (struct why_part){
	    .name = WHY_CPU_WAIT, .part.value = -0.08, .share = 0.8};
	s->part[1] = (struct why_part){.name = WHY_STEAL, .part.value = 0.05, .share = -0.5};
	s->part[2] = (struct why_part){
	    .name = WHY_LESS_CONCURRENCY, .part.value = -0.07, .share = 0.7};
	struct strbuf out = STRBUF_INIT;
	words_add_why(&out, &w);
	assert_non_null(strstr(out.s, "8.0 % shorter because of less waiting for a CPU"));
	assert_non_null(strstr(out.s, "7.0 % shorter because of fewer requests in flight"));
	assert_non_null(
	    strstr(out.s, "5.0 % longer because of more time stolen by the hypervisor"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(an_empty_list_is_none),
					   cmocka_unit_test(large_numbers_have_no_exponent),
					   cmocka_unit_test(a_p_value_differs_from_its_limit),
					   cmocka_unit_test(a_change_differs_from_a_whole_number),
					   cmocka_unit_test(test_line),
					   cmocka_unit_test(a_deviation_has_words),
					   cmocka_unit_test(a_cause_states_its_direction),
					   cmocka_unit_test(an_invalid_point_has_a_reason)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
