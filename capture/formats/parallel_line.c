/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the lines of a parallel application's text: COMPUTE, SLEEP, EXTERNAL, SIGNAL and WAIT,
 * calls in strace's form or in the form of this program, and comments with times. */

#include "capture/formats/parallel_read.h"
#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

/* Parses seconds with up to nine decimals and an optional sign, in ns. */
static bool take_seconds(const char **s, const char *end, int64_t *ns)
{
	bool negative = take_word(s, end, "-");
	if (!scan_decimal(s, end, 1000000000, ns, NULL))
		return false;
	*ns = negative ? -*ns : *ns;
	return true;
}

struct parallel_line {
	const char *s, *end;
	bool has_begin, has_to, has_blocked, blocked_unknown;
	int64_t begin_ns, to_ns, blocked_ns;
};

/* Removes the comment after a line and reads its times: begin [to end] [blocked time]. */
static void take_comment(struct parallel_line *l)
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

static void now_advance(struct text_node *n, const struct trace_record *r)
{
	n->now_ns = r->begin_ns > n->now_ns ? r->begin_ns : n->now_ns;
	n->now_ns = r->end_ns > n->now_ns ? r->end_ns : n->now_ns;
}

/* --- lines other than calls ---------------------------------------------- */

static int add_cause(struct parallel *p, const struct parallel_line *l, enum trace_op op,
		     uint32_t flags, uint64_t length, uint64_t offset, struct err *e)
{
	struct text_node *n = &p->node[p->at];
	struct trace_record r = record_unknown();
	r.op = (uint16_t)op;
	r.flags = flags;
	r.length = length;
	r.offset = offset;
	r.pid = p->facts.node[p->at].pid;
	r.tid = p->facts.node[p->at].tid;
	r.begin_ns = r.end_ns = l->has_begin ? l->begin_ns : n->now_ns;
	if (l->has_to)
		r.end_ns = l->to_ns;
	else if (op == OP_COMPUTE && !l->has_begin)
		r.end_ns = r.begin_ns + (int64_t)length;
	int ret = foreign_add(&p->calls.base, &r, e);
	if (!ret) /* a time that the trace cannot represent does not change the node's clock */
		now_advance(n, &r);
	return ret;
}

static int take_partner(struct parallel *p, const struct parallel_line *l, const char *s,
			enum trace_op op, struct err *e)
{
	uint64_t node;
	const char *at = s;
	const bool of_barrier = take_word(&s, l->end, "barrier ");
	if (!scan_u64(&s, l->end, &node) || s == l->end || *s != ')' || s + 1 != l->end)
		return foreign_at(&p->calls.base, at, e, "expected the number of a node (traced "
			"thread), or \"barrier\" and its number, and a closing parenthesis");
	if (of_barrier)
		return add_cause(p, l, op, CAUSE_OF_BARRIER, node, 0, e);
	if (node >= p->facts.n_nodes || node == p->at)
		return foreign_at(&p->calls.base, at, e, "node %llu (traced thread) %s",
				  (unsigned long long)node,
				  node == p->at ? "would wait for itself" : "does not exist");
	return add_cause(p, l, op, 0, node, 0, e);
}

static int take_compute(struct parallel *p, const struct parallel_line *l, const char *s,
			enum compute_kind kind, struct err *e)
{
	int64_t ns;
	const char *at = s;
	if (s < l->end && *s == ')') /* COMPUTE() as in the paper's examples */
		return add_cause(p, l, OP_COMPUTE, kind, 0, OFFSET_NONE, e);
	if (!scan_decimal(&s, l->end, 1000000000, &ns, NULL) || s == l->end || *s != ')' ||
	    s + 1 != l->end || ns > TRACE_TIME_MAX)
		return foreign_at(&p->calls.base, at, e,
				  "expected seconds and a closing parenthesis");
	bool unknown = l->blocked_unknown || !l->has_begin || l->blocked_ns < 0;
	uint64_t blocked = unknown ? OFFSET_NONE : l->has_blocked ? (uint64_t)l->blocked_ns : 0;
	return add_cause(p, l, OP_COMPUTE, kind, (uint64_t)ns, blocked, e);
}

/* "node 3: ...": the following lines belong to node 3. */
static int take_note(struct parallel *p, const char *s, const char *end, struct err *e)
{
	const char *close = memmem(s, (size_t)(end - s), "*/", 2);
	uint64_t node;
	const char *at = s = skip_blanks(s + 2, end);
	p->in_comment = !close;
	if (!take_word(&s, end, "node ") || !scan_u64(&s, end, &node) || s == end || *s != ':')
		return 0;
	if (node >= p->facts.n_nodes)
		return foreign_at(&p->calls.base, at, e,
				  "node %llu does not exist: the trace has %u nodes (traced "
				  "threads)",
				  (unsigned long long)node, p->facts.n_nodes);
	p->at = (uint32_t)node;
	return 0;
}

/* --- calls --------------------------------------------------------------- */

/* Alternative forms of the calls, also without the buffer arguments. */
static const struct {
	const char *name;
	unsigned int n_args; /* 0: any number */
	struct syscall_row call;
} also[] = {
    {"read", 2, {"read", -1, OP_READ, "fs", 0, 0}},
    {"write", 2, {"write", -1, OP_WRITE, "fs", 0, 0}},
    {"pread", 3, {"pread", -1, OP_PREAD, "fso", 0, 0}},
    {"pwrite", 3, {"pwrite", -1, OP_PWRITE, "fso", 0, 0}},
    {"pread64", 3, {"pread64", -1, OP_PREAD, "fso", 0, 0}},
    {"pwrite64", 3, {"pwrite64", -1, OP_PWRITE, "fso", 0, 0}},
    {"_llseek", 3, {"_llseek", -1, OP_LSEEK, "fow", 0, 0}},
    {"_llseek", 4, {"_llseek", -1, OP_LSEEK, "fo_w", 0, 0}},
    {"lseek64", 0, {"lseek64", -1, OP_LSEEK, "fow", 0, 0}},
    {"open64m", 0, {"open64m", -1, OP_OPEN, "pOm", 0, 0}},
    {"open64", 0, {"open64", -1, OP_OPEN, "pOm", 0, 0}},
};

static const struct syscall_row *call_find(const char *s, const char *open,
					   const char *end)
{
	struct part part[PARTS_MAX];
	const char *args = open + 1;
	size_t len = (size_t)(open - s);
	unsigned int n = strace_split(&args, end, part);
	for (size_t i = 0; i < sizeof also / sizeof *also; i++)
		if (strlen(also[i].name) == len && !memcmp(also[i].name, s, len) &&
		    (!also[i].n_args || also[i].n_args == n))
			return &also[i].call;
	return strace_call_find(s, len);
}

/* "@fread(fd=3;length=10) = 10": a call that strace does not have, with arguments as in CSV. */
static int take_other(struct parallel *p, struct parallel_line *l, struct err *e)
{
	struct foreign *f = &p->calls.base;
	struct trace_record r = record_unknown();
	int64_t duration_ns = strace_take_duration(l->s, &l->end);
	while (l->end > l->s && l->end[-1] == ' ')
		l->end--;
	const char *open = memchr(l->s, '(', (size_t)(l->end - l->s)), *close = l->end;
	char name[32] = "";
	for (close = l->end - 4; open && close > open && memcmp(close, ") = ", 4); close--)
		;
	if (!open || close <= open || (size_t)(open - l->s - 1) >= sizeof name)
		return foreign_at(f, l->s, e, "expected a call with its result");
	memcpy(name, l->s + 1, (size_t)(open - l->s - 1));
	const char *s = close + 4;
	r.op = (uint16_t)op_find(name);
	if (r.op == OP_INVALID)
		return foreign_at(f, l->s, e, "there is no operation \"%s\"", name);
	if (!scan_i64(&s, l->end, &r.rvalue))
		return foreign_at(f, close, e, "the result of the call is missing");
	s = skip_blanks(s, l->end);
	int64_t code = 0;
	if (s < l->end && !name_table_find(&p->calls.names, s, (size_t)(l->end - s), &code))
		return foreign_at(f, s, e, "expected the name of an error, such as ENOENT");
	r.error = (uint16_t)code;
	int ret = csv_args_read(open + 1, (size_t)(close - open - 1), &r, &p->args, e);
	if (!ret && p->args.object_kind)
		ret = foreign_object(f, p->args.object_kind, p->args.object_name,
				     p->args.object_name_len, &r.object, e);
	if (ret)
		return ret;
	if (p->args.has_heap)
		r.heap = foreign_heap(f, p->args.heap.s, p->args.heap.len);
	struct text_node *n = &p->node[p->at];
	r.begin_ns = l->has_begin ? l->begin_ns : n->now_ns;
	if (duration_ns >= 0 && __builtin_add_overflow(r.begin_ns, duration_ns, &r.end_ns))
		return foreign_at(f, l->end, e, "the end of the call exceeds the limit of the "
						"trace format (2^61 ns, 73 years)");
	r.pid = p->facts.node[p->at].pid;
	r.tid = p->facts.node[p->at].tid;
	ret = foreign_add(f, &r, e);
	if (!ret)
		now_advance(n, &r);
	return ret;
}

static int take_call(struct parallel *p, const struct parallel_line *l, struct err *e)
{
	struct foreign *f = &p->calls.base;
	struct text_node *n = &p->node[p->at];
	const char *open = memchr(l->s, '(', (size_t)(l->end - l->s));
	if (!open || open == l->s)
		return foreign_at(f, l->s, e, "neither a call nor COMPUTE, SIGNAL or WAIT");
	struct call_line c = {.call = call_find(l->s, open, l->end),
			      .text = open + 1,
			      .end = l->end,
			      .begin_ns = l->has_begin ? l->begin_ns : n->now_ns};
	c.stamp_ns = c.begin_ns;
	if (!c.call) {
		f->base.notes.n_not_requests++;
		return 0;
	}
	size_t before = f->queue.n;
	int ret = strace_take_call(&p->calls, strace_thread_get(&p->calls, p->at + 1), &c, e);
	if (ret || f->queue.n == before || f->queue.v[f->queue.n - 1].commit != TRACE_COMMIT)
		return ret;
	struct trace_record *r = &f->queue.v[f->queue.n - 1];
	r->pid = p->facts.node[p->at].pid;
	r->tid = p->facts.node[p->at].tid;
	now_advance(n, r);
	return 0;
}

int parallel_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct parallel *p = parallel_of(f);
	struct parallel_line l = {.s = skip_blanks(s, s + len), .end = s + len};
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
		return take_compute(p, &l, at, COMPUTE_BUSY, e);
	if (take_word(&at, l.end, "SLEEP("))
		return take_compute(p, &l, at, COMPUTE_ASLEEP, e);
	if (take_word(&at, l.end, "EXTERNAL("))
		return take_compute(p, &l, at, COMPUTE_EXTERNAL, e);
	if (take_word(&at, l.end, "WAIT("))
		return take_partner(p, &l, at, OP_WAIT, e);
	if (take_word(&at, l.end, "SIGNAL("))
		return take_partner(p, &l, at, OP_SIGNAL, e);
	return *l.s == '@' ? take_other(p, &l, e) : take_call(p, &l, e);
}
