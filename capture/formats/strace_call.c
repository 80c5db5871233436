/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a request of a call: doc/formats/strace.md. */

#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"

/* --- the result ---------------------------------------------------------- */

/* Removes "<0.000021>" from the end and returns the duration, or -1. The common case, a plain
 * number before it, is tried first. */
static int64_t take_duration(struct parsed *p)
{
	const char *open = p->ret;
	int64_t ns;
	if (p->end - p->ret < 3 || p->end[-1] != '>')
		return -1;
	while (open < p->end && *open > ' ')
		open++;
	if (*open != ' ' || open[1] != '<')
		for (open = p->end; open > p->ret && *open != '<'; open--)
			;
	open += *open == ' ';
	const char *s = open + 1;
	if (*open != '<' || !scan_decimal(&s, p->end, 1000000000, &ns, NULL) || s != p->end - 1)
		return -1;
	p->end = open;
	return ns;
}

static int take_result(struct parsed *p, struct err *e)
{
	const char *s = p->ret, *end = p->end;
	uint64_t u = 0;
	int64_t code = 0;
	if (s < end && *s == '?') { /* the call did not return */
		p->r.rvalue = -1;
		p->r.error = EINTR;
		return 0;
	}
	bool good =
	    s < end && *s == '-' ? scan_i64(&s, end, &p->r.rvalue) : scan_c_u64(&s, end, &u);
	if (!good)
		return foreign_at(&p->t->base, p->ret, e, "no result of the call");
	if (*p->ret != '-')
		p->r.rvalue = (int64_t)u;
	if (p->r.rvalue >= 0)
		return 0;
	while (s < end && *s == ' ')
		s++;
	const char *stop = s;
	while (stop < end && *stop != ' ')
		stop++;
	if (!name_table_find(&p->t->names, s, (size_t)(stop - s), &code))
		code = stop - s > 7 && !memcmp(s, "ERESTART", 8) ? EINTR : 0;
	p->r.error = (uint16_t)code;
	p->r.rvalue = -1;
	return 0;
}

/* --- calls that are not requests ----------------------------------------- */

static int64_t known_end_ns(const struct parsed *p)
{
	return p->r.end_ns == TIME_NONE ? p->r.begin_ns : p->r.end_ns;
}

static void take_child(struct parsed *p, uint32_t pid, uint32_t parent)
{
	if (pid == parent) /* numbers of another PID namespace */
		return;
	processes_started_by(&p->t->processes, pid, parent);
	processes_see(&p->t->processes, pid, parent, known_end_ns(p));
}

static void take_clone(struct parsed *p, const char *text, const char *end)
{
	size_t len = (size_t)(end - text);
	bool thread = memmem(text, len, "CLONE_THREAD", 12),
	     share = memmem(text, len, "CLONE_FILES", 11);
	if (p->r.rvalue > 0 && p->r.rvalue <= UINT32_MAX) {
		traced_thread_cloned(&p->t->system, p->th, (uint32_t)p->r.rvalue, thread, share);
		p->th->process->exits |= thread; /* any of its threads may call exit_group */
		if (!thread)
			take_child(p, (uint32_t)p->r.rvalue, p->th->process->pid);
	} else if (p->t->system.cloning == p->th)
		p->t->system.cloning = NULL;
}

static bool has(const char *text, const char *end, const char *word)
{
	return memmem(text, (size_t)(end - text), word, strlen(word)) != NULL;
}

/* The result of wait4 names the child, waitid shows "si_pid=1234". A child that stopped or
 * continued has not ended. */
static void take_wait(struct parsed *p, const char *text, const char *end)
{
	static const char si_pid[] = "si_pid=";
	uint64_t pid = p->r.rvalue > 0 ? (uint64_t)p->r.rvalue : 0;
	const bool ended = has(text, end, "WIFEXITED(") || has(text, end, "WIFSIGNALED(") ||
			   has(text, end, "CLD_EXITED") || has(text, end, "CLD_KILLED") ||
			   has(text, end, "CLD_DUMPED");
	const bool may_be_alive =
	    has(text, end, "STOPPED") || has(text, end, "WUNTRACED") || has(text, end, "CONTINUED");
	const char *s = memmem(text, (size_t)(end - text), si_pid, sizeof si_pid - 1);
	if (s && !p->r.rvalue && (s += sizeof si_pid - 1, !scan_u64(&s, end, &pid)))
		return;
	if (p->r.rvalue >= 0 && pid && pid <= UINT32_MAX && (ended || !may_be_alive))
		processes_waited(&p->t->processes, (uint32_t)pid, p->th->tid, known_end_ns(p));
}

/* Records a descriptor without a file, such as a pipe: only its close on exec matters. */
static void descriptor_made(struct parsed *p, int64_t fd, bool cloexec)
{
	struct err ignored;
	char name[64];
	uint32_t object;
	int len = snprintf(name, sizeof name, "%s:[line %llu]", p->call->args,
			   (unsigned long long)p->t->base.in.line);
	err_clear(&ignored);
	if (foreign_object(&p->t->base, OBJECT_FD, name, (size_t)len, &object, &ignored))
		return;
	struct open_file *f = open_file_new(object, -1, false);
	descriptor_set(p->th, fd, f, cloexec);
	open_file_put(f);
}

/* "[3, 4]", "[3<pipe:[12]>, 4<pipe:[12]>]" */
static void pair_made(struct parsed *p, const struct part *a, bool cloexec)
{
	const char *s = a->s, *end = a->s + a->len;
	uint64_t fd;
	for (int i = 0; i < 2 && s < end && (*s == '[' || *s == ' '); i++) {
		s++;
		if (!scan_u64(&s, end, &fd) || fd > INT32_MAX)
			return;
		descriptor_made(p, (int64_t)fd, cloexec);
		s = memmem(s, (size_t)(end - s), ", ", 2);
		if (!s++)
			return;
	}
}

/* Makes a close of each open descriptor in the range. "~0U" is the largest number. */
static int close_range_made(struct parsed *p, bool cloexec, struct err *e)
{
	struct descriptor_table *d = p->th->process->table;
	uint64_t from = 0, to = UINT32_MAX;
	int rc = 0;
	if (strace_number(p, &p->arg[0], false, &from, NULL) ||
	    (*p->arg[1].s != '~' && strace_number(p, &p->arg[1], false, &to, NULL)))
		return 0;
	for (uint64_t fd = from; fd <= to && fd < d->n && !rc; fd++) {
		const struct open_file *f = d->file[fd];
		if (f && cloexec) {
			d->cloexec[fd] = true;
		} else if (f) {
			struct trace_record r = p->r;
			r.op = OP_CLOSE;
			r.fd = (int32_t)fd;
			r.object = f->object;
			r.pid = p->th->process->pid;
			r.tid = p->th->tid;
			rc = foreign_add(&p->t->base, &r, e);
			descriptor_set(p->th, (int64_t)fd, NULL, false);
		}
	}
	return rc;
}

static int take_other(struct parsed *p, const struct call_line *l, struct err *e)
{
	struct strace *t = p->t;
	uint64_t mask;
	const bool makes = p->call->kind == CALL_DESCRIPTOR || p->call->kind == CALL_PAIR;
	/* pidfd_open(2), io_uring_setup(2) */
	const bool always =
	    !strncmp(p->call->name, "pidfd", 5) || !strcmp(p->call->name, "io_uring_setup");
	/* O_, SOCK_, EFD_ ... */
	const bool cloexec = makes && (always || has(l->text, l->end, "CLOEXEC"));
	t->base.base.notes.n_passed_over++;
	if (p->call->kind == CALL_CLONE) {
		take_clone(p, l->text, l->end);
	} else if (p->call->kind == CALL_WAIT) {
		take_wait(p, l->text, l->end);
	} else if (p->call->kind == CALL_UMASK && p->n &&
		   !strace_number(p, &p->arg[0], false, &mask, NULL)) {
		if (!p->th->process->umask && !t->first_umask && t->system.n_orphans == 1)
			t->first_umask = OP_UMASK_KNOWN | (uint32_t)(p->r.rvalue & 0777);
		p->th->process->umask = OP_UMASK_KNOWN | (uint32_t)(mask & 0777);
	} else if (p->call->kind == CALL_EXEC && p->r.rvalue == 0) {
		descriptors_exec(p->th);
	} else if (p->call->kind == CALL_DESCRIPTOR && p->r.rvalue >= 0) {
		t->n_rings += !strcmp(p->call->name, "io_uring_setup");
		descriptor_made(p, p->r.rvalue, cloexec);
	} else if (p->call->kind == CALL_PAIR && p->n && p->r.rvalue == 0) {
		pair_made(p, &p->arg[p->n > 3 ? 3 : 0], cloexec);
	} else if (p->call->kind == CALL_GETCWD && p->n && p->r.rvalue > 0 &&
		   strace_unquote(&t->path, &p->arg[0])) {
		const struct strbuf *root = &p->th->process->root;
		const bool below = root->len && t->path.s[0] == '/';
		if (below)
			path_join(&t->joined, root->s, t->path.s + 1, t->path.len - 1);
		const struct strbuf *cwd = below ? &t->joined : &t->path;
		strace_set_cwd(p, cwd->s, cwd->len);
	} else if (p->call->kind == CALL_CLOSE_RANGE && p->n > 1 && p->r.rvalue == 0) {
		return close_range_made(p, has(l->text, l->end, "CLOSE_RANGE_CLOEXEC"), e);
	}
	return 0;
}

/* --- the whole call ------------------------------------------------------ */

/* The end comes from -T, or from the stamp of the resumed line. */
static int times(struct parsed *p, const struct call_line *l, int64_t duration_ns, struct err *e)
{
	p->r.begin_ns = l->begin_ns;
	if (duration_ns >= 0 && __builtin_add_overflow(l->begin_ns, duration_ns, &p->r.end_ns))
		return foreign_at(&p->t->base, p->ret, e,
				  "the call takes longer than there is time");
	if (duration_ns < 0 && l->resumed)
		p->r.end_ns = l->stamp_ns;
	return 0;
}

static int hand_over(struct parsed *p, bool resumed, struct err *e)
{
	struct strace *t = p->t;
	if (p->has_peer && (op_info(p->r.op)->uses & OP_HEAP_PEER)) {
		if (p->r.op == OP_DUP2)
			p->peer.object = OBJECT_NONE;
		p->r.heap = foreign_heap(&t->base, &p->peer, sizeof p->peer);
	} else if (p->has_heap && (op_info(p->r.op)->uses & OP_HEAP || p->r.op == OP_READLINK)) {
		p->r.heap = foreign_heap(&t->base, p->heap.s, p->heap.len);
	}
	if (op_makes_file(p->r.op, p->r.flags)) {
		if (p->th->process->umask)
			p->r.length =
			    op_mode_under(p->r.op, p->r.length, p->th->process->umask);
		else if (p->r.rvalue >= 0)
			t->base.base.notes.n_umask_unknown++;
	}
	p->r.pid = p->th->process->pid;
	p->r.tid = p->th->tid;
	int rc = foreign_check(&p->r, e);
	struct trace_record *place =
	    resumed && p->th->has_ticket ? record_queue_at(&t->base.queue, p->th->ticket) : NULL;
	if (rc || !place)
		return rc ? rc : foreign_add(&t->base, &p->r, e);
	p->r.commit = TRACE_COMMIT;
	*place = p->r;
	return 0;
}

static void skip_call(struct parsed *p, bool resumed)
{
	p->t->base.base.notes.n_passed_over++;
	if (resumed && p->th->has_ticket)
		record_queue_drop(&p->t->base.queue, p->th->ticket);
}

int strace_take_call(struct strace *t, struct traced_thread *th, const struct call_line *l,
		     struct err *e)
{
	struct parsed p;
	const char *s = l->text;
	memset(&p, 0, offsetof(struct parsed, arg)); /* arg[] is large, and set by strace_split() */
	p.t = t;
	p.th = th;
	p.call = l->call;
	p.end = l->end;
	p.r = foreign_record();
	p.peer = (struct op_peer){-1, OBJECT_NONE, OFFSET_NONE};
	strbuf_init(&p.heap);
	p.n = strace_split(&s, l->end, p.arg);
	while (s && s < l->end && *s == ' ')
		s++;
	if (!s || l->end - s < 2 || *s != '=')
		return foreign_at(&t->base, s ? s : l->end, e, "the call has no result (cut off?)");
	for (s++; s < l->end && *s == ' '; s++)
		;
	p.ret = s;
	p.r.op = (uint16_t)l->call->op;
	if (op_info(p.r.op)->uses & OP_KNOWS_OFFSET)
		p.r.offset = OFFSET_NONE;
	int64_t duration_ns = take_duration(&p);
	int rc = take_result(&p, e);
	rc = rc ? rc : times(&p, l, duration_ns, e);
	if (!rc && l->call->kind != CALL_REQUEST)
		return take_other(&p, l, e);
	/* an anonymous mapping, which may replace one of a file */
	/* of no file, perhaps where one was mapped */
	if (!rc && l->call->op == OP_MMAP && p.n > 4 && *p.arg[4].s == '-') {
		if (p.r.rvalue != -1 && !strace_number(&p, &p.arg[1], false, &p.r.length, NULL))
			traced_map_set(th->process, (uint64_t)p.r.rvalue, p.r.length, OBJECT_NONE);
		skip_call(&p, l->resumed);
		return 0;
	}
	rc = rc ? rc : strace_take_args(&p, e);
	rc = rc ? rc : strace_effects(&p, e);
	if (!rc && !p.no_file)
		strace_before(&p);
	if (!rc && p.no_file)
		skip_call(&p, l->resumed);
	else if (!rc)
		rc = hand_over(&p, l->resumed, e);
	if (!rc && (p.r.op == OP_IO_SUBMIT || p.r.op == OP_IO_GETEVENTS))
		rc = strace_async_take(&p, e);
	strbuf_release(&p.heap);
	open_file_put(p.file);
	return rc;
}
