/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/wait.h"

#include <errno.h>
#include <stddef.h>

const char *const wait_method_names[] = {"hybrid", "sleep", "spin", NULL};

#define N_PROBES 8
#define PROBE_NS 200000

static void sleep_until_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

void waiter_init(struct waiter *w, const struct clock *c, enum wait_method method, int64_t margin_ns)
{
	*w = (struct waiter){.clock = c, .method = method};
	if (margin_ns == 0 && method == WAIT_HYBRID) {
		for (int i = 0; i < N_PROBES; i++) {
			int64_t target = clock_monotonic_ns() + PROBE_NS;
			sleep_until_ns(target);
			int64_t late = clock_monotonic_ns() - target;
			if (late > margin_ns)
				margin_ns = late;
		}
	}
	w->margin_ticks = (uint64_t)((double)margin_ns / c->ns_per_tick);
}

void wait_until(struct waiter *w, uint64_t deadline)
{
	const struct clock *c = w->clock;
	uint64_t now = clock_now(c);
	if (now >= deadline)
		return;
	if (w->method == WAIT_SLEEP || (w->method == WAIT_HYBRID && deadline - now > w->margin_ticks)) {
		uint64_t target = w->method == WAIT_SLEEP ? deadline : deadline - w->margin_ticks;
		sleep_until_ns(clock_ns_of_ticks(c, target));
		w->n_sleeps++;
		w->n_late += clock_now(c) > deadline;
	}
	while (clock_now(c) < deadline)
		cpu_relax();
}
