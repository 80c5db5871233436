/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay of a trace of system calls would refuse or skip, told without replaying it: by the
 * same walk that prepares a replay. Where the files are is not asked. */
#ifndef REPLAY_REPLAYABLE_H
#define REPLAY_REPLAYABLE_H

#include "capture/op.h"
#include "replay/load/load.h"

struct replayable_count {
	uint64_t n;
	uint32_t first; /* the first record of those: its number in the file, from 0; where n > 0 */
};

struct replayable {
	enum replayable_state {
		REPLAYABLE_KNOWN,
		REPLAYABLE_TOO_MANY, /* more than n_max requests: not looked at */
		REPLAYABLE_REFUSED,  /* the whole trace: `why` */
		REPLAYABLE_BLOCK,    /* requests of a device: engines for files refuse them */
	} state;
	struct err why;
	uint64_t n_records, n_replayed; /* n_replayed: called, whatever comes of it */
	struct replayable_count never_issued; /* their begin is not known */
	struct replayable_count passed[PASS_N][OP_N];
	/* replayed, and fail: the file of the descriptor is not told */
	struct replayable_count unknown[OP_N];
};

/* Reads `t` from its beginning. Memory: some 150 bytes a request, for at most n_max of them.
 * Errors: of the system, as reading. What the preparation of a replay would refuse is no error, but
 * told. */
int replayable_find(struct replayable *x, struct trace *t, uint64_t n_max, struct err *e);

uint64_t replayable_n_passed(const struct replayable *x, enum pass_reason reason);
uint64_t replayable_n_unknown(const struct replayable *x);

#endif
