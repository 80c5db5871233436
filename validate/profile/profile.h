/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of one trace.
 *
 * Computed in one pass over the trace; two if its requests are far from the order of their begins.
 * Memory is bounded: at most about 130 MB (without the reader's object names), 5 MB for most
 * traces. Threads, objects, sequences, sizes and kinds of error are followed up to a limit, and
 * counted beyond it. */
#pragma once

#include "validate/metrics/concurrency.h"
#include "validate/profile/errors.h"
#include "validate/profile/object_uses.h"
#include "validate/profile/offset_map.h"
#include "validate/profile/sizes.h"
#include "validate/profile/tally.h"
#include "validate/profile/timeline.h"

#define PROFILE_LEVELS 1024u /* of concurrency; the last counts all higher ones */

/* Scope of the sequences whose begins are compared. */
enum profile_scope { PROFILE_OBJECT, PROFILE_DESCRIPTOR, PROFILE_THREAD, PROFILE_SCOPES };
/* Names: "object", "descriptor", "thread", NULL. */
extern const char *const profile_scope_names[PROFILE_SCOPES + 1];

/* Block level: phases of the time of a request, if its dispatch is known. */
struct profile_block {
	uint64_t n_dispatched;
	struct histogram queue, device;		   /* dispatch - begin; end - dispatch; ns */
	long double sum_queue_ns, sum_device_ns;
	uint64_t n_sync, n_meta, n_ahead, n_fua, n_preflush; /* by flag */
	uint64_t sectors[KIND_OTHER];		   /* of 512 bytes; read and written */
};

struct profile {
	/* properties of an operation, for both threads */
	struct profile_op {
		uint8_t kind;	   /* enum profile_kind */
		/* its result counts bytes; it creates a descriptor */
		bool moves, opens;
	} op[OP_N];
	char apart[128]; /* prevents false sharing between both threads */

	/* single requests */
	struct tally tally;
	/* bins of 1 us, 10 us, ...: 1 s and narrower up to 36 hours */
	struct timeline timeline;
	struct sizes sizes[KIND_OTHER]; /* requested lengths of reads and writes */
	struct errors errors;
	/* requests with an intended time of issue */
	uint64_t n_intended;
	/* begin - intended, ns; 0 for early ones */
	struct histogram late;
	struct trace_causes causes; /* skipped */
	char apart_too[128];

	/* requests relative to preceding ones */
	struct object_uses objects;
	/* PROFILE_OBJECT is not used: see `objects` */
	struct access access[PROFILE_SCOPES];
	uint64_t n_position_unknown; /* reads and writes with data at unknown offsets */
	/* Reads and writes at known offsets that succeeded or have no end. The next members count
	 * those with special offset and length. */
	uint64_t n_position_known;
	uint64_t n_aligned_512, n_aligned_4096;
	/* first byte, and end of the last, over all objects; if n_position_known > 0 */
	uint64_t lowest, highest;
	/* of these requests with a begin; offsets within objects, all objects together */
	struct offset_map offset_map;
	struct profile_block block;

	/* requests in the order of their begins */
	bool has_order;			/* false: no begins, the next three are unset */
	/* requests with a begin; levels up to PROFILE_LEVELS */
	struct concurrency concurrency;
	/* between successive begins, ns */
	struct histogram gap;
	double sum_gap_ns, sum_gap_squared;
	/* almost in the order of begins: one pass was enough */
	bool sorted;
};

struct profile_options {
	/* 1, or 2: reading and half of the counting, beside the other half */
	unsigned int n_threads;
};

/* Reads all requests of `t` from its beginning. Damaged blocks are recorded in the tally and
 * skipped. Errors: other errors of reading the trace; ENOSPC and others of the temporary file that
 * a trace far out of order needs. Ownership: profile_release(), also after an error. */
int profile_compute(struct profile *p, struct trace *t, const struct profile_options *o,
		    struct err *e);
void profile_release(struct profile *p);

/* Access patterns of a scope. */
static inline const struct access_counts *profile_access(const struct profile *p,
							 enum profile_scope scope)
{
	return scope == PROFILE_OBJECT ? &p->objects.access : &p->access[scope].counts;
}

enum profile_kind profile_kind_of(unsigned int op); /* families read, write, other */

/* Response times of one kind of operation; KIND_N: all. Ownership: histogram_release(). */
void profile_responses(const struct profile *p, enum profile_kind kind, struct histogram *h);
/* Mean number of active requests from the first begin to the last end; NAN without duration. */
double profile_mean_concurrency(const struct profile *p);
/* Coefficient of variation of the gaps between begins: 0 for constant gaps, 1 for random arrivals;
 * NAN with fewer than two gaps, or if all are 0. */
double profile_gap_variation(const struct profile *p);
/* Share of the time with `level` requests active; NAN without duration. */
double profile_share_of_time(const struct profile *p, size_t level);
/* True if all or nearly all requests have an end, so that concurrency is meaningful. */
bool profile_has_ends(const struct profile *p);
