/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What both sides of a shared memory count alike. */
#include "replay/engines/compiled/image.h"

static uint64_t lane_room(uint64_t n)
{
	return (n + IMAGE_LANE_ALIGN - 1) / IMAGE_LANE_ALIGN * IMAGE_LANE_ALIGN;
}

uint64_t image_outcome_bytes(const struct replay_plan *p)
{
	uint64_t n = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++)
		n += lane_room(p->lane[i].n);
	return n * sizeof(struct outcome);
}

void image_outcomes_set(struct replay_plan *p, struct outcome *base)
{
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		p->lane[i].outcome = base;
		base += lane_room(p->lane[i].n);
	}
}
