/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/machine/machine.h"

struct machine_row *machine_row_add(struct machine *m)
{
	GROW(m->row, m->n_rows, m->cap_rows);
	m->row[m->n_rows] = (struct machine_row){.value = NAN, .value_limit = NAN};
	return &m->row[m->n_rows++];
}

void machine_note_add(struct machine *m, const char *text)
{
	m->note = xreallocarray(m->note, m->n_notes + 1, sizeof *m->note);
	m->note[m->n_notes++] = xstrdup(text);
}

struct machine_group machine_group_at(const struct machine *m, size_t i)
{
	struct machine_group g = {.first = &m->row[i]};
	for (size_t k = 0; k < m->n_rows; k++) {
		const struct machine_row *r = &m->row[k];
		if (strcmp(r->component, g.first->component))
			continue;
		g.n_component++;
		if (r->outcome != g.first->outcome)
			continue;
		if (k < i)
			return (struct machine_group){.first = NULL};
		g.n++;
	}
	return g;
}

void machine_release(struct machine *m)
{
	for (size_t i = 0; i < m->n_rows; i++)
		FREE_EACH(m->row[i].number, m->row[i].limit, m->row[i].message);
	for (size_t i = 0; i < m->n_notes; i++)
		free(m->note[i]);
	FREE_EACH(m->row, m->note, m->title, m->headline);
	*m = (struct machine){0};
}
