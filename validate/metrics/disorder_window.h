/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a sequence in which order is open: from the first place that is missing to the
 * highest that was seen. Private to disorder.c.
 *
 * Places are looked up in a ring. Payloads are summed in blocks of 64, 4096, ... places, so that an
 * arrival costs one addition a level, and only a late one has to sum up. Memory: 20 bytes a place
 * of the window, in an unlinked temporary file where that is much. */
#ifndef VALIDATE_METRICS_DISORDER_WINDOW_H
#define VALIDATE_METRICS_DISORDER_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

#define WINDOW_MAX_LEVELS 6

struct window_level {
	uint64_t *bytes; /* [n_blocks] sum of the payloads received in a block */
	uint32_t *count; /* [n_blocks] arrivals in it; NULL at level 0, where `received` tells */
	size_t n_blocks; /* a power of two */
};

struct window_standing { /* an arrival that later ones may be compared with */
	uint64_t place, position;
};

struct disorder_window {
	bool open;
	bool counts_only; /* only passed_position and passed_time of struct window_late */
	uint64_t first, next; /* first is missing, next is one above the highest place seen */
	uint64_t n_opened;    /* arrivals of the sequence before it was opened */

	size_t cap; /* places: a power of two */
	void *memory;
	size_t memory_bytes;
	uint64_t *received; /* [cap / 64] ring of bits */
	/* [cap] of a missing place: time and position of the arrival that passed it over; of one */
	int64_t *time;
	uint64_t *payload;  /* that was received: its bytes */
	uint32_t *position;
	/* level l: blocks of 64^l places; level[0] is payload */
	struct window_level level[WINDOW_MAX_LEVELS];
	unsigned int n_levels;

	/* [n_standing] arrivals with no smaller place behind them, ascending */
	struct window_standing *standing;
	size_t n_standing, standing_cap;
	/* [n_tails] smallest end of an increasing sequence of each length above `n_settled` */
	uint64_t *tail;
	size_t n_tails, tail_cap;
	uint64_t n_settled;
};

void disorder_window_release(struct disorder_window *w);

/* Opens it: the sequence has n arrivals, the places 0 .. n-1. */
void disorder_window_open(struct disorder_window *w, uint64_t n);

/* An arrival of a place not below `next`, the position-th (from 0) of the sequence: skips those
 * between. Errors: ENOMEM, of the temporary file. */
int disorder_window_pass(struct disorder_window *w, uint64_t place, uint64_t position, int64_t time,
			 uint64_t bytes, struct err *e);

struct window_late {
	uint64_t passed_position; /* of the earliest arrival with a higher place */
	int64_t passed_time;
	/* earlier arrivals with higher places, and their payloads */
	uint64_t n_larger, bytes_larger;
	uint64_t n_preceding;		 /* of those just before */
};
/* An arrival of a missing place. False: the place is not missing. */
bool disorder_window_fill(struct disorder_window *w, uint64_t place, uint64_t position,
			  uint64_t bytes, struct window_late *late);

/* Nothing is missing any more. Returns how many of its arrivals lie outside a longest increasing
 * subsequence. */
uint64_t disorder_window_close(struct disorder_window *w, uint64_t n);

#endif
