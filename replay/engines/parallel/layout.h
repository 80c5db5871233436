/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a parallel replay, the lanes of each rank, and the channels between lanes.
 *
 * Each traced process has a rank. Processes of one rank of the traced job share a rank, and so do
 * processes that inherited descriptors from each other. Ranks are ordered by node number, or by
 * process number if the trace has no nodes. A channel carries the signals from one lane to another:
 * its k-th signal answers the k-th wait. */
#ifndef REPLAY_PARALLEL_LAYOUT_H
#define REPLAY_PARALLEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "replay/plan/plan.h"
#include "replay/options/config.h"
#include "replay/result/summary.h"

#define LAYOUT_MAX_TAG 32767u /* what every MPI has */

struct json_t;

enum channel_kind { CHANNEL_OUT, CHANNEL_IN, CHANNEL_INSIDE };

struct channel { /* as its rank sees it; hot requests signal and wait have its number in `length` */
	uint32_t peer; /* rank; its own: between its threads (CHANNEL_INSIDE, one for both sides) */
	uint32_t tag;  /* of its messages; inside: number of a gate, from 0 */
	uint32_t kind; /* enum channel_kind */
	uint32_t n;    /* signals */
};

struct layout_rank {
	uint32_t *lane; /* lane[n_lanes], ascending: of the plan */
	uint32_t n_lanes, lanes_cap;
	struct channel *channel; /* channel[n_channels] */
	uint32_t n_channels, channels_cap;
	uint32_t n_inside; /* gates */
	uint32_t pid; /* the least of its traced processes */
};

struct rank_report { /* what a rank came to; for the metadata */
	char host[128];
	int64_t offset_ns, drift_ns,
	    uncertainty_ns; /* its clock minus the head's at the beginning, what that had changed by
			     * at the end, and half the width of what either may be off by; the
			     * head's own: 0 */
	uint32_t crowded;
	uint32_t pid;
};

struct layout {
	struct layout_rank *rank; /* rank[n_ranks] */
	uint32_t n_ranks;
	uint32_t *rank_of_lane; /* rank_of_lane[n_lanes] */
	bool cpu_time;		/* computing is time on the processor, says the trace */
	bool causal;		/* it has nodes */
	bool of_mpi;		/* of an MPI job */
	uint32_t n_open_max;	/* descriptors that the trace has open at once */
	const char *mode;
	uint64_t n_signals, n_waits;
	char launcher[400];
	struct rank_report *report; /* report[n_ranks], once it has run */
	uint32_t head;		    /* the rank whose clock the times are of */
};

/* Finds ranks and channels; signals and waits of the plan get the numbers of theirs. Errors: EINVAL
 * for a trace without nodes where `causes` are wanted, for a signal or wait of an unknown node or
 * one that has no counterpart, and for more channels between two ranks than there are tags; those
 * of reading the trace. Ownership: layout_free. */
int layout_make(struct layout **out, struct replay_plan *p, bool causes, const struct load *l,
		const struct slots *s, struct trace *t, struct err *e);
void layout_free(struct layout *y); /* NULL is fine */

uint32_t layout_n_ranks(const struct layout *y);
void layout_summary(const struct layout *y, struct parallel_summary *s);
struct json_t *layout_to_json(const struct layout *y); /* new reference; NULL for NULL */

#endif
