/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process started which: descriptors that siblings inherit one after another, and the waits
 * that order fs derives from starts of processes and from waits for their ends. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sample.h"

enum { PARENT = 100, ELDER = 200, YOUNGER = 300 };

static char *dir;

static struct trace_record *of(struct trace_record *r, uint32_t pid, uint32_t tid)
{
	r->pid = pid;
	r->tid = tid;
	return r;
}

static void load(const struct sample *s, struct loaded *x)
{
	struct err e = ERR_INIT;
	if (sample_load(s, dir, x, &e))
		fail_msg("%s", e.msg);
}

static void derive(const struct loaded *x, unsigned int rules, struct edges *d)
{
	struct err e = ERR_INIT;
	if (order_derive(d, ORDER_FS, rules, &x->l, &x->s, &e))
		fail_msg("%s", e.msg);
}

static const char told[] =
    "{\"processes\":["
    "{\"pid\":100,\"parent\":1,\"begin_ns\":0},"
    "{\"pid\":200,\"parent\":100,\"begin_ns\":25},"
    "{\"pid\":300,\"parent\":100,\"begin_ns\":45,\"waited_by\":101,\"waited_ns\":90}]}";

/* Each process has files of its own, so that no other rule applies. Two threads of the parent; the
 * second waits for the younger child. */
static void spawns_make(struct sample *s)
{
	static const char *const paths[] = {"a", "b", "c", "d"};
	memcpy(s->paths, paths, sizeof paths);
	s->n_paths = 4;
	of(sample_data(s, 0, 10, 20, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100);	 /* 0 */
	/* 1: had not ended at 25 */
	of(sample_data(s, 0, 15, 30, OP_PREAD, 4, 1, 0, 1, 1), PARENT, 101);
	of(sample_data(s, 0, 40, 43, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100);	 /* 2 */
	/* 3: begun at 25 */
	of(sample_data(s, 0, 50, 60, OP_PREAD, 3, 2, 0, 1, 1), ELDER, 200);
	/* 4: begun at 45 */
	of(sample_data(s, 0, 55, 65, OP_PREAD, 3, 3, 0, 1, 1), YOUNGER, 300);
	of(sample_data(s, 0, 70, 80, OP_PREAD, 3, 3, 0, 1, 1), YOUNGER, 300);	 /* 5 */
	/* 6: has not waited yet */
	of(sample_data(s, 0, 85, 88, OP_PREAD, 4, 1, 0, 1, 1), PARENT, 101);
	of(sample_data(s, 0, 95, 99, OP_PREAD, 4, 1, 0, 1, 1), PARENT, 101);	 /* 7 */
}

static bool has(const struct edges *d, uint32_t request, uint32_t thread, uint32_t index)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->edge[i].request == request && d->edge[i].thread == thread &&
		    d->edge[i].threshold == 2 * index + 2)
			return true;
	return false;
}

static void starts_and_ends_of_processes_are_waited_for(void **state)
{
	(void)state;
	struct sample s = {.extra_json = told};
	struct loaded x;
	struct edges d;
	spawns_make(&s);
	load(&s, &x);
	/* threads: 0 and 1 of the parent, 2 of the elder child, 3 of the younger child */
	derive(&x, RULES_ALL, &d);
	assert_true(has(&d, 3, 0, 0));
	assert_true(has(&d, 4, 0, 1));
	assert_true(has(&d, 4, 1, 0));
	assert_true(has(&d, 7, 3, 1));
	assert_int_equal(d.n, 4);
	edges_release(&d);
	derive(&x, RULES_ALL & ~(1u << RULE_PROCESS), &d);
	assert_int_equal(d.n, 0);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* A shell that makes no request between one program and the next: each thread of the next program
 * comes after the programs for which the shell has waited. Implied waits are left out. */
static void children_one_after_another(void **state)
{
	(void)state;
	struct sample s = {
	    .paths = {"a", "b", "c", "d"},
	    .n_paths = 4,
	    .extra_json =
		"{\"processes\":[{\"pid\":100,\"parent\":1,\"begin_ns\":0},"
		"{\"pid\":200,\"parent\":100,\"begin_ns\":10,\"waited_by\":100,\"waited_ns\":30},"
		"{\"pid\":300,\"parent\":100,\"begin_ns\":40,\"waited_by\":100,\"waited_ns\":60},"
		"{\"pid\":400,\"parent\":100,\"begin_ns\":70},{\"pid\":500,\"parent\":100,\"begin_"
		"ns\":25}]}"};
	struct loaded x;
	struct edges d;
	of(sample_data(&s, 0, 12, 20, OP_PREAD, 3, 0, 0, 1, 1), 200, 200); /* 0: thread 0 */
	of(sample_data(&s, 0, 42, 50, OP_PREAD, 3, 1, 0, 1, 1), 300, 300); /* 1: thread 1 */
	of(sample_data(&s, 0, 72, 73, OP_PREAD, 3, 2, 0, 1, 1), 400, 400); /* 2: thread 2 */
	of(sample_data(&s, 0, 75, 78, OP_PREAD, 3, 2, 0, 1, 1), 400, 401); /* 3: thread 3 */
	/* 4: thread 4, began before the first wait */
	of(sample_data(&s, 0, 80, 81, OP_PREAD, 3, 3, 0, 1, 1), 500, 500);
	load(&s, &x);
	derive(&x, RULES_ALL, &d);
	assert_true(has(&d, 1, 0, 0) && has(&d, 2, 1, 0) && has(&d, 3, 1, 0));
	assert_int_equal(d.n, 3);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* A program runs a shell, which runs two programs behind timeout(1). Neither the shell nor timeout
 * makes a request. The program's requests after the end of the shell come after both programs, and
 * the second program after the first, although processes without requests waited for each. */
static void through_processes_without_requests(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		struct sample s = {.paths = {"a", "b", "c"}, .n_paths = 3};
		struct loaded x;
		struct edges d;
		s.extra_json = known ? "{\"processes\":[{\"pid\":100,\"parent\":1,\"begin_ns\":0},"
				       "{\"pid\":150,\"parent\":100,\"begin_ns\":5,\"waited_by\":"
				       "100,\"waited_ns\":95},"
				       "{\"pid\":160,\"parent\":150,\"begin_ns\":10,\"waited_by\":"
				       "150,\"waited_ns\":35},"
				       "{\"pid\":200,\"parent\":160,\"begin_ns\":12,\"waited_by\":"
				       "160,\"waited_ns\":33},"
				       "{\"pid\":170,\"parent\":150,\"begin_ns\":40,\"waited_by\":"
				       "150,\"waited_ns\":70},"
				       "{\"pid\":300,\"parent\":170,\"begin_ns\":42,\"waited_by\":"
				       "170,\"waited_ns\":68}]}"
				     : "{\"processes\":[{\"pid\":100,\"parent\":1,\"begin_ns\":0},"
				       "{\"pid\":150,\"parent\":100,\"begin_ns\":5,\"waited_by\":"
				       "100,\"waited_ns\":95},"
				       "{\"pid\":160,\"parent\":150,\"begin_ns\":10},"
				       "{\"pid\":200,\"parent\":160,\"begin_ns\":12,\"waited_by\":"
				       "160,\"waited_ns\":33},"
				       "{\"pid\":170,\"parent\":150,\"begin_ns\":40},"
				       "{\"pid\":300,\"parent\":170,\"begin_ns\":42,\"waited_by\":"
				       "170,\"waited_ns\":68}]}";
		of(sample_data(&s, 0, 1, 3, OP_PREAD, 3, 0, 0, 1, 1), 100, 100);   /* 0: thread 0 */
		of(sample_data(&s, 0, 14, 20, OP_PREAD, 3, 1, 0, 1, 1), 200, 200); /* 1: thread 1 */
		of(sample_data(&s, 0, 45, 50, OP_PREAD, 3, 2, 0, 1, 1), 300, 300); /* 2: thread 2 */
		of(sample_data(&s, 0, 98, 99, OP_PREAD, 3, 0, 0, 1, 1), 100, 100); /* 3 */
		load(&s, &x);
		derive(&x, RULES_ALL, &d);
		assert_true(has(&d, 1, 0, 0));
		assert_true(has(&d, 2, known ? 1 : 0, 0));
		/* otherwise both may continue after the shell has ended */
		assert_int_equal(has(&d, 3, 2, 0), known);
		assert_int_equal(d.n, known ? 3 : 2);
		edges_release(&d);
		loaded_release(&x);
		sample_release(&s);
	}
}

/* The first request of a thread comes after those of its creator, and after the threads for which
 * its creator had waited. A thread that waited for another thread continues after its requests. */
static void threads_wait_for_their_creator(void **state)
{
	(void)state;
	struct sample s = {
	    .paths = {"a", "b", "c"},
	    .n_paths = 3,
	    .extra_json =
		"{\"threads\":[{\"tid\":101,\"parent\":100,\"begin_ns\":32,\"waited_by\":100,"
		"\"waited_ns\":70},{\"tid\":102,\"parent\":100,\"begin_ns\":75},"
		"{\"tid\":77,\"parent\":100,\"begin_ns\":1}]}"};
	struct loaded x;
	struct edges d;
	of(sample_data(&s, 0, 0, 10, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100);  /* 0: thread 0 */
	of(sample_data(&s, 0, 15, 30, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100); /* 1 */
	of(sample_data(&s, 0, 50, 60, OP_PREAD, 4, 1, 0, 1, 1), PARENT, 101); /* 2: thread 1 */
	of(sample_data(&s, 0, 55, 58, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100); /* 3 */
	of(sample_data(&s, 0, 80, 85, OP_PREAD, 5, 2, 0, 1, 1), PARENT, 102); /* 4: thread 2 */
	of(sample_data(&s, 0, 90, 95, OP_PREAD, 3, 0, 0, 1, 1), PARENT, 100); /* 5 */
	load(&s, &x);
	derive(&x, RULES_ALL, &d);
	assert_true(has(&d, 2, 0, 1));
	assert_true(has(&d, 4, 0, 2) && has(&d, 4, 1, 0));
	assert_true(has(&d, 5, 1, 0));
	assert_int_equal(d.n, 4);
	edges_release(&d);
	derive(&x, RULES_ALL & ~(1u << RULE_PROCESS), &d);
	assert_int_equal(d.n, 0);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);
}

/* Without a table, inherited descriptors alone show which process started which. */
static void a_parent_is_inferred_from_what_was_inherited(void **state)
{
	(void)state;
	struct sample s = {.r = NULL};
	struct loaded x;
	struct edges d;
	spawns_make(&s);
	load(&s, &x);
	derive(&x, RULES_ALL, &d);
	assert_int_equal(d.n, 0);
	edges_release(&d);
	loaded_release(&x);
	sample_release(&s);

	struct sample t = {.paths = {"a", "b"}, .n_paths = 2};
	of(sample_open(&t, 0, 0, 10, 0, O_RDWR, 5), PARENT, 100);
	of(sample_data(&t, 0, 20, 30, OP_PREAD, 9, 1, 0, 1, 1), PARENT, 100);
	of(sample_data(&t, 0, 40, 50, OP_PREAD, 9, 1, 0, 1, 1), PARENT, 100);
	of(sample_data(&t, 0, 45, 55, OP_PREAD, 5, 0, 0, 1, 1), ELDER, 200);
	load(&t, &x);
	assert_true(x.s.slot[x.l.request[3].slot].inherited);
	derive(&x, 1u << RULE_PROCESS, &d);
	assert_int_equal(d.n, 1);
	assert_true(has(&d, 3, 0, 1)); /* not the last request, which had not ended */
	edges_release(&d);
	loaded_release(&x);
	sample_release(&t);
}

/* A shell starts one program after another with the same output: the second program inherits it
 * from the shell too, not from the first program. */
static void siblings_inherit_from_their_parent(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct sample s = {.paths = {"out"}, .n_paths = 1};
		struct loaded x;
		s.extra_json = i ? "{\"processes\":[{\"pid\":100,\"parent\":1,\"begin_ns\":0},{"
				   "\"pid\":200,\"parent\":100,\"begin_ns\":15},"
				   "{\"pid\":300,\"parent\":100,\"begin_ns\":50}]}"
				 : NULL;
		of(sample_open(&s, 0, 0, 10, 0, O_WRONLY | O_CREAT | O_TRUNC, 1), PARENT, 100);
		of(sample_data(&s, 0, 20, 30, OP_WRITE, 1, 0, OFFSET_NONE, 7, 7), ELDER, 200);
		of(sample_data(&s, 0, 35, 40, OP_CLOSE, 1, 0, OFFSET_NONE, 0, 0), ELDER, 200);
		of(sample_data(&s, 0, 60, 70, OP_WRITE, 1, 0, OFFSET_NONE, 7, 7), YOUNGER, 300);
		load(&s, &x);
		const struct slot *elder = &x.s.slot[x.l.request[1].slot],
				  *younger = &x.s.slot[x.l.request[3].slot];
		assert_true(elder->inherited && younger->inherited);
		assert_int_equal(younger->source, x.l.request[0].slot);
		assert_int_equal(x.s.process[younger->process].parent,
				 elder->process == younger->process ? NONE32 : 0);
		assert_int_equal(x.l.request[3].offset, 7); /* they share the position */
		loaded_release(&x);
		sample_release(&s);
	}
}

/* According to the table, a child began when its parent had already closed the file: the child
 * inherits the file nevertheless, at the shared position. */
static void a_child_with_a_late_begin_inherits(void **state)
{
	(void)state;
	struct sample s = {.paths = {"in"}, .n_paths = 1};
	struct loaded x;
	s.extra_json = "{\"processes\":[{\"pid\":100,\"parent\":1,\"begin_ns\":0},{\"pid\":200,"
		       "\"parent\":100,\"begin_ns\":50}]}";
	for (int i = 0; i < 2; i++) { /* the second program */
		of(sample_open(&s, 0, 20 * i, 20 * i + 5, 0, O_RDONLY, 3), PARENT, 100);
		of(sample_data(&s, 0, 20 * i + 6, 20 * i + 8, OP_READ, 3, 0, OFFSET_NONE, 7, 7),
		   PARENT, 100);
		of(sample_data(&s, 0, 20 * i + 10, 20 * i + 12, OP_CLOSE, 3, 0, OFFSET_NONE, 0, 0),
		   PARENT, 100);
	}
	/* no relation, and open still */
	of(sample_open(&s, 0, 34, 35, 0, O_RDONLY, 3), YOUNGER, 300);
	of(sample_data(&s, 0, 60, 70, OP_READ, 3, 0, OFFSET_NONE, 9, 9), ELDER, 200);
	load(&s, &x);
	const struct slot *child = &x.s.slot[x.l.request[7].slot];
	assert_true(child->inherited);
	assert_int_equal(child->source, x.l.request[3].slot);
	assert_int_equal(x.l.request[7].offset, 7);
	loaded_release(&x);
	sample_release(&s);
}

static void a_bad_table_is_refused(void **state)
{
	(void)state;
	static const char *const bad[] = {
	    "{\"processes\":7}", "{\"processes\":[{\"pid\":1,\"parent\":2}]}",
	    "{\"processes\":[{\"pid\":\"x\",\"parent\":2,\"begin_ns\":3}]}",
	    "{\"threads\":7}", "{\"threads\":[{\"tid\":1,\"parent\":2}]}"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct sample s = {.paths = {"f"}, .n_paths = 1, .extra_json = bad[i]};
		struct loaded x;
		struct err e = ERR_INIT;
		sample_data(&s, 1, 0, 10, OP_PREAD, 3, 0, 0, 1, 1);
		assert_int_equal(sample_load(&s, dir, &x, &e), -EINVAL);
		assert_non_null(strstr(e.msg, i < 3 ? "processes" : "threads"));
		loaded_release(&x);
		sample_release(&s);
	}
}

static int set_up(void **state)
{
	(void)state;
	dir = sample_dir();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sample_dir_remove(dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(starts_and_ends_of_processes_are_waited_for),
	    cmocka_unit_test(children_one_after_another),
	    cmocka_unit_test(through_processes_without_requests),
	    cmocka_unit_test(threads_wait_for_their_creator),
	    cmocka_unit_test(a_parent_is_inferred_from_what_was_inherited),
	    cmocka_unit_test(siblings_inherit_from_their_parent),
	    cmocka_unit_test(a_child_with_a_late_begin_inherits),
	    cmocka_unit_test(a_bad_table_is_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
