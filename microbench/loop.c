/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/loop.h"

#define PART_NS 100000000 /* longest time until a pausing thread notices that it must stop */

void bench_rewind(const struct bench_thread *t, struct bench_sample *s)
{
	uint64_t begin = clock_begin(t->clock);
	off_t got = lseek(t->fd, 0, SEEK_SET);
	uint64_t end = clock_end(t->clock);
	*s = (struct bench_sample){begin, end, got < 0 ? -errno : 0, OP_LSEEK};
}

void bench_fsync(const struct bench_thread *t, struct bench_sample *s)
{
	uint64_t begin = clock_begin(t->clock);
	int got = fsync(t->fd);
	uint64_t end = clock_end(t->clock);
	*s = (struct bench_sample){begin, end, got < 0 ? -errno : 0, OP_FSYNC};
}

static bool is_stopped(const struct bench_thread *t)
{
	return pause_wanted(t->pause->word) & PAUSE_END;
}

static void sleep_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

/* Programs pause by a relative sleep, so the time for bookkeeping is added to the pause. A long
 * pause is divided, so that the run can be stopped; its last part ends when a single sleep would
 * have ended. */
static void pause_by_sleep(const struct bench_thread *t, int64_t ns)
{
	if (ns > PART_NS) {
		int64_t until = clock_monotonic_ns() + ns;
		for (; ns > PART_NS && !is_stopped(t); ns = until - clock_monotonic_ns())
			sleep_ns(PART_NS);
	}
	if (ns > 0 && !is_stopped(t))
		sleep_ns(ns);
}

void bench_pause(struct bench_thread *t, uint64_t k, uint64_t end)
{
	int64_t ns = t->think_ns ? (int64_t)t->think_ns[k] : t->pause_ns;
	if (t->waiter.method == WAIT_NANOSLEEP) {
		pause_by_sleep(t, ns);
		return;
	}
	uint64_t part = (uint64_t)(PART_NS / t->clock->ns_per_tick);
	uint64_t until = end + (uint64_t)((double)ns / t->clock->ns_per_tick);
	for (end += part; end < until && !is_stopped(t); end += part)
		wait_until(&t->waiter, end);
	if (!is_stopped(t))
		wait_until(&t->waiter, until);
}

void bench_warm(const struct bench_thread *t, bench_call *call)
{
	struct bench_thread none = *t;
	struct bench_sample s;
	none.fd = -1;
	call(-1, placement_buffer(t->placement, t->index, 0), t->block_bytes, 0);
	bench_rewind(&none, &s);
	bench_fsync(&none, &s);
}
