/* SPDX-License-Identifier: GPL-3.0-or-later */
/* waits: for children */
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
#include "validate/campaign/launch.h"
#include "validate/protocol/launch_settings.h"

struct fixture {
	char *dir;
	int signal_fd;
	sigset_t old;
};

static int setup(void **state)
{
	struct fixture *f = xcalloc(1, sizeof *f);
	struct err e = ERR_INIT;
	f->dir = temp_dir_make();
	*state = f;
	return signals_take(&f->old, &f->signal_fd, &e);
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	signals_restore(&f->old, f->signal_fd);
	temp_dir_remove(f->dir);
	free(f);
	return 0;
}

static int run_spec(const struct fixture *f, struct launch_spec s, const char *script,
		    struct launch_result *r, struct err *e)
{
	char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)script, NULL};
	if (!s.argv)
		s.argv = argv;
	s.signal_fd = f->signal_fd;
	if (!s.timeout_ns)
		s.timeout_ns = 30000000000;
	return launch_run(&s, r, e);
}

static int run(const struct fixture *f, const char *script, struct launch_result *r)
{
	struct err e = ERR_INIT;
	return run_spec(f, (struct launch_spec){0}, script, r, &e);
}

static void test_ends(void **state)
{
	struct launch_result r;
	assert_int_equal(run(*state, "exit 0", &r), 0);
	assert_int_equal(r.end, LAUNCH_EXITED);
	assert_int_equal(r.status, 0);
	assert_string_equal(r.reason, "");
	assert_true(r.run_ns > 0);
	assert_int_equal(run(*state, "echo its words; echo more", &r), 0);
	assert_string_equal(r.reason, "");
	assert_string_equal(r.said, "its words;more");
	assert_int_equal(
	    run(*state, "echo 'validate: it broke' >&2; echo 'second line'; exit 3", &r), 0);
	assert_int_equal(r.status, 3);
	assert_string_equal(r.reason, "exit status 3: it broke;second line");
	assert_int_equal(run(*state, "kill -9 $$", &r), 0);
	assert_int_equal(r.end, LAUNCH_SIGNALLED);
	assert_int_equal(r.status, 9);
	assert_string_equal(r.reason, "ended by signal 9 (Killed)");
	/* a child may print anything, and any amount */
	assert_int_equal(
	    run(*state,
		"printf '\\033[31m\\377\\000red'; head -c 100000 /dev/zero | tr '\\0' x; exit 1",
		&r),
	    0);
	assert_non_null(strstr(r.reason, "exit status 1: ?[31m?"));
	assert_true(strlen(r.reason) < sizeof r.reason);
	/* but at most a MiB of it is kept */
	assert_int_equal(
	    run(*state, "echo first; trap '' PIPE; head -c 2000000 /dev/zero || exit 7", &r), 0);
	assert_int_equal(r.status, 7);
	assert_non_null(strstr(r.reason, "exit status 7: first"));
}

static void test_timeout(void **state)
{
	struct launch_result r;
	struct err e = ERR_INIT;
	struct launch_spec s = {.timeout_ns = 300000000};
	assert_int_equal(run_spec(*state, s, "echo waiting; exec sleep 60", &r, &e), 0);
	assert_int_equal(r.end, LAUNCH_TIMED_OUT);
	assert_string_equal(r.reason, "killed after the time-out of 0.3 s: waiting");
	/* it ignores SIGTERM: SIGKILL follows */
	assert_int_equal(run_spec(*state, s, "trap '' TERM; while :; do sleep 1; done", &r, &e), 0);
	assert_int_equal(r.end, LAUNCH_TIMED_OUT);
}

/* the wait ends with the child, not with the time-out */
static void test_no_signalfd(void **state)
{
	struct fixture without = {.dir = ((struct fixture *)*state)->dir, .signal_fd = -1};
	struct launch_spec s = {.timeout_ns = 20000000000};
	struct launch_result r;
	struct err e = ERR_INIT;
	assert_int_equal(run_spec(&without, s, "sleep 0.1; exit 4", &r, &e), 0);
	assert_int_equal(r.end, LAUNCH_EXITED);
	assert_int_equal(r.status, 4);
	assert_true(r.run_ns < s.timeout_ns / 2);
	s.timeout_ns = 300000000;
	assert_int_equal(run_spec(&without, s, "exec sleep 60", &r, &e), 0);
	assert_int_equal(r.end, LAUNCH_TIMED_OUT);
}

static void test_not_started(void **state)
{
	struct launch_result r;
	struct err e = ERR_INIT;
	char *missing[] = {(char *)"/no/such/program", NULL}, *directory[] = {(char *)"/", NULL};
	assert_int_equal(run_spec(*state, (struct launch_spec){.argv = missing}, NULL, &r, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/no/such/program was not started: cannot execute it"));
	assert_int_equal(run_spec(*state, (struct launch_spec){.argv = directory}, NULL, &r, &e), -EACCES);
	cpu_set_t none;
	CPU_ZERO(&none);
	assert_int_equal(run_spec(*state, (struct launch_spec){.cpus = &none}, "exit 0", &r, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "CPUs"));
	assert_int_equal(run_spec(*state, (struct launch_spec){.cgroup_procs = "/no/such/group"}, "exit 0", &r, &e),
			 -ENOENT);
	assert_non_null(strstr(e.msg, "memory cgroup"));
}

/* Processes that a run leaves behind are gone when it has ended, and the run leads a process group
 * of its own. */
static void test_group(void **state)
{
	const struct fixture *f = *state;
	struct launch_result r;
	struct strbuf text = STRBUF_INIT;
	char *script =
	    xasprintf("sleep 60 & echo $! $$ $(cut -d' ' -f5 /proc/$$/stat) >%s/pids", f->dir);
	int background, own, group;
	assert_int_equal(run(f, script, &r), 0);
	file_get(f->dir, "pids", &text);
	assert_int_equal(sscanf(text.s, "%d %d %d", &background, &own, &group), 3);
	assert_int_equal(own, group);
	assert_true(own != getpgrp());
	while (kill(background, 0) == 0) {
		char path[40], line[100] = "";
		snprintf(path, sizeof path, "/proc/%d/stat", background);
		FILE *in = fopen(path, "r");
		if (in && fgets(line, sizeof line, in) &&
		    strstr(line, ") Z ")) { /* dead, but its new parent does not reap it */
			fclose(in);
			break;
		}
		if (in)
			fclose(in);
		usleep(10000);
	}
	free(script);
	strbuf_release(&text);
}

static void test_settings(void **state)
{
	const struct fixture *f = *state;
	struct launch_result r;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	cpu_set_t first, allowed;
	int cpu = 0;
	sched_getaffinity(0, sizeof allowed, &allowed);
	while (!CPU_ISSET(cpu, &allowed))
		cpu++;
	CPU_ZERO(&first);
	CPU_SET(cpu, &first);
	char *script = xasprintf("grep Cpus_allowed_list /proc/self/status | tr -dc 0-9- >%s/cpus; "
				 "cat </dev/stdin | wc -c >%s/in",
				 f->dir, f->dir);
	struct launch_spec s = {.cpus = &first, .scheduling = {.set = true, .policy = SCHED_BATCH}};
	if (run_spec(f, s, script, &r, &e) < 0)
		fail_msg("%s", e.msg);
	assert_string_equal(r.reason, "");
	file_get(f->dir, "cpus", &text);
	assert_int_equal(atoi(text.s), cpu);
	file_get(f->dir, "in", &text); /* empty input, and no terminal */
	assert_int_equal(atoi(text.s), 0);
	free(script);
	strbuf_release(&text);
}

static void test_watch(void **state)
{
	struct launch_result r;
	struct err e = ERR_INIT;
	assert_int_equal(run_spec(*state, (struct launch_spec){.watch_memory = true}, "sleep 0.5", &r, &e), 0);
	assert_true(r.n_memory > 2);
	assert_true(r.memory[r.n_memory / 2].bytes >= 4096 &&
		    r.memory[r.n_memory / 2].bytes < 100 << 20);
	free(r.memory);
	assert_int_equal(run(*state, "exit 0", &r), 0);
	assert_int_equal(r.n_memory, 0);
}

/* A signal to end the campaign ends the child. */
static void test_interrupted(void **state)
{
	const struct fixture *f = *state;
	struct launch_result r;
	pid_t pid = fork();
	if (pid == 0) {
		usleep(200000);
		kill(getppid(), SIGINT);
		_exit(0);
	}
	assert_int_equal(run(f, "exec sleep 60", &r), 0);
	assert_int_equal(r.end, LAUNCH_INTERRUPTED);
	waitpid(pid, NULL, 0);
	assert_false(signals_pending(f->signal_fd));
	kill(getpid(), SIGTERM);
	assert_true(signals_pending(f->signal_fd));
	assert_false(signals_pending(f->signal_fd));
}

static int work(void *context, struct err *e)
{
	const char *what = context;
	if (!strcmp(what, "fail"))
		return err_set(e, ENOSPC, "no room");
	if (!strcmp(what, "crash"))
		kill(getpid(), SIGKILL);
	if (!strcmp(what, "leave"))
		_exit(5);
	return 0;
}

static void test_helper(void **state)
{
	const struct fixture *f = *state;
	struct err e = ERR_INIT;
	assert_int_equal(launch_helper(work, (void *)"good", 0, f->signal_fd, &e), 0);
	assert_int_equal(launch_helper(work, (void *)"fail", 0, f->signal_fd, &e), -ENOSPC);
	assert_string_equal(e.msg, "no room");
	assert_int_equal(launch_helper(work, (void *)"crash", 0, f->signal_fd, &e), -EIO);
	assert_non_null(strstr(e.msg, "signal 9"));
	assert_int_equal(launch_helper(work, (void *)"leave", 0, f->signal_fd, &e), -EIO);
	assert_non_null(strstr(e.msg, "status 5"));
	kill(getpid(), SIGTERM);
	assert_int_equal(launch_helper(work, (void *)"good", 0, f->signal_fd, &e), -EINTR);
}

/* A killed campaign ends its run. */
static void test_orphan(void **state)
{
	const struct fixture *f = *state;
	struct strbuf text = STRBUF_INIT;
	char *script = xasprintf("echo $$ >%s/pid.part; mv %s/pid.part %s/pid; exec sleep 60",
				 f->dir, f->dir, f->dir);
	char *path = xasprintf("%s/pid", f->dir);
	pid_t campaign = fork();
	if (campaign == 0) {
		struct launch_result r;
		run(f, script, &r);
		_exit(0);
	}
	while (!path_exists(path))
		usleep(10000);
	file_get(f->dir, "pid", &text);
	pid_t child = atoi(text.s);
	assert_int_equal(kill(child, 0), 0);
	kill(campaign, SIGKILL);
	waitpid(campaign, NULL, 0);
	char *stat = xasprintf("/proc/%d/stat", child);
	for (;;) {
		char *line = file_read_line(stat);
		bool gone = !line || strstr(line, ") Z ");
		free(line);
		if (gone)
			break;
		usleep(10000);
	}
	free(stat);
	free(path);
	free(script);
	strbuf_release(&text);
}

static void test_texts(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int policy, priority;
	} good[] = {{"other", SCHED_OTHER, 0},
		    {"batch", SCHED_BATCH, 0},
		    {"idle", SCHED_IDLE, 0},
		    {"fifo:1", SCHED_FIFO, 1},
		    {"rr:99", SCHED_RR, 99}};
	static const char *const bad[] = {
	    "",       "fifo",    "fifo:",    "fifo:0",          "fifo:100",
	    "fifo:x", "fifo:1,", "other, x", "other, deadline", "rr:-1",
	    "Other",  "othe",    "others",   "batch:1",         "deadline"};
	struct scheduling *s;
	size_t n;
	struct err e = ERR_INIT;
	cpu_set_t set;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		assert_int_equal(launch_scheduling_parse(good[i].text, &s, &n, &e), 0);
		assert_int_equal(n, 1);
		assert_true(s->set);
		assert_int_equal(s->policy, good[i].policy);
		assert_int_equal(s->priority, good[i].priority);
		free(s);
	}
	assert_int_equal(launch_scheduling_parse("rr:7, other", &s, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_int_equal(s[0].policy, SCHED_RR);
	assert_int_equal(s[1].policy, SCHED_OTHER);
	free(s);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(launch_scheduling_parse(bad[i], &s, &n, &e), -EINVAL);
	assert_int_equal(cpus_parse("0, 3-5,7", &set, &e), 0);
	assert_int_equal(CPU_COUNT(&set), 5);
	assert_true(CPU_ISSET(0, &set) && CPU_ISSET(3, &set) && CPU_ISSET(5, &set) &&
		    CPU_ISSET(7, &set));
	static const char *const bad_cpus[] = {
	    "", "a", "1-", "-1", "5-3", "1-2-3", "99999", "0-99999999999", "1,,2"};
	for (size_t i = 0; i < sizeof bad_cpus / sizeof *bad_cpus; i++)
		assert_true(cpus_parse(bad_cpus[i], &set, &e) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_ends, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_timeout, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_no_signalfd, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_not_started, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_group, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_watch, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_interrupted, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_helper, setup, teardown),
	    cmocka_unit_test_setup_teardown(test_orphan, setup, teardown),
	    cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
