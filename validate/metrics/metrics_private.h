/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One pass over a pair of traces. Private to validate/metrics/metrics*.c. */
#pragma once

#include "capture/match/key_match.h"
#include "capture/match/positions.h"
#include "validate/metrics/match.h"
#include "validate/metrics/metrics.h"

/* Points at which one or both traces are observed. Each point needs the requests in a different
 * order. */
enum metrics_lane_kind { LANE_REFERENCE, LANE_ISSUE, LANE_DISPATCH, LANE_COMPLETE, LANE_N };

struct metrics_lane {
	bool wanted; /* observed in this pass */
	bool late;   /* result of the pass: it must be repeated with ARRIVALS_RUNS */
	struct observation_options options;
	struct observation observation;
};

/* Requests of the reference before this position are skipped. They are ordered by start time, then
 * by file order. */
struct warmup_cut {
	bool on;
	int64_t begin_ns;
	uint64_t index;
};

static inline bool warmup_covers(const struct warmup_cut *c, const struct trace_record *r,
				 uint64_t index)
{
	bool before = r->begin_ns < c->begin_ns || (r->begin_ns == c->begin_ns && index < c->index);
	return before && r->begin_ns != TIME_NONE;
}

/* Finds the end of the warm-up. `unsorted`: the reference is not in the order of its starts and
 * must be read completely. Errors: of reading; ENODATA if no request is left. */
int warmup_find(struct warmup_cut *c, const struct metrics_origin *reference,
		const struct metrics_options *o, bool unsorted, struct err *e);

struct metrics_pass {
	const struct metrics_options *o;
	struct warmup_cut warmup;
	enum metrics_match match;
	struct metrics_source reference, replay;
	bool tally;		 /* adds counts that need no order to *m */
	bool compare;		 /* check whether pairs are the same requests */
	/* the reference may be in any order */
	bool may_be_unsorted;
	/* result: the reference is not in order, although this pass assumed that it is */
	bool reference_unsorted;
	/* by key: add a request of the reference only when it is known that the replay did not skip
	 * it */
	bool late_reference;
	/* result: some requests turned out to be skipped after they had been counted */
	bool needs_late_reference;
	/* pairs are sorted by the reference's record number, which is unique */
	bool by_index;
	struct metrics_lane lane[LANE_N];
	struct metrics *m;

	struct sequences threads, objects; /* of the reference */
	/* cache of the last look-ups, because the next request usually has the same keys */
	uint64_t last_thread_key, last_object_key;
	uint32_t last_thread, last_object;
	bool has_last;
	bool has_order; /* reordering is observed, so object numbers are needed */
	bool moves_bytes[OP_N]; /* by operation: whether its result is a number of bytes */
	/* [thread_cap] start of the latest request of each thread */
	int64_t *thread_begin_ns;
	size_t thread_cap;
	int64_t reference_begin_ns; /* start of the latest request */
	uint64_t n_reference, n_replay; /* records so far */
	/* earliest starts of matched requests, for each side (enum match_side) */
	int64_t first_pair_ns[2];
	struct matcher matcher;
	struct key_match keys;
	struct positions positions[2]; /* by enum match_side; used by key */
	int ret;
	struct err e;
};

/* Opens both sources and prepares a pass. pass_run reads both to their ends. Errors: of opening and
 * reading. Ownership: pass_release(), also after an error. */
int pass_init(struct metrics_pass *p, const struct metrics_origin *reference,
	      const struct metrics_origin *replay, struct err *e);
int pass_run(struct metrics_pass *p, struct err *e);
void pass_release(struct metrics_pass *p);

/* --- metrics_pass.c, shared with metrics_keyed.c ------------------------- */

/* number of records that are processed together: they fit into the first-level cache */
enum { AT_ONCE = 128 };

struct batch { /* the unprocessed rest of a batch */
	const struct trace_record *r;
	size_t n;
	bool ended;
};
/* Reads the next batch if this one is empty. */
int batch_fill(struct batch *b, struct metrics_source *s, struct err *e);
/* Removes the first n records: advances *index, and n_records if `tally` is set. */
void batch_pass(struct batch *b, size_t n, uint64_t *index, struct metrics_side *side, bool tally);
/* Checks a batch of either trace before it is processed. Errors: EINVAL for a request that ends
 * before it begins. */
int check_batch(const struct metrics_pass *p, const struct metrics_source *s,
		const struct trace_record *r, size_t n, uint64_t index, struct err *e);

/* Detects whether the reference's file is in the order of its starts. A replay may have any
 * order. */
static inline void check_reference_order(struct metrics_pass *p, const struct trace_record *r)
{
	p->reference_unsorted |= r->begin_ns < p->reference_begin_ns;
	p->reference_begin_ns = r->begin_ns;
}

/* Detects starts of a thread that go backwards. */
void check_thread_order(struct metrics_pass *p, uint32_t thread, const struct trace_record *r,
		uint64_t index);

/* Adds a request of the reference to its levels. If the file turns out to be unsorted, the pass is
 * repeated. */
int observe_reference(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
		      struct err *e);
/* Adds issued record `of_r` of the reference with its replay, record `of_x`. x NULL: the request
 * was lost. */
int observe_pair(struct metrics_pass *p, const struct trace_record *r, uint64_t of_r,
		 const struct trace_record *x, uint64_t of_x, struct err *e);
/* Like observe_reference, for a request whose place in the file order was already checked. */
int observe_reference_late(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
			   struct err *e);
/* Adds a request of the replay without a partner. */
int observe_extra(struct metrics_pass *p, const struct trace_record *x, uint64_t index,
		  struct err *e);

int run_keyed(struct metrics_pass *p, struct err *e); /* metrics_keyed.c */

/* metrics_source.c: decides how requests are matched, and whether both traces have dispatch
 * times. */
int metrics_match_decide(struct metrics *m, const struct metrics_origin *reference,
			 const struct metrics_origin *replay, const struct metrics_options *o,
			 bool *dispatch, struct err *e);

/* metrics_tally.c: adds counts that do not depend on the order; r[0] is record `first` of its
 * trace. */
void tally_side(const struct metrics_pass *p, struct metrics_side *s, const struct trace_record *r,
		size_t n, uint64_t first);
/* Adds a pair; replay_index is the index of `x` in its trace. */
void tally_pair(struct metrics_pass *p, const struct trace_record *r, const struct trace_record *x,
		uint64_t replay_index);
void side_init(struct metrics_side *s);
void side_release(struct metrics_side *s);
