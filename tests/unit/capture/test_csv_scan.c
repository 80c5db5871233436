/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the splitting of CSV with libcsv: the results are equal for any text. */
#include "tests/unit/capture/sample.h"

#include "tests/fuzz/csv_twice.h"

#define HEADER "pid,tid,begin,end,function,args,rvalue,error,x-note\n"

static uint64_t state = 20240607;

static unsigned int below(unsigned int n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned int)(state >> 33) % n;
}

static void add_line(struct strbuf *b)
{
	strbuf_addf(b,
		    "%u,%u,%u000,%u999,%s,\"path=d%u/f%u;fd=%u;offset=%u;length=4096\",4096,%s,%s",
		    below(9), below(99), below(1u << 30), below(1u << 30),
		    below(2) ? "pread" : "pwrite", below(3), below(40), below(9), below(1u << 30),
		    below(9) ? "" : "EIO", below(3) ? "a note" : "");
	strbuf_addstr(b, below(5) ? "\n" : "\r\n");
}

/* Changes that turn a plain line into another line, or into an invalid line. */
static void spoil(struct strbuf *b, size_t from)
{
	static const char *const odd[] = {"\"", "\"\"", "\r",     "\n",          "\r\n", " ",
					  "\t", ",",    ",\"x\"", "\"x\n\"",     "9",    "%",
					  ";",  "",     "\n\n",   "\xef\xbb\xbf"};
	const char *with = odd[below(sizeof odd / sizeof *odd)];
	size_t at = from + below((unsigned int)(b->len - from)), cut = below(3);
	char *rest = strdup(b->s + at + (at + cut < b->len ? cut : 0));
	b->len = at;
	strbuf_addstr(b, with);
	strbuf_addstr(b, rest);
	free(rest);
}

static uint64_t compare(const struct strbuf *b)
{
	spill(SCRATCH("scan.csv"), b->s, b->len);
	uint64_t n = csv_twice(SCRATCH("scan.csv"));
	unlink(SCRATCH("scan.csv"));
	return n;
}

static void few_lines_damaged(void **ctx)
{
	(void)ctx;
	uint64_t n_read = 0;
	for (int i = 0; i < 3000; i++) {
		struct strbuf b = STRBUF_INIT;
		strbuf_addstr(&b, HEADER);
		unsigned int n = 1 + below(4);
		for (unsigned int k = 0; k < n; k++) {
			size_t from = b.len;
			add_line(&b);
			for (unsigned int s = below(3) ? 0 : below(3); s > 0; s--)
				spoil(&b, from);
		}
		if (!below(4)) /* a last line without an end */
			b.s[--b.len] = 0;
		n_read += compare(&b);
		strbuf_release(&b);
	}
	assert_true(n_read > 2000); /* or nothing was compared */
}

/* An omitted line ends where the line of its error ends. The lines after it are counted
 * correctly. */
static void lines_are_omitted(void **ctx)
{
	(void)ctx;
	static const char text[] = HEADER "1,1,1,2,close,fd=3,0,,\n"
					  "1,1,1,2,close,\"fd\n=3\"x,0,,\n"
					  "1,1,3,4,close,fd=4,0,,\n"
					  "1,1,3,4,close,fd=\"4\",0,,\r\n"
					  "1,1,5,6,close,fd=x,0,,\n"
					  "1,1,5,6,close,\"fd=5\",0,,a \"\n";
	const struct trace_open_options o = {.n_lenient = 3};
	const struct trace_record *r;
	struct err e = ERR_INIT;
	struct trace *t;
	spill(SCRATCH("scan.csv"), text, sizeof text - 1);
	must(format_csv.open(&t, SCRATCH("scan.csv"), &o, &e), &e);
	assert_int_equal(trace_next(t, &r, &e), 1);
	assert_int_equal(r->fd, 3);
	assert_int_equal(trace_next(t, &r, &e), 1);
	assert_int_equal(r->fd, 4);
	assert_int_equal(trace_next(t, &r, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "line 8, column 9"));
	assert_int_equal(trace_notes(t)->n_skipped, 3);
	assert_non_null(strstr(trace_notes(t)->first_skipped, "line 3, column 6 (args)"));
	trace_close(t);
	unlink(SCRATCH("scan.csv"));
}

/* Lines cross the limits of the pieces in which the file is read. */
static void long_files(void **ctx)
{
	(void)ctx;
	for (int i = 0; i < 6; i++) {
		struct strbuf b = STRBUF_INIT;
		uint64_t n = 0;
		strbuf_addstr(&b, HEADER);
		while (b.len < 900000) {
			add_line(&b);
			n++;
			if (i % 3 == 1 && !below(500)) { /* many pieces of one field */
				b.s[--b.len] = 0;
				strbuf_addstr(&b, ",\"");
				for (unsigned int k = below(400000); k > 0; k--)
					strbuf_addch(&b, "ab\n,"[k % 4]);
				strbuf_addstr(&b, "\"\n");
			}
		}
		uint64_t n_read = compare(&b);
		assert_true(i % 3 == 1 || n_read == n);
		strbuf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(few_lines_damaged),
					   cmocka_unit_test(lines_are_omitted),
					   cmocka_unit_test(long_files)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
