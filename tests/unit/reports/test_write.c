/* SPDX-License-Identifier: GPL-3.0-or-later */
/* long: 10 s */
/* The directory report/: equal bytes each time, complete or unchanged, with and without gnuplot. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/reports/fixture.c"
#include "tests/unit/reports/golden.h"

#include "reports/figures/figure.h"
#include "reports/forms.h"

static void write_report(enum fixture_kind kind, const char *dir)
{
	struct fixture f;
	struct err e = ERR_INIT;
	fixture_make(&f, kind);
	if (report_write_all(&f.analysis, dir, &e))
		fail_msg("%s", e.msg);
	fixture_release(&f);
}

/* Compares two trees; returns the number of files. */
static size_t compare_trees(const char *a, const char *b)
{
	DIR *d = opendir(a);
	struct dirent *entry;
	size_t n = 0, n_b = 0;
	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		char *x = xasprintf("%s/%s", a, entry->d_name),
		     *y = xasprintf("%s/%s", b, entry->d_name);
		struct stat st;
		assert_int_equal(stat(x, &st), 0);
		if (S_ISDIR(st.st_mode)) {
			n += compare_trees(x, y);
		} else {
			struct strbuf p = STRBUF_INIT, q = STRBUF_INIT;
			assert_int_equal(file_read(x, &p, 0, NULL), 0);
			assert_int_equal(file_read(y, &q, 0, NULL), 0);
			if (p.len != q.len || memcmp(p.s, q.s, p.len))
				fail_msg("%s and %s differ", x, y);
			strbuf_release(&p);
			strbuf_release(&q);
			n++;
		}
		free(x);
		free(y);
	}
	closedir(d);
	d = opendir(b);
	assert_non_null(d);
	while ((entry = readdir(d))) {
		char *x = xasprintf("%s/%s", a, entry->d_name);
		assert_true(path_exists(x));
		free(x);
		n_b++;
	}
	closedir(d);
	assert_true(n_b >= 2);
	return n;
}

static size_t n_entries(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void rebuilding_gives_the_same_bytes(void **state)
{
	(void)state;
	char *one = scratch_make(), *two = scratch_make();
	char *a = xasprintf("%s/report", one), *b = xasprintf("%s/report", two);
	for (int kind = FIXTURE_QUICK; kind <= FIXTURE_TRUSTED; kind++) {
		if (kind == FIXTURE_GRID)
			continue;
		write_report(kind, one);
		write_report(kind, two);
		size_t n = compare_trees(a, b);
		assert_true(n > 40);
		write_report(kind, two); /* replaces the existing report */
		assert_int_equal(compare_trees(a, b), n);
		assert_int_equal(n_entries(one), 1);
		assert_int_equal(n_entries(two), 1);
	}
	free(a);
	free(b);
	scratch_remove(one);
	scratch_remove(two);
}

static void every_form_is_there(void **state)
{
	(void)state;
	static const char *const names[] = {
	    "index.html",        "report.json",           "summary.txt",   "tables/bias.csv",
	    "tables/bias.tex",   "tables/replicates.csv", "plots/runs-1.gp", "plots/runs-1.dat",
	    "plots/sources.svg", "tables/runs.csv"};
	char *dir = scratch_make();
	write_report(FIXTURE_QUICK, dir);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		char *path = xasprintf("%s/report/%s", dir, names[i]);
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size > 0);
		free(path);
	}
	char *path = xasprintf("%s/report/plots/runs-1.svg", dir);
	assert_int_equal(path_exists(path), figure_gnuplot_found());
	free(path);
	scratch_remove(dir);
}

static char *read_page(const char *dir)
{
	struct strbuf text = STRBUF_INIT;
	char *path = xasprintf("%s/report/index.html", dir);
	assert_int_equal(file_read(path, &text, 0, NULL), 0);
	free(path);
	return strbuf_detach(&text);
}

/* Files above this size cannot be written: as on a full disk, but without one. */
static int write_with_limit(enum fixture_kind kind, const char *dir, rlim_t bytes, struct err *e)
{
	struct fixture f;
	struct rlimit old, limit;
	fixture_make(&f, kind);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){bytes, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int ret = report_write_all(&f.analysis, dir, e);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_DFL);
	fixture_release(&f);
	return ret;
}

static void a_report_that_cannot_be_written_leaves_the_old_one(void **state)
{
	(void)state;
	static const rlim_t limits[] = {0, 100, 2000, 20000, 100000};
	char *dir = scratch_make();
	write_report(FIXTURE_TRUSTED, dir);
	char *before = read_page(dir);
	for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
		struct err e = ERR_INIT;
		assert_true(write_with_limit(FIXTURE_QUICK, dir, limits[i], &e) < 0);
		assert_non_null(strstr(e.msg, "cannot write"));
		char *after = read_page(dir);
		assert_string_equal(before, after);
		free(after);
		assert_int_equal(n_entries(dir), 1); /* nothing half-made is left */
	}
	free(before);
	scratch_remove(dir);
}

static void a_directory_that_cannot_be_written_is_an_error(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	fixture_make(&f, FIXTURE_TRUSTED);
	assert_int_equal(report_write_all(&f.analysis, "/proc/nonexistent/results", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/proc/nonexistent/results"));
	fixture_release(&f);
}

static void other_directories_are_not_touched(void **state)
{
	(void)state;
	struct fixture f;
	struct err e = ERR_INIT;
	char *dir = scratch_make(), *elsewhere = scratch_make(),
	     *report = xasprintf("%s/report", dir);
	char *mine = xasprintf("%s/mine", elsewhere);
	fixture_make(&f, FIXTURE_TRUSTED);
	assert_int_equal(file_write_atomic(report, "mine", 4, &e), 0);
	assert_int_equal(report_write_all(&f.analysis, dir, &e), -ENOTDIR);
	struct strbuf text = STRBUF_INIT;
	assert_int_equal(file_read(report, &text, 0, NULL), 0);
	assert_string_equal(text.s, "mine");
	strbuf_release(&text);
	/* a link is no directory of this program either, and its target is not changed */
	assert_int_equal(unlink(report), 0);
	assert_int_equal(file_write_atomic(mine, "mine", 4, &e), 0);
	assert_int_equal(symlink(elsewhere, report), 0);
	assert_int_equal(report_write_all(&f.analysis, dir, &e), -ENOTDIR);
	assert_true(path_exists(mine));
	assert_int_equal(n_entries(dir), 1);
	fixture_release(&f);
	free(report);
	free(mine);
	scratch_remove(dir);
	scratch_remove(elsewhere);
}

static void leftovers_of_a_killed_report_are_removed(void **state)
{
	(void)state;
	char *dir = scratch_make(), *stale = xasprintf("%s/report.tmp-AbCdEf/tables", dir);
	char *other = xasprintf("%s/report.txt", dir);
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(stale, &e), 0);
	assert_int_equal(file_write_atomic(other, "x", 1, &e), 0);
	write_report(FIXTURE_TRUSTED, dir);
	assert_false(path_exists(stale));
	assert_true(path_exists(other));
	free(stale);
	free(other);
	scratch_remove(dir);
}

/* A gnuplot of the test; the effect of hostile names on the real gnuplot is tested below. */
static char *fake_gnuplot(const char *script)
{
	char *dir = scratch_make(), *program = xasprintf("%s/gnuplot", dir);
	struct err e = ERR_INIT;
	assert_non_null(program);
	assert_int_equal(file_write_atomic(program, script, strlen(script), &e), 0);
	assert_int_equal(chmod(program, 0755), 0);
	free(program);
	return dir;
}

static char *page_with_gnuplot(const char *script)
{
	const char *path = getenv("PATH");
	char *kept = xstrdup(path ? path : "/usr/bin:/bin"), *bin = fake_gnuplot(script),
	     *dir = scratch_make();
	char *with = xasprintf("%s:/usr/bin:/bin", bin);
	setenv("PATH", with, 1);
	write_report(FIXTURE_TRUSTED, dir);
	setenv("PATH", kept, 1);
	char *page = read_page(dir);
	char *partial = xasprintf("%s/report/plots/runs-1.svg", dir);
	assert_false(path_exists(partial));
	free(partial);
	free(kept);
	free(with);
	scratch_remove(dir);
	scratch_remove(bin);
	return page;
}

static void a_gnuplot_that_fails_costs_only_its_plots(void **state)
{
	(void)state;
	char *page = page_with_gnuplot("#!/bin/sh\necho 'no <such> terminal' >&2\nexit 1\n");
	assert_non_null(strstr(page, "missing here (gnuplot failed: no &lt;such&gt; terminal"));
	free(page);
	page = page_with_gnuplot("#!/bin/sh\nkill -9 $$\n");
	assert_non_null(strstr(page, "missing here (gnuplot failed"));
	free(page);
	page = page_with_gnuplot("#!/bin/sh\nprintf '<svg viewBox=\"0 0 1 1\"><g></g></svg>'\n");
	assert_non_null(
	    strstr(page, "missing here (gnuplot failed: it ended before the last plot)"));
	free(page);
	page = page_with_gnuplot(
	    "#!/bin/sh\n"
	    "sed -n \"s/^print '\\(.*\\)'/\\1<svg viewBox='0 0 1 1'><g>/p\" \"$2\"\n");
	assert_non_null(strstr(page, "missing here (their plots are incomplete or too large)"));
	free(page);
}

static void scripts_run_nothing_and_can_be_run_by_hand(void **state)
{
	(void)state;
	if (!figure_gnuplot_found())
		skip();
	char *dir = scratch_make(), *plots = xasprintf("%s/report/plots", dir);
	write_report(FIXTURE_AWKWARD, dir);
	size_t n = n_entries(plots);
	char *pwned = xasprintf("%s/pwned", plots);
	assert_false(path_exists(pwned));
	assert_false(path_exists("pwned"));
	/* by hand, as a reader would */
	char *command =
	    xasprintf("cd '%s' && rm runs-1.svg && gnuplot runs-1.gp 2>/dev/null && tail "
		      "-n 2 runs-1.svg | grep -q '</svg>'",
		      plots);
	assert_int_equal(system(command), 0);
	assert_int_equal(n_entries(plots), n);
	free(command);
	free(pwned);
	free(plots);
	scratch_remove(dir);
}

static void forms_are_found_by_name(void **state)
{
	(void)state;
	const struct report_form *form;
	struct err e = ERR_INIT;
	for (const struct report_form *const *f = report_forms; *f; f++) {
		assert_ptr_equal(report_form_find((*f)->name), *f);
		assert_int_equal(report_form_choose((*f)->name, &form, &e), 0);
		assert_ptr_equal(form, *f);
		assert_true((*f)->help && *(*f)->help);
	}
	assert_null(report_form_find("pdf"));
	assert_int_equal(report_form_choose("jason", &form, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "did you mean \"json\"?"));
	assert_int_equal(report_form_choose("", &form, &e), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(rebuilding_gives_the_same_bytes),
	    cmocka_unit_test(every_form_is_there),
	    cmocka_unit_test(a_report_that_cannot_be_written_leaves_the_old_one),
	    cmocka_unit_test(a_directory_that_cannot_be_written_is_an_error),
	    cmocka_unit_test(other_directories_are_not_touched),
	    cmocka_unit_test(leftovers_of_a_killed_report_are_removed),
	    cmocka_unit_test(a_gnuplot_that_fails_costs_only_its_plots),
	    cmocka_unit_test(scripts_run_nothing_and_can_be_run_by_hand),
	    cmocka_unit_test(forms_are_found_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
