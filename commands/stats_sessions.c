/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions of a sample, in the order of their first value. */
#include <stdlib.h>
#include <string.h>

#include "commands/stats.h"
#include "common/xalloc.h"

static size_t session_of(struct stats_sessions *g, char *label, size_t *cap)
{
	for (size_t i = g->n; i-- > 0;)
		if (!strcmp(g->label[i], label))
			return i;
	if (g->n == *cap) {
		*cap = *cap ? 2 * *cap : 16;
		g->label = xreallocarray(g->label, *cap, sizeof *g->label);
		g->group = xreallocarray(g->group, *cap, sizeof *g->group);
	}
	g->label[g->n] = label;
	g->group[g->n] = (struct values){NULL, 0};
	return g->n++;
}

void stats_sessions_fill(struct stats_sample *s)
{
	struct stats_sessions *g = &s->sessions;
	size_t n = s->columns.n, cap = 0, at = 0, *of = xcalloc(n, sizeof *of), *filled;
	for (size_t i = 0; i < n; i++) {
		of[i] = session_of(g, s->columns.column[1].label[i], &cap);
		g->group[of[i]].n++;
	}
	g->x = xcalloc(n, sizeof *g->x);
	filled = xcalloc(g->n, sizeof *filled);
	for (size_t i = 0; i < g->n; i++) {
		g->group[i].x = g->x + at;
		filled[i] = at;
		at += g->group[i].n;
	}
	for (size_t i = 0; i < n; i++)
		g->x[filled[of[i]]++] = s->column->x[i];
	free(of);
	free(filled);
	sessions_describe(g->group, g->n, &g->estimates);
}
