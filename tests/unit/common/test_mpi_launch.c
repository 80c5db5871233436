/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a command that starts an MPI job. The test makes its own launchers, so MPI is not
 * needed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/mpi_launch.h"
#include "common/processors.h"
#include "common/xalloc.h"

struct place {
	char dir[64];
	char *mpirun, *path;
};

/* A directory that is the whole PATH, with a program called mpirun in it. */
static int place_make(void **state)
{
	struct place *p = xcalloc(1, sizeof *p);
	strcpy(p->dir, "/tmp/validate-mpi-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->mpirun = xasprintf("%s/mpirun", p->dir);
	assert_int_equal(symlink("/bin/sh", p->mpirun), 0);
	p->path = xstrdup(getenv("PATH"));
	setenv("PATH", p->dir, 1);
	*state = p;
	return 0;
}

static int place_remove(void **state)
{
	struct place *p = *state;
	setenv("PATH", p->path, 1);
	unlink(p->mpirun);
	rmdir(p->dir);
	free(p->mpirun);
	free(p->path);
	free(p);
	return 0;
}

static bool has(const struct words_list *w, const char *word)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->v[i], word))
			return true;
	return false;
}

static void on_this_host(void **state)
{
	struct words_list w;
	struct err e = ERR_INIT;
	const unsigned int n_most = (unsigned int)processors_allowed();
	const struct {
		unsigned int n;
		bool crowded;
	} jobs[] = {{n_most, false}, {n_most + 1, true}};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *number = xasprintf("%u", jobs[i].n);
		assert_int_equal(mpi_launch_words(&w, NULL, jobs[i].n, &e), 0);
		assert_string_equal(w.v[0], "mpirun");
		assert_string_equal(w.v[w.n - 2], "-n");
		assert_string_equal(w.v[w.n - 1], number);
		assert_int_equal(has(&w, "mpi_yield_when_idle"), jobs[i].crowded);
		assert_int_equal(has(&w, "--allow-run-as-root"), geteuid() == 0);
		words_list_release(&w);
		free(number);
	}
}

static void by_a_launcher(void **state)
{
	const struct place *p = *state;
	static const struct {
		const char *behind, *last[3];
	} good[] = {
		{"", {NULL, "-n", "5"}},
		{" -n {n}", {NULL, "-n", "5"}},
		{" --ranks={n} -v", {NULL, "--ranks=5", "-v"}},
		{" \"{n} x\"", {NULL, NULL, "5 x"}},
	};
	struct words_list w;
	struct err e = ERR_INIT;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		char *text = xasprintf("%s%s", p->mpirun, good[i].behind);
		assert_int_equal(mpi_launch_words(&w, text, 5, &e), 0);
		assert_string_equal(w.v[0], p->mpirun);
		for (size_t k = 1; k < 3; k++)
			if (good[i].last[k])
				assert_string_equal(w.v[w.n - 3 + k], good[i].last[k]);
		words_list_release(&w);
		free(text);
	}
	assert_int_equal(mpi_launch_words(&w, "mpirun \"-n", 5, &e), -EINVAL);
	assert_int_equal(mpi_launch_words(&w, "mpirun {ranks}", 5, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "launcher"));
	assert_int_equal(mpi_launch_words(&w, "", 5, &e), -EINVAL);
}

static void missing_programs(void **state)
{
	const struct place *p = *state;
	struct words_list w;
	struct err e = ERR_INIT;
	assert_int_equal(mpi_launch_words(&w, "srun -n {n}", 2, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "cannot find the program srun"));
	unlink(p->mpirun);
	assert_int_equal(mpi_launch_words(&w, NULL, 2, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "apt-get install"));
	assert_null(w.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(on_this_host, place_make, place_remove),
		cmocka_unit_test_setup_teardown(by_a_launcher, place_make, place_remove),
		cmocka_unit_test_setup_teardown(missing_programs, place_make, place_remove),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
