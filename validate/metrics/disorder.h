/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Computation of all reordering metrics of RFC 4737, both densities of RFC 5236 and the distances
 * of orders, while requests arrive. Handles one sequence or several in parallel (one per thread,
 * one per object), whose totals are added.
 *
 * Each request has a place k = 0, 1, 2, ... among the arriving requests of its sequence, in the
 * order of the reference, modulo 2^32. Places are unique, and compared places must differ by less
 * than 2^31. disorder_lost must announce a request that never arrives before the arrivals after it.
 * tests/model computes the same metrics in the simplest way, for comparison.
 *
 * Time: a few instructions for an arrival in order, otherwise O(log w); w is the window from the
 * first missing place to the highest place so far. Memory: 20 bytes per place of the window, and
 * one bit per place for the buffer of RFC 5236. Sources: RFC 4737 sections 3.3 to 5, RFC 5236
 * sections 3 and 7. */
#pragma once

#include "validate/metrics/density.h"
#include "validate/metrics/moment_sum.h"

/* distribution of whole numbers; negative values count in the sum and in histogram.n_negative */
struct distribution {
	struct moment_sum sum;
	struct histogram histogram;
};

static inline void distribution_add(struct distribution *d, int64_t value)
{
	moment_sum_add(&d->sum, value);
	histogram_add(&d->histogram, value);
}
void distribution_release(struct distribution *d);

/* Sums over all sequences. Units: arrivals, ns, bytes. */
struct disorder_total {
	uint64_t n_sequences; /* with an arrival or a loss */
	uint64_t n_received, n_lost;
	uint64_t n_reordered;		     /* Type-P-Reordered */
	/* number of arrivals that are in order, but beyond the expected number */
	uint64_t n_sequence_discontinuities;
	/* number of arrivals numbered below the previous arrival, as hfplayer's script counts
	 * them */
	uint64_t n_descents;
	struct distribution extent, late_ns, byte_offset; /* of the reordered arrivals */
	uint64_t n_discontinuities;			  /* arrivals that overtook others */
	/* distances between consecutive discontinuities of a sequence */
	struct distribution gap, gap_ns;
	/* reordering-free runs: number of runs, arrivals in order, all arrivals, sum of squared run
	 * lengths (RFC 4737 5.4) */
	uint64_t runs_x, runs_a, runs_p, runs_q;
	/* number of arrivals that are directly preceded by n > 0 arrivals with larger numbers,
	 * by n */
	struct histogram preceding;
	uint64_t max_preceding;	    /* largest such n, exact; 0: none */

	/* number of pairs of arrivals in the wrong order; number of all pairs */
	uint64_t inversions, n_pairs;
	/* number of arrivals outside a longest increasing subsequence */
	uint64_t n_moves;
	uint64_t footrule;	      /* sum of |rank - position| */

	uint64_t n_displaced; /* arrivals that have a displacement */
	struct histogram displaced_early, displaced_late; /* by |displacement|, if it is not 0 */
	uint64_t displacement_sum;			  /* of |displacement| */
	/* number of arrivals that are counted in the buffer's occupancy */
	uint64_t n_occupancies;
	struct histogram occupied;	/* by occupancy, where it is not 0 */
	uint64_t occupancy_sum;
	/* requests were lost and there is no threshold, so the occupancy is undefined */
	bool needs_bt;
};

struct disorder_loss { /* n requests were lost before the place */
	uint64_t place, n;
};

struct disorder_window;

struct disorder_sequence {
	uint64_t next; /* one above the highest place seen */
	/* All of the `next` places have arrived in order. The following members are up to date only
	 * if this is false. */
	bool plain;
	/* number of arrivals in order before the present reordering-free run */
	uint64_t run_from;
	uint64_t n, previous, next_number, n_in_order;
	uint64_t n_reordered, max_extent;
	uint64_t n_lost; /* before the first entry of `loss` */
	struct disorder_loss *loss;
	size_t loss_from, n_losses, loss_cap;
	bool has_discontinuity;
	uint64_t discontinuity;
	int64_t discontinuity_ns;
	struct occupancy occupancy;
	struct disorder_window *window; /* NULL: was never needed */
	struct stay_back *stay_back;	/* NULL: displacements have no threshold */
};

struct disorder_options {
	uint64_t dt, bt; /* DENSITY_UNBOUNDED: no threshold */
	/* Compute only n_received, n_lost, n_reordered, n_descents and each sequence's
	 * max_extent. */
	bool counts_only;
};

struct disorder {
	struct disorder_options options;
	struct disorder_sequence *sequence; /* [n_sequences] */
	size_t n_sequences, cap;
	struct disorder_total total; /* complete after disorder_finish */
};

void disorder_init(struct disorder *d, const struct disorder_options *o);
void disorder_release(struct disorder *d);

struct disorder_arrival {
	int64_t time_ns;
	uint64_t bytes; /* payload */
};

/* slow path of disorder_add */
int disorder_add_slowly(struct disorder *d, uint32_t sequence, uint32_t k,
			const struct disorder_arrival *a, struct err *e);

/* Adds the next arrival: place k of a sequence. Errors: ENOMEM, ENOSPC of a temporary file; EINVAL
 * for a place that has arrived before. */
static inline int disorder_add(struct disorder *d, uint32_t sequence, uint32_t k, int64_t time_ns,
			       uint64_t bytes, struct err *e)
{
	if (__builtin_expect(sequence < d->n_sequences, 1)) {
		struct disorder_sequence *s = &d->sequence[sequence];
		if (__builtin_expect(s->plain && k == (uint32_t)s->next, 1)) {
			s->next++;
			return 0;
		}
	}
	struct disorder_arrival a = {time_ns, bytes};
	return disorder_add_slowly(d, sequence, k, &a, e);
}

/* Announces a request that never arrives; `k` is the next place of its sequence. Calls must be in
 * the order of the reference, and before any arrival with place k or above. */
void disorder_lost(struct disorder *d, uint32_t sequence, uint32_t k);

/* Ends the input and completes the totals. */
void disorder_finish(struct disorder *d);
