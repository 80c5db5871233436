/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs on small files in a separate directory. The tests examine their traces. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#include "capture/run_facts.h"
#include "common/files.h"
#include "common/placement.h"
#include "common/wait.h"
#include "common/xalloc.h"
#include "microbench/draw.h"
#include "microbench/microbench.h"
#include "target.h"

static struct microbench_config small(void)
{
	struct microbench_config c;
	microbench_config_init(&c);
	c.n_requests = 100;
	c.file_bytes = 64 * 4096;
	c.dir = dir;
	c.output = output;
	c.no_sync_output = true;
	return c;
}

struct run {
	struct trace *trace;
	struct trace_record *record;
	size_t n, cap;
};

static void run_read(struct run *r)
{
	struct err e = ERR_INIT;
	const struct trace_record *next;
	struct trace_health health;
	int got;
	*r = (struct run){NULL, NULL, 0, 0};
	assert_int_equal(trace_open(&r->trace, output, &e), 0);
	while ((got = trace_next(r->trace, &next, &e)) > 0) {
		GROW(r->record, r->n, r->cap);
		r->record[r->n++] = *next;
	}
	assert_int_equal(got, 0);
	trace_health(r->trace, &health);
	assert_true(health.complete);
}

static void run_release(struct run *r)
{
	trace_close(r->trace);
	free(r->record);
}

static void run_and_read(const char *workload, const struct microbench_config *c,
			 struct microbench_outcome *o, struct run *r)
{
	struct err e = ERR_INIT;
	int ret = microbench_run(workload_find(workload), c, o, &e);
	if (ret)
		fail_msg("%s", e.msg);
	run_read(r);
}

/* --- content of a trace --------------------------------------------------- */

/* Properties of every record of every run. */
static void check_record(const struct run *r, size_t i, const struct microbench_config *c)
{
	const struct trace_record *x = &r->record[i];
	assert_int_equal(x->seq, i);
	assert_true(x->begin_ns >= 0 && x->end_ns >= x->begin_ns);
	assert_true(i == 0 || x->begin_ns >= r->record[i - 1].begin_ns);
	assert_true(x->intended_ns == TIME_NONE && x->dispatch_ns == TIME_NONE);
	assert_int_equal(x->pid, getpid());
	assert_int_equal(x->heap, HEAP_NONE);
	assert_int_equal(x->error, 0);
	assert_true(x->object < c->level && x->fd >= 0);
	if (x->op == OP_LSEEK || x->op == OP_FSYNC) {
		assert_int_equal(x->rvalue, 0);
		return;
	}
	assert_int_equal(x->length, c->block_bytes);
	assert_int_equal(x->rvalue, c->block_bytes);
	assert_int_equal(x->offset % c->block_bytes, 0);
	assert_true(x->offset + x->length <= c->file_bytes);
}

/* random-mixed reads even blocks and writes odd blocks. */
static enum trace_op expected_op(const struct workload *w, const struct trace_record *x)
{
	if (w->op != OP_INVALID)
		return w->op;
	return x->offset / x->length % 2 ? OP_PWRITE : OP_PREAD;
}

static void every_workload_at_every_level(void **state)
{
	(void)state;
	for (const struct workload *const *w = workloads; *w; w++)
		for (uint64_t level = 1; level <= 4 && !(*w)->script && !(*w)->block;
		     level += level == 2 ? 2 : 1) {
			struct microbench_config c = small();
			struct microbench_outcome o;
			struct run r;
			size_t n_of[4] = {0};
			double sum_ns = 0;
			c.level = level;
			run_and_read((*w)->name, &c, &o, &r);
			for (size_t i = 0; i < r.n; i++) {
				check_record(&r, i, &c);
				n_of[r.record[i].object] +=
				    r.record[i].op == expected_op(*w, &r.record[i]);
				sum_ns += (double)(r.record[i].end_ns - r.record[i].begin_ns);
			}
			for (size_t t = 0; t < level; t++)
				assert_int_equal(n_of[t], 100);
			/* a sequential thread returned to the start once: 64 blocks in the file */
			assert_int_equal(r.n, level * (100 + (*w)->sequential));
			assert_int_equal(o.n_requests, r.n);
			assert_true(fabs(o.mean_response_ns * (double)r.n - sum_ns) <
				    1e-6 * sum_ns + 1);
			assert_false(o.capacity_reached);
			run_release(&r);
		}
}

/* The requests of a thread follow each other and never overlap; threads have their own descriptors
 * and ids. */
static void threads_are_distinguished(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct run r;
	uint32_t tid[3] = {0};
	int fd[3] = {-1, -1, -1};
	int64_t last_end_ns[3] = {0};
	c.level = 3;
	run_and_read("rr", &c, NULL, &r);
	for (size_t i = 0; i < r.n; i++) {
		const struct trace_record *x = &r.record[i];
		uint32_t t = x->object;
		assert_true(tid[t] == 0 || (tid[t] == x->tid && fd[t] == x->fd));
		tid[t] = x->tid;
		fd[t] = x->fd;
		assert_true(x->begin_ns >= last_end_ns[t]);
		last_end_ns[t] = x->end_ns;
	}
	assert_true(tid[0] != tid[1] && tid[1] != tid[2] && tid[0] != tid[2]);
	assert_true(fd[0] != fd[1] && fd[1] != fd[2] && fd[0] != fd[2]);
	run_release(&r);
}

static void sequential_workloads_begin_again_at_the_end(void **state)
{
	(void)state;
	for (int writes = 0; writes < 2; writes++) {
		struct microbench_config c = small();
		struct run r;
		uint64_t expected = 0;
		c.n_requests = 25;
		/* the rest at the end of the file is not a whole block, so no request uses it */
		c.file_bytes = 10 * 4096 + 100;
		run_and_read(writes ? "sw" : "sr", &c, NULL, &r);
		assert_int_equal(r.n, 27);
		for (size_t i = 0; i < r.n; i++) {
			if (i == 10 || i == 21) {
				assert_int_equal(r.record[i].op, OP_LSEEK);
				assert_int_equal(r.record[i].offset, 0);
				assert_int_equal(r.record[i].flags, SEEK_SET);
				assert_int_equal(r.record[i].length, 0);
				expected = 0;
				continue;
			}
			assert_int_equal(r.record[i].op, writes ? OP_WRITE : OP_READ);
			assert_int_equal(r.record[i].offset, expected);
			expected += 4096;
		}
		run_release(&r);
	}
}

static void an_fsync_is_the_last_request(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct run r;
	bool synced[2] = {false, false};
	c.level = 2;
	c.fsync_end = true;
	run_and_read("rw", &c, NULL, &r);
	assert_int_equal(r.n, 202);
	for (size_t i = 0; i < r.n; i++) {
		uint32_t t = r.record[i].object;
		assert_false(synced[t]);
		if (r.record[i].op == OP_FSYNC) {
			synced[t] = true;
			assert_true(r.record[i].offset == OFFSET_NONE);
		}
	}
	assert_true(synced[0] && synced[1]);
	run_release(&r);
}

/* --- length of a run ------------------------------------------------------ */

static void continues_until_the_minimum_duration(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct microbench_outcome o;
	struct run r;
	c.level = 2;
	c.n_requests = 3;
	c.min_duration_ns = 30000000;
	run_and_read("sr", &c, &o, &r);
	assert_false(o.capacity_reached);
	int64_t last_end_ns[2] = {0};
	size_t n_of[2] = {0};
	for (size_t i = 0; i < r.n; i++) {
		check_record(&r, i, &c);
		n_of[r.record[i].object]++;
		last_end_ns[r.record[i].object] = r.record[i].end_ns;
	}
	for (int t = 0; t < 2; t++) {
		assert_true(n_of[t] > 3);
		assert_true(last_end_ns[t] >= c.min_duration_ns);
	}
	run_release(&r);
	/* a duration that ends before --requests has no effect */
	c.n_requests = 500;
	c.pause_ns = 20000;
	c.min_duration_ns = 1;
	run_and_read("rr", &c, &o, &r);
	assert_int_equal(r.n, 1000);
	run_release(&r);
}

static void pauses_are_kept(void **state)
{
	(void)state;
	for (int method = WAIT_HYBRID; wait_method_names[method]; method++)
		for (int kind = THINK_FIXED; think_names[kind]; kind++) {
			struct microbench_config c = small();
			struct run r;
			uint64_t drawn[30];
			c.n_requests = 30;
			c.pause_ns = 200000;
			c.pause_by = method;
			c.think = kind;
			run_and_read("rr", &c, NULL, &r);
			draw_think(drawn, 30, (enum think_kind)kind, 200000, c.seed, 0);
			assert_int_equal(r.n, 30);
			for (size_t i = 1; i < r.n;
			     /* never shorter, except for rounding to ns and the rates of the
			      * clocks */
			     i++)
				assert_true(r.record[i].begin_ns - r.record[i - 1].end_ns >=
					    (int64_t)(0.999 * (double)drawn[i - 1]) - 2);
			run_release(&r);
		}
}

/* --- effects of the seed -------------------------------------------------- */

struct sequence {
	uint64_t offset[2][400];
	uint16_t op[2][400];
	size_t n[2];
};

static void sequence_of(const char *workload, uint64_t seed, struct sequence *s)
{
	struct microbench_config c = small();
	struct run r;
	c.level = 2;
	c.seed = seed;
	run_and_read(workload, &c, NULL, &r);
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < r.n; i++) {
		uint32_t t = r.record[i].object;
		s->offset[t][s->n[t]] = r.record[i].offset;
		s->op[t][s->n[t]++] = r.record[i].op;
	}
	run_release(&r);
}

static void the_seed_decides_the_requests(void **state)
{
	(void)state;
	static struct sequence a, b;
	for (const struct workload *const *w = workloads; *w; w++) {
		if ((*w)->script || (*w)->block) /* test_script.c, test_block_draw.c */
			continue;
		sequence_of((*w)->name, 12, &a);
		sequence_of((*w)->name, 12, &b);
		assert_memory_equal(&a, &b, sizeof a);
		if ((*w)->sequential)
			continue;
		assert_memory_not_equal(a.offset[0], a.offset[1], sizeof a.offset[0]);
		sequence_of((*w)->name, 13, &b);
		assert_memory_not_equal(a.offset[0], b.offset[0], sizeof a.offset[0]);
		assert_memory_not_equal(a.offset[1], b.offset[1], sizeof a.offset[1]);
	}
}

/* --- metadata ------------------------------------------------------------ */

static void metadata_are_complete(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct run r;
	struct run_facts facts;
	struct err e = ERR_INIT;
	c.level = 2;
	c.seed = 99;
	c.sync = true;
	run_and_read("sw", &c, NULL, &r);
	const struct trace_meta *m = trace_meta(r.trace);
	assert_int_equal(m->level, LEVEL_SYSCALL);
	assert_int_equal(m->seed, 99);
	assert_int_equal(m->n_events_lost, 0);
	assert_true(m->epoch_ns > 0 && m->wall_epoch_ns > 0);
	assert_true(m->clock_resolution_ns > 0 && m->clock_read_cost_ns > 0);
	assert_string_equal(m->root, dir);
	assert_non_null(strstr(m->command, "microbench sequential-write"));
	assert_int_equal(m->files.n, 2);
	assert_string_equal(m->files.entry[1].path, "sw.1");
	assert_int_equal(m->files.entry[1].size, c.file_bytes);
	assert_int_equal(trace_n_objects(r.trace), 2);
	assert_string_equal(trace_object(r.trace, 1)->name, "sw.1");

	json_t *extra = json_loads(m->extra_json, 0, NULL);
	assert_non_null(extra);
	assert_string_equal(json_string_value(json_object_get(extra, "workload")),
			    "sequential-write");
	assert_int_equal(
	    json_integer_value(json_object_get(json_object_get(extra, "options"), "level")), 2);
	assert_int_equal(run_facts_from_json(&facts, json_object_get(extra, "facts"), &e), 0);
	assert_int_equal(facts.wall_ns,
			 r.record[0].begin_ns < r.record[r.n - 1].begin_ns ? facts.wall_ns : -1);
	assert_true(facts.wall_ns >= r.record[r.n - 1].begin_ns - r.record[0].begin_ns);
	const json_t *descriptors = json_object_get(extra, "descriptors");
	assert_int_equal(json_array_size(descriptors), 2);
	/* each record's descriptor is in the list, with the right file */
	for (size_t i = 0; i < r.n; i++) {
		const json_t *d = json_array_get(descriptors, r.record[i].object);
		assert_int_equal(json_integer_value(json_object_get(d, "fd")), r.record[i].fd);
		assert_string_equal(json_string_value(json_object_get(d, "path")),
				    trace_object(r.trace, r.record[i].object)->name);
		assert_int_equal(json_integer_value(json_object_get(d, "flags")),
				 O_WRONLY | O_SYNC);
	}
	json_decref(extra);
	run_release(&r);
}

/* --- files --------------------------------------------------------------- */

static bool in_dir(const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	bool there = lstat(path, &st) == 0;
	free(path);
	return there;
}

static void files_are_made_kept_and_removed(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct err e = ERR_INIT;
	const struct workload *rr = workload_find("rr");
	unlink(output);
	c.level = 2;
	c.prepare_only = true;
	assert_int_equal(microbench_run(rr, &c, NULL, &e), 0);
	assert_true(in_dir("rr.0") && in_dir("rr.1"));
	assert_false(path_exists(output));
	c.prepare_only = false;
	c.prepare = false;
	assert_int_equal(microbench_run(rr, &c, NULL, &e), 0);
	assert_true(in_dir("rr.0"));
	assert_true(path_exists(output));
	c.remove = true;
	assert_int_equal(microbench_run(rr, &c, NULL, &e), 0);
	assert_false(in_dir("rr.0") || in_dir("rr.1"));
}

static void fails(const char *workload, const struct microbench_config *c, int code,
		  const char *says)
{
	struct err e = ERR_INIT;
	struct microbench_outcome o;
	unlink(output);
	assert_int_equal(microbench_run(workload_find(workload), c, &o, &e), -code);
	if (!strstr(e.msg, says))
		fail_msg("\"%s\" does not say \"%s\"", e.msg, says);
}

static void files_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct err e = ERR_INIT;
	char *file = xasprintf("%s/rr.0", dir), *other = xasprintf("%s/other", base);
	c.prepare = false;
	unlink(file);
	fails("rr", &c, ENOENT, "rr.0");
	c.prepare = true;
	assert_int_equal(microbench_run(workload_find("rr"), &c, NULL, &e), 0);
	c.prepare = false;
	assert_int_equal(truncate(file, 1000), 0);
	fails("rr", &c, EINVAL, "but the run needs");
	assert_false(path_exists(output));
	/* links are not followed, and FIFOs are neither opened nor written to */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(file_write_atomic(other, "untouched", 9, &e), 0);
	assert_int_equal(symlink(other, file), 0);
	fails("rr", &c, EPERM, "rr.0");
	c.prepare = true;
	fails("rr", &c, EPERM, "rr.0");
	struct strbuf content = STRBUF_INIT;
	assert_int_equal(file_read(other, &content, 0, &e), 0);
	assert_string_equal(content.s, "untouched");
	strbuf_release(&content);
	unlink(file);
	c.prepare = false;
	assert_int_equal(mkfifo(file, 0644), 0);
	fails("rr", &c, EPERM, "rr.0");
	unlink(file);
	free(file);
	free(other);
}

static void missing_directories(void **state)
{
	(void)state;
	struct microbench_config c = small();
	char *missing = xasprintf("%s/missing", base),
	     *deep = xasprintf("%s/missing/out.trace", base);
	c.dir = missing;
	fails("rr", &c, ENOENT, "missing");
	c.dir = output; /* a file, or nothing at all */
	fails("rr", &c, ENOENT, "out.trace");
	c.dir = dir;
	c.output = deep;
	fails("rr", &c, ENOENT, "missing/out.trace");
	c.output = base;
	fails("rr", &c, EISDIR, base);
	char *own = xasprintf("%s/rr.0", dir);
	c.output = own;
	fails("rr", &c, EINVAL, "overwrite");
	free(own);
	free(missing);
	free(deep);
}

/* On the file system of the tests, direct I/O either works, with whole pages, or the run reports
 * that it is not possible. */
static void direct_works_or_is_refused_with_a_message(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct microbench_outcome o;
	struct err e = ERR_INIT;
	c.direct = true;
	c.n_requests = 5;
	for (int placement = 0; placement_names[placement]; placement++) {
		c.placement = placement;
		int ret = microbench_run(workload_find("rr"), &c, &o, &e);
		if (ret == 0)
			assert_int_equal(o.n_requests, 5);
		else if (!strstr(e.msg, "direct I/O") && !strstr(e.msg, "Invalid argument"))
			fail_msg("%s", e.msg);
	}
}

/* --- runs that fail ------------------------------------------------------- */

static void no_room_left(void)
{
	struct rlimit limit = {10 * 4096 + 2048, RLIM_INFINITY};
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void room_again(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
}

static void a_short_request_ends_the_run(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct run r;
	c.prepare_only = true;
	assert_int_equal(microbench_run(workload_find("sw"), &c, NULL, NULL), 0);
	c.prepare_only = false;
	c.prepare = false;
	c.n_requests = 60;
	c.fsync_end = true;
	no_room_left();
	fails("sw", &c, EIO, "2048 of 4096 bytes");
	room_again();
	run_read(&r); /* the trace is written nevertheless, and is complete */
	assert_int_equal(r.n, 11);
	assert_int_equal(r.record[10].rvalue, 2048);
	assert_int_equal(r.record[10].error, 0);
	assert_int_equal(r.record[10].offset, 10 * 4096);
	run_release(&r);
}

static void a_failed_request_ends_the_run(void **state)
{
	(void)state;
	struct microbench_config c = small();
	struct run r;
	c.prepare_only = true;
	assert_int_equal(microbench_run(workload_find("rw"), &c, NULL, NULL), 0);
	c.prepare_only = false;
	c.prepare = false;
	c.n_requests = 10000; /* only ten of 64 blocks can be written, so the run must end soon */
	c.block_bytes = 2048;
	no_room_left();
	fails("rw", &c, EIO, "File too large");
	room_again();
	run_read(&r);
	assert_true(r.n >= 1 && r.n < 200);
	for (size_t i = 0; i + 1 < r.n; i++)
		assert_int_equal(r.record[i].rvalue, 2048);
	assert_int_equal(r.record[r.n - 1].rvalue, -1);
	assert_int_equal(r.record[r.n - 1].error, EFBIG);
	run_release(&r);
}

/* Runs in a separate process. `status`: the result of microbench_run, as a positive number. */
static int run_until_signal(const struct microbench_config *c, int signal_number)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		signal(signal_number, SIG_DFL);
		_exit(-microbench_run(workload_find("sr"), c, NULL, NULL));
	}
	/* a signal before the measured region ends the process; there is no trace either, but this
	 * is not the tested case */
	while (waitpid(child, &status, WNOHANG) == 0) {
		char *path = xasprintf("/proc/%d/task", (int)child);
		struct stat st;
		bool running =
		    stat(path, &st) == 0 &&
		    st.st_nlink >= 2 + 1 + 2; /* ".", "..", the main thread and two workers */
		free(path);
		usleep(10000);
		if (running)
			break;
	}
	kill(child, signal_number);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void a_signal_leaves_no_trace(void **state)
{
	(void)state;
	static const int signals[] = {SIGTERM, SIGINT};
	static const int methods[] = {WAIT_NANOSLEEP, WAIT_SPIN};
	for (int i = 0; i < 2; i++) {
		struct microbench_config c = small();
		c.level = 2;
		/* one thread sleeps for ten minutes, another is busy for a minute */
		c.pause_ns = i == 0 ? 600000000000 : 50000;
		c.pause_by = methods[i];
		c.min_duration_ns = 60000000000;
		c.n_requests = 1000;
		c.remove = true;
		unlink(output);
		int status = run_until_signal(&c, signals[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), EINTR);
		assert_false(path_exists(output));
		assert_false(in_dir("sr.0"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_workload_at_every_level),
	    cmocka_unit_test(threads_are_distinguished),
	    cmocka_unit_test(sequential_workloads_begin_again_at_the_end),
	    cmocka_unit_test(an_fsync_is_the_last_request),
	    cmocka_unit_test(continues_until_the_minimum_duration),
	    cmocka_unit_test(pauses_are_kept),
	    cmocka_unit_test(the_seed_decides_the_requests),
	    cmocka_unit_test(metadata_are_complete),
	    cmocka_unit_test(files_are_made_kept_and_removed),
	    cmocka_unit_test(files_that_do_not_fit_are_refused),
	    cmocka_unit_test(missing_directories),
	    cmocka_unit_test(direct_works_or_is_refused_with_a_message),
	    cmocka_unit_test(a_short_request_ends_the_run),
	    cmocka_unit_test(a_failed_request_ends_the_run),
	    cmocka_unit_test(a_signal_leaves_no_trace),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
