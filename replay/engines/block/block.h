/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The engine `block`: replays the requests of a trace on a block device, or on a regular file that stands for one. Its modes
 * are in schedule.h; doc/block-replay.md has the design and what was measured. */
#ifndef REPLAY_BLOCK_H
#define REPLAY_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "replay/engines/block/block_touched.h"

#define BLOCK_ERRORS_SHOWN 8
#define BLOCK_SILENT_MANY 16 /* so many failures at the end, and no success after them, are no accident */
#define BLOCK_NOTES_BYTES 2000

struct block_summary { /* what the terminal is told beside replay_summary */
	const char *backend; /* as it was used; NULL: another engine */
	char notes[BLOCK_NOTES_BYTES]; /* what was done without, a sentence a line */
	uint64_t n_discards, n_turned, n_remapped, n_rounded; /* as block_load.h has them */
	uint64_t n_short; /* transfers that moved less than they were asked for */
	struct {
		int code; /* errno */
		uint64_t n;
	} error[BLOCK_ERRORS_SHOWN]; /* in the order of their first */
	uint64_t n_silent, silent_record; /* requests that failed after the last one that succeeded; the first of them */
	int64_t silent_ns;		  /* its begin after the start */
	size_t n_errors;
	uint32_t traced_in_flight, most_in_flight;
	uint64_t n_submissions;
	double bundle_ns;     /* the threshold, at the end where it was measured */
	int64_t threshold_ns; /* of dep's inference */
	struct block_touched touched; /* of --dry-run; owned */
};

#endif
