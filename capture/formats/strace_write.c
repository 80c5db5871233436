/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes a trace as the output of strace -f -ttt -T -y with nanoseconds, including the calls that
 * create processes and threads and wait for them. For ARTC, it writes the form of strace of 2013
 * without -y: unique times in microseconds, no names after descriptors, open and stat for openat
 * and newfstatat, pread for pread64, and only the calls that ARTC supports. */

#include "capture/formats/sink.h"
#include "capture/formats/strace_private.h"
#include "capture/unseen.h"

/* --- processes ----------------------------------------------------------- */

/* Makes the calls that create processes and threads and wait for them. A trace has no records of
 * these calls, so they are made from the process list of the metadata and from the threads of the
 * records. */

/* clone() of `by` returns pid, or thread `by` has waited for the end of process pid */
struct process_event {
	int64_t ns;
	uint32_t pid, by;
	bool is_wait, done;
};

struct strace_processes {
	struct process_event *event; /* event[n], sorted by time */
	size_t n, next;
	int64_t wall_ns; /* wall-clock time at time 0 */
};

ORDER_BY(by_time, struct process_event, ns, is_wait)

static void events_add(struct strace_processes *p, const json_t *rows)
{
	size_t i;
	json_t *row;
	p->event = xcalloc(2 * json_array_size(rows) + 1, sizeof *p->event);
	json_array_foreach(rows, i, row)
	{
		struct process_row x;
		if (!process_row_read(&x, row) || !x.pid || x.pid == x.parent)
			continue;
		if (x.parent)
			p->event[p->n++] =
			    (struct process_event){x.begin_ns, x.pid, x.parent, false, false};
		if (x.waited_by)
			p->event[p->n++] =
			    (struct process_event){x.waited_ns, x.pid, x.waited_by, true, false};
	}
	qsort(p->event, p->n, sizeof *p->event, by_time);
}

/* Reads the list of processes. A format that has the list only at its end is read once completely,
 * and is not rewound. Errors: of reading. Ownership: the caller frees p->event. */
static int strace_processes_init(struct strace_processes *p, struct trace *t, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	bool known;
	int ret = 1;
	*p = (struct strace_processes){.wall_ns = trace_meta(t)->wall_epoch_ns};
	trace_n_records(t, &known);
	while (!known && ((ret = trace_next_batch(t, &r, &n, e)) == 1 || ret == -EBADMSG))
		;
	if (!known && ret < 0)
		return ret;
	json_auto_t *extra =
	    trace_meta(t)->extra_json ? json_loads(trace_meta(t)->extra_json, 0, NULL) : NULL;
	events_add(p, json_object_get(extra, "processes"));
	return 0;
}

void strace_add_seconds(struct strbuf *b, int64_t ns, bool in_us)
{
	const uint64_t u = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, rest = u % 1000000000;
	strbuf_addf(b, "%s%" PRIu64 ".%0*" PRIu64, ns < 0 ? "-" : "", u / 1000000000,
		    in_us ? 6 : 9, in_us ? rest / 1000 : rest);
}

/* Appends thread and time. False: the time is before 1970, which strace cannot print. */
static bool add_begin(const struct strace_processes *p, uint32_t tid, int64_t ns,
		      struct strbuf *text)
{
	const int64_t at = p->wall_ns + ns;
	if (at < 0)
		return false;
	strbuf_addf(text, "%u ", tid);
	strace_add_seconds(text, at, false);
	strbuf_addch(text, ' ');
	return true;
}

static void add_event(struct strace_processes *p, struct process_event *x, struct strbuf *text)
{
	if (x->done || !add_begin(p, x->by, x->ns, text))
		return;
	x->done = true;
	if (x->is_wait)
		strbuf_addf(text, "wait4(%u, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = "
			"%u <0.000000000>\n", x->pid, x->pid);
	else
		strbuf_addf(text, "clone(child_stack=NULL, flags=SIGCHLD) = %u <0.000000000>\n",
			    x->pid);
}

/* Appends the lines of all events up to `ns`; INT64_MAX: of all remaining events. */
static void strace_processes_until(struct strace_processes *p, int64_t ns, struct strbuf *text)
{
	for (; p->next < p->n && p->event[p->next].ns <= ns; p->next++)
		add_event(p, &p->event[p->next], text);
}

/* Appends the calls that create the thread of record `r`, before its first record: the clone of its
 * process, unless it was already written, and the clone of the thread, unless it is the main
 * thread. */
static void strace_processes_thread(struct strace_processes *p, const struct trace_record *r,
			     struct strbuf *text)
{
	for (size_t i = p->next; i < p->n; i++)
		if (p->event[i].pid == r->pid && !p->event[i].is_wait)
			add_event(p, &p->event[i], text);
	if (r->tid == r->pid || !r->pid || !add_begin(p, r->pid, r->begin_ns, text))
		return;
	strbuf_addf(text,
		    "clone3({flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_"
		    "SYSVSEM, exit_signal=0} => {parent_tid=[%u]}, 88) "
		    "= %u <0.000000000>\n",
		    r->tid, r->tid);
}

#define DESCRIPTORS_MAX (1 << 20) /* higher descriptors are not followed */

struct strace_out_lane {
	uint32_t tid, pid;
	int64_t end_us;
	bool started; /* the clone that created the thread is written */
};

struct strace_out {
	struct strace_line line; /* written only if all arguments are known */
	int64_t wall_ns;
	struct strace_processes processes; /* empty in the old form */
	const struct trace_export_report *report;
	int64_t last_ns; /* wall-clock time of the last line */
	/* time of the last line in the old form */
	int64_t last_us;
	struct strace_out_lane *thread;
	size_t n_threads, cap_threads, last_thread;
	bool *opened; /* opened[n_opened], by number: a call of the trace created the descriptor */
	size_t n_opened;
};

static struct strace_out_lane *thread_of(struct strace_out *x, uint32_t tid, uint32_t pid)
{
	size_t i = x->last_thread;
	if (i >= x->n_threads || x->thread[i].tid != tid)
		for (i = 0; i < x->n_threads && x->thread[i].tid != tid; i++)
			;
	if (i == x->n_threads) {
		GROW(x->thread, x->n_threads, x->cap_threads);
		x->thread[x->n_threads++] = (struct strace_out_lane){
		    .tid = tid, .pid = pid ? pid : tid, .end_us = INT64_MIN};
	}
	x->last_thread = i;
	return &x->thread[i];
}

/* Delays a call for ARTC, which stops if two calls have equal times, or if a call begins before the
 * end of the thread's previous call. */
static int64_t old_begin_us(const struct strace_out *x, const struct strace_out_lane *th,
			    int64_t ns)
{
	int64_t us = ns / 1000;
	us = us > x->last_us ? us : x->last_us + 1;
	return us > th->end_us ? us : th->end_us + 1;
}

static void note_opened(struct strace_out *x, const struct trace_record *r)
{
	if (!(op_info(r->op)->uses & (OP_RETURNS_FD | OP_MAKES_FD)) || r->rvalue < 0 ||
	    r->rvalue >= DESCRIPTORS_MAX)
		return;
	size_t fd = (size_t)r->rvalue;
	if (fd >= x->n_opened) {
		x->opened = xreallocarray(x->opened, fd + 64, sizeof *x->opened);
		memset(x->opened + x->n_opened, 0, (fd + 64 - x->n_opened) * sizeof *x->opened);
		x->n_opened = fd + 64;
	}
	x->opened[fd] = true;
}

/* The reason why a request cannot be written; NULL: it can be written. */
static const char *refusal_of(const struct strace_out *x, const struct trace_record *r,
			      const struct syscall_row *c)
{
	if (!c)
		return x->line.old ? "ARTC does not support the call"
				   : "strace has no call with this name";
	if (r->begin_ns == TIME_NONE)
		return "its start is not known";
	const bool opened = r->fd >= 0 && (size_t)r->fd < x->n_opened && x->opened[r->fd];
	if (x->line.old && (op_info(r->op)->uses & OP_HAS_FD) && !opened)
		return "ARTC replays only calls on descriptors that the trace opens";
	return NULL;
}

static int write_one(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		     struct err *e)
{
	struct strace_out *x = ctx;
	const char *name;
	const struct syscall_row *c = strace_row_of(r, x->line.old, &name);
	if ((*why = refusal_of(x, r, c)))
		return 0;
	strbuf_reset(&x->line.text);
	int64_t ns = x->wall_ns + r->begin_ns;
	*why = ns < 0 ? "it begins before 1970" : "an argument is not known";
	if (ns < 0)
		return 0;
	struct strace_out_lane *th = thread_of(x, r->tid, r->pid);
	int64_t us = old_begin_us(x, th, ns),
		took_ns = r->end_ns != TIME_NONE && r->end_ns >= r->begin_ns
			      ? r->end_ns - r->begin_ns
			      : -1;
	if (!x->line.old) {
		strace_processes_until(&x->processes, r->begin_ns, &s->out);
		if (!th->started)
			strace_processes_thread(&x->processes, r, &s->out);
		th->started = true;
	}
	strbuf_addf(&x->line.text, "%u ", r->tid);
	strace_add_seconds(&x->line.text, x->line.old ? us * 1000 : ns, x->line.old);
	strbuf_addf(&x->line.text, " %s(", name);
	x->line.err = e;
	if (!strace_add_args(&x->line, r, c))
		return x->line.failed;
	strace_add_result(&x->line, r);
	if (took_ns >= 0) {
		strbuf_addstr(&x->line.text, " <");
		strace_add_seconds(&x->line.text, took_ns, x->line.old);
		strbuf_addch(&x->line.text, '>');
	}
	x->last_us = us;
	x->last_ns = ns > x->last_ns ? ns : x->last_ns;
	th->end_us = us + (took_ns > 0 ? took_ns / 1000 : 0);
	strbuf_addch(&x->line.text, '\n');
	strbuf_add(&s->out, x->line.text.s, x->line.text.len);
	if (x->line.old)
		note_opened(x, r);
	return 1;
}

/* Whether requests are known to be missing in the trace or in the output. */
static bool is_incomplete(const struct strace_out *x)
{
	const struct trace *t = x->line.t;
	const struct trace_meta *m = trace_meta(t);
	struct trace_health h;
	trace_health(t, &h);
	json_auto_t *extra = m->extra_json ? json_loads(m->extra_json, 0, NULL) : NULL;
	const bool missing = requests_unseen(extra) || programs_unseen(extra);
	return missing || m->cut || m->n_events_lost || !h.complete || h.n_blocks_damaged ||
	       h.n_records_uncommitted || h.n_unread || (x->report && x->report->n_left_out);
}

static void add_exit(const struct strace_out *x, uint32_t pid, struct strbuf *text)
{
	const int64_t ns = x->last_ns - x->processes.wall_ns;
	if (add_begin(&x->processes, pid, ns > 0 ? ns : 0, text))
		strbuf_addstr(text, "exit_group(0) = ?\n");
}

/* Writes the exits of processes, except for an incomplete trace: an import counts a process without
 * an exit as cut off. */
static int write_tail(void *ctx, struct sink *s, struct err *e)
{
	struct strace_out *x = ctx;
	struct u64_map done = {.cell = NULL};
	(void)e;
	strace_processes_until(&x->processes, INT64_MAX, &s->out);
	if (x->line.old || is_incomplete(x))
		return 0;
	for (size_t i = 0; i < x->n_threads; i++)
		if (!(*u64_map_at(&done, x->thread[i].pid, 0))++)
			add_exit(x, x->thread[i].pid, &s->out);
	for (size_t i = 0; i < x->processes.n; i++)
		if (!(*u64_map_at(&done, x->processes.event[i].pid, 0))++)
			add_exit(x, x->processes.event[i].pid, &s->out);
	u64_map_release(&done);
	return 0;
}

/* ARTC has no base directory for relative names, so a relative root is placed below "/". */
static int write_as(bool old, struct trace *t, const char *path, struct trace_export_report *report,
		    struct err *e)
{
	static const struct sink_writer writer = {.one = write_one, .tail = write_tail};
	const struct trace_meta *m = trace_meta(t);
	SCOPED_FREE char *root = xasprintf("%s%s", old && m->root && *m->root != '/' ? "/" : "",
					   m->root ? m->root : "/");
	struct strace_out x = {.line = {.t = t, .root = root, .old = old, .text = STRBUF_INIT},
			       .wall_ns = m->wall_epoch_ns,
			       .report = report};
	int ret = old ? 0 : strace_processes_init(&x.processes, t, e);
	ret = ret ? ret : sink_write_trace(&writer, &x, t, path, report, e);
	strbuf_release(&x.line.text);
	free(x.processes.event);
	x.processes.event = NULL;
	FREE_EACH(x.thread, x.opened);
	return ret;
}

int strace_write(struct trace *t, const char *path, struct trace_export_report *report,
		 struct err *e)
{
	return write_as(false, t, path, report, e);
}

static int artc_write(struct trace *t, const char *path, struct trace_export_report *report,
		      struct err *e)
{
	return write_as(true, t, path, report, e);
}

const struct trace_format format_artc = {
    .name = "artc",
    .help = "strace text as ARTC reads it",
    .write = artc_write,
};
