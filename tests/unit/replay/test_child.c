/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper: programs that succeed, fail, never end, use no CPU time, print without end, and leave
 * processes behind. All of them are small shell scripts. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/files.h"
#include "common/strbuf.h"
#include "replay/engines/adapters/child.h"
#include "sample.h"

#define LONG_NS INT64_C(100000000000)

struct kept { /* a program and its result */
	char *dir;
	char *argv[4];
	struct child_spec spec;
	struct child_result *result;
	struct strbuf printed;
};

static void kept_make(struct kept *k, const char *script)
{
	struct err e = ERR_INIT;
	*k = (struct kept){.dir = sample_dir(), .argv = {"/bin/sh", "-c", (char *)script, NULL}, .printed = STRBUF_INIT};
	k->spec = (struct child_spec){.argv = k->argv, .dir = k->dir, .time_limit_ns = LONG_NS, .output_limit_bytes = 1 << 20,
				      .printed = xasprintf("%s/printed", k->dir)};
	k->result = child_result_make(&e);
	assert_non_null(k->result);
}

static pid_t kept_start(struct kept *k)
{
	pid_t keeper = fork();
	if (keeper == 0)
		_exit(child_keep(&k->spec, k->result));
	assert_true(keeper > 0);
	return keeper;
}

static void kept_wait(struct kept *k, pid_t keeper, enum child_end expected)
{
	int status;
	struct err e = ERR_INIT;
	assert_int_equal(waitpid(keeper, &status, 0), keeper);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), expected == CHILD_NOT_STARTED);
	if (k->result->end != expected)
		fail_msg("it ended as %d, not %d (%s: %d)", (int)k->result->end, (int)expected,
			 k->result->step, k->result->error);
	assert_int_equal(file_read(k->spec.printed, &k->printed, 0, &e), 0);
}

static void kept_run(struct kept *k, enum child_end expected)
{
	kept_wait(k, kept_start(k), expected);
}

static void kept_release(struct kept *k)
{
	child_result_free(k->result);
	strbuf_release(&k->printed);
	free((char *)k->spec.printed);
	sample_dir_remove(k->dir);
}

static bool file_is(const struct kept *k, const char *name, const char *content, size_t len)
{
	struct strbuf s = STRBUF_INIT;
	char *path = xasprintf("%s/%s", k->dir, name);
	bool is = file_read(path, &s, 0, NULL) == 0 && s.len == len && !memcmp(s.s, content, len);
	strbuf_release(&s);
	free(path);
	return is;
}

/* The number that a program wrote into a file, as soon as the file exists. */
static pid_t number_of(const struct kept *k, const char *name)
{
	struct strbuf s = STRBUF_INIT;
	char *path = xasprintf("%s/%s", k->dir, name);
	while (file_read(path, &s, 0, NULL) || !s.len || s.s[s.len - 1] != '\n') {
		strbuf_reset(&s);
		usleep(1000);
	}
	pid_t pid = (pid_t)strtol(s.s, NULL, 10);
	strbuf_release(&s);
	free(path);
	return pid;
}

/* The keeper inherits all of them, and waits for each. */
static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* --- what it gets, and how it ends ------------------------------------------ */

static void it_gets_input_and_environment(void **state)
{
	struct kept k;
	char *environment[] = {"WHERE=here there", NULL};
	(void)state;
	kept_make(&k, "cat; echo \"$WHERE\" >&2; test -e input && exit 7");
	char *input = xasprintf("%s/input", k.dir), *output = xasprintf("%s/output", k.dir);
	assert_int_equal(file_write_atomic(input, "a\0b", 3, NULL), 0);
	k.spec.environment = environment;
	k.spec.input = input;
	k.spec.output = output;
	kept_run(&k, CHILD_EXITED);
	/* standard error is in the printed text, standard output in its file */
	assert_true(file_is(&k, "output", "a\0b", 3));
	assert_string_equal(k.printed.s, "here there\n");
	assert_true(WIFEXITED(k.result->status) && WEXITSTATUS(k.result->status) == 7);
	assert_int_equal(k.result->n_left, 0);
	assert_int_equal(k.result->n_printed_bytes, 11);
	assert_true(k.result->started_ns <= k.result->ended_ns && k.result->peak_bytes > 0);
	free(input);
	free(output);
	kept_release(&k);
}

static void ended_by_a_signal(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "kill -SEGV $$");
	kept_run(&k, CHILD_EXITED);
	assert_true(WIFSIGNALED(k.result->status) && WTERMSIG(k.result->status) == SIGSEGV);
	kept_release(&k);
}

static void not_started(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "exit 0");
	k.argv[0] = "/no/such/program";
	kept_run(&k, CHILD_NOT_STARTED);
	assert_int_equal(k.result->error, ENOENT);
	assert_string_equal(k.result->step, "cannot execute it");
	kept_release(&k);
	kept_make(&k, "exit 0");
	k.spec.dir = "/no/such/directory";
	kept_run(&k, CHILD_NOT_STARTED);
	assert_string_equal(k.result->step, "cannot change to its directory (start-in)");
	kept_release(&k);
	kept_make(&k, "exit 0");
	k.spec.input = "/no/such/input";
	kept_run(&k, CHILD_NOT_STARTED);
	assert_string_equal(k.result->step, "cannot set its input and output");
	kept_release(&k);
}

static void a_program_over_its_time_limit_is_killed(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "trap '' TERM INT HUP; echo $$ >pid; while :; do sleep 1000; done");
	k.spec.time_limit_ns = 300000000;
	kept_run(&k, CHILD_TIMED_OUT);
	assert_int_equal(k.result->n_left, 0); /* it was killed: no process remained by itself */
	kept_release(&k);
}

static void a_silent_program_is_stopped(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "exec sleep 1000");
	k.spec.quiet_ns = 50000000;
	kept_run(&k, CHILD_QUIET);
	kept_release(&k);
}

static void interrupted(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "trap '' TERM; echo $$ >pid; while :; do sleep 1000; done");
	pid_t keeper = kept_start(&k), program = number_of(&k, "pid");
	kill(keeper, SIGTERM);
	kept_wait(&k, keeper, CHILD_INTERRUPTED);
	assert_true(is_gone(program));
	kept_release(&k);
}

/* --- what it prints --------------------------------------------------------- */

static void first_and_last_of_what_it_prints(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "seq -f %09.0f 0 99999"); /* a million bytes */
	kept_run(&k, CHILD_EXITED);
	assert_int_equal(k.result->n_printed_bytes, 1000000);
	assert_true(k.printed.len > 2 * CHILD_PRINTED_BYTES &&
		    k.printed.len < 2 * CHILD_PRINTED_BYTES + 100);
	assert_memory_equal(k.printed.s, "000000000\n000000001\n", 20);
	assert_string_equal(k.printed.s + k.printed.len - 20, "000099998\n000099999\n");
	char *left_out =
	    xasprintf("\n[... %u bytes left out ...]\n", 1000000 - 2 * CHILD_PRINTED_BYTES);
	assert_non_null(strstr(k.printed.s, left_out));
	free(left_out);
	kept_release(&k);
	kept_make(&k, "seq -f %09.0f 0 9999"); /* all of it fits in both */
	kept_run(&k, CHILD_EXITED);
	assert_int_equal(k.printed.len, 100000);
	assert_null(strstr(k.printed.s, "left out"));
	kept_release(&k);
}

static void bytes_of_any_value(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "printf '\\000\\377\\033[2J\\000'");
	kept_run(&k, CHILD_EXITED);
	assert_int_equal(k.printed.len, 7);
	assert_memory_equal(k.printed.s, "\0\377\033[2J\0", 7);
	kept_release(&k);
}

static void too_much(void **state)
{
	struct kept k;
	struct stat st;
	(void)state;
	kept_make(&k, "while :; do echo 0123456789012345678901234567890123456789; done");
	char *output = xasprintf("%s/output", k.dir);
	k.spec.output = output;
	k.spec.output_limit_bytes = 100000;
	kept_run(&k, CHILD_TOO_MUCH_OUTPUT);
	assert_int_equal(stat(output, &st), 0);
	assert_true(st.st_size >= 100000 && st.st_size < 300000); /* at most a full pipe beyond */
	free(output);
	kept_release(&k);
	kept_make(&k, "while :; do echo 0123456789012345678901234567890123456789; done >watched");
	char *watched = xasprintf("%s/watched", k.dir); /* a file that it writes itself */
	k.spec.watched = watched;
	k.spec.output_limit_bytes = 100000;
	kept_run(&k, CHILD_TOO_MUCH_OUTPUT);
	free(watched);
	kept_release(&k);
}

static void a_full_disk_is_an_error(void **state)
{
	(void)state;
	static const char *const scripts[] = {"echo lost >&2", "seq 100000 >&2", "echo lost"};
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
		struct kept k;
		kept_make(&k, scripts[i]);
		free((char *)k.spec.printed);
		k.spec.printed = xstrdup("/dev/full");
		assert_true(waitpid(kept_start(&k), NULL, 0) > 0);
		assert_int_equal(k.result->output_error, ENOSPC);
		kept_release(&k);
	}
}

static void closes_its_output(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "exec >&- 2>&-; echo lost; sleep 0.2; exit 3");
	kept_run(&k, CHILD_EXITED);
	assert_true(WIFEXITED(k.result->status) && WEXITSTATUS(k.result->status) == 3);
	assert_int_equal(k.printed.len, 0);
	kept_release(&k);
}

/* --- what it leaves behind -------------------------------------------------- */

static void a_daemon(void **state)
{
	struct kept k;
	(void)state;
	/* forked twice, in a session and process group of its own, ignoring signals, and holding
	 * the inherited descriptors */
	kept_make(&k, "(setsid sh -c 'trap \"\" TERM HUP; echo $$ >new; mv new pid; while :; do "
		      "sleep 1000; done' &); "
		      "while ! test -e pid; do sleep 0.01; done");
	kept_run(&k, CHILD_EXITED);
	pid_t daemon = number_of(&k, "pid");
	char *name = xasprintf("sh (%d)", (int)daemon);
	assert_true(k.result->n_left >= 1);
	if (!strstr(k.result->left, name))
		fail_msg("\"%s\" is not in \"%s\"", name, k.result->left);
	assert_true(is_gone(daemon));
	free(name);
	kept_release(&k);
}

static void more_names_than_fit(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k,
		  "for i in 1 2 3 4 5 6 7 8 9 10; do for j in 1 2 3 4; do sleep 1000 & done; done");
	kept_run(&k, CHILD_EXITED);
	assert_int_equal(k.result->n_left, 40);
	assert_true(strlen(k.result->left) < sizeof k.result->left);
	assert_memory_equal(k.result->left, "s", 1); /* "sh (1)" or "sleep (1)" */
	assert_int_equal(k.result->left[strlen(k.result->left) - 1], ')'); /* no half of a name */
	kept_release(&k);
}

/* A name that looks like the rest of a line of /proc/PID/stat. */
static void a_misleading_name(void **state)
{
	struct kept k;
	(void)state;
	kept_make(&k, "ln -s /bin/sh 'a) Z 1 (b'; (setsid './a) Z 1 (b' -c 'echo $$ >new; mv new "
		      "pid; while :; do sleep 1000; done' &); "
		      "while ! test -e pid; do sleep 0.01; done");
	kept_run(&k, CHILD_EXITED);
	assert_non_null(strstr(k.result->left, "a) Z 1 (b ("));
	assert_true(is_gone(number_of(&k, "pid")));
	kept_release(&k);
}

static void users(void **state)
{
	struct err e = ERR_INIT;
	uid_t uid;
	gid_t gid;
	(void)state;
	assert_int_equal(child_user_find("no-such-user-here", &uid, &gid, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "no-such-user-here"));
	int ret = child_user_find("root", &uid, &gid, &e);
	assert_int_equal(ret, geteuid() ? -EACCES : 0);
	assert_int_equal(uid, 0);
}

/* The limit counts active time: a paused program has unlimited time. */
static void paused_by_its_campaign(void **state)
{
	(void)state;
	for (int paused = 0; paused < 2; paused++) {
		struct kept k;
		struct pause p;
		struct pause_page *page;
		int fd;
		char text[16];
		kept_make(&k, paused ? "sleep 0.4" : "sleep 60");
		assert_int_equal(pause_page_make(&page, &fd, NULL), 0);
		snprintf(text, sizeof text, "%d", dup(fd));
		setenv(PAUSE_VARIABLE, text, 1);
		assert_int_equal(pause_join(&p, NULL), 0);
		k.spec.time_limit_ns = 100000000;
		k.spec.pause = &p;
		if (paused)
			pause_clock_stop(page);
		pid_t keeper = kept_start(&k);
		while (pause_look(page) != PAUSE_DONE)
			usleep(1000);
		usleep(10000);
		assert_int_equal(atomic_load(&page->keeper), keeper);
		/* until the controller releases it */
		assert_int_equal(waitpid(keeper, NULL, WNOHANG), 0);
		pause_let_finish(page);
		assert_int_equal(waitpid(keeper, NULL, 0), keeper);
		assert_int_equal(k.result->end, paused ? CHILD_EXITED : CHILD_TIMED_OUT);
		pause_release(&p);
		pause_page_free(page, fd);
		kept_release(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(it_gets_input_and_environment),
	    cmocka_unit_test(ended_by_a_signal),
	    cmocka_unit_test(not_started),
	    cmocka_unit_test(a_program_over_its_time_limit_is_killed),
	    cmocka_unit_test(a_silent_program_is_stopped),
	    cmocka_unit_test(interrupted),
	    cmocka_unit_test(first_and_last_of_what_it_prints),
	    cmocka_unit_test(bytes_of_any_value),
	    cmocka_unit_test(too_much),
	    cmocka_unit_test(a_full_disk_is_an_error),
	    cmocka_unit_test(closes_its_output),
	    cmocka_unit_test(a_daemon),
	    cmocka_unit_test(more_names_than_fit),
	    cmocka_unit_test(a_misleading_name),
	    cmocka_unit_test(users),
	    cmocka_unit_test(paused_by_its_campaign),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
