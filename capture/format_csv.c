/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a trace from CSV, strictly and streaming: doc/formats/csv.md. libcsv splits the text; it tells no positions,
 * so lines are counted from the line ends it reports and those inside quoted fields. */
#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/csv_args.h"
#include "capture/format.h"
#include "capture/op.h"
#include "capture/trace_private.h"
#include "common/units.h"
#include "common/xalloc.h"

#define CHUNK (256u << 10)
#define FIELD_MAX (48u << 20) /* a side heap item of 16 MiB in hexadecimal has room */
#define COLUMNS_MAX 64
#define SAMPLE_CHUNKS 4 /* read when opening, for the header and the stamps' resolution */

enum column {
	COL_PID,
	COL_TID,
	COL_BEGIN,
	COL_END,
	COL_FUNCTION,
	COL_ARGS,
	COL_RVALUE,
	COL_REQUIRED, /* those before must be there */
	COL_ERROR = COL_REQUIRED,
	COL_SEQ,
	COL_INTENDED,
	COL_DISPATCH,
	COL_N,
	COL_IGNORED = COL_N, /* its name begins with "x-" */
};

static const char *const column_names[COL_N + 1] = {"pid",    "tid",   "begin", "end",      "function", "args",
						    "rvalue", "error", "seq",   "intended", "dispatch", NULL};

struct csv_trace {
	struct trace base;
	char *path;
	int fd;
	struct csv_parser parser;
	bool has_parser, at_end;
	char *chunk;
	struct err error; /* the first bad line: nothing is read behind it */

	enum column columns[COLUMNS_MAX];
	unsigned int n_columns; /* 0: the header was not seen yet */

	uint64_t line, row_line; /* 1-based: being read; where the row began */
	bool after_cr;
	unsigned int field; /* of the row, 0-based: the next to come */
	struct trace_record row;
	bool has_seq;
	struct strbuf args_text;
	struct csv_args args;
	uint64_t n_rows;

	struct trace_record *record; /* of this chunk */
	size_t n_records, cap_records;
	struct strbuf heap; /* of this chunk, items as in a trace file */
};

static struct csv_trace *csv(struct trace *t)
{
	return (struct csv_trace *)t;
}

static void fail(struct csv_trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void fail(struct csv_trace *t, const char *format, ...)
{
	char why[800];
	va_list ap;
	if (t->error.code)
		return;
	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	unsigned long long line = t->row_line;
	if (t->n_columns && t->field < t->n_columns && t->columns[t->field] != COL_IGNORED)
		err_set(&t->error, EINVAL, "%s: line %llu, column %u (%s): %s", t->path, line, t->field + 1,
			column_names[t->columns[t->field]], why);
	else
		err_set(&t->error, EINVAL, "%s: line %llu, column %u: %s", t->path, line, t->field + 1, why);
}

/* --- the header --------------------------------------------------------------------------------------------------- */

static void take_header_field(struct csv_trace *t, const char *s, size_t len)
{
	char name[64];
	if (t->field >= COLUMNS_MAX) {
		fail(t, "more than %d columns", COLUMNS_MAX);
		return;
	}
	if (len >= 2 && (s[0] == 'x' || s[0] == 'X') && s[1] == '-') {
		t->columns[t->field] = COL_IGNORED;
		return;
	}
	snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), s);
	enum column c = 0;
	while (c < COL_N && strcmp(name, column_names[c]))
		c++;
	if (c == COL_N) {
		const char *near = nearest_name(name, column_names);
		fail(t, "unknown column \"%s\"%s%s%s (columns whose name begins with x- are passed over)", name,
		     near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
		return;
	}
	for (unsigned int i = 0; i < t->field; i++)
		if (t->columns[i] == c)
			fail(t, "column \"%s\" is there twice", name);
	t->columns[t->field] = c;
}

static void finish_header(struct csv_trace *t)
{
	unsigned int n = t->field;
	for (enum column c = 0; c < COL_REQUIRED; c++) {
		bool found = false;
		for (unsigned int i = 0; i < n; i++)
			found |= t->columns[i] == c;
		if (!found)
			fail(t, "the header has no column \"%s\"", column_names[c]);
	}
	t->n_columns = n;
}

/* --- a row -------------------------------------------------------------------------------------------------------- */

static void take_u32(struct csv_trace *t, const char *s, size_t len, uint32_t *v)
{
	uint64_t u;
	if (decimal_u64(s, len, &u) || u > UINT32_MAX)
		fail(t, "\"%.*s\" is no whole number from 0 to 4294967295", (int)(len < 60 ? len : 60), s);
	else
		*v = (uint32_t)u;
}

static void take_time(struct csv_trace *t, const char *s, size_t len, int64_t *v)
{
	*v = TIME_NONE;
	if (len && (decimal_i64(s, len, v) || *v > TRACE_TIME_MAX || *v < -TRACE_TIME_MAX))
		fail(t, "\"%.*s\" is no time in nanoseconds", (int)(len < 60 ? len : 60), s);
}

static void take_function(struct csv_trace *t, const char *s, size_t len)
{
	char name[32];
	snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : sizeof name - 1), s);
	t->row.op = (uint16_t)op_find(name);
	if (t->row.op == OP_INVALID) {
		const char *near = nearest_name(name, op_names);
		fail(t, "function \"%s\" is unknown%s%s%s", name, near ? ", did you mean \"" : "", near ? near : "",
		     near ? "\"?" : "");
	}
}

static void take_error(struct csv_trace *t, const char *s, size_t len)
{
	uint64_t u = 0;
	if (len && *s >= '0' && *s <= '9') {
		if (decimal_u64(s, len, &u) || u > UINT16_MAX)
			fail(t, "\"%.*s\" is no error number", (int)(len < 60 ? len : 60), s);
	} else if (len) {
		const char *name;
		for (u = 1; u < 4096; u++)
			if ((name = strerrorname_np((int)u)) && strlen(name) == len && !memcmp(name, s, len))
				break;
		if (u == 4096)
			fail(t, "\"%.*s\" is no error's name", (int)(len < 60 ? len : 60), s);
	}
	t->row.error = (uint16_t)u;
}

static void take_field(struct csv_trace *t, enum column c, const char *s, size_t len)
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
	case COL_ARGS: /* understood when the function and rvalue are known */
		strbuf_reset(&t->args_text);
		strbuf_add(&t->args_text, s, len);
		break;
	case COL_RVALUE:
		if (decimal_i64(s, len, &t->row.rvalue))
			fail(t, "\"%.*s\" is no whole number", (int)(len < 60 ? len : 60), s);
		break;
	case COL_ERROR:
		take_error(t, s, len);
		break;
	case COL_SEQ:
		t->has_seq = len > 0;
		if (len && decimal_u64(s, len, &t->row.seq))
			fail(t, "\"%.*s\" is no whole number", (int)(len < 60 ? len : 60), s);
		break;
	case COL_IGNORED:
		break;
	}
}

static unsigned int field_of(const struct csv_trace *t, enum column c)
{
	unsigned int i = 0;
	while (i < t->n_columns && t->columns[i] != c)
		i++;
	return i;
}

/* As in a trace file: a length, the bytes, padding; the reference counts units of 8 bytes. */
static void keep_heap(struct csv_trace *t)
{
	static const char zeros[8];
	uint32_t len = (uint32_t)t->args.heap.len;
	t->row.heap = (uint32_t)(t->heap.len / 8);
	strbuf_add(&t->heap, &len, sizeof len);
	strbuf_add(&t->heap, t->args.heap.s, len);
	strbuf_add(&t->heap, zeros, (8 - t->heap.len % 8) % 8);
}

static void finish_row(struct csv_trace *t)
{
	struct err e = ERR_INIT;
	if (t->field < t->n_columns) {
		fail(t, "the line ends after %u of %u columns", t->field, t->n_columns);
		return;
	}
	t->field = field_of(t, COL_ARGS);
	if (csv_args_read(t->args_text.s, t->args_text.len, &t->row, &t->args, &e)) {
		fail(t, "%s", e.msg);
		return;
	}
	if (t->args.object_kind &&
	    (t->args.object_name.len > 65535 ||
	     object_table_intern(&t->base.objects, t->args.object_kind, t->args.object_name.s, &t->row.object, &e))) {
		fail(t, "%s", e.code ? e.msg : "the name is longer than 65535 bytes");
		return;
	}
	if (t->args.has_heap)
		keep_heap(t);
	if (!t->has_seq)
		t->row.seq = t->n_rows;
	t->row.commit = TRACE_COMMIT;
	t->n_rows++;
	GROW(t->record, t->n_records, t->cap_records);
	t->record[t->n_records++] = t->row;
}

static void begin_row(struct csv_trace *t)
{
	t->field = 0;
	t->row_line = t->line;
	t->has_seq = false;
	t->row = (struct trace_record){
	    .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .object = OBJECT_NONE, .heap = HEAP_NONE};
}

/* --- libcsv's callbacks ------------------------------------------------------------------------------------------- */

static void on_field(void *s, size_t len, void *ctx)
{
	struct csv_trace *t = ctx;
	t->after_cr = false;
	if (t->error.code)
		return;
	if (!t->n_columns)
		take_header_field(t, s, len);
	else if (t->field >= t->n_columns)
		fail(t, "the line has more columns than the header's %u", t->n_columns);
	else
		take_field(t, t->columns[t->field], s ? s : "", len);
	t->field++;
	for (const char *p = s, *end = p + len; p && (p = memchr(p, '\n', (size_t)(end - p))); p++)
		t->line++;
}

/* `c`: the line end, -1 for the end of the file without one. Blank lines come here too, without fields. */
static void on_row(int c, void *ctx)
{
	struct csv_trace *t = ctx;
	if (t->error.code)
		return;
	bool second_half = c == '\n' && t->after_cr; /* of CR LF */
	if (t->field && !t->n_columns)
		finish_header(t);
	else if (t->field)
		finish_row(t);
	if (t->error.code)
		return;
	if (!second_half)
		t->line++;
	t->after_cr = c == '\r';
	begin_row(t);
}

/* --- streaming ---------------------------------------------------------------------------------------------------- */

static void *limited_realloc(void *p, size_t size)
{
	return size > FIELD_MAX ? NULL : realloc(p, size);
}

static void start(struct csv_trace *t)
{
	if (t->has_parser)
		csv_free(&t->parser);
	csv_init(&t->parser, CSV_STRICT | CSV_STRICT_FINI | CSV_REPALL_NL);
	csv_set_realloc_func(&t->parser, limited_realloc);
	csv_set_blk_size(&t->parser, 64u << 10);
	t->has_parser = true;
	t->at_end = t->after_cr = false;
	t->n_columns = 0;
	t->n_rows = t->n_records = 0;
	t->line = 1;
	t->error = (struct err)ERR_INIT;
	begin_row(t);
}

static void parse_failed(struct csv_trace *t)
{
	int code = csv_error(&t->parser);
	if (code == CSV_ENOMEM || code == CSV_ETOOBIG)
		fail(t, "a field of more than %u bytes (a quote that is never closed?)", FIELD_MAX);
	else if (t->at_end)
		fail(t, "the file ends inside a quoted field");
	else
		fail(t, "a quote where none may be, or text behind a closing quote");
}

/* Takes in one chunk: 0, or a negative errno of the system. What is wrong with the text goes to t->error. */
static int take_chunk(struct csv_trace *t, struct err *e)
{
	ssize_t got;
	do
		got = read(t->fd, t->chunk, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err_sys(e, errno, "%s: reading", t->path);
	t->n_records = 0;
	strbuf_reset(&t->heap);
	if (!got) {
		t->at_end = true;
		if (csv_fini(&t->parser, on_field, on_row, t))
			parse_failed(t);
		else if (!t->n_columns && !t->error.code)
			fail(t, "no header line");
		return 0;
	}
	size_t len = (size_t)got, bom = 0;
	if (t->line == 1 && !t->n_columns && !t->field && len >= 3 && lseek(t->fd, 0, SEEK_CUR) == got &&
	    !memcmp(t->chunk, "\xef\xbb\xbf", 3))
		bom = 3;
	if (csv_parse(&t->parser, t->chunk + bom, len - bom, on_field, on_row, t) != len - bom)
		parse_failed(t);
	return 0;
}

static int csv_next_batch(struct trace *base, const struct trace_record **r, size_t *n, struct err *e)
{
	struct csv_trace *t = csv(base);
	t->n_records = 0;
	while (!t->n_records && !t->error.code && !t->at_end) {
		int rc = take_chunk(t, e);
		if (rc)
			return rc;
	}
	*r = t->record;
	*n = t->n_records;
	if (*n) /* the good lines before the bad one come first */
		return 1;
	return t->error.code ? err_set(e, t->error.code, "%s", t->error.msg) : 0;
}

static int csv_rewind(struct trace *base, struct err *e)
{
	struct csv_trace *t = csv(base);
	if (lseek(t->fd, 0, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: reading it again", t->path);
	start(t);
	return 0;
}

static const void *csv_heap(struct trace *base, uint32_t ref, size_t *len)
{
	const struct csv_trace *t = csv(base);
	uint32_t item_len;
	if (ref >= t->heap.len / 8)
		return NULL;
	memcpy(&item_len, t->heap.s + (size_t)ref * 8, sizeof item_len);
	*len = item_len;
	return t->heap.s + (size_t)ref * 8 + sizeof item_len;
}

static void csv_close(struct trace *base)
{
	struct csv_trace *t = csv(base);
	if (t->has_parser)
		csv_free(&t->parser);
	if (t->fd >= 0)
		close(t->fd);
	strbuf_release(&t->args_text);
	strbuf_release(&t->args.object_name);
	strbuf_release(&t->args.heap);
	strbuf_release(&t->heap);
	free(t->record);
	free(t->chunk);
	free(t->path);
	free(t);
}

static const struct trace_reader reader = {
    .next_batch = csv_next_batch, .rewind = csv_rewind, .heap = csv_heap, .close = csv_close};

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* The largest power of ten, up to a second, that all stamps are multiples of. */
static int64_t resolution_of(const struct csv_trace *t, int64_t step_ns)
{
	for (size_t i = 0; i < t->n_records; i++) {
		const int64_t stamps[] = {t->record[i].begin_ns, t->record[i].end_ns};
		for (int j = 0; j < 2; j++)
			while (stamps[j] != TIME_NONE && stamps[j] % step_ns)
				step_ns /= 10;
	}
	return step_ns;
}

/* Reads the beginning: a bad header is an error of opening; a bad line behind it is told when the reading gets there.
 */
static int look_at_beginning(struct csv_trace *t, struct err *e)
{
	int64_t step_ns = 1000000000;
	int rc = csv_rewind(&t->base, e);
	for (int i = 0; i < SAMPLE_CHUNKS && !rc && !t->at_end && !t->error.code; i++) {
		rc = take_chunk(t, e);
		step_ns = resolution_of(t, step_ns);
	}
	if (!rc && t->error.code && !t->n_columns)
		rc = err_set(e, t->error.code, "%s", t->error.msg);
	t->base.n_records_known = t->at_end && !t->error.code;
	t->base.n_records = t->n_rows;
	t->base.health.complete = true;
	t->base.meta.meta.clock = "csv";
	t->base.meta.meta.clock_resolution_ns = t->n_rows ? (double)step_ns : 1;
	t->base.meta.meta.captured_by = "unknown (read from CSV)";
	return rc ? rc : csv_rewind(&t->base, e);
}

static int csv_open(struct trace **out, const char *path, struct err *e)
{
	struct csv_trace *t = xcalloc(1, sizeof *t);
	struct stat st;
	int rc = 0;
	*out = NULL;
	trace_base_init(&t->base, &reader);
	t->path = xstrdup(path);
	t->chunk = xmalloc(CHUNK);
	strbuf_init(&t->args_text);
	strbuf_init(&t->args.object_name);
	strbuf_init(&t->args.heap);
	strbuf_init(&t->heap);
	t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (t->fd < 0 || fstat(t->fd, &st))
		rc = err_sys(e, errno, "cannot open the trace %s", path);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(e, EINVAL, "%s: not a regular file", path);
	rc = rc ? rc : look_at_beginning(t, e);
	if (rc)
		trace_close(&t->base);
	else
		*out = &t->base;
	return rc;
}

/* Text whose first line names our columns. A .csv that does not is still better refused by us, who can say why. */
static int csv_bid(const unsigned char *head, size_t len, const char *path)
{
	size_t i = len >= 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	while (i < len && strchr(" \t\r\n", head[i]) && head[i])
		i++;
	size_t end = i;
	while (end < len && head[end] != '\n' && head[end] != '\r')
		end++;
	const unsigned char *first = head + i;
	if (memchr(first, 0, end - i))
		return 0;
	if (memmem(first, end - i, "function", 8) && memmem(first, end - i, "begin", 5) && memchr(first, ',', end - i))
		return 60;
	size_t path_len = strlen(path);
	return path_len > 4 && !strcasecmp(path + path_len - 4, ".csv") ? 5 : 0;
}

const struct trace_format format_csv = {
    .name = "csv",
    .help = "one line a request: pid,tid,begin,end,function,args,rvalue",
    .bid = csv_bid,
    .open = csv_open,
    .write = trace_export_csv,
};
