/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/loop.h"

#include <time.h>
#include <unistd.h>

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

/* Programs pause by asking for so much sleep, not for an instant: what bookkeeping took comes on top. */
static void sleep_ns(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

void bench_pause(struct bench_thread *t, uint64_t k, uint64_t end)
{
	int64_t ns = t->think_ns ? (int64_t)t->think_ns[k] : t->pause_ns;
	if (t->waiter.method == WAIT_SLEEP)
		sleep_ns(ns);
	else
		wait_until(&t->waiter, end + (uint64_t)((double)ns / t->clock->ns_per_tick));
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
