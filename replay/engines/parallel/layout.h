/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks of a parallel replay, the lanes of each rank, and the channels between lanes.
 *
 * Each traced process has a rank. Processes of one rank of the traced job share a rank, and so do
 * processes that inherited descriptors from each other. Ranks are ordered by node number, or by
 * process number if the trace has no nodes. A channel carries the signals from one lane to another:
 * its k-th signal ends its k-th wait. */
#pragma once

#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "replay/plan/plan.h"
#include "replay/options/config.h"
#include "replay/result/summary.h"

#define LAYOUT_MAX_TAG 32767u /* the standard of MPI guarantees that tags may be as large as this */

struct json_t;

enum channel_kind { CHANNEL_OUT, CHANNEL_IN, CHANNEL_INSIDE };

/* a channel of one rank; hot requests of signals and waits have its number in `length` */
struct channel {
	/* the other rank; CHANNEL_INSIDE: the same rank, and both threads share the channel */
	uint32_t peer;
	uint32_t tag;  /* tag of the messages; CHANNEL_INSIDE: number of a gate, from 0 */
	uint32_t kind; /* enum channel_kind */
	uint32_t n;    /* signals */
};

/* Marks the number of a list of channels. Signals and waits of a barrier use a list: the channels
 * to or from all other nodes of the barrier. */
#define CHANNEL_LIST 0x80000000u
/* flag of a number in listed[]: a wait sends over this channel */
#define CHANNEL_SENDS 0x40000000u

struct channel_list {
	uint32_t first, n; /* in listed[] */
};

struct layout_rank {
	uint32_t *lane; /* lane[n_lanes]: numbers of lanes in the plan, ascending */
	uint32_t n_lanes, lanes_cap;
	struct channel *channel; /* channel[n_channels] */
	uint32_t n_channels, channels_cap;
	struct channel_list *list; /* list[n_lists] */
	uint32_t n_lists, lists_cap;
	/* listed[n_listed]: numbers of channels in the lists, with CHANNEL_SENDS */
	uint32_t *listed;
	uint32_t n_listed, listed_cap;
	uint32_t n_inside; /* gates */
	uint32_t pid; /* lowest traced process number */
};

struct rank_report { /* for the metadata */
	char host[128];
	/* offset: this rank's clock minus the head's clock at the beginning. drift: change of the
	 * offset until the end. uncertainty: half width of the interval of either offset. All are 0
	 * for the head */
	int64_t offset_ns, drift_ns, uncertainty_ns;
	uint32_t crowded;
	uint32_t pid;
};

struct rank_layout {
	struct layout_rank *rank; /* rank[n_ranks] */
	uint32_t n_ranks;
	uint32_t *rank_of_lane; /* rank_of_lane[n_lanes] */
	bool cpu_time;		/* the trace gives computing as CPU time */
	bool causal;		/* the trace has nodes */
	bool of_mpi;		/* of an MPI job */
	uint32_t n_open_max;	/* largest number of descriptors open at the same time */
	const char *mode;
	uint64_t n_signals, n_waits;
	char launcher[400];
	struct rank_report *report; /* report[n_ranks], after the run */
	uint32_t head;		    /* rank whose clock gives the times */
};

/* Finds ranks and channels, and sets the channels of the plan's signals and waits. Errors: EINVAL
 * if `causes` is set and the trace has no nodes, if a signal or wait has an unknown node or no
 * counterpart, and if two ranks need more channels than there are tags; those of reading the trace.
 * Ownership: layout_free. */
int layout_make(struct rank_layout **out, struct replay_plan *p, bool causes, const struct load *l,
		const struct slots *s, struct trace *t, struct err *e);
void layout_free(struct rank_layout *y); /* NULL is fine */

uint32_t layout_n_ranks(const struct rank_layout *y);
void layout_summary(const struct rank_layout *y, struct parallel_summary *s);
struct json_t *layout_to_json(const struct rank_layout *y); /* new reference; NULL for NULL */
