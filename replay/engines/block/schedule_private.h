/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between schedule.c and schedule_dep.c. */
#ifndef REPLAY_BLOCK_SCHEDULE_PRIVATE_H
#define REPLAY_BLOCK_SCHEDULE_PRIVATE_H

#include "replay/engines/block/schedule.h"

uint32_t schedule_take_ready(struct block_schedule *s, int64_t now, uint32_t room, uint32_t *taken);
void schedule_nearest_init(struct block_schedule *s, uint32_t n_ranks);
void schedule_ended_dependent(struct block_schedule *s, uint32_t k, int64_t end);

#endif
