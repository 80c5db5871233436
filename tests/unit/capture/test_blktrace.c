/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of blktrace and of the kernel's events, built by hand if no sample file has the case. */
#include "capture/format.h"
#include "tests/unit/capture/sample.h"

#define EVENT_BYTES 48
#define ACTION_AT 28
#define EXTRA_AT 46
#define OF_A_CGROUP 0x100u

/* The events of `from` as a kernel with the option blk_cgroup writes them: marked, and with the
 * number of a group after each event. */
static void with_groups(const char *from, const char *to)
{
	const uint64_t group = 0x123456789;
	size_t len, n = 0;
	unsigned char *in = slurp(from, &len), *out = malloc(len * 2);
	assert_non_null(out);
	for (size_t at = 0; at + EVENT_BYTES <= len;) {
		uint32_t action;
		uint16_t extra, more;
		memcpy(&action, in + at + ACTION_AT, sizeof action);
		memcpy(&extra, in + at + EXTRA_AT, sizeof extra);
		memcpy(out + n, in + at, EVENT_BYTES);
		action |= OF_A_CGROUP;
		more = (uint16_t)(extra + sizeof group);
		memcpy(out + n + ACTION_AT, &action, sizeof action);
		memcpy(out + n + EXTRA_AT, &more, sizeof more);
		memcpy(out + n + EVENT_BYTES, &group, sizeof group);
		memcpy(out + n + EVENT_BYTES + sizeof group, in + at + EVENT_BYTES, extra);
		at += EVENT_BYTES + (size_t)extra;
		n += EVENT_BYTES + (size_t)more;
	}
	spill(to, out, n);
	free(in);
	free(out);
}

static void events_may_name_their_cgroup(void **state)
{
	static const char plain[] = "tests/data/formats/loop.blktrace.0";
	char path[512];
	struct err e = ERR_INIT;
	struct trace *a, *b;
	const struct trace_record *x, *y;
	uint64_t n = 0;
	(void)state;
	with_groups(plain, scratch(path, "groups"));
	must(trace_open_with(&a, format_find("blktrace"), plain, NULL, &e), &e);
	must(trace_open_with(&b, format_find("blktrace"), path, NULL, &e), &e);
	for (int rc; (rc = trace_next(a, &x, &e)) != 0; n++) {
		assert_int_equal(rc, 1);
		assert_int_equal(trace_next(b, &y, &e), 1);
		assert_memory_equal(x, y, sizeof *x);
	}
	assert_int_equal(trace_next(b, &y, &e), 0);
	assert_true(n > 10);
	trace_close(a);
	trace_close(b);
	unlink(path);
}

/* The sectors of the events do not matter: events from a capture have none, and are matched with
 * these. */
static void flushes_have_no_place(void **state)
{
	static const struct {
		const char *format, *text;
	} made[] = {
	    {"tracepoints",
	     "  a-7 [000] ..... 1.000000: block_rq_issue: 8,0 FF 0 () 0 + 0 be,0,4 [a]\n"
	     "  a-7 [000] ..... 1.000500: block_rq_complete: 8,0 FF () 18446744073709551615 + 0 "
	     "be,0,4 [0]\n"},
	    {"blkparse", "  8,0    0        1     0.000000000     7  D  FN 0 + 0 [a]\n"
			 "  8,0    0        2     0.000500000     7  C  FN 0 + 0 [0]\n"},
	    /* the form of blkparse 1.3, without and with -t */
	    {"blkparse", "  8,0    0        1     0.000000000     7  Q FWS [a]\n"
			 "  8,0    0        2     0.000000000     7  D FWS [a]\n"
			 "  8,0    0        3     0.000500000     7  C FWS 0 [0]\n"},
	    {"blkparse", "  8,0    0        1     0.000000000     7  D FWS (       0) [a]\n"
			 "  8,0    0        2     0.000500000     7  C FWS 0 (  500000) [0]\n"},
	};
	char path[512];
	struct err e = ERR_INIT;
	(void)state;
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		struct trace *t;
		const struct trace_record *r;
		spill(scratch(path, "flush"), made[i].text, strlen(made[i].text));
		must(trace_open_with(&t, format_find(made[i].format), path, NULL, &e), &e);
		assert_int_equal(trace_next(t, &r, &e), 1);
		assert_int_equal(r->op, OP_FDATASYNC);
		assert_int_equal(r->offset, OFFSET_NONE);
		assert_int_equal(r->end_ns - r->begin_ns, 500000);
		assert_int_equal(trace_next(t, &r, &e), 0);
		trace_close(t);
		unlink(path);
	}
}

/* Several requests of a device are in flight: each completion belongs to the first of them. A
 * queued request that was never issued gives no request. */
static void flushes_in_flight(void **state)
{
	static const char text[] = "  8,0    0        1     0.000000000     7  Q  FN [a]\n"
				   "  8,0    0        2     0.000001000     7  D  FN 0 + 0 [a]\n"
				   "  8,0    0        3     0.000002000     8  D  FN 0 + 0 [b]\n"
				   "  8,16   0        4     0.000003000     9  D  FN 0 + 0 [c]\n"
				   "  8,0    0        5     0.000004000     7  Q  FN [a]\n"
				   "  8,0    0        6     0.000100000     0  C  FN 0 + 0 [0]\n"
				   "  8,0    0        7     0.000300000     0  C  FN 0 + 0 [-5]\n"
				   "  8,16   0        8     0.000400000     0  C  FN 0 + 0 [0]\n";
	static const struct {
		int64_t took_ns;
		uint32_t pid;
		uint16_t error;
	} want[] = {{99000, 7, 0}, {298000, 8, 5}, {397000, 9, 0}};
	char path[512];
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	(void)state;
	spill(scratch(path, "flushes"), text, strlen(text));
	must(trace_open_with(&t, format_find("blkparse"), path, NULL, &e), &e);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		assert_int_equal(trace_next(t, &r, &e), 1);
		assert_int_equal(r->op, OP_FDATASYNC);
		assert_int_equal(r->end_ns - r->begin_ns, want[i].took_ns);
		assert_int_equal(r->pid, want[i].pid);
		assert_int_equal(r->error, want[i].error);
	}
	assert_int_equal(trace_next(t, &r, &e), 0);
	assert_int_equal(trace_notes(t)->n_without_begin, 0);
	trace_close(t);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flushes_have_no_place),
	    cmocka_unit_test(flushes_in_flight),
	    cmocka_unit_test(events_may_name_their_cgroup),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
