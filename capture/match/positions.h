/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the position of files through a trace, so that a read without an offset equals one with a
 * known offset.
 *
 * A file is opened at position 0, and moved by lseek, reads and writes; dup shares it. A descriptor
 * that existed before the trace is assumed to be at 0, where replayers begin, too. Writes of a file
 * opened to append have no position; failed requests move nothing. Memory: 16 to 32 bytes for each
 * descriptor number of each process, 24 for each file open at one time. */
#pragma once

#include "capture/match/sequences.h"
#include "capture/trace.h"

struct positions {
	struct sequences names; /* of process and descriptor */
	uint32_t *file;		/* file[n]: index into `open` for each name; UINT32_MAX none */
	size_t n, cap;
	struct position *open; /* open[n_open] */
	size_t n_open, cap_open;
	uint32_t free; /* first unused element of open[], UINT32_MAX none */
};

struct position {
	uint64_t at;
	uint32_t n_users, next; /* next: of unused elements */
	bool append;
};

void positions_init(struct positions *p);
void positions_release(struct positions *p);

/* Takes the next record, in order of begin, and returns its offset, or the descriptor's position;
 * OFFSET_NONE if neither is known. */
uint64_t positions_follow(struct positions *p, const struct trace_record *r);
