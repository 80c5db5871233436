/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting for an instant: sleep until shortly before it, then spin on the TSC.
 *
 * clock_nanosleep overshoots (50 to 300 us on small virtual machines), so `hybrid` sleeps until the
 * deadline minus a margin and spins the rest. The margin starts from a measured overshoot and
 * adapts to the sleeps of the run, so that about one sleep in 1000 ends after its deadline: each
 * late sleep widens the margin by an eighth, independent of how late it was; each timely sleep
 * narrows it a little. So a single outlier of some ms has almost no effect. If the machine becomes
 * slow, the margin adapts within about ten waits. A wait shorter than the margin only spins.
 * `nanosleep` and `spin` are for comparison, and because programs pause by sleeping.
 *
 * If other threads want the CPUs, spinning makes a thread late: it uses up its share of the CPU and
 * then waits in the run queue for milliseconds. A thread that sleeps instead gets a CPU soon after
 * it wakes. So `hybrid` looks at its run-queue delay every 10 ms. It subtracts 10 us for each time
 * that the thread got a CPU, because each wake-up takes some us on an idle machine, too. While the
 * rest is more than 2 % of the time, the CPUs are contended and the margin is at its minimum. */
#pragma once

#include <sys/prctl.h>

#include "common/clock.h"

enum wait_method { WAIT_HYBRID, WAIT_NANOSLEEP, WAIT_SPIN };
/* "hybrid", "nanosleep", "spin", NULL: for OPT_CHOICE */
extern const char *const wait_method_names[];

/* a long wait first sleeps until 1/4096 before the deadline, then waits again: the two clocks may
 * diverge over hours */
#define WAIT_DRIFT_SHIFT 12

struct wait_group; /* wait_group.h */

struct run_queue_facts { /* totals of a thread */
	int64_t wait_ns; /* run-queue delay: runnable, but not running; -1: unknown */
	int64_t n_runs;	 /* number of times that it got a CPU */
};

struct waiter { /* each thread has its own */
	const struct clock *clock; /* borrowed */
	enum wait_method method;
	uint64_t margin_ticks; /* a sleep ends this long before the deadline */
	uint64_t n_sleeps, n_late; /* sleeps; n_late: sleeps that ended after the deadline */
	uint64_t base_ticks;	   /* waiter_narrow narrows the margin down to this */
	uint64_t least_ticks, most_ticks; /* bounds of the margin */
	/* a late sleep widens the margin by a factor of 2^-widen_shift, and a timely sleep narrows
	 * it by a factor of 2^-narrow_shift */
	uint32_t widen_shift, narrow_shift;
	uint64_t last_ticks; /* within this time before the deadline, the spin does not pause */
	uint64_t cpu_delay_ticks;  /* a spin that overshoots by more than this is CPU-delayed */
	/* productive pre-spin, for `hybrid`; NULL: the thread waits alone */
	struct wait_group *group;
	uint32_t seat;		   /* seat in the group */
	/* waiter_sense: whether other threads compete for the CPU, now and at the last check;
	 * period of the checks; time and facts of the last check; consecutive checks without
	 * contention, and how many of them end it */
	bool contended, was_contended;
	uint64_t sense_ticks, sensed_ticks;
	struct run_queue_facts sensed;
	int64_t delayed_ns; /* sum of the run-queue delays while the CPUs were contended */
	uint32_t n_calm, n_calm_needed;
	/* waiter_yield: time of the next yield; distance to the yield after it */
	uint64_t yield_at, yield_ticks, n_yields;
	/* threads that this thread woke during its spins; sleeps of this thread that another thread
	 * ended */
	uint64_t n_relays, n_woken;
};

/* `margin_ns` 0: measures the overshoot of some sleeps, which takes some ms, and derives the
 * margin. */
void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method,
		 int64_t margin_ns);

/* Makes a waiter spin less; call it just after waiter_init. The margin begins at 1/5 (0.4 times the
 * second largest overshoot, if it was measured), and about two sleeps in 3 end after their
 * deadline, most of them by a few us. For threads that would otherwise spend most of their CPU time
 * spinning. */
void waiter_spare(struct waiter *w);

/* Sets the timer slack of the calling thread to its minimum (the default adds 50 us to every
 * sleep). For `hybrid`, call it in the thread that will wait, before waiter_init. Do not call it
 * for `nanosleep`, which represents a program with the default slack. */
static inline void waiter_thread_setup(void)
{
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

#define WAIT_CPU_DELAY_NS 5000 /* the time of some hundred turns of a spin */

/* Returns as soon as the clock shows `deadline` (ticks) or later. Returns 0, or the delay in ticks
 * if a spin is CPU-delayed. A spin is CPU-delayed if one reading of the clock is before the
 * deadline and the next more than WAIT_CPU_DELAY_NS after it, because the hypervisor, an interrupt
 * or another thread used the CPU. A sleep that took too long does not count as CPU-delayed. */
uint64_t wait_until(struct waiter *w, uint64_t deadline);

struct run_queue_facts thread_run_queue(void); /* of the calling thread */
static inline int64_t thread_runqueue_wait_ns(void)
{
	return thread_run_queue().wait_ns;
}
/* Updates `contended`. Reads the run-queue delay of the calling thread every 10 ms (3 system
 * calls); otherwise only compares times. wait_until calls it. A caller that waits by other means
 * calls it for each wait. */
void waiter_sense(struct waiter *w, uint64_t now);
/* As waiter_sense, but the caller gives the facts. Public for tests. */
void waiter_sensed(struct waiter *w, uint64_t now, struct run_queue_facts facts);
/* For a thread that spins with requests in flight at a device. A thread of the device's driver may
 * need this CPU, because the submission woke it here. So the thread yields once after the
 * submission, again after 50 us, and then at doubled distances. It does not yield while other
 * threads compete for the CPU, because a yield would cost a whole time slice (milliseconds). */
void waiter_submitted(struct waiter *w, uint64_t now);
void waiter_yield(struct waiter *w, uint64_t now);

/* Ticks before an instant at which a sleep must end. */
static inline uint64_t waiter_margin(const struct waiter *w)
{
	return w->contended ? w->least_ticks : w->margin_ticks;
}

/* Adapts the margin after a sleep that overshot by `overshoot_ticks`. Public for tests. */
void waiter_learn(struct waiter *w, uint64_t overshoot_ticks);
/* Narrows the margin after a wait of `gap_ticks`, if that was shorter than the margin. */
void waiter_narrow(struct waiter *w, uint64_t gap_ticks);
