/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a call to a request: doc/formats/strace.md. */

#include <sched.h>

#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

/* --- the result ---------------------------------------------------------- */

static int take_result(struct strace_parsed *p, struct err *e)
{
	const char *s = p->ret, *end = p->end;
	uint64_t u = 0;
	int64_t code = 0;
	if (s < end && *s == '?') { /* the call did not return, or returns after a signal */
		p->r.rvalue = -1;
		p->r.error = memmem(s, (size_t)(end - s), "ERESTART", 8) ? EINTR : ECANCELED;
		return 0;
	}
	bool good =
	    s < end && *s == '-' ? scan_i64(&s, end, &p->r.rvalue) : scan_c_u64(&s, end, &u);
	if (!good)
		return foreign_at(&p->t->base, p->ret, e, "the result of the call is missing");
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

static int64_t known_end_ns(const struct strace_parsed *p)
{
	return p->r.end_ns == TIME_NONE ? p->r.begin_ns : p->r.end_ns;
}

static void take_child(struct strace_parsed *p, uint32_t pid, uint32_t parent)
{
	if (pid == parent) /* then numbers are of another PID namespace */
		return;
	processes_started_by(&p->t->processes, pid, parent);
	processes_see(&p->t->processes, pid, parent, known_end_ns(p));
}

static uint64_t clone_flags(const char *text, size_t len)
{
	return (memmem(text, len, "CLONE_THREAD", 12) ? CLONE_THREAD : 0) |
	       (memmem(text, len, "CLONE_FILES", 11) ? CLONE_FILES : 0) |
	       (memmem(text, len, "CLONE_FS", 8) ? CLONE_FS : 0) |
	       (memmem(text, len, "CLONE_VFORK", 11) ? CLONE_VFORK : 0);
}

/* Adds a thread with its own entry. A number in a PID namespace may equal that of a traced thread,
 * and the trace cannot distinguish them. */
static struct strace_thread *thread_new(struct strace *t, uint32_t tid, uint32_t parent)
{
	const uint32_t i = *u64_map_at(&t->thread_of, tid, t->n_threads);
	if (i == t->n_threads) {
		GROW(t->thread, t->n_threads, t->threads_cap);
		t->thread[t->n_threads++] = (struct strace_thread){.text = STRBUF_INIT};
	}
	struct strace_thread *th = &t->thread[i];
	t->n_unseen += th->alive && !th->seen;
	*th = (struct strace_thread){
	    .tid = tid, .parent = parent, .alive = true, .text = th->text};
	return th;
}

static struct strace_thread *thread_get(struct strace *t, uint32_t tid)
{
	const uint32_t *known = u64_map_find(&t->thread_of, tid);
	if (known && t->thread[*known].alive)
		return &t->thread[*known];
	if (!t->cloning) {
		t->n_orphans++;
		return thread_new(t, tid, 0);
	}
	/* the child runs before the parent's clone() returns */
	const struct strace_thread *from = &t->thread[t->cloning - 1];
	const uint32_t parent = from->tid;
	t->cloning = 0;
	syscalls_cloned(t->calls_made, parent, tid, clone_flags(from->text.s, from->text.len));
	struct strace_thread *th = thread_new(t, tid, syscalls_process(t->calls_made, parent));
	th->adopted = true;
	t->n_unreturned++;
	return th;
}

struct strace_thread *strace_thread_get(struct strace *t, uint32_t tid)
{
	struct strace_thread *th = thread_get(t, tid);
	th->seen = true;
	return th;
}

struct strace_thread *strace_first_thread(struct strace *t, struct strace_thread *th)
{
	const uint32_t *i = u64_map_find(&t->thread_of, syscalls_process(t->calls_made, th->tid));
	return i ? &t->thread[*i] : th;
}

/* A thread of glibc. Records its creator, which made the call. */
static void take_thread(struct strace_parsed *p, uint32_t tid, const char *text, const char *end)
{
	static const char mark[] = "child_tid"; /* of clone3; clone has child_tidptr */
	const uint32_t *known = u64_map_find(&p->t->thread_of, tid);
	const char *s = memmem(text, (size_t)(end - text), mark, sizeof mark - 1);
	uint64_t address;
	s = s ? memchr(s, '=', (size_t)(end - s)) : NULL;
	if (!s || !known || (s++, !scan_c_u64(&s, end, &address)))
		return;
	p->t->thread[*known].tid_address = address;
	processes_see(&p->t->created, tid, p->tid, p->r.begin_ns);
}

static void take_clone(struct strace_parsed *p, const char *text, const char *end)
{
	struct strace *t = p->t;
	const uint64_t flags = clone_flags(text, (size_t)(end - text));
	const uint32_t *own = u64_map_find(&t->thread_of, p->tid);
	if (own && t->cloning == *own + 1)
		t->cloning = 0;
	if (p->r.rvalue <= 0 || p->r.rvalue > UINT32_MAX)
		return;
	const uint32_t tid = (uint32_t)p->r.rvalue, *known = u64_map_find(&t->thread_of, tid);
	const bool adopted = known && t->thread[*known].adopted;
	/* the child may even end before the parent's vfork() returns */
	const bool awaited = adopted && !t->thread[*known].returned;
	if (awaited) {
		t->thread[*known].returned = true;
		t->n_unreturned--;
	}
	if (own && flags & CLONE_THREAD) /* any of its threads may call exit_group */
		strace_first_thread(t, &t->thread[*own])->exits = true;
	if (tid != p->tid && !awaited && !(adopted && t->thread[*known].alive)) {
		syscalls_cloned(t->calls_made, p->tid, tid, flags);
		thread_new(t, tid, p->r.pid);
	}
	if (flags & CLONE_THREAD)
		take_thread(p, tid, text, end);
	else
		take_child(p, tid, p->r.pid);
}

static bool text_has(const char *text, const char *end, const char *word)
{
	return memmem(text, (size_t)(end - text), word, strlen(word)) != NULL;
}

/* The result of wait4 is the child; waitid shows "si_pid=1234". A child that stopped or continued
 * has not ended. */
static void take_wait(struct strace_parsed *p, const char *text, const char *end)
{
	static const char mark[] = "si_pid=";
	uint64_t pid = p->r.rvalue > 0 ? (uint64_t)p->r.rvalue : 0;
	const bool ended = text_has(text, end, "WIFEXITED(") ||
			   text_has(text, end, "WIFSIGNALED(") ||
			   text_has(text, end, "CLD_EXITED") || text_has(text, end, "CLD_KILLED") ||
			   text_has(text, end, "CLD_DUMPED");
	const bool may_be_alive = text_has(text, end, "STOPPED") ||
				  text_has(text, end, "WUNTRACED") ||
				  text_has(text, end, "CONTINUED");
	const char *s = memmem(text, (size_t)(end - text), mark, sizeof mark - 1);
	if (s && !p->r.rvalue && (s += sizeof mark - 1, !scan_u64(&s, end, &pid)))
		return;
	if (p->r.rvalue >= 0 && pid && pid <= UINT32_MAX && (ended || !may_be_alive))
		processes_waited(&p->t->processes, (uint32_t)pid, p->tid, known_end_ns(p));
}

/* pthread_join waits until the word with the number of the thread changes. EAGAIN: it has already
 * changed. */
static void take_futex(struct strace_parsed *p)
{
	const struct strace *t = p->t;
	uint64_t address, tid;
	if (p->n < 3 || (p->r.rvalue && p->r.error != EAGAIN))
		return;
	const char *at = p->arg[0].s, *op = p->arg[1].s, *value = p->arg[2].s;
	if (!text_has(op, op + p->arg[1].len, "FUTEX_WAIT") ||
	    !scan_c_u64(&at, at + p->arg[0].len, &address) ||
	    !scan_c_u64(&value, value + p->arg[2].len, &tid))
		return;
	const uint32_t *known = u64_map_find(&t->thread_of, tid);
	if (known && address && t->thread[*known].tid_address == address)
		processes_waited(&p->t->created, (uint32_t)tid, p->tid, known_end_ns(p));
}

/* A call that only this reader knows. */
static void take_other(struct strace_parsed *p, const struct call_line *l)
{
	struct strace *t = p->t;
	if (p->call->kind == SYSCALL_CLONE)
		take_clone(p, l->text, l->end);
	else if (p->call->kind == SYSCALL_WAIT)
		take_wait(p, l->text, l->end);
	else if (p->call->kind == SYSCALL_FUTEX)
		take_futex(p);
	else if (p->call->kind == SYSCALL_EXEC && p->r.rvalue == 0) {
		const uint32_t *own = u64_map_find(&t->thread_of, p->tid);
		syscalls_executed(t->calls_made, p->tid, p->tid);
		if (own)
			strace_first_thread(t, &t->thread[*own])->executed = true;
	} else if (p->call->kind == SYSCALL_GETCWD && p->n && p->r.rvalue > 0 &&
		 strace_unquote(&t->path, &p->arg[0]) && t->path.s[0] == '/')
		strace_set_cwd(p, syscalls_path_at(t->calls_made, p->tid, AT_FDCWD, t->path.s,
						   t->path.len));
}

/* --- the whole call ------------------------------------------------------ */

/* Finds the end: from -T, or from the stamp of the resumed line. A call that did not return has no
 * end. */
static int times_set(struct strace_parsed *p, const struct call_line *l, int64_t duration_ns,
		     struct err *e)
{
	p->r.begin_ns = l->begin_ns;
	if (duration_ns >= 0 && __builtin_add_overflow(l->begin_ns, duration_ns, &p->r.end_ns))
		return foreign_at(&p->t->base, p->ret, e,
				  "the end of the call exceeds the limit of the trace format (2^61 "
				  "ns, 73 years)");
	if (duration_ns < 0 && l->resumed && p->r.error != ECANCELED)
		p->r.end_ns = l->stamp_ns;
	return p->call->kind == SYSCALL_REQUEST ? foreign_check(&p->r, e) : 0;
}

static void parsed_init(struct strace_parsed *p, struct strace *t, uint32_t tid,
			const struct syscall_row *call)
{
	memset(p, 0, offsetof(struct strace_parsed, arg)); /* arg[] is set by strace_split() */
	p->t = t;
	p->tid = tid;
	p->call = call;
	p->r = record_unknown();
	p->r.op = (uint16_t)call->op;
	p->r.pid = syscalls_process(t->calls_made, tid);
	p->r.pid = p->r.pid ? p->r.pid : tid;
	p->r.tid = tid;
}

void strace_begin_call(struct strace *t, struct strace_thread *th, const char *text,
		       const char *end)
{
	struct strace_parsed p;
	struct err ignored;
	const struct trace_notes notes = t->base.base.notes;
	parsed_init(&p, t, th->tid, th->call);
	err_clear(&ignored);
	/* a close, or a call on memory, takes effect at its begin */
	if (th->call->op == OP_CLOSE || op_info(th->call->op)->family == FAMILY_MAP) {
		SCOPED_STRBUF whole = STRBUF_INIT;
		strbuf_add(&whole, text, (size_t)(end - text));
		strbuf_addch(&whole, ')');
		const char *s = whole.s;
		p.n = strace_split(&s, whole.s + whole.len, p.arg);
		strace_take_args(&p, true, &ignored);
	}
	t->base.base.notes = notes; /* the resumed line counts */
	th->entered = true;
	syscalls_enter(t->calls_made, th->tid, th->begin_ns, th->call, p.value, NULL);
}

static bool is_copy(uint64_t command)
{
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

/* If an open of "link/../file" gave "/real/file", "link/.." leads to "/real". So `link` may be a
 * symbolic link; its text is unknown, but its parent is enough to resolve "..". */
static void parent_shown(struct strace_parsed *p)
{
	struct strace *t = p->t;
	const char *at = strchr(p->call->args, 'D');
	const int dir = at ? (int)p->value[at - p->call->args] : AT_FDCWD;
	struct strbuf text = STRBUF_INIT;
	struct part d;
	size_t up = 0, n_up = 0;
	if (!p->memory[0].data || strace_rename_under_way(t) || !strace_result_decoration(p, &d) ||
	    *d.s != '/' || strace_without_deleted(d.s, d.len).len != d.len)
		return;
	SCOPED_FREE char *asked =
	    xasprintf("%.*s", (int)p->memory[0].len, (const char *)p->memory[0].data);
	for (size_t i = 1; asked[i]; i++)
		if (!strncmp(asked + i, "/..", 3) && (!asked[i + 3] || asked[i + 3] == '/'))
			up = i;
	const char *rest = asked + up + 3 + (up && asked[up + 3] == '/');
	if (!up || !strace_decoration_text(t, &d))
		return;
	const size_t n_real = t->path.len, n_rest = strlen(rest);
	if (n_real <= n_rest + 1 || strcmp(t->path.s + n_real - n_rest, rest) ||
	    (n_rest && t->path.s[n_real - n_rest - 1] != '/'))
		return;
	strbuf_add(&text, t->path.s, n_real - n_rest - (n_rest ? 1 : 0));
	for (;;) { /* the last ".." may follow others */
		strbuf_addstr(&text, "/parent");
		n_up++;
		if (up < 4 || strncmp(asked + up - 3, "/..", 3))
			break;
		up -= 3;
	}
	const char *link = syscalls_path_at(t->calls_made, p->tid, dir, asked, up);
	if (link && link[1])
		syscalls_parent(t->calls_made, link, &text, n_up);
	strbuf_release(&text);
}

/* Adds the end of a call, and its begin if that is not known yet. */
static int call_end(struct strace_parsed *p, const struct call_line *l, struct err *e)
{
	struct strace *t = p->t;
	struct syscalls *calls = t->calls_made;
	const int64_t result = p->r.rvalue < 0 ? -(int64_t)(p->r.error ? p->r.error : EIO)
					       : p->r.rvalue;
	struct part d;
	if (p->entered)
		syscalls_arguments(calls, p->tid, p->value);
	else
		syscalls_enter(calls, p->tid, l->begin_ns, p->call, p->value, NULL);
	if (p->call->op == OP_CLOSE && p->call->kind != SYSCALL_CLOSE_RANGE && result == 0)
		strace_closed(t, p->tid, (int64_t)p->value[0]);
	const uint32_t umask = syscalls_umask_of(calls, p->tid);
	if (p->call->kind == SYSCALL_UMASK && !umask && !t->first_umask && t->n_orphans == 1)
		t->first_umask = OP_UMASK_KNOWN | (uint32_t)(p->r.rvalue & 0777);
	struct app_open_file *f =
	    p->r.op == OP_OPEN ? syscalls_file(calls, p->tid, p->r.rvalue) : NULL;
	t->missing.n_reopened += f && f->opened;
	/* the result is a copy of a standard stream */
	const bool copies = result >= 0 && (p->r.op == OP_DUP || p->r.op == OP_DUP2 ||
					    (p->r.op == OP_FCNTL && is_copy(p->value[1])));
	if (copies && p->value[0] <= 2 && !syscalls_file(calls, p->tid, (int64_t)p->value[0]))
		syscalls_descriptor(calls, p->tid, (int)p->value[0], "", 0, OFFSET_NONE, 0);
	strace_use_seen(p);
	if (p->r.op == OP_OPEN && result >= 0)
		parent_shown(p);
	t->now = p;
	t->sizes.opened = 0;
	int ret = syscalls_exit(calls, p->tid, p->r.end_ns, p->call, result, p->memory, e);
	t->now = NULL;
	f = p->r.op == OP_OPEN ? syscalls_file(calls, p->tid, p->r.rvalue) : NULL;
	if (f) {
		f->opened = true;
		f->size_of = t->sizes.opened;
	}
	if (f && strace_result_decoration(p, &d))
		strace_keep_shown(t, f, &d);
	return ret;
}

int strace_take_call(struct strace *t, struct strace_thread *th, const struct call_line *l,
		     struct err *e)
{
	struct strace_parsed p;
	const char *s = l->text;
	parsed_init(&p, t, th->tid, l->call);
	p.entered = l->entered;
	p.end = l->end;
	p.n = strace_split(&s, l->end, p.arg);
	while (s && s < l->end && *s == ' ')
		s++;
	if (!s || l->end - s < 2 || *s != '=')
		return foreign_at(&t->base, s ? s : l->end, e, "the call has no result (cut off?)");
	for (s++; s < l->end && *s == ' '; s++)
		;
	p.ret = s;
	int64_t duration_ns = strace_take_duration(p.ret, &p.end);
	int ret = take_result(&p, e);
	ret = ret ? ret : times_set(&p, l, duration_ns, e);
	t->base.base.notes.n_not_requests += !ret && p.call->kind != SYSCALL_REQUEST;
	if (ret || p.call->kind > SYSCALL_UMASK) {
		if (!ret)
			take_other(&p, l);
		return ret;
	}
	p.unfinished = p.r.error == ECANCELED && p.r.end_ns == TIME_NONE;
	t->base.base.notes.n_without_end += p.unfinished && p.call->kind == SYSCALL_REQUEST;
	ret = strace_take_args(&p, p.unfinished, e);
	if (!ret && p.no_request) {
		t->base.base.notes.n_not_requests++;
		if (p.entered)
			syscalls_forget(t->calls_made, p.tid);
		return 0;
	}
	ret = ret ? ret : call_end(&p, l, e);
	if (!ret && (p.r.op == OP_IO_SUBMIT || p.r.op == OP_IO_GETEVENTS))
		ret = strace_async_take(&p, e);
	return ret;
}
