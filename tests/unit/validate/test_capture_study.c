/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares a capture with the program's own stamps: constructed pairs of traces with known bias,
 * losses and extra calls; estimates compared with values computed by hand; the calibration written,
 * read and applied. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <gsl/gsl_errno.h>

#include "common/files.h"
#include "validate/selftest/calibration.h"
#include "validate/selftest/capture_match.h"
#include "validate/selftest/capture_study.h"

#include "trace_file.h"

static void assert_near(double a, double b, double tolerance)
{
	if (!(fabs(a - b) <= tolerance))
		fail_msg("%.12g is not within %.3g of %.12g", a, tolerance, b);
}

enum { N = 100 };

static struct trace_record pread_at(uint32_t tid, int64_t begin_ns, int64_t response_ns,
				    uint64_t offset)
{
	return (struct trace_record){.begin_ns = begin_ns,
				     .end_ns = begin_ns + response_ns,
				     .intended_ns = TIME_NONE,
				     .dispatch_ns = TIME_NONE,
				     .offset = offset,
				     .length = 512,
				     .rvalue = 512,
				     .pid = 1,
				     .tid = tid,
				     .object = 0,
				     .fd = 5,
				     .heap = HEAP_NONE,
				     .op = OP_PREAD};
}

static struct trace_path write_trace(const char *name, const struct trace_record *r, size_t n,
				     int64_t epoch_ns, int64_t wall_ns)
{
	struct trace_path path = trace_file_path(name);
	struct trace_meta meta = trace_file_meta();
	meta.epoch_ns = epoch_ns;
	meta.wall_epoch_ns = wall_ns;
	trace_file_write(path.s, r, n, &meta, false, false);
	return path;
}

/* Two threads that read the same offsets repeatedly; the captured start is 30 ns later and the
 * captured end 70 ns earlier. */
static size_t make(struct trace_record *own, struct trace_record *captured)
{
	for (int i = 0; i < N; i++) {
		own[i] = pread_at(i % 2 ? 7 : 8, 10000 * i, 1000 + i, (uint64_t)(i % 6) * 512);
		captured[i] = own[i];
		captured[i].begin_ns += 30;
		captured[i].end_ns -= 70;
	}
	return N;
}

static void test_known_bias(void **state)
{
	(void)state;
	struct trace_record own[N], captured[N + 4];
	struct capture_match m = {0};
	struct err e = ERR_INIT;
	size_t n = make(own, captured);
	/* the epochs differ: the two traces agree on CLOCK_MONOTONIC only */
	for (size_t i = 0; i < n; i++) {
		captured[i].begin_ns -= 5000;
		captured[i].end_ns -= 5000;
	}
	struct trace_path a = write_trace("own", own, n, 1000000, 77),
			  b = write_trace("captured", captured, n, 1005000, 99);
	assert_int_equal(capture_match_add(&m, a.s, b.s, &e), 0);
	const struct capture_op *o = &m.op[OP_PREAD];
	assert_int_equal(o->n_own, N);
	assert_int_equal(o->n, N);
	assert_int_equal(o->n_missed + o->n_extra, 0);
	for (size_t i = 0; i < o->n; i++) {
		assert_near(o->pair[i].difference_ns, -100, 0);
		assert_near(o->pair[i].begin_ns, 30, 0);
	}
	assert_near(m.resolution_ns, 0.5, 0);
	capture_match_release(&m);
	unlink(a.s);
	unlink(b.s);
}

/* A lost request shifts no other request, although many are equal. An extra request counts once,
 * and only between a thread's own requests; other threads and the page cache do not count. */
static void test_missed_and_extra(void **state)
{
	(void)state;
	struct trace_record own[N], captured[N + 8];
	struct capture_match m = {0};
	struct err e = ERR_INIT;
	size_t n = make(own, captured);
	memmove(&captured[10], &captured[11], (n - 11) * sizeof *captured);
	n--;
	captured[n++] = pread_at(7, 505000, 100, 0);
	/* not a thread of the program's own trace */
	captured[n++] = pread_at(9, 505000, 100, 0);
	captured[n++] = pread_at(7, 10000 * N + 5, 100, 0); /* later than all */
	captured[n] = pread_at(7, 505500, 0, 0);
	captured[n++].op = OP_PAGE_FAULT;
	struct trace_path a = write_trace("own", own, N, 1000, 0),
			  b = write_trace("captured", captured, n, 1000, 0);
	assert_int_equal(capture_match_add(&m, a.s, b.s, &e), 0);
	const struct capture_op *o = &m.op[OP_PREAD];
	assert_int_equal(o->n_own, N);
	assert_int_equal(o->n_missed, 1);
	assert_int_equal(o->n_extra, 1);
	assert_int_equal(o->n, N - 1);
	assert_int_equal(m.op[OP_PAGE_FAULT].n_extra, 0);
	for (size_t i = 0; i < o->n; i++)
		assert_near(o->pair[i].difference_ns, -100, 0);
	capture_match_release(&m);

	/* another result makes it another call */
	captured[20].rvalue = 100;
	b = write_trace("captured", captured, n, 1000, 0);
	assert_int_equal(capture_match_add(&m, a.s, b.s, &e), 0);
	assert_int_equal(o->n_missed, 2);
	assert_int_equal(o->n_extra, 2);
	capture_match_release(&m);

	/* no clock in common */
	b = write_trace("captured", captured, n, 0, 0);
	assert_int_equal(capture_match_add(&m, a.s, b.s, &e), -EINVAL);
	capture_match_release(&m);
	unlink(a.s);
	unlink(b.s);
}

/* Matched by the wall clock, which is exact to some milliseconds only: a call just before the
 * program's own calls that equals the first of them shifts none. */
static void test_equal_call_before(void **state)
{
	(void)state;
	struct trace_record own[N], captured[N + 1];
	struct capture_match m = {0};
	struct err e = ERR_INIT;
	make(own, captured);
	captured[N] = pread_at(8, -600000, 100, 0);
	struct trace_path a = write_trace("own", own, N, 1000, 5000000);
	struct trace_path b = write_trace("captured", captured, N + 1, 0, 5000000);
	assert_int_equal(capture_match_add(&m, a.s, b.s, &e), 0);
	const struct capture_op *o = &m.op[OP_PREAD];
	assert_int_equal(o->n, N);
	assert_int_equal(o->n_extra + o->n_missed, 0);
	for (size_t i = 0; i < o->n; i++)
		assert_near(o->pair[i].begin_ns, 30, 0);
	capture_match_release(&m);
	unlink(a.s);
	unlink(b.s);
}

/* --- estimates ----------------------------------------------------------- */

/* A run: n pairs whose differences are bias -d, +d alternately. */
static void add_run(struct capture_study *s, size_t method, size_t workload, unsigned int level,
		    size_t run, double bias, double d, double own_ns)
{
	struct capture_match m = {0};
	struct capture_pair pair[10];
	for (int i = 0; i < 10; i++)
		pair[i] = (struct capture_pair){bias + (i % 2 ? d : -d), 25, own_ns};
	m.op[OP_FSYNC] = (struct capture_op){.n_own = 11, .n_missed = 1, .n_extra = 2, .pair = pair, .n = 10};
	capture_study_add(s, method, workload, level, run, &m);
}

/* Biases -90, -100, -110, -120: mean -105, s = 12.9099, t(0.975, 3) = 3.182446. The program's own
 * times with capture are 2, 2, 8, 8 times those without: ratio 4, ln sd = 0.800377, half-width in
 * ln 1.273569. */
static void test_estimate(void **state)
{
	(void)state;
	struct capture_study s = {.n_runs = 4};
	struct capture_estimate x;
	for (size_t i = 0; i < 4; i++) {
		add_run(&s, 0, 0, 1, i, -90 - 10 * (double)i, 4, i < 2 ? 2000 : 8000);
		add_run(&s, CAPTURE_NONE, 0, 1, i, 0, 0, 1000);
	}
	assert_true(capture_estimate(&s, 0, OP_FSYNC, 1, &x));
	assert_int_equal(x.bias_status, STAT_OK);
	assert_near(x.bias_ns, -105, 1e-9);
	assert_near(x.bias_sd_ns, 12.909944487358056, 1e-9);
	assert_near(x.bias_half_ns, 3.182446305284263 * 12.909944487358056 / 2, 1e-9);
	assert_near(x.begin_ns, 25, 1e-9);
	assert_near(x.begin_half_ns, 0, 1e-9);
	assert_near(x.scatter_median_ns, 4, 1e-9);
	assert_near(x.scatter_p99_ns, 4, 1e-9);
	assert_int_equal(x.n_own, 44);
	assert_int_equal(x.n_matched, 40);
	assert_int_equal(x.n_missed, 4);
	assert_int_equal(x.n_extra, 8);
	assert_int_equal(x.cost_status, STAT_OK);
	assert_near(x.cost_ratio, 4, 1e-9);
	double half = 3.182446305284263 * sqrt(4 * log(2) * log(2) / 3) / 2;
	assert_near(x.cost_low, 4 * exp(-half), 1e-9);
	assert_near(x.cost_high, 4 * exp(half), 1e-9);
	assert_false(capture_estimate(&s, 0, OP_FSYNC, 2, &x));
	assert_false(capture_estimate(&s, 1, OP_FSYNC, 1, &x));
	assert_int_equal(x.bias_status, STAT_TOO_FEW);
	assert_true(isnan(x.bias_ns));
	capture_study_release(&s);
}

/* Two conditions: means -100 and -160, sds 10 and 20 of 3 runs: bias -130, u^2 = 60^2/12 +
 * (100+400)/2 (1 + 1/3). */
static void test_calibrate(void **state)
{
	(void)state;
	struct capture_study s = {.n_runs = 3};
	struct capture_calibration c;
	for (size_t i = 0; i < 3; i++) {
		add_run(&s, 1, 0, 1, i, -110 + 10 * (double)i, 1, 1);
		add_run(&s, 1, 3, 2, i, -180 + 20 * (double)i, 1, 1);
	}
	assert_int_equal(capture_calibrate(&s, 1, OP_FSYNC, &c), STAT_OK);
	assert_near(c.bias_ns, -130, 1e-9);
	assert_near(c.u_ns, sqrt(300 + 250 * 4.0 / 3), 1e-9);
	assert_near(c.low_ns, -160, 1e-9);
	assert_near(c.high_ns, -100, 1e-9);
	assert_int_equal(c.n_conditions, 2);
	assert_int_equal(c.n_requests, 60);
	assert_int_equal(capture_calibrate(&s, 0, OP_FSYNC, &c), STAT_TOO_FEW);
	capture_study_release(&s);
}

/* Processes of two conditions: begins 10, 20, 30 and 100, 100, 130: mean 65; squared deviations
 * from the means of the conditions 200 + 600, 6 - 2 degrees of freedom. A second operation of the
 * same process adds to its mean and is no further process. */
static void test_clock(void **state)
{
	(void)state;
	static const double begin_ns[2][3] = {{10, 20, 30}, {100, 100, 130}};
	struct capture_study s = {.n_runs = 3};
	struct capture_clock c;
	struct capture_pair pair[2];
	for (size_t run = 0; run < 3; run++)
		for (size_t condition = 0; condition < 2; condition++) {
			struct capture_match m = {0};
			pair[0] = (struct capture_pair){-5, begin_ns[condition][run] - 3, 100};
			pair[1] = (struct capture_pair){-5, begin_ns[condition][run] + 3, 100};
			m.op[OP_READ] = (struct capture_op){.n_own = 1, .pair = &pair[0], .n = 1};
			m.op[OP_WRITE] = (struct capture_op){.n_own = 1, .pair = &pair[1], .n = 1};
			capture_study_add(&s, 2, condition, 1 + (unsigned int)condition, run, &m);
		}
	assert_int_equal(capture_clock(&s, 2, &c), STAT_OK);
	assert_near(c.offset_ns, 65, 1e-9);
	assert_near(c.u_ns, sqrt(200), 1e-9);
	assert_int_equal(c.n_processes, 6);
	assert_int_equal(c.n_conditions, 2);
	assert_int_equal(capture_clock(&s, 1, &c), STAT_TOO_FEW);
	assert_true(isnan(c.u_ns));
	capture_study_release(&s);
}

/* --- the file ------------------------------------------------------------ */

static void test_calibration_file(void **state)
{
	(void)state;
	const double u_ns = sqrt(100 * 4.0 / 3);
	struct calibration c;
	struct err e = ERR_INIT;
	struct trace_path path = trace_file_path("calibration.json");
	json_t *all = json_pack("{s:i, s:[{s:s, s:[{s:s, s:f, s:f}]}], s:{s:s, s:s, s:{s:s}}}",
				"schema", 1, "methods", "method", "app", "calibration", "op",
				"fsync", "bias_ns", 200.0, "u_ns", u_ns, "environment", "host",
				"here", "date", "2026-01-01T00:00:00Z", "kernel", "release", "6.1");
	assert_int_equal(json_dump_file(all, path.s, JSON_REAL_PRECISION(17)), 0);
	json_decref(all);
	assert_int_equal(calibration_read(&c, path.s, "app", &e), 0);
	assert_string_equal(c.host, "here");
	assert_string_equal(c.kernel, "6.1");
	assert_true(c.op[OP_FSYNC].known);
	assert_false(c.op[OP_READ].known);
	assert_near(c.op[OP_FSYNC].bias_ns, 200, 1e-9);
	assert_near(c.op[OP_FSYNC].u_ns, u_ns, 1e-9);

	/* 1000 - 200; 150 - 200 gives 0; a read is not calibrated; without an end the time is
	 * unknown */
	struct trace_record r = pread_at(1, 50, 1000, 0);
	r.op = OP_FSYNC;
	calibration_apply(&c, &r);
	assert_int_equal(r.begin_ns, 50);
	assert_int_equal(r.end_ns, 850);
	r.end_ns = 200;
	calibration_apply(&c, &r);
	assert_int_equal(r.end_ns, 50);
	r.end_ns = TIME_NONE;
	calibration_apply(&c, &r);
	assert_true(r.end_ns == TIME_NONE);
	r = pread_at(1, 50, 1000, 0);
	calibration_apply(&c, &r);
	assert_int_equal(r.end_ns, 1050);
	struct correction done = calibration_correction(&c), again;
	assert_int_equal(done.n_corrected, 2);
	assert_int_equal(done.n_clipped, 1);
	assert_int_equal(done.n_without, 1);
	assert_near(done.mean_ns, (200 + 150) / 3.0, 1e-9);
	assert_near(done.u_ns, 2 * u_ns / 3, 1e-9);

	json_t *extra = json_pack("{s:o}", "correction", calibration_facts(&c));
	assert_int_equal(correction_from_json(&again, extra, &e), 1);
	assert_near(again.u_ns, done.u_ns, 1e-12);
	assert_int_equal(again.n_clipped, 1);
	json_object_set_new(json_object_get(extra, "correction"), "u_ns", json_real(-1));
	assert_int_equal(correction_from_json(&again, extra, &e), -EINVAL);
	json_decref(extra);
	assert_int_equal(calibration_read(&c, path.s, "vfs", &e), -ENOENT);
	unlink(path.s);
}

static void test_calibration_hostile(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    "{",
					    "[]",
					    "{\"schema\": 1}",
					    "{\"schema\": 2, \"methods\": []}",
					    "{\"schema\": 1, \"methods\": [{\"method\": \"app\", "
					    "\"calibration\": [{\"bias_ns\": 1, \"u_ns\": 1}]}]}",
					    "{\"schema\": 1, \"methods\": [{\"method\": \"app\", "
					    "\"calibration\": [{\"op\": \"read\", \"bias_ns\": "
					    "\"1\", \"u_ns\": 1}]}]}",
					    "{\"schema\": 1, \"methods\": [{\"method\": \"app\", "
					    "\"calibration\": [{\"op\": \"read\", \"bias_ns\": "
					    "1e300, \"u_ns\": 1}]}]}",
					    "{\"schema\": 1, \"methods\": [{\"method\": \"app\", "
					    "\"calibration\": [{\"op\": \"read\", \"bias_ns\": 1, "
					    "\"u_ns\": -1}]}]}",
					    "{\"schema\": 1, \"schema\": 1, \"methods\": []}"};
	struct trace_path path = trace_file_path("hostile.json");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct calibration c;
		struct err e = ERR_INIT;
		assert_int_equal(file_write_atomic(path.s, texts[i], strlen(texts[i]), &e), 0);
		assert_int_equal(calibration_read(&c, path.s, "app", &e), -EINVAL);
		assert_non_null(strstr(e.msg, "hostile.json"));
	}
	unlink(path.s);
	assert_string_equal(calibration_method_of("validate capture app 1.0"), "app");
	assert_string_equal(calibration_method_of("strace"), "strace");
	assert_null(calibration_method_of("fio"));
	assert_null(calibration_method_of(NULL));
}

int main(void)
{
	gsl_set_error_handler_off();
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_known_bias),          cmocka_unit_test(test_missed_and_extra),
	    cmocka_unit_test(test_equal_call_before),        cmocka_unit_test(test_estimate),
	    cmocka_unit_test(test_calibrate),
		cmocka_unit_test(test_clock),           cmocka_unit_test(test_calibration_file),
	    cmocka_unit_test(test_calibration_hostile),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
