/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/campaign/cgroup.h"

/* This machine's own: made, entered, bounding, removed. Where there is none, it says why. */
static void test_real(void **state)
{
	(void)state;
	struct cgroup_place p;
	struct cgroup g;
	struct err e = ERR_INIT;
	uint64_t peak, n_killed;
	cgroup_find(&p, "");
	if (p.kind == CGROUP_NONE) {
		assert_null(p.parent);
		assert_true(p.why[0]);
		cgroup_place_release(&p);
		skip();
	}
	char name[60];
	snprintf(name, sizeof name, "validate-unit-%d", (int)getpid());
	if (cgroup_make(&g, &p, name, 16 << 20, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(path_exists(g.procs));
	pid_t pid = fork();
	if (pid == 0) { /* 64 MiB do not fit into 16 */
		FILE *out = fopen(g.procs, "w");
		if (!out || fputs("0\n", out) < 0 || fclose(out))
			_exit(1);
		char *memory = malloc(64 << 20);
		for (size_t i = 0; memory && i < 64 << 20; i += 4096)
			((volatile char *)memory)[i] = 1;
		_exit(0);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	cgroup_use(&g, &peak, &n_killed);
	assert_int_equal(n_killed, 1);
	assert_true(peak == 0 || (peak > 8 << 20 && peak <= 17 << 20)); /* 0: older kernels of version 2 do not tell */
	char *dir = xstrdup(g.dir);
	assert_int_equal(cgroup_remove(&g, &e), 0);
	assert_false(path_exists(dir));
	assert_int_equal(cgroup_remove_left(dir, &e), 0); /* not there: fine */
	free(dir);
	cgroup_place_release(&p);
}

static void find(const char *root, const char *mountinfo, const char *own, struct cgroup_place *p)
{
	char *proc = xasprintf("%s/proc/self", root);
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(proc, &e), 0);
	file_put(proc, "mountinfo", mountinfo, strlen(mountinfo));
	file_put(proc, "cgroup", own, strlen(own));
	cgroup_find(p, root);
	free(proc);
}

static void test_none(void **state)
{
	(void)state;
	char *root = temp_dir_make();
	struct cgroup_place p;
	cgroup_find(&p, root); /* no /proc at all */
	assert_int_equal(p.kind, CGROUP_NONE);
	find(root, "35 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\ngarbage\n\n - \n",
	     "4:cpu:/\nrubbish\n0\n", &p);
	assert_int_equal(p.kind, CGROUP_NONE);
	assert_string_equal(p.why, "no memory controller is mounted");
	/* mounted, but it is no cgroup file system and has not the files of one */
	find(root, "35 31 0:32 / /group rw - cgroup2 cgroup2 rw\n", "0::/user/session\n", &p);
	assert_int_equal(p.kind, CGROUP_NONE);
	assert_non_null(strstr(p.why, "validate-try-"));
	cgroup_place_release(&p);
	temp_dir_remove(root);
}

/* Groups of version 2 as plain directories: making writes the limit and forbids swap. */
static void test_version_2_files(void **state)
{
	(void)state;
	char *root = temp_dir_make(), *group = xasprintf("%s/g", root);
	struct cgroup_place p = {.kind = CGROUP_V2, .parent = root};
	struct cgroup g;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	uint64_t peak, n_killed;
	/* no memory.max: the group is not left behind */
	assert_int_equal(cgroup_make(&g, &p, "g", 1 << 20, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "memory.max"));
	assert_false(path_exists(group));
	assert_int_equal(dir_create(group, &e), 0);
	file_put(group, "memory.max", "max\n", 4);
	file_put(group, "memory.swap.max", "max\n", 4);
	file_put(group, "memory.peak", "123456\n", 7);
	const char events[] = "low 0\nhigh 3\nmax 7\noom 1\noom_kill 2\noom_group_kill 0\n";
	file_put(group, "memory.events", events, strlen(events));
	assert_int_equal(cgroup_make(&g, &p, "g", 1048576, &e), 0);
	file_get(group, "memory.max", &text);
	assert_string_equal(text.s, "1048576");
	file_get(group, "memory.swap.max", &text);
	assert_memory_equal(text.s, "0", 1);
	cgroup_use(&g, &peak, &n_killed);
	assert_int_equal(peak, 123456);
	assert_int_equal(n_killed, 2);
	assert_true(cgroup_remove(&g, &e) < 0); /* these files do not vanish with rmdir */
	cgroup_use(&g, &peak, &n_killed);       /* of no group */
	assert_int_equal(peak, 0);
	strbuf_release(&text);
	free(group);
	temp_dir_remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_real),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_version_2_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
