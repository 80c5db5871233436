/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of every measurement: the processor's time-stamp counter (TSC), calibrated against
 * CLOCK_MONOTONIC.
 *
 * The measured path only reads and stores raw ticks (clock_begin, clock_end). They are converted to
 * nanoseconds of CLOCK_MONOTONIC afterwards, by a line through two anchors taken before and after
 * the run, so that an error of the first quick calibration does not accumulate. The TSC is used if
 * it is invariant (CPUID) and the kernel's own clock source is the TSC, or is derived from it and
 * agrees with it on every processor. Otherwise, and on machines that are not x86-64, ticks are
 * CLOCK_MONOTONIC nanoseconds.
 *
 * Units: ticks are counter ticks, ns are nanoseconds of CLOCK_MONOTONIC (since boot).
 * Source: calibration and read cost enter the uncertainty budget as Type B components (GUM 4.3.7).
 */
#pragma once

#include "common/std.h"

enum clock_source { CLOCK_SOURCE_TSC, CLOCK_SOURCE_MONOTONIC };

struct clock_anchor {
	uint64_t ticks;
	int64_t ns;
	/* width of the narrowest bracket: the error of the anchor is at most half of it */
	int64_t bracket_ns;
};

struct clock {
	enum clock_source source;
	struct clock_anchor first, last; /* the line's two points */
	double ns_per_tick;		 /* from first to last */
	double resolution_ns;		 /* smallest positive step between successive reads */
	/* median cost of one clock_begin + clock_end pair */
	double read_cost_ns;
};

/* Chooses the source, takes two anchors at least `baseline_ns` apart (for example 5,000,000; it
 * spins) and measures resolution and read cost. Errors: EIO if CLOCK_MONOTONIC goes backwards or
 * stands still. */
int clock_init(struct clock *c, int64_t baseline_ns, struct err *e);

/* Takes a new last anchor, which lengthens the baseline: call it just before a run (better
 * deadlines) and right after it (exact conversion). Errors: EIO if the counter or the monotonic
 * clock went backwards, or their rate changed by more than 200 ppm: the stamps of the run cannot be
 * trusted. */
int clock_reanchor(struct clock *c, struct err *e);

/* As clock_reanchor, with an anchor already taken; after an error `c` keeps its line. For tests,
 * and for anchors of another process. */
int clock_line_extend(struct clock *c, const struct clock_anchor *now, struct err *e);

/* Sleeps until the first anchor is at least `baseline_ns` old, for a better rate at the next
 * clock_reanchor. */
void clock_baseline_wait(const struct clock *c, int64_t baseline_ns);

/* Conversion by the present line with integer arithmetic: to the nearest ns (or tick), monotone, at
 * any distance; clamped to the range of the result. */
int64_t clock_ns_of_ticks(const struct clock *c, uint64_t ticks);
uint64_t clock_ticks_of_ns(const struct clock *c, int64_t ns);

static inline int64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;
	clock_gettime(id, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* CLOCK_MONOTONIC in ns, for everything off the measured path. */
static inline int64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* Since 1970. */
static inline int64_t clock_realtime_ns(void)
{
	return clock_read_ns(CLOCK_REALTIME);
}

/* Stamp just before a timed call; earlier instructions complete before it.
 *
 * The stamp starts a cache line. A system call may evict the code after it to the second-level
 * cache. If that code shares a line with the stamp before the call, it was just fetched; otherwise
 * the fetch (some 6 ns) falls into the timed region. Without the alignment the layout of the loop
 * would decide that; with it, every timed region is laid out alike, in a program and in its
 * replay. */
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

/* Ticks without any ordering, for spinning. */
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
