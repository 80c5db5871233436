/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes delimited text according to a mapping file, with the columns in the order of the file. */

#include "capture/csv_args.h"
#include "capture/formats/mapping.h"
#include "capture/formats/sink.h"

struct mapping_out {
	const struct mapping *m;
	struct trace *t;
	int64_t wall_ns; /* wall-clock time of time 0 of the trace */
	unsigned int n_object_columns;
};

static void add_separator(const struct mapping_out *x, struct sink *s, bool first)
{
	if (!first)
		strbuf_addch(&s->out, x->m->delimiter ? x->m->delimiter : ' ');
}

static int write_head(void *ctx, struct sink *s, struct err *e)
{
	const struct mapping_out *x = ctx;
	(void)e;
	for (unsigned int i = 0; i < x->m->n && x->m->header; i++) {
		add_separator(x, s, !i);
		strbuf_addstr(&s->out, x->m->column[i].name);
	}
	if (x->m->header)
		strbuf_addch(&s->out, '\n');
	return 0;
}

/* Writes a time; without digits, in whole units. Seconds since the epoch and the rest are kept
 * separately, because their sum in ns may overflow. */
static void add_time(const struct mapping_out *x, struct sink *s, const struct mapping_column *c,
		     int64_t ns, bool stamp)
{
	int64_t second = 0, rest = ns, per_s = 1000000000 / c->unit;
	if (stamp && x->m->absolute) {
		second = x->wall_ns / 1000000000 + x->m->epoch_s;
		rest += x->wall_ns % 1000000000;
	}
	int64_t borrow = rest / 1000000000 - (rest % 1000000000 < 0);
	second += borrow;
	rest -= borrow * 1000000000;
	if (second < 0) { /* before the epoch, or relative and negative */
		strbuf_addch(&s->out, '-');
		second = -second - (rest > 0);
		rest = rest ? 1000000000 - rest : 0;
	}
	int64_t scale = 1;
	for (unsigned int i = 0; i < c->digits; i++)
		scale *= 10;
	if (c->unit == 1000000000 && c->digits) {
		sink_u64(s, (uint64_t)second);
		strbuf_addf(&s->out, ".%0*lld", (int)c->digits,
			    (long long)(rest / (1000000000 / scale)));
		return;
	}
	sink_u64(s, (uint64_t)second * (uint64_t)per_s + (uint64_t)(rest / c->unit));
	if (c->digits)
		strbuf_addf(&s->out, ".%0*lld", (int)c->digits,
			    (long long)(rest % c->unit * scale / c->unit));
}

/* Writes the part of the object's name for the i-th of its columns. The name is split as the reader
 * joins it. */
static void add_object(const struct mapping_out *x, struct sink *s, const struct mapping_column *c,
		       const struct trace_record *r, unsigned int i)
{
	const char *name = trace_object(x->t, r->object)->name, *end = name + strlen(name);
	for (unsigned int k = x->n_object_columns - 1; k > i; k--) { /* cuts later parts off */
		const char *dot = memrchr(name, '.', (size_t)(end - name));
		if (!dot)
			break;
		end = dot;
	}
	const char *dot = i ? memrchr(name, '.', (size_t)(end - name)) : NULL;
	const char *part = dot ? dot + 1 : name;
	if (i && !dot)
		part = end;
	bool digits = end > part;
	for (const char *p = part; p < end; p++)
		digits &= *p >= '0' && *p <= '9';
	if ((c->number && !digits) || part == end) {
		if (c->write)
			strbuf_addstr(&s->out, c->write);
		else
			sink_u64(s, r->object);
		return;
	}
	const bool has_control = text_has_control(name);
	for (const char *p = part; p < end; p++) {
		bool bad = (unsigned char)*p <= ' ' || (has_control && (unsigned char)*p >= 0x7f) ||
			   *p == '"' || *p == x->m->delimiter;
		strbuf_addch(&s->out, bad ? '_' : *p);
	}
}

static const char *value_of(const struct mapping_column *c, bool is_write)
{
	for (unsigned int i = 0; i < c->n_values; i++) {
		enum op_family f = op_info(c->value[i].op)->family;
		if (c->value[i].op && f == (is_write ? FAMILY_WRITE : FAMILY_READ))
			return c->value[i].text;
	}
	return NULL;
}

static void add_column(const struct mapping_out *x, struct sink *s, const struct mapping_column *c,
		       const struct trace_record *r, bool is_write, unsigned int *n_objects)
{
	uint64_t unit = (uint64_t)c->unit;
	switch (c->field) {
	case MAP_BEGIN:
		add_time(x, s, c, r->begin_ns, true);
		break;
	case MAP_END:
		add_time(x, s, c, r->end_ns, true);
		break;
	case MAP_DISPATCH:
		add_time(x, s, c, r->dispatch_ns == TIME_NONE ? r->begin_ns : r->dispatch_ns, true);
		break;
	case MAP_RESPONSE:
		add_time(x, s, c, r->end_ns == TIME_NONE ? 0 : r->end_ns - r->begin_ns, false);
		break;
	case MAP_OPERATION:
		strbuf_addstr(&s->out, value_of(c, is_write));
		break;
	case MAP_OBJECT:
		add_object(x, s, c, r, (*n_objects)++);
		break;
	case MAP_OFFSET:
		sink_u64(s, r->offset / unit);
		break;
	case MAP_LENGTH:
		sink_u64(s, r->length / unit);
		break;
	case MAP_LAST:
		strbuf_addf(&s->out, "%lld", (long long)(r->offset + r->length) - 1);
		break;
	case MAP_COUNT:
		strbuf_addch(&s->out, '1');
		break;
	case MAP_PID:
		sink_u64(s, r->pid);
		break;
	case MAP_TID:
		sink_u64(s, r->tid);
		break;
	case MAP_FD:
		strbuf_addf(&s->out, "%d", r->fd);
		break;
	case MAP_RVALUE:
		strbuf_addf(&s->out, "%lld", (long long)r->rvalue);
		break;
	case MAP_ERROR:
		sink_u64(s, r->error);
		break;
	default:
		if (c->write && !strcmp(c->write, "seq"))
			sink_u64(s, r->seq);
		else
			strbuf_addstr(&s->out, c->write ? c->write : "0");
	}
}

static const char *refusal_of(const struct mapping_out *x, const struct trace_record *r,
			      bool is_write)
{
	for (unsigned int i = 0; i < x->m->n; i++) {
		const struct mapping_column *c = &x->m->column[i];
		if (c->field == MAP_OPERATION && !value_of(c, is_write))
			return "the format has no name for the operation";
		if (c->field == MAP_OFFSET && r->offset % (uint64_t)c->unit)
			return "its offset is not a multiple of the format's unit";
		if (c->field == MAP_LENGTH && r->length % (uint64_t)c->unit)
			return "its length is not a multiple of the format's unit";
		if ((c->field == MAP_END || c->field == MAP_RESPONSE) &&
		    (r->end_ns == TIME_NONE || r->end_ns < r->begin_ns))
			return "its end is not known";
	}
	return x->m->absolute || r->begin_ns >= 0 ? NULL : "it begins before time 0";
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	const struct mapping_out *x = ctx;
	bool is_write;
	unsigned int n_objects = 0;
	(void)e;
	if (!sink_is_transfer(x->t, r, &is_write, why) || (*why = refusal_of(x, r, is_write)))
		return 0;
	unsigned int at = 0;
	for (unsigned int i = 0; i < x->m->n; i++, at++) {
		const struct mapping_column *c = &x->m->column[i];
		for (; !x->m->header && at < c->index;
		     at++) { /* columns that are not in the mapping */
			add_separator(x, s, !at);
			strbuf_addch(&s->out, '0');
		}
		add_separator(x, s, !at);
		add_column(x, s, c, r, is_write, &n_objects);
	}
	strbuf_addch(&s->out, '\n');
	return 1;
}

int mapping_write(const struct mapping *m, struct trace *t, const char *path,
		  struct trace_export_report *report, struct err *e)
{
	static const struct sink_writer writer = {.head = write_head, .one = write_one};
	struct mapping_out x = {.m = m, .t = t, .wall_ns = trace_meta(t)->wall_epoch_ns};
	for (unsigned int i = 0; i < m->n; i++)
		x.n_object_columns += m->column[i].field == MAP_OBJECT;
	return sink_write_trace(&writer, &x, t, path, report, e);
}
