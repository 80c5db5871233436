/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/tables/tables.h"

#include <assert.h>

static const struct table_kind *const kinds[] = {TABLES(TABLE_ADDRESS)};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static void row_add(struct table *t, const struct analysis *a, const struct table_kind *kind,
		    size_t i)
{
	const struct cell *c = kind->cell ? ROW_ITEM(t, &a->cell[i]) : NULL;
	if (kind->cell) {
		table_cell(t, a, c);
		kind->cell(t, c);
	} else if (kind->row) {
		kind->row(t, a, i);
	}
}

static void table_fill(struct table *t, const struct analysis *a, const struct table_kind *kind)
{
	table_init(t, kind->name, kind->title);
	t->data_only = kind->data_only;
	if (kind->note)
		table_note(t, "%s", kind->note);
	t->in_heads = true;
	row_add(t, a, kind, 0);
	if (kind->item)
		kind->item(t, a, 0, 0);
	t->in_heads = false;
	if (kind->n_row_headers)
		t->n_row_headers = kind->n_row_headers;
	for (size_t i = 0, n = kind->cell ? a->n_cells : kind->n_rows(a); i < n; i++) {
		row_add(t, a, kind, i);
		for (size_t k = 0; kind->item && k < kind->n_items(a, i); k++)
			kind->item(t, a, i, k);
	}
}

bool table_build(struct table *t, const struct analysis *a, size_t index)
{
	if (index >= N_KINDS)
		return false;
	table_fill(t, a, kinds[index]);
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

/* --- columns of the model ------------------------------------------------ */

static bool is_column(const struct model_member *m)
{
	return m->kind == MODEL_REAL || m->kind == MODEL_U64 || m->kind == MODEL_U32 ||
	       m->kind == MODEL_BOOL || m->of == &model_estimate;
}

/* The row of the field at this offset, also in a nested struct. Sets *base to the offset of the
 * struct that has the field. NULL: none. */
static const struct model_member *row_at(const struct model_list *list, size_t at, size_t *base)
{
	for (const struct model_member *m = list->member; m->name; m++) {
		if (m->real || m->count || m->text || m->item || m->pointer)
			continue;
		if (m->at == at && is_column(m)) {
			*base = 0;
			return m;
		}
		if (m->kind != MODEL_OBJECT || m->at > at)
			continue;
		const struct model_member *nested = row_at(m->of, at - m->at, base);
		if (nested) {
			*base += m->at;
			return nested;
		}
	}
	return NULL;
}

/* The member's name without the unit that the format adds. */
static void key_add(struct strbuf *out, const struct model_member *m)
{
	const char *unit = table_unit(&(const struct table_column){.format = m->format});
	const size_t name = strlen(m->name), end = strlen(unit);
	const bool has_unit = end && name > end + 1 && m->name[name - end - 1] == '_' &&
			      !strcmp(m->name + name - end, unit);
	strbuf_add(out, m->name, has_unit ? name - end - 1 : name);
}

void table_of(struct table *t, const struct model_list *list, size_t at, const void *s,
	      const char *key, const char *title, double u)
{
	size_t base;
	const struct model_member *m = row_at(list, at, &base);
	assert(m);
	const bool estimate = m->kind == MODEL_OBJECT;
	if (t->in_heads) {
		SCOPED_STRBUF name = STRBUF_INIT;
		key_add(&name, m);
		table_head(t, m->format, key ? key : name.s, title, estimate);
		return;
	}
	const struct model_at of = {.s = (const char *)s + base, .m = m};
	if (estimate)
		table_estimate(t, model_struct(&of));
	else if (m->kind == MODEL_BOOL)
		table_text(t, model_bool(&of) ? "yes" : "no");
	else if (m->kind == MODEL_REAL)
		table_number_status(t, model_status(&of), model_real(&of), u);
	else
		table_count(t, (double)model_count(&of));
}
