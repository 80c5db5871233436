/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/sequence_gaps.h"

static void row_see(struct sequence_gaps *g, struct sequence_row *w, uint32_t number)
{
	if (number > w->last)
		g->n_missing += number - w->last - 1;
	else if (number != 1 && g->n_missing) /* one that was thought missing; 1: another run begins */
		g->n_missing--;
	if (number > w->last || number == 1)
		w->last = number;
}

void sequence_gaps_see(struct sequence_gaps *g, uint32_t device, uint32_t cpu, uint32_t number)
{
	struct sequence_row *w = &g->row[(cpu * 31 + device) % SEQUENCE_ROWS];
	if (!number)
		return;
	g->min = !g->n || number < g->min ? number : g->min;
	g->max = number > g->max ? number : g->max;
	g->n_back += g->n && number <= g->before;
	g->before = number;
	g->n++;
	if (w->used && w->device == device && w->cpu == cpu) {
		row_see(g, w, number);
		return;
	}
	g->n_rows++;
	*w = (struct sequence_row){.device = device, .cpu = cpu, .last = number, .used = true};
}

uint64_t sequence_gaps_missing(const struct sequence_gaps *g)
{
	const uint64_t span = g->n ? (uint64_t)g->max - g->min + 1 : 0;
	const bool together = g->n_rows > 1 && g->n_back * 100 <= g->n && span >= g->n;
	return together && span - g->n < g->n_missing ? span - g->n : g->n_missing;
}
