/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one trace is: everything that can be said of it without another to compare it with.
 *
 * Made by one pass over the trace, two where its requests stand far from the order of their begins.
 * Memory is bounded whatever the trace holds, about 130 MB at the most (besides the reader's names
 * of objects), 5 MB for most: what there are too many of (threads, objects, sequences, sizes, kinds
 * of error) is followed up to a limit, and counted beyond it. */
#ifndef VALIDATE_PROFILE_H
#define VALIDATE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "validate/metrics/concurrency.h"
#include "validate/profile/access.h"
#include "validate/profile/errors.h"
#include "validate/profile/object_uses.h"
#include "validate/profile/sizes.h"
#include "validate/profile/tally.h"
#include "validate/profile/timeline.h"

#define PROFILE_LEVELS 1024u /* of concurrency, told apart; more are counted in the last */

/* Whose sequences of requests are looked at for where they begin. */
enum profile_scope { PROFILE_OBJECT, PROFILE_DESCRIPTOR, PROFILE_THREAD, PROFILE_SCOPES };
/* "object", "descriptor", "thread", NULL */
extern const char *const profile_scope_names[PROFILE_SCOPES + 1];

/* At block level: what became of the time of a request, where its dispatch is known. */
struct profile_block {
	uint64_t n_dispatched;
	struct histogram queue, device;		   /* dispatch - begin, end - dispatch; ns */
	long double sum_queue_ns, sum_device_ns;
	uint64_t n_sync, n_meta, n_ahead, n_fua, n_preflush; /* by flag */
	uint64_t sectors[KIND_OTHER];		   /* of 512 bytes, read and written */
};

struct profile {
	/* what an operation is, for both threads to look up */
	struct profile_op {
		uint8_t kind;	   /* enum profile_kind */
		bool moves, opens; /* its result counts bytes; it makes a descriptor */
	} op[OP_N];
	char apart[128]; /* no cache line is written by both threads */

	/* of the requests one by one */
	struct tally tally;
	/* bins of 1 us, 10 us, ...: 1 s and narrower up to 36 hours */
	struct timeline timeline;
	struct sizes sizes[KIND_OTHER]; /* lengths asked for, of reads and of writes */
	struct errors errors;
	uint64_t n_intended;   /* requests that a replayer meant to issue at a certain time */
	struct histogram late; /* begin - intended, ns; early ones count as 0 */
	struct trace_causes causes; /* skipped */
	char apart_too[128];

	/* of the requests by what came before */
	struct object_uses objects;
	struct access access[PROFILE_SCOPES]; /* none of PROFILE_OBJECT: that is in `objects` */
	uint64_t n_position_unknown; /* reads and writes that moved data who knows where */
	uint64_t n_position_known; /* ones that succeeded or have no end, at known offsets; of these
				      with offset and length ... */
	uint64_t n_aligned_512, n_aligned_4096;
	/* first byte and the one behind the last, of all objects; where n_position_known */
	uint64_t lowest, highest;
	struct profile_block block;

	/* of the requests in the order of their begins */
	bool has_order;			/* the next three: false where no request has a begin */
	/* of the requests that have a begin; levels up to PROFILE_LEVELS */
	struct concurrency concurrency;
	/* between the begins of requests that follow each other, ns */
	struct histogram gap;
	double sum_gap_ns, sum_gap_squared;
	/* the requests stand in the order of their begins, nearly: one pass was enough */
	bool sorted;
};

struct profile_options {
	unsigned int n_threads; /* 1 or 2: reading and half of the counting beside the other half */
};

/* Reads all of `t`, from its beginning, of which only requests are looked at. Damaged blocks are
 * noted in the tally and skipped. Errors: whatever else keeps the trace from being read; ENOSPC and
 * others of the temporary file that a trace far out of order needs. Ownership: profile_release,
 * also after an error. */
int profile_compute(struct profile *p, struct trace *t, const struct profile_options *o,
		    struct err *e);
void profile_release(struct profile *p);

/* How requests of a scope follow each other. */
static inline const struct access_counts *profile_access(const struct profile *p,
							 enum profile_scope scope)
{
	return scope == PROFILE_OBJECT ? &p->objects.access : &p->access[scope].counts;
}

enum profile_kind profile_kind_of(unsigned int op); /* families read and write, and whatever else */

/* The response times of one kind of operations, KIND_N: of all. Ownership: histogram_release. */
void profile_responses(const struct profile *p, enum profile_kind kind, struct histogram *h);
/* Requests active on the average of the time from the first begin to the last end; NAN where that
 * is none. */
double profile_mean_concurrency(const struct profile *p);
/* Standard deviation of the gaps between begins over their mean: 0 a metronome, 1 as if each came
 * at random; NAN for fewer than two gaps, or none that is not 0. */
double profile_gap_variation(const struct profile *p);
/* Share of the time with `level` requests active; NAN where there is no time. */
double profile_share_of_time(const struct profile *p, size_t level);
/* Whether levels of concurrency mean anything: every request ends, or nearly. */
bool profile_has_ends(const struct profile *p);

#endif
