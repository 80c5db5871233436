/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of published values: CSV (RFC 4180) with a header line,
 *
 *   source,measure,operation,scenario,replayer,value,uncertainty
 *   Table VII,response-time,read,,engine=event order=fs,20.73 us,118.27 %
 *
 * source: place in the literature; measure: protocol/measure.h; operation: empty for all requests;
 * scenario and replayer: selectors (protocol/selector.h), empty for all; value: with the unit of
 * the measure; uncertainty: as a share of the value, or empty. Lines that begin with '#' are
 * comments. */
#include <csv.h>

#include "common/files.h"
#include "validate/protocol/protocol_read.h"
#include "validate/protocol/selector.h"
#include "common/text.h"

#define FILE_MAX_BYTES (1u << 20)
#define ROWS_MAX 10000

enum published_column {
	COLUMN_SOURCE, COLUMN_MEASURE, COLUMN_OPERATION, COLUMN_SCENARIO, COLUMN_REPLAYER,
	COLUMN_VALUE, COLUMN_UNCERTAINTY, N_COLUMNS,
};
static const char *const column_names[N_COLUMNS] = {"source",	"measure", "operation",	 "scenario",
						    "replayer", "value",   "uncertainty"};

struct published_reading {
	struct protocol *p;
	const char *path;
	char *field[N_COLUMNS];
	size_t n_fields, n_rows;
	int ret;
	struct err *e;
};

static void fields_clear(struct published_reading *r)
{
	for (size_t i = 0; i < N_COLUMNS; i++) {
		free(r->field[i]);
		r->field[i] = NULL;
	}
	r->n_fields = 0;
}

static void on_field(void *text, size_t len, void *user)
{
	struct published_reading *r = user;
	if (r->n_fields < N_COLUMNS)
		r->field[r->n_fields] = xasprintf("%.*s", (int)len, text ? (const char *)text : "");
	r->n_fields++;
}

static int row_refuse(struct published_reading *r, int column)
{
	return err_context(r->e, "%s: row %zu, %s", r->path, r->n_rows, column_names[column]);
}

static int selector_take(struct published_reading *r, struct selector *s, int column)
{
	return !*r->field[column] || selector_parse(s, r->field[column], r->e) == 0
		   ? 0
		   : row_refuse(r, column);
}

static int header_check(struct published_reading *r)
{
	bool right = r->n_fields == N_COLUMNS;
	for (size_t i = 0; right && i < N_COLUMNS; i++)
		right = !strcmp(r->field[i], column_names[i]);
	return right ? 0
		     : err_set(r->e, EINVAL,
			       "%s: the header line is not "
			       "source,measure,operation,scenario,replayer,value,uncertainty",
			       r->path);
}

static int row_take(struct published_reading *r)
{
	struct protocol *p = r->p;
	if (r->n_fields != N_COLUMNS)
		return err_set(r->e, EINVAL, "%s: row %zu has %zu fields, but %d are expected",
			       r->path, r->n_rows, r->n_fields, N_COLUMNS);
	if (p->n_published == ROWS_MAX)
		return err_set(r->e, EFBIG, "%s has more than %d rows", r->path, ROWS_MAX);
	p->published = xreallocarray(p->published, p->n_published + 1, sizeof *p->published);
	struct published_value *v = &p->published[p->n_published++];
	*v = (struct published_value){.uncertainty = NAN,
				      .source = xstrdup(r->field[COLUMN_SOURCE])};
	if (measure_find(r->field[COLUMN_MEASURE], &v->measure, r->e) < 0)
		return row_refuse(r, COLUMN_MEASURE);
	if (*r->field[COLUMN_OPERATION]) {
		v->operation = xstrdup(r->field[COLUMN_OPERATION]);
		if (!measure_info[v->measure].by_operation) {
			err_set(r->e, EINVAL, "measure %s has no values by operation: leave this "
					      "field empty",
				measure_info[v->measure].name);
			return row_refuse(r, COLUMN_OPERATION);
		}
	}
	int ret = selector_take(r, &v->scenario, COLUMN_SCENARIO);
	ret = ret ? ret : selector_take(r, &v->replayer, COLUMN_REPLAYER);
	if (!ret && measure_value_parse(v->measure, r->field[COLUMN_VALUE], &v->value, r->e) < 0)
		ret = row_refuse(r, COLUMN_VALUE);
	if (!ret && *r->field[COLUMN_UNCERTAINTY] && measure_value_parse(MEASURE_CV,
	    r->field[COLUMN_UNCERTAINTY], &v->uncertainty, r->e) < 0)
		ret = row_refuse(r, COLUMN_UNCERTAINTY);
	return ret;
}

static void on_row(int end, void *user)
{
	struct published_reading *r = user;
	(void)end;
	bool comment = r->n_fields && r->field[0][0] == '#';
	if (!r->ret && r->n_fields && !comment) {
		r->ret = r->n_rows ? row_take(r) : header_check(r);
		r->n_rows++;
	}
	fields_clear(r);
}

static int text_parse(struct published_reading *r, const struct strbuf *text)
{
	struct csv_parser csv;
	if (text_valid_length(text->s, text->len) != text->len)
		return err_set(r->e, EINVAL, "%s: not UTF-8 text", r->path);
	if (csv_init(&csv, CSV_STRICT | CSV_STRICT_FINI))
		return err_set(r->e, ENOMEM, "%s: not enough memory for the CSV parser", r->path);
	size_t n = csv_parse(&csv, text->s, text->len, on_field, on_row, r);
	if (n != text->len || csv_fini(&csv, on_field, on_row, r))
		r->ret = r->ret ? r->ret
				: err_set(r->e, EINVAL, "%s: row %zu: %s", r->path, r->n_rows,
					  csv_strerror(csv_error(&csv)));
	csv_free(&csv);
	fields_clear(r);
	if (!r->ret && !r->n_rows)
		r->ret = err_set(r->e, EINVAL, "%s is empty: a header line is needed", r->path);
	return r->ret;
}

/* Checks the name: only a plain name that ends in .csv is permitted, because the file is beside the
 * protocol and is copied into the results directory. */
static int name_check(const char *name, struct err *e)
{
	size_t len = strlen(name);
	if (strchr(name, '/') || name[0] == '.' || len < 5 || strcmp(name + len - 4, ".csv"))
		return err_set(
		    e, EINVAL,
		    "\"%s\": expected the name of a .csv file in the protocol's directory",
		    name);
	return 0;
}

char *published_path(const struct protocol *p)
{
	const char *slash = strrchr(p->path, '/');
	return slash ? xasprintf("%.*s/%s", (int)(slash - p->path), p->path, p->published_file)
		     : xstrdup(p->published_file);
}

int published_read(struct protocol *p, const struct protocol_file *f, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	const struct ini_section *s = section_find(f, "protocol");
	if (!p->published_file)
		return 0;
	if (name_check(p->published_file, e) < 0)
		return key_refuse(f, ini_key_find(s, "published"), e);
	SCOPED_FREE char *path = published_path(p);
	struct published_reading r = {.p = p, .path = path, .e = e};
	int ret = file_read(path, &text, FILE_MAX_BYTES, e);
	if (ret)
		key_refuse(f, ini_key_find(s, "published"), e);
	else
		ret = text_parse(&r, &text);
	return ret;
}

void published_release(struct protocol *p)
{
	for (size_t i = 0; i < p->n_published; i++) {
		FREE_EACH(p->published[i].source, p->published[i].operation);
		selector_release(&p->published[i].scenario);
		selector_release(&p->published[i].replayer);
	}
	FREE_EACH(p->published, p->published_file);
	p->published = NULL;
	p->n_published = 0;
}
