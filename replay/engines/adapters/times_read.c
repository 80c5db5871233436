/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads text in columns, which any replayer may have written: untrusted. */
#include <ctype.h>

#include "capture/formats/text_input.h"
#include "replay/engines/adapters/outputs.h"
#include "replay/engines/adapters/times.h"

/* --- numbers ------------------------------------------------------------- */

static int64_t power_of_ten(unsigned int n)
{
	int64_t p = 1;
	while (n--)
		p *= 10;
	return p;
}

static int number_refuse(const char *text, const char *why, struct err *e)
{
	return err_set(e, EBADMSG, "\"%.40s\" is %s", text, why);
}

/* Parses a number with an exponent, as %g prints it. Uses floating point. */
static int scientific_at(const char *text, unsigned int digits, int64_t *value, const char **end,
			 struct err *e)
{
	char *stop;
	long double v = strtold(text, &stop) * (long double)power_of_ten(digits);
	if (!isfinite(v) || fabsl(v) >= 9.2e18L)
		return number_refuse(text, "too large", e);
	*value = (int64_t)(v < 0 ? v - 0.5L : v + 0.5L);
	*end = stop;
	return 0;
}

int adapter_number(const char *text, unsigned int digits, int64_t *value, const char **end,
		   struct err *e)
{
	const char *p = text + (*text == '-' || *text == '+');
	int64_t whole = 0, unit = power_of_ten(digits);
	if (!isdigit((unsigned char)*p) && !(*p == '.' && isdigit((unsigned char)p[1])))
		return number_refuse(text,
				     !strncasecmp(p, "inf", 3) ? "infinite" : "not a number", e);
	for (; isdigit((unsigned char)*p); p++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *p - '0', &whole))
			return number_refuse(text, "too large", e);
	int64_t part = 0;
	unsigned int left = digits;
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++) {
			if (left)
				part += (*p - '0') * power_of_ten(--left);
		}
	if ((*p == 'e' || *p == 'E') &&
	    (isdigit((unsigned char)p[1]) ||
	     ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2]))))
		return scientific_at(text, digits, value, end, e);
	if (__builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, part, &whole))
		return number_refuse(text, "too large", e);
	*value = *text == '-' ? -whole : whole;
	*end = p;
	return 0;
}

/* --- lines --------------------------------------------------------------- */

struct line {
	const struct times_form *form;
	char *text;		 /* a copy, cut into fields */
	size_t cap;
	const char **field;	 /* field[n] */
	size_t n, cap_fields;
};

static bool is_between(const struct line *l, char c)
{
	return l->form->separator == ' ' ? c == ' ' || c == '\t' : c == l->form->separator;
}

/* Adds the field at `s` without surrounding blanks and quotes. Returns the text after its
 * separator, or NULL at the end of the line. */
static char *field_cut(struct line *l, char *s)
{
	while (*s == ' ' || (*s == '\t' && l->form->separator != '\t'))
		s++;
	char *end = s, *next;
	if (*s == '"' && strchr(s + 1, '"')) {
		end = strchr(++s, '"');
		for (next = end + 1; *next && !is_between(l, *next); next++)
			;
	} else {
		while (*end && !is_between(l, *end))
			end++;
		next = end;
		while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
	}
	bool more = *next != 0;
	*end = 0;
	APPEND(l->field, l->n, l->cap_fields, s);
	return more ? next + 1 : NULL;
}

static int column_missing(const struct line *l, uint64_t column, struct err *e)
{
	return err_set(e, EBADMSG, "column %" PRIu64 " is missing: the line has %zu columns",
		       column, l->n);
}

static int number_at(const struct line *l, enum times_column which, unsigned int digits,
		     int64_t *value, struct err *e)
{
	uint64_t column = l->form->column[which];
	const char *text = column <= l->n ? l->field[column - 1] : NULL;
	char what[40];
	if (!text)
		return column_missing(l, column, e);
	snprintf(what, sizeof what, "column %" PRIu64, column);
	return field_number(text, what, digits, value, e);
}

static int op_at(const struct line *l, enum trace_op *op, struct err *e)
{
	uint64_t column = l->form->column[TIMES_OP];
	if (column > l->n)
		return column_missing(l, column, e);
	const char *text = l->field[column - 1];
	*op = op_find(text);
	if (*op == OP_INVALID)
		*op = *text == 'r' || *text == 'R'   ? OP_PREAD
		      : *text == 'w' || *text == 'W' ? OP_PWRITE
						     : OP_INVALID;
	return *op ? 0
		   : err_set(e, EBADMSG, "column %" PRIu64 ": \"%.40s\" is not an operation",
			     column, text);
}

static int times_of(const struct line *l, struct adapter_request *q, struct err *e)
{
	const struct times_form *f = l->form;
	int ret = number_at(l, TIMES_BEGIN, (unsigned int)f->unit, &q->begin_ns, e);
	if (!ret)
		ret = number_at(l, f->column[TIMES_END] ? TIMES_END : TIMES_TOOK,
				(unsigned int)f->unit, &q->end_ns, e);
	if (!ret && f->column[TIMES_TOOK] &&
	    __builtin_add_overflow(q->end_ns, q->begin_ns, &q->end_ns))
		ret = err_set(e, EBADMSG, "the end time of the request is too large");
	return ret;
}

static int place_of(const struct line *l, struct adapter_request *q, struct err *e)
{
	const struct times_form *f = l->form;
	int64_t offset = 0, length = 0, seq;
	int ret = 0;
	if (f->column[TIMES_OP])
		ret = op_at(l, &q->op, e);
	if (!ret && f->column[TIMES_OFFSET])
		ret = number_at(l, TIMES_OFFSET, 0, &offset, e);
	if (!ret && f->column[TIMES_LENGTH])
		ret = number_at(l, TIMES_LENGTH, 0, &length, e);
	if (!ret && (offset < 0 || length < 0 ||
		     __builtin_mul_overflow((uint64_t)offset, f->unit_bytes, &q->offset) ||
		     __builtin_mul_overflow((uint64_t)length, f->unit_bytes, &q->length)))
		ret = err_set(e, EBADMSG, "the offset or the length is negative or too large");
	if (!ret && f->column[TIMES_SEQ]) {
		ret = number_at(l, TIMES_SEQ, 0, &seq, e);
		if (!ret && (seq < 0 || (uint64_t)seq < f->first_seq))
			ret = err_set(e, EBADMSG, "request number %" PRId64 " is smaller than the "
						  "first number (first=)", seq);
		q->seq = ret ? 0 : (uint64_t)seq - f->first_seq;
	}
	return ret;
}

static int line_take(struct adapter_run *r, struct line *l, struct err *e)
{
	struct adapter_request q = ADAPTER_REQUEST_INIT;
	const struct times_form *f = l->form;
	int64_t tid = 0;
	int ret = times_of(l, &q, e);
	ret = ret ? ret : place_of(l, &q, e);
	if (!ret && f->column[TIMES_OBJECT] && f->column[TIMES_OBJECT] <= l->n)
		q.object = l->field[f->column[TIMES_OBJECT] - 1];
	if (!ret && f->column[TIMES_RESULT])
		ret = number_at(l, TIMES_RESULT, 0, &q.rvalue, e);
	if (!ret && f->column[TIMES_TID])
		ret = number_at(l, TIMES_TID, 0, &tid, e);
	q.tid = (uint32_t)tid;
	return ret ? ret : adapter_seen(r, &q, e);
}

int times_read(struct adapter_run *r, const struct times_form *f, struct err *e)
{
	struct text_input in;
	struct line l = {.form = f};
	const char *s;
	size_t len;
	int ret = text_input_open(&in, r->output, e);
	while (!ret && (ret = text_input_line(&in, &s, &len, e)) == 1) {
		bool skipped = in.line <= f->n_header || !len || (f->comment && *s == f->comment);
		ret = 0;
		if (skipped)
			continue;
		if (len + 1 > l.cap) {
			l.cap = 2 * len + 64;
			l.text = xrealloc(l.text, l.cap);
		}
		memcpy(l.text, s, len);
		l.text[len] = 0;
		l.n = 0;
		for (char *p = l.text; p && l.n < TIMES_COLUMNS_MAX;) {
			if (l.form->separator == ' ')
				p += strspn(p, " \t");
			p = *p || l.form->separator != ' ' ? field_cut(&l, p) : NULL;
		}
		ret = line_take(r, &l, e);
		if (ret)
			err_context(e, "%s:%" PRIu64,
				strrchr(r->output, '/') ? strrchr(r->output, '/') + 1 : r->output,
				in.line);
	}
	text_input_close(&in);
	FREE_EACH(l.text, l.field);
	return ret;
}
