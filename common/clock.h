/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of every measurement: the processor's time-stamp counter (TSC), calibrated against
 * CLOCK_MONOTONIC.
 *
 * The measured path only reads and stores raw ticks (clock_begin, clock_end). They are converted to
 * nanoseconds of CLOCK_MONOTONIC afterwards, by a line through two anchors, taken before and after
 * the run. So the error of the first, quick calibration does not accumulate. The TSC is used if it
 * is invariant (CPUID) and the kernel's own clock source is the TSC, or is derived from the TSC and
 * agrees with it on every CPU. Otherwise, and on machines that are not x86-64, ticks are
 * CLOCK_MONOTONIC nanoseconds.
 *
 * Units: ticks are counter ticks, ns are nanoseconds of CLOCK_MONOTONIC (since boot).
 * Calibration and read cost enter the uncertainty budget as Type B components (GUM 4.3.7). */
#pragma once

#include "common/std.h"

enum clock_source { CLOCK_SOURCE_TSC, CLOCK_SOURCE_MONOTONIC };

struct clock_anchor {
	uint64_t ticks;
	int64_t ns;
	/* width of the narrowest bracket; the error of the anchor is at most half of it */
	int64_t bracket_ns;
};

struct clock {
	enum clock_source source;
	struct clock_anchor first, last; /* the line's two points */
	double ns_per_tick;		 /* from first to last */
	double resolution_ns;		 /* smallest positive step between successive readings */
	/* median cost of a pair of clock_begin and clock_end */
	double read_cost_ns;
};

/* Chooses the source, takes two anchors at least `baseline_ns` apart (for example 5,000,000 ns, in
 * which it spins) and measures resolution and read cost. Errors: EIO if CLOCK_MONOTONIC goes
 * backwards or stands still. */
int clock_init(struct clock *c, int64_t baseline_ns, struct err *e);

/* The two steps of clock_init, so that other work can fill the time between the anchors.
 * clock_open chooses the source and takes the first anchor; ticks can be read from then on.
 * clock_calibrate spins until the anchors are `baseline_ns` apart, if necessary; before it, ticks
 * cannot be converted. Errors: as clock_init. */
int clock_open(struct clock *c, struct err *e);
int clock_calibrate(struct clock *c, int64_t baseline_ns, struct err *e);

/* The two steps of clock_reanchor. clock_anchor_take reads the counter between two readings of
 * CLOCK_MONOTONIC, and keeps the try with the narrowest bracket of some tries. clock_line_extend
 * makes `now` the last anchor; after an error, `c` keeps its line. Errors: as clock_reanchor. */
int clock_anchor_take(enum clock_source source, struct clock_anchor *a, struct err *e);
int clock_line_extend(struct clock *c, const struct clock_anchor *now, struct err *e);

/* Replaces the last anchor by a new one, which lengthens the baseline. Call it just before a run,
 * for better deadlines, and right after the run, for an exact conversion. Errors: EIO if the
 * counter or CLOCK_MONOTONIC went backwards, or if their rate changed by more than 200 ppm. Then
 * the stamps of the run cannot be trusted. */
static inline int clock_reanchor(struct clock *c, struct err *e)
{
	struct clock_anchor now;
	const int ret = clock_anchor_take(c->source, &now, e);
	return ret ? ret : clock_line_extend(c, &now, e);
}

/* Sleeps until the first anchor is at least `baseline_ns` old. The next clock_reanchor then gives a
 * better rate. */
void clock_baseline_wait(const struct clock *c, int64_t baseline_ns);

/* Converts by the present line in integer arithmetic: rounded to the nearest ns (or tick), monotone
 * at any distance, clamped to the range of the result. */
int64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks);
uint64_t clock_ticks_of_ns(const struct clock *c, int64_t ns);

static inline int64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* CLOCK_MONOTONIC in ns, for all code off the measured path. */
static inline int64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Nanoseconds since 1970. */
static inline int64_t clock_realtime_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Stamp just before a timed call. Earlier instructions complete before the counter is read.
 *
 * The stamp starts a cache line. A system call may evict the code after the call to the
 * second-level cache. If that code shares a cache line with the first stamp, it was just fetched.
 * Otherwise, the timed region includes its fetch (about 6 ns). Without the alignment, the layout of
 * the loop would decide between these cases. With it, all timed regions have the same layout, in a
 * program and in its replay. */
static inline uint64_t clock_begin(const struct clock *c)
{
#if defined(__x86_64__)
	if (__builtin_expect(c->source == CLOCK_SOURCE_TSC, 1)) {
		__asm__ __volatile__(".p2align 6\n\tlfence" ::: "memory");
		return __builtin_ia32_rdtsc();
	}
#endif
	struct timespec ts;
	(void)c;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Stamp just after a timed call: waits for earlier instructions (rdtscp). */
static inline uint64_t clock_end(const struct clock *c)
{
#if defined(__x86_64__)
	if (__builtin_expect(c->source == CLOCK_SOURCE_TSC, 1)) {
		unsigned int cpu;
		return __builtin_ia32_rdtscp(&cpu);
	}
#endif
	return clock_begin(c);
}

/* Unordered reading of the counter, for spinning. */
static inline uint64_t clock_now(const struct clock *c)
{
#if defined(__x86_64__)
	if (__builtin_expect(c->source == CLOCK_SOURCE_TSC, 1))
		return __builtin_ia32_rdtsc();
#endif
	return clock_begin(c);
}

static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#else
	__asm__ __volatile__("" ::: "memory");
#endif
}
