/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replay would do to a device, told without doing it. */
#ifndef REPLAY_BLOCK_TOUCHED_H
#define REPLAY_BLOCK_TOUCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block_range {
	uint64_t from, to; /* bytes of the device; to: the first one after it */
};

struct block_touched {
	bool is; /* a dry run: nothing else of the summary counts */
	uint64_t device_bytes;
	uint64_t n_reads, n_writes, n_flushes, n_discards;
	struct block_range *written; /* written[n_written], by place, none touches another: what writes and discards change; owned */
	size_t n_written;
	uint64_t written_bytes; /* of them all */
	char refusal[500]; /* why the replay itself would be refused; "": it would not be */
};

struct block_load;
/* Fills all but `refusal`. Ownership: block_touched_release. */
void block_touched_find(struct block_touched *t, const struct block_load *l, uint64_t device_bytes);
void block_touched_release(struct block_touched *t); /* an all-zero one is fine */

#endif
