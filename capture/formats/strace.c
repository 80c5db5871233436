/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads strace's output, with -f, -ttt or similar, preferably with -T and -y: lines, threads, and
 * calls that lines of other threads interrupt. doc/formats/strace.md; tested with strace 6.1. */

#include "capture/formats/blanks.h"
#include "capture/formats/number.h"
#include "capture/formats/strace_private.h"

/* strace's overhead is part of each call's time: it shows 7.37 us for calls that take 0.51 us. */
#define STRACE_COST_NS 7000

/* --- calls --------------------------------------------------------------- */

static const struct strace_call *call_find(const struct strace *t, const char *s, size_t len)
{
	int64_t i;
	return name_table_find(&t->calls, s, len, &i) ? &strace_calls[i] : NULL;
}

/* The call whose name begins at s. *open: its parenthesis, or NULL if there is none. */
static const struct strace_call *call_at(const struct strace *t, const char *s, const char *end,
					 const char **open)
{
	*open = memchr(s, '(', (size_t)(end - s));
	return *open && *open > s ? call_find(t, s, (size_t)(*open - s)) : NULL;
}

static void close_over(struct traced_thread *th)
{
	open_file_put(th->closing);
	th->closing = NULL;
	th->closed = false;
}

/* Finishes a call that never ended. A call on memory is a request only if the memory is a file's.
 */
static void never_ends(struct strace *t, struct traced_thread *th)
{
	const struct strace_call *call = th->call;
	const char *s = th->text.s, *end = s + th->text.len;
	struct trace_record *r = record_queue_at(&t->base.queue, th->ticket);
	uint64_t at;
	if (r && op_info(call->op)->family == FAMILY_MAP) {
		r->object = call->op != OP_MMAP && s && scan_c_u64(&s, end, &at)
				? traced_map_find(th->process, at, 1)
				: OBJECT_NONE;
		if (r->object == OBJECT_NONE &&
		    (call->op != OP_MMAP || (s && memmem(s, th->text.len, "MAP_ANONYMOUS", 13)))) {
			t->base.base.notes.n_passed_over++;
			record_queue_drop(&t->base.queue, th->ticket);
			return;
		}
	}
	foreign_unfinished(&t->base, th->ticket);
}

/* A call that another thread's line interrupts. Its place in the trace is fixed now. */
static int take_unfinished(struct strace *t, struct traced_thread *th,
			   const struct strace_call *call, const char *name, size_t name_len,
			   const char *text, const char *end, int64_t begin_ns)
{
	if (th->pending && th->has_ticket) /* the previous call never resumed */
		never_ends(t, th);
	th->pending = true;
	th->call = call;
	th->begin_ns = begin_ns;
	name_len = name_len < sizeof th->name ? name_len : sizeof th->name - 1;
	memcpy(th->name, name, name_len);
	th->name[name_len] = 0;
	strbuf_reset(&th->text);
	strbuf_add(&th->text, text, (size_t)(end - text));
	th->has_ticket = call && call->kind == CALL_REQUEST;
	if (call && call->kind == CALL_CLONE)
		t->system.cloning = th;
	if (!th->has_ticket)
		return 0;
	struct trace_record r = foreign_record();
	r.op = (uint16_t)call->op;
	r.begin_ns = begin_ns;
	r.pid = th->process->pid;
	r.tid = th->tid;
	th->ticket = record_queue_add(&t->base.queue, &r);
	if (call->op == OP_CLOSE) {
		int64_t fd = strace_first_fd(text, end);
		close_over(th);
		th->closed = true;
		th->closing = descriptor_get(th, fd);
		if (th->closing)
			th->closing->refs++;
		descriptor_set(th, fd, NULL, false);
	}
	return 0;
}

static bool ends_with(const char *s, const char *end, const char *mark)
{
	const size_t len = strlen(mark);
	return (size_t)(end - s) > len && !memcmp(end - len, mark, len);
}

/* "read(0,  <detached ...>", also after "resumed>": strace detached during the call, so its end is
 * unknown. */
static const char detached[] = "<detached ...>";

/* "<... pread64 resumed>, "..."..., 4096, 8192) = 4096 <0.000021>" */
static int take_resumed(struct strace *t, struct traced_thread *th, const char *s, const char *end,
			int64_t stamp_ns, struct err *e)
{
	const char *name = s + 5, *stop = memchr(name, ' ', (size_t)(end - name));
	const char *rest = memmem(s, (size_t)(end - s), "resumed>", 8);
	if (!stop || !rest)
		return foreign_at(&t->base, s, e, "a resumed call without its name");
	const struct strace_call *call = call_find(t, name, (size_t)(stop - name));
	if (!th->pending || strncmp(th->name, name, strlen(th->name)) ||
	    (strlen(th->name) < sizeof th->name - 1 && strlen(th->name) != (size_t)(stop - name))) {
		t->base.base.notes.n_without_begin += call != NULL;
		return 0;
	}
	if (ends_with(rest, end, detached)) {
		t->missing.detached = true;
		return 0; /* the call stays unfinished */
	}
	th->pending = false;
	if (!th->call) {
		t->base.base.notes.n_passed_over++;
		return 0;
	}
	strbuf_add(&th->text, rest + 8, (size_t)(end - rest - 8));
	struct call_line l = {.call = th->call,
			      .text = th->text.s,
			      .end = th->text.s + th->text.len,
			      .begin_ns = th->begin_ns,
			      .stamp_ns = stamp_ns,
			      .resumed = true};
	struct err why; /* ERR_INIT would clear all of it for every line */
	err_clear(&why);
	int rc = strace_take_call(t, th, &l, &why);
	close_over(th);
	if (rc) { /* a column in the joined text would not exist in the file */
		if (th->has_ticket)
			record_queue_drop(&t->base.queue, th->ticket);
		return foreign_at(&t->base, rest + 8, e, "%s", why.msg);
	}
	return 0;
}

static int take_call(struct strace *t, struct traced_thread *th, const char *s, const char *end,
		     int64_t stamp_ns, struct err *e)
{
	static const char unfinished[] = "<unfinished ...>";
	const char *open;
	const struct strace_call *call = call_at(t, s, end, &open);
	if (!open || open == s)
		return foreign_at(&t->base, s, e, "neither a call nor a signal");
	if (!call)
		strace_exit_seen(th, s, end);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	const char *mark = ends_with(s, end, unfinished) ? unfinished
			   : ends_with(s, end, detached) ? detached
							 : NULL;
	t->missing.detached |= mark == detached;
	if (mark)
		return take_unfinished(t, th, call, s, (size_t)(open - s), open + 1,
				       end - strlen(mark), stamp_ns);
	if (!call) {
		t->base.base.notes.n_passed_over++;
		return 0;
	}
	if (th->pending && th->has_ticket)
		never_ends(t, th);
	th->pending = false;
	close_over(th);
	struct call_line l = {
	    .call = call, .text = open + 1, .end = end, .begin_ns = stamp_ns, .stamp_ns = stamp_ns};
	return strace_take_call(t, th, &l, e);
}

/* Reads the rest of a line after the stamp. */
static int take_line(struct strace *t, struct traced_thread *th, const char *s, const char *end,
		     int64_t ns, struct err *e)
{
	s = strace_skip_marks(s, end);
	if (starts(s, end, "--- "))
		return 0;
	if (starts(s, end, "+++ ")) {
		strace_thread_over(&t->threads, th->tid);
		strace_thread_ended(t, th, s, end);
		if (!starts(s, end, "+++ superseded")) {
			if (th->pending && th->has_ticket)
				never_ends(t, th);
			traced_thread_exited(&t->system, th);
		}
		return 0;
	}
	if (starts(s, end, "<... "))
		return take_resumed(t, th, s, end, ns, e);
	return take_call(t, th, s, end, ns, e);
}

static int stamped_line(struct strace *t, const char *line, const char *end, struct err *e)
{
	struct foreign *f = &t->base;
	const char *s = skip_blanks(line, end);
	uint32_t tid = 0;
	int64_t ns;
	const enum strace_naming how = strace_take_pid(&s, end, &tid);
	const char *stamp = s;
	if (starts(s, end, "strace: "))
		return 0;
	if (!strace_take_stamp(t, line, &s, end, &ns))
		return foreign_at(f, stamp, e,
				  "no time (strace needs -ttt, -tt or --absolute-timestamps)");
	if (ns > TRACE_TIME_MAX || ns < -TRACE_TIME_MAX)
		return foreign_at(f, stamp, e, "a time is beyond the range of a trace");
	t->has_pids |= how != STRACE_UNNAMED;
	struct traced_thread *th =
	    traced_thread_of(&t->system, strace_thread(&t->threads, how, tid));
	if (t->threads.found)
		t->number_met = t->threads.first_number;
	if (!th->process->noted) {
		processes_see(&t->processes, th->process->pid, th->process->parent, ns);
		th->process->noted = true;
		const bool first = !th->process->parent && t->system.n_orphans == 1;
		if (first && !th->process->cwd.len)
			strbuf_add(&th->process->cwd, t->start.s, t->start.len);
		if (first && !th->process->umask)
			th->process->umask = t->first_umask;
	}
	return take_line(t, th, s, end, ns, e);
}

/* Reads a line that continues the previous one. */
static int joined_line(struct strace *t, const char *s, const char *end, struct err *e)
{
	struct strbuf whole = t->cut;
	struct err why;
	err_clear(&why);
	strbuf_init(&t->cut);
	strbuf_add(&whole, s, (size_t)(end - s));
	int rc = stamped_line(t, whole.s, whole.s + whole.len, &why);
	strbuf_release(&whole);
	return rc ? foreign_at(&t->base, s, e, "%s", why.msg) : 0;
}

static int strace_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct strace *t = (struct strace *)f;
	const char *end = s + len, *first = skip_blanks(s, end);
	if (first == end || t->over)
		return 0;
	if ((*first < '0' || *first > '9') && strace_beside_calls(first, end)) {
		t->over = starts(first, end, "% time ");
		strace_notice(&t->threads, first, end);
		return 0;
	}
	const char *cut = strace_cut_by_notice(s, end);
	if (cut) {
		strbuf_reset(&t->cut);
		strbuf_add(&t->cut, s, (size_t)(cut - s));
		strace_notice(&t->threads, cut, end);
		return 0;
	}
	return t->cut.len ? joined_line(t, s, end, e) : stamped_line(t, s, end, e);
}

/* --- the file ------------------------------------------------------------ */

static void strace_end(struct foreign *f)
{
	struct strace *t = (struct strace *)f;
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (struct traced_thread *th = t->system.slot[i]; th; th = th->next)
			if (th->pending && th->has_ticket) {
				never_ends(t, th);
				th->pending = false;
			}
	strace_async_end(&t->async, f);
	strace_before_list(t);
	json_t *list = processes_list(&t->processes),
	       *top = list ? json_pack("{s:o}", "processes", list) : json_object();
	json_t *capture =
	    json_pack("{s:s,s:I,s:I}", "method", "strace", "n_rings", (json_int_t)t->n_rings,
		      "n_unshown", (json_int_t)f->base.notes.n_unshown);
	if (strace_missing_end(t, capture) || t->n_rings || f->base.notes.n_unshown)
		json_object_set(top, "capture", capture);
	json_decref(capture);
	free(t->extra);
	t->extra = json_object_size(top) ? json_dumps(top, JSON_COMPACT) : NULL;
	f->base.meta.meta.extra_json = t->extra;
	json_decref(top);
}

static void strace_reset(struct foreign *f)
{
	struct strace *t = (struct strace *)f;
	traced_system_release(&t->system);
	processes_release(&t->processes);
	processes_init(&t->processes);
	strace_async_release(&t->async);
	f->base.meta.meta.extra_json = NULL;
	t->has_first = t->time_of_day = t->differences = t->over = false;
	t->n_rings = 0;
	t->missing.detached = false;
	t->missing.n_filtered = t->missing.n_reopened = 0;
	if (!t->before_listed) {
		files_release(&t->before);
		files_init(&t->before);
		strace_links_release(&t->links);
	}
	strbuf_reset(&t->cut);
	strace_threads_reset(&t->threads);
}

void strace_state_release(struct strace *t)
{
	traced_system_release(&t->system);
	processes_release(&t->processes);
	strace_async_release(&t->async);
	files_release(&t->before);
	strace_links_release(&t->links);
	free(t->listed.entry);
	free(t->listed.detail);
	free(t->extra);
	strbuf_release(&t->path);
	strbuf_release(&t->cut);
	strbuf_release(&t->base_path);
	strbuf_release(&t->joined);
	strbuf_release(&t->start);
}

static void strace_release(struct foreign *f)
{
	strace_state_release((struct strace *)f);
}

void strace_state_init(struct strace *t)
{
	name_table_add_constants(&t->names);
	for (int i = 0; strace_calls[i].name; i++)
		name_table_add(&t->calls, strace_calls[i].name, i);
	strbuf_init(&t->path);
	strbuf_init(&t->cut);
	strbuf_init(&t->base_path);
	strbuf_init(&t->joined);
	strbuf_init(&t->start);
	files_init(&t->before);
	t->base.base.meta.meta.root = "/";
}

static void strace_setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	strace_state_init((struct strace *)f);
	((struct strace *)f)->async.follows = true;
	f->base.meta.meta.clock_read_cost_ns = STRACE_COST_NS;
}

static const struct foreign_reader reader = {.clock = "strace",
					     .captured_by = "strace",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct strace),
					     .setup = strace_setup,
					     .line = strace_line,
					     .end = strace_end,
					     .reset = strace_reset,
					     .release = strace_release};

static int strace_open(struct trace **out, const char *path, const struct trace_open_options *o,
		       struct err *e)
{
	int rc = foreign_open(out, &reader, path, o, e);
	const char *dot = strrchr(path, '.');
	if (rc)
		return rc;
	struct strace *t = (struct strace *)*out;
	t->threads.first = t->number_met;
	if (dot && !t->has_pids) { /* FILE.PID of strace -ff: no column names the thread */
		const char *s = dot + 1, *end = path + strlen(path);
		uint64_t v;
		if (scan_u64(&s, end, &v) && s == end && v <= UINT32_MAX) {
			t->threads.first = (uint32_t)v;
			t->missing.of_one_thread = true;
		}
	}
	return 0;
}

/* Whether a call or another text that strace prints after a stamp begins here. */
static bool is_strace(const char *s, const char *end)
{
	s = strace_skip_marks(s, end);
	const char *open = s;
	while (open < end &&
	       (*open == '_' || (*open >= 'a' && *open <= 'z') || (*open >= '0' && *open <= '9')))
		open++;
	return (open > s && open < end && *open == '(') || starts(s, end, "<... ") ||
	       starts(s, end, "+++ ") || starts(s, end, "--- ");
}

/* Whether this is a known call with its result. Without a time it is strace's output, too; reading
 * it then fails with a helpful message. */
static bool is_timeless(const char *s, const char *end)
{
	const char *open = memchr(s, '(', (size_t)(end - s));
	for (int i = 0; open && strace_calls[i].name; i++)
		if (strlen(strace_calls[i].name) == (size_t)(open - s) &&
		    !memcmp(strace_calls[i].name, s, (size_t)(open - s)))
			return memmem(open, (size_t)(end - open), ") = ", 4) ||
			       memmem(open, (size_t)(end - open), ")  ", 3);
	return false;
}

/* Whether the first line of a call has a stamp. */
static int strace_bid(const unsigned char *head, size_t len, const char *path)
{
	struct strace t = {.has_first = false};
	const char *s = (const char *)head, *end = s + len;
	(void)path;
	for (int i = 0; i < 4 && s < end; i++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		const char *next = stop < end ? stop + 1 : end;
		uint32_t tid;
		int64_t ns;
		const char *p = skip_blanks(s, stop);
		if (!strace_beside_calls(p, stop)) {
			strace_take_pid(&p, stop, &tid);
			if (!strace_take_stamp(&t, s, &p, stop, &ns))
				return is_timeless(p, stop) ? 10 : 0;
			return is_strace(p, stop) ? 50 : 0;
		}
		s = next;
	}
	return 0;
}

const struct trace_format format_strace = {
    .name = "strace",
    .help = "output of strace -f -ttt -T -y -o FILE",
    .bid = strace_bid,
    .open = strace_open,
    .write = strace_write,
};
