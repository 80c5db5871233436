/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window of a sequence that is out of order: from the first missing place to the highest place
 * so far. Private to disorder.c.
 *
 * Places are stored in a ring. Payloads are summed in blocks of 64, 4096, ... places: an arrival
 * costs one addition per level, and only a late arrival sums over blocks. Memory: 20 bytes per
 * place of the window, in an unlinked temporary file if it is large. */
#pragma once

#include "common/std.h"

#define WINDOW_MAX_LEVELS 6

struct window_level {
	uint64_t *bytes; /* [n_blocks] sum of the received payloads of a block */
	/* [n_blocks] number of arrivals in a block; NULL at level 0, where `received` is used */
	uint32_t *count;
	size_t n_blocks; /* a power of two */
};

struct window_standing { /* an arrival with which later arrivals may be compared */
	uint64_t place, position;
};

struct disorder_window {
	bool open;
	bool counts_only; /* set only passed_position and passed_time of struct window_late */
	uint64_t first, next; /* first missing place; highest place so far plus 1 */
	uint64_t n_opened;    /* number of arrivals of the sequence before the window was opened */

	size_t cap; /* places: a power of two */
	void *memory;
	size_t memory_bytes;
	uint64_t *received; /* [cap / 64] ring of bits */
	/* [cap] for a missing place: time and position of the arrival that skipped it; */
	int64_t *time;
	uint64_t *payload;  /* for a received place: its payload */
	uint32_t *position;
	/* level l: blocks of 64^l places; level[0] is payload */
	struct window_level level[WINDOW_MAX_LEVELS];
	unsigned int n_levels;

	/* [n_standing] arrivals after which no smaller place arrived, ascending */
	struct window_standing *standing;
	size_t n_standing, standing_cap;
	/* [n_tails] smallest last place of an increasing sequence of each length above
	 * `n_settled` */
	uint64_t *tail;
	size_t n_tails, tail_cap;
	uint64_t n_settled;
};

void disorder_window_release(struct disorder_window *w);

/* Opens the window: the sequence has n arrivals, places 0 .. n-1. */
void disorder_window_open(struct disorder_window *w, uint64_t n);

/* Adds an arrival with place >= `next`, at `position` (from 0) in the sequence. The places between
 * are missing. Errors: ENOMEM, errors of the temporary file. */
int disorder_window_pass(struct disorder_window *w, uint64_t place, uint64_t position, int64_t time,
			 uint64_t bytes, struct err *e);

struct window_late {
	uint64_t passed_position; /* position of the earliest arrival with a higher place */
	int64_t passed_time;
	/* number of earlier arrivals with higher places, and their payloads */
	uint64_t n_larger, bytes_larger;
	uint64_t n_preceding;		 /* number of those directly before the arrival */
};
/* Adds an arrival with a missing place. Returns false if the place is not missing. */
bool disorder_window_fill(struct disorder_window *w, uint64_t place, uint64_t position,
			  uint64_t bytes, struct window_late *late);

/* Closes the window if no place is missing. Returns the number of its arrivals outside a longest
 * increasing subsequence. */
uint64_t disorder_window_close(struct disorder_window *w, uint64_t n);
