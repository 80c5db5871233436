/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows the position of files through a trace, so that a read without an offset can match a read
 * with a known offset.
 *
 * The position of an opened file is 0. lseek, reads and writes change it; a descriptor made by dup
 * shares it. A descriptor that existed before the trace is assumed to be at 0, where replayers
 * begin, too. Writes to a file that was opened with O_APPEND have no position. Failed requests do
 * not change the position. Memory: 16 to 32 bytes for each descriptor number of each process, and
 * 24 bytes for each file that is open at the same time. */
#pragma once

#include "capture/match/sequences.h"
#include "capture/trace.h"

struct positions {
	struct sequences names; /* numbers of process and descriptor */
	uint32_t *file;		/* file[n]: index into `open` for each name; UINT32_MAX: none */
	size_t n, cap;
	struct position *open; /* open[n_open] */
	size_t n_open, cap_open;
	uint32_t free; /* first unused element of open[]; UINT32_MAX: none */
};

struct position {
	uint64_t at;
	uint32_t n_users, next; /* next: link in the list of unused elements */
	bool append;
};

void positions_init(struct positions *p);
void positions_release(struct positions *p);

/* Processes the next record, in order of start. Returns its offset, or the position of the
 * descriptor; OFFSET_NONE if neither is known. */
uint64_t positions_follow(struct positions *p, const struct trace_record *r);
