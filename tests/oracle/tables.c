/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/xalloc.h"
#include "tests/oracle/oracle.h"

struct reading {
	struct table *t;
	struct table_row row; /* the one being read */
	size_t cap, line;
};

static void on_field(void *text, size_t len, void *arg)
{
	struct reading *r = arg;
	char *copy = xmalloc(len + 1);
	if (len)
		memcpy(copy, text, len);
	copy[len] = 0;
	GROW(r->row.field, r->row.n_fields, r->cap);
	r->row.field[r->row.n_fields++] = copy;
}

static void on_row(int c, void *arg)
{
	struct reading *r = arg;
	(void)c;
	r->row.line = ++r->line;
	GROW(r->t->row, r->t->n, r->t->cap);
	r->t->row[r->t->n++] = r->row;
	r->row = (struct table_row){0};
	r->cap = 0;
}

static void row_release(struct table_row *row)
{
	for (size_t i = 0; i < row->n_fields; i++)
		free(row->field[i]);
	free(row->field);
}

static int parse(struct reading *r, FILE *f, struct err *e)
{
	struct csv_parser parser;
	char buffer[65536];
	size_t n;
	int rc = 0;
	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
		return err_set(e, ENOMEM, "%s: no parser", r->t->path);
	while (!rc && (n = fread(buffer, 1, sizeof buffer, f)) > 0)
		if (csv_parse(&parser, buffer, n, on_field, on_row, r) != n)
			rc = err_set(e, EBADMSG, "%s: row %zu: %s", r->t->path, r->line + 1,
				     csv_strerror(csv_error(&parser)));
	if (!rc && ferror(f))
		rc = err_sys(e, EIO, "%s", r->t->path);
	if (!rc && csv_fini(&parser, on_field, on_row, r))
		rc = err_set(e, EBADMSG, "%s: ends within quotes", r->t->path);
	csv_free(&parser);
	return rc;
}

static int header_check(struct table *t, const char *const *columns, size_t n_columns,
			struct err *e)
{
	bool good = t->n > 0 && t->row[0].n_fields >= n_columns;
	for (size_t i = 0; good && i < n_columns; i++)
		good = !strcmp(t->row[0].field[i], columns[i]);
	if (!good)
		return err_set(e, EBADMSG, "%s: the header is not %s,...", t->path, columns[0]);
	row_release(&t->row[0]);
	memmove(t->row, t->row + 1, --t->n * sizeof *t->row);
	return 0;
}

int table_read(struct table *t, const char *path, const char *const *columns, size_t n_columns,
	       struct err *e)
{
	*t = (struct table){.path = xstrdup(path)};
	struct reading r = {.t = t};
	FILE *f = fopen(path, "rb");
	int rc = f ? parse(&r, f, e) : err_sys(e, errno, "%s", path);
	if (f)
		fclose(f);
	row_release(&r.row);
	if (!rc)
		rc = header_check(t, columns, n_columns, e);
	if (rc)
		table_release(t);
	return rc;
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n; i++)
		row_release(&t->row[i]);
	free(t->row);
	free(t->path);
	*t = (struct table){0};
}

/* --- data sets ----------------------------------------------------------- */

static struct dataset *dataset_of(struct datasets *d, const char *name)
{
	for (size_t i = d->n; i-- > 0;)
		if (!strcmp(d->set[i].name, name))
			return &d->set[i];
	GROW(d->set, d->n, d->cap);
	d->set[d->n] = (struct dataset){.name = name};
	return &d->set[d->n++];
}

static size_t group_of(struct dataset *s, const char *name)
{
	for (size_t i = s->n_groups; i-- > 0;)
		if (!strcmp(s->group_name[i], name))
			return i;
	if (s->n_groups == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 8;
		s->group_name = xreallocarray(s->group_name, s->cap, sizeof *s->group_name);
		s->group = xreallocarray(s->group, s->cap, sizeof *s->group);
	}
	s->group_name[s->n_groups] = name;
	s->group[s->n_groups] = (struct values){NULL, 0};
	return s->n_groups++;
}

/* First pass: counts the values of each group. The index column must have the same numbers. */
static int groups_count(struct datasets *d, const struct table *t, struct err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->row[i];
		char *end;
		if (row->n_fields < 4)
			return err_set(e, EBADMSG, "%s: row %zu has %zu fields", t->path, row->line,
				       row->n_fields);
		struct dataset *s = dataset_of(d, row->field[0]);
		size_t g = group_of(s, row->field[1]);
		unsigned long index = strtoul(row->field[2], &end, 10);
		if (*end || index != ++s->group[g].n)
			return err_set(e, EBADMSG, "%s: row %zu: index %s is not the next one",
				       t->path, row->line, row->field[2]);
		s->n++;
	}
	return 0;
}

static void groups_place(struct dataset *s)
{
	size_t from = 0;
	s->x = xcalloc(s->n, sizeof *s->x);
	for (size_t g = 0; g < s->n_groups; g++) {
		s->group[g].x = s->x + from;
		from += s->group[g].n;
	}
}

int datasets_build(struct datasets *d, const struct table *t, struct err *e)
{
	*d = (struct datasets){0};
	int rc = groups_count(d, t, e);
	for (size_t i = 0; i < d->n; i++)
		groups_place(&d->set[i]);
	for (size_t i = 0; i < t->n && !rc; i++) {
		const struct table_row *row = &t->row[i];
		char *end;
		double value = strtod(row->field[3], &end);
		if (end == row->field[3] || *end) {
			rc = err_set(e, EBADMSG, "%s: row %zu: \"%s\" is not a number", t->path,
				     row->line, row->field[3]);
			break;
		}
		struct dataset *s = dataset_of(d, row->field[0]);
		size_t g = group_of(s, row->field[1]);
		s->x[(size_t)(s->group[g].x - s->x) + strtoul(row->field[2], NULL, 10) - 1] = value;
	}
	if (rc)
		datasets_release(d);
	return rc;
}

void datasets_release(struct datasets *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->set[i].group_name);
		free(d->set[i].group);
		free(d->set[i].x);
	}
	free(d->set);
	*d = (struct datasets){0};
}

const struct dataset *dataset_find(const struct datasets *d, const char *name)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->set[i].name, name))
			return &d->set[i];
	return NULL;
}
