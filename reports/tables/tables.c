/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tables/tables.h"

static const struct table_kind *const kinds[] = {TABLES(TABLE_ADDRESS)};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static void build(struct table *t, const struct analysis *a, const struct table_kind *kind)
{
	table_init(t, kind->name, kind->title);
	t->data_only = kind->data_only;
	if (kind->note)
		table_note(t, "%s", kind->note);
	t->in_heads = true;
	if (kind->row)
		kind->row(t, a, 0);
	else
		kind->item(t, a, 0, 0);
	t->in_heads = false;
	if (kind->n_row_headers)
		t->n_row_headers = kind->n_row_headers;
	for (size_t i = 0, n = kind->n_rows(a); i < n; i++) {
		if (kind->row)
			kind->row(t, a, i);
		for (size_t k = 0; kind->item && k < kind->n_items(a, i); k++)
			kind->item(t, a, i, k);
	}
}

bool table_build(struct table *t, const struct analysis *a, size_t index)
{
	if (index >= N_KINDS)
		return false;
	build(t, a, kinds[index]);
	return true;
}

bool table_build_named(struct table *t, const struct analysis *a, const char *name)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i]->name, name))
			return table_build(t, a, i);
	return false;
}

void tables_build(struct tables *ts, const struct analysis *a)
{
	ts->n = N_KINDS;
	ts->table = xcalloc(ts->n, sizeof *ts->table);
	for (size_t i = 0; i < ts->n; i++)
		table_build(&ts->table[i], a, i);
}

void tables_release(struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		table_release(&ts->table[i]);
	free(ts->table);
	*ts = (struct tables){0};
}

const struct table *tables_find(const struct tables *ts, const char *name)
{
	for (size_t i = 0; i < ts->n; i++)
		if (!strcmp(ts->table[i].name, name))
			return &ts->table[i];
	return NULL;
}

size_t table_n_cells(const struct analysis *a)
{
	return a->n_cells;
}

void table_cell(struct table *t, const struct analysis *a, const struct cell *c)
{
	const struct protocol *p = &a->results->protocol;
	COL_TEXT(t, "scenario", "Scenario", p->scenario[c->scenario].name);
	COL_TEXT(t, "replayer", "Replayer", p->replayer[c->replayer].name);
	if (t->in_heads)
		t->n_row_headers = 2;
}
