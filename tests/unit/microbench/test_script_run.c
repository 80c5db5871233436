/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole runs of workloads with scripts: their traces are consistent in themselves, and agree with
 * the script and with the files that remain. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "capture/op.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "microbench/microbench.h"
#include "microbench/script.h"
#include "target.h"
#include "tests/heap_item.h"

static const char *const names[] = {"fileserver",  "postmark",  "compile",
				    "createfiles", "copyfiles", NULL};

static struct microbench_config small(const char *workload)
{
	struct microbench_config c;
	workload_config_init(workload_find(workload), &c);
	c.n_requests = 30;
	c.min_duration_ns = 0;
	c.anon_bytes = 0;
	c.n_files = 100;
	c.file_bytes = 5000;
	c.level = 3;
	c.dir = dir;
	c.output = output;
	c.no_sync_output = true;
	if (!strcmp(workload, "fileserver")) {
		c.block_bytes = 2048; /* several calls for a file */
		c.append_bytes = 1000;
	}
	if (!strcmp(workload, "postmark"))
		c.n_subdirs = 3;
	if (!strcmp(workload, "compile")) {
		c.n_headers = 80;
		c.n_includes = 4;
		c.pause_ns = 100000;
	}
	return c;
}

static void run(const char *workload, const struct microbench_config *c,
		struct microbench_outcome *o, struct trace **t)
{
	struct err e = ERR_INIT;
	if (microbench_run(workload_find(workload), c, o, &e) || (t && trace_open(t, output, &e)))
		fail_msg("%s: %s", workload, e.msg);
}

/* --- descriptors, positions and sizes, followed through the trace --------- */

struct followed {
	uint32_t object_of[64]; /* by descriptor; 0: closed; otherwise object + 1 */
	uint64_t position[64];
	bool appends[64];
	uint64_t *size; /* by object */
};

static void follow_data(struct followed *f, const struct trace_record *r)
{
	uint64_t *size = &f->size[r->object];
	if (f->appends[r->fd] && r->op == OP_WRITE)
		f->position[r->fd] = *size;
	assert_int_equal(r->offset, f->position[r->fd]);
	assert_true(r->rvalue >= 0 && (uint64_t)r->rvalue <= r->length);
	f->position[r->fd] += (uint64_t)r->rvalue;
	if (r->op == OP_WRITE && f->position[r->fd] > *size)
		*size = f->position[r->fd];
	if (r->op == OP_READ) /* as much as there was */
		assert_int_equal(r->rvalue, *size <= r->offset              ? 0
					    : *size - r->offset < r->length ? *size - r->offset
									    : r->length);
}

static void follow_path(struct followed *f, struct trace *t, const struct trace_record *r)
{
	size_t len;
	assert_int_equal(r->fd, -1);
	assert_int_equal(r->rvalue, r->error ? -1 : 0);
	assert_true(r->error == 0 || (r->error == ENOENT && r->op == OP_STAT));
	if (r->op == OP_UNLINK)
		f->size[r->object] = 0;
	if (r->op != OP_RENAME) {
		assert_int_equal(r->heap, HEAP_NONE);
		return;
	}
	const char *to = heap_item(t, r->heap, &len), *from = trace_object(t, r->object)->name;
	assert_non_null(to);
	assert_true(len + 4 == strlen(from) && !memcmp(from, to, len) &&
		    !strcmp(from + len, ".new"));
	for (uint32_t i = 0; i < trace_n_objects(t); i++)
		if (strlen(trace_object(t, i)->name) == len &&
		    !memcmp(trace_object(t, i)->name, to, len))
			f->size[i] = f->size[r->object];
	f->size[r->object] = 0;
}

static void follow(struct followed *f, struct trace *t, const struct trace_record *r)
{
	switch ((enum trace_op)r->op) {
	case OP_OPEN:
		assert_true(r->rvalue == r->fd && r->fd >= 0 && r->fd < 64);
		assert_int_equal(f->object_of[r->fd], 0);
		f->object_of[r->fd] = r->object + 1;
		f->position[r->fd] = 0;
		f->appends[r->fd] = r->flags & O_APPEND;
		if (r->flags & O_TRUNC)
			f->size[r->object] = 0;
		return;
	case OP_CLOSE:
		assert_int_equal(f->object_of[r->fd], r->object + 1);
		f->object_of[r->fd] = 0;
		return;
	case OP_READ:
	case OP_WRITE:
	case OP_LSEEK:
	case OP_GETDENTS:
		assert_int_equal(f->object_of[r->fd], r->object + 1);
		if (r->op == OP_LSEEK) {
			assert_int_equal(r->rvalue, r->flags == SEEK_END ? f->size[r->object] : 0);
			f->position[r->fd] = (uint64_t)r->rvalue;
		} else if (r->op != OP_GETDENTS) {
			follow_data(f, r);
		}
		return;
	default:
		follow_path(f, t, r);
	}
}

static void files_agree(const struct followed *f, struct trace *t)
{
	size_t n_checked = 0;
	for (uint32_t i = 0; i < trace_n_objects(t); i++) {
		struct stat st;
		char *path = xasprintf("%s/%s", dir, trace_object(t, i)->name);
		if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
			assert_int_equal(st.st_size, f->size[i]);
			n_checked++;
		} else {
			assert_int_equal(f->size[i], 0);
		}
		free(path);
	}
	const char *workload = trace_meta(t)->command;
	assert_true(strstr(workload, "postmark") ? n_checked == 0 : n_checked > 20);
}

/* A number is free from the start of its close, and used from the end of its open, because another
 * thread may have it in between. */
static int64_t takes_effect_ns(const struct trace_record *r)
{
	return r->op == OP_OPEN ? r->end_ns : r->begin_ns;
}

static int by_effect(const void *a, const void *b)
{
	const struct trace_record *x = a, *y = b;
	int64_t s = takes_effect_ns(x), t = takes_effect_ns(y);
	return s != t ? (s > t) - (s < t) : (x->seq > y->seq) - (x->seq < y->seq);
}

static void traces_agree_with_the_files(void **state)
{
	(void)state;
	for (int k = 0; names[k]; k++) {
		struct microbench_config c = small(names[k]);
		struct microbench_outcome o;
		struct trace *t;
		const struct trace_record *r;
		struct err e = ERR_INIT;
		struct followed f = {.size = NULL};
		uint64_t n = 0, n_objects;
		int64_t last_begin_ns = 0;
		run(names[k], &c, &o, &t);
		/* objects come with the records that refer to them: a first pass reads all
		 * objects */
		while (trace_next(t, &r, &e) > 0)
			n++;
		assert_int_equal(n, o.n_requests);
		n_objects = trace_n_objects(t);
		f.size = xcalloc(n_objects, sizeof *f.size);
		const struct fileset *s = &trace_meta(t)->files;
		for (size_t i = 0; i < s->n; i++)
			for (uint32_t j = 0; j < n_objects; j++)
				if (!strcmp(trace_object(t, j)->name, s->entry[i].path))
					f.size[j] = s->entry[i].size;
		assert_int_equal(trace_rewind(t, &e), 0);
		struct trace_record *all = xcalloc(n + 1, sizeof *all);
		for (n = 0; trace_next(t, &r, &e) > 0; n++) {
			assert_int_equal(r->seq, n);
			assert_true(r->begin_ns >= last_begin_ns && r->end_ns >= r->begin_ns);
			last_begin_ns = r->begin_ns;
			all[n] = *r;
		}
		qsort(all, n, sizeof *all, by_effect);
		for (uint64_t i = 0; i < n; i++)
			follow(&f, t, &all[i]);
		free(all);
		files_agree(&f, t);
		free(f.size);
		trace_close(t);
	}
}

/* --- duration and memory -------------------------------------------------- */

static void a_run_ends_after_a_whole_round(void **state)
{
	(void)state;
	struct microbench_config c = small("fileserver");
	struct microbench_outcome o;
	struct trace *t;
	const struct trace_record *r;
	struct err e = ERR_INIT;
	size_t n_stats = 0, n_creates = 0;
	c.n_requests = 2;
	c.min_duration_ns = 50000000;
	run("fileserver", &c, &o, &t);
	assert_false(o.capacity_reached);
	int64_t last_ns = 0; /* since the common start; the first request may be late */
	while (trace_next(t, &r, &e) > 0) {
		last_ns = r->end_ns > last_ns ? r->end_ns : last_ns;
		n_stats += r->op == OP_STAT;
		n_creates += r->op == OP_OPEN && (r->flags & O_CREAT);
	}
	assert_true(last_ns >= c.min_duration_ns);
	assert_true(n_stats == n_creates && n_stats >= 2 * c.level);
	trace_close(t);
}

static int64_t memory_fact(struct trace *t, const char *name)
{
	json_t *extra = json_loads(trace_meta(t)->extra_json, 0, NULL);
	int64_t value = json_integer_value(json_object_get(json_object_get(extra, "memory"), name));
	assert_int_equal(json_array_size(json_object_get(extra, "descriptors")), 0);
	json_decref(extra);
	return value;
}

static void memory_is_held(void **state)
{
	(void)state;
	struct microbench_config c = small("fileserver");
	struct trace *t;
	run("fileserver", &c, NULL, &t);
	int64_t without = memory_fact(t, "anonymous_bytes");
	assert_int_equal(memory_fact(t, "held_bytes"), 0);
	assert_true(memory_fact(t, "instrument_bytes") > 0);
	trace_close(t);
	c.anon_bytes = 40 << 20;
	run("fileserver", &c, NULL, &t);
	assert_int_equal(memory_fact(t, "held_bytes"), 40 << 20);
	/* a kernel without this value returns 0 both times */
	int64_t with = memory_fact(t, "anonymous_bytes");
	assert_true(without == 0 || with >= without + (40 << 20) - (4 << 20));
	trace_close(t);
}

static void too_many_units_are_refused(void **state)
{
	(void)state;
	struct microbench_config c = small("postmark");
	struct err e = ERR_INIT;
	c.n_requests = UINT64_C(1) << 39;
	assert_int_equal(microbench_run(workload_find("postmark"), &c, NULL, &e), -ENOMEM);
	assert_non_null(strstr(e.msg, "transactions"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(traces_agree_with_the_files),
	    cmocka_unit_test(a_run_ends_after_a_whole_round),
	    cmocka_unit_test(memory_is_held),
	    cmocka_unit_test(too_many_units_are_refused),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
