/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotated traces of parallel applications as text, node by node: calls in strace's manner, COMPUTE(seconds), SIGNAL(node), WAIT(node), and
 * comments, of which the first, the nodes' and those behind a line mean something. doc/formats/parallel.md. What people write by hand, without
 * times, gets those of a replay in which requests take no time.
 *
 * Source: parallel-trace paper, figures 3, 6 and 7. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/causality/causality.h"
#include "capture/csv_args.h"
#include "capture/formats/number.h"
#include "capture/formats/parallel_private.h"
#include "capture/formats/strace_parsed.h"
#include "common/xalloc.h"

struct node {
	struct traced_thread *thread;
	int64_t now_ns; /* where it is, for lines without times */
};

struct parallel {
	struct strace calls;
	struct causality_facts facts;
	char *extra;
	struct meta_store head; /* of the first line */
	struct node *node;
	uint32_t at; /* the node whose lines these are */
	char **path; /* path[n_files]: of all files */
	size_t n_files, file;
	bool in_comment;
	struct csv_args args;
};

static struct parallel *parallel_of(struct foreign *f)
{
	return (struct parallel *)f;
}

/* --- small things ------------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

static bool take_word(const char **s, const char *end, const char *word)
{
	size_t len = strlen(word);
	if ((size_t)(end - *s) < len || memcmp(*s, word, len))
		return false;
	*s += len;
	return true;
}

/* Seconds with up to nine decimals, in ns, either sign. */
static bool take_seconds(const char **s, const char *end, int64_t *ns)
{
	bool negative = take_word(s, end, "-");
	if (!scan_decimal(s, end, 1000000000, ns, NULL))
		return false;
	*ns = negative ? -*ns : *ns;
	return true;
}

struct line {
	const char *s, *end;
	bool has_begin, has_to, has_blocked, blocked_unknown;
	int64_t begin_ns, to_ns, blocked_ns;
};

/* Cuts the comment behind a line off, and takes the times in it: "/" "* begin [to end] [blocked time] *" "/". */
static void take_comment(struct line *l)
{
	const char *open = l->end - 2;
	if (l->end - l->s < 4 || memcmp(open, "*/", 2))
		return;
	const char *s, *end = open;
	for (open = end - 2; open > l->s && memcmp(open, "/*", 2); open--)
		;
	if (open <= l->s)
		return;
	l->end = open;
	while (l->end > l->s && (l->end[-1] == ' ' || l->end[-1] == '\t'))
		l->end--;
	s = skip_blanks(open + 2, end);
	l->has_begin = take_seconds(&s, end, &l->begin_ns);
	s = skip_blanks(s, end);
	l->has_to = take_word(&s, end, "to ") && take_seconds(&s, end, &l->to_ns);
	s = skip_blanks(s, end);
	bool blocked = take_word(&s, end, "blocked ");
	l->has_blocked = blocked && take_seconds(&s, end, &l->blocked_ns);
	l->blocked_unknown = blocked && !l->has_blocked;
}

/* --- lines that are no calls ---------------------------------------------------------------------------------------- */

static int add_cause(struct parallel *p, const struct line *l, enum trace_op op, uint64_t length, uint64_t offset, struct err *e)
{
	struct node *n = &p->node[p->at];
	struct trace_record r = foreign_record();
	r.op = (uint16_t)op;
	r.length = length;
	r.offset = offset;
	r.pid = p->facts.node[p->at].pid;
	r.tid = p->facts.node[p->at].tid;
	r.begin_ns = r.end_ns = l->has_begin ? l->begin_ns : n->now_ns;
	if (l->has_to)
		r.end_ns = l->to_ns;
	else if (op == OP_COMPUTE && !l->has_begin)
		r.end_ns = r.begin_ns + (int64_t)length;
	n->now_ns = r.end_ns > n->now_ns ? r.end_ns : n->now_ns;
	return foreign_add(&p->calls.base, &r, e);
}

static int take_partner(struct parallel *p, const struct line *l, const char *s, enum trace_op op, struct err *e)
{
	uint64_t node;
	const char *at = s;
	if (!scan_u64(&s, l->end, &node) || s == l->end || *s != ')' || s + 1 != l->end)
		return foreign_at(&p->calls.base, at, e, "a node's number and a parenthesis are expected");
	if (node >= p->facts.n_nodes || node == p->at)
		return foreign_at(&p->calls.base, at, e, "node %llu %s", (unsigned long long)node, node == p->at ? "would wait for itself" : "is not there");
	return add_cause(p, l, op, node, 0, e);
}

static int take_compute(struct parallel *p, const struct line *l, const char *s, struct err *e)
{
	int64_t ns;
	const char *at = s;
	if (s < l->end && *s == ')') /* as in the paper's examples */
		return add_cause(p, l, OP_COMPUTE, 0, OFFSET_NONE, e);
	if (!scan_decimal(&s, l->end, 1000000000, &ns, NULL) || s == l->end || *s != ')' || s + 1 != l->end || ns > TRACE_TIME_MAX)
		return foreign_at(&p->calls.base, at, e, "seconds and a parenthesis are expected");
	bool unknown = l->blocked_unknown || !l->has_begin || l->blocked_ns < 0;
	uint64_t blocked = unknown ? OFFSET_NONE : l->has_blocked ? (uint64_t)l->blocked_ns : 0;
	return add_cause(p, l, OP_COMPUTE, (uint64_t)ns, blocked, e);
}

/* "node 3: ..." : what follows is that node's. */
static int take_note(struct parallel *p, const char *s, const char *end, struct err *e)
{
	const char *close = memmem(s, (size_t)(end - s), "*/", 2);
	uint64_t node;
	const char *at = s = skip_blanks(s + 2, end);
	p->in_comment = !close;
	if (!take_word(&s, end, "node ") || !scan_u64(&s, end, &node) || s == end || *s != ':')
		return 0;
	if (node >= p->facts.n_nodes)
		return foreign_at(&p->calls.base, at, e, "node %llu is not there: the first line tells %u", (unsigned long long)node, p->facts.n_nodes);
	p->at = (uint32_t)node;
	return 0;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/* What others write for the same calls; without the buffers that say nothing, too. */
static const struct {
	const char *name;
	unsigned int n_args; /* 0: whatever it has */
	struct strace_call call;
} also[] = {
    {"read", 2, {"read", OP_READ, "fs", 0}},	       {"write", 2, {"write", OP_WRITE, "fs", 0}},
    {"pread", 3, {"pread", OP_PREAD, "fso", 0}},       {"pwrite", 3, {"pwrite", OP_PWRITE, "fso", 0}},
    {"pread64", 3, {"pread64", OP_PREAD, "fso", 0}},   {"pwrite64", 3, {"pwrite64", OP_PWRITE, "fso", 0}},
    {"_llseek", 3, {"_llseek", OP_LSEEK, "fow", 0}},   {"_llseek", 4, {"_llseek", OP_LSEEK, "fo_w", 0}},
    {"lseek64", 0, {"lseek64", OP_LSEEK, "fow", 0}},   {"open64m", 0, {"open64m", OP_OPEN, "pOm", 0}},
    {"open64", 0, {"open64", OP_OPEN, "pOm", 0}},
};

static const struct strace_call *call_find(struct parallel *p, const char *s, const char *open, const char *end)
{
	struct part part[PARTS_MAX];
	const char *args = open + 1;
	size_t len = (size_t)(open - s);
	unsigned int n = strace_split(&args, end, part);
	for (size_t i = 0; i < sizeof also / sizeof *also; i++)
		if (strlen(also[i].name) == len && !memcmp(also[i].name, s, len) && (!also[i].n_args || also[i].n_args == n))
			return &also[i].call;
	int64_t i;
	return name_table_find(&p->calls.calls, s, len, &i) ? &strace_calls[i] : NULL;
}

/* Cuts "<0.000021>" off. */
static int64_t take_duration(struct line *l)
{
	const char *open = l->end;
	int64_t ns;
	if (l->end - l->s < 3 || l->end[-1] != '>')
		return -1;
	while (open > l->s && *open != '<')
		open--;
	const char *s = open + 1;
	if (*open != '<' || !scan_decimal(&s, l->end, 1000000000, &ns, NULL) || s != l->end - 1)
		return -1;
	l->end = open;
	while (l->end > l->s && l->end[-1] == ' ')
		l->end--;
	return ns;
}

/* "@fread(fd=3;length=10) = 10": calls that strace does not know, with arguments as in CSV. */
static int take_other(struct parallel *p, struct line *l, struct err *e)
{
	struct foreign *f = &p->calls.base;
	struct trace_record r = foreign_record();
	int64_t duration_ns = take_duration(l);
	const char *open = memchr(l->s, '(', (size_t)(l->end - l->s)), *close = l->end;
	char name[32] = "";
	for (close = l->end - 4; open && close > open && memcmp(close, ") = ", 4); close--)
		;
	if (!open || close <= open || (size_t)(open - l->s - 1) >= sizeof name)
		return foreign_at(f, l->s, e, "a call with its result is expected");
	memcpy(name, l->s + 1, (size_t)(open - l->s - 1));
	const char *s = close + 4;
	r.op = (uint16_t)op_find(name);
	if (r.op == OP_INVALID)
		return foreign_at(f, l->s, e, "there is no operation \"%s\"", name);
	if (!scan_i64(&s, l->end, &r.rvalue))
		return foreign_at(f, close, e, "no result of the call");
	s = skip_blanks(s, l->end);
	int64_t code = 0;
	if (s < l->end && !name_table_find(&p->calls.names, s, (size_t)(l->end - s), &code))
		return foreign_at(f, s, e, "no name of an error");
	r.error = (uint16_t)code;
	int rc = csv_args_read(open + 1, (size_t)(close - open - 1), &r, &p->args, e);
	if (!rc && p->args.object_kind)
		rc = foreign_object(f, p->args.object_kind, p->args.object_name, p->args.object_name_len, &r.object, e);
	if (rc)
		return rc;
	if (p->args.has_heap)
		r.heap = foreign_heap(f, p->args.heap.s, p->args.heap.len);
	r.begin_ns = l->has_begin ? l->begin_ns : p->node[p->at].now_ns;
	if (duration_ns >= 0)
		r.end_ns = r.begin_ns + duration_ns;
	r.pid = p->facts.node[p->at].pid;
	r.tid = p->facts.node[p->at].tid;
	return foreign_add(f, &r, e);
}

static int take_call(struct parallel *p, const struct line *l, struct err *e)
{
	struct foreign *f = &p->calls.base;
	struct node *n = &p->node[p->at];
	const char *open = memchr(l->s, '(', (size_t)(l->end - l->s));
	if (!open || open == l->s)
		return foreign_at(f, l->s, e, "neither a call nor COMPUTE, SIGNAL or WAIT");
	struct call_line c = {.call = call_find(p, l->s, open, l->end), .text = open + 1, .end = l->end,
			      .begin_ns = l->has_begin ? l->begin_ns : n->now_ns};
	c.stamp_ns = c.begin_ns;
	if (!c.call) {
		f->base.notes.n_passed_over++;
		return 0;
	}
	size_t before = f->queue.n;
	int rc = strace_take_call(&p->calls, n->thread, &c, e);
	if (rc || f->queue.n == before)
		return rc;
	struct trace_record *r = &f->queue.v[f->queue.n - 1];
	r->pid = p->facts.node[p->at].pid;
	r->tid = p->facts.node[p->at].tid;
	n->now_ns = r->begin_ns > n->now_ns ? r->begin_ns : n->now_ns;
	n->now_ns = r->end_ns > n->now_ns ? r->end_ns : n->now_ns;
	return 0;
}

static int parallel_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct parallel *p = parallel_of(f);
	struct line l = {.s = skip_blanks(s, s + len), .end = s + len};
	if (p->in_comment) {
		p->in_comment = !memmem(s, len, "*/", 2);
		return 0;
	}
	while (l.end > l.s && (l.end[-1] == ' ' || l.end[-1] == '\t'))
		l.end--;
	if (l.s == l.end)
		return 0;
	if (l.end - l.s >= 2 && !memcmp(l.s, "/*", 2))
		return take_note(p, l.s, l.end, e);
	take_comment(&l);
	const char *at = l.s;
	if (take_word(&at, l.end, "COMPUTE("))
		return take_compute(p, &l, at, e);
	if (take_word(&at, l.end, "WAIT("))
		return take_partner(p, &l, at, OP_WAIT, e);
	if (take_word(&at, l.end, "SIGNAL("))
		return take_partner(p, &l, at, OP_SIGNAL, e);
	return *l.s == '@' ? take_other(p, &l, e) : take_call(p, &l, e);
}

/* --- several files ------------------------------------------------------------------------------------------------ */

/* Of a file that does not name its nodes: "NAME.3" is node 3, the others as they come. */
static uint32_t node_of_file(const struct parallel *p, size_t file)
{
	const char *dot = strrchr(p->path[file], '.'), *s = dot ? dot + 1 : "";
	uint64_t v;
	bool named = *s && scan_u64(&s, p->path[file] + strlen(p->path[file]), &v) && !*s && v < p->facts.n_nodes;
	return named ? (uint32_t)v : file < p->facts.n_nodes ? (uint32_t)file : 0;
}

static int file_open(struct parallel *p, size_t file, struct err *e)
{
	struct foreign *f = &p->calls.base;
	text_input_close(&f->in);
	int rc = text_input_open(&f->in, p->path[file], e);
	f->path = f->in.path;
	p->file = file;
	p->at = p->facts.n_nodes ? node_of_file(p, file) : 0;
	p->in_comment = false;
	return rc;
}

static int parallel_next(struct foreign *f, struct err *e)
{
	struct parallel *p = parallel_of(f);
	if (p->file + 1 >= p->n_files)
		return 0;
	int rc = file_open(p, p->file + 1, e);
	return rc ? rc : 1;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Nodes of one process share its descriptors. The keys are numbers of nodes, for threads of different hosts may have the same. */
static void threads_make(struct parallel *p)
{
	struct traced_system *s = &p->calls.system;
	for (uint32_t i = 0; i < p->facts.n_nodes; i++) {
		uint32_t first = 0;
		while (first < i && p->facts.node[first].pid != p->facts.node[i].pid)
			first++;
		if (first < i)
			traced_thread_cloned(s, p->node[first].thread, i + 1, true, true);
		p->node[i] = (struct node){.thread = traced_thread_of(s, i + 1)};
	}
}

static void parallel_reset(struct foreign *f)
{
	struct parallel *p = parallel_of(f);
	traced_system_release(&p->calls.system);
	if (!p->node) /* before all is known */
		return;
	threads_make(p);
	if (p->file && file_open(p, 0, &f->error))
		return;
	p->at = node_of_file(p, 0);
	p->in_comment = false;
}

static void parallel_release(struct foreign *f)
{
	struct parallel *p = parallel_of(f);
	strace_state_release(&p->calls);
	causality_facts_release(&p->facts);
	meta_store_release(&p->head);
	for (size_t i = 0; i < p->n_files; i++)
		free(p->path[i]);
	free(p->path);
	free(p->node);
	free(p->extra);
	strbuf_release(&p->args.unescaped);
	strbuf_release(&p->args.heap);
}

/* The first line: what is known of the trace. */
static int head_take(struct parallel *p, const char *s, const char *end, struct err *e)
{
	const char *close = end - 2;
	while (close > s && memcmp(close, "*/", 2))
		close--;
	int rc = close > s ? meta_from_json(&p->head, s, (size_t)(close - s), e) : err_set(e, EINVAL, "the comment does not end");
	rc = rc ? rc : causality_facts_read(&p->facts, &p->head.meta, e);
	return rc ? err_context(e, "%s: line 1", p->path[0]) : 0;
}

/* Nodes that are named anywhere, where no first line tells them. */
static void nodes_look(const char *s, const char *end, uint32_t *n_nodes)
{
	uint64_t node;
	s = skip_blanks(s, end);
	if ((take_word(&s, end, "WAIT(") || take_word(&s, end, "SIGNAL(") || take_word(&s, end, "/* node ")) && scan_u64(&s, end, &node) &&
	    node < CAUSALITY_MAX_NODES && node >= *n_nodes)
		*n_nodes = (uint32_t)node + 1;
}

static void facts_make(struct parallel *p, uint32_t n_nodes)
{
	p->facts = (struct causality_facts){.n_nodes = n_nodes, .node = xcalloc(n_nodes, sizeof *p->facts.node)};
	for (uint32_t i = 0; i < n_nodes; i++)
		p->facts.node[i] = (struct causality_node){i, i + 1, i + 1, -1, NULL};
}

static int files_look(struct parallel *p, struct err *e)
{
	uint32_t n_nodes = p->n_files < CAUSALITY_MAX_NODES ? (uint32_t)p->n_files : CAUSALITY_MAX_NODES;
	for (size_t i = 0; i < p->n_files; i++) {
		struct text_input in;
		const char *s;
		size_t len;
		int rc = text_input_open(&in, p->path[i], e), got = 0;
		bool first = !i, known = false;
		while (!rc && !known && ((got = text_input_line(&in, &s, &len, e)) == 1 || got == -EMSGSIZE)) {
			const char *at = s;
			known = got == 1 && first && take_word(&at, s + len, PARALLEL_MAGIC);
			rc = known ? head_take(p, at, s + len, e) : 0;
			if (got == 1)
				nodes_look(s, s + len, &n_nodes);
			first = false;
		}
		text_input_close(&in);
		if (rc || got < 0 || known)
			return rc ? rc : got < 0 ? got : 0;
	}
	facts_make(p, n_nodes);
	return 0;
}

/* The metadata's strings are in p->head. */
static void meta_take(struct parallel *p)
{
	struct trace_meta *m = &p->calls.base.base.meta.meta;
	if (p->head.memory) {
		*m = p->head.meta;
		m->level = LEVEL_SYSCALL;
		m->root = "/";
	} else {
		p->extra = causality_facts_text(&p->facts, NULL);
		m->extra_json = p->extra;
	}
	if (!p->facts.n_nodes)
		facts_make(p, 1);
	p->node = xcalloc(p->facts.n_nodes, sizeof *p->node);
}

static void setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	strace_state_init(&parallel_of(f)->calls);
	f->base.meta.meta.clock_resolution_ns = 1;
}

static const struct foreign_reader reader = {.clock = "unknown",
					     .captured_by = "unknown (text of a parallel application)",
					     .level = LEVEL_SYSCALL,
					     .line = parallel_line,
					     .next = parallel_next,
					     .reset = parallel_reset,
					     .release = parallel_release};

static int parallel_open(struct trace **out, const char *path, const struct trace_open_options *o, struct err *e)
{
	int rc = foreign_open_unread(out, sizeof(struct parallel), &reader, path, o, setup, e);
	if (rc)
		return rc;
	struct parallel *p = parallel_of((struct foreign *)*out);
	meta_store_init(&p->head);
	strbuf_init(&p->args.unescaped);
	strbuf_init(&p->args.heap);
	p->n_files = 1 + o->n_more;
	p->path = xcalloc(p->n_files, sizeof *p->path);
	for (size_t i = 0; i < p->n_files; i++)
		p->path[i] = xstrdup(i ? o->more[i - 1] : path);
	rc = files_look(p, e);
	if (!rc)
		meta_take(p);
	rc = rc ? rc : trace_rewind(*out, e);
	if (rc) {
		trace_close(*out);
		*out = NULL;
	}
	return rc;
}

/* Our own first line; or, as people write it, a line that only this format has. */
static int parallel_bid(const unsigned char *head, size_t len, const char *path)
{
	const char *s = (const char *)head, *end = s + len;
	(void)path;
	if (take_word(&s, end, PARALLEL_MAGIC))
		return 100;
	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s)), *at = skip_blanks(s, stop ? stop : end);
		if (take_word(&at, end, "COMPUTE(") || take_word(&at, end, "WAIT(") || take_word(&at, end, "SIGNAL("))
			return 60;
		s = stop ? stop + 1 : end;
	}
	return 0;
}

const struct trace_format format_parallel = {
    .name = "parallel",
    .help = "annotated text of parallel applications: calls, COMPUTE, SIGNAL, WAIT",
    .bid = parallel_bid,
    .open = parallel_open,
    .write = parallel_write,
};
