/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace as CSV: doc/formats/csv.md. Only the arguments can need quotes, which libcsv
 * adds. */
#include <csv.h>

#include "capture/csv_args.h"
#include "capture/formats/sink.h"
#include "capture/op.h"

struct csv_export {
	struct trace *from;
	struct strbuf args;
};

static void add_time(struct sink *s, int64_t ns)
{
	strbuf_addch(&s->out, ',');
	if (ns != TIME_NONE) /* an unknown time is an empty field */
		sink_decimal(s, ns, 0);
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	struct csv_export *x = ctx;
	size_t heap_len;
	const void *heap;
	(void)why;
	int ret = trace_heap(x->from, r->heap, &heap, &heap_len, e);
	if (ret)
		return ret;
	sink_u64(s, r->pid);
	strbuf_addch(&s->out, ',');
	sink_u64(s, r->tid);
	add_time(s, r->begin_ns);
	add_time(s, r->end_ns);
	strbuf_addch(&s->out, ',');
	strbuf_addstr(&s->out, op_name(r->op));
	strbuf_addch(&s->out, ',');
	strbuf_reset(&x->args);
	csv_args_write(&x->args, r, trace_object(x->from, r->object), heap, heap_len);
	const size_t need = csv_write(NULL, 0, x->args.s, x->args.len);
	SCOPED_FREE char *quoted = xmalloc(need);
	csv_write(quoted, need, x->args.s, x->args.len);
	strbuf_add(&s->out, quoted, need);
	strbuf_addch(&s->out, ',');
	sink_decimal(s, r->rvalue, 0);
	strbuf_addch(&s->out, ',');
	const char *error = r->error ? strerrorname_np(r->error) : "";
	if (error)
		strbuf_addstr(&s->out, error);
	else
		sink_u64(s, r->error);
	strbuf_addch(&s->out, ',');
	sink_u64(s, r->seq);
	add_time(s, r->intended_ns);
	add_time(s, r->dispatch_ns);
	strbuf_addch(&s->out, '\n');
	return 1;
}

int trace_export_csv(struct trace *t, const char *path, struct err *e)
{
	static const struct sink_writer writer = {
	    .header = "pid,tid,begin,end,function,args,rvalue,error,seq,intended,dispatch\n",
	    .one = write_one,
	    .causes = true};
	struct csv_export x = {.from = t, .args = STRBUF_INIT};
	int ret = sink_write_trace(&writer, &x, t, path, NULL, e);
	strbuf_release(&x.args);
	return ret;
}
