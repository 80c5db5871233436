/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds which records of a trace of system calls a replay would refuse or skip. Uses the same walk
 * as the preparation of a replay, without access to the files. */
#pragma once

#include "replay/load/load.h"

struct replayable_count {
	uint64_t n;
	/* number of the first such record in the file, counted from 0; undefined if n is 0 */
	uint32_t first;
};

struct replayable {
	enum replayable_state {
		REPLAYABLE_KNOWN,
		REPLAYABLE_TOO_MANY, /* more than n_max requests: not examined */
		REPLAYABLE_REFUSED,  /* the whole trace would be refused; see `why` */
		REPLAYABLE_BLOCK,    /* a block-level trace: engines for files refuse it */
	} state;
	struct err why;
	/* n_requests: without records of computing, signals and waits; n_replayed: requests for
	 * which a call is made, successful or not */
	uint64_t n_requests, n_replayed;
	struct replayable_count never_issued; /* their start is unknown */
	struct replayable_count skipped[SKIP_N][OP_N];
	/* calls that the replay makes but that fail: the trace does not name the file of the
	 * descriptor */
	struct replayable_count unknown[OP_N];
};

/* Reads `t` from its beginning. Memory: about 150 bytes per request, for at most n_max requests. A
 * trace that a replay would refuse is a result (REPLAYABLE_REFUSED), not an error. Errors: of
 * reading. */
int replayable_find(struct replayable *x, struct trace *t, uint64_t n_max, struct err *e);

uint64_t replayable_n_skipped(const struct replayable *x, enum skip_reason reason);
uint64_t replayable_n_unknown(const struct replayable *x);
