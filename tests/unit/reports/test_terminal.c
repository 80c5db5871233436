/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The summary on a terminal: golden texts, width and colour; hostile names stay text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "reports/escape.h"
#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/forms.h"
#include "reports/terminal/terminal.h"
#include "validate/analysis/why.h"

static void make(struct strbuf *out, enum fixture_kind kind, size_t width, bool color)
{
	struct fixture f;
	fixture_make(&f, kind);
	/* the tests must not depend on whether this machine has gnuplot */
	const char *old = getenv("PATH");
	char *path = xstrdup(old ? old : "/usr/bin:/bin");
	char *dir = scratch_make(), *program = xasprintf("%s/gnuplot", dir);
	struct err e = ERR_INIT;
	assert_non_null(program);
	assert_int_equal(file_write_atomic(program, "#!/bin/sh\n", 10, &e), 0);
	assert_int_equal(chmod(program, 0755), 0);
	setenv("PATH", dir, 1);
	terminal_add(out, &f.analysis, width, color, "results", "results");
	setenv("PATH", path, 1);
	free(program);
	scratch_remove(dir);
	free(path);
	fixture_release(&f);
}

static void golden(enum fixture_kind kind, const char *name)
{
	struct strbuf out = STRBUF_INIT;
	make(&out, kind, 100, false);
	golden_check(name, out.s);
	strbuf_release(&out);
}

static void quick_reads_as_kept(void **state)
{
	(void)state;
	golden(FIXTURE_QUICK, "summary-quick.txt");
}

/* No replay succeeded: that no request was lost is not known. */
static void failed_replays_have_no_count(void **state)
{
	(void)state;
	struct fixture f;
	struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
	fixture_make(&f, FIXTURE_QUICK);
	f.results.protocol.accept.n_mismatched = 0;
	struct cell *c = &f.analysis.cell[0];
	c->n_lost = c->n_extra = c->n_mismatched = 0;
	c->n_blocks = 8;
	terminal_add(&before, &f.analysis, 100, false, "results", "results");
	c->n_failed_replayer = 8;
	c->n_pairs = 0;
	terminal_add(&after, &f.analysis, 100, false, "results", "results");
	size_t n[2] = {0};
	const struct strbuf *const text[] = {&before, &after};
	for (int i = 0; i < 2; i++)
		for (const char *at = text[i]->s; (at = strstr(at, "undefined")); at++)
			n[i]++;
	assert_int_equal(n[1], n[0] + 1);
	strbuf_release(&before);
	strbuf_release(&after);
	fixture_release(&f);
}

static void a_grid_of_192_is_grouped_by_workload(void **state)
{
	(void)state;
	golden(FIXTURE_GRID, "summary-grid.txt");
}

static void awkward_reads_as_kept(void **state)
{
	(void)state;
	golden(FIXTURE_AWKWARD, "summary-awkward.txt");
}

static void a_campaign_without_cases(void **state)
{
	(void)state;
	golden(FIXTURE_EMPTY, "summary-empty.txt");
}

static void one_trusted_case_is_short(void **state)
{
	(void)state;
	golden(FIXTURE_TRUSTED, "summary-trusted.txt");
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	(void)state;
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++)
		for (size_t width = 80; width <= 100; width += 5) {
			struct strbuf out = STRBUF_INIT;
			make(&out, kind, width, false);
			for (char *line = strtok(out.s, "\n"); line; line = strtok(NULL, "\n"))
				if (text_width(line) > width)
					fail_msg("%zu columns wide: %s", text_width(line), line);
			strbuf_release(&out);
		}
}

static void a_grid_fits_a_screen_or_two(void **state)
{
	(void)state;
	struct strbuf out = STRBUF_INIT;
	size_t n = 0;
	make(&out, FIXTURE_GRID, 100, false);
	for (const char *p = out.s; *p; p++)
		n += *p == '\n';
	assert_in_range(n, 30, 75);
	strbuf_release(&out);
}

/* The title of a scenario has both means if the program runs of its cases differ by over 10 %. */
static void a_title_states_different_means(void **state)
{
	(void)state;
	struct fixture f;
	struct strbuf out = STRBUF_INIT;
	fixture_make(&f, FIXTURE_QUICK);
	assert_int_equal(f.analysis.cell[0].scenario, f.analysis.cell[1].scenario);
	f.analysis.cell[0].r.mean = 109300;
	f.analysis.cell[1].r.mean = 100000;
	terminal_add(&out, &f.analysis, 80, false, NULL, NULL);
	assert_non_null(strstr(out.s, " (program: mean response time 109.3 µs)\n"));
	f.analysis.cell[1].r.mean = 73890;
	strbuf_reset(&out);
	terminal_add(&out, &f.analysis, 80, false, NULL, NULL);
	assert_non_null(strstr(out.s, " (program: mean response time 73.89 µs to 109.3 µs, "
			"by case)\n"));
	f.analysis.cell[1].r.mean = 0;
	strbuf_reset(&out);
	terminal_add(&out, &f.analysis, 80, false, NULL, NULL);
	assert_non_null(strstr(out.s, " (program: mean response time 109.3 µs)\n"));
	fixture_release(&f);
	strbuf_release(&out);
}

/* Four cases, and the number of further cases; their numbers come from the components. */
static void six_differing_cases_are_counted(void **state)
{
	(void)state;
	struct fixture f;
	struct strbuf out = STRBUF_INIT;
	struct estimate part = {.value = 0.683, .lo95 = 0.6, .hi95 = 0.7};
	struct why_difference difference = {COMPONENT_OPERATION, "pwrite", &part, NULL};
	fixture_make(&f, FIXTURE_QUICK);
	f.analysis.why = xcalloc(f.analysis.n_cells, sizeof *f.analysis.why);
	for (size_t i = 0; i < f.analysis.n_cells; i++)
		f.analysis.why[i] = (struct why){.main = CAUSE_N, .shown = i < 6, .rejected = i < 6,
						 .difference = &difference, .n_differences = 1};
	terminal_add(&out, &f.analysis, 100, false, NULL, NULL);
	const char *at = strstr(out.s, "Why the replays differ\n");
	assert_non_null(at);
	for (int i = 0; i < 4; i++) {
		at = strstr(at, ":\n    pwrite takes 68 % longer\n");
		assert_non_null(at);
		at = strchr(at + strlen(":\n"), '\n');
	}
	assert_null(strstr(at, "pwrite"));
	assert_non_null(strstr(at, "\n  and 2 more cases in the report\n"));
	free(f.analysis.why);
	f.analysis.why = NULL;
	fixture_release(&f);
	strbuf_release(&out);
}

/* A column that no case of a row has shows a dash there, not the maximum of no values. */
static void a_grid_without_reordering_has_dashes(void **state)
{
	(void)state;
	struct fixture f;
	struct strbuf out = STRBUF_INIT;
	fixture_make(&f, FIXTURE_GRID);
	for (size_t i = 0; i < f.analysis.n_cells; i++)
		f.analysis.cell[i].component[COMPONENT_REORDERING].estimate =
		    (struct estimate){.status = STAT_NOT_APPLICABLE, .value = NAN};
	terminal_add(&out, &f.analysis, 100, false, NULL, NULL);
	assert_null(strstr(out.s, "∞"));
	assert_non_null(strstr(out.s, " –"));
	fixture_release(&f);
	strbuf_release(&out);
}

static void escape_sequences_come_from_us_only(void **state)
{
	(void)state;
	struct strbuf plain = STRBUF_INIT, colored = STRBUF_INIT;
	make(&plain, FIXTURE_AWKWARD, 100, false);
	assert_null(strchr(plain.s, '\x1b'));
	make(&colored, FIXTURE_AWKWARD, 100, true);
	assert_non_null(strstr(colored.s, "\x1b[1;31mTrusted in 13 of 16 cases; 1 not trusted"));
	for (const char *p = colored.s; (p = strchr(p, '\x1b')); p++)
		assert_true(!strncmp(p, "\x1b[0m", 4) || !strncmp(p, "\x1b[1m", 4) ||
			    !strncmp(p, "\x1b[1;31m", 7) || !strncmp(p, "\x1b[31m", 5) ||
			    !strncmp(p, "\x1b[32m", 5) || !strncmp(p, "\x1b[33m", 5));
	strbuf_release(&plain);
	strbuf_release(&colored);
}

static void a_file_gets_no_colour_and_a_full_disk_is_an_error(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	char *text = NULL;
	size_t len = 0;
	const struct report_form *form = report_form_find("terminal");
	fixture_make(&f, FIXTURE_QUICK);
	FILE *out = open_memstream(&text, &len);
	setenv("TERM", "xterm", 1);
	assert_int_equal(form->print(&f.analysis, out, &e), 0);
	fclose(out);
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "/nowhere/report/index.html"));
	free(text);
	out = fopen("/dev/full", "w");
	assert_non_null(out);
	assert_true(form->print(&f.analysis, out, &e) < 0);
	assert_non_null(strstr(e.msg, "No space left"));
	fclose(out);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(failed_replays_have_no_count),
	    cmocka_unit_test(quick_reads_as_kept),
	    cmocka_unit_test(a_grid_of_192_is_grouped_by_workload),
	    cmocka_unit_test(awkward_reads_as_kept),
	    cmocka_unit_test(a_campaign_without_cases),
	    cmocka_unit_test(one_trusted_case_is_short),
	    cmocka_unit_test(no_line_is_wider_than_the_terminal),
	    cmocka_unit_test(a_grid_fits_a_screen_or_two),
	    cmocka_unit_test(a_grid_without_reordering_has_dashes),
	    cmocka_unit_test(a_title_states_different_means),
	    cmocka_unit_test(six_differing_cases_are_counted),
	    cmocka_unit_test(escape_sequences_come_from_us_only),
	    cmocka_unit_test(a_file_gets_no_colour_and_a_full_disk_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
