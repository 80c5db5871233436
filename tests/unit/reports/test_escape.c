/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "reports/escape.h"

#define GIVES(call, expected)                                                                                          \
	do {                                                                                                           \
		struct strbuf b = STRBUF_INIT;                                                                         \
		struct strbuf *out = &b;                                                                               \
		call;                                                                                                  \
		assert_string_equal(b.s, expected);                                                                    \
		strbuf_release(&b);                                                                                    \
	} while (0)

static void html_shows_the_input_and_runs_nothing(void **state)
{
	(void)state;
	GIVES(escape_html(out, "<script>alert('x')</script> & \"q\""),
	      "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;q&quot;");
	GIVES(escape_html(out, "&lt; &#60;"), "&amp;lt; &amp;#60;");
	GIVES(escape_html(out, "a\nb\tc"), "a b c");
	GIVES(escape_html_text(out, "a\nb\t<c>\r"), "a\nb\t&lt;c&gt;");
	GIVES(escape_html(out, "ä€😀"), "ä€😀");
	GIVES(escape_html(out, ""), "");
	GIVES(html_addf(out, "<b title=\"%s\">%zu %%</b>%s", "a\"<", (size_t)5, "&%s"),
	      "<b title=\"a&quot;&lt;\">5 %</b>&amp;%s");
}

static void invalid_utf8_is_replaced(void **state)
{
	(void)state;
	GIVES(escape_line(out, "a\xff z"), "a\xef\xbf\xbd z");
	/* overlong */
	GIVES(escape_line(out, "\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
	/* surrogate */
	GIVES(escape_line(out, "\xed\xa0\x80"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	GIVES(escape_line(out, "\xf4\x90\x80\x80!"),
	      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!");
	GIVES(escape_line(out, "cut \xe2\x82"), "cut \xef\xbf\xbd\xef\xbf\xbd");
	GIVES(escape_line(out, "\xc3\xa4"), "ä");
	GIVES(escape_bytes(out, "\xc3\xa4::\xef\xbf\xbd \n\xc3 \xc2\x9b\xe2\x80\xae"),
	      "ä::\xef\xbf\xbd \\x0a\\xc3 \\xc2\\x9b\\xe2\\x80\\xae");
}

static void terminals_are_sent_no_commands(void **state)
{
	(void)state;
	GIVES(escape_line(out, "\x1b[31mred\x07 \x9b"), " [31mred  \xef\xbf\xbd");
	GIVES(escape_line(out, "\xc2\x9b"
			       "31m"),
	      " 31m"); /* C1 control sequence introducer */
	GIVES(escape_line(out, "abc\xe2\x80\xae"
			       "fed"),
	      "abc fed"); /* right-to-left override */
	GIVES(escape_text(out, "a\nb\x1b"
			       "c"),
	      "a\nbc");
}

/* "::" begins a command of GitHub Actions at the beginning of a line; "##[" and "##vso[" begin
 * commands of two services anywhere. */
static void ci_services_are_given_no_commands(void **state)
{
	(void)state;
	static void (*const escapes[])(struct strbuf *, const char *) = {
	    escape_line, escape_text, escape_html, escape_html_text, escape_latex, escape_gnuplot};
	static const char *const texts[] = {"::error::x",       "a\n::set-output name=a::b",
					    ":\001:error::x",   "##[error]x",
					    "a ##vso[task.x]y", "#\002#[x]",
					    ":::error::x"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct strbuf csv = STRBUF_INIT;
		for (size_t k = 0; k < sizeof escapes / sizeof *escapes; k++) {
			struct strbuf out = STRBUF_INIT;
			escapes[k](&out, texts[i]);
			assert_null(strstr(out.s, "::"));
			assert_null(strstr(out.s, "##["));
			assert_null(strstr(out.s, "##vso["));
			strbuf_release(&out);
		}
		escape_csv(&csv, texts[i], 1);
		assert_null(strstr(csv.s, "::"));
		assert_null(strstr(csv.s, "##["));
		assert_null(strstr(csv.s, "##vso["));
		strbuf_release(&csv);
	}
}

static void latex_sets_every_sign(void **state)
{
	(void)state;
	GIVES(escape_latex(out, "50 % of $x_1 & #2 {a}~^\\"),
	      "50 \\% of \\$x\\_1 \\& \\#2 "
	      "\\{a\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
	GIVES(escape_latex(out, "\\input{/etc/passwd}"), "\\textbackslash{}input\\{/etc/passwd\\}");
	GIVES(escape_latex(out, "1 ± 2 µs −3 ∞"), "1 $\\pm$ 2 \\textmu{}s $-$3 $\\infty$");
	GIVES(escape_latex(out, "ä 漢"), "ä U+6F22");
	GIVES(escape_latex(out, "--"), "{-}{-}"); /* no ligature */
}

static void csv_is_quoted_and_starts_no_formula(void **state)
{
	(void)state;
	GIVES(escape_csv(out, "plain", 1), "plain");
	GIVES(escape_csv(out, "a,b", 1), "\"a,b\"");
	GIVES(escape_csv(out, "say \"x\"", 1), "\"say \"\"x\"\"\"");
	GIVES(escape_csv(out, "two\nlines", 1), "\"two\nlines\"");
	GIVES(escape_csv(out, "=1+1", 1), "\"'=1+1\"");
	GIVES(escape_csv(out, "@x", 1), "\"'@x\"");
	GIVES(escape_csv(out, "-2", 1), "\"'-2\"");
	GIVES(escape_csv(out, "\x01=1", 1), "\"'=1\"");
	GIVES(escape_csv(out, "=1", 0), "=1");
	GIVES(escape_csv(out, " x", 1), "\" x\"");
}

static void gnuplot_strings_end_where_they_should(void **state)
{
	(void)state;
	GIVES(escape_gnuplot(out, "it's"), "it''s");
	GIVES(escape_gnuplot(out, "`touch x` $(id) @m \\n"), "‘touch x‘ $(id) @m \\n");
	GIVES(escape_gnuplot(out, "a\nb"), "a b");
}

static void widths_are_columns(void **state)
{
	(void)state;
	assert_int_equal(text_width("abc"), 3);
	assert_int_equal(text_width("µs ±"), 4);
	assert_int_equal(text_width("漢字"), 4);
	assert_int_equal(text_width("e\xcc\x81"), 1); /* combining acute */
	GIVES(text_cut(out, "abcdef", 6), "abcdef");
	GIVES(text_cut(out, "abcdef", 5), "abcd…");
	GIVES(text_cut(out, "漢字漢字", 5), "漢字…");
	GIVES(text_cut(out, "漢字漢字", 4), "漢…");
	GIVES(text_cut_name(out, "abcdefghij", 10), "abcdefghij");
	GIVES(text_cut_name(out, "abcdefghijk", 10), "abc…fghijk");
	GIVES(text_cut_name(out, "abcdefghijklm\n", 10), "abc…ijklm ");
	GIVES(text_cut_name(out, "漢字漢字漢字", 8), "漢…漢字"); /* half a letter is none */
	GIVES(text_cut_name(out, "漢字漢字漢字", 9), "漢…字漢字");
	GIVES(text_cut_name(out, "e\u0301e\u0301e\u0301e\u0301", 3), "…e\u0301e\u0301");
	GIVES(text_cut_name(out, "abc", 1), "…");
	GIVES(text_cut_name(out, "abc", 0), "");
}

static void lines_wrap_at_blanks_and_never_grow_too_long(void **state)
{
	(void)state;
	GIVES(text_wrap(out, "one two three four", 0, 2, 10), "one two\n  three\n  four");
	GIVES(text_wrap(out, "aaaaaaaaaaaaaaaaaaaaaaaa b", 0, 2, 12),
	      "aaaaaaaaaaaa\n  aaaaaaaaaa\n  aa b");
	GIVES(text_wrap(out, "x", 9, 0, 10), "x");
	GIVES(text_wrap(out, "xy z", 9, 0, 10), "\nxy z");
	GIVES(text_wrap(out, "", 0, 0, 10), "");
	GIVES(text_wrap(out, "  a   b  ", 0, 0, 10), "a b");
}

/* Any input gives valid text: UTF-8, without control characters, and for HTML with all five special
 * characters escaped. */
static void random_bytes_give_text(void **state)
{
	(void)state;
	static void (*const escapes[])(struct strbuf *, const char *) = {
	    escape_line, escape_html, escape_latex, escape_gnuplot};
	uint32_t seed = 1;
	for (int round = 0; round < 20000; round++) {
		char bytes[17];
		for (size_t i = 0; i < 16; i++) {
			seed = seed * 1664525u + 1013904223u;
			bytes[i] = (char)(seed >> 24);
		}
		bytes[16] = 0;
		for (size_t k = 0; k < sizeof escapes / sizeof escapes[0]; k++) {
			struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT;
			escapes[k](&once, bytes);
			assert_int_equal(strlen(once.s), once.len);
			for (const char *p = once.s; *p; p++)
				assert_true((unsigned char)*p >= 0x20 && *p != 0x7f);
			escape_line(&twice, once.s); /* valid text is unchanged */
			assert_string_equal(once.s, twice.s);
			if (k == 1)
				assert_null(strpbrk(once.s, "<>\"'"));
			strbuf_release(&once);
			strbuf_release(&twice);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(html_shows_the_input_and_runs_nothing),
	    cmocka_unit_test(invalid_utf8_is_replaced),
	    cmocka_unit_test(terminals_are_sent_no_commands),
	    cmocka_unit_test(ci_services_are_given_no_commands),
		cmocka_unit_test(latex_sets_every_sign),
	    cmocka_unit_test(csv_is_quoted_and_starts_no_formula),
	    cmocka_unit_test(gnuplot_strings_end_where_they_should),
	    cmocka_unit_test(widths_are_columns),
	    cmocka_unit_test(random_bytes_give_text),
	    cmocka_unit_test(lines_wrap_at_blanks_and_never_grow_too_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
