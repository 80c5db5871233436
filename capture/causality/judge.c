/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/judge.h"

#include "common/std.h"

enum {
	POLL_QUIET = 5, /* for polling threads: multiple of the quiet time of sleeping threads */
	POLL_QUIET_BLIND = 10, /* the same if failed polls are not visible */
	START_QUIET = 20,
	POLL_IDLE_LEAST = 5,
	LOOKS_LEAST = 2, /* the first attempt may have begun before a thread was held */
	SPIN_IDLE_LEAST = 1000, /* a thread that yields this often does not compute */
	POLL_CPU_LEAST_NS = 1000000,
};

/* A thread without a CPU does not wait for the held thread. Blocked time and sleep include the time
 * from the event that ends the call until the thread gets a CPU. This time does not count. */
static bool is_over(const struct judge_sight *now, const struct judge_limits *limits)
{
	const int64_t cpu_ns = judge_less(now->compute_ns, now->slept_ns);
	int64_t delay_ns = now->run_delay_ns;
	/* it may have been woken and wait for a CPU: the kernel adds this delay later */
	if (now->os_state == 'R' && (now->state == CAUSE_SLEEPING || now->state == CAUSE_WAITING))
		delay_ns += now->state_ns - now->state_cpu_ns;
	/* many short calls, or one call that uses the CPU */
	return cpu_ns + judge_less(now->slept_ns, delay_ns) > limits->compute ||
	       (now->blocked_ns > 0 &&
		cpu_ns + judge_less(now->slept_ns + now->blocked_ns, delay_ns) > limits->phase);
}

enum judge_verdict judge_thread(const struct judge_sight *now, const struct judge_limits *limits)
{
	if (!now->os_state || now->os_state == 'Z' || now->os_state == 'X')
		return JUDGE_GONE;
	switch (now->state) {
	case CAUSE_WAITING:
		if (now->os_state == 'S')
			return JUDGE_ASLEEP;
		break;
	case CAUSE_POLLING:
		return now->os_state == 'D' ? JUDGE_ACTIVE : JUDGE_POLLS;
	case CAUSE_LOOKING:
		return JUDGE_LOOKS;
	case CAUSE_STARTING:
		return JUDGE_STARTS;
	case CAUSE_COMPUTING:
		if (now->n_idle_held >= SPIN_IDLE_LEAST)
			return JUDGE_TOO_LONG;
		/* S: in an unknown call. (D: waits for a page of a mapped file, and is not
		 * affected.) */
		if (now->os_state == 'S' &&
		    judge_less(now->off_cpu_ns, now->run_delay_ns) > limits->asleep)
			return JUDGE_TOO_LONG;
		break;
	case CAUSE_SLEEPING:
		break;
	case CAUSE_REQUEST:
	case CAUSE_HELD:
	case CAUSE_STATES:
		return JUDGE_ACTIVE;
	}
	return is_over(now, limits) ? JUDGE_TOO_LONG : JUDGE_ACTIVE;
}

static void at_least(int64_t *to, int64_t ns)
{
	if (*to < ns)
		*to = ns;
}

static enum judge_change polls_since(const struct judge_sight *before,
	const struct judge_sight *now, int64_t quiet_ns, int64_t blocked_max_ns, int64_t *needed_ns)
{
	/* the thread sleeps instead of polling */
	if (now->os_state == 'S' && now->n_slices == before->n_slices) {
		at_least(needed_ns, quiet_ns);
		return JUDGE_UNCHANGED;
	}
	at_least(needed_ns, POLL_QUIET * quiet_ns);
	if (now->n_idle - before->n_idle >= POLL_IDLE_LEAST)
		return JUDGE_UNCHANGED;
	at_least(needed_ns, blocked_max_ns < POLL_QUIET_BLIND * quiet_ns
				? blocked_max_ns
				: POLL_QUIET_BLIND * quiet_ns);
	return now->cpu_ns - before->cpu_ns >= POLL_CPU_LEAST_NS ? JUDGE_UNCHANGED : JUDGE_NOT_YET;
}

enum judge_change judge_since(enum judge_verdict verdict, const struct judge_sight *before,
	const struct judge_sight *now, int64_t quiet_ns, int64_t blocked_max_ns, int64_t *needed_ns)
{
	switch (verdict) {
	case JUDGE_GONE:
	case JUDGE_TOO_LONG:
		return JUDGE_UNCHANGED;
	case JUDGE_STARTS:
		at_least(needed_ns, START_QUIET * quiet_ns);
		return now->changes == before->changes ? JUDGE_UNCHANGED : JUDGE_CHANGED;
	case JUDGE_ASLEEP:
		at_least(needed_ns, quiet_ns);
		return now->changes == before->changes && now->n_slices == before->n_slices
			   ? JUDGE_UNCHANGED
			   : JUDGE_CHANGED;
	case JUDGE_LOOKS:
		if (now->changes != before->changes)
			return JUDGE_CHANGED;
		at_least(needed_ns, quiet_ns);
		return now->n_idle - before->n_idle >= LOOKS_LEAST ? JUDGE_UNCHANGED
								   : JUDGE_NOT_YET;
	case JUDGE_POLLS:
		if (now->changes != before->changes)
			return JUDGE_CHANGED;
		return polls_since(before, now, quiet_ns, blocked_max_ns, needed_ns);
	case JUDGE_ACTIVE:
	case JUDGE_VERDICTS:
		break;
	}
	return JUDGE_CHANGED;
}
