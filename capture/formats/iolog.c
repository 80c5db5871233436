/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fio's iolog, versions 2 and 3: doc/formats/others.md. "149 f1 read 0 4096"; version 2 has waits
 * instead of times. */

#include "capture/csv_args.h"
#include "capture/formats/blanks.h"
#include "capture/formats/foreign.h"
#include "capture/formats/sink.h"
#include "capture/number.h"
#include "capture/op.h"

struct iolog {
	struct foreign base;
	unsigned int version; /* 0: the first line was not read yet */
	int64_t now_ns, wait_unit_ns;
	bool has_file, has_device; /* kinds of names found at the beginning */
	bool decided;		   /* the level is known */
	uint32_t n_opened;
	bool *open; /* open[n_opened], by object */
};

struct word {
	const char *s;
	size_t len;
};

static bool word_is(const struct word *w, const char *text)
{
	return strlen(text) == w->len && !memcmp(w->s, text, w->len);
}

static unsigned int words_split(const char *s, const char *end, struct word *w, unsigned int max)
{
	unsigned int n = 0;
	while (n < max) {
		s = skip_blanks(s, end);
		if (s == end)
			break;
		w[n].s = s;
		s = word_end(s, end);
		w[n].len = (size_t)(s - w[n].s);
		n++;
	}
	return n;
}

static int word_u64(struct iolog *t, const struct word *w, uint64_t max, uint64_t *v, struct err *e)
{
	const char *s = w->s;
	if (scan_u64(&s, w->s + w->len, v) && s == w->s + w->len && *v <= max)
		return 0;
	return foreign_at(&t->base, w->s, e, "\"%.*s\" is not a whole number from 0 to %" PRIu64,
			  (int)(w->len < 60 ? w->len : 60), w->s, max);
}

static const struct {
	const char *name;
	enum trace_op op;
} actions[] = {{"read", OP_PREAD},     {"write", OP_PWRITE},
	       {"sync", OP_FSYNC},     {"datasync", OP_FDATASYNC},
	       {"trim", OP_FALLOCATE}, {"open", OP_OPEN},
	       {"close", OP_CLOSE},    {"sync_file_range", OP_SYNC_FILE_RANGE},
	       {"syncfs", OP_SYNCFS}};

static void note_open(struct iolog *t, uint32_t object, bool now)
{
	if (object >= t->n_opened) {
		t->open = xreallocarray(t->open, object + 16, sizeof *t->open);
		memset(t->open + t->n_opened, 0, (object + 16 - t->n_opened) * sizeof *t->open);
		t->n_opened = object + 16;
	}
	t->open[object] = now;
}

/* Reads the name of a file. An iolog that begins with devices only is a block-level trace. */
static int take_name(struct iolog *t, const struct word *w, struct err *e)
{
	const bool device = name_is_device(w->s, w->len);
	t->has_device |= device;
	t->has_file |= !device;
	if (device || t->base.base.meta.meta.level != LEVEL_BLOCK)
		return 0;
	return foreign_at(&t->base, w->s, e,
			  "the iolog names the file \"%.*s\" and devices: a trace cannot hold both",
			  (int)(w->len < 60 ? w->len : 60), w->s);
}

/* Reads the action w: file, action; for transfers also offset and length. */
static int take_action(struct iolog *t, const struct word *w, unsigned int n, struct err *e)
{
	struct trace_record r = record_unknown();
	const bool block = t->base.base.meta.meta.level == LEVEL_BLOCK;
	size_t k = 0, n_actions = sizeof actions / sizeof *actions;
	int ret = take_name(t, &w[0], e);
	if (ret || word_is(&w[1], "add"))
		return ret;
	while (k < n_actions && !word_is(&w[1], actions[k].name))
		k++;
	if (k == n_actions)
		return foreign_at(&t->base, w[1].s, e, "\"%.*s\" is not an action of an iolog",
				  (int)(w[1].len < 60 ? w[1].len : 60), w[1].s);
	r.op = (uint16_t)actions[k].op;
	if (block && (r.op == OP_OPEN || r.op == OP_CLOSE))
		return 0; /* block-level traces have no opens */
	/* Until the level is decided, names count as devices, so that the object table contains no
	 * paths if all names are devices. */
	const bool as_device = block || (!t->decided && !t->has_file);
	ret = foreign_object(&t->base, as_device ? OBJECT_DEVICE : OBJECT_PATH, w[0].s, w[0].len,
			     &r.object, e);
	bool transfer = r.op == OP_PREAD || r.op == OP_PWRITE || r.op == OP_FALLOCATE;
	if (!ret && transfer && n < 4)
		ret = foreign_at(&t->base, w[n - 1].s, e, "%s needs an offset and a length",
				 actions[k].name);
	const bool extent = transfer || (r.op == OP_SYNC_FILE_RANGE && n >= 4);
	ret = ret || !extent ? ret : word_u64(t, &w[2], INT64_MAX, &r.offset, e);
	ret = ret || !extent ? ret : word_u64(t, &w[3], INT64_MAX, &r.length, e);
	if (ret)
		return ret;
	r.fd = block ? -1 : (int32_t)(r.object % (INT32_MAX - 3)) + 3;
	r.rvalue = r.op == OP_OPEN                    ? r.fd
		   : transfer && r.op != OP_FALLOCATE ? (int64_t)r.length
						      : 0;
	r.flags = r.op == OP_OPEN        ? O_RDWR
		  : r.op == OP_FALLOCATE ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
					 : 0;
	r.begin_ns = t->now_ns;
	if (block)
		return foreign_add(&t->base, &r, e);
	if (r.op == OP_OPEN || r.op == OP_CLOSE)
		note_open(t, r.object, r.op == OP_OPEN);
	else if (r.object >= t->n_opened || !t->open[r.object])
		t->base.base.notes.n_unknown_fd++;
	return foreign_add(&t->base, &r, e);
}

static int take_header(struct iolog *t, const struct word *w, unsigned int n, struct err *e)
{
	bool good = n == 4 && word_is(&w[0], "fio") && word_is(&w[1], "version") &&
		    word_is(&w[3], "iolog") && w[2].len == 1;
	if (!good || (*w[2].s != '2' && *w[2].s != '3'))
		return foreign_at(&t->base, w[0].s, e,
			"the first line is not \"fio version 2 iolog\" or \"fio version 3 iolog\"");
	t->version = (unsigned int)(*w[2].s - '0');
	t->base.base.meta.meta.clock_resolution_ns =
	    t->version == 3 || !t->wait_unit_ns ? 1000 : (double)t->wait_unit_ns;
	return 0;
}

static int iolog_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct iolog *t = (struct iolog *)f;
	struct word w[6];
	uint64_t v;
	unsigned int n = words_split(s, s + len, w, 6);
	if (!n)
		return 0;
	if (!t->version)
		return take_header(t, w, n, e);
	if (t->version == 3) {
		int ret = n < 3 ? foreign_at(f, s, e,
					     "a line needs at least a time, a file and an action")
			       : word_u64(t, &w[0], INT64_MAX / 4096, &v, e);
		if (ret)
			return ret;
		t->now_ns = (int64_t)v * 1000;
		return take_action(t, w + 1, n - 1, e);
	}
	if (n < 2)
		return foreign_at(f, s, e, "a line needs at least a file and an action");
	if (!word_is(&w[1], "wait"))
		return take_action(t, w, n, e);
	if (!t->wait_unit_ns)
		return foreign_at(f, w[1].s, e, "some programs write the waits of an iolog of "
			"version 2 in us, others in ms: add --wait-unit us or --wait-unit ms");
	int ret =
	    n < 3 ? foreign_at(f, w[1].s, e, "wait needs a time")
		  : word_u64(t, &w[2], (uint64_t)TRACE_TIME_MAX / (uint64_t)t->wait_unit_ns, &v, e);
	if (ret)
		return ret;
	if ((int64_t)v * t->wait_unit_ns > TRACE_TIME_MAX - t->now_ns)
		return foreign_at(f, w[2].s, e,
				  "a time exceeds the limit of the trace format (2^61 ns, 73 "
				  "years)");
	t->now_ns += (int64_t)v * t->wait_unit_ns;
	return 0;
}

static void iolog_reset(struct foreign *f)
{
	struct iolog *t = (struct iolog *)f;
	if (!t->decided && (t->has_file || t->has_device)) {
		f->base.meta.meta.level = t->has_file ? LEVEL_SYSCALL : LEVEL_BLOCK;
		t->decided = true;
	}
	t->version = 0;
	t->now_ns = 0;
	free(t->open);
	t->open = NULL;
	t->n_opened = 0;
}

static void iolog_setup(struct foreign *f, const struct trace_open_options *o)
{
	((struct iolog *)f)->wait_unit_ns = o->wait_unit_ns;
}

static const struct foreign_reader reader = {.clock = "fio iolog",
					     .captured_by = "fio",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct iolog),
					     .setup = iolog_setup,
					     .line = iolog_line,
					     .reset = iolog_reset,
					     .release = iolog_reset};

static int iolog_bid(const unsigned char *head, size_t len, const char *path)
{
	(void)path;
	return len >= 19 && !memcmp(head, "fio version ", 12) && !memcmp(head + 13, " iolog", 6)
		   ? 90
		   : 0;
}

/* --- writing: version 3 only --------------------------------------------- */

struct iolog_out {
	struct trace *t;
	bool *added; /* added[n], by object */
	uint32_t n_added;
	int64_t first_us, last_us;
	bool has_first;
};

static const char *action_of(const struct trace_record *r)
{
	enum op_family f = op_info(r->op)->family;
	if (f == FAMILY_READ || f == FAMILY_WRITE)
		return f == FAMILY_READ ? "read" : "write";
	return r->op == OP_FSYNC ? "sync" : r->op == OP_FDATASYNC ? "datasync"
	       : r->op == OP_FALLOCATE && (r->flags & FALLOC_FL_PUNCH_HOLE) ? "trim" : NULL;
}

static const char *refusal_of(const struct iolog_out *x, const struct trace_record *r,
			      const char *action)
{
	const struct trace_object *o = trace_object(x->t, r->object);
	bool is_write, sync = action && strstr(action, "sync");
	const char *why = NULL;
	if (!action)
		return r->op == OP_OPEN || r->op == OP_CLOSE
			   ? "the iolog opens the files itself"
			   : "an iolog cannot express the operation";
	if (!sync && r->op != OP_FALLOCATE && !sink_is_transfer(x->t, r, &is_write, &why))
		return why;
	if (!o || r->begin_ns == TIME_NONE)
		return "its file or its start is not known";
	if (strlen(o->name) > 255 || !*o->name || strpbrk(o->name, " \t\n\r\v\f"))
		return "fio reads only names of 1 to 255 bytes without white space";
	if (text_has_control(o->name))
		return "its name has control characters or invalid UTF-8, which an iolog cannot "
		       "hold";
	if (op_info(r->op)->family == FAMILY_READ && r->rvalue >= 0 &&
	    (uint64_t)r->rvalue < r->length && trace_meta(x->t)->level == LEVEL_SYSCALL)
		return "it read less than requested; fio would end with an error";
	return !sync && (!r->length || r->length > UINT32_MAX)
		   ? "its length is not between 1 and 2^32 - 1"
		   : NULL;
}

/* Converts a time for fio, which reads time 0 and decreasing times as "no delay". So times begin at
 * 1 us and never decrease. */
static int64_t time_us(struct iolog_out *x, int64_t ns)
{
	int64_t us = ns / 1000 - (ns % 1000 < 0);
	if (!x->has_first) {
		x->has_first = true;
		x->first_us = us - 1;
		x->last_us = 1;
	}
	us -= x->first_us;
	x->last_us = us > x->last_us ? us : x->last_us;
	return x->last_us;
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	struct iolog_out *x = ctx;
	const char *action = action_of(r);
	(void)e;
	if ((*why = refusal_of(x, r, action)))
		return 0;
	const char *name = trace_object(x->t, r->object)->name;
	long long us = time_us(x, r->begin_ns);
	if (r->object >= x->n_added) {
		uint32_t n = r->object + 64;
		x->added = xreallocarray(x->added, n, sizeof *x->added);
		memset(x->added + x->n_added, 0, (n - x->n_added) * sizeof *x->added);
		x->n_added = n;
	}
	if (!x->added[r->object]) {
		strbuf_addf(&s->out, "%lld %s add\n%lld %s open\n", us, name, us, name);
		x->added[r->object] = true;
	}
	strbuf_addf(&s->out, "%lld %s %s", us, name, action);
	if (strstr(action, "sync")) /* fio requires both numbers here, but ignores them */
		strbuf_addstr(&s->out, " 0 0\n");
	else
		strbuf_addf(&s->out, " %llu %llu\n", (unsigned long long)r->offset,
			    (unsigned long long)r->length);
	return 1;
}

static int write_tail(void *ctx, struct sink *s, struct err *e)
{
	struct iolog_out *x = ctx;
	(void)e;
	for (uint32_t i = 0; i < x->n_added; i++)
		if (x->added[i])
			strbuf_addf(&s->out, "%lld %s close\n", (long long)x->last_us,
				    trace_object(x->t, i)->name);
	return 0;
}

static int iolog_write(struct trace *t, const char *path, struct trace_export_report *report,
		       struct err *e)
{
	static const struct sink_writer writer = {
	    .header = "fio version 3 iolog\n", .one = write_one, .tail = write_tail};
	struct iolog_out x = {.t = t};
	int ret = sink_write_trace(&writer, &x, t, path, report, e);
	free(x.added);
	return ret;
}

const struct trace_format format_iolog = {
    .name = "iolog",
    .help = "fio iolog (also named fio): reads versions 2 and 3, writes version 3",
    .bid = iolog_bid,
    .reader = &reader,
    .write = iolog_write,
};
