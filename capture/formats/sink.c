/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/sink.h"

#include "capture/csv_args.h"
#include "capture/op.h"
#include "common/file_beside.h"
#include "common/files.h"

#define FLUSH_BYTES (256u << 10)

int sink_flush(struct sink *s, struct err *e)
{
	int ret = write_all(s->fd, s->out.s, s->out.len);
	strbuf_reset(&s->out);
	return ret ? err_sys(e, -ret, "cannot write %s", s->path) : 0;
}

int sink_open(struct sink *s, const char *path, struct err *e)
{
	struct stat st;
	*s = (struct sink){.path = path, .fd = STDOUT_FILENO, .out = STRBUF_INIT};
	if (!strcmp(path, "-")) {
		s->path = "standard output";
		return 0;
	}
	int ret = file_is_in_place(path, e);
	if (ret < 0)
		return ret;
	if (lstat(path, &st) || S_ISREG(st.st_mode)) {
		s->fd = file_beside(path, 0666, &s->temporary, e);
		return s->fd < 0 ? s->fd : 0;
	}
	s->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	return s->fd < 0 ? err_sys(e, errno, "cannot create %s", path) : 0;
}

int sink_close(struct sink *s, const char *path, int ret, struct err *e)
{
	if (!ret && s->fd >= 0)
		ret = sink_flush(s, e);
	if (!ret && s->temporary && fsync(s->fd))
		ret = err_sys(e, errno, "cannot sync %s", path);
	if (s->fd >= 0 && s->fd != STDOUT_FILENO && close(s->fd) && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	ret = file_beside_keep(s->temporary, path, ret, e);
	strbuf_release(&s->out);
	return ret;
}

struct sink_walk {
	const struct sink_writer *w;
	void *ctx;
	struct trace_export_report *report;
	uint64_t n, n_damaged;
	struct err damage;
};

static int write_one(struct sink_walk *x, struct sink *s, const struct trace_record *r,
		     struct err *e)
{
	const char *why = "the format cannot hold it";
	const bool cause = op_info(r->op)->family == FAMILY_CAUSE, held = x->w->causes || !cause;
	int ret = held ? x->w->one(x->ctx, s, r, &why, e) : 0;
	if (!held)
		why = "the format holds requests only";
	if (ret < 0)
		return ret;
	if (!ret && x->report->left_out)
		x->report->left_out(x->report->ctx, x->n, r);
	x->n++;
	if (!ret && !x->report->n_left_out++)
		snprintf(x->report->why, sizeof x->report->why, "number %llu (%s): %s",
			 (unsigned long long)r->seq, op_name(r->op), why);
	x->report->n_written += ret == 1 && !cause;
	x->report->n_causes += ret == 1 && cause;
	return s->out.len >= FLUSH_BYTES ? sink_flush(s, e) : 0;
}

static int write_all_of(struct sink_walk *x, struct sink *s, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	struct err one = ERR_INIT;
	int ret = trace_rewind(t, e);
	if (x->w->header)
		strbuf_addstr(&s->out, x->w->header);
	if (!ret && x->w->head)
		ret = x->w->head(x->ctx, s, e);
	while (!ret && ((ret = trace_next(t, &r, &one)) == 1 || ret == -EBADMSG)) {
		if (ret == -EBADMSG && !x->n_damaged++)
			x->damage = one; /* reports the first error */
		ret = ret == 1 ? write_one(x, s, r, e) : 0;
		if (ret)
			return ret;
	}
	if (ret)
		return one.code ? err_set(e, -ret, "%s", one.msg) : ret;
	if (x->w->footer)
		strbuf_addstr(&s->out, x->w->footer);
	return x->w->tail ? x->w->tail(x->ctx, s, e) : 0;
}

int sink_write_trace(const struct sink_writer *w, void *ctx, struct trace *t, const char *path,
		     struct trace_export_report *report, struct err *e)
{
	struct trace_export_report unseen = {.left_out = NULL};
	struct sink s;
	struct sink_walk x = {.w = w, .ctx = ctx, .report = report ? report : &unseen,
			      .damage = ERR_INIT};
	x.report->n_written = x.report->n_causes = x.report->n_left_out = 0;
	x.report->why[0] = 0;
	int ret = sink_open(&s, path, e);
	ret = ret ? ret : write_all_of(&x, &s, t, e);
	ret = sink_close(&s, path, ret, e);
	if (!ret && x.n_damaged)
		ret = err_set(e, EBADMSG, "%s (damaged blocks left out: %llu)", x.damage.msg,
			      (unsigned long long)x.n_damaged);
	return ret;
}

void sink_u64(struct sink *s, uint64_t v)
{
	char text[20], *p = text + sizeof text;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	strbuf_add(&s->out, p, (size_t)(text + sizeof text - p));
}

void sink_decimal(struct sink *s, int64_t v, unsigned int digits)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, scale = 1;
	for (unsigned int i = 0; i < digits; i++)
		scale *= 10;
	if (v < 0)
		strbuf_addch(&s->out, '-');
	sink_u64(s, u / scale);
	if (digits)
		strbuf_addf(&s->out, ".%0*llu", (int)digits, (unsigned long long)(u % scale));
}

void sink_json_string(struct sink *s, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	strbuf_addch(&s->out, '"');
	for (size_t left = strlen(text), n; left; p += n, left -= n) {
		n = utf8_char_len(p, left);
		if (!n) {
			strbuf_addstr(&s->out, "\\ufffd");
			n = 1;
		} else if (*p < ' ' || *p == 0x7f) {
			strbuf_addf(&s->out, "\\u%04x", *p);
		} else if (n == 2 && p[0] == 0xc2 && p[1] < 0xa0) {
			/* U+0080 to U+009F: control characters that terminals interpret */
			strbuf_addf(&s->out, "\\u%04x", p[1]);
		} else {
			if (*p == '"' || *p == '\\')
				strbuf_addch(&s->out, '\\');
			strbuf_add(&s->out, p, n);
		}
	}
	strbuf_addch(&s->out, '"');
}

bool sink_is_transfer(const struct trace *t, const struct trace_record *r, bool *is_write,
		      const char **why)
{
	const struct op_info *o = op_info(r->op);
	*is_write = o->family == FAMILY_WRITE;
	*why = (o->family != FAMILY_READ && o->family != FAMILY_WRITE) || !(o->uses & OP_HAS_LENGTH)
		   ? "it neither reads nor writes data"
	       : r->rvalue < 0			? "it failed"
	       : r->offset > INT64_MAX		? "its offset is not known"
	       : r->begin_ns == TIME_NONE	? "its start is not known"
	       : !trace_object(t, r->object)	? "its file or device is unknown"
						: NULL;
	return !*why;
}
