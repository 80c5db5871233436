/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/plan_blank.h"

void plan_blank(struct replay_plan *p)
{
	for (uint32_t i = 0; i < p->n_lanes; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			if (p->lane[i].request[k].op != HOT_PASSED)
				p->lane[i].request[k].op = HOT_NOTHING;
			p->lane[i].expected[k] = 0;
		}
}
