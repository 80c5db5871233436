/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a trace from CSV as a stream, with strict checks: doc/formats/csv.md. */
#include "capture/formats/csv_private.h"

#define CHUNK (256u << 10)
#define CHUNK_MIN 4096
#define ROW_MAX (48u << 20) /* room for a heap item of 16 MiB in hexadecimal */
/* chunks read when the trace is opened, for the header and the resolution of times */
#define SAMPLE_CHUNKS 4

static struct csv_trace *csv_of(struct trace *t)
{
	return (struct csv_trace *)t;
}

/* Counts an omitted, unreadable line if that is allowed. */
static void line_skip(struct csv_trace *t)
{
	struct trace_notes *n = &t->base.notes;
	if (!t->n_columns || n->n_skipped >= t->n_lenient)
		return;
	if (!n->n_skipped++)
		snprintf(n->first_skipped, sizeof n->first_skipped, "%.390s", t->error.msg);
	err_clear(&t->error);
}

/* Whether the request is one of a block-level trace: on a device, without a descriptor. */
static bool is_below(const struct csv_trace *t, const struct trace_record *r)
{
	const struct trace_object *o = r->fd < 0 ? trace_object(&t->base, r->object) : NULL;
	return o && o->kind == OBJECT_DEVICE;
}

/* Checks the last record: the level of the trace was chosen by its beginning. */
static void level_check(struct csv_trace *t)
{
	if (t->error.code || t->base.meta.meta.level != LEVEL_BLOCK || !t->n_records ||
	    is_below(t, &t->record[t->n_records - 1]))
		return;
	t->n_records--;
	t->field = t->args_column;
	csv_fail(t, "this row is a call on a file, but the first rows are requests to devices: "
		"a trace has either calls or requests to devices");
}

/* Parses chunk[at..n_chunk), except an incomplete row at its end. */
static void take_rows(struct csv_trace *t)
{
	struct csv_row r;
	while (t->at < t->n_chunk && !t->error.code &&
	       csv_split(&r, t->chunk + t->at, t->chunk + t->n_chunk, t->at_end)) {
		const bool is_empty = r.n == 1 && !r.field[0].len && !r.field[0].is_quoted;
		t->field = r.why ? r.n - 1 : 0;
		if (r.why)
			csv_fail(t, "%s", r.why);
		else if (!is_empty && t->n_columns)
			csv_row_read(t, &r);
		else if (!is_empty)
			csv_header_read(t, &r);
		level_check(t);
		if (t->error.code)
			line_skip(t);
		t->line += r.n_lines;
		t->at = (size_t)(r.end - t->chunk);
	}
	if (t->at_end && !t->n_columns && !t->error.code)
		csv_fail(t, "the header line is missing");
}

/* Reads and parses one chunk. Returns 0 or a negative errno of the system. Errors in the text are
 * stored in t->error. */
static int take_chunk(struct csv_trace *t, struct err *e)
{
	ssize_t got;
	bool first = !t->n_chunk;
	t->n_chunk -= t->at;
	memmove(t->chunk, t->chunk + t->at, t->n_chunk);
	t->at = 0;
	if (t->n_chunk == t->cap && t->cap < ROW_MAX) { /* a long row */
		t->cap = 2 * t->cap < ROW_MAX ? 2 * t->cap : ROW_MAX;
		t->chunk = xrealloc(t->chunk, t->cap + 1);
	} else if (t->n_chunk == t->cap) {
		t->field = 0;
		csv_fail(t, "the line has more than %u bytes (is a quote not closed?)", ROW_MAX);
		return 0;
	}
	got = TEMP_FAILURE_RETRY(read(t->fd, t->chunk + t->n_chunk, t->cap - t->n_chunk));
	if (got < 0)
		return err_sys(e, errno, "cannot read %s", t->path);
	t->n_records = 0;
	strbuf_reset(&t->heap);
	t->n_chunk += (size_t)got;
	t->chunk[t->n_chunk] = '\n';
	if (first && t->n_chunk >= 3 && !memcmp(t->chunk, "\xef\xbb\xbf", 3))
		t->at = 3;
	t->at_end = !got;
	take_rows(t);
	return 0;
}

static int csv_next_batch(struct trace *base, const struct trace_record **r, size_t *n,
			  struct err *e)
{
	struct csv_trace *t = csv_of(base);
	t->n_records = 0;
	while (!t->n_records && !t->error.code && !t->at_end) {
		int ret = take_chunk(t, e);
		if (ret)
			return ret;
	}
	*r = t->record;
	*n = t->n_records;
	if (*n) /* first returns the lines before the bad line */
		return 1;
	return t->error.code ? err_set(e, t->error.code, "%s", t->error.msg) : 0;
}

static int csv_rewind(struct trace *base, struct err *e)
{
	struct csv_trace *t = csv_of(base);
	if (lseek(t->fd, 0, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: cannot return to the start of the file", t->path);
	base->notes = (struct trace_notes){0};
	t->at_end = false;
	t->at = t->n_chunk = 0;
	t->n_columns = 0;
	t->n_rows = t->n_records = 0;
	t->line = 1;
	t->error = (struct err)ERR_INIT;
	return 0;
}

static int csv_heap(struct trace *base, uint32_t ref, const void **data, size_t *len, struct err *e)
{
	(void)e;
	heap_item_get(&csv_of(base)->heap, (size_t)ref * 8, data, len);
	return 0;
}

static void csv_close(struct trace *base)
{
	SCOPED_FREE struct csv_trace *t = csv_of(base);
	fd_close(t->fd);
	strbuf_release(&t->args.unescaped);
	strbuf_release(&t->args.heap);
	strbuf_release(&t->heap);
	FREE_EACH(t->record, t->chunk, t->path);
}

static const struct trace_reader reader = {
    .next_batch = csv_next_batch, .rewind = csv_rewind, .heap = csv_heap, .close = csv_close};

/* --- opening ------------------------------------------------------------- */

/* The largest power of ten, up to one second, that divides all times. */
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

/* Reads the beginning of the file. A bad header is an error of opening. A bad line is reported when
 * the reader gets there. */
static int look_at_beginning(struct csv_trace *t, struct err *e)
{
	int64_t step_ns = 1000000000;
	bool below = true;
	int ret = csv_rewind(&t->base, e);
	for (int i = 0; i < SAMPLE_CHUNKS && !ret && !t->at_end && !t->error.code; i++) {
		ret = take_chunk(t, e);
		step_ns = resolution_of(t, step_ns);
		for (size_t k = 0; k < t->n_records && below; k++)
			below = is_below(t, &t->record[k]);
	}
	if (!ret && t->error.code && !t->n_columns)
		ret = err_set(e, t->error.code, "%s", t->error.msg);
	t->base.n_records_known = t->at_end && !t->error.code;
	t->base.n_records = t->n_rows;
	t->base.health.complete = true;
	t->base.meta.meta.level = t->n_rows && below ? LEVEL_BLOCK : LEVEL_SYSCALL;
	t->base.meta.meta.clock = "csv";
	t->base.meta.meta.clock_resolution_ns = t->n_rows ? (double)step_ns : 1;
	t->base.meta.meta.captured_by = "unknown (read from CSV)";
	return ret ? ret : csv_rewind(&t->base, e);
}

static int csv_open(struct trace **out, const char *path, const struct trace_open_options *o,
		    struct err *e)
{
	struct csv_trace *t = xcalloc(1, sizeof *t);
	struct stat st;
	int ret = 0;
	*out = NULL;
	trace_base_init(&t->base, &reader);
	t->n_lenient = o->n_lenient;
	t->path = xstrdup(path);
	strbuf_init(&t->args.unescaped);
	strbuf_init(&t->args.heap);
	strbuf_init(&t->heap);
	t->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (t->fd < 0 || fstat(t->fd, &st))
		ret = err_sys(e, errno, "cannot open the trace %s", path);
	else if (!S_ISREG(st.st_mode))
		ret = err_set(e, EINVAL, "%s: not a regular file", path);
	bool small = !ret && st.st_size < (off_t)CHUNK;
	t->cap = small && st.st_size < CHUNK_MIN ? CHUNK_MIN
		 : small                         ? (size_t)st.st_size + 1
						 : CHUNK;
	t->chunk = xmalloc(t->cap + 1);
	ret = ret ? ret : look_at_beginning(t, e);
	if (ret)
		trace_close(&t->base);
	else
		*out = &t->base;
	return ret;
}

static bool names_some_column(const unsigned char *s, size_t len)
{
	static const char *const names[] = {"pid",      "tid",  "begin",  "end",
					    "function", "args", "rvalue", NULL};
	for (const char *const *name = names; *name; name++)
		if (memmem(s, len, *name, strlen(*name)))
			return true;
	return false;
}

/* Returns a high bid for text whose first line has all columns. A .csv file with only some of the
 * columns gets a low bid, so that this reader's message explains what is missing. */
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
	if (memmem(first, end - i, "function", 8) && memmem(first, end - i, "begin", 5) &&
	    memchr(first, ',', end - i))
		return 60;
	size_t path_len = strlen(path);
	return path_len > 4 && !strcasecmp(path + path_len - 4, ".csv") &&
		       names_some_column(first, end - i)
		   ? 5
		   : 0;
}

static int csv_export(struct trace *t, const char *path, struct trace_export_report *report,
		      struct err *e)
{
	(void)report; /* CSV can represent every request */
	return trace_export_csv(t, path, e);
}

const struct trace_format format_csv = {
    .name = "csv",
    .help = "one request per line: pid,tid,begin,end,function,args,rvalue",
    .bid = csv_bid,
    .open = csv_open,
    .write = csv_export,
};
