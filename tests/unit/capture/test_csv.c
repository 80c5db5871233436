/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes and reads CSV: every field and byte is read back; errors are reported with line and
 * column. */
#include "capture/csv_args.h"
#include "capture/format.h"
#include "capture/op.h"
#include "capture/trace_format.h"
#include "tests/unit/capture/sample.h"
#include "tests/heap_item.h"

#define HEADER "pid,tid,begin,end,function,args,rvalue\n"

static struct trace *open_text(const char *text, struct err *e)
{
	struct trace *t;
	spill(SCRATCH("in.csv"), text, strlen(text));
	int rc = trace_open(&t, SCRATCH("in.csv"), e);
	assert_int_equal(rc != 0, t == NULL);
	unlink(SCRATCH("in.csv"));
	return t;
}

/* Reads the text as records. Fails if the text is not read completely. */
static size_t read_text(const char *text, struct trace_record *to, size_t max)
{
	struct err e = ERR_INIT;
	const struct trace_record *r;
	struct trace *t = open_text(text, &e);
	size_t n = 0;
	int rc;
	if (!t)
		fail_msg("%s", e.msg);
	while ((rc = trace_next(t, &r, &e)) == 1) {
		assert_true(n < max);
		to[n++] = *r;
	}
	must(rc, &e);
	trace_close(t);
	return n;
}

/* --- round trips --------------------------------------------------------- */

/* Unusual names: each is the name of one object. */
static const char *const names[] = {"plain",
				    "with space",
				    " leading and trailing ",
				    "a,b",
				    "a;b=c",
				    "100%",
				    "%41",
				    "say \"hi\"",
				    "'",
				    "new\nline",
				    "cr\rlf\r\n",
				    "tab\t",
				    "\x01\x1f\x7f",
				    "\xff\xfe",
				    "caf\xc3\xa9",
				    "\xe2\x82\xac",
				    "\xf0\x9f\x98\x80",
				    "\xc3",
				    "\xed\xa0\x80",
				    "\xc0\xaf",
				    "\xc2\x85",
				    "=cmd",
				    "x-y",
				    "",
				    "..",
				    "/absolute/path",
				    "\\",
				    "none"};
#define N_NAMES (sizeof names / sizeof *names)

/* Records with every combination of the values that a field can hold, valid or not. */
static void make_odd(struct trace_record *r, uint64_t i, uint32_t n_objects)
{
	static const int64_t times[] = {0, 1, -1, TIME_NONE, TRACE_TIME_MAX, -TRACE_TIME_MAX, 1000};
	static const uint64_t offsets[] = {
	    0, 1, OFFSET_NONE, 4096, INT64_MAX, (uint64_t)INT64_MAX + 1, OFFSET_NONE - 1};
	static const int64_t rvalues[] = {0, 3, -1, INT64_MAX, INT64_MIN, 4096, 7};
	static const int32_t fds[] = {-1, 0, 3, 7, -100, INT32_MAX, INT32_MIN};
	static const uint32_t flags[] = {0, 1, 2, 0x42, UINT32_MAX};
	uint64_t x = i * 0x9e3779b97f4a7c15u;
#define PICK(v) (x ^= x >> 27, x *= 0xbf58476d1ce4e5b9u, (v)[(x >> 33) % (sizeof(v) / sizeof *(v))])
	*r = (struct trace_record){
	    .seq = i % 5 ? i : UINT64_MAX - i,
	    .begin_ns = PICK(times),
	    .end_ns = PICK(times),
	    .intended_ns = PICK(times),
	    .dispatch_ns = PICK(times),
	    .offset = PICK(offsets),
	    .length = PICK(offsets),
	    .rvalue = PICK(rvalues),
	    .pid = PICK(flags),
	    .tid = PICK(flags),
	    .object = i % 3 ? (uint32_t)(i % n_objects) : OBJECT_NONE,
	    .fd = PICK(fds),
	    .flags = PICK(flags),
	    .heap = HEAP_NONE,
	    .op = (uint16_t)(1 + i % (OP_N - 1)),
	    .error = (uint16_t)(i % 150 < 140 ? i % 150 : i),
	    .commit = TRACE_COMMIT,
	};
	/* CSV cannot represent a path call without a path */
	if ((op_info(r->op)->uses & OP_HAS_PATH) && r->object == OBJECT_NONE)
		r->object = 0;
#undef PICK
}

static const void *some_bytes(uint64_t i, size_t *len)
{
	static const unsigned char bytes[] = "\0\xff,\";\n=%tail";
	*len = i % sizeof bytes;
	return bytes;
}

static void write_odd(const char *path, uint64_t n)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace_meta meta = {.level = LEVEL_SYSCALL};
	must(trace_writer_open(&w, path, &meta, NULL, &e), &e);
	for (uint32_t i = 0; i < N_NAMES; i++) {
		uint32_t id;
		must(trace_writer_object(w, (enum object_kind)(1 + i % 3), names[i], &id, &e), &e);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct trace_record r;
		size_t len;
		make_odd(&r, i, N_NAMES);
		if (i % 11 == 0) {
			const void *bytes = some_bytes(i, &len);
			must(trace_writer_heap(w, bytes, len, &r.heap, &e), &e);
		}
		must(trace_writer_append(w, &r, 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}

static void check_odd(const char *path, uint64_t n)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	must(trace_open(&t, path, &e), &e);
	for (uint64_t i = 0; i < n; i++) {
		struct trace_record want, got;
		size_t len, want_len;
		make_odd(&want, i, N_NAMES);
		int rc = trace_next(t, &r, &e);
		if (rc != 1)
			fail_msg("record %llu: %s", (unsigned long long)i, e.msg);
		got = *r;
		const struct trace_object *o = trace_object(t, r->object);
		assert_int_equal(o != NULL, want.object != OBJECT_NONE);
		if (o) {
			assert_string_equal(o->name, names[want.object]);
			assert_int_equal(o->kind, 1 + want.object % 3);
		}
		const void *heap = heap_item(t, r->heap, &len), *bytes = some_bytes(i, &want_len);
		assert_int_equal(heap != NULL, i % 11 == 0);
		if (heap) {
			assert_int_equal(len, want_len);
			assert_memory_equal(heap, bytes, len);
		}
		got.object = want.object;
		got.heap = want.heap;
		if (memcmp(&got, &want, sizeof want))
			fail_msg("record %llu (%s) came back changed", (unsigned long long)i,
				 op_name(want.op));
	}
	assert_int_equal(trace_next(t, &r, &e), 0);
	trace_close(t);
}

static void every_field_is_read_back(void **state)
{
	(void)state;
	enum { N = 20000 };
	struct err e = ERR_INIT;
	struct trace *t;
	write_odd(SCRATCH("t"), N);
	check_odd(SCRATCH("t"), N);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	must(trace_export_csv(t, SCRATCH("c"), &e), &e);
	trace_close(t);
	/* the format is detected by the content, not by the file name */
	check_odd(SCRATCH("c"), N);
	must(trace_open(&t, SCRATCH("c"), &e), &e);
	assert_ptr_equal(trace_format_of(t), &format_csv);
	must(trace_copy(t, SCRATCH("t2"), NULL, NULL, &e), &e);
	trace_close(t);
	check_odd(SCRATCH("t2"), N);
	must(trace_open(&t, SCRATCH("t2"), &e), &e);
	must(trace_export_csv(t, SCRATCH("c2"), &e), &e);
	trace_close(t);
	size_t len, len2;
	char *a = slurp(SCRATCH("c"), &len), *b = slurp(SCRATCH("c2"), &len2);
	assert_int_equal(len, len2);
	assert_memory_equal(a, b, len);
	/* one line for each record, whatever the names contain */
	size_t n_lines = 0;
	for (size_t i = 0; i < len; i++) {
		n_lines += a[i] == '\n';
		assert_true(a[i] == '\n' || (unsigned char)a[i] >= ' ');
	}
	assert_int_equal(n_lines, N + 1);
	free(a);
	free(b);
	unlink(SCRATCH("t"));
	unlink(SCRATCH("t2"));
	unlink(SCRATCH("c"));
	unlink(SCRATCH("c2"));
}

static void exported_text(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct trace *t;
	struct trace_meta meta = {.level = LEVEL_SYSCALL};
	uint32_t id;
	size_t len;
	must(trace_writer_open(&w, SCRATCH("t"), &meta, NULL, &e), &e);
	must(trace_writer_object(w, OBJECT_PATH, "dir/a \"b\";\n\xff", &id, &e), &e);
	struct trace_record r[] = {
	    {.begin_ns = 10,
	     .end_ns = 20,
	     .rvalue = 3,
	     .fd = 3,
	     .object = id,
	     .op = OP_OPEN,
	     .flags = O_RDWR | O_CREAT,
	     .length = 0644,
	     .intended_ns = TIME_NONE,
	     .dispatch_ns = TIME_NONE,
	     .heap = HEAP_NONE,
	     .pid = 1,
	     .tid = 2},
	    {.seq = 1,
	     .begin_ns = 30,
	     .end_ns = TIME_NONE,
	     .rvalue = -1,
	     .error = EIO,
	     .fd = 3,
	     .object = OBJECT_NONE,
	     .op = OP_PREAD,
	     .offset = 8192,
	     .length = 4096,
	     .intended_ns = 29,
	     .dispatch_ns = 31,
	     .heap = HEAP_NONE,
	     .pid = 1,
	     .tid = 2},
	    {.seq = 2,
	     .begin_ns = 40,
	     .end_ns = 50,
	     .rvalue = 0,
	     .fd = 3,
	     .object = OBJECT_NONE,
	     .op = OP_LSEEK,
	     .offset = (uint64_t)-10,
	     .flags = SEEK_END,
	     .intended_ns = TIME_NONE,
	     .dispatch_ns = TIME_NONE,
	     .heap = HEAP_NONE,
	     .pid = 1,
	     .tid = 2},
	};
	must(trace_writer_append(w, r, 3, &e), &e);
	must(trace_writer_close(w, &e), &e);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	must(trace_export_csv(t, SCRATCH("c"), &e), &e);
	trace_close(t);
	char *text = slurp(SCRATCH("c"), &len);
	assert_string_equal(
	    text, "pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch\n"
		  "1,2,10,20,open,\"path=dir/a \"\"b\"\"%3B%0A%FF;mode=0644;flags=0x42\",3,,0,,\n"
		  "1,2,30,,pread,\"fd=3;offset=8192;length=4096\",-1,EIO,1,29,31\n"
		  "1,2,40,50,lseek,\"fd=3;offset=-10;whence=2\",0,,2,,\n");
	free(text);
	unlink(SCRATCH("t"));
	unlink(SCRATCH("c"));
}

/* --- reading ------------------------------------------------------------- */

static void accepted_forms_of_lines(void **state)
{
	(void)state;
	struct trace_record r[10];
	static const char *const same[] =
	    {
		HEADER
		"1,2,1000,2000,pread,fd=3;offset=0;length=4096,4096\n1,2,3000,4000,close,fd=3,0\n",
		HEADER "1,2,1000,2000,pread,fd=3;offset=0;length=4096,4096\n1,2,3000,4000,close,fd="
		       "3,0", /* no last line end */
		"\xef\xbb\xbf" HEADER
		"1,2,1000,2000,pread,fd=3;offset=0;length=4096,4096\n1,2,3000,4000,close,fd=3,0\n",
		"pid,tid,begin,end,function,args,rvalue\r\n1,2,1000,2000,pread,fd=3;offset=0;"
		"length=4096,4096\r\n"
		"1,2,3000,4000,close,fd=3,0\r\n",
		"\n\n" HEADER "\n\n1,2,1000,2000,pread,fd=3;offset=0;length=4096,4096\n  "
			      "\n1,2,3000,4000,close,fd=3,0\n\n",
		"\"pid\",\"tid\",\"begin\",\"end\",\"function\",\"args\",\"rvalue\"\n"
		"\"1\",\"2\",\"1000\",\"2000\",\"pread\",\"fd=3;offset=0;length=4096\",\"4096\"\n1,"
		"2,3000,4000,close,fd=3,"
		"0\n",
		/* columns in any order, and an unknown column */
		"rvalue,x-note,function,args,tid,pid,end,begin\n"
		"4096,\"hello, "
		"\"\"you\"\"\nthere\",pread,length=4096;offset=0;fd=3,2,1,2000,1000\n0,,close,fd=3,"
		"2,1,4000,3000\n",
		" pid , tid,begin,end,function,args,rvalue\n 1 ,2, 1000,2000 "
		",pread,fd=3;offset=0;length=4096,4096\n"
		"1,2,3000,4000,close,fd=3,0\n",
		HEADER
		"1,2,1000,2000,pread,fd=3;offset=0;length=4096;,4096\n1,2,3000,4000,close,fd=3,0\n",
	    };
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		size_t n = read_text(same[i], r, 10);
		if (n != 2)
			fail_msg("shape %zu: %zu records", i, n);
		assert_int_equal(r[0].pid, 1);
		assert_int_equal(r[0].tid, 2);
		assert_int_equal(r[0].begin_ns, 1000);
		assert_int_equal(r[0].end_ns, 2000);
		assert_int_equal(r[0].op, OP_PREAD);
		assert_int_equal(r[0].fd, 3);
		assert_int_equal(r[0].offset, 0);
		assert_int_equal(r[0].length, 4096);
		assert_int_equal(r[0].rvalue, 4096);
		assert_int_equal(r[0].seq, 0);
		assert_true(r[0].intended_ns == TIME_NONE);
		assert_int_equal(r[1].op, OP_CLOSE);
		assert_int_equal(r[1].seq, 1);
	}
	assert_int_equal(read_text(HEADER, r, 10), 0);
	assert_int_equal(read_text(HEADER "1,2,,,fsync,path=a,0\n", r, 10), 1);
	assert_true(r[0].begin_ns == TIME_NONE && r[0].end_ns == TIME_NONE);
	assert_int_equal(
	    read_text("pid,tid,begin,end,function,args,rvalue,error\n1,2,1,2,fsync,fd=9,-1,5\n", r,
		      10),
	    1);
	assert_int_equal(r[0].error, 5);
	assert_int_equal(read_text(HEADER "1,2,1,2,read,fd=9;length=1,1\n", r, 10), 1);
	assert_true(r[0].offset == OFFSET_NONE);
	assert_int_equal(read_text(HEADER "1,2,1,2,open,path=a%20%2e,7\n", r, 10), 1);
	assert_int_equal(r[0].fd, 7);
}

static const struct {
	const char *text, *where, *what;
} bad[] = {
    {"pid,tid,begin,end,function,args\n", "line 1", "rvalue"},
    {"pid,tid,begin,end,function,args,rvalue,intented\n", "line 1, column 8", "intended"},
    {"pid,tid,begin,end,function,args,rvalue,pid\n", "line 1, column 8", "twice"},
    {"begin,function\n1,2\n", "line 1", "pid"},
    {HEADER "1,2,1000,2000,pread,fd=3;offset=0;length=4096\n", "line 2, column 7 (rvalue)", "6 of 7"},
    {HEADER "1,2,1000,2000,pread,fd=3;offset=0;length=4096,1,1\n", "line 2, column 8", "more columns"},
    {HEADER "x,2,1000,2000,close,fd=3,1\n", "line 2, column 1 (pid)", "\"x\""},
    {HEADER "1,-2,1000,2000,close,fd=3,1\n", "line 2, column 2 (tid)", "-2"},
    {HEADER "1,4294967296,1000,2000,close,fd=3,1\n", "line 2, column 2 (tid)", "4294967296"},
    {HEADER "1,2,1000.5,2000,close,fd=3,1\n", "line 2, column 3 (begin)", "1000.5"},
    {HEADER "1,2,1000,9999999999999999999,close,fd=3,1\n", "line 2, column 4 (end)", "9999999999999999999"},
    {HEADER "1,2,1000,2305843009213693953,close,fd=3,1\n", "line 2, column 4 (end)", "2305843009213693953"},
    {HEADER "1,2,1,2,prread,fd=3,1\n", "line 2, column 5 (function)", "\"pread\""},
    {HEADER "1,2,1,2,invalid,fd=3,1\n", "line 2, column 5 (function)", "invalid"},
    {HEADER "1,2,1,2,close,fd=3,\n", "line 2, column 7 (rvalue)", "whole number"},
    {HEADER "1,2,1,2,close,fd=3,+1\n", "line 2, column 7 (rvalue)", "+1"},
    {HEADER "1,2,1,2,close,,0\n", "line 2, column 6 (args)", "fd"},
    {HEADER "1,2,1,2,close,fd,0\n", "line 2, column 6 (args)", "name=value"},
    {HEADER "1,2,1,2,close,fd=3;fd=3,0\n", "line 2, column 6 (args)", "twice"},
    {HEADER "1,2,1,2,close,fd=3;file=x,0\n", "line 2, column 6 (args)", "\"file\""},
    {HEADER "1,2,1,2,close,fd=3x,0\n", "line 2, column 6 (args)", "3x"},
    {HEADER "1,2,1,2,close,fd=2147483648,0\n", "line 2, column 6 (args)", "2147483648"},
    {HEADER "1,2,1,2,close,path=a%0,0\n", "line 2, column 6 (args)", "%"},
    {HEADER "1,2,1,2,close,path=a%zz,0\n", "line 2, column 6 (args)", "%"},
    {HEADER "1,2,1,2,close,path=a%00b,0\n", "line 2, column 6 (args)", "NUL"},
    {HEADER "1,2,1,2,close,path=a;device=b,0\n", "line 2, column 6 (args)", "more than one"},
    {HEADER "1,2,1,2,pread,fd=3;length=1,0\n", "line 2, column 6 (args)", "offset"},
    {HEADER "1,2,1,2,pread,fd=3;offset=1,0\n", "line 2, column 6 (args)", "length"},
    {HEADER "1,2,1,2,pread,fd=3;offset=-1;length=1,0\n", "line 2, column 6 (args)", "offset: \"-1\""},
    {HEADER "1,2,1,2,pread,fd=3;offset=18446744073709551616;length=1,0\n", "line 2, column 6 (args)", "argument offset: "},
    {HEADER "1,2,1,2,open,fd=3,0\n", "line 2, column 6 (args)", "path"},
    {HEADER "1,2,1,2,open,path=a;mode=8,0\n", "line 2, column 6 (args)", "octal"},
    {HEADER "1,2,1,2,open,path=a;flags=0x1ffffffff,0\n", "line 2, column 6 (args)", "0xffffffff"},
    {HEADER "1,2,1,2,lseek,fd=3;offset=0,0\n", "line 2, column 6 (args)", "whence"},
    {HEADER "1,2,1,2,close,fd=3;heap=abc,0\n", "line 2, column 6 (args)", "odd"},
    {HEADER "1,2,1,2,close,fd=3;heap=zz,0\n", "line 2, column 6 (args)", "hexadecimal"},
    {HEADER "1,2,1,2,close,\"fd=3,0\n", "line 2", "quote"},
    {HEADER "1,2,1,2,close,fd=\"3\",0\n", "line 2, column 6 (args)", "quote"},
    {HEADER "1,2,1,2,close,\"fd=3\"x,0\n", "line 2, column 6 (args)", "quote"},
    {"pid,tid,begin,end,function,args,rvalue,error\n1,2,1,2,close,fd=3,0,EWHAT\n", "line 2, column 8 (error)", "EWHAT"},
    {"pid,tid,begin,end,function,args,rvalue,error\n1,2,1,2,close,fd=3,0,65536\n", "line 2, column 8 (error)", "65536"},
    {"pid,tid,begin,end,function,args,rvalue,seq\n1,2,1,2,close,fd=3,0,-1\n", "line 2, column 8 (seq)", "-1"},
    {"\r\n\r\n" HEADER "\n1,2,1,2,close,fd=3,0\r\n\"1\",2,1,2,close,\"path=a\nb\",0\nx,2,1,2,close,fd=3,0\n",
     "line 8, column 1", "x"},
};

static void bad_text_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct err e = ERR_INIT;
		const struct trace_record *r;
		struct trace *t = open_text(bad[i].text, &e);
		int rc = 1;
		while (t && rc == 1)
			rc = trace_next(t, &r, &e);
		if ((t && rc != -EINVAL) || e.code != EINVAL || !strstr(e.msg, bad[i].where) ||
		    !strstr(e.msg, bad[i].what) || !strstr(e.msg, "in.csv:"))
			fail_msg("case %zu (%s, %s): rc %d, \"%s\"", i, bad[i].where, bad[i].what,
				 rc, e.msg);
		if (t) { /* it stays refused */
			assert_int_equal(trace_next(t, &r, &e), -EINVAL);
			trace_close(t);
		}
	}
}

static void good_lines_before_a_bad_one(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	const struct trace_record *r;
	struct trace *t = open_text(
	    HEADER "1,2,1,2,close,fd=3,0\n1,2,1,2,close,fd=4,0\n1,2,bad,2,close,fd=3,0\n", &e);
	assert_non_null(t);
	assert_int_equal(trace_next(t, &r, &e), 1);
	assert_int_equal(trace_next(t, &r, &e), 1);
	assert_int_equal(r->fd, 4);
	assert_int_equal(trace_next(t, &r, &e), -EINVAL);
	must(trace_rewind(t, &e), &e);
	assert_int_equal(trace_next(t, &r, &e), 1);
	trace_close(t);
}

static void other_files_are_refused(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	/* the name of the file does not suffice without a header, because there are many kinds of
	 * CSV */
	spill(SCRATCH("in.csv"), "a,b,c\n1,2,3\n", 12);
	assert_int_equal(trace_open(&t, SCRATCH("in.csv"), &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "trace, csv"));
	spill(SCRATCH("in.csv"), "\n\n\n", 3);
	assert_int_equal(trace_open(&t, SCRATCH("in.csv"), &e), -EILSEQ);
	unlink(SCRATCH("in.csv"));
	spill(SCRATCH("in.txt"), "a,b,c\n1,2,3\n", 12);
	assert_int_equal(trace_open(&t, SCRATCH("in.txt"), &e), -EILSEQ);
	assert_non_null(strstr(e.msg, "trace, csv"));
	unlink(SCRATCH("in.txt"));
}

static void endless_field(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	size_t len = 60u << 20;
	char *text = malloc(len);
	memset(text, 'x', len);
	memcpy(text, HEADER "\"", sizeof HEADER);
	spill(SCRATCH("in.csv"), text, len);
	free(text);
	must(trace_open(&t, SCRATCH("in.csv"), &e), &e);
	assert_int_equal(trace_next(t, &r, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "line 2"));
	assert_non_null(strstr(e.msg, "quote not closed"));
	trace_close(t);
	unlink(SCRATCH("in.csv"));
}

static void resolution_comes_from_the_stamps(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double resolution_ns;
	} cases[] = {
	    {HEADER "1,1,1000,2000,close,fd=3,0\n", 1000}, {HEADER "1,1,1000,2001,close,fd=3,0\n", 1},
	    {HEADER "1,1,1000,2010,close,fd=3,0\n", 10},   {HEADER "1,1,1000000000,3000000000,close,fd=3,0\n", 1e9},
	    {HEADER "1,1,-100,,close,fd=3,0\n", 100},      {HEADER, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = ERR_INIT;
		struct trace *t = open_text(cases[i].text, &e);
		bool known;
		assert_non_null(t);
		assert_true(trace_meta(t)->clock_resolution_ns == cases[i].resolution_ns);
		assert_string_equal(trace_meta(t)->clock, "csv");
		trace_n_records(t, &known);
		assert_true(known); /* so short that opening reads all of it */
		struct trace_health h;
		trace_health(t, &h);
		assert_true(h.complete);
		trace_close(t);
	}
}

static void damaged_input_is_exported_as_far_as_it_goes(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	size_t len;
	write_sample(SCRATCH("t"), 3 * RECORDS_PER_BLOCK, NULL);
	unsigned char *p = slurp(SCRATCH("t"), &len);
	p[len / 2] ^= 1;
	spill(SCRATCH("t"), p, len);
	free(p);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_int_equal(trace_export_csv(t, SCRATCH("c"), &e), -EBADMSG);
	trace_close(t);
	char *text = slurp(SCRATCH("c"), &len);
	size_t n_lines = 0;
	for (size_t i = 0; i < len; i++)
		n_lines += text[i] == '\n';
	assert_int_equal(n_lines, 1 + 2 * RECORDS_PER_BLOCK);
	free(text);
	unlink(SCRATCH("t"));
	unlink(SCRATCH("c"));
}

static void export_fails_cleanly(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct trace *t;
	struct stat st;
	write_sample(SCRATCH("t"), 10000, NULL);
	must(trace_open(&t, SCRATCH("t"), &e), &e);
	assert_int_equal(trace_export_csv(t, "/nowhere/to/be/found", &e), -ENOENT);
	if (!stat("/dev/full", &st))
		assert_int_equal(trace_export_csv(t, "/dev/full", &e), -ENOSPC);
	must(trace_export_csv(t, "/dev/null", &e), &e);
	trace_close(t);
	unlink(SCRATCH("t"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_field_is_read_back),
	    cmocka_unit_test(exported_text),
	    cmocka_unit_test(accepted_forms_of_lines),
	    cmocka_unit_test(bad_text_is_refused),
	    cmocka_unit_test(good_lines_before_a_bad_one),
	    cmocka_unit_test(other_files_are_refused),
	    cmocka_unit_test(endless_field),
	    cmocka_unit_test(resolution_comes_from_the_stamps),
	    cmocka_unit_test(damaged_input_is_exported_as_far_as_it_goes),
	    cmocka_unit_test(export_fails_cleanly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
