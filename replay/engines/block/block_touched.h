/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts the effects of a replay on a device (--dry-run). */
#pragma once

#include "replay/result/summary.h"

struct block_input;
/* Fills all but `refusal`. Ownership: block_touched_release. */
void block_touched_find(struct block_touched *t, const struct block_input *l,
			uint64_t device_bytes);
void block_touched_release(struct block_touched *t); /* a zeroed struct is fine */
