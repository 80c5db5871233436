/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events that are missing in a trace whose source numbers them, each processor its own: numbers that are skipped. */
#ifndef CAPTURE_FORMATS_SEQUENCE_GAPS_H
#define CAPTURE_FORMATS_SEQUENCE_GAPS_H

#include <stdbool.h>
#include <stdint.h>

#define SEQUENCE_ROWS 1024u

struct sequence_gaps {
	struct sequence_row {
		uint32_t device, cpu, last;
		bool used;
	} row[SEQUENCE_ROWS]; /* by a hash; who shares a row with another is not followed */
	uint32_t min, max, before;
	uint64_t n, n_rows, n_missing, n_back;
};

/* The next event in the order of time. Number 0: it has none. */
void sequence_gaps_see(struct sequence_gaps *g, uint32_t device, uint32_t cpu, uint32_t number);
/* How many are missing. Where the numbers go up across the processors they were given to all of them together, and what one has not is
 * another's. What is missing before the first and behind the last cannot be known. */
uint64_t sequence_gaps_missing(const struct sequence_gaps *g);

#endif
