/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <csv.h>

#include "validate/columns/columns_private.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static size_t line_length(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len);
	return end ? (size_t)(end - text) : len;
}

int columns_split_text(struct columns_reader *r, const char *text, size_t len)
{
	SCOPED_FREE struct column_cell *cell = NULL;
	size_t cap = 0;
	int ret = 0;
	for (size_t from = 0; from < len && !ret;) {
		size_t size = line_length(text + from, len - from), n = 0, i = 0;
		const char *line = text + from;
		r->line++;
		for (;;) {
			while (i < size && is_blank(line[i]))
				i++;
			if (i == size || line[i] == '#')
				break;
			GROW(cell, n, cap);
			cell[n] = (struct column_cell){line + i, i, i + 1};
			while (i < size && !is_blank(line[i]) && line[i] != '#')
				i++;
			cell[n].len = i - cell[n].len;
			n++;
		}
		if (n)
			ret = columns_row(r, cell, n);
		from += size + 1;
	}
	return ret;
}

/* --- CSV, line by line through libcsv: skips comments and keeps line numbers --- */

struct split_row {
	struct columns_reader *r;
	/* all cells, each with a NUL */
	struct strbuf text;
	/* text is an offset until the row is complete */
	struct column_cell *cell;
	size_t *offset;
	size_t n, cell_cap, offset_cap, first_line;
	int ret;
};

static void on_field(void *text, size_t len, void *arg)
{
	struct split_row *row = arg;
	if (row->n == 0)
		row->first_line = row->r->line;
	GROW(row->cell, row->n, row->cell_cap);
	GROW(row->offset, row->n, row->offset_cap);
	row->offset[row->n] = row->text.len;
	row->cell[row->n++] = (struct column_cell){NULL, len, 0};
	strbuf_add(&row->text, len ? text : "", len);
	strbuf_addch(&row->text, 0);
}

static void on_row(int c, void *arg)
{
	struct split_row *row = arg;
	(void)c;
	for (size_t i = 0; i < row->n; i++)
		row->cell[i].text = row->text.s + row->offset[i];
	bool empty = row->n == 0 || (row->n == 1 && row->cell[0].len == 0);
	if (!row->ret && !empty)
		row->ret = columns_row(row->r, row->cell, row->n);
	row->n = 0;
	strbuf_reset(&row->text);
}

int columns_split_csv(struct columns_reader *r, const char *text, size_t len, char delimiter)
{
	struct split_row row = {.r = r, .text = STRBUF_INIT};
	struct csv_parser parser;
	bool quoted = false; /* the line begins within quotes */
	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI))
		return err_set(r->e, ENOMEM, "%s: not enough memory for the CSV parser",
			       r->c->path);
	csv_set_delim(&parser, (unsigned char)delimiter);
	for (size_t from = 0; from < len && !row.ret;) {
		size_t size = line_length(text + from, len - from),
		       whole = size + (from + size < len);
		r->line++;
		if (quoted || text[from] != '#') {
			for (const char *at = text + from;
			     (at = memchr(at, '"', (size_t)(text + from + size - at))); at++)
				quoted = !quoted;
			if (csv_parse(&parser, text + from, whole, on_field, on_row,
			    &row) != whole && !row.ret)
				row.ret = err_set(r->e, EBADMSG, "%s:%zu: %s", r->c->path, r->line,
						  csv_strerror(csv_error(&parser)));
		}
		from += size + 1;
	}
	if (!row.ret && csv_fini(&parser, on_field, on_row, &row))
		row.ret = err_set(r->e, EBADMSG, "%s:%zu: the file ends within quotes", r->c->path,
				  r->line);
	csv_free(&parser);
	strbuf_release(&row.text);
	FREE_EACH(row.cell, row.offset);
	return row.ret;
}
