/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the JSON events of the metrology paper's replayer (beefs_replayer): the number of events,
 * then one object on each line. Each event lists its parents and children: the previous event of
 * its thread, and events of other threads on its descriptor. For the first event of a thread, the
 * parent is the event that ended last before it. The replayer crashes on unknown input, so such
 * requests are left out. doc/formats/others.md. */

#include "capture/formats/sink.h"
#include "capture/op.h"
#include "common/sort.h"
#include "common/u64_map.h"

#define NUMBERS 32768 /* largest number of descriptors and of processes that the replayer allows */
#define PATH_BYTES 255u /* largest path that the replayer allows */

struct events_thread {
	uint32_t pid, tid;
	uint32_t process; /* number of its process, from 1 on */
	uint32_t last;	  /* id of its last event; 0: none */
	int64_t end_ns;	  /* end of its last event */
};

struct events_edge { /* a dependency between two threads */
	uint32_t from, to;
};

struct events_number { /* a descriptor number of a process */
	bool open;
	uint32_t event, thread; /* last open or close; its thread */
	/* use[n_uses]: `from` is a thread, `to` is the thread's last event on this number since the
	 * last change */
	struct events_edge *use;
	size_t n_uses, cap;
};

struct events_out {
	struct trace *t;
	struct events_thread *thread;
	size_t n_threads, cap_threads, last_thread;
	uint32_t n_processes;
	struct u64_map number_of; /* maps process and descriptor to an index of number[] */
	struct events_number *number;
	size_t n_numbers, cap_numbers;
	struct events_edge *edge; /* edge[n_edges], sorted by `to` */
	size_t n_edges, cap_edges;
	struct events_edge *child; /* child[n_edges]: the same edges, sorted by `from` */
	size_t at_edge, at_child;
	uint32_t *next; /* next[id]: next event of the thread, 0: none; grows with the trace */
	size_t cap_next;
	bool linking; /* set in the first pass, which finds the edges */
	uint32_t n;   /* number of events in the current pass so far */
	uint32_t n_all;
	int64_t first_ns;
};

/* --- threads and descriptors --------------------------------------------- */

static size_t thread_of(struct events_out *x, const struct trace_record *r)
{
	struct events_thread *th = x->thread;
	if (x->n_threads && th[x->last_thread].tid == r->tid && th[x->last_thread].pid == r->pid)
		return x->last_thread;
	uint32_t process = 0;
	for (size_t i = 0; i < x->n_threads; i++) {
		process = th[i].pid == r->pid ? th[i].process : process;
		if (th[i].tid == r->tid && th[i].pid == r->pid)
			return x->last_thread = i;
	}
	GROW(x->thread, x->n_threads, x->cap_threads);
	x->thread[x->n_threads] =
	    (struct events_thread){.pid = r->pid, .tid = r->tid,
				   .process = process ? process : ++x->n_processes};
	return x->last_thread = x->n_threads++;
}

static struct events_thread *thread_at(struct events_out *x, const struct trace_record *r)
{
	size_t i = thread_of(x, r); /* may reallocate x->thread */
	return &x->thread[i];
}

/* State of a descriptor number; NULL: it was never opened. */
static struct events_number *number_of(struct events_out *x, const struct trace_record *r)
{
	const uint32_t *i = u64_map_find(&x->number_of, u64_pair(r->pid, (uint32_t)r->fd));
	return i ? &x->number[*i] : NULL;
}

static struct events_number *number_new(struct events_out *x, const struct trace_record *r)
{
	GROW(x->number, x->n_numbers, x->cap_numbers);
	x->number[x->n_numbers] = (struct events_number){.open = false};
	u64_map_at(&x->number_of, u64_pair(r->pid, (uint32_t)r->fd), (uint32_t)x->n_numbers);
	return &x->number[x->n_numbers++];
}

static void numbers_forget(struct events_out *x)
{
	for (size_t i = 0; i < x->n_numbers; i++)
		free(x->number[i].use);
	x->n_numbers = 0;
	u64_map_release(&x->number_of);
	for (size_t i = 0; i < x->n_threads; i++)
		x->thread[i].last = 0;
}

static void add_edge(struct events_out *x, uint32_t from, uint32_t to)
{
	if (!x->linking)
		return;
	for (size_t i = x->n_edges; i-- > 0 && x->edge[i].to == to;)
		if (x->edge[i].from == from)
			return;
	GROW(x->edge, x->n_edges, x->cap_edges);
	x->edge[x->n_edges++] = (struct events_edge){from, to};
}

static void use_number(struct events_out *x, struct events_number *n, uint32_t thread, uint32_t id)
{
	size_t i = 0;
	while (i < n->n_uses && n->use[i].from != thread)
		i++;
	if (i == n->n_uses) {
		if (thread != n->thread)
			add_edge(x, n->event, id);
		GROW(n->use, n->n_uses, n->cap);
		n->use[n->n_uses++].from = thread;
	}
	n->use[i].to = id;
}

/* Makes an open or close depend on all earlier uses of the number by other threads. */
static void change_number(struct events_out *x, struct events_number *n, uint32_t thread,
			  uint32_t id, bool open)
{
	if (n->event && n->thread != thread)
		add_edge(x, n->event, id);
	for (size_t i = 0; i < n->n_uses; i++)
		if (n->use[i].from != thread)
			add_edge(x, n->use[i].to, id);
	*n = (struct events_number){open, id, thread, n->use, 0, n->cap};
}

static void follow_descriptor(struct events_out *x, const struct trace_record *r, uint32_t thread,
			      uint32_t id)
{
	struct events_number *n = r->fd >= 0 ? number_of(x, r) : NULL;
	if (r->op == OP_OPEN && r->rvalue >= 0)
		change_number(x, n ? n : number_new(x, r), thread, id, true);
	else if (r->op == OP_CLOSE && n)
		change_number(x, n, thread, id, false);
	else if (n && (op_info(r->op)->uses & OP_HAS_FD))
		use_number(x, n, thread, id);
}

/* --- requests that can be written --------------------------------------- */

static const char *call_of(const struct trace_record *r)
{
	switch (r->op) {
	case OP_OPEN:
	case OP_CLOSE:
	case OP_READ:
	case OP_WRITE:
	case OP_PREAD:
	case OP_PWRITE:
	case OP_MKDIR:
	case OP_FSTAT:
		return op_name(r->op);
	case OP_STAT:
		return r->flags & AT_SYMLINK_NOFOLLOW ? NULL : "stat";
	case OP_UNLINK:
		return "rmdir"; /* the replayer's rmdir calls unlink */
	default:
		return NULL;
	}
}

static const char *refusal_of(struct events_out *x, const struct trace_record *r)
{
	const struct trace_object *o = trace_object(x->t, r->object);
	unsigned int uses = op_info(r->op)->uses;
	if (!call_of(r))
		return r->op == OP_LSEEK ? "the replayer would seek to another position"
					 : "the replayer has no such call";
	if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE || r->end_ns < r->begin_ns)
		return "its start or its end is not known";
	if (r->op != OP_CLOSE && (!o || o->kind != OBJECT_PATH || strlen(o->name) > PATH_BYTES))
		return "its file is not known, or its path is longer than 255 bytes";
	if (r->fd >= NUMBERS || ((uses & OP_HAS_OFFSET) && r->offset > INT32_MAX) ||
	    ((uses & OP_HAS_LENGTH) && r->length > INT32_MAX))
		return "the replayer accepts only descriptors below 32768, and offsets and lengths "
		       "below 2 GiB";
	if (thread_at(x, r)->process >= NUMBERS)
		return "the replayer accepts at most 32767 processes";
	const struct events_number *n = (uses & OP_HAS_FD) && r->fd >= 0 ? number_of(x, r) : NULL;
	if ((uses & OP_HAS_FD) && !(n && n->open))
		return "its descriptor is not opened in the trace";
	return NULL;
}

/* --- order --------------------------------------------------------------- */

/* The id of the next event; 0: it is left out, and *why is the reason. */
static uint32_t event_of(struct events_out *x, const struct trace_record *r, const char **why)
{
	if ((*why = refusal_of(x, r)))
		return 0;
	size_t thread = thread_of(x, r);
	uint32_t id = ++x->n;
	follow_descriptor(x, r, (uint32_t)thread, id);
	return id;
}

ORDER_BY(by_from, struct events_edge, from, to)

/* Makes a thread's first event depend on the event that ended last before it, because the trace
 * does not show which thread created this thread. */
static void link_first(struct events_out *x, const struct trace_record *r, uint32_t id)
{
	const struct events_thread *before = NULL;
	for (size_t i = 0; i < x->n_threads; i++) {
		const struct events_thread *th = &x->thread[i];
		if (th->last && th->end_ns <= r->begin_ns &&
		    (!before || th->end_ns > before->end_ns))
			before = th;
	}
	if (before)
		add_edge(x, before->last, id);
}

static void link_event(struct events_out *x, const struct trace_record *r)
{
	const char *why;
	uint32_t id = op_info(r->op)->family == FAMILY_CAUSE ? 0 : event_of(x, r, &why);
	if (!id)
		return;
	if (id >= x->cap_next) {
		x->cap_next = x->cap_next ? x->cap_next * 2 : 1024;
		x->next = xreallocarray(x->next, x->cap_next, sizeof *x->next);
	}
	x->next[id] = 0;
	struct events_thread *th = thread_at(x, r);
	if (th->last)
		x->next[th->last] = id;
	else
		link_first(x, r, id);
	th->last = id;
	th->end_ns = r->end_ns;
	x->first_ns = id == 1 || r->begin_ns < x->first_ns ? r->begin_ns : x->first_ns;
}

static int link_events(struct events_out *x, struct err *e)
{
	const struct trace_record *r;
	int ret = trace_rewind(x->t, e);
	x->linking = true;
	while (!ret && ((ret = trace_next(x->t, &r, e)) == 1 || ret == -EBADMSG)) {
		if (ret == 1)
			link_event(x, r);
		ret = 0;
	}
	x->child = xmalloc((x->n_edges + 1) * sizeof *x->child);
	if (x->n_edges)
		memcpy(x->child, x->edge, x->n_edges * sizeof *x->child);
	qsort(x->child, x->n_edges, sizeof *x->child, by_from);
	x->n_all = x->n;
	x->n = 0;
	x->linking = false;
	numbers_forget(x);
	return ret;
}

/* --- writing ------------------------------------------------------------- */

static int write_head(void *ctx, struct sink *s, struct err *e)
{
	const struct events_out *x = ctx;
	(void)e;
	strbuf_addf(&s->out, "%u\n", x->n_all);
	return 0;
}

static void add_args(struct events_out *x, struct sink *s, const struct trace_record *r)
{
	unsigned int uses = op_info(r->op)->uses;
	if (r->op == OP_CLOSE) {
		strbuf_addf(&s->out, "[\"%d\"]", r->fd);
		return;
	}
	strbuf_addch(&s->out, '[');
	sink_json_string(s, trace_object(x->t, r->object)->name);
	if (uses & OP_HAS_FD)
		strbuf_addf(&s->out, ",\"%d\"", r->fd);
	if (r->op == OP_OPEN)
		strbuf_addf(&s->out, ",\"%u\"", r->flags);
	if (uses & (OP_HAS_LENGTH | OP_HAS_MODE))
		strbuf_addf(&s->out, ",\"%llu\"", (unsigned long long)r->length);
	if (uses & OP_HAS_OFFSET)
		strbuf_addf(&s->out, ",\"%llu\"", (unsigned long long)r->offset);
	strbuf_addch(&s->out, ']');
}

/* Writes a list such as "[1,2]": the neighbour in the thread, if it exists, and the edges from *at
 * on. */
static void add_list(struct events_out *x, struct sink *s, uint32_t id, bool children)
{
	uint32_t neighbour = children ? x->next[id] : x->thread[x->last_thread].last;
	const struct events_edge *edge = children ? x->child : x->edge;
	size_t *at = children ? &x->at_child : &x->at_edge;
	const char *comma = "";
	strbuf_addch(&s->out, '[');
	if (neighbour) {
		strbuf_addf(&s->out, "%u", neighbour);
		comma = ",";
	}
	for (; *at < x->n_edges && (children ? edge[*at].from : edge[*at].to) == id;
	     ++*at, comma = ",")
		strbuf_addf(&s->out, "%s%u", comma, children ? edge[*at].to : edge[*at].from);
	strbuf_addch(&s->out, ']');
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	struct events_out *x = ctx;
	(void)e;
	uint32_t id = event_of(x, r, why);
	if (!id)
		return 0;
	struct events_thread *th = thread_at(x, r);
	strbuf_addf(&s->out, "{\"rvalue\":%lld,\"parents\":", (long long)r->rvalue);
	add_list(x, s, id, false);
	/* the replayer requires a decimal point in the start */
	strbuf_addf(&s->out,
		    ",\"caller\":{\"tid\":\"%u\",\"pid\":\"%u\",\"uid\":\"1\",\"exec\":\"x\"},"
		    "\"stamp\":{\"begin\":%"
		    "lld.0,\"elapsed\":%lld},",
		    r->tid % NUMBERS, th->process, (long long)((r->begin_ns - x->first_ns) / 1000),
		    (long long)((r->end_ns - r->begin_ns) / 1000));
	strbuf_addf(&s->out, "\"call\":\"%s\",\"args\":", call_of(r));
	add_args(x, s, r);
	strbuf_addf(&s->out, ",\"id\":%u,\"session_id\":-1,\"children\":", id);
	add_list(x, s, id, true);
	strbuf_addstr(&s->out, "}\n");
	th->last = id;
	return 1;
}

static int events_write(struct trace *t, const char *path, struct trace_export_report *report,
			struct err *e)
{
	static const struct sink_writer writer = {.head = write_head, .one = write_one};
	SCOPED_FREE struct events_out *x = xcalloc(1, sizeof *x);
	x->t = t;
	int ret = link_events(x, e);
	ret = ret ? ret : sink_write_trace(&writer, x, t, path, report, e);
	numbers_forget(x);
	FREE_EACH(x->thread, x->number, x->edge, x->child, x->next);
	return ret;
}

const struct trace_format format_events = {
    .name = "events",
    .help = "JSON events of beefs_replayer, the replayer of Pereira and others (2016)",
    .write = events_write,
};
