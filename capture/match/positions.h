/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a file stands, followed through a trace: so that a read without an offset is the same
 * request as one whose offset is known.
 *
 * A file is opened at 0, moved by lseek and by what is read and written; dup shares it. A
 * descriptor that was there before is taken to stand at 0, which is where whoever replays it
 * begins. Writes of a file opened to append have no place, and requests that are no success move
 * nothing. Memory: 16 to 32 bytes for each descriptor number of each process, 24 for each file open
 * at one time. */
#ifndef CAPTURE_MATCH_POSITIONS_H
#define CAPTURE_MATCH_POSITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/match/sequences.h"
#include "capture/trace.h"

struct positions {
	struct sequences names; /* of process and descriptor */
	uint32_t *file;		/* file[n]: of each name, index into `open`; UINT32_MAX none */
	size_t n, cap;
	struct position *open; /* open[n_open] */
	size_t n_open, cap_open;
	uint32_t free; /* first unused one of them, UINT32_MAX none */
};

struct position {
	uint64_t at;
	uint32_t n_users, next; /* of unused ones */
	bool append;
};

void positions_init(struct positions *p);
void positions_release(struct positions *p);

/* Takes in the next record, in the order of begins, and gives the place it works at: its offset
 * where it has one, else the descriptor's position, OFFSET_NONE where nothing has one. */
uint64_t positions_follow(struct positions *p, const struct trace_record *r);

#endif
