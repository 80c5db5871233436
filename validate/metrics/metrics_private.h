/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One skip a pair of traces, as metrics.c makes them. Private to validate/metrics/metrics*.c. */
#ifndef VALIDATE_METRICS_PRIVATE_H
#define VALIDATE_METRICS_PRIVATE_H

#include "capture/match/key_match.h"
#include "capture/match/positions.h"
#include "validate/metrics/match.h"
#include "validate/metrics/metrics.h"
#include "capture/match/sequences.h"

/* Where a trace, or both, are observed: each needs the requests in its own order. */
enum metrics_lane_kind { LANE_REFERENCE, LANE_ISSUE, LANE_DISPATCH, LANE_COMPLETE, LANE_N };

struct metrics_lane {
	bool wanted; /* in this pass */
	bool late;   /* after it: must be done again, sorted in runs */
	struct observation_options options;
	struct observation observation;
};

/* Requests of the reference before this one, in the order of their begins, ties in the order of the
 * file, are left out. */
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

/* Where the warm-up asked for ends; `unsorted`: the reference is not in the order of its begins,
 * all of it is read. Errors: of reading; ENODATA where nothing is left. */
int warmup_find(struct warmup_cut *c, const struct metrics_origin *reference,
		const struct metrics_options *o, bool unsorted, struct err *e);

struct metrics_pass {
	const struct metrics_options *o;
	struct warmup_cut warmup;
	enum metrics_match match;
	struct metrics_source reference, replay;
	bool tally;		 /* counts what needs no order, into *m */
	bool compare;		 /* whether pairs are the same requests */
	/* requests of the reference need not be in the order of their begins */
	bool may_be_unsorted;
	bool reference_unsorted; /* after it: they are not, and were taken to be */
	/* by key: requests of the reference count only when it is known that none passed them over
	 */
	bool late_reference;
	bool needs_late_reference; /* after it: some were skipped, and had been counted */
	bool by_index;		 /* pairs are sorted by the reference's index: it has no ties */
	struct metrics_lane lane[LANE_N];
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
	/* earliest begins of matched requests, by enum match_side */
	int64_t first_pair_ns[2];
	struct matcher matcher;
	struct key_match keys;
	struct positions positions[2]; /* enum match_side; with the keys */
	int rc;
	struct err e;
};

int pass_init(struct metrics_pass *p, const struct metrics_origin *reference,
	      const struct metrics_origin *replay, struct err *e);
int pass_run(struct metrics_pass *p, struct err *e);
void pass_release(struct metrics_pass *p);

/* --- metrics_pass.c, shared with metrics_keyed.c ------------------------- */

/* looked at several times over, so as many as the first-level cache holds */
enum { AT_ONCE = 128 };

struct batch { /* what is left of the records had at once */
	const struct trace_record *r;
	size_t n;
	bool ended;
};
/* unless something is left */
int batch_fill(struct batch *b, struct metrics_source *s, struct err *e);
/* The first n records are done: *index of the trace moves on, and its count where `tally` holds. */
void batch_pass(struct batch *b, size_t n, uint64_t *index, struct metrics_side *side, bool tally);
/* A batch of either trace, before anything else. Errors: EINVAL for a request that ends before it
 * begins. */
int check_batch(const struct metrics_pass *p, const struct metrics_source *s,
		const struct trace_record *r, size_t n, uint64_t index, struct err *e);

/* Requests of the reference in the order of its file: whether that is the order of their begins.
 * Only of the reference, for a replay may have its own order. */
static inline void see_order(struct metrics_pass *p, const struct trace_record *r)
{
	p->reference_unsorted |= r->begin_ns < p->reference_begin_ns;
	p->reference_begin_ns = r->begin_ns;
}

/* ... and whether a thread's clock goes backwards. */
void see_thread(struct metrics_pass *p, uint32_t thread, const struct trace_record *r,
		uint64_t index);

/* A request of the reference: its part in the levels. Where it turns out to be out of order, all
 * will be observed again. */
int observe_reference(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
		      struct err *e);
/* Record `of_r` of the reference, a request that was issued, at its turn, and its replay, record
 * `of_x`; x NULL: it was lost. */
int observe_pair(struct metrics_pass *p, const struct trace_record *r, uint64_t of_r,
		 const struct trace_record *x, uint64_t of_x, struct err *e);
/* The same of one whose place in the file was seen before. */
int observe_reference_late(struct metrics_pass *p, const struct trace_record *r, uint64_t index,
			   struct err *e);
/* A request of the replay that has no partner. */
int observe_extra(struct metrics_pass *p, const struct trace_record *x, uint64_t index,
		  struct err *e);

int run_keyed(struct metrics_pass *p, struct err *e); /* metrics_keyed.c */

/* metrics_source.c: how requests are matched, and whether both traces know when a device got them.
 */
#define METRICS_BY_METADATA "the replay's metadata states this number of requests"
int metrics_match_decide(struct metrics *m, const struct metrics_origin *reference,
			 const struct metrics_origin *replay, const struct metrics_options *o,
			 bool *dispatch, struct err *e);

/* metrics_tally.c: what each request adds, whatever the order; r[0] is record `first` of its trace.
 */
void tally_side(const struct metrics_pass *p, struct metrics_side *s, const struct trace_record *r,
		size_t n, uint64_t first);
void tally_pair(struct metrics_pass *p, const struct trace_record *r, const struct trace_record *x,
		uint64_t replay_index);
void side_init(struct metrics_side *s);
void side_release(struct metrics_side *s);

#endif
