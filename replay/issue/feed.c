/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/feed.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "common/processors.h"
#include "common/units.h"
#include "common/unnamed_file.h"

/* number of chunks of a lane: one in use, one being written back, the others read ahead */
#define AHEAD_MOST 16u
#define AHEAD_LEAST 2u
/* largest number of requests in a chunk: a larger chunk only makes each read longer */
#define CHUNK_MOST 4096u
#define CHUNK_USEFUL 64u /* below this size of chunks, the number of chunks is reduced first */
#define CHUNK_LEAST 4u
#define LINE 128u
#define PAGE UINT64_C(4096)

struct chunk {
	struct hot_request *request; /* requests [from, to); the same range in the other arrays */
	/* wait: either wait_room, or the mapped file if a single request has more waits */
	struct hot_wait *wait, *wait_room;
	int64_t *due, *expected; /* NULL: none */
	struct outcome *outcome;
	_Atomic uint32_t from, to;
};

struct feed_lane {
	_Alignas(128) _Atomic uint32_t n_ready; /* chunks that were read; a futex */
	_Atomic bool waiting;			/* the worker waits for n_ready */
	_Alignas(128) _Atomic uint32_t n_done;	/* chunks that the worker returned */
	_Atomic uint32_t n_ended;		/* requests in them */
	uint64_t n_late;			/* waits of the worker */
	/* number of chunks whose outcomes are in the file. This and the following members are
	 * written by the feeder */
	_Alignas(128) uint32_t n_written;
	uint32_t next;				/* next request to read */
	uint64_t next_wait;
	struct chunk *chunk; /* chunk[n_ahead] */
};

struct feed {
	struct replay_plan *plan;
	struct feed_lane *lane; /* lane[n_lanes] */
	struct chunk *chunk;	/* of all lanes */
	uint32_t n_lanes, n_ahead, chunk_requests, chunk_waits;
	struct vm_region ring;
	double ticks_per_ns; /* 0: due times are still nanoseconds */
	_Alignas(128) _Atomic uint32_t work; /* a futex: changes when a worker returns a chunk */
	_Atomic bool asleep, stopping, failed;
	struct err err;
	int error;
	bool running;
	bool crowded; /* no CPU is free for the feeder: only a waiting worker wakes it */
	pthread_t id;
};

static void futex_call(_Atomic uint32_t *word, int command, uint32_t value)
{
	syscall(SYS_futex, word, command | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* --- reading and writing ------------------------------------------------- */

/* Returns the offset in the file of an element of a part. */
static uint64_t place_of(const struct feed *f, enum plan_part part, const void *at)
{
	return f->plan->file.at[part] +
	       (uint64_t)((const char *)at - (const char *)f->plan->memory[part].base);
}

/* Drops the pages that end within [at, at + n_bytes) from the page cache: they are not read
 * again. */
static void pages_forget(const struct feed *f, uint64_t at, uint64_t n_bytes)
{
	const uint64_t from = at / PAGE * PAGE, to = (at + n_bytes) / PAGE * PAGE;
	if (to > from && !f->plan->file.in_memory)
		(void)posix_fadvise(f->plan->file.fd, (off_t)from, (off_t)(to - from),
				    POSIX_FADV_DONTNEED);
}

static int part_read(struct feed *f, enum plan_part part, void *to, const void *from,
		     uint64_t n_bytes)
{
	const uint64_t at = place_of(f, part, from);
	int ret = file_read_at(f->plan->file.fd, to, n_bytes, at, &f->err);
	if (!f->plan->file.in_memory) /* read the same amount ahead for the next chunk */
		(void)posix_fadvise(f->plan->file.fd, (off_t)(at + n_bytes), (off_t)n_bytes,
				    POSIX_FADV_WILLNEED);
	pages_forget(f, at, n_bytes);
	return ret;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Returns how many of the n requests have waits that fit into the chunk, at least one. *n_waits is
 * their number of waits. */
static uint32_t chunk_fit(const struct feed *f, const struct chunk *c, uint32_t n,
			  uint32_t *n_waits)
{
	*n_waits = c->request[0].n_waits;
	for (uint32_t i = 1; i < n; i++) {
		if (*n_waits + c->request[i].n_waits > f->chunk_waits)
			return i;
		*n_waits += c->request[i].n_waits;
	}
	return n;
}

static int waits_read(struct feed *f, struct chunk *c, struct hot_wait *from, uint32_t n)
{
	c->wait = n <= f->chunk_waits ? c->wait_room : from;
	if (c->wait == c->wait_room)
		return n ? part_read(f, PLAN_WAITS, c->wait, from, n * sizeof *c->wait) : 0;
	volatile uint32_t seen = 0; /* causes the page faults here instead of in the worker */
	for (uint32_t i = 0; i < n; i++)
		seen = seen + from[i].lane;
	return 0;
}

static void due_to_ticks(const struct feed *f, struct chunk *c, uint32_t n)
{
	for (uint32_t i = 0; c->due && i < n; i++)
		c->due[i] = plan_ticks((double)c->due[i], f->ticks_per_ns);
}

static int chunk_read(struct feed *f, uint32_t lane)
{
	struct feed_lane *s = &f->lane[lane];
	const struct lane *a = &f->plan->lane[lane];
	struct chunk *c = &s->chunk[s->n_ready % f->n_ahead];
	const uint32_t k = s->next;
	uint32_t n = least_of(f->chunk_requests, a->n - k), n_waits;
	int ret = part_read(f, PLAN_REQUESTS, c->request, &a->request[k], n * sizeof *c->request);
	n = ret ? 0 : chunk_fit(f, c, n, &n_waits);
	ret = ret ? ret : waits_read(f, c, &a->wait[s->next_wait], n_waits);
	if (!ret && c->due)
		ret = part_read(f, PLAN_DUE, c->due, &a->due[k], n * sizeof *c->due);
	if (!ret && c->expected)
		ret = part_read(f, PLAN_EXPECTED, c->expected, &a->expected[k],
				n * sizeof *c->expected);
	if (ret)
		return ret;
	if (f->ticks_per_ns > 0)
		due_to_ticks(f, c, n);
	memset(c->outcome, 0, n * sizeof *c->outcome);
	atomic_store_explicit(&c->from, k, memory_order_relaxed);
	atomic_store_explicit(&c->to, k + n, memory_order_relaxed);
	s->next = k + n;
	s->next_wait += n_waits;
	f->plan->fed.n_chunks++;
	return 0;
}

static int chunk_write(struct feed *f, uint32_t lane)
{
	struct feed_lane *s = &f->lane[lane];
	const struct chunk *c = &s->chunk[s->n_written % f->n_ahead];
	const uint32_t from = c->from, n = c->to - from;
	const uint64_t at = place_of(f, PLAN_OUTCOMES, &f->plan->lane[lane].outcome[from]),
		       n_bytes = n * sizeof *c->outcome;
	int ret = file_write_at(f->plan->file.fd, c->outcome, n_bytes, at, &f->err);
	if (ret || f->plan->file.in_memory)
		return ret;
	/* start write-back of this chunk; earlier chunks are probably written by now */
	(void)sync_file_range(f->plan->file.fd, (off_t)at, (off_t)n_bytes, SYNC_FILE_RANGE_WRITE);
	const uint64_t before = at - place_of(f, PLAN_OUTCOMES, f->plan->lane[lane].outcome);
	pages_forget(f, at - (before < 2 * n_bytes ? before : 2 * n_bytes),
		     before < n_bytes ? 0 : n_bytes);
	return 0;
}

/* --- the feeder ---------------------------------------------------------- */

static void lane_wake(struct feed_lane *s)
{
	if (atomic_load(&s->waiting))
		futex_call(&s->n_ready, FUTEX_WAKE, INT_MAX);
}

/* Writes one chunk back and reads one ahead. Returns true if there was work, or a negative
 * errno. */
static int lane_serve(struct feed *f, uint32_t lane)
{
	struct feed_lane *s = &f->lane[lane];
	bool worked = false;
	int ret = 0;
	if (s->n_written < atomic_load(&s->n_done)) {
		ret = chunk_write(f, lane);
		s->n_written += !ret;
		worked = true;
	}
	if (!ret && s->next < f->plan->lane[lane].n && s->n_ready - s->n_written < f->n_ahead) {
		ret = chunk_read(f, lane);
		s->n_ready += !ret;
		worked = true;
	}
	if (!f->crowded)
		lane_wake(s);
	return ret ? ret : worked;
}

/* Does all outstanding work for a lane, and then wakes the worker, which waits for it. */
static int lane_serve_all(struct feed *f, uint32_t lane)
{
	int ret, worked = 0;
	while ((ret = lane_serve(f, lane)) > 0)
		worked = 1;
	lane_wake(&f->lane[lane]);
	return ret ? ret : worked;
}

static int serve_all(struct feed *f)
{
	int worked = 1;
	while (worked > 0) {
		worked = 0;
		for (uint32_t i = 0; i < f->n_lanes; i++) {
			const int ret = (f->crowded ? lane_serve_all : lane_serve)(f, i);
			if (ret < 0)
				return ret;
			worked |= ret;
		}
	}
	return 0;
}

static void *feeder_main(void *arg)
{
	struct feed *f = arg;
	const struct sched_param none = {.sched_priority = 0};
	(void)sched_setscheduler(0, SCHED_BATCH, &none);
	for (;;) {
		const uint32_t seen = atomic_load(&f->work);
		const bool last = atomic_load(&f->stopping);
		const int ret = serve_all(f);
		if (ret) {
			f->error = ret;
			atomic_store(&f->failed, true);
			for (uint32_t i = 0; i < f->n_lanes; i++) {
				atomic_fetch_add(&f->lane[i].n_ready, 1);
				lane_wake(&f->lane[i]);
			}
		}
		if (ret || last)
			return NULL;
		atomic_store(&f->asleep, true);
		if (atomic_load(&f->work) == seen)
			futex_call(&f->work, FUTEX_WAIT, seen);
		atomic_store(&f->asleep, false);
	}
}

static void feeder_wake(struct feed *f)
{
	atomic_fetch_add(&f->work, 1);
	if (atomic_load(&f->asleep))
		futex_call(&f->work, FUTEX_WAKE, 1);
}

/* --- the worker ---------------------------------------------------------- */

void feed_leave(struct feed *f, uint32_t lane, uint32_t k)
{
	atomic_store_explicit(&f->lane[lane].n_ended, k, memory_order_relaxed);
	atomic_fetch_add(&f->lane[lane].n_done, 1);
	if (!f->crowded)
		feeder_wake(f);
}

/* Returns an address whose element [k] is the first element of the chunk, so that loops keep their
 * index. */
static void *from_request(void *first, uint32_t k, size_t size)
{
	return first ? (void *)((uintptr_t)first - (uintptr_t)k * size) : NULL;
}

uint32_t feed_next(struct feed *f, uint32_t lane, struct lane *a, const struct hot_wait **wait,
		   uint32_t k)
{
	struct feed_lane *s = &f->lane[lane];
	if (k)
		feed_leave(f, lane, k);
	const uint32_t n_done = atomic_load_explicit(&s->n_done, memory_order_relaxed);
	if (atomic_load_explicit(&s->n_ready, memory_order_acquire) <= n_done) {
		s->n_late++;
		atomic_store(&s->waiting, true);
		feeder_wake(f);
		for (uint32_t n;
		     (n = atomic_load(&s->n_ready)) <= n_done && !atomic_load(&f->failed);)
			futex_call(&s->n_ready, FUTEX_WAIT, n);
		atomic_store(&s->waiting, false);
	}
	if (atomic_load_explicit(&f->failed, memory_order_relaxed))
		return k;
	const struct chunk *c = &s->chunk[n_done % f->n_ahead];
	a->request = from_request(c->request, k, sizeof *c->request);
	a->due = from_request(c->due, k, sizeof *c->due);
	a->expected = from_request(c->expected, k, sizeof *c->expected);
	a->outcome = from_request(c->outcome, k, sizeof *c->outcome);
	*wait = c->wait;
	return c->to;
}

const struct outcome *feed_outcome(const struct feed *f, uint32_t lane, uint32_t k)
{
	const struct feed_lane *s = &f->lane[lane];
	for (uint32_t i = 0; i < f->n_ahead; i++) {
		const uint32_t from = atomic_load_explicit(&s->chunk[i].from, memory_order_relaxed);
		if (k >= from && k < atomic_load_explicit(&s->chunk[i].to, memory_order_relaxed))
			return &s->chunk[i].outcome[k - from];
	}
	return &f->plan->lane[lane].outcome[k];
}

uint32_t feed_ended(const struct feed *f, uint32_t lane)
{
	return atomic_load_explicit(&f->lane[lane].n_ended, memory_order_relaxed);
}

/* --- start and end ------------------------------------------------------- */

static uint64_t ring_bytes(const struct feed *f, bool due, bool expected)
{
	const uint64_t n = f->chunk_requests, times = round_up(n * sizeof(int64_t), LINE);
	const uint64_t chunk = round_up(n * sizeof(struct hot_request), LINE) +
			       round_up(f->chunk_waits * sizeof(struct hot_wait), LINE) +
			       round_up(n * sizeof(struct outcome), LINE) + (due ? times : 0) +
			       (expected ? times : 0);
	return chunk * f->n_lanes * f->n_ahead;
}

/* Chooses the largest number and size of chunks that the limit allows. */
static int sizes_choose(struct feed *f, bool due, bool expected, struct err *e)
{
	const struct plan_file *file = &f->plan->file;
	const uint64_t mean = 1 + 2 * file->n_waits / (f->plan->n ? f->plan->n : 1);
	for (f->n_ahead = AHEAD_MOST; f->n_ahead >= AHEAD_LEAST; f->n_ahead /= 2)
		for (uint32_t n = CHUNK_MOST;
		     n >= (f->n_ahead > AHEAD_LEAST ? CHUNK_USEFUL : CHUNK_LEAST);
		     n = n > 64 ? n - n / 16 : n - 1) {
			f->chunk_requests = n;
			f->chunk_waits = (uint32_t)(n * mean);
			if (ring_bytes(f, due, expected) <= file->limit_bytes)
				return 0;
		}
	f->n_ahead = AHEAD_LEAST;
	return err_set(e, ERANGE,
		       "--memory: expected at least %s to read ahead for %u workers",
		       size_text(ring_bytes(f, due, expected)).s, f->n_lanes);
}

static void *memory_take(char **at, uint64_t n_bytes)
{
	void *taken = *at;
	*at += round_up(n_bytes, LINE);
	return taken;
}

int feed_open(struct feed **to, struct replay_plan *p, bool expected, struct err *e)
{
	const bool due = p->n_lanes && p->lane[0].due;
	struct feed *f = xaligned(_Alignof(struct feed), 1, sizeof *f);
	*to = f;
	f->plan = p;
	f->n_lanes = p->n_lanes;
	f->crowded = p->n_lanes >= (uint32_t)processors_allowed();
	f->lane = xaligned(_Alignof(struct feed_lane), p->n_lanes + 1, sizeof *f->lane);
	int ret = sizes_choose(f, due, expected, e);
	if (!ret)
		ret = vm_alloc(&f->ring, ring_bytes(f, due, expected), "requests read ahead", e);
	if (ret)
		return ret;
	struct err unlocked = ERR_INIT;
	p->fed = (struct feed_summary){.n_bytes = f->ring.n_bytes, .n_ahead = f->n_ahead};
	p->fed.n_locked_bytes = vm_lock(&f->ring, &unlocked) ? 0 : f->ring.n_bytes;
	char *at = f->ring.base;
	f->chunk = xcalloc((size_t)f->n_lanes * f->n_ahead + 1, sizeof *f->chunk);
	for (uint32_t i = 0; i < f->n_lanes * f->n_ahead; i++) {
		struct chunk *c = &f->chunk[i];
		f->lane[i / f->n_ahead].chunk = &f->chunk[i / f->n_ahead * f->n_ahead];
		c->request = memory_take(&at, f->chunk_requests * sizeof *c->request);
		c->wait_room = memory_take(&at, f->chunk_waits * sizeof *c->wait);
		c->due = due ? memory_take(&at, f->chunk_requests * sizeof *c->due) : NULL;
		c->expected =
		    expected ? memory_take(&at, f->chunk_requests * sizeof *c->expected) : NULL;
		c->outcome = memory_take(&at, f->chunk_requests * sizeof *c->outcome);
	}
	ret = serve_all(f);
	if (ret)
		*e = f->err;
	p->feed = f;
	return ret;
}

int feed_start(struct feed *f, double ticks_per_ns, struct err *e)
{
	f->ticks_per_ns = ticks_per_ns;
	for (uint32_t i = 0; i < f->n_lanes; i++)
		for (uint32_t k = 0; k < least_of(f->lane[i].n_ready, f->n_ahead); k++)
			due_to_ticks(f, &f->lane[i].chunk[k],
				     f->lane[i].chunk[k].to - f->lane[i].chunk[k].from);
	const int code = pthread_create(&f->id, NULL, feeder_main, f);
	f->running = !code;
	return code ? err_sys(e, code, "cannot start the thread that reads ahead") : 0;
}

int feed_stop(struct feed *f, struct err *e)
{
	if (!f->running)
		return 0;
	atomic_store(&f->stopping, true);
	feeder_wake(f);
	pthread_join(f->id, NULL);
	f->running = false;
	for (uint32_t i = 0; i < f->n_lanes; i++)
		f->plan->fed.n_late += f->lane[i].n_late;
	f->plan->feed = NULL; /* all outcomes are in the file */
	if (f->error && e)
		*e = f->err;
	return f->error;
}

void feed_close(struct feed *f)
{
	(void)feed_stop(f, NULL);
	f->plan->feed = NULL;
	vm_free(&f->ring);
	FREE_EACH(f->chunk, f->lane, f);
}
