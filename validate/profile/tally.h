/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be told of a trace's records one by one, in any order: operations, times, threads, and
 * what makes them doubtful. */
#ifndef VALIDATE_PROFILE_TALLY_H
#define VALIDATE_PROFILE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/op.h"
#include "capture/trace.h"
#include "capture/unseen.h"
#include "common/err.h"
#include "common/u64_map.h"
#include "validate/metrics/histogram.h"

/* Response times are end - begin of the requests that have both stamps, and in the right order. */
struct tally_op {
	uint64_t n, n_failed; /* failed: the call returned less than 0 */
	uint64_t bytes;	      /* really moved; UINT64_MAX: that or more */
	uint64_t n_timed;
	unsigned __int128 sum_ns;
	int64_t min_ns, max_ns; /* where n_timed > 0 */
	struct histogram response;
};

#define TALLY_DAMAGE_MAX 20	   /* messages kept */
#define TALLY_RECENT 16u
#define TALLY_THREADS_MAX 131072u /* told apart; beyond that a trace's threads are no threads */

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
	/* smallest and largest; where n_begin_known > 0 */
	int64_t first_begin_ns, last_begin_ns, last_end_ns;
	uint64_t n_without_begin, n_without_end;	    /* the latter: of those with a begin */
	/* backwards: within a thread, begin before the record before it */
	uint64_t n_end_before_begin, n_backwards;
	uint64_t granularity_ns; /* the largest number that divides all times; 0: no time but 0 */
	size_t n_threads, cap_threads;
	uint64_t n_processes;
	bool threads_cut; /* there are more than TALLY_THREADS_MAX */
	struct trace_health health;
	char damage[TALLY_DAMAGE_MAX][1000];
	uint64_t n_damage; /* all, also those not kept */

	struct tally_thread *thread;               /* [n_threads] */
	struct u64_map thread_of;                  /* by pid and tid */
	struct tally_thread *recent[TALLY_RECENT]; /* by tid; NULL: none yet */
};

static inline double tally_mean_ns(const struct tally_op *op) /* n_timed > 0 */
{
	return (double)((long double)op->sum_ns / (long double)op->n_timed);
}

/* Ownership: tally_release. */
void tally_begin(struct tally *s);
/* moved: op_bytes_moved(r) */
void tally_add(struct tally *s, const struct trace_record *r, uint64_t moved);
void tally_damage(struct tally *s, const char *message); /* a block that was left out */
void tally_end(struct tally *s, const struct trace *t);  /* asks `t` for its health */
void tally_release(struct tally *s);

/* last_end - first_begin: how long it took from the first request to the last answer; 0 where no
 * times are known. */
int64_t tally_span_ns(const struct tally *s);
/* Between issues: (last_begin - first_begin) / (n - 1), or NAN with fewer than two. */
double tally_interarrival_ns(const struct tally *s);

/* The threads with the most requests, then those with the smallest numbers: at most k. Returns how
 * many. */
size_t tally_top_threads(const struct tally *s, struct tally_thread *top, size_t k);

/* The i-th thing that makes the trace doubtful, in words, or NULL when there are no more. `buf`
 * takes the text. */
const char *tally_warning(const struct tally *s, const struct trace_meta *meta, unsigned int i,
			  char *buf, size_t size);

#endif
