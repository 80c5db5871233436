/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON events of the metrology paper's replayer (beefs_replayer), written: the number of events, then an object a line, each
 * with the events that it follows and that follow it; here program order within a thread. doc/formats/others.md. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/formats/sink.h"
#include "capture/op.h"
#include "common/xalloc.h"

struct last_of_thread {
	uint32_t pid, tid;
	uint32_t id; /* of its last event, 0 none */
};

struct out {
	struct trace *t;
	struct last_of_thread *thread;
	size_t n_threads, cap_threads;
	uint32_t *next; /* next[id]: in its thread, 0 none. The one list that grows with the trace */
	size_t cap_next;
	uint32_t *first; /* first[n_first]: of each thread */
	size_t n_first, cap_first;
	uint32_t n, written;
	int64_t first_ns;
};

static const char *cannot(const struct out *x, const struct trace_record *r)
{
	switch (r->op) {
	case OP_OPEN: case OP_CLOSE: case OP_READ: case OP_WRITE: case OP_PREAD: case OP_PWRITE: case OP_LSEEK: case OP_FSYNC:
	case OP_MKDIR: case OP_RMDIR: case OP_UNLINK: case OP_STAT: case OP_FSTAT:
		break;
	default:
		return "the replayer has no such call";
	}
	if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE || r->end_ns < r->begin_ns)
		return "its begin or its end is not known";
	if (!trace_object(x->t, r->object))
		return "its file is not known";
	if (r->fd >= 32768 || ((op_info(r->op)->uses & OP_HAS_OFFSET) && r->offset >= 1u << 31))
		return "the replayer has descriptors below 32768 and offsets below 2 GiB";
	return NULL;
}

static struct last_of_thread *thread_of(struct out *x, const struct trace_record *r)
{
	for (size_t i = 0; i < x->n_threads; i++)
		if (x->thread[i].tid == r->tid && x->thread[i].pid == r->pid)
			return &x->thread[i];
	GROW(x->thread, x->n_threads, x->cap_threads);
	x->thread[x->n_threads] = (struct last_of_thread){r->pid, r->tid, 0};
	return &x->thread[x->n_threads++];
}

static int link_events(struct out *x, struct err *e)
{
	const struct trace_record *r;
	int rc = trace_rewind(x->t, e);
	while (!rc && ((rc = trace_next(x->t, &r, e)) == 1 || rc == -EBADMSG)) {
		if (rc == 1 && !cannot(x, r)) {
			struct last_of_thread *th = thread_of(x, r);
			uint32_t id = ++x->n;
			if (id >= x->cap_next) {
				x->cap_next = x->cap_next ? x->cap_next * 2 : 1024;
				x->next = xreallocarray(x->next, x->cap_next, sizeof *x->next);
			}
			x->next[id] = 0;
			if (th->id) {
				x->next[th->id] = id;
			} else {
				GROW(x->first, x->n_first, x->cap_first);
				x->first[x->n_first++] = id;
			}
			th->id = id;
			x->first_ns = id == 1 ? r->begin_ns : x->first_ns;
		}
		rc = 0;
	}
	for (size_t i = 0; i < x->n_threads; i++)
		x->thread[i].id = 0;
	return rc;
}

/* The number of events, and event 0, which all threads follow. */
static int write_head(void *ctx, struct sink *s, struct err *e)
{
	struct out *x = ctx;
	(void)e;
	strbuf_addf(&s->out, "%u\n{\"rvalue\":0,\"parents\":[],\"caller\":{\"tid\":\"0\",\"pid\":\"0\",\"uid\":\"0\",\"exec\":\"none\"},"
			     "\"stamp\":{\"begin\":0,\"elapsed\":0},\"call\":\"none\",\"args\":[],\"id\":0,\"session_id\":-1,\"children\":[",
		    x->n + 1);
	for (size_t i = 0; i < x->n_first; i++)
		strbuf_addf(&s->out, "%s%u", i ? "," : "", x->first[i]);
	strbuf_addstr(&s->out, "]}\n");
	return 0;
}

static void add_args(struct out *x, struct sink *s, const struct trace_record *r)
{
	unsigned int uses = op_info(r->op)->uses;
	strbuf_addch(&s->out, '[');
	sink_json_string(s, trace_object(x->t, r->object)->name);
	if ((uses & OP_HAS_FD) && !(uses & OP_RETURNS_FD))
		strbuf_addf(&s->out, ",\"%d\"", r->fd);
	if (uses & OP_HAS_FLAGS && r->op != OP_LSEEK)
		strbuf_addf(&s->out, ",\"%u\"", r->flags);
	if (uses & (OP_HAS_LENGTH | OP_HAS_MODE))
		strbuf_addf(&s->out, ",\"%llu\"", (unsigned long long)r->length);
	if (uses & OP_HAS_OFFSET)
		strbuf_addf(&s->out, ",\"%lld\"", (long long)r->offset);
	if (r->op == OP_LSEEK)
		strbuf_addf(&s->out, ",\"%u\"", r->flags);
	strbuf_addch(&s->out, ']');
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why, struct err *e)
{
	struct out *x = ctx;
	(void)e;
	if ((*why = cannot(x, r)))
		return 0;
	struct last_of_thread *th = thread_of(x, r);
	uint32_t id = ++x->written;
	strbuf_addf(&s->out, "{\"rvalue\":%lld,\"parents\":[%u],\"caller\":{\"tid\":\"%u\",\"pid\":\"%u\",\"uid\":\"1\",\"exec\":\"x\"},",
		    (long long)r->rvalue, th->id, r->tid % 32768, r->pid % 32768);
	strbuf_addf(&s->out, "\"stamp\":{\"begin\":%lld,\"elapsed\":%lld},\"call\":\"%s\",\"args\":", (long long)((r->begin_ns - x->first_ns) / 1000),
		    (long long)((r->end_ns - r->begin_ns) / 1000), op_name(r->op));
	add_args(x, s, r);
	strbuf_addf(&s->out, ",\"id\":%u,\"session_id\":-1,\"children\":[", id);
	if (x->next[id])
		strbuf_addf(&s->out, "%u", x->next[id]);
	strbuf_addstr(&s->out, "]}\n");
	th->id = id;
	return 1;
}

static int events_write(struct trace *t, const char *path, struct trace_export_report *report, struct err *e)
{
	static const struct sink_writer writer = {.head = write_head, .one = write_one};
	struct out x = {.t = t};
	int rc = link_events(&x, e);
	rc = rc ? rc : sink_write_trace(&writer, &x, t, path, report, e);
	free(x.thread);
	free(x.next);
	free(x.first);
	return rc;
}

const struct trace_format format_events = {
    .name = "events", .help = "the JSON events of the metrology paper's replayer", .write = events_write};
