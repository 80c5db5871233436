/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one pass over a trace tells: for validate info, and for whoever imports a trace and says what was found. */
#ifndef COMMANDS_INFO_SUMMARY_H
#define COMMANDS_INFO_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/op.h"
#include "capture/trace.h"
#include "common/err.h"
#include "validate/metrics/histogram.h"

/* Response times are end - begin of the requests that have both stamps, and in the right order. */
struct op_summary {
	uint64_t n, n_failed; /* failed: the call returned less than 0 */
	uint64_t bytes;	      /* really moved */
	uint64_t n_timed;
	long double sum_ns;
	int64_t min_ns, max_ns; /* where n_timed > 0 */
	struct histogram response;
};

#define SUMMARY_DAMAGE_MAX 20	   /* messages kept */
#define SUMMARY_THREADS_MAX 1000000u /* told apart; beyond that a trace's threads are no threads */

struct thread_entry {
	uint32_t pid, tid;
	bool used;
	int64_t last_begin_ns;
};

struct info_summary {
	struct op_summary op[OP_N];
	uint64_t n_records, n_bytes;
	uint64_t n_begin_known;
	int64_t first_begin_ns, last_begin_ns, last_end_ns; /* smallest and largest; where n_begin_known > 0 */
	uint64_t n_without_times;			    /* begin or end unknown */
	uint64_t n_end_before_begin, n_backwards;	    /* backwards: within a thread, begin before the record before it */
	uint64_t n_threads, n_processes;
	bool threads_cut; /* there are more than SUMMARY_THREADS_MAX */
	struct trace_health health;
	char damage[SUMMARY_DAMAGE_MAX][1000];
	uint64_t n_damage; /* all, also those not kept */

	struct thread_entry *slot; /* open addressing */
	uint64_t n_slots;
	struct thread_entry *last_thread;
};

/* Reads all of `t`, from its beginning. Damaged blocks are noted and passed over.
 * Errors: whatever else keeps the trace from being read. Ownership: info_summary_release, also after an error. */
int info_summary_collect(struct info_summary *s, struct trace *t, struct err *e);
/* The same piece by piece, for who reads the records himself; `t` is asked for its health. */
void info_summary_begin(struct info_summary *s);
void info_summary_add(struct info_summary *s, const struct trace_record *r);
void info_summary_end(struct info_summary *s, const struct trace *t);
void info_summary_release(struct info_summary *s);

/* last_end - first_begin: how long it took from the first request to the last answer; 0 where no times are known. */
int64_t info_span_ns(const struct info_summary *s);
/* Between issues: (last_begin - first_begin) / (n - 1), or NAN with fewer than two. */
double info_interarrival_ns(const struct info_summary *s);

/* The i-th thing that makes the trace doubtful, in words, or NULL when there are no more. `buf` takes the text. */
const char *info_warning(const struct info_summary *s, const struct trace_meta *meta, unsigned int i, char *buf,
			    size_t size);

#endif
