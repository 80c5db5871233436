/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of single records of a trace, in any order: operations, times, threads, and signs of
 * doubtful content. */
#pragma once

#include "capture/op.h"
#include "capture/unseen.h"
#include "common/u64_map.h"
#include "validate/metrics/histogram.h"

/* Response times are end - start of requests that have both stamps in the right order. */
struct tally_op {
	uint64_t n, n_failed; /* failed: the call returned less than 0 */
	/* bytes that were actually moved; UINT64_MAX: that many or more */
	uint64_t bytes;
	uint64_t n_timed;
	unsigned __int128 sum_ns;
	int64_t min_ns, max_ns; /* if n_timed > 0 */
	struct histogram response;
};

#define TALLY_DAMAGE_MAX 20	   /* messages kept */
/* a larger number of threads indicates that a wrong column was read */
#define TALLY_THREADS_MAX 131072u

struct tally_thread {
	uint32_t pid, tid;
	uint64_t n, bytes;
	int64_t last_begin_ns;
	double busy_ns; /* sum of the response times */
};

struct tally {
	struct tally_op op[OP_N];
	uint64_t n_records, n_bytes;
	struct async_counts async;
	uint64_t n_begin_known;
	/* smallest and largest times; valid if n_begin_known > 0 */
	int64_t first_begin_ns, last_begin_ns, last_end_ns;
	uint64_t n_without_begin, n_without_end;	    /* without end, but with start */
	/* backwards: start before the previous start of the same thread */
	uint64_t n_end_before_begin, n_backwards;
	/* greatest common divisor of all times; 0: all times are 0 */
	uint64_t granularity_ns;
	size_t n_threads, cap_threads;
	uint64_t n_processes;
	bool threads_cut; /* more than TALLY_THREADS_MAX */
	struct trace_health health;
	char damage[TALLY_DAMAGE_MAX][1000];
	uint64_t n_damage; /* also counts blocks whose message is not kept */

	struct tally_thread *thread;               /* [n_threads] */
	struct u64_map thread_of;                  /* by pid and tid */
};

/* Sums over the operations of a family; `bytes` stops at UINT64_MAX. */
struct tally_family {
	uint64_t n, n_failed, bytes;
	unsigned __int128 sum_ns;
};
struct tally_family tally_family(const struct tally *t, enum op_family family);

static inline double tally_mean_ns(const struct tally_op *op) /* n_timed > 0 */
{
	return (double)((long double)op->sum_ns / (long double)op->n_timed);
}

/* Zero-initialised means empty. Ownership: tally_release. */
/* moved: op_bytes_moved(r) */
void tally_add(struct tally *s, const struct trace_record *r, uint64_t moved);
void tally_damage(struct tally *s, const char *message); /* a skipped block */
void tally_end(struct tally *s, const struct trace *t);  /* asks `t` for its health */
void tally_release(struct tally *s);

/* Returns last_end - first_begin: the time from the first start to the last end; 0 if times are
 * unknown. */
int64_t tally_span_ns(const struct tally *s);
/* Returns the mean time between starts: (last_begin - first_begin) / (n - 1); NAN with fewer than
 * two. */
double tally_interarrival_ns(const struct tally *s);

/* Finds the threads with the most requests, then the smallest numbers. Sets at most k; returns
 * their number. */
size_t tally_top_threads(const struct tally *s, struct tally_thread *top, size_t k);

