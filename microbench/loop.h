/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measured loop, an inline function. Each workload gets its own copy, in which its call is
 * compiled. So there is no indirect call and no switch, and only the call is between the two
 * stamps. */
#pragma once


#include "capture/trace.h"
#include "common/pause.h"
#include "common/placement.h"
#include "common/wait.h"

struct script; /* script.h */
struct block_load; /* block/block_load.h */

/* One request as recorded in the loop. Its offset is not stored, because it follows from the drawn
 * blocks. */
struct bench_sample {
	uint64_t begin, end; /* ticks */
	int32_t result;      /* return value, or negative errno */
	uint32_t op;         /* enum trace_op */
};

/* State of one thread, set up before the start. Only pointers refer to data that threads share. */
struct bench_thread {
	const struct clock *clock;
	const struct placement *placement;
	unsigned int index;
	int fd;
	size_t block_bytes;
	uint64_t n_blocks;     /* size of the file in whole blocks */
	/* block[capacity]: block of request k; NULL for a sequential workload */
	const uint32_t *block;
	uint64_t n_requests;   /* minimum number of requests (for a script: units) */
	uint64_t deadline;     /* the thread continues until this time (ticks); 0: no deadline */
	uint64_t capacity;     /* maximum number of requests */
	bool fsync_end;
	bool pauses;
	int64_t pause_ns;         /* pause between requests */
	/* think_ns[capacity]: the pause after request k; NULL: the pause is fixed */
	const uint64_t *think_ns;
	struct waiter waiter;
	struct pause *pause; /* contains a word that tells the run to pause or to end */
	/* for workloads with a script (script.h), otherwise NULL; with a script, `fd` and blocks
	 * are unused */
	const struct script *script;
	const char *const *names; /* paths by number */
	int dir_fd;               /* directory of the paths */
	int open_flags[8];        /* open(2) flags by enum script_open */
	int slot_fd[2];           /* descriptor of each slot, -1 free */
	struct block_load *load; /* for workloads below the file system, otherwise NULL */
	uint64_t start;		  /* ticks: the common start of all threads */
	/* results */
	struct bench_sample *sample; /* has room for all requests, rewinds and the fsync */
	uint64_t n_samples, n_requests_done;
	bool capacity_reached;
	bool failed; /* the last request of a script returned an unexpected result */
};

/* Whether a data request transferred less than a block. */
static inline bool bench_is_short(const struct bench_thread *t, const struct bench_sample *s)
{
	return s->op != OP_LSEEK && s->op != OP_FSYNC && s->result != (int32_t)t->block_bytes;
}

/* The call of a workload. Calls at the file's own position ignore the offset. */
typedef ssize_t bench_call(int fd, void *buffer, size_t n_bytes, uint64_t offset);

/* Functions outside the fast path: seek to the start of the file; pause after request k; last
 * fsync; and a call of every function that needs no descriptor, so that lazy binding is not
 * measured. */
void bench_rewind(const struct bench_thread *t, struct bench_sample *s);
void bench_pause(struct bench_thread *t, uint64_t k, uint64_t end);
void bench_fsync(const struct bench_thread *t, struct bench_sample *s);
void bench_warm(const struct bench_thread *t, bench_call *call);

/* script_loop.c: the loop of all workloads with scripts, and its warm-up. */
void script_loop(struct bench_thread *t);
void script_warm(const struct bench_thread *t);
/* Makes the call of a step of a script. */
struct bench_step;
struct bench_sample script_play(struct bench_thread *t, const struct bench_step *s, void *buffer);

/* Called between requests. Waits while a controller pauses the run. True: the run must end. */
static inline __attribute__((always_inline)) bool bench_must_end(const struct bench_thread *t)
{
	return __builtin_expect(pause_wanted(t->pause->word), 0) && pause_here(t->pause, t->index);
}

static inline __attribute__((always_inline)) struct bench_sample
bench_request(const struct bench_thread *t, enum trace_op op, bench_call *call, uint64_t k,
	      uint64_t block)
{
	uint64_t offset = block * t->block_bytes;
	void *buffer = placement_buffer(t->placement, t->index, k);
	uint64_t begin = clock_begin(t->clock);
	ssize_t got = call(t->fd, buffer, t->block_bytes, offset);
	uint64_t end = clock_end(t->clock);
	return (struct bench_sample){begin, end, got < 0 ? -errno : (int32_t)got, op};
}

/* Loop of requests of one kind or two kinds. `odd_call` is made for blocks with an odd number. */
static inline __attribute__((always_inline)) void
bench_loop_mixed(struct bench_thread *t, enum trace_op op, enum trace_op odd_op, bool sequential,
		 bench_call *call, bench_call *odd_call)
{
	struct bench_sample *s = t->sample;
	uint64_t k = 0, next_block = 0;
	for (;;) {
		if (sequential && next_block == t->n_blocks) {
			bench_rewind(t, s);
			if (s++->result < 0)
				break;
			next_block = 0;
		}
		const uint64_t block = sequential ? next_block++ : t->block[k];
		if (odd_call != call && block % 2)
			*s = bench_request(t, odd_op, odd_call, k, block);
		else
			*s = bench_request(t, op, call, k, block);
		uint64_t end = s->end;
		bool last = s++->result != (int32_t)t->block_bytes;
		if (++k >= t->n_requests && (end >= t->deadline || k == t->capacity)) {
			t->capacity_reached = end < t->deadline;
			last = true;
		}
		if (last || bench_must_end(t))
			break;
		if (t->pauses)
			bench_pause(t, k - 1, end);
	}
	t->n_requests_done = k;
	t->n_samples = (uint64_t)(s - t->sample);
}

static inline __attribute__((always_inline)) void
bench_loop(struct bench_thread *t, enum trace_op op, bool sequential, bench_call *call)
{
	bench_loop_mixed(t, op, op, sequential, call, call);
}
