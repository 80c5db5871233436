/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over a pair of traces, as metrics.c makes them. Private to validate/metrics/metrics*.c. */
#ifndef VALIDATE_METRICS_PRIVATE_H
#define VALIDATE_METRICS_PRIVATE_H

#include "validate/metrics/key_match.h"
#include "validate/metrics/match.h"
#include "validate/metrics/metrics.h"
#include "validate/metrics/sequences.h"

/* Where a trace, or both, are observed: each needs the requests in its own order. */
enum lane_kind { LANE_REFERENCE, LANE_ISSUE, LANE_DISPATCH, LANE_COMPLETE, LANE_N };

struct lane {
	bool wanted; /* in this pass */
	bool late;   /* after it: must be done again, sorted in runs */
	struct observation_options options;
	struct observation observation;
};

struct pass {
	const struct metrics_options *o;
	enum metrics_match match;
	struct metrics_source reference, replay;
	bool tally;		 /* counts what needs no order, into *m */
	bool may_be_unsorted;	 /* requests of the reference need not be in the order of their begins */
	bool reference_unsorted; /* after it: they are not, and were taken to be */
	bool by_index;		 /* pairs are sorted by the reference's index: it has no ties */
	struct lane lane[LANE_N];
	struct metrics *m;

	struct sequences threads, objects; /* of the reference */
	uint64_t last_thread_key, last_object_key; /* mostly the next one's too */
	uint32_t last_thread, last_object;
	bool has_last;
	bool has_order; /* reordering is observed: objects matter */
	bool moves_bytes[OP_N]; /* by operation: the result is a number of bytes */
	int64_t *thread_begin_ns;	   /* [thread_cap] of the latest request of each thread */
	size_t thread_cap;
	int64_t reference_begin_ns; /* latest */
	uint64_t n_reference, n_replay; /* records so far */
	int64_t first_pair_ns[2];	/* earliest begins of matched requests, by enum match_side */
	struct matcher matcher;
	struct key_match keys;
	int rc;
	struct err e;
};

int pass_init(struct pass *p, const struct metrics_origin *reference, const struct metrics_origin *replay,
	      struct err *e);
int pass_run(struct pass *p, struct err *e);
void pass_release(struct pass *p);

/* metrics_tally.c: what each request adds, whatever the order. */
void tally_side(const struct pass *p, struct metrics_side *s, const struct trace_record *r, size_t n);
void tally_pair(struct pass *p, const struct trace_record *r, const struct trace_record *x, uint64_t replay_index);
void side_init(struct metrics_side *s);
void side_release(struct metrics_side *s);

#endif
