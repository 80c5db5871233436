/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The properties of a trace.
 *
 * They are computed in one pass over the trace, or in two passes if its requests are far from the
 * order of their starts. Memory is bounded: at most about 130 MB (without the reader's object
 * names), 5 MB for most traces. Threads, objects, sequences, sizes and kinds of error are followed
 * up to a limit; those beyond it are only counted. */
#pragma once

#include "validate/metrics/concurrency.h"
#include "validate/profile/errors.h"
#include "validate/profile/object_uses.h"
#include "validate/profile/offset_map.h"
#include "validate/profile/sizes.h"
#include "validate/profile/tally.h"
#include "validate/profile/timeline.h"

/* number of levels of concurrency; the last also counts all higher levels */
#define PROFILE_LEVELS 1024u

/* Scope of the sequences within which starts are compared. */
enum profile_scope { PROFILE_OBJECT, PROFILE_DESCRIPTOR, PROFILE_THREAD, PROFILE_SCOPES };
/* Names: "object", "descriptor", "thread", NULL. */
extern const char *const profile_scope_names[PROFILE_SCOPES + 1];

/* Block level: phases of a request, if the time of its dispatch is known. */
struct profile_block {
	uint64_t n_dispatched;
	struct histogram queue, device;		   /* dispatch - start; end - dispatch; in ns */
	long double sum_queue_ns, sum_device_ns;
	uint64_t n_sync, n_meta, n_ahead, n_fua, n_preflush; /* by flag */
	uint64_t sectors[KIND_OTHER];		   /* of 512 bytes; read and written */
};

struct profile {
	/* properties of each operation, for both threads */
	struct profile_op {
		uint8_t kind;	   /* enum profile_kind */
		/* the result counts bytes; the operation creates a descriptor */
		bool moves, opens;
	} op[OP_N];
	char apart[128]; /* prevents false sharing between both threads */

	/* single requests */
	struct tally tally;
	/* bins of 1 us, 10 us, ...: 1 s or narrower for up to 36 hours */
	struct timeline timeline;
	struct sizes sizes[KIND_OTHER]; /* requested lengths of reads and writes */
	struct errors errors;
	/* number of requests with an intended time of issue */
	uint64_t n_intended;
	/* start - intended in ns; 0 for early requests */
	struct histogram late;
	struct trace_causes causes; /* skipped */
	char apart_too[128];

	/* requests relative to earlier requests */
	struct object_uses objects;
	/* PROFILE_OBJECT is not used: see `objects` */
	struct access access[PROFILE_SCOPES];
	uint64_t n_position_unknown; /* number of reads and writes with data at unknown offsets */
	/* Number of reads and writes at known offsets that succeeded or have no end. The next
	 * members count those with special offset and length. */
	uint64_t n_position_known;
	uint64_t n_aligned_512, n_aligned_4096;
	/* first byte, and end of the last byte, over all objects; valid if n_position_known > 0 */
	uint64_t lowest, highest;
	/* only those requests with a start; offsets within objects, with all objects together */
	struct offset_map offset_map;
	struct profile_block block;

	/* requests in the order of their starts */
	/* false: there are no starts, and the next three members are not set */
	bool has_order;
	/* requests with a start; levels up to PROFILE_LEVELS */
	struct concurrency concurrency;
	/* between successive starts, ns */
	struct histogram gap;
	double sum_gap_ns, sum_gap_squared;
	/* the trace is almost in the order of starts: one pass was enough */
	bool sorted;
};

struct profile_options {
	/* 1; or 2: reading and half of the counting in one thread, the other half in another */
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

/* Finds the response times of one kind of operation; KIND_N: all. Ownership:
 * histogram_release(). */
void profile_responses(const struct profile *p, enum profile_kind kind, struct histogram *h);
/* Returns the mean number of active requests from the first start to the last end; NAN if there is
 * no duration. */
double profile_mean_concurrency(const struct profile *p);
/* Returns the coefficient of variation of the gaps between starts: 0 for constant gaps, 1 for
 * random arrivals; NAN with fewer than two gaps, or if all are 0. */
double profile_gap_variation(const struct profile *p);
/* Returns the share of the time with `level` active requests; NAN if there is no duration. */
double profile_share_of_time(const struct profile *p, size_t level);
/* Whether all or nearly all requests have an end, so that concurrency is meaningful. */
bool profile_has_ends(const struct profile *p);
