/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service times of programmed volumes, in virtual time, compared with values computed by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "microbench/volume/service.h"

#define GIB (UINT64_C(1) << 30)

static struct service *made(const char *text)
{
	struct service *s;
	struct err e = ERR_INIT;
	if (service_parse(&s, text, GIB, 1, &e))
		fail_msg("%s: %s", text, e.msg);
	return s;
}

static void expect(struct service *s, enum service_op op, uint64_t offset, uint64_t length,
		   int64_t now, int64_t start, int64_t done)
{
	struct service_times t = service_take(s, op, offset, length, now);
	assert_int_equal(t.start_ns, start);
	assert_int_equal(t.done_ns, done);
}

static void constant_and_all_at_once(void **state)
{
	(void)state;
	struct service *s = made("constant:read=100us,write=300us");
	expect(s, SERVICE_READ, 0, 4096, 1000, 1000, 101000);
	expect(s, SERVICE_READ, 0, 4096, 1000, 1000, 101000);
	expect(s, SERVICE_WRITE, 0, 4096, 2000, 2000, 302000);
	expect(s, SERVICE_FLUSH, 0, 0, 3000, 302000, 302000); /* after everything before it */
	expect(s, SERVICE_FLUSH, 0, 0, 400000, 400000, 400000);
	service_free(s);
}

static void few_servers_queue(void **state)
{
	(void)state;
	struct service *s = made("constant:time=10us,parallel=2,flush=1us");
	expect(s, SERVICE_READ, 0, 1, 0, 0, 10000);
	expect(s, SERVICE_READ, 0, 1, 1000, 1000, 11000);
	expect(s, SERVICE_READ, 0, 1, 2000, 10000, 20000);
	expect(s, SERVICE_READ, 0, 1, 3000, 11000, 21000);
	expect(s, SERVICE_FLUSH, 0, 0, 4000, 21000, 22000);
	expect(s, SERVICE_READ, 0, 1, 90000, 90000, 100000);
	service_free(s);
}

static void every_time_is_longer_on_a_slowed_volume(void **state)
{
	(void)state;
	struct service *s = made("constant:time=10us,parallel=1,flush=2us");
	expect(s, SERVICE_READ, 0, 1, 1000000, 1000000, 1010000);
	service_slow(s, 1.5); /* nothing is in flight, so the server is free at once */
	expect(s, SERVICE_READ, 0, 1, 1000500, 1000500, 1015500);
	expect(s, SERVICE_READ, 0, 1, 1002000, 1015500, 1030500);
	expect(s, SERVICE_FLUSH, 0, 0, 1002000, 1030500, 1033500);
	service_slow(s, 1);
	expect(s, SERVICE_READ, 0, 1, 2000000, 2000000, 2010000);
	service_free(s);
	struct service *a = made("exponential:mean=1ms"), *b = made("exponential:mean=1ms");
	service_slow(b, 2);
	for (int i = 0; i < 100; i++) { /* the same draws */
		const int64_t now = 10000000000 * (int64_t)i;
		const int64_t x = service_take(a, SERVICE_READ, 0, 1, now).done_ns - now,
			      y = service_take(b, SERVICE_READ, 0, 1, now).done_ns - now;
		assert_true(llabs(y - 2 * x) <= 2);
	}
	service_free(a);
	service_free(b);
	struct service *hdd = made("hdd"), *slow = made("hdd");
	service_slow(slow, 2);
	const struct service_times t = service_take(hdd, SERVICE_READ, GIB / 2, 65536, 4000000);
	const struct service_times u = service_take(slow, SERVICE_READ, GIB / 2, 65536, 8000000);
	assert_int_equal(u.done_ns - 8000000, 2 * (t.done_ns - 4000000));
	service_free(hdd);
	service_free(slow);
}

/* Tests that mean and standard deviation of 200,000 draws are within five standard errors of the
 * model's values. With `stride` 0, these are draws of one request; otherwise, of as many
 * requests. */
static void moments(const char *text, uint64_t stride, double mean, double sd)
{
	struct service *s = made(text);
	double sum = 0, squares = 0;
	const int n = 200000;
	for (int i = 0; i < n; i++) {
		struct service_times t = service_take(s, SERVICE_READ, (uint64_t)i * stride, 1, 0);
		double x = (double)t.done_ns;
		assert_true(x >= 0);
		sum += x;
		squares += x * x;
	}
	double m = sum / n, got = sqrt(squares / n - m * m);
	assert_true(fabs(m - mean) < 5 * sd / sqrt(n));
	assert_true(fabs(got / sd - 1) < 0.05);
	service_free(s);
}

static void drawn(void **state)
{
	(void)state;
	moments("exponential:mean=1ms", 0, 1e6, 1e6);
	moments("exponential:mean=1ms", 4096, 1e6, 1e6);
	moments("lognormal:mean=1ms,sd=500us", 0, 1e6, 5e5);
	moments("lognormal:mean=1ms,sd=500us", 4096, 1e6, 5e5);
	moments("uniform:from=1ms,to=3ms", 0, 2e6, 2e6 / sqrt(12));
	moments("uniform:from=1ms,to=3ms", 4096, 2e6, 2e6 / sqrt(12));
	moments("gamma:mean=2ms,shape=4", 0, 2e6, 1e6);
	moments("gamma:mean=2ms,shape=4", 4096, 2e6, 1e6);
}

static int64_t time_of(struct service *s, enum service_op op, uint64_t offset, uint64_t length)
{
	return service_take(s, op, offset, length, 0).done_ns;
}

/* The order of other requests does not change the time of a request. The k-th of several equal
 * requests has its own time. */
static void times_are_drawn_by_identity(void **state)
{
	(void)state;
	struct service *a = made("exponential:mean=1ms"), *b = made("exponential:mean=1ms");
	int64_t first[100], second[100];
	for (uint64_t i = 0; i < 100; i++)
		first[i] = time_of(a, SERVICE_READ, i * 4096, 4096);
	for (uint64_t i = 0; i < 100; i++)
		second[i] = time_of(a, SERVICE_READ, i * 4096, 4096);
	for (uint64_t i = 100; i-- > 0;) {
		time_of(b, SERVICE_WRITE, i * 4096, 4096);
		assert_int_equal(time_of(b, SERVICE_READ, i * 4096, 4096), first[i]);
		assert_int_equal(time_of(b, SERVICE_READ, i * 4096, 4096), second[i]);
		assert_int_not_equal(first[i], second[i]);
	}
	service_restart(b);
	const int64_t again = time_of(b, SERVICE_READ, 0, 4096);
	assert_int_equal(again, first[0]);
	service_restart(b);
	assert_int_not_equal(time_of(b, SERVICE_WRITE, 0, 4096), again);
	assert_int_not_equal(time_of(b, SERVICE_READ, 0, 8192), again);
	assert_int_not_equal(time_of(b, SERVICE_READ, 4096, 4096), again);
	service_free(a);
	service_free(b);
	struct service *other;
	assert_int_equal(service_parse(&other, "exponential:mean=1ms", GIB, 2, NULL), 0);
	assert_int_not_equal(time_of(other, SERVICE_READ, 0, 4096), again);
	service_free(other);
}

/* 6000 rpm: a rotation takes 10 ms; at 100 MB/s, a track has 1,000,000 bytes. */
static void one_head(void **state)
{
	(void)state;
	struct service *s = made("hdd:rpm=6000,rate=100MB,track-seek=1ms,full-seek=9ms");
	/* at byte 0, angle 0, at time 0: only the transfer, 100,000 bytes in 1 ms */
	expect(s, SERVICE_READ, 0, 100000, 0, 0, 1000000);
	/* the next byte is below the head at once */
	expect(s, SERVICE_READ, 100000, 100000, 500000, 1000000, 2000000);
	/* back to 0, distance 200,000: seek 1 ms + 8 ms sqrt(200000 / 2^30) = 1.109183 ms; byte 0
	 * is below the head at 10 ms */
	expect(s, SERVICE_READ, 0, 100000, 2000000, 2000000, 11000000);
	/* half a track further, from 11 ms: distance 400,000 = 1.154410 ms; byte 500,000 is at half
	 * a rotation, at 15 ms */
	expect(s, SERVICE_WRITE, 500000, 100000, 11000000, 11000000, 16000000);
	/* across the whole disk: 1 ms + 8 ms sqrt((2^30 - 4096 - 600000) / 2^30) = 8.997 ms; no
	 * byte is below the head before */
	struct service_times t = service_take(s, SERVICE_READ, GIB - 4096, 4096, 20000000);
	assert_int_equal(t.start_ns, 20000000);
	double seek = 1e6 + 8e6 * sqrt((double)(GIB - 4096 - 600000) / (double)GIB);
	double wanted = fmod((double)(GIB - 4096) / 1e6, 1) * 1e7, there = 20e6 + seek;
	double rotation = fmod(wanted - fmod(there, 1e7) + 1e7, 1e7);
	assert_true(fabs((double)t.done_ns - (there + rotation + 40960)) < 2);
	service_free(s);
}

/* Tests that the mean over random pairs of offsets is the value of `seek`, and so the factor
 * 8/15. */
static void the_mean_seek(void **state)
{
	(void)state;
	struct service *s = made("hdd:rpm=1000000,rate=1TB,seek=8ms,track-seek=1ms");
	uint64_t place = 12345;
	double sum = 0;
	int64_t now = 0;
	const int n = 100000;
	for (int i = 0; i < n; i++) {
		place = place * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		struct service_times t = service_take(s, SERVICE_READ, (place >> 34), 1, now);
		sum += (double)(t.done_ns - t.start_ns);
		now = t.done_ns;
	}
	assert_true(fabs(sum / n - 8e6 - 30e3) < 0.02e6); /* and half a turn of 60 us */
	service_free(s);
}

static void channels(void **state)
{
	(void)state;
	struct service *s = made("ssd:channels=2,unit=4K,read=100us,write=200us,rate=0");
	expect(s, SERVICE_READ, 0, 4096, 0, 0, 100000);      /* channel 0 */
	expect(s, SERVICE_READ, 4096, 4096, 0, 0, 100000);   /* channel 1 */
	expect(s, SERVICE_WRITE, 8192, 4096, 0, 100000, 300000); /* channel 0 again */
	expect(s, SERVICE_READ, 4096, 8192, 0, 100000, 400000);	 /* both: 1 from 100, 0 from 300 */
	expect(s, SERVICE_READ, 4000, 200, 1000000, 1000000, 1100000); /* across a border */
	service_free(s);
	s = made("ssd:channels=1,unit=4K,read=100us,rate=4096000");
	expect(s, SERVICE_READ, 0, 4096, 0, 0, 1100000); /* 4096 bytes in 1 ms */
	service_free(s);
}

/* The model has no time of its own: the control group limits the device. */
static void throttled(void **state)
{
	(void)state;
	struct service_limits l = {0};
	struct service *s = made("throttled:read-iops=2000,write-rate=100M");
	expect(s, SERVICE_READ, 0, 4096, 5, 5, 5);
	expect(s, SERVICE_WRITE, 0, 4096, 5, 5, 5);
	expect(s, SERVICE_FLUSH, 0, 0, 6, 6, 6);
	assert_true(service_throttled(s, &l));
	assert_int_equal(l.read_iops, 2000);
	assert_int_equal(l.write_iops, 0);
	assert_int_equal(l.read_rate, 0);
	assert_int_equal(l.write_rate, UINT64_C(100) << 20);
	service_free(s);
	s = made("constant");
	assert_false(service_throttled(s, &l));
	service_free(s);
}

static void bad_texts(void **state)
{
	(void)state;
	static const char *const texts[] = {"",
					    "const",
					    "constant:",
					    "constant:tim=1ms",
					    "constant:time",
					    "constant:time=5",
					    "constant:time=-5us",
					    "uniform:from=2ms,to=1ms",
					    "hdd:rpm=0",
					    "hdd:seek=0.1ms",
					    "ssd:channels=0",
					    "ssd:unit=1",
					    "gamma:shape=0",
					    "constant:parallel=5000",
					    "constant:rpm=7200",
					    "constant:time=1ms,,flush=1ms",
					    "hdd:rpm=nan",
					    "exponential:mean=99999999999999h",
					    "throttled",
					    "throttled:read-iops=0",
					    "throttled:read-iops=-1",
					    "throttled:read-iops=5000000000",
					    "throttled:flush=1ms,read-iops=5"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct service *s;
		struct err e = ERR_INIT;
		int ret = service_parse(&s, texts[i], GIB, 1, &e);
		if (ret >= 0)
			fail_msg("\"%s\" was taken", texts[i]);
		assert_true(e.msg[0]);
		assert_null(s);
	}
}

static void its_own_description_is_read_back(void **state)
{
	(void)state;
	static const char *const texts[] = {"constant",
					    "constant:read=1us,parallel=3",
					    "exponential",
					    "lognormal:sd=1ms",
					    "uniform",
					    "gamma:shape=0.1",
					    "hdd",
					    "hdd:seek=9ms,rpm=5400.5",
					    "ssd:channels=3",
					    "constant:flush=2ms",
					    "throttled:write-iops=5,read-rate=1M"};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct service *a = made(texts[i]);
		char *said = service_describe(a);
		struct service *b = made(said);
		char *again = service_describe(b);
		assert_string_equal(said, again);
		for (int k = 0; k < 50; k++) {
			struct service_times x = service_take(a, (enum service_op)(k % 3),
							      (uint64_t)k * 7777777, 4096,
							      k * 1000),
					     y = service_take(b, (enum service_op)(k % 3),
							      (uint64_t)k * 7777777, 4096,
							      k * 1000);
			assert_int_equal(x.done_ns, y.done_ns);
		}
		free(said);
		free(again);
		service_free(a);
		service_free(b);
	}
}

/* After a restart, the model draws the same times again, and no request is in flight. */
static void restarts(void **state)
{
	static const char *const text[] = {"gamma:mean=1ms,parallel=1", "hdd", "ssd", NULL};
	(void)state;
	for (const char *const *t = text; *t; t++) {
		struct service *s;
		struct service_times first[20];
		assert_int_equal(service_parse(&s, *t, 1 << 30, 7, NULL), 0);
		for (int round = 0; round < 2; round++) {
			for (int i = 0; i < 20; i++) {
				struct service_times x = service_take(
				    s, SERVICE_READ, (uint64_t)i * 4096000, 4096, 1000 * i);
				if (!round)
					first[i] = x;
				assert_int_equal(x.start_ns, first[i].start_ns);
				assert_int_equal(x.done_ns, first[i].done_ns);
			}
			service_restart(s);
		}
		service_free(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_and_all_at_once),
		cmocka_unit_test(few_servers_queue),
		cmocka_unit_test(every_time_is_longer_on_a_slowed_volume),
		cmocka_unit_test(drawn),
		cmocka_unit_test(times_are_drawn_by_identity),
		cmocka_unit_test(one_head),
		cmocka_unit_test(the_mean_seek),
		cmocka_unit_test(channels),
		cmocka_unit_test(throttled),
		cmocka_unit_test(bad_texts),
		cmocka_unit_test(its_own_description_is_read_back),
		cmocka_unit_test(restarts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
