/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least work that issues a request at its time: a thread reads the clock until the time has
 * come, then makes the call. Every delay that such a thread observes is caused by the machine. If
 * an interval between two successive readings of the clock is 2 us or more, the hypervisor, an
 * interrupt or another process had the CPU.
 *
 * A request is *held up by the machine* in three cases: such an interval includes its time; its
 * thread was in a call then that took 2 us longer than half of the calls do; or it had to queue
 * behind a request that was held up. The clock readings of a replay are not known. But its trace
 * shows the same: there is no other reason for which a thread that only spins is late by 2 us or
 * more. */
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/xalloc.h"

#define TAKEN_NS 2000
#define BARE_LEAD_NS 20000000

struct issued { /* of one thread, in its order; ns */
	int64_t due, begin, end;
};

static int compare_i64(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Sets hit[n]: whether the machine held up each request. `spins`: the thread waits only by
 * spinning; otherwise, it may be late because it slept too long. */
static void issued_hit(const struct issued *r, size_t n, bool spins, bool *hit)
{
	int64_t *took = xcalloc(n + 1, sizeof *took);
	for (size_t i = 0; i < n; i++)
		took[i] = r[i].end - r[i].begin;
	qsort(took, n, sizeof *took, compare_i64);
	const int64_t usual = n ? took[n / 2] : 0;
	free(took);
	for (size_t i = 0; i < n; i++) {
		const bool queued = i && r[i - 1].end > r[i].due;
		hit[i] = queued ? hit[i - 1] || r[i - 1].end - r[i - 1].begin > usual + TAKEN_NS
				: spins && r[i].begin - r[i].due > TAKEN_NS;
	}
}

struct bare { /* a run */
	const struct clock *clock;
	const char *path;
	uint32_t n_threads, block_bytes, n_blocks, n; /* requests of a thread */
	int64_t gap_ns; /* of a thread; the threads alternate */
	uint64_t start;
};

struct bare_thread {
	const struct bare *run;
	pthread_t id;
	uint32_t index;
	struct issued *issued; /* issued[run->n] */
	int64_t spun_ns, taken_ns, longest_ns;
	uint64_t n_taken;
	uint64_t n_untold; /* late by 2 us or more without an interval that explains it */
};

/* Returns the longest interval between two readings. */
static uint64_t bare_wait(struct bare_thread *t, uint64_t until, uint64_t least)
{
	const struct clock *c = t->run->clock;
	uint64_t now = clock_now(c), from = now, longest = 0;
	while (now < until) {
		const uint64_t next = clock_now(c), between = next - now;
		if (__builtin_expect(between > least, 0)) {
			t->n_taken++;
			t->taken_ns += (int64_t)((double)between * c->ns_per_tick);
			longest = between > longest ? between : longest;
		}
		now = next;
	}
	t->spun_ns += (int64_t)((double)(now - from) * c->ns_per_tick);
	return longest;
}

static void *bare_main(void *arg)
{
	struct bare_thread *t = arg;
	const struct bare *b = t->run;
	const struct clock *c = b->clock;
	const uint64_t least = (uint64_t)(TAKEN_NS / c->ns_per_tick);
	char *buffer = aligned_alloc(4096, (b->block_bytes + 4095u) / 4096u * 4096u);
	const int fd = open(b->path, O_RDONLY | O_CLOEXEC);
	ssize_t got = 0;
	for (uint32_t k = 0; k < b->n_blocks && fd >= 0 && buffer; k++)
		got += pread(fd, buffer, b->block_bytes, (off_t)k * b->block_bytes);
	for (uint32_t k = 0; k < b->n && fd >= 0 && buffer; k++) {
		const int64_t at = k * b->gap_ns + t->index * b->gap_ns / b->n_threads;
		const uint64_t due = b->start + (uint64_t)((double)at / c->ns_per_tick),
			       i = (uint64_t)k * b->n_threads + t->index;
		const uint64_t longest = bare_wait(t, due, least);
		const uint64_t begin = clock_begin(c);
		got += pread(fd, buffer, b->block_bytes,
			     (off_t)(i * 97 % b->n_blocks * b->block_bytes));
		const uint64_t end = clock_end(c);
		const bool queued = k && t->issued[k - 1].end > at;
		t->issued[k] =
		    (struct issued){at, (int64_t)((double)(begin - b->start) * c->ns_per_tick),
				    (int64_t)((double)(end - b->start) * c->ns_per_tick)};
		t->longest_ns = (int64_t)((double)longest * c->ns_per_tick) > t->longest_ns
				    ? (int64_t)((double)longest * c->ns_per_tick)
				    : t->longest_ns;
		t->n_untold += !queued && t->issued[k].begin - at > TAKEN_NS && !longest;
	}
	if (fd < 0 || !buffer || got < 0)
		t->n_taken = UINT64_MAX;
	if (fd >= 0)
		close(fd);
	free(buffer);
	return NULL;
}

/* Makes thread[b->n_threads] and runs them. False: that is not possible. Ownership: the caller
 * frees thread[].issued. */
static bool bare_run(struct bare *b, struct bare_thread *thread)
{
	b->start = clock_now(b->clock) + (uint64_t)(BARE_LEAD_NS / b->clock->ns_per_tick);
	bool good = true;
	uint32_t n_started = 0;
	for (uint32_t i = 0; i < b->n_threads; i++) {
		thread[i] = (struct bare_thread){.run = b, .index = i, .issued = xcalloc(b->n + 1, sizeof(struct issued))};
		for (uint32_t k = 0; k < b->n; k++)
			thread[i].issued[k].due = 1; /* present before the start */
	}
	for (uint32_t i = 0; i < b->n_threads && good; i++, n_started += good)
		good = pthread_create(&thread[i].id, NULL, bare_main, &thread[i]) == 0;
	for (uint32_t i = 0; i < n_started; i++) {
		pthread_join(thread[i].id, NULL);
		good &= thread[i].n_taken != UINT64_MAX;
	}
	return good;
}
