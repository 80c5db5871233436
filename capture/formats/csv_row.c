/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The header and the lines of a CSV trace: doc/formats/csv.md. */

#include "capture/formats/csv_private.h"
#include "capture/number.h"
#include "capture/op.h"
#include "capture/trace_format.h"
#include "common/units.h"

static const char *const column_names[COL_N + 1] = {"pid", "tid", "begin", "end", "function",
    "args", "rvalue", "error", "seq", "intended", "dispatch", NULL};

void csv_fail(struct csv_trace *t, const char *format, ...)
{
	char why[800];
	va_list ap;
	if (t->error.code)
		return;
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	unsigned long long line = t->line;
	if (t->n_columns && t->field < t->n_columns && t->columns[t->field] != COL_IGNORED)
		err_set(&t->error, EINVAL, "%s: line %llu, column %u (%s): %s", t->path, line,
			t->field + 1, column_names[t->columns[t->field]], why);
	else
		err_set(&t->error, EINVAL, "%s: line %llu, column %u: %s", t->path, line,
			t->field + 1, why);
}

/* --- the header ---------------------------------------------------------- */

static void header_field(struct csv_trace *t, const char *s, size_t len)
{
	char name[64];
	if (len >= 2 && (s[0] == 'x' || s[0] == 'X') && s[1] == '-') {
		t->columns[t->field] = COL_IGNORED;
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), s);
	enum csv_column c = 0;
	while (c < COL_N && strcmp(name, column_names[c]))
		c++;
	if (c == COL_N) {
		const char *near = nearest_name(name, column_names);
		csv_fail(
		    t,
		    "unknown column \"%s\"%s%s%s (columns whose name begins with x- are ignored)",
		    name, near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
		return;
	}
	for (unsigned int i = 0; i < t->field; i++)
		if (t->columns[i] == c)
			csv_fail(t, "column \"%s\" occurs twice", name);
	t->columns[t->field] = c;
}

void csv_header_read(struct csv_trace *t, const struct csv_row *r)
{
	const unsigned int n = r->n < COLUMNS_MAX ? r->n : COLUMNS_MAX;
	for (; t->field < n && !t->error.code; t->field++)
		header_field(t, r->field[t->field].s, r->field[t->field].len);
	if (r->n > COLUMNS_MAX)
		csv_fail(t, "the header has more than %d columns", COLUMNS_MAX);
	for (enum csv_column c = 0; c < COL_REQUIRED; c++) {
		bool found = false;
		for (unsigned int i = 0; i < n; i++)
			if (t->columns[i] == c) {
				found = true;
				t->args_column = c == COL_ARGS ? i : t->args_column;
			}
		if (!found)
			csv_fail(t, "the header has no column \"%s\"", column_names[c]);
	}
	if (!t->error.code)
		t->n_columns = n;
}

/* --- a row --------------------------------------------------------------- */

static void take_u32(struct csv_trace *t, const char *s, size_t len, uint32_t *v)
{
	uint64_t u;
	if (!scan_all_u64(s, len, &u) || u > UINT32_MAX)
		csv_fail(t, "\"%.*s\" is not a whole number from 0 to 4294967295",
			 (int)(len < 60 ? len : 60), s);
	else
		*v = (uint32_t)u;
}

static void take_time(struct csv_trace *t, const char *s, size_t len, int64_t *v)
{
	*v = TIME_NONE;
	if (len && (!scan_all_i64(s, len, v) || *v > TRACE_TIME_MAX || *v < -TRACE_TIME_MAX))
		csv_fail(t, "\"%.*s\" is not a whole number of nanoseconds from -2^61 to 2^61",
			 (int)(len < 60 ? len : 60), s);
}

static void take_function(struct csv_trace *t, const char *s, size_t len)
{
	char name[32] = "";
	memcpy(name, s, len < sizeof name ? len : sizeof name - 1);
	t->row.op = (uint16_t)op_find(name);
	if (t->row.op == OP_INVALID) {
		const char *near = nearest_name(name, op_names);
		csv_fail(t, "function \"%s\" is unknown%s%s%s", name,
			 near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
	}
}

static void take_error(struct csv_trace *t, const char *s, size_t len)
{
	uint64_t u = 0;
	if (len && *s >= '0' && *s <= '9') {
		if (!scan_all_u64(s, len, &u) || u > UINT16_MAX)
			csv_fail(t, "\"%.*s\" is not an error number from 0 to 65535",
				 (int)(len < 60 ? len : 60), s);
	} else if (len) {
		const char *name;
		for (u = 1; u < 4096; u++)
			if ((name = strerrorname_np((int)u)) && strlen(name) == len &&
			    !memcmp(name, s, len))
				break;
		if (u == 4096)
			csv_fail(t, "\"%.*s\" is not the name of an error, such as ENOENT",
				 (int)(len < 60 ? len : 60),
				 s);
	}
	t->row.error = (uint16_t)u;
}

static inline void take_field(struct csv_trace *t, enum csv_column c, const char *s, size_t len)
{
	switch (c) {
	case COL_PID:
		take_u32(t, s, len, &t->row.pid);
		break;
	case COL_TID:
		take_u32(t, s, len, &t->row.tid);
		break;
	case COL_BEGIN:
		take_time(t, s, len, &t->row.begin_ns);
		break;
	case COL_END:
		take_time(t, s, len, &t->row.end_ns);
		break;
	case COL_INTENDED:
		take_time(t, s, len, &t->row.intended_ns);
		break;
	case COL_DISPATCH:
		take_time(t, s, len, &t->row.dispatch_ns);
		break;
	case COL_FUNCTION:
		take_function(t, s, len);
		break;
	case COL_ARGS: /* parsed at the end of the row, because function and rvalue must be known */
		t->args_s = s;
		t->args_len = len;
		break;
	case COL_RVALUE:
		if (!scan_all_i64(s, len, &t->row.rvalue))
			csv_fail(t, "\"%.*s\" is not a whole number", (int)(len < 60 ? len : 60),
				 s);
		break;
	case COL_ERROR:
		take_error(t, s, len);
		break;
	case COL_SEQ:
		t->has_seq = len > 0;
		if (len && !scan_all_u64(s, len, &t->row.seq))
			csv_fail(t, "\"%.*s\" is not a whole number", (int)(len < 60 ? len : 60),
				 s);
		break;
	case COL_IGNORED:
		break;
	}
}

void csv_row_read(struct csv_trace *t, const struct csv_row *r)
{
	struct err e; /* not ERR_INIT, which would clear the whole struct for every line */
	err_clear(&e);
	t->has_seq = false;
	t->row = record_unknown();
	for (; t->field < r->n && t->field < t->n_columns && !t->error.code; t->field++)
		take_field(t, t->columns[t->field], r->field[t->field].s, r->field[t->field].len);
	if (t->error.code)
		return;
	if (t->field < r->n) {
		csv_fail(t, "the line has more columns than the header, which has %u",
			 t->n_columns);
		return;
	}
	if (t->field < t->n_columns) {
		csv_fail(t, "the line ends after %u of %u columns", t->field, t->n_columns);
		return;
	}
	t->field = t->args_column;
	if (csv_args_read(t->args_s, t->args_len, &t->row, &t->args, &e)) {
		csv_fail(t, "%s", e.msg);
		return;
	}
	if (t->args.object_kind &&
	    (t->args.object_name_len > NAME_LEN_MAX ||
	     object_table_intern(&t->base.objects, t->args.object_kind, t->args.object_name,
				       t->args.object_name_len, &t->row.object, &e))) {
		csv_fail(t, "%s", e.code ? e.msg : "the name is longer than 65535 bytes");
		return;
	}
	if (t->args.has_heap) {
		t->row.heap = (uint32_t)(t->heap.len / 8);
		heap_item_add(&t->heap, t->args.heap.s, t->args.heap.len);
	}
	if (!t->has_seq)
		t->row.seq = t->n_rows;
	t->row.commit = TRACE_COMMIT;
	t->n_rows++;
	GROW(t->record, t->n_records, t->cap_records);
	t->record[t->n_records++] = t->row;
}
