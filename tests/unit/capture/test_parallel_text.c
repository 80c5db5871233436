/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text form of traces of parallel applications is written and read; figure 7 of the paper is
 * read as printed there. */
#include "capture/format.h"
#include "tests/unit/capture/causality_sample.h"

/* The records of the file, each as a word and a number. The caller frees. */
static char *read_all(const char *path, const char *const *more, size_t n_more, struct err *e)
{
	const struct trace_open_options o = {.more = more, .n_more = n_more};
	struct strbuf out = STRBUF_INIT;
	const struct trace_record *r;
	struct trace *t;
	int rc = trace_open_with(&t, &format_parallel, path, &o, e);
	while (!rc && (rc = trace_next(t, &r, e)) == 1) {
		strbuf_addf(&out, "%u %s %lld %lld %lld %lld\n", r->tid, op_name(r->op),
			    (long long)r->length, (long long)r->rvalue, (long long)r->begin_ns,
			    r->end_ns == TIME_NONE ? -1 : (long long)r->end_ns);
		rc = 0;
	}
	trace_close(t);
	if (!e->code)
		return strbuf_detach(&out);
	strbuf_release(&out);
	return NULL;
}

static void the_papers_figure_can_be_read(void **state)
{
	(void)state;
	static const char text[] =
	    "/* barrier before opening output file "
	    "*/\nWAIT(1)\nWAIT(2)\nSIGNAL(1)\nSIGNAL(2)\n\n/* open output file */\n"
	    "open64m(\"/pvfs2/output/mesh.e\", 578, 416 ) = 17\nCOMPUTE(0.000148622)\n\n/* write "
	    "output file */\n"
	    "write(17, 4096) = 4096\nCOMPUTE(0.131106558)\n_llseek(17, 8192, SEEK_SET) = "
	    "8192\nCOMPUTE(0.000000605)\n"
	    "write(17, 4096) = 4096\nCOMPUTE(0.000022173)\n";
	struct err e = ERR_INIT;
	const struct trace_format *f;
	spill(SCRATCH("fig7"), text, sizeof text - 1);
	must(trace_format_detect(&f, SCRATCH("fig7"), &e), &e);
	assert_string_equal(f->name, "parallel");
	char *got = read_all(SCRATCH("fig7"), NULL, 0, &e);
	must(-e.code, &e);
	assert_string_equal(got, "1 wait 1 0 0 0\n1 wait 2 0 0 0\n1 signal 1 0 0 0\n1 signal 2 0 0 "
				 "0\n1 open 416 17 0 -1\n"
				 "1 compute 148622 0 0 148622\n1 write 4096 4096 148622 -1\n1 "
				 "compute 131106558 0 148622 131255180\n"
				 "1 lseek 0 8192 131255180 -1\n1 compute 605 0 131255180 "
				 "131255785\n1 write 4096 4096 131255785 -1\n"
				 "1 compute 22173 0 131255785 131277958\n");
	free(got);
	unlink(SCRATCH("fig7"));
}

static void a_line_starts_at_the_end_of_the_previous_line(void **state)
{
	(void)state;
	static const char text[] = "COMPUTE(0.001)\n"
				   "@fread(path=a;fd=4;length=10) = 10 <0.5>\n"
				   "write(4, 10) = 10 <0.25>\n"
				   "COMPUTE(0.002)\n";
	struct err e = ERR_INIT;
	spill(SCRATCH("clock"), text, sizeof text - 1);
	char *got = read_all(SCRATCH("clock"), NULL, 0, &e);
	must(-e.code, &e);
	assert_string_equal(got, "1 compute 1000000 0 0 1000000\n"
				 "1 fread 10 10 1000000 501000000\n"
				 "1 write 10 10 501000000 751000000\n"
				 "1 compute 2000000 0 751000000 753000000\n");
	free(got);
	unlink(SCRATCH("clock"));
}

static void errors_name_their_line(void **state)
{
	(void)state;
	static const struct {
		const char *text, *say;
	} bad[] = {
	    {"WAIT(1)\nSIGNAL(x)\n", "line 2"},	      {"WAIT(0)\n", "itself"},
	    {"COMPUTE(1.5\n", "parenthesis"},	      {"COMPUTE(-1)\n", "seconds"},
	    {"WAIT(1)\nwrite(3, 4096)\n", "line 2"},  {"WAIT(1)\nnothing at all\n", "neither a call"},
	    {"WAIT(99999)\n", "does not exist"},	      {"COMPUTE(9999999999999)\n", "seconds"},
	    {"WAIT(1)\n@nosuch(fd=1) = 3\n", "nosuch"}, {"WAIT(1) x\n", "parenthesis"},
	    {"/* validate parallel 1 {\"level\":3} */\n", "line 1"}, {"/* validate parallel 1 {", "line 1"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;
		spill(SCRATCH("bad"), bad[i].text, strlen(bad[i].text));
		assert_null(read_all(SCRATCH("bad"), NULL, 0, &e));
		if (!strstr(e.msg, bad[i].say))
			fail_msg("\"%s\" is not said of \"%s\": %s", bad[i].say, bad[i].text,
				 e.msg);
	}
	unlink(SCRATCH("bad"));
}

/* Every value that both a record and the text can represent. */
static void write_full(const char *path)
{
	struct err e = ERR_INIT;
	struct trace_writer *w = made_open(path, 3, 50);
	struct trace_record r[12];
	uint32_t object;
	size_t n = 0;
	must(trace_writer_object(w, OBJECT_PATH, "dir/odd */ \xff name", &object, &e), &e);
	r[n++] = made_record(51, OP_COMPUTE, -7, 3, 10);
	r[n] = made_record(50, OP_OPEN, 1, 2, 0640);
	r[n].flags = O_CREAT | O_RDWR;
	r[n].object = object;
	r[n].fd = 3;
	r[n++].rvalue = 3;
	r[n] = made_record(50, OP_PWRITE, 1000000001, 3000000001, 4096);
	r[n].object = object;
	r[n].fd = 3;
	r[n].offset = UINT64_C(1) << 40;
	r[n++].rvalue = 4096;
	r[n++] = made_record(50, OP_SIGNAL, 3000000001, 3000000001, 1);
	r[n++] = made_record(50, OP_SIGNAL, 3000000001, 3000000001, 2);
	r[n] = made_record(50, OP_COMPUTE, 3000000002, 3000000009, 5);
	r[n++].offset = 2;
	r[n++] = made_record(51, OP_WAIT, 3000000003, 3000000003, 0);
	r[n] = made_record(51, OP_FREAD, 3000000004, TIME_NONE, 100); /* strace has no such call */
	r[n].object = object;
	r[n].fd = 4;
	r[n++].rvalue = 100;
	r[n++] = made_record(52, OP_WAIT, 3000000005, 3000000005, 0);
	r[n] = made_record(52, OP_PREAD, 3000000006, 3000000007, 512);
	r[n].object = object;
	r[n].fd = 3;
	r[n].rvalue = -1;
	r[n++].error = EIO;
	for (size_t i = 0; i < n; i++)
		r[i].seq = i;
	must(trace_writer_append(w, r, n, &e), &e);
	must(trace_writer_close(w, &e), &e);
}

static int by_begin(const void *a, const void *b)
{
	const struct trace_record *x = a, *y = b;
	return x->begin_ns != y->begin_ns
		   ? (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns)
		   : (x->seq > y->seq) - (x->seq < y->seq);
}

static size_t records_of(const char *path, const char *const *more, size_t n_more,
			 struct trace_record *to, char *names)
{
	const struct trace_open_options o = {.more = more, .n_more = n_more};
	struct err e = ERR_INIT;
	const struct trace_record *r;
	struct trace *t;
	size_t n = 0;
	must(trace_open_with(&t, NULL, path, &o, &e), &e);
	while (trace_next(t, &r, &e) == 1) {
		const struct trace_object *object = trace_object(t, r->object);
		to[n++] = *r;
		if (object)
			strcpy(names, object->name);
	}
	must(-e.code, &e);
	trace_close(t);
	qsort(to, n, sizeof *to, by_begin);
	return n;
}

static void expect_same(const struct trace_record *want, const struct trace_record *got, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct trace_record x = want[i], y = got[i];
		x.seq = y.seq = x.object = y.object = 0;
		if (memcmp(&x, &y, sizeof x))
			fail_msg("record %zu: %s %lld %lld, and back %s %lld %lld", i,
				 op_name(x.op), (long long)x.begin_ns, (long long)x.end_ns,
				 op_name(y.op), (long long)y.begin_ns, (long long)y.end_ns);
	}
}

static void a_trace_is_read_back_unchanged(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_record want[32], got[32];
	struct trace *t;
	char name[512], back[512];
	write_full(SCRATCH("full"));
	must(trace_open(&t, SCRATCH("full"), &e), &e);
	must(format_parallel.write(t, SCRATCH("text"), NULL, &e), &e);
	size_t n = records_of(SCRATCH("full"), NULL, 0, want, name);
	assert_int_equal(records_of(SCRATCH("text"), NULL, 0, got, back), n);
	expect_same(want, got, n);
	assert_string_equal(name, back);

	must(mkdir(SCRATCH("dir"), 0700), &e);
	must(format_parallel.write(t, SCRATCH("dir"), NULL, &e), &e);
	const char *const more[] = {SCRATCH("dir/node.1"), SCRATCH("dir/node.2")};
	assert_int_equal(records_of(SCRATCH("dir/node.0"), more, 2, got, back), n);
	expect_same(want, got, n);
	trace_close(t);
	static const char *const files[] = {"dir/node.0", "dir/node.1", "dir/node.2", "full",
					    "text"};
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(unlink(SCRATCH(files[i])), 0);
	assert_int_equal(rmdir(SCRATCH("dir")), 0);
}

static void reading_again_gives_the_same(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	write_full(SCRATCH("full"));
	must(trace_open(&t, SCRATCH("full"), &e), &e);
	must(mkdir(SCRATCH("dir"), 0700), &e);
	must(format_parallel.write(t, SCRATCH("dir"), NULL, &e), &e);
	trace_close(t);
	const char *const more[] = {SCRATCH("dir/node.1"), SCRATCH("dir/node.2")};
	const struct trace_open_options o = {.more = more, .n_more = 2};
	must(trace_open_with(&t, NULL, SCRATCH("dir/node.0"), &o, &e), &e);
	for (int pass = 0; pass < 3; pass++) {
		uint64_t n = 0;
		for (; trace_next(t, &r, &e) == 1 && !(pass == 1 && n == 6); n++)
			assert_int_equal(r->seq, n);
		assert_int_equal(n, pass == 1 ? 6 : 10);
		must(trace_rewind(t, &e), &e);
	}
	trace_close(t);
	static const char *const files[] = {"dir/node.0", "dir/node.1", "dir/node.2", "full"};
	for (size_t i = 0; i < 4; i++)
		unlink(SCRATCH(files[i]));
	rmdir(SCRATCH("dir"));
}

static void threads_of_an_ordinary_trace_are_nodes(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	struct causality_facts f;
	write_sample(SCRATCH("plain"), 10, NULL);
	must(trace_open(&t, SCRATCH("plain"), &e), &e);
	must(format_parallel.write(t, SCRATCH("text"), NULL, &e), &e);
	trace_close(t);
	must(trace_open(&t, SCRATCH("text"), &e), &e);
	must(causality_facts_read(&f, trace_meta(t), &e), &e);
	assert_int_equal(f.n_nodes, 4);
	assert_int_equal(f.node[3].tid, 103);
	assert_int_equal(trace_meta(t)->seed, UINT64_MAX);
	causality_facts_release(&f);
	trace_close(t);
	unlink(SCRATCH("plain"));
	unlink(SCRATCH("text"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_papers_figure_can_be_read),
	    cmocka_unit_test(a_line_starts_at_the_end_of_the_previous_line),
	    cmocka_unit_test(errors_name_their_line),
	    cmocka_unit_test(a_trace_is_read_back_unchanged),
	    cmocka_unit_test(reading_again_gives_the_same),
	    cmocka_unit_test(threads_of_an_ordinary_trace_are_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
