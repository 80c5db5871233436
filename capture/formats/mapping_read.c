/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads delimited text according to a mapping file. */

#include "capture/formats/blanks.h"
#include "capture/formats/foreign.h"
#include "capture/formats/mapping.h"
#include "capture/number.h"

struct mapped_trace {
	struct foreign base;
	struct mapping *m; /* owned */
	const struct mapping_column *at[MAPPING_COLUMNS_MAX]; /* by position in the line */
	/* number of known positions; number of columns that a line must have */
	unsigned int n_at, n_needed;
	bool has_header;
	uint64_t n_lines;
	/* the first stamp, to which times are relative if the clock is absolute */
	int64_t first_s, first_ns;
	bool has_first, probed;
	int64_t step_ns; /* a duration that divides all stamps so far */
	uint32_t object; /* object of the previous line, whose text is object_last */
	struct strbuf object_text, object_last;
};

struct field {
	const char *s;
	size_t len;
};

/* Values of a line that are not in the record; -1, or -2 for `last`: no such column. */
struct line_extra {
	int64_t response_ns, last, count;
	const char *last_at; /* text of the field `last` */
	bool has_rvalue, skip;
};

/* --- one field ----------------------------------------------------------- */

static int not_a(struct mapped_trace *t, const struct field *f, const char *what, struct err *e)
{
	return foreign_at(&t->base, f->s, e, "\"%.*s\" is not %s", (int)(f->len < 60 ? f->len : 60),
			  f->s, what);
}

/* Reads a time. An absolute time is made relative to the first time. Seconds and the rest are kept
 * separately, because 100-ns units since 1601 would overflow. */
static int take_time(struct mapped_trace *t, const struct mapping_column *c, const struct field *f,
		     bool stamp, int64_t *ns, struct err *e)
{
	const char *s = f->s, *end = s + f->len;
	uint64_t whole;
	int64_t rest = 0;
	int64_t per_s = 1000000000 / c->unit;
	if (!scan_u64(&s, end, &whole))
		return not_a(t, f,
			     s == f->s ? "a time" : "a time within the range of a trace (73 years)",
			     e);
	if (s < end && *s == '.') {
		const char *zero = s;
		int64_t weight = c->unit;
		for (s++; s < end && (unsigned char)(*s - '0') < 10; s++) {
			weight /= 10;
			rest += weight * (*s - '0');
		}
		if (s == zero + 1)
			return not_a(t, f, "a time", e);
	}
	if (s != end)
		return not_a(t, f, "a time", e);
	if (whole / (uint64_t)per_s > INT64_MAX / 4) /* differences must not overflow */
		return not_a(t, f, "a time within the range of a trace (73 years)", e);
	int64_t second = (int64_t)(whole / (uint64_t)per_s);
	rest += (int64_t)(whole % (uint64_t)per_s) * c->unit;
	if (stamp && t->m->absolute) {
		if (!t->has_first) {
			t->has_first = true;
			t->first_s = second;
			t->first_ns = rest;
		}
		second -= t->first_s;
		rest -= t->first_ns;
	}
	if (__builtin_mul_overflow(second, (int64_t)1000000000, ns) ||
	    __builtin_add_overflow(*ns, rest, ns) || *ns > TRACE_TIME_MAX || *ns < -TRACE_TIME_MAX)
		return not_a(t, f, "a time within the range of a trace (73 years)", e);
	while (!t->probed && *ns % t->step_ns)
		t->step_ns /= 10;
	return 0;
}

static int take_bytes(struct mapped_trace *t, const struct mapping_column *c, const struct field *f,
		      uint64_t *v, struct err *e)
{
	const char *s = f->s, *end = s + f->len;
	if (!scan_u64(&s, end, v) || s != end)
		return not_a(t, f, "a whole number", e);
	if (__builtin_mul_overflow(*v, (uint64_t)c->unit, v) || *v > INT64_MAX)
		return not_a(t, f, "a number of bytes below 2^63", e);
	return 0;
}

static int take_number(struct mapped_trace *t, const struct field *f, int64_t min, int64_t max,
		       int64_t *v, struct err *e)
{
	const char *s = f->s, *end = s + f->len;
	if (scan_i64(&s, end, v) && s == end && *v >= min && *v <= max)
		return 0;
	char what[80];
	snprintf(what, sizeof what, "a whole number from %" PRId64 " to %" PRId64, min, max);
	return not_a(t, f, what, e);
}

static int take_operation(struct mapped_trace *t, const struct mapping_column *c,
			  const struct field *f, struct trace_record *r, bool *skip, struct err *e)
{
	for (unsigned int i = 0; i < c->n_values; i++)
		if (strlen(c->value[i].text) == f->len &&
		    (c->any_case ? !strncasecmp(c->value[i].text, f->s, f->len)
				 : !memcmp(c->value[i].text, f->s, f->len))) {
			r->op = (uint16_t)c->value[i].op;
			*skip = r->op == OP_INVALID;
			return 0;
		}
	return not_a(t, f, "an operation of this format", e);
}

static int take_field(struct mapped_trace *t, const struct mapping_column *c, const struct field *f,
		      struct trace_record *r, struct line_extra *x, struct err *e)
{
	int64_t v = 0;
	int ret;
	switch (c->field) {
	case MAP_BEGIN:
		return take_time(t, c, f, true, &r->begin_ns, e);
	case MAP_END:
		return take_time(t, c, f, true, &r->end_ns, e);
	case MAP_DISPATCH:
		return take_time(t, c, f, true, &r->dispatch_ns, e);
	case MAP_RESPONSE:
		return take_time(t, c, f, false, &x->response_ns, e);
	case MAP_OPERATION:
		return take_operation(t, c, f, r, &x->skip, e);
	case MAP_OFFSET:
		return take_bytes(t, c, f, &r->offset, e);
	case MAP_LENGTH:
		return take_bytes(t, c, f, &r->length, e);
	case MAP_LAST:
		x->last_at = f->s;
		ret = take_number(t, f, -1, INT64_MAX / c->unit - 1, &v, e);
		x->last = (v + 1) * c->unit - 1;
		return ret;
	case MAP_COUNT:
		return take_number(t, f, 1, MAPPING_COUNT_MAX, &x->count, e);
	case MAP_OBJECT:
		ret = c->number ? take_number(t, f, 0, INT64_MAX, &v, e) : 0;
		if (t->object_text.len)
			strbuf_addch(&t->object_text, '.');
		strbuf_add(&t->object_text, f->s, f->len);
		return ret;
	case MAP_PID:
	case MAP_TID:
		ret = take_number(t, f, 0, UINT32_MAX, &v, e);
		*(c->field == MAP_PID ? &r->pid : &r->tid) = (uint32_t)v;
		return ret;
	case MAP_FD:
		ret = take_number(t, f, -1, INT32_MAX, &v, e);
		r->fd = (int32_t)v;
		return ret;
	case MAP_RVALUE:
		return take_number(t, f, INT64_MIN, INT64_MAX, &r->rvalue, e);
	case MAP_ERROR:
		ret = take_number(t, f, 0, UINT16_MAX, &v, e);
		r->error = (uint16_t)v;
		return ret;
	default:
		return c->number ? take_number(t, f, INT64_MIN, INT64_MAX, &v, e) : 0;
	}
}

/* --- one line ------------------------------------------------------------ */

/* The next field from *at on. False: no field is left. */
static bool next_field(char delimiter, const char **at, const char *end, struct field *f)
{
	const char *s = *at;
	if (!s)
		return false;
	if (!delimiter) {
		s = skip_blanks(s, end);
		*at = word_end(s, end);
		*f = (struct field){s, (size_t)(*at - s)};
		return s < end;
	}
	const char *stop = memchr(s, delimiter, (size_t)(end - s));
	stop = stop ? stop : end;
	*f = (struct field){s, (size_t)(stop - s)};
	*at = stop < end ? stop + 1 : NULL;
	while (f->len && (*f->s == ' ' || *f->s == '\t')) {
		f->s++;
		f->len--;
	}
	while (f->len && (f->s[f->len - 1] == ' ' || f->s[f->len - 1] == '\t'))
		f->len--;
	if (f->len >= 2 && f->s[0] == '"' && f->s[f->len - 1] == '"') {
		f->s++;
		f->len -= 2;
	}
	return true;
}

static int take_header(struct mapped_trace *t, const char *s, size_t len, struct err *e)
{
	const char *at = s, *end = s + len;
	struct field f;
	memset(t->at, 0, sizeof t->at);
	for (t->n_at = 0; next_field(t->m->delimiter, &at, end, &f); t->n_at++) {
		if (t->n_at == MAPPING_COLUMNS_MAX)
			return foreign_at(&t->base, f.s, e, "the header has more than %d columns",
					  MAPPING_COLUMNS_MAX);
		for (unsigned int i = 0; i < t->m->n; i++)
			if (strlen(t->m->column[i].name) == f.len &&
			    !strncasecmp(t->m->column[i].name, f.s, f.len)) {
				for (unsigned int k = 0; k < t->n_at; k++)
					if (t->at[k] == &t->m->column[i])
						return foreign_at(&t->base, f.s, e, "the header "
							"has the column \"%s\" twice",
							t->m->column[i].name);
				t->at[t->n_at] = &t->m->column[i];
			}
	}
	for (unsigned int i = 0; i < t->m->n; i++) {
		bool found = !t->m->column[i].field || t->m->column[i].optional;
		for (unsigned int j = 0; j < t->n_at; j++)
			found |= t->at[j] == &t->m->column[i];
		if (!found)
			return foreign_at(&t->base, s, e, "the header has no column \"%s\"",
					  t->m->column[i].name);
	}
	t->n_needed = t->n_at;
	t->has_header = true;
	return 0;
}

static int take_object(struct mapped_trace *t, struct trace_record *r, struct err *e)
{
	struct strbuf *now = &t->object_text, *last = &t->object_last;
	if (!now->len)
		return 0;
	if (now->len != last->len || memcmp(now->s, last->s, now->len) ||
	    t->object == OBJECT_NONE) {
		int ret =
		    foreign_object(&t->base, t->m->object_kind, now->s, now->len, &t->object, e);
		if (ret)
			return ret;
		strbuf_reset(last);
		strbuf_add(last, now->s, now->len);
	}
	r->object = t->object;
	return 0;
}

static int record_finish(struct mapped_trace *t, struct trace_record *r, const struct line_extra *x,
			 struct err *e)
{
	int ret = take_object(t, r, e);
	if (ret)
		return ret;
	if (x->response_ns >= 0 && r->begin_ns != TIME_NONE)
		r->end_ns = r->begin_ns + x->response_ns;
	if (x->last >= -1) {
		if (r->offset > (uint64_t)(x->last + 1))
			return foreign_at(&t->base, x->last_at, e,
					  "the last byte lies before the first");
		r->length = (uint64_t)(x->last + 1) - r->offset;
	}
	if (!(op_info(r->op)->uses & (OP_HAS_LENGTH | OP_RETURNS_BYTES)))
		r->length = 0;
	if (!x->has_rvalue)
		r->rvalue = r->error                                  ? -1
			    : op_info(r->op)->uses & OP_RETURNS_BYTES ? (int64_t)r->length
								      : 0;
	if (r->op == OP_FALLOCATE && t->m->level == LEVEL_BLOCK)
		r->flags = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	for (int64_t i = 0; i < x->count && !ret; i++)
		ret = foreign_add(&t->base, r, e);
	return ret;
}

static int mapped_row(struct mapped_trace *t, const char *s, size_t len, struct err *e)
{
	struct trace_record r = record_unknown();
	const char *at = s, *end = s + len;
	struct line_extra x = {.response_ns = -1, .last = -2, .count = 1};
	unsigned int i = 0;
	struct field f;
	if (t->object_text.len)
		strbuf_reset(&t->object_text);
	for (; next_field(t->m->delimiter, &at, end, &f); i++) {
		const struct mapping_column *c = i < t->n_at ? t->at[i] : NULL;
		if (i >= t->n_needed && !t->m->more)
			return foreign_at(&t->base, f.s, e,
					  "the line has more than the expected %u columns",
					  t->n_needed);
		if (!c || (c->optional && !f.len))
			continue;
		x.has_rvalue |= c->field == MAP_RVALUE;
		int ret = take_field(t, c, &f, &r, &x, e);
		if (ret)
			return ret;
	}
	if (i < t->n_needed)
		return foreign_at(&t->base, end, e, "the line has %u columns, but %u are needed", i,
				  t->n_needed);
	if (x.skip) {
		t->base.base.notes.n_not_requests++;
		return 0;
	}
	return record_finish(t, &r, &x, e);
}

static bool is_heading(const char *heading, const char *s, size_t len)
{
	const size_t quote = len && *s == '"', n = strlen(heading);
	return len - quote >= n && !strncasecmp(s + quote, heading, n);
}

static int mapped_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct mapped_trace *t = (struct mapped_trace *)f;
	const struct mapping *m = t->m;
	if (!t->n_lines++ && len >= 3 && !memcmp(s, "\xef\xbb\xbf", 3)) {
		s += 3;
		len -= 3;
	}
	size_t blanks = (size_t)(skip_blanks(s, s + len) - s);
	if (t->n_lines <= m->n_skipped_lines || blanks == len)
		return 0;
	if (m->header && !t->has_header)
		return take_header(t, s, len, e);
	if (m->comment && s[blanks] == m->comment)
		return 0;
	if (m->heading && t->n_lines == m->n_skipped_lines + 1 &&
	    is_heading(m->heading, s + blanks, len - blanks))
		return 0;
	return mapped_row(t, s, len, e);
}

/* --- the file ------------------------------------------------------------ */

static void note_meta(struct mapped_trace *t)
{
	struct trace_meta *meta = &t->base.base.meta.meta;
	t->probed = true;
	meta->clock_resolution_ns =
	    t->m->resolution_ns > 0 ? t->m->resolution_ns : (double)t->step_ns;
	if (!t->has_first)
		return;
	int64_t s = t->first_s - t->m->epoch_s, ns;
	if (!__builtin_mul_overflow(s, (int64_t)1000000000, &ns) &&
	    !__builtin_add_overflow(ns, t->first_ns, &ns) && ns <= TRACE_WALL_MAX &&
	    ns >= -TRACE_WALL_MAX)
		meta->wall_epoch_ns = ns;
}

static void mapped_reset(struct foreign *f)
{
	struct mapped_trace *t = (struct mapped_trace *)f;
	if (t->n_lines && !t->probed)
		note_meta(t);
	t->n_lines = 0;
	t->has_first = t->has_header = false;
	t->object = OBJECT_NONE;
	strbuf_reset(&t->object_last);
	strbuf_reset(&t->object_text);
}

static void mapped_release(struct foreign *f)
{
	struct mapped_trace *t = (struct mapped_trace *)f;
	strbuf_release(&t->object_text);
	strbuf_release(&t->object_last);
	mapping_release(t->m);
	free(t->m);
}

static void mapped_init(struct mapped_trace *t, struct mapping *m)
{
	t->m = m;
	t->step_ns = 1000000000;
	t->object = OBJECT_NONE;
	strbuf_init(&t->object_text);
	strbuf_init(&t->object_last);
	for (unsigned int i = 0; i < m->n && !m->header; i++)
		t->at[m->column[i].index] = &m->column[i];
	t->n_at = MAPPING_COLUMNS_MAX;
	t->n_needed = m->n_columns;
}

/* The options that foreign_open() passes to the setup, and the mapping. */
struct mapped_options {
	struct trace_open_options o;
	struct mapping *m;
};

static void mapped_setup(struct foreign *f, const struct trace_open_options *o)
{
	struct mapping *m = ((const struct mapped_options *)o)->m;
	mapped_init((struct mapped_trace *)f, m);
	f->base.meta.meta.level = m->level;
	f->base.meta.meta.clock = m->clock ? m->clock : m->name;
}

static const struct foreign_reader mapped_reader = {.clock = "foreign",
						    .captured_by = "unknown (read by a mapping)",
						    .level = LEVEL_BLOCK,
						    .size = sizeof(struct mapped_trace),
						    .setup = mapped_setup,
						    .line = mapped_line,
						    .reset = mapped_reset,
						    .release = mapped_release};

int mapping_open(struct trace **out, struct mapping *m, const char *path,
		 const struct trace_open_options *o, struct err *e)
{
	struct mapped_options s = {*o, m};
	return foreign_open(out, &mapped_reader, path, &s.o, e);
}

/* Checks that every complete line of the head matches the mapping, with few exceptions: the reader
 * reports bad lines later. In a short file, more exceptions give the least bid, so that the reader
 * names the bad line. */
#define LINES_TO_A_BAD_ONE 8
#define LINES_TO_A_BAD_ONE_LEAST 2

int mapping_bid(const struct mapping *m, const unsigned char *head, size_t len)
{
	struct mapped_trace t = {.base = {.reader = &mapped_reader}};
	const char *s = (const char *)head, *end = s + len;
	bool cut = len == FORMAT_HEAD_BYTES;
	size_t n_good = 0, n_bad = 0;
	if (memchr(head, 0, len))
		return 0;
	trace_base_init(&t.base.base, NULL);
	mapped_init(&t, (struct mapping *)(uintptr_t)m);
	while (s < end) {
		const char *p = s;
		while (p < end && *p != '\r' && *p != '\n')
			p++;
		size_t line = (size_t)(p - s);
		if (s + line == end && cut)
			break;
		if (mapped_line(&t.base, s, line, NULL))
			n_bad++;
		else
			n_good++;
		if (n_bad > 1 && LINES_TO_A_BAD_ONE * n_bad > n_good)
			break;
		s += line;
		while (s < end && (*s == '\r' || *s == '\n'))
			s++;
	}
	bool any = t.base.queue.n > 0 || (m->header && t.has_header);
	bool good = any && LINES_TO_A_BAD_ONE * n_bad <= n_good;
	bool fair = t.base.queue.n >= LINES_TO_A_BAD_ONE_LEAST &&
		    t.base.queue.n >= LINES_TO_A_BAD_ONE_LEAST * n_bad;
	record_queue_release(&t.base.queue);
	trace_base_release(&t.base.base);
	strbuf_release(&t.object_text);
	strbuf_release(&t.object_last);
	return !good ? fair : n_bad ? m->bid / 2 : m->bid;
}
