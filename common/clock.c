/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/clock.h"

#include <sched.h>

#include "common/proc_text.h"
#include "common/sort.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define N_BRACKETS 64	      /* number of tries for an anchor */
/* Largest tolerated difference between the counter, at its earlier rate, and CLOCK_MONOTONIC, as a
 * share of the time between two readings. */
#define MAX_DISAGREEMENT 200e-6
/* consecutive readings without progress before an error; the coarsest clocks step every 10 ms */
#define MAX_STILL 10000000
#define WENT_BACKWARDS \
	"CLOCK_MONOTONIC went backwards by %lld ns: the time stamps cannot be trusted"
#define N_READS 2001 /* readings for resolution and read cost; odd, so the median is one of them */

/* --- anchors ------------------------------------------------------------- */

int clock_anchor_take(enum clock_source source, struct clock_anchor *a, struct err *e)
{
	struct clock c = {.source = source};
	if (source == CLOCK_SOURCE_MONOTONIC) {
		a->ns = clock_monotonic_ns();
		a->ticks = (uint64_t)a->ns;
		a->bracket_ns = 0;
		return 0;
	}
	a->bracket_ns = INT64_MAX;
	for (int i = 0; i < N_BRACKETS; i++) {
		int64_t before = clock_monotonic_ns();
		uint64_t ticks = clock_begin(&c);
		int64_t after = clock_monotonic_ns();
		if (after < before)
			return err_set(e, EIO, WENT_BACKWARDS, (long long)(before - after));
		if (after - before < a->bracket_ns)
			*a = (struct clock_anchor){ticks, before + (after - before) / 2,
						   after - before};
	}
	return 0;
}

static double rate_between(const struct clock_anchor *a, const struct clock_anchor *b)
{
	return (double)(b->ns - a->ns) / (double)(b->ticks - a->ticks);
}

int clock_line_extend(struct clock *c, const struct clock_anchor *now, struct err *e)
{
	if (now->ns < c->last.ns)
		return err_set(e, EIO, WENT_BACKWARDS, (long long)(c->last.ns - now->ns));
	if (now->ticks < c->last.ticks)
		return err_set(e, EIO, "the time-stamp counter went backwards by %llu ticks: the "
			"time stamps cannot be trusted",
			(unsigned long long)(c->last.ticks - now->ticks));
	/* time since the last anchor by each clock; the error of an anchor is at most half its
	 * bracket */
	double expected_ns = (double)(now->ticks - c->last.ticks) * c->ns_per_tick;
	double passed_ns = (double)(now->ns - c->last.ns);
	double slack_ns = (double)(now->bracket_ns / 2 + c->last.bracket_ns / 2) + 1;
	double off_ns = fabs(expected_ns - passed_ns);
	if (off_ns > passed_ns * MAX_DISAGREEMENT + slack_ns)
		return err_set(e, EIO, "the time-stamp counter and CLOCK_MONOTONIC disagree by "
			"%.0f ns over %.0f ns (limit %.0f ppm): the time stamps cannot be "
			"trusted",
			off_ns, passed_ns, MAX_DISAGREEMENT * 1e6);
	c->last = *now;
	if (c->last.ticks > c->first.ticks && c->source == CLOCK_SOURCE_TSC)
		c->ns_per_tick = rate_between(&c->first, &c->last);
	return 0;
}

/* --- the source ---------------------------------------------------------- */

#if defined(__x86_64__)
static bool tsc_is_invariant(void)
{
	unsigned int a, b, c, d;
	if (!__get_cpuid(0x80000000u, &a, &b, &c, &d) || a < 0x80000007u)
		return false;
	if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(d & 1u << 27)) /* rdtscp */
		return false;
	return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

/* Checks that the counter of each usable CPU agrees with CLOCK_MONOTONIC. The kernel checks this
 * before it uses the TSC as its clock source, but not for a paravirtual clock. */
static bool tsc_agrees_everywhere(void)
{
	cpu_set_t allowed, one;
	if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
		return false;
	struct clock_anchor first, half, now;
	bool agree = !clock_anchor_take(CLOCK_SOURCE_TSC, &first, NULL);
	int n_tries = 0;
	do {
		agree = agree && !clock_anchor_take(CLOCK_SOURCE_TSC, &half, NULL);
	} while (agree && half.ns - first.ns < 2000000 && ++n_tries < MAX_STILL / N_BRACKETS);
	agree = agree && half.ticks > first.ticks && half.ns > first.ns;
	for (int cpu = 0; agree && cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof one, &one) < 0 ||
		    clock_anchor_take(CLOCK_SOURCE_TSC, &now, NULL)) {
			agree = false;
			break;
		}
		double expected =
		    (double)(int64_t)(now.ticks - half.ticks) * rate_between(&first, &half);
		double off = fabs(expected - (double)(now.ns - half.ns));
		/* the error of the rate is one bracket in 2 ms; an offset of 1 us between CPUs
		 * would be visible in traces */
		agree = off < 1000 + (double)(now.ns - half.ns) * MAX_DISAGREEMENT;
	}
	sched_setaffinity(0, sizeof allowed, &allowed);
	return agree;
}
#endif

static enum clock_source source_choose(void)
{
	enum clock_source source = CLOCK_SOURCE_MONOTONIC;
#if defined(__x86_64__)
	char kernel[64];
	if (proc_text_read("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			   kernel, sizeof kernel) && tsc_is_invariant()) {
		if (!strcmp(kernel, "tsc\n"))
			source = CLOCK_SOURCE_TSC;
		else if ((!strcmp(kernel, "kvm-clock\n") ||
			  !strncmp(kernel, "hyperv_clocksource_tsc", 22)) &&
			 tsc_agrees_everywhere())
			source = CLOCK_SOURCE_TSC;
	}
#endif
	return source;
}

/* --- resolution and cost ------------------------------------------------ */

static void measure_quality(struct clock *c)
{
	static const int n_warm = 100;
	SCOPED_FREE uint64_t *pair = xcalloc(N_READS, sizeof *pair);
	uint64_t step = UINT64_MAX, last = clock_now(c);
	for (int i = -n_warm; i < N_READS; i++) {
		uint64_t begin = clock_begin(c), end = clock_end(c);
		if (begin > last && begin - last < step)
			step = begin - last;
		if (end > begin && end - begin < step)
			step = end - begin;
		last = end;
		if (i >= 0)
			pair[i] = end - begin;
	}
	qsort(pair, N_READS, sizeof *pair, order_u64);
	c->read_cost_ns = (double)pair[N_READS / 2] * c->ns_per_tick;
	/* Consecutive ordered reads (clock_begin, clock_end) are further apart than one step of the
	 * counter. Unordered reads show smaller steps. */
	for (int i = 0; i < N_READS; i++) {
		uint64_t now = clock_now(c);
		if (now > last && now - last < step)
			step = now - last;
		last = now;
	}
	c->resolution_ns =
	    step == UINT64_MAX ? (double)c->last.bracket_ns : (double)step * c->ns_per_tick;
}

int clock_open(struct clock *c, struct err *e)
{
	*c = (struct clock){.source = source_choose(), .ns_per_tick = 1};
	return clock_anchor_take(c->source, &c->first, e);
}

int clock_calibrate(struct clock *c, int64_t baseline_ns, struct err *e)
{
	int64_t last_ns = c->first.ns;
	for (uint64_t n_still = 0; last_ns - c->first.ns < baseline_ns || last_ns == c->first.ns;) {
		int64_t now_ns = clock_monotonic_ns();
		if (now_ns < last_ns)
			return err_set(e, EIO, WENT_BACKWARDS, (long long)(last_ns - now_ns));
		n_still = now_ns > last_ns ? 0 : n_still + 1;
		if (n_still > MAX_STILL)
			return err_set(e, EIO, "CLOCK_MONOTONIC does not advance: nothing can be "
				"timed");
		last_ns = now_ns;
	}
	const int ret = clock_anchor_take(c->source, &c->last, e);
	if (ret)
		return ret;
	if (c->last.ticks <= c->first.ticks || c->last.ns <= c->first.ns)
		return err_set(e, EIO, "the time-stamp counter did not advance in %lld ns of "
			       "CLOCK_MONOTONIC: nothing can be timed",
			       (long long)(last_ns - c->first.ns));
	if (c->source == CLOCK_SOURCE_TSC)
		c->ns_per_tick = rate_between(&c->first, &c->last);
	measure_quality(c);
	return 0;
}

int clock_init(struct clock *c, int64_t baseline_ns, struct err *e)
{
	const int ret = clock_open(c, e);
	return ret ? ret : clock_calibrate(c, baseline_ns, e);
}

/* --- conversion ---------------------------------------------------------- */

/* x * num / den, rounded to the nearest integer. Exact: |x| and num are below 2^63, so the product
 * fits in 126 bits. A division of 64 bits is several times faster, and suffices for runs of a
 * second. */
static __int128 ratio_apply(int64_t x, int64_t num, int64_t den)
{
	int64_t short_p;
	if (!__builtin_mul_overflow(x, num, &short_p) &&
	    !__builtin_add_overflow(short_p, short_p >= 0 ? den / 2 : -(den / 2), &short_p))
		return short_p / den;
	__int128 p = (__int128)x * num;
	__int128 half = den / 2;
	return (p >= 0 ? p + half : p - half) / den;
}

int64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks)
{
	if (c->source == CLOCK_SOURCE_MONOTONIC)
		return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
	__int128 ns = c->first.ns + ratio_apply((int64_t)(ticks - c->first.ticks),
		c->last.ns - c->first.ns, (int64_t)(c->last.ticks - c->first.ticks));
	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

uint64_t clock_ticks_of_ns(const struct clock *c, int64_t ns)
{
	if (c->source == CLOCK_SOURCE_MONOTONIC)
		return ns < 0 ? 0 : (uint64_t)ns;
	int64_t since;
	if (__builtin_sub_overflow(ns, c->first.ns, &since))
		since = ns < 0 ? INT64_MIN : INT64_MAX;
	__int128 ticks = (__int128)c->first.ticks + ratio_apply(since,
		(int64_t)(c->last.ticks - c->first.ticks), c->last.ns - c->first.ns);
	return ticks < 0 ? 0 : ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

void clock_baseline_wait(const struct clock *c, int64_t baseline_ns)
{
	int64_t left_ns = c->first.ns + baseline_ns - clock_monotonic_ns();
	struct timespec ts = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
	if (left_ns > 0)
		nanosleep(&ts, NULL);
}
