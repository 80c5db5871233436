/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/wait.h"

#include <sched.h>

#include "common/proc_text.h"
#include "common/wait_group.h"

const char *const wait_method_names[] = {"hybrid", "nanosleep", "spin", NULL};

#define N_PROBES 16
#define PROBE_NS 100000
#define LEAST_MARGIN_NS 5000	/* falling asleep and waking up costs about this much */
/* A larger overshoot means that other threads compute; a spinning thread would then be delayed even
 * more. */
#define MOST_MARGIN_NS 1000000
#define MOST_FIRST_NS 500000	/* limit of the first margin, unless the base margin is larger */
/* the end of a spin has no pause instruction: it takes 30 to 50 ns, which would delay the begin */
#define LAST_NS 1000
#define WIDEN_SHIFT 3		/* a late sleep widens the margin by an eighth */
/* a timely sleep narrows by 1/8192; in balance, one sleep in 1000 is late */
#define NARROW_SHIFT 13
/* widens by 1/32, narrows by 1/16; in balance, two sleeps in 3 are late */
#define WIDEN_SHIFT_THRIFTY 5
#define NARROW_SHIFT_THRIFTY 4
/* after a wait that spun only because the margin was wide: narrows by 1/512 of the excess */
#define RETURN_SHIFT 9
#define SENSE_NS 10000000
#define YIELD_NS 50000 /* time between two yields after a submission, at first */
/* run-queue delay as a share of time: above the first, CPUs are contended; below the second, they
 * are not */
#define CONTENDED_SHARE 0.02
#define CALM_SHARE 0.01
/* Allowed delay each time that the thread gets a CPU. Without contention it is 2 to 5 us (virtual
 * machine), because a CPU wakes up or first runs a driver's thread to which this thread yielded. */
#define WAKE_NS 10000
/* Consecutive checks (one per SENSE_NS) without contention that end it. The number is doubled with
 * each new contention, because a thread that sleeps may not notice that others compete. */
#define CALM_FIRST 4u
#define CALM_MOST 128u

static void sleep_until_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* Measures the two largest overshoots of N_PROBES sleeps. */
static void sleep_probe(int64_t *largest_ns, int64_t *second_ns)
{
	*largest_ns = 0;
	*second_ns = 0;
	for (int i = 0; i < N_PROBES; i++) {
		int64_t target = clock_monotonic_ns() + PROBE_NS;
		sleep_until_ns(target);
		int64_t late = clock_monotonic_ns() - target;
		if (late > *largest_ns) {
			*second_ns = *largest_ns;
			*largest_ns = late;
		} else if (late > *second_ns) {
			*second_ns = late;
		}
	}
}

static uint64_t ticks_clamp(uint64_t v, uint64_t least, uint64_t most)
{
	return v < least ? least : v > most ? most : v;
}

void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method,
		 int64_t margin_ns)
{
	*w = (struct waiter){.clock = c, .method = method, .widen_shift = WIDEN_SHIFT,
			     .narrow_shift = NARROW_SHIFT};
	w->least_ticks = (uint64_t)(LEAST_MARGIN_NS / c->ns_per_tick);
	w->most_ticks = (uint64_t)(MOST_MARGIN_NS / c->ns_per_tick);
	w->last_ticks = (uint64_t)(LAST_NS / c->ns_per_tick);
	w->sense_ticks = (uint64_t)(SENSE_NS / c->ns_per_tick);
	w->cpu_delay_ticks = (uint64_t)(WAIT_CPU_DELAY_NS / c->ns_per_tick);
	int64_t first_ns = margin_ns;
	if (margin_ns <= 0 && method == WAIT_HYBRID) {
		/* Too wide a margin costs spinning; too narrow a margin makes requests late. So the
		 * margin begins wide. But the largest overshoot may be an outlier, so the margin
		 * may later shrink to twice the second largest, even if no gap is long enough to
		 * sleep. */
		int64_t largest_ns, second_ns;
		sleep_probe(&largest_ns, &second_ns);
		margin_ns = 2 * second_ns;
		first_ns = 2 * largest_ns < MOST_FIRST_NS ? 2 * largest_ns : MOST_FIRST_NS;
	}
	w->base_ticks = ticks_clamp((uint64_t)((double)margin_ns / c->ns_per_tick), w->least_ticks,
				    w->most_ticks);
	w->margin_ticks = ticks_clamp((uint64_t)((double)first_ns / c->ns_per_tick), w->base_ticks,
				      w->most_ticks);
}

void waiter_spare(struct waiter *w)
{
	w->widen_shift = WIDEN_SHIFT_THRIFTY;
	w->narrow_shift = NARROW_SHIFT_THRIFTY;
	/* 0.4 times the second largest overshoot of the probe, instead of 2 times */
	w->base_ticks = ticks_clamp(w->base_ticks / 5, w->least_ticks, w->most_ticks);
	w->margin_ticks = w->base_ticks;
}

void waiter_learn(struct waiter *w, uint64_t overshoot_ticks)
{
	uint64_t margin = w->margin_ticks;
	w->n_sleeps++;
	if (w->contended) { /* then the timer does not cause the delay */
		w->n_late += overshoot_ticks > w->least_ticks;
		return;
	}
	if (overshoot_ticks > margin) {
		w->n_late++;
		margin += margin >> w->widen_shift;
	} else {
		/* narrows by at least one tick */
		margin -= (margin + (UINT64_C(1) << w->narrow_shift) - 1) >> w->narrow_shift;
	}
	w->margin_ticks = ticks_clamp(margin, w->least_ticks, w->most_ticks);
}

void waiter_narrow(struct waiter *w, uint64_t gap_ticks)
{
	/* otherwise, a margin longer than all gaps would never shrink */
	if (gap_ticks <= w->margin_ticks && gap_ticks > w->base_ticks)
		w->margin_ticks -= (w->margin_ticks - w->base_ticks) >> RETURN_SHIFT;
}

struct run_queue_facts thread_run_queue(void)
{
	char text[128];
	long long wait_ns, n_runs;
	/* fields: time on the CPU (ns), run-queue delay (ns), number of time slices */
	if (!proc_text_read("/proc/thread-self/schedstat", text, sizeof text) ||
	    sscanf(text, "%*u %lld %lld", &wait_ns, &n_runs) != 2)
		return (struct run_queue_facts){.wait_ns = -1};
	return (struct run_queue_facts){wait_ns, n_runs};
}

void waiter_sensed(struct waiter *w, uint64_t now, struct run_queue_facts facts)
{
	const double elapsed_ns = (double)(now - w->sensed_ticks) * w->clock->ns_per_tick;
	const int64_t delay_ns = facts.wait_ns - w->sensed.wait_ns -
				 WAKE_NS * (facts.n_runs - w->sensed.n_runs);
	const double share =
	    w->sensed_ticks && facts.wait_ns >= 0 ? (double)delay_ns / elapsed_ns : 0;
	w->sensed_ticks = now;
	w->sensed = facts;
	w->n_calm = share < CALM_SHARE ? w->n_calm + 1 : 0;
	if (share > CONTENDED_SHARE && !w->contended) {
		w->contended = w->was_contended = true;
		w->n_calm_needed = w->n_calm_needed ? 2 * w->n_calm_needed : CALM_FIRST;
		w->n_calm_needed = w->n_calm_needed < CALM_MOST ? w->n_calm_needed : CALM_MOST;
	} else if (w->contended && w->n_calm >= w->n_calm_needed) {
		w->contended = false;
		w->n_calm = 0;
	} else if (!w->contended && w->n_calm >= 2 * CALM_MOST) {
		w->n_calm_needed = 0;
	}
	if (w->contended && share > 0)
		w->delayed_ns += delay_ns;
}

void waiter_sense(struct waiter *w, uint64_t now)
{
	if (w->method == WAIT_HYBRID && now - w->sensed_ticks > w->sense_ticks)
		waiter_sensed(w, now, thread_run_queue());
}

void waiter_submitted(struct waiter *w, uint64_t now)
{
	w->yield_at = now;
	w->yield_ticks = (uint64_t)(YIELD_NS / w->clock->ns_per_tick);
}

void waiter_yield(struct waiter *w, uint64_t now)
{
	if (w->contended || now < w->yield_at) {
		cpu_relax();
		return;
	}
	sched_yield();
	w->n_yields++;
	w->yield_at = now + w->yield_ticks;
	w->yield_ticks *= 2;
}

static uint64_t sleep_until_ticks(const struct clock *c, uint64_t target)
{
	sleep_until_ns(clock_ns_of_ticks(c, target));
	return clock_now(c);
}

/* True: the caller spins the rest, or the wait ended with a spin. False: the deadline passed during
 * a sleep. */
static bool wait_hybrid(struct waiter *w, uint64_t deadline, uint64_t now)
{
	waiter_sense(w, now);
	if (!w->contended)
		waiter_narrow(w, deadline - now);
	if (w->group)
		return wait_group_until(w, deadline, now);
	while (now < deadline && deadline - now > waiter_margin(w)) {
		uint64_t target = deadline - waiter_margin(w);
		target -= (target - now) >> WAIT_DRIFT_SHIFT;
		now = sleep_until_ticks(w->clock, target);
		waiter_learn(w, now > target ? now - target : 0);
	}
	return now < deadline;
}

uint64_t wait_until(struct waiter *w, uint64_t deadline)
{
	const struct clock *c = w->clock;
	uint64_t now = clock_now(c);
	bool spins = true;
	if (now >= deadline)
		return 0;
	if (w->method == WAIT_HYBRID) {
		spins = wait_hybrid(w, deadline, now);
	} else if (w->method == WAIT_NANOSLEEP) {
		now = sleep_until_ticks(c, deadline);
		w->n_sleeps++;
		w->n_late += now > deadline;
		spins = now < deadline;
	}
	uint64_t last = deadline > w->last_ticks ? deadline - w->last_ticks : 0;
	while (clock_now(c) < last)
		cpu_relax();
	while ((now = clock_now(c)) < deadline)
		;
	return spins && now - deadline > w->cpu_delay_ticks ? now - deadline : 0;
}
