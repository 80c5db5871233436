/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page is well-formed, self-contained, accessible as far as a program can check, and shows
 * hostile names as text. With and without gnuplot. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/figures/figure.h"
#include "reports/forms.h"
#include "validate/analysis/courses.h"
#include "validate/components/component.h"

static char *page_of(const struct fixture *f, bool gnuplot)
{
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	const char *path = getenv("PATH");
	char *kept = xstrdup(path ? path : "/usr/bin:/bin");
	if (!gnuplot)
		setenv("PATH", "/proc/nonexistent", 1);
	FILE *out = open_memstream(&text, &len);
	int ret = report_form_find("html")->print(&f->analysis, out, &e);
	fclose(out);
	setenv("PATH", kept, 1);
	free(kept);
	if (ret)
		fail_msg("%s", e.msg);
	return text;
}

static char *page(enum fixture_kind kind, bool gnuplot)
{
	struct fixture f;
	fixture_make(&f, kind);
	char *text = page_of(&f, gnuplot);
	fixture_release(&f);
	return text;
}

static bool is_void(const char *tag, size_t len)
{
	static const char *const names[] = {"meta", "br", "hr", "img", "link"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strlen(names[i]) == len && !strncmp(names[i], tag, len))
			return true;
	return false;
}

/* Every tag is closed in order, and every & begins a reference that this program writes. */
static void check_nesting(const char *html)
{
	struct {
		const char *name;
		size_t len;
	} open[200];
	size_t depth = 0;
	for (const char *p = html; *p; p++) {
		if (*p == '&')
			assert_true(!strncmp(p, "&lt;", 4) || !strncmp(p, "&gt;", 4) ||
				    !strncmp(p, "&amp;", 5) || !strncmp(p, "&quot;", 6) ||
				    !strncmp(p, "&#39;", 5));
		if (!strncmp(p, "<style>", 7)) {
			p = strstr(p, "</style>") + 7;
			continue;
		}
		if (*p != '<' || p[1] == '!')
			continue;
		bool close = p[1] == '/';
		const char *name = p + 1 + close, *end = strchr(p, '>');
		size_t len = 0;
		while (isalnum((unsigned char)name[len]))
			len++;
		assert_non_null(end);
		assert_true(len > 0);
		if (close) {
			assert_true(depth > 0);
			depth--;
			if (open[depth].len != len || strncmp(open[depth].name, name, len))
				fail_msg("<%.*s> closed by </%.*s>", (int)open[depth].len,
					 open[depth].name, (int)len, name);
		} else if (end[-1] != '/' && !is_void(name, len)) {
			assert_true(depth < 200);
			open[depth].name = name;
			open[depth++].len = len;
		}
		p = end;
	}
	assert_int_equal(depth, 0);
}

/* Values of an attribute, one after another; the caller frees each. */
static char *next_attribute(const char **p, const char *name)
{
	char *key = xasprintf(" %s=", name);
	const char *at = strstr(*p, key);
	char *value = NULL;
	if (at) {
		at += strlen(key);
		char quote = *at++;
		size_t len = strcspn(at, (char[]){quote, 0});
		value = strndup(at, len);
		*p = at + len;
	}
	free(key);
	return value;
}

static void check_links(const char *html)
{
	char *value;
	for (const char *p = html; (value = next_attribute(&p, "href")); free(value)) {
		if (*value == '#') {
			char *id = xasprintf(" id=\"%s\"", value + 1);
			if (!strstr(html, id))
				fail_msg("nothing has the id of %s", value);
			free(id);
		} else {
			assert_null(strstr(value, ":"));
			assert_true(!strncmp(value, "tables/", 7) ||
				    !strcmp(value, "report.json") || !strcmp(value, "summary.txt"));
		}
	}
	for (const char *p = html; (value = next_attribute(&p, "id")); free(value)) {
		char *id = xasprintf(" id=\"%s\"", value);
		const char *first = strstr(html, id);
		assert_non_null(first);
		if (strstr(first + 1, id))
			fail_msg("id %s twice", value);
		free(id);
	}
}

static void check_self_contained(const char *html)
{
	assert_null(strstr(html, "<script"));
	assert_null(strstr(html, "<img"));
	assert_null(strstr(html, "<link"));
	assert_null(strstr(html, "http://"));
	assert_null(strstr(html, "https://"));
	assert_null(strstr(html, "url("));
	assert_null(strstr(html, "@import"));
	for (const char *p = html; (p = strchr(p, '<')); p++) {
		char *tag = strndup(p, strcspn(p, ">"));
		assert_null(strstr(tag, " src="));
		assert_null(strstr(tag, " onload="));
		assert_null(strstr(tag, " onerror="));
		assert_null(strstr(tag, " onclick="));
		assert_null(strstr(tag, "javascript"));
		free(tag);
	}
}

static void check_accessible(const char *html)
{
	assert_non_null(strstr(html, "<html lang=\"en\">"));
	assert_non_null(strstr(html, "<meta name=\"viewport\""));
	assert_non_null(strstr(html, "prefers-color-scheme:dark"));
	assert_non_null(strstr(html, "@media print"));
	for (const char *p = html; (p = strstr(p, "<th")); p++)
		if (p[3] == ' ' || p[3] == '>')
			assert_int_equal(strncmp(p, "<th scope=", 10), 0);
	/* the title of a column does not break between a number and "%" */
	for (const char *p = html; (p = strstr(p, "<th scope=\"col\"")); p++) {
		char *title = strndup(p, (size_t)(strstr(p, "</th>") - p));
		assert_null(strstr(title, " %"));
		free(title);
	}
	for (const char *p = html; (p = strstr(p, "<div class=\"scroll\"")); p++)
		assert_int_equal(
		    strncmp(p + 19, " tabindex=\"0\" role=\"region\" aria-label=\"", 40), 0);
	for (const char *p = html; (p = strstr(p, "<svg")); p++) {
		const char *end = strchr(p, '>');
		char *tag = strndup(p, (size_t)(end - p));
		assert_true(strstr(tag, "aria-hidden=\"true\"") ||
			    (strstr(tag, "role=\"img\"") && strstr(tag, "aria-label=\"")));
		free(tag);
	}
}

static void check_page(enum fixture_kind kind, bool gnuplot)
{
	char *html = page(kind, gnuplot);
	check_nesting(html);
	check_links(html);
	check_self_contained(html);
	check_accessible(html);
	assert_null(strstr(html, "stroke-linejoin=\"miter\"")); /* in each group of gnuplot */
	for (int step = 1; step <= 6; step++) {
		char *id = xasprintf("<summary>%d ", step);
		const char *summary = strstr(html, id);
		free(id);
		id = xasprintf("<div id=\"step-%d\">", step);
		assert_non_null(summary);
		/* inside a closed part: a link to it opens the part */
		assert_non_null(strstr(summary, id));
		free(id);
	}
	free(html);
}

static void pages_without_gnuplot_are_whole_and_say_what_is_missing(void **state)
{
	(void)state;
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++)
		check_page(kind, false);
	char *html = page(FIXTURE_QUICK, false);
	assert_non_null(strstr(html, "missing here (gnuplot was not found)"));
	assert_non_null(strstr(html, "<figure class=\"sources\">")); /* which we draw ourselves */
	assert_null(strstr(html, "<figure class=\"runs\">"));
	free(html);
}

static void pages_with_gnuplot_are_whole(void **state)
{
	(void)state;
	if (!figure_gnuplot_found())
		skip();
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++)
		check_page(kind, true);
	char *html = page(FIXTURE_QUICK, true);
	assert_null(strstr(html, "missing here"));
	assert_non_null(strstr(html, "<figure class=\"concurrency\">"));
	assert_non_null(strstr(html, "<figure class=\"runs\">"));
	assert_null(strstr(html, "rgb(")); /* every colour depends on the theme */
	free(html);
}

/* Large campaigns have no courses over time. A plot without a point stops gnuplot, and then all
 * figures are drawn one by one. */
static void courses_that_are_not_there_are_not_drawn(void **state)
{
	(void)state;
	struct fixture f;
	struct figures fs;
	fixture_make(&f, FIXTURE_QUICK);
	assert_null(f.analysis.course);
	struct course *course = xcalloc(f.analysis.n_cells, sizeof *course);
	double rates[2] = {1, 2};
	f.analysis.course = course;
	for (int drawn = 0; drawn < 2; drawn++) {
		size_t n = 0;
		for (size_t i = 0; drawn && i < f.analysis.n_cells; i++)
			course[i] = (struct course){.n = 2,
						    .width_s = 1,
						    .recorded = rates,
						    .program = rates,
						    .replay = rates};
		figures_build(&fs, &f.analysis);
		for (size_t i = 0; i < fs.n; i++)
			n += !strcmp(fs.figure[i].section, "pace") ||
			     !strcmp(fs.figure[i].section, "in-flight-time");
		assert_int_equal(n > 0, drawn);
		figures_release(&fs);
	}
	f.analysis.course = NULL;
	free(course);
	fixture_release(&f);
}

/* The bias over the level is shown with the interval that decides, not with the narrower interval
 * of the table. */
static void the_bias_over_the_level_has_the_deciding_interval(void **state)
{
	(void)state;
	struct fixture f;
	fixture_make(&f, FIXTURE_QUICK);
	struct component *c =
	    &f.analysis.cell[f.analysis.linearity[0].level[0].cell].component[COMPONENT_BIAS];
	c->estimate = (struct estimate){.value = 0.01, .lo90 = -0.02, .hi90 = 0.04, .lo95 = -0.03125, .hi95 = 0.0625};
	c->accept_lo = -0.4321;
	c->accept_hi = 0.5678;
	static const struct {
		enum decision decision;
		const char *limits;
	} rows[] = {{DECISION_ACCEPT, "-43.21 56.78"}, {DECISION_INCONCLUSIVE, "-43.21 56.78"},
		    {DECISION_REJECT, "-3.125 6.25"}, {DECISION_NOT_ASSESSED, "-3.125 6.25"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct figures fs;
		c->decision = rows[i].decision;
		figures_build(&fs, &f.analysis);
		const struct figure *figure = figure_find(&fs, "linearity-1");
		if (!figure || !strstr(figure->data.s, rows[i].limits))
			fail_msg("row %zu: not %s in: %s", i, rows[i].limits,
				 figure ? figure->data.s : "no figure");
		figures_release(&fs);
	}
	fixture_release(&f);
}

static void hostile_names_are_text(void **state)
{
	(void)state;
	char *html = page(FIXTURE_AWKWARD, figure_gnuplot_found());
	assert_non_null(strstr(html, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
	assert_non_null(strstr(html, "&lt;img src=x onerror=alert(1)&gt;"));
	assert_non_null(strstr(html, "zero reference"));
	assert_non_null(strstr(html, "The campaign is incomplete"));
	assert_non_null(strstr(html, "The capture lost 77 events"));
	assert_null(strstr(html, "nan"));
	for (const char *p = html; *p; p++)
		assert_true((unsigned char)*p >= 0x20 || *p == '\n' || *p == '\t');
	free(html);
}

static void the_verdict_comes_first(void **state)
{
	(void)state;
	char *html = page(FIXTURE_QUICK, false);
	const char *verdict = strstr(html, "<p class=\"big\">? Trusted in 14 of 16 cases; 2 "
					   "inconclusive (look right, not proven)</p>");
	assert_non_null(verdict);
	assert_true(verdict < strstr(html, "<h2"));
	assert_non_null(strstr(html, "<b>Not assessed or not applicable:</b> issue error "
				     "and share late"));
	free(html);
	html = page(FIXTURE_EMPTY, false);
	assert_non_null(strstr(html, "Nothing could be judged"));
	free(html);
}

/* The page explains the rule of each component. */
static void every_rule_is_explained(void **state)
{
	(void)state;
	char *html = page(FIXTURE_QUICK, false);
	for (size_t k = 0; k < COMPONENT_N; k++) {
		const char *rule = components[k]->rule;
		char *term = xasprintf("<dt>%.*s</dt>\n<dd><b>Accepted:</b>",
				       (int)strcspn(rule, ",."), rule);
		if (!strstr(html, term))
			fail_msg("%s: no explanation of '%s'", component_names[k], rule);
		free(term);
	}
	free(html);
}

static size_t count(const char *html, const char *text)
{
	size_t n = 0;
	for (const char *p = html; (p = strstr(p, text)); p++)
		n++;
	return n;
}

/* Each case: a row of the heat map, a row of the strip, a section; at most four sections are
 * open. */
static void every_case_has_its_rows_and_its_section(void **state)
{
	(void)state;
	struct fixture f;
	char *html = page(FIXTURE_QUICK, false);
	fixture_make(&f, FIXTURE_QUICK);
	size_t n_assessed = 0;
	for (int k = 0; k < COMPONENT_N; k++)
		n_assessed += f.analysis.assessed[k];
	const char *strip = strstr(html, "<table class=\"strip\">");
	assert_true(strip && strstr(html, "<table class=\"map\"") < strip);
	for (size_t i = 1; i <= f.analysis.n_cells; i++) {
		char *link = xasprintf("href=\"#case-%zu\"", i);
		/* in the map: the verdict and each component; in the strip; possibly among the
		 * causes */
		assert_true(count(html, link) >= n_assessed + 2);
		assert_non_null(strstr(strip, link));
		free(link);
		char *section = xasprintf("<div id=\"case-%zu\">", i);
		assert_int_equal(count(html, section), 1);
		free(section);
	}
	assert_int_equal(count(html, "<details open>"), 4);
	assert_true(count(html, "<svg class=\"bar ") > 10 * f.analysis.n_cells);
	fixture_release(&f);
	free(html);
}

static void a_page_of_192_cases_stays_small(void **state)
{
	(void)state;
	char *html = page(FIXTURE_GRID, figure_gnuplot_found());
	size_t n = 0;
	for (const char *p = html; (p = strstr(p, "<figure")); p++)
		n++;
	assert_true(strlen(html) < 4u << 20);
	assert_true(n <= 80);
	free(html);
}

static void the_procedure_names_whole_runs_and_runs_in_slices(void **state)
{
	(void)state;
	struct fixture f;
	fixture_make(&f, FIXTURE_QUICK);
	for (int share = 0; share < 3; share++) { /* none in slices, half of them, all */
		for (size_t i = 0; i < f.results.n_runs; i++)
			f.results.run[i].sliced =
			    share == 2 || (share && i < f.results.n_runs / 2);
		char *html = page_of(&f, false);
		assert_true(!strstr(html, "<p>Whole runs follow") == (share == 2));
		assert_true(!strstr(html, "<p>Runs are divided into slices") == (share == 0));
		free(html);
	}
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pages_without_gnuplot_are_whole_and_say_what_is_missing),
	    cmocka_unit_test(pages_with_gnuplot_are_whole),
	    cmocka_unit_test(courses_that_are_not_there_are_not_drawn),
	    cmocka_unit_test(the_bias_over_the_level_has_the_deciding_interval),
	    cmocka_unit_test(hostile_names_are_text),
	    cmocka_unit_test(the_verdict_comes_first),
	    cmocka_unit_test(every_rule_is_explained),
	    cmocka_unit_test(every_case_has_its_rows_and_its_section),
	    cmocka_unit_test(a_page_of_192_cases_stays_small),
	    cmocka_unit_test(the_procedure_names_whole_runs_and_runs_in_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
