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

/* A cgroup of this machine: created, entered, limiting, removed. If the machine has none, the
 * reason is given. */
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
	/* 0: older kernels of version 2 do not report it */
	assert_true(peak == 0 || (peak > 8 << 20 && peak <= 17 << 20));
	char *dir = xstrdup(g.dir);
	assert_int_equal(cgroup_remove(&g, &e), 0);
	assert_false(path_exists(dir));
	assert_int_equal(cgroup_remove_left(dir), 0); /* missing: no error */
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
	/* mounted, but it is no cgroup file system and lacks the files of one */
	find(root, "35 31 0:32 / /group rw - cgroup2 cgroup2 rw\n", "0::/user/session\n", &p);
	assert_int_equal(p.kind, CGROUP_NONE);
	assert_non_null(strstr(p.why, "validate-try-"));
	cgroup_place_release(&p);
	temp_dir_remove(root);
}

/* Inside a container the mount shows a part of the hierarchy; a group whose path only begins like
 * that part is not in it. */
static void test_parent_of_a_group(void **state)
{
	(void)state;
	char *root = temp_dir_make(), *proc = xasprintf("%s/proc/self", root),
	     *own = xasprintf("%s/sys/fs/cgroup/own", root),
	     *beside = xasprintf("%s/sys/fs/cgroupc", root);
	const char mountinfo[] = "35 31 0:32 /docker/ab /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
	const char *const groups[] = {"0::/docker/ab/own\n", "0::/docker/abc\n", "0::/docker/ab\n"};
	struct cgroup_where w;
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(proc, &e) || dir_create(own, &e) || dir_create(beside, &e), 0);
	file_put(proc, "mountinfo", mountinfo, strlen(mountinfo));
	for (size_t i = 0; i < 3; i++) {
		file_put(proc, "cgroup", groups[i], strlen(groups[i]));
		assert_true(cgroup_where(root, CGROUP_V2, &w));
		assert_string_equal(w.own, i ? w.top : own);
		cgroup_where_release(&w);
	}
	free(proc), free(own), free(beside);
	temp_dir_remove(root);
}

/* Groups of version 2 as plain directories: creating a group writes the limit and forbids swap. */
static void test_version_2_files(void **state)
{
	(void)state;
	char *root = temp_dir_make(), *group = xasprintf("%s/g", root);
	struct cgroup_place p = {.kind = CGROUP_V2, .parent = root};
	struct cgroup g;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	uint64_t peak, n_killed;
	/* without memory.max the group is removed */
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
	assert_true(cgroup_remove(&g, &e) < 0); /* rmdir does not remove these plain files */
	cgroup_use(&g, &peak, &n_killed);       /* of no group */
	assert_int_equal(peak, 0);
	strbuf_release(&text);
	free(group);
	temp_dir_remove(root);
}

/* The files that the kernel creates in a group of version 2 whose parent delegates the memory
 * controller. */
static void group_imitate(const char *parent, const char *name)
{
	static const char *const files[][2] = {{"memory.max", "max\n"},
					       {"memory.swap.max", "max\n"},
					       {"memory.events", "low 0\noom_kill 0\n"},
					       {"cgroup.procs", ""}};
	char *dir = xasprintf("%s/%s", parent, name);
	struct err e = ERR_INIT;
	assert_int_equal(dir_create(dir, &e), 0);
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		file_put(dir, files[i][0], files[i][1], strlen(files[i][1]));
	free(dir);
}

/* A tree of version 2: the new group goes beside the group of this process, or above it; the first
 * suitable place is taken. */
static void test_version_2_tree(void **state)
{
	(void)state;
	static const struct {
		const char *mount, *own, *serves, *found;
	} trees[] = {
	    /* a session on a machine with systemd: the root slice delegates memory to its
	     * children */
	    {"/ /group", "/user.slice/user-0.slice/session-3.scope", "user.slice/user-0.slice",
	     "/user.slice/user-0.slice"},
	    {"/ /group", "/user.slice/user-0.slice/session-3.scope", "user.slice", "/user.slice"},
	    {"/ /group", "/user.slice/user-0.slice/session-3.scope", ".", ""},
	    {"/ /group", "/system.slice", ".", ""},
	    /* a container: its own group is the root of the mounted part, with or without a name
	     * space */
	    {"/ /group", "/", ".", ""},
	    {"/docker/1234 /group", "/docker/1234", ".", ""},
	    {"/docker/1234 /group", "/docker/1234/inner/leaf", "inner", "/inner"},
	    {"/../.. /group", "/../..", ".", ""},
	    {"/ /group", "/gone/since/long", ".", ""},
	    {"/ /group", "/user.slice", "nowhere/near", NULL},
	};
	char try[40];
	snprintf(try, sizeof try, "validate-try-%d", (int)getpid());
	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		char *root = temp_dir_make(),
		     *serves = xasprintf("%s/group/%s", root, trees[i].serves);
		size_t hidden = strcspn(trees[i].mount, " "); /* what is above the mounted part */
		char *own = xasprintf("%s/group%s", root, trees[i].own + (hidden > 1 ? hidden : 0)),
		     *proc = xasprintf("0::%s\n", trees[i].own);
		char *mounts = xasprintf("20 1 0:2 / / rw - ext4 /dev/vda rw\n35 31 0:32 %s "
					 "rw,nosuid - cgroup2 cgroup2 rw\n",
					 trees[i].mount);
		struct cgroup_place p;
		struct cgroup g;
		struct err e = ERR_INIT;
		if (!strstr(own, "gone") && !strstr(own, ".."))
			assert_int_equal(dir_create(own, &e), 0);
		group_imitate(serves, try);
		find(root, mounts, proc, &p);
		if (trees[i].found) {
			char *expected = xasprintf("%s/group%s", root, trees[i].found);
			if (p.kind != CGROUP_V2)
				fail_msg("tree %zu: %s", i, p.why);
			if (strcmp(p.parent, expected))
				fail_msg("tree %zu: %s instead of %s", i, p.parent, expected);
			group_imitate(p.parent, "run");
			assert_int_equal(cgroup_make(&g, &p, "run", 3 << 20, &e), 0);
			assert_true(path_exists(g.procs));
			assert_true(cgroup_remove(&g, NULL) < 0);
			free(expected);
		} else {
			assert_int_equal(p.kind, CGROUP_NONE);
			assert_null(p.parent);
			assert_non_null(strstr(p.why, "memory.max"));
		}
		cgroup_place_release(&p);
		free(mounts);
		free(proc);
		free(own);
		free(serves);
		temp_dir_remove(root);
	}
}

/* A real hierarchy of version 2, with the memory controller, or without it if version 1 has the
 * controller. */
static void test_version_2_real(void **state)
{
	(void)state;
	static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	char name[60];
	struct cgroup g = {0};
	struct err e = ERR_INIT;
	bool made = false;
	snprintf(name, sizeof name, "validate-unit2-%d", (int)getpid());
	for (size_t i = 0; i < 2 && !made; i++) {
		struct cgroup_place p = {.kind = CGROUP_V2, .parent = (char *)mounts[i]};
		char *controllers = xasprintf("%s/cgroup.controllers", mounts[i]);
		if (path_exists(controllers))
			made = cgroup_make(&g, &p, name, 0, &e) == 0;
		free(controllers);
	}
	if (!made) {
		print_message("no cgroup of version 2 can be made here: %s\n", e.msg);
		skip();
	}
	int enter[2], go[2];
	assert_int_equal(pipe(enter), 0);
	assert_int_equal(pipe(go), 0);
	pid_t pid = fork();
	if (pid == 0) {
		char c = 'x';
		close(go[1]);
		FILE *out = fopen(g.procs, "w");
		bool in = out && fputs("0\n", out) >= 0 && fclose(out) == 0;
		_exit(write(enter[1], &c, 1) == 1 && read(go[0], &c, 1) == 0 && in ? 0 : 1);
	}
	char c, members[40] = "", expected[20];
	close(go[0]);
	assert_int_equal(read(enter[0], &c, 1), 1);
	FILE *in = fopen(g.procs, "r");
	assert_non_null(in);
	assert_non_null(fgets(members, sizeof members, in));
	fclose(in);
	snprintf(expected, sizeof expected, "%d\n", (int)pid);
	assert_string_equal(members, expected);
	assert_true(rmdir(g.dir) < 0); /* a process is in it */
	/* the process ends now; the group may be busy for another moment, and the removal waits for
	 * it */
	close(go[1]);
	char *dir = xstrdup(g.dir);
	assert_int_equal(cgroup_remove(&g, &e), 0);
	assert_false(path_exists(dir));
	free(dir);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(enter[0]);
	close(enter[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_real),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_parent_of_a_group),
	    cmocka_unit_test(test_version_2_files),
	    cmocka_unit_test(test_version_2_tree),
	    cmocka_unit_test(test_version_2_real),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
