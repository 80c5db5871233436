/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays with a process for each traced process: separate descriptors, shared inherited
 * descriptors, order and outcomes across processes, and a process that fails. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "rig.h"

enum { PARENT = 100, CHILD = 200, OTHER = 300, MS = 1000000 };

static struct trace_record *of(struct trace_record *r, uint32_t pid)
{
	r->pid = r->tid = pid;
	return r;
}

/* A parent opens f and writes. Two children in turn continue to read from the shared position, and
 * each opens g under a number that the other child uses for h. */
static void family_make(struct sample *s)
{
	static const char *const paths[] = {"f", "g", "h"};
	memcpy(s->paths, paths, sizeof paths);
	s->n_paths = 3;
	of(sample_open(s, 0, 0, 10, 0, O_RDWR | O_CREAT | O_TRUNC, 5), PARENT);
	of(sample_data(s, 0, 20, 30, OP_WRITE, 5, 0, OFFSET_NONE, 300, 300), PARENT);
	of(sample_data(s, 0, 40, 50, OP_LSEEK, 5, 0, 0, 0, 0), PARENT)->flags = SEEK_SET;
	of(sample_data(s, 0, 60, 70, OP_READ, 5, 0, OFFSET_NONE, 100, 100), CHILD);
	of(sample_data(s, 0, 80, 90, OP_READ, 5, 0, OFFSET_NONE, 150, 150), OTHER);
	of(sample_data(s, 0, 100, 110, OP_READ, 5, 0, OFFSET_NONE, 100, 50), CHILD);
	of(sample_open(s, 0, 120, 130, 1, O_RDWR | O_CREAT, 6), CHILD);
	of(sample_open(s, 0, 125, 135, 2, O_RDWR | O_CREAT, 6), OTHER);
	of(sample_data(s, 0, 140, 150, OP_WRITE, 6, 1, OFFSET_NONE, 10, 10), CHILD);
	of(sample_data(s, 0, 145, 155, OP_WRITE, 6, 2, OFFSET_NONE, 20, 20), OTHER);
	of(sample_data(s, 0, 160, 170, OP_CLOSE, 5, 0, OFFSET_NONE, 0, 0), CHILD);
	of(sample_data(s, 0, 180, 190, OP_PREAD, 5, 0, 0, 10, 10), OTHER);
	of(sample_data(s, 0, 200, 210, OP_PREAD, 5, 0, 0, 10, 10), PARENT);
}

static off_t size_of(const struct rig *g, const char *name)
{
	struct stat st;
	char *path = xasprintf("%s/%s", g->tree, name);
	off_t size = stat(path, &st) ? -1 : st.st_size;
	free(path);
	return size;
}

static void inherited_descriptors_share_their_position(void **state)
{
	(void)state;
	static const char *const engines[] = {"event", "coordinator", "compiled"};
	static const int orders[] = {ORDER_TEMPORAL, ORDER_TEMPORAL_SERIAL, ORDER_FS};
	struct sample s = {.r = NULL};
	struct err e = ERR_INIT;
	family_make(&s);
	for (size_t i = 0; i < 6; i++) {
		struct rig g;
		rig_init(&g);
		g.c.engine = engines[i % 3];
		g.c.order = orders[i / 2];
		g.c.processes = true;
		if (rig_replay(&g, &s, &e))
			fail_msg("%s", e.msg);
		assert_int_equal(g.s.n_mismatches, 0);
		assert_int_equal(g.s.n_issued, s.n);
		assert_int_equal(g.s.n_processes, 3);
		assert_int_equal(size_of(&g, "g"), 10);
		assert_int_equal(size_of(&g, "h"), 20);
		rig_release(&g);
	}
	sample_release(&s);
}

/* Every request comes after all requests that ended before it, by the stamps, in whatever
 * process. */
static void stamps_keep_the_order_across_processes(void **state)
{
	(void)state;
	uint64_t seed = 7;
	for (int e = 0; e < 2; e++) {
		struct sample s = {.paths = {"f", "g"}, .n_paths = 2};
		struct rig g;
		struct err err = ERR_INIT;
		uint64_t n_wrong = 0;
		sample_reads(&s, &seed, 6, 1500, OP_PREAD);
		for (size_t i = 0; i < s.n; i++)
			s.r[i].pid =
			    1 + s.r[i].tid / 2; /* three or four processes of up to two threads */
		rig_init(&g);
		g.c.engine = e ? "coordinator" : "event";
		g.c.processes = true;
		if (rig_replay(&g, &s, &err))
			fail_msg("%s", err.msg);
		assert_int_equal(g.s.n_mismatches, 0);
		assert_true(g.s.n_processes > 2);
		for (size_t r = 0; r < g.n; r++)
			for (size_t q = 0; q < g.n; q++) {
				n_wrong += s.r[q].begin_ns < s.r[r].begin_ns &&
					   g.r[q].begin_ns > g.r[r].begin_ns;
				n_wrong += s.r[q].end_ns <= s.r[r].begin_ns &&
					   g.r[q].end_ns > g.r[r].begin_ns;
			}
		assert_int_equal(n_wrong, 0);
		rig_release(&g);
		sample_release(&s);
	}
}

/* Two processes; the request of the second is due long after the request of the first. */
static void two_made(struct sample *s, int64_t later_ns)
{
	s->paths[0] = "f", s->paths[1] = "g";
	s->n_paths = 2;
	of(sample_open(s, 0, 0, 10, 0, O_RDWR | O_CREAT, 5), PARENT);
	of(sample_data(s, 0, 20, 30, OP_WRITE, 5, 0, OFFSET_NONE, 100, 100), PARENT);
	of(sample_open(s, 0, later_ns, later_ns + 10, 1, O_RDWR | O_CREAT, 5), CHILD);
	of(sample_data(s, 0, later_ns + 20, later_ns + 30, OP_WRITE, 5, 1, OFFSET_NONE, 100, 100),
	   CHILD);
}

/* The second child of this process, as soon as the replay has created `made`; 0: it does not appear
 * within a minute. */
static pid_t second_child(const char *made)
{
	char text[256] = "";
	char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());
	pid_t pid = 0;
	for (int i = 0; !pid && i < 12000; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 5 * MS}, NULL);
		FILE *f = access(made, F_OK) ? NULL : fopen(path, "r");
		char *children = f ? fgets(text, sizeof text, f) : NULL;
		if (f)
			fclose(f);
		char *second = children ? strchr(children, ' ') : NULL;
		pid = second ? atoi(second + 1) : 0;
	}
	free(path);
	return pid;
}

/* Both processes wait by then, and neither would return by itself. */
static void *killer(void *made)
{
	pid_t pid = second_child(made);
	if (!pid) {
		fprintf(stderr, "no second process was seen\n");
		_exit(1);
	}
	kill(pid, SIGKILL);
	return NULL;
}

/* A process is killed while it waits for a distant due time: the replay fails at once, names the
 * traced process, and leaves no process behind. */
static void a_killed_process_is_named_and_all_are_ended(void **state)
{
	(void)state;
	const int64_t hour_ns = INT64_C(3600000) * MS;
	struct sample s = {.r = NULL};
	struct rig g;
	struct err e = ERR_INIT;
	pthread_t id;
#if defined(__SANITIZE_THREAD__)
	/* under ThreadSanitizer, a process that was forked while a thread existed, here the killer,
	 * cannot start threads */
	skip();
#endif
	two_made(&s, hour_ns);
	/* its second request is due then, too */
	of(sample_data(&s, 0, hour_ns + 40, hour_ns + 50, OP_WRITE, 5, 0, OFFSET_NONE, 100, 100),
	   PARENT);
	rig_init(&g);
	g.c.processes = true;
	g.c.timing = TIMING_TIMESTAMP;
	char *made = xasprintf("%s/f", g.tree);
	assert_int_equal(pthread_create(&id, NULL, killer, made), 0);
	int ret = rig_replay(&g, &s, &e);
	pthread_join(id, NULL);
	assert_int_equal(ret, -EIO);
	if (!strstr(e.msg, "process 200 of the trace") || !strstr(e.msg, "signal 9") ||
	    !strstr(e.msg, "request 2 (open of g)"))
		fail_msg("%s", e.msg);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
	rig_release(&g);
	sample_release(&s);
	free(made);
}

/* The trace shows a lock that is released, but the replay never releases it: with order `thread`
 * the second process requests the lock while the first holds it and waits for a distant due
 * time. */
static void a_blocked_process_is_ended_by_the_watchdog(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct rig g;
	struct err e = ERR_INIT;
	of(sample_open(&s, 0, 0, 10, 0, O_RDWR | O_CREAT, 5), PARENT);
	/* LOCK_EX */
	of(sample_data(&s, 0, 20, 30, OP_FLOCK, 5, 0, OFFSET_NONE, 0, 0), PARENT)->flags = 2;
	of(sample_open(&s, 0, 40, 50, 0, O_RDWR | O_CREAT, 5), CHILD);
	of(sample_data(&s, 0, 60, 70, OP_FLOCK, 5, 0, OFFSET_NONE, 0, 0), CHILD)->flags = 2;
	/* LOCK_UN */
	of(sample_data(&s, 0, 80, 90, OP_FLOCK, 5, 0, OFFSET_NONE, 0, 0), PARENT)->flags = 8;
	rig_init(&g);
	g.c.processes = true;
	g.c.order = ORDER_TEMPORAL;
	g.c.watchdog_ns = 100 * MS;
	int ret = rig_replay(&g, &s, &e);
	assert_int_equal(ret, -ETIMEDOUT);
	if (!strstr(e.msg, "request 3 (flock") || !strstr(e.msg, "watchdog"))
		fail_msg("%s", e.msg);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	rig_release(&g);
	sample_release(&s);
}

static void a_mismatch_in_one_process_stops_all(void **state)
{
	(void)state;
	struct sample s = {.r = NULL};
	struct rig g;
	struct err e = ERR_INIT;
	two_made(&s, INT64_C(1000) * MS);
	s.r[1].rvalue = 50; /* an impossible result */
	rig_init(&g);
	g.c.processes = true;
	g.c.stop_on_mismatch = true;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_true(g.s.stopped);
	assert_int_equal(g.s.n_mismatches, 1);
	assert_int_equal(g.s.n_issued, 2);
	rig_release(&g);
	sample_release(&s);
}

/* The effects of a process's end: no request closes its descriptor, and its lock ends after its
 * last request. */
static void an_ending_process_closes_what_it_has(void **state)
{
	(void)state;
	struct sample s = {.paths = {"f"}, .n_paths = 1};
	struct rig g;
	struct err e = ERR_INIT;
	of(sample_open(&s, 0, 0, 10, 0, O_RDWR | O_CREAT, 5), PARENT);
	of(sample_data(&s, 0, 20, 30, OP_FLOCK, 5, 0, OFFSET_NONE, 0, 0), PARENT)->flags = 2;
	of(sample_open(&s, 0, 40, 50, 0, O_RDWR | O_CREAT, 5), CHILD);
	/* LOCK_NB: it would fail */
	of(sample_data(&s, 0, 60, 70, OP_FLOCK, 5, 0, OFFSET_NONE, 0, 0), CHILD)->flags = 2 | 4;
	rig_init(&g);
	g.c.processes = true;
	if (rig_replay(&g, &s, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(g.s.n_mismatches, 0);
	rig_release(&g);
	sample_release(&s);
}

static void invalid_combinations_are_refused(void **state)
{
	(void)state;
	struct replay_config c;
	struct err e = ERR_INIT;
	replay_config_init(&c);
	c.processes = true;
	assert_int_equal(replay_check(&c, &e), 0);
	c.order = ORDER_NONE;
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	c.order = ORDER_FS;
	c.mutant = "double";
	assert_int_equal(replay_check(&c, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "processes"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inherited_descriptors_share_their_position),
		cmocka_unit_test(stamps_keep_the_order_across_processes),
		cmocka_unit_test(a_killed_process_is_named_and_all_are_ended),
		cmocka_unit_test(a_blocked_process_is_ended_by_the_watchdog),
		cmocka_unit_test(a_mismatch_in_one_process_stops_all),
		cmocka_unit_test(an_ending_process_closes_what_it_has),
		cmocka_unit_test(invalid_combinations_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
