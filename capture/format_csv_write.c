/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace as CSV: doc/formats/csv.md. Only the text columns can need quoting; they go through
 * libcsv. */
#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/csv_args.h"
#include "capture/format.h"
#include "capture/op.h"
#include "common/file_beside.h"
#include "common/files.h"
#include "common/xalloc.h"

#define FLUSH_BYTES (256u << 10)

struct export
{
	struct trace *from;
	const char *path; /* for messages */
	int fd;
	struct strbuf out, args;
	uint64_t n_damaged;
	struct err damage;
};

static int flush(struct export *x, struct err *e)
{
	int rc = write_all(x->fd, x->out.s, x->out.len);
	strbuf_reset(&x->out);
	return rc ? err_sys(e, -rc, "%s: writing", x->path) : 0;
}

static void add_quoted(struct strbuf *out, const char *s, size_t len)
{
	char small[512], *to = small;
	size_t need = csv_write(NULL, 0, s, len);
	if (need > sizeof small)
		to = xmalloc(need);
	csv_write(to, need, s, len);
	strbuf_add(out, to, need);
	if (to != small)
		free(to);
}

static void add_u64(struct strbuf *out, uint64_t v)
{
	char text[20], *p = text + sizeof text;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	strbuf_add(out, p, (size_t)(text + sizeof text - p));
}

static void add_i64(struct strbuf *out, int64_t v)
{
	if (v < 0)
		strbuf_addch(out, '-');
	add_u64(out, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

static void add_time(struct strbuf *out, int64_t t)
{
	if (t != TIME_NONE) /* unknown: an empty field */
		add_i64(out, t);
}

static void add_error(struct strbuf *out, uint16_t error)
{
	const char *name = error ? strerrorname_np(error) : "";
	if (name)
		strbuf_addstr(out, name);
	else
		add_u64(out, error);
}

static int add_line(struct export *x, const struct trace_record *r, struct err *e)
{
	struct strbuf *o = &x->out;
	size_t heap_len;
	const void *heap;
	int rc = trace_heap(x->from, r->heap, &heap, &heap_len, e);
	if (rc)
		return rc;
	add_u64(o, r->pid);
	strbuf_addch(o, ',');
	add_u64(o, r->tid);
	strbuf_addch(o, ',');
	add_time(o, r->begin_ns);
	strbuf_addch(o, ',');
	add_time(o, r->end_ns);
	strbuf_addch(o, ',');
	strbuf_addstr(o, op_name(r->op));
	strbuf_addch(o, ',');
	strbuf_reset(&x->args);
	csv_args_write(&x->args, r, trace_object(x->from, r->object), heap, heap_len);
	add_quoted(o, x->args.s, x->args.len);
	strbuf_addch(o, ',');
	add_i64(o, r->rvalue);
	strbuf_addch(o, ',');
	add_error(o, r->error);
	strbuf_addch(o, ',');
	add_u64(o, r->seq);
	strbuf_addch(o, ',');
	add_time(o, r->intended_ns);
	strbuf_addch(o, ',');
	add_time(o, r->dispatch_ns);
	strbuf_addch(o, '\n');
	return 0;
}

static int export_all(struct export *x, struct err *e)
{
	const struct trace_record *r;
	struct err one = ERR_INIT;
	int rc = trace_rewind(x->from, e);
	if (rc)
		return rc;
	strbuf_addstr(&x->out,
		      "pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch\n");
	while ((rc = trace_next(x->from, &r, &one)) == 1 || rc == -EBADMSG) {
		if (rc == -EBADMSG && !x->n_damaged++)
			x->damage = one; /* the first is told */
		if (rc == 1 && (rc = add_line(x, r, e)))
			return rc;
		if (x->out.len >= FLUSH_BYTES && (rc = flush(x, e)))
			return rc;
	}
	return rc ? err_set(e, -rc, "%s", one.msg) : flush(x, e);
}

/* *damage is set, and 0 returned, where damaged blocks were left out. */
static int export_to(struct trace *t, int fd, const char *name, struct err *damage, struct err *e)
{
	struct export x = {
	    .from = t, .path = name, .fd = fd, .out = STRBUF_INIT, .args = STRBUF_INIT, .damage = ERR_INIT};
	int rc = export_all(&x, e);
	if (x.n_damaged)
		err_set(damage, EBADMSG, "%s (damaged blocks left out: %llu)", x.damage.msg,
			(unsigned long long)x.n_damaged);
	strbuf_release(&x.out);
	strbuf_release(&x.args);
	return rc;
}

/* Under another name first: PATH is the whole export or what it was before (it may be the input
 * itself). */
static int export_to_file(struct trace *t, const char *path, struct err *damage, struct err *e)
{
	char *temporary;
	int fd = file_beside(path, 0666, &temporary, e);
	if (fd < 0)
		return fd;
	int rc = export_to(t, fd, path, damage, e);
	if (!rc && fsync(fd))
		rc = err_sys(e, errno, "%s: fsync", path);
	if (close(fd) && !rc)
		rc = err_sys(e, errno, "%s: close", path);
	return file_beside_keep(temporary, path, rc, e);
}

/* Not a regular file: a pipe, /dev/null, or a link such as /dev/stdout, which must stay one. */
static int export_to_device(struct trace *t, const char *path, struct err *damage, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	int rc = export_to(t, fd, path, damage, e);
	if (close(fd) && !rc)
		rc = err_sys(e, errno, "%s: close", path);
	return rc;
}

int trace_export_csv(struct trace *t, const char *path, struct err *e)
{
	struct stat st;
	struct err damage = ERR_INIT;
	int rc;
	if (!strcmp(path, "-"))
		rc = export_to(t, STDOUT_FILENO, "standard output", &damage, e);
	else if ((rc = file_is_in_place(path, e)) < 0)
		return rc;
	else if (lstat(path, &st) || S_ISREG(st.st_mode))
		rc = export_to_file(t, path, &damage, e);
	else
		rc = export_to_device(t, path, &damage, e);
	return rc || !damage.code ? rc : err_set(e, damage.code, "%s", damage.msg);
}
