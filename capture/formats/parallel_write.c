/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the trace of a parallel application as text, node by node, into one file or into a
 * directory with a file for each node. The trace is in order of time, so the lines of each node are
 * kept in an unnamed file until the end. */
#include <libgen.h>

#include "capture/causality/links.h"
#include "capture/csv_args.h"
#include "capture/formats/parallel_private.h"
#include "capture/formats/sink.h"
#include "capture/formats/strace_private.h"
#include "common/files.h"
#include "common/unnamed_file.h"

#define CHUNK (16u << 10)
/* limit of the first line in bytes; a list of files that would exceed it is left out */
#define META_MAX (512u << 10)

struct parallel_chunk {
	uint64_t at;
	size_t len;
};

struct parallel_write_node {
	struct strbuf text, held; /* `held`: waits whose request is not known yet */
	struct parallel_chunk *chunk;
	size_t n_chunks, cap;
	uint32_t barrier;	/* barrier of the waits in `held`, or UINT32_MAX */
};

struct parallel_out {
	struct trace *t;
	const char *dir; /* NULL: one file */
	struct causality_facts f;
	struct causality_links links;
	struct causality_barriers barriers;
	struct links_order order; /* all zero if the barriers are unknown */
	struct parallel_write_node *node;
	int fd;
	uint64_t end; /* end of the data in the unnamed file */
	struct strbuf name, line;
	char *head;
};

/* --- buffered text ------------------------------------------------------- */

static int node_flush(struct parallel_out *x, struct parallel_write_node *n, struct err *e)
{
	int ret = n->text.len ? file_write_at(x->fd, n->text.s, n->text.len, x->end, e) : 0;
	if (ret || !n->text.len)
		return ret;
	GROW(n->chunk, n->n_chunks, n->cap);
	n->chunk[n->n_chunks++] = (struct parallel_chunk){x->end, n->text.len};
	x->end += n->text.len;
	strbuf_reset(&n->text);
	return 0;
}

static int node_copy(struct parallel_out *x, struct parallel_write_node *n, int fd,
		     const char *path, struct err *e)
{
	SCOPED_FREE char *buf = xmalloc(CHUNK);
	int ret = node_flush(x, n, e);
	for (size_t i = 0; i < n->n_chunks && !ret; i++)
		for (size_t at = 0, part; at < n->chunk[i].len && !ret; at += part) {
			part = n->chunk[i].len - at < CHUNK ? n->chunk[i].len - at : CHUNK;
			ret = file_read_at(x->fd, buf, part, n->chunk[i].at + at, e);
			if (!ret && (ret = write_all(fd, buf, part)))
				ret = err_sys(e, -ret, "cannot write %s", path);
		}
	return ret;
}

/* --- lines --------------------------------------------------------------- */

static void add_times(struct strbuf *b, const struct trace_record *r)
{
	bool instant = r->op == OP_COMPUTE || r->op == OP_SIGNAL || r->op == OP_WAIT;
	bool to = instant && r->end_ns != TIME_NONE && r->end_ns != r->begin_ns;
	bool blocked = r->op == OP_COMPUTE && r->offset && r->offset <= (uint64_t)TRACE_TIME_MAX;
	strbuf_addstr(b, " /* ");
	strace_add_seconds(b, r->begin_ns, false);
	if (to) {
		strbuf_addstr(b, " to ");
		strace_add_seconds(b, r->end_ns, false);
	}
	if (blocked) {
		strbuf_addstr(b, " blocked ");
		strace_add_seconds(b, (int64_t)r->offset, false);
	}
	strbuf_addstr(b, r->op == OP_COMPUTE && r->offset == OFFSET_NONE ? " blocked ? */\n"
									 : " */\n");
}

/* The path as the reader forms it: relative to the root directory, without the leading slash. */
static const char *whole_name(struct parallel_out *x, const struct trace_object *o)
{
	const char *root = trace_meta(x->t)->root;
	strbuf_reset(&x->name);
	if (o->kind == OBJECT_PATH && o->name[0] != '/' && root && root[0] == '/' && root[1])
		strbuf_addf(&x->name, "%s%s", root + 1, root[strlen(root) - 1] == '/' ? "" : "/");
	strbuf_addstr(&x->name,
		      o->kind == OBJECT_PATH && o->name[0] == '/' ? o->name + 1 : o->name);
	return x->name.s;
}

/* Writes an operation for which strace has no call. */
static int add_other(struct parallel_out *x, const struct trace_record *r, struct err *e)
{
	const struct trace_object *o = trace_object(x->t, r->object);
	size_t len;
	const void *heap;
	int ret = trace_heap(x->t, r->heap, &heap, &len, e);
	if (ret)
		return ret;
	struct trace_object whole = {o ? o->kind : OBJECT_PATH, o ? whole_name(x, o) : NULL};
	const char *error = r->error ? strerrorname_np(r->error) : NULL;
	strbuf_addf(&x->line, "@%s(", op_name(r->op));
	csv_args_write(&x->line, r, o ? &whole : NULL, heap, len);
	strbuf_addf(&x->line, ") = %lld", (long long)r->rvalue);
	if (error)
		strbuf_addf(&x->line, " %s", error);
	return 0;
}

static int add_request(struct parallel_out *x, const struct trace_record *r, struct err *e)
{
	int ret = strace_call_text(x->t, r, &x->line, e);
	ret = ret ? ret : add_other(x, r, e);
	if (ret < 0)
		return ret;
	if (r->end_ns != TIME_NONE && r->end_ns >= r->begin_ns) {
		strbuf_addstr(&x->line, " <");
		strace_add_seconds(&x->line, r->end_ns - r->begin_ns, false);
		strbuf_addch(&x->line, '>');
	}
	add_times(&x->line, r);
	return 0;
}

static void add_waits(struct parallel_out *x, struct parallel_write_node *n, const char *before)
{
	if (!n->held.len)
		return;
	strbuf_addch(&n->text, '\n');
	if (n->barrier != UINT32_MAX) {
		strbuf_addf(&n->text, "/* barrier %u of nodes ", n->barrier + 1);
		causality_nodes_text(&n->text, x->barriers.v[n->barrier].node,
				     x->barriers.v[n->barrier].n_nodes);
		strbuf_addf(&n->text, " before %s */\n", before);
	}
	strbuf_add(&n->text, n->held.s, n->held.len);
	strbuf_reset(&n->held);
	n->barrier = UINT32_MAX;
}

/* The barrier of a signal or wait, or UINT32_MAX. Called for each record of the node in order. */
static uint32_t barrier_next(const struct parallel_out *x, uint32_t of,
			     const struct trace_record *r)
{
	if (!x->order.of || (r->op != OP_WAIT && r->op != OP_SIGNAL))
		return UINT32_MAX;
	struct links_range *n = &x->order.of[of];
	if (r->flags & CAUSE_OF_BARRIER)
		return n->mark < n->marks_end
			   ? x->barriers.of_record[x->links.mark[n->mark++].barrier]
			   : UINT32_MAX;
	return r->op == OP_WAIT && n->wait < n->waits_end
		   ? x->barriers.of_link[x->order.by_wait[n->wait++]]
		   : UINT32_MAX;
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	struct parallel_out *x = ctx;
	int64_t of = causality_node_of(&x->f, r->pid, r->tid);
	(void)s;
	*why = "its thread is not in the trace's list of nodes (traced threads)";
	if (of < 0)
		return 0;
	*why = "it was never issued";
	struct parallel_write_node *n = &x->node[of];
	const uint32_t barrier = barrier_next(x, (uint32_t)of, r);
	if (r->begin_ns == TIME_NONE)
		return 0;
	strbuf_reset(&x->line);
	if (r->op == OP_COMPUTE) {
		*why = "its end exceeds the limit of the trace format (2^61 ns, 73 years)";
		if (r->length > (uint64_t)TRACE_TIME_MAX)
			return 0;
		strbuf_addstr(&x->line, r->flags & COMPUTE_EXTERNAL ? "EXTERNAL("
					: r->flags & COMPUTE_ASLEEP ? "SLEEP("
								    : "COMPUTE(");
		strace_add_seconds(&x->line, (int64_t)r->length, false);
		strbuf_addch(&x->line, ')');
		add_times(&x->line, r);
		if (n->held.len) { /* part of a computation that follows the waits */
			strbuf_add(&n->held, x->line.s, x->line.len);
			return 1;
		}
	} else if (r->op == OP_SIGNAL || r->op == OP_WAIT) {
		strbuf_addf(&x->line, "%s(%s%llu)", r->op == OP_WAIT ? "WAIT" : "SIGNAL",
			    r->flags & CAUSE_OF_BARRIER ? "barrier " : "",
			    (unsigned long long)r->length);
		add_times(&x->line, r);
	} else {
		add_waits(x, n, op_name(r->op));
		int ret = add_request(x, r, e);
		if (ret)
			return ret;
	}
	if (r->op == OP_WAIT) {
		n->barrier = n->barrier == UINT32_MAX ? barrier : n->barrier;
		strbuf_add(&n->held, x->line.s, x->line.len);
		return 1;
	}
	if (n->held.len)
		add_waits(x, n, op_name(r->op));
	strbuf_add(&n->text, x->line.s, x->line.len);
	const int ret = n->text.len >= CHUNK ? node_flush(x, n, e) : 0;
	return ret ? ret : 1;
}

/* --- writing the trace -------------------------------------------------- */

static void node_head(const struct parallel_out *x, uint32_t of, struct strbuf *b)
{
	const struct causality_node *n = &x->f.node[of];
	strbuf_addf(b, "\n/* node %u: process %u, thread %u", of, n->pid, n->tid);
	if (n->rank >= 0)
		strbuf_addf(b, ", rank %d", n->rank);
	strbuf_addstr(b, " */\n");
}

static int node_write(struct parallel_out *x, uint32_t of, struct sink *s, struct err *e)
{
	node_head(x, of, &s->out);
	int ret = sink_flush(s, e);
	return ret ? ret : node_copy(x, &x->node[of], s->fd, s->path, e);
}

static int file_of_node(struct parallel_out *x, uint32_t of, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/node.%u", x->dir, of);
	struct sink s;
	int ret = sink_open(&s, path, e);
	strbuf_addf(&s.out, "%s\n", x->head);
	ret = ret ? ret : node_write(x, of, &s, e);
	return sink_close(&s, path, ret, e);
}

static int write_nodes(void *ctx, struct sink *s, struct err *e)
{
	struct parallel_out *x = ctx;
	int ret = 0;
	for (uint32_t i = 0; i < x->f.n_nodes; i++)
		add_waits(x, &x->node[i], "the end");
	if (!x->dir)
		strbuf_addf(&s->out, "%s\n", x->head);
	for (uint32_t i = 0; i < x->f.n_nodes && !ret; i++)
		ret = x->dir ? file_of_node(x, i, e) : node_write(x, i, s, e);
	return ret;
}

/* Makes the first line: the metadata, with names relative to the root directory. */
static int head_make(struct parallel_out *x, struct err *e)
{
	struct trace_meta m = *trace_meta(x->t);
	SCOPED_FREE struct fileset_entry *entry = xcalloc(m.files.n + 1, sizeof *entry);
	char *text = NULL;
	size_t len = 0;
	for (size_t i = 0; i < m.files.n; i++) {
		entry[i] = m.files.entry[i];
		entry[i].path = xstrdup(
		    whole_name(x, &(struct trace_object){OBJECT_PATH, m.files.entry[i].path}));
	}
	size_t n = m.files.n;
	m.root = "/";
	m.files.entry = entry;
	SCOPED_FREE char *extra = causality_facts_text(&x->f, m.extra_json);
	m.extra_json = extra;
	int ret = meta_to_json(&m, &text, &len, e);
	if (!ret && len > META_MAX) {
		free(text);
		m.files.n = 0;
		ret = meta_to_json(&m, &text, &len, e);
	}
	if (!ret) {
		struct strbuf b = STRBUF_INIT;
		strbuf_addstr(&b, PARALLEL_MAGIC);
		/* escapes characters that would end the comment or the line */
		for (const char *s = text; *s; s++) {
			if (*s == '/' && b.s[b.len - 1] == '*')
				strbuf_addch(&b, '\\');
			strbuf_addch(&b, *s == '\n' ? ' ' : *s);
		}
		strbuf_addstr(&b, " */");
		x->head = strbuf_detach(&b);
	}
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)entry[i].path);
	free(text);
	return ret;
}

/* Finds the barriers. If the trace cannot be replayed, it is written without names of barriers. */
static void barriers_look(struct parallel_out *x)
{
	struct err e = ERR_INIT;
	if (!causality_links_read(&x->links, x->t, &x->f, &e) &&
	    !causality_barriers_find(&x->barriers, &x->links, &e))
		links_order_make(&x->order, &x->links);
}

/* If the trace does not name its nodes, each thread is a node. */
static int threads_find(struct parallel_out *x, struct err *e)
{
	const struct trace_record *r;
	uint32_t cap = 0, last = 0;
	int ret = trace_rewind(x->t, e), got = 0;
	while (!ret && ((got = trace_next(x->t, &r, e)) == 1 || got == -EBADMSG)) {
		if (got != 1 || (last < x->f.n_nodes && x->f.node[last].pid == r->pid &&
				 x->f.node[last].tid == r->tid))
			continue;
		int64_t of = causality_node_of(&x->f, r->pid, r->tid);
		last = of < 0 ? x->f.n_nodes : (uint32_t)of;
		if (of >= 0)
			continue;
		if (x->f.n_nodes == CAUSALITY_MAX_NODES)
			return err_set(e, E2BIG, "the trace has too many threads: this format "
				       "holds at most %d",
				       CAUSALITY_MAX_NODES);
		GROW(x->f.node, x->f.n_nodes, cap);
		x->f.node[x->f.n_nodes] =
		    (struct causality_node){x->f.n_nodes, r->pid, r->tid, -1, NULL};
		x->f.n_nodes++;
	}
	if (!ret && !got && !x->f.n_nodes)
		ret = err_set(e, EINVAL, "the trace is empty");
	return ret ? ret : got;
}

static int nodes_prepare(struct parallel_out *x, const char *path, struct err *e)
{
	SCOPED_FREE char *copy = xstrdup(path);
	const char *dir = x->dir ? x->dir : strcmp(path, "-") ? dirname(copy) : "/tmp";
	int ret = causality_facts_read(&x->f, trace_meta(x->t), e);
	if (!ret && !x->f.n_nodes)
		ret = threads_find(x, e);
	x->node = xcalloc((size_t)x->f.n_nodes + 1, sizeof *x->node);
	for (uint32_t i = 0; i < x->f.n_nodes; i++) {
		strbuf_init(&x->node[i].text);
		strbuf_init(&x->node[i].held);
		x->node[i].barrier = UINT32_MAX;
	}
	if (!ret)
		barriers_look(x);
	ret = ret ? ret : head_make(x, e);
	if (!ret && (x->fd = unnamed_file_open(dir, e)) < 0)
		ret = x->fd;
	return ret;
}

int parallel_write(struct trace *t, const char *path, struct trace_export_report *report,
		   struct err *e)
{
	static const struct sink_writer writer = {
	    .one = write_one, .tail = write_nodes, .causes = true};
	struct stat st;
	bool is_dir = strcmp(path, "-") && ((*path && path[strlen(path) - 1] == '/') ||
					    (!stat(path, &st) && S_ISDIR(st.st_mode)));
	struct parallel_out x = {.t = t, .dir = is_dir ? path : NULL, .fd = -1, .name = STRBUF_INIT,
				 .line = STRBUF_INIT};
	int ret = is_dir ? dir_create(path, e) : 0;
	ret = ret ? ret : nodes_prepare(&x, path, e);
	ret = ret ? ret : sink_write_trace(&writer, &x, t, is_dir ? "/dev/null" : path, report, e);
	for (uint32_t i = 0; i < x.f.n_nodes && x.node; i++) {
		strbuf_release(&x.node[i].text);
		strbuf_release(&x.node[i].held);
		free(x.node[i].chunk);
	}
	fd_close(x.fd);
	causality_barriers_release(&x.barriers);
	links_order_release(&x.order);
	causality_links_release(&x.links);
	causality_facts_release(&x.f);
	strbuf_release(&x.name);
	strbuf_release(&x.line);
	FREE_EACH(x.node, x.head);
	return ret;
}
