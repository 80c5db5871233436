/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads strace's output, with -f, -ttt or similar, preferably with -T and -y: lines, threads, and
 * calls that are interrupted by lines of other threads. doc/formats/strace.md; tested with strace
 * 6.1. */

#include "capture/formats/blanks.h"
#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

/* The time of each call includes strace's overhead: strace shows 7.37 us for calls that take 0.51
 * us. */
#define STRACE_COST_NS 7000

/* --- calls --------------------------------------------------------------- */

static const struct syscall_row *call_find(const struct strace *t, const char *s, size_t len)
{
	int64_t row;
	return name_table_find(&t->calls, s, len, &row) ? (const struct syscall_row *)(intptr_t)row
							 : NULL;
}

/* The call whose name begins at s. *open: its opening parenthesis, or NULL if there is none. */
static const struct syscall_row *call_at(const struct strace *t, const char *s, const char *end,
					 const char **open)
{
	*open = memchr(s, '(', (size_t)(end - s));
	return *open && *open > s ? call_find(t, s, (size_t)(*open - s)) : NULL;
}

/* Ends a call that never returns. Its record has the arguments that strace printed. */
static void call_abandon(struct strace *t, struct strace_thread *th)
{
	struct err ignored;
	const uint32_t tid = th->tid;
	const bool entered = th->entered;
	th->pending = th->entered = false;
	if (!entered)
		return;
	while (th->text.len && strchr(" ,", th->text.s[th->text.len - 1]))
		th->text.len--;
	strbuf_addstr(&th->text, ") = ?");
	const struct call_line l = {.call = th->call,
				    .text = th->text.s,
				    .end = th->text.s + th->text.len,
				    .begin_ns = th->begin_ns,
				    .stamp_ns = th->begin_ns,
				    .entered = true};
	err_clear(&ignored);
	if (strace_take_call(t, th, &l, &ignored))
		syscalls_abandon(t->calls_made, tid);
}

/* A call that is interrupted by a line of another thread. Its place in the trace is fixed now. */
static int take_unfinished(struct strace *t, struct strace_thread *th,
			   const struct syscall_row *call, const char *name, size_t name_len,
			   const char *text, const char *end, int64_t begin_ns)
{
	call_abandon(t, th); /* the previous call never resumed */
	th->pending = true;
	th->call = call;
	th->begin_ns = begin_ns;
	name_len = name_len < sizeof th->name ? name_len : sizeof th->name - 1;
	memcpy(th->name, name, name_len);
	th->name[name_len] = 0;
	strbuf_reset(&th->text);
	strbuf_add(&th->text, text, (size_t)(end - text));
	if (call && call->kind == SYSCALL_CLONE)
		t->cloning = (uint32_t)(th - t->thread) + 1;
	if (call && call->kind == SYSCALL_REQUEST)
		strace_begin_call(t, th, text, end);
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
static int take_resumed(struct strace *t, struct strace_thread *th, const char *s, const char *end,
			int64_t stamp_ns, struct err *e)
{
	const char *name = s + 5, *stop = memchr(name, ' ', (size_t)(end - name));
	const char *rest = memmem(s, (size_t)(end - s), "resumed>", 8);
	if (!stop || !rest)
		return foreign_at(&t->base, s, e, "the resumed call has no name");
	const struct syscall_row *call = call_find(t, name, (size_t)(stop - name));
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
	const bool entered = th->entered;
	th->entered = false;
	if (!th->call) {
		t->base.base.notes.n_not_requests++;
		return 0;
	}
	strbuf_add(&th->text, rest + 8, (size_t)(end - rest - 8));
	struct call_line l = {.call = th->call,
			      .text = th->text.s,
			      .end = th->text.s + th->text.len,
			      .begin_ns = th->begin_ns,
			      .stamp_ns = stamp_ns,
			      .resumed = true,
			      .entered = entered};
	struct err why; /* not ERR_INIT, which would clear the whole struct for every line */
	err_clear(&why);
	const uint32_t tid = th->tid;
	int ret = strace_take_call(t, th, &l, &why);
	if (ret) { /* a column of the joined text would not exist in the file */
		syscalls_forget(t->calls_made, tid);
		return foreign_at(&t->base, rest + 8, e, "%s", why.msg);
	}
	return 0;
}

static int take_call(struct strace *t, struct strace_thread *th, const char *s, const char *end,
		     int64_t stamp_ns, struct err *e)
{
	static const char unfinished[] = "<unfinished ...>";
	const char *open;
	const struct syscall_row *call = call_at(t, s, end, &open);
	if (!open || open == s)
		return foreign_at(&t->base, s, e, "neither a call nor a signal");
	if (!call)
		strace_exit_seen(t, th, s, end);
	strace_passing_seen(t, s, end);
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
		t->base.base.notes.n_not_requests++;
		return 0;
	}
	call_abandon(t, th);
	struct call_line l = {
	    .call = call, .text = open + 1, .end = end, .begin_ns = stamp_ns, .stamp_ns = stamp_ns};
	return strace_take_call(t, th, &l, e);
}

/* Reads the rest of a line after the stamp. */
static int take_line(struct strace *t, struct strace_thread *th, const char *s, const char *end,
		     int64_t ns, struct err *e)
{
	s = strace_skip_marks(s, end);
	if (begins_with(s, end, "--- "))
		return 0;
	if (begins_with(s, end, "+++ ")) {
		strace_thread_over(&t->threads, th->tid);
		strace_thread_ended(t, th, s, end);
		if (!begins_with(s, end, "+++ superseded")) {
			call_abandon(t, th);
			if (t->cloning == (uint32_t)(th - t->thread) + 1)
				t->cloning = 0;
			syscalls_ended(t->calls_made, th->tid);
			th->alive = false;
		}
		return 0;
	}
	if (begins_with(s, end, "<... "))
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
	if (begins_with(s, end, "strace: "))
		return 0;
	if (!strace_take_stamp(t, line, &s, end, &ns))
		return foreign_at(f, stamp, e,
				  "the time is missing (strace needs -ttt, -tt or "
				  "--absolute-timestamps)");
	if (ns > TRACE_TIME_MAX || ns < -TRACE_TIME_MAX)
		return foreign_at(f, stamp, e,
				  "a time exceeds the limit of the trace format (2^61 ns, 73 "
				  "years)");
	t->has_pids |= how != STRACE_UNNAMED;
	struct strace_thread *th = strace_thread_get(t, strace_thread(&t->threads, how, tid));
	if (t->threads.found)
		t->number_met = t->threads.first_number;
	if (!th->noted) {
		const uint32_t pid = syscalls_process(t->calls_made, th->tid);
		processes_see(&t->processes, pid ? pid : th->tid, th->parent, ns);
		th->noted = true;
		const bool first = !th->parent && t->n_orphans == 1;
		if (first && t->start.len)
			syscalls_thread(t->calls_made, th->tid, 0, t->start.s, false);
		if (first && t->first_umask)
			syscalls_umask(t->calls_made, th->tid, t->first_umask);
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
	int ret = stamped_line(t, whole.s, whole.s + whole.len, &why);
	strbuf_release(&whole);
	return ret ? foreign_at(&t->base, s, e, "%s", why.msg) : 0;
}

static int strace_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct strace *t = (struct strace *)f;
	const char *end = s + len, *first = skip_blanks(s, end);
	if (first == end || t->over)
		return 0;
	if ((*first < '0' || *first > '9') && strace_beside_calls(first, end)) {
		t->over = begins_with(first, end, "% time ");
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
	const struct syscalls_counts *n = syscalls_counts(t->calls_made);
	for (uint32_t i = 0; i < t->n_threads; i++)
		call_abandon(t, &t->thread[i]);
	f->base.notes.n_without_end += n->n_unfinished;
	f->base.notes.n_not_requests += n->n_other;
	strace_async_end(&t->async, f);
	strace_before_list(t);
	json_t *top = json_pack("{s:o*,s:o*}", "processes", processes_list(&t->processes),
				"threads", processes_list(&t->created));
	json_t *capture = json_pack("{s:s,s:I,s:I}", "method", "strace", "n_rings",
		(json_int_t)n->n_rings, "n_unshown", (json_int_t)f->base.notes.n_unshown);
	if (strace_missing_end(t, capture) || n->n_rings || f->base.notes.n_unshown)
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
	strace_state_reset(t);
	processes_release(&t->processes);
	processes_init(&t->processes);
	processes_release(&t->created);
	threads_init(&t->created);
	strace_async_release(&t->async);
	f->base.meta.meta.extra_json = NULL;
	t->has_first = t->time_of_day = t->differences = t->over = false;
	t->missing.detached = t->missing.passed = false;
	t->missing.n_filtered = t->missing.n_reopened = t->missing.n_unopened = 0;
	t->missing.n_contradictions = t->missing.n_file_calls = 0;
	if (!t->before_listed) {
		files_release(&t->before);
		strace_links_release(&t->links);
	}
	strbuf_reset(&t->cut);
	strace_threads_reset(&t->threads);
}

/* Follows a successful rename. */
static void rename_follow(void *context, const char *from, const char *to, bool exchange)
{
	struct strace *t = context;
	const char *a = strrchr(from, '/'), *b = strrchr(to, '/');
	(void)exchange;
	struct strace_rename *one = &t->renamed[t->n_renames++ % STRACE_RENAMES];
	FREE_EACH(one->from, one->to);
	*one = (struct strace_rename){xstrdup(a ? a + 1 : from), xstrdup(b ? b + 1 : to)};
}

static void threads_release(struct strace *t)
{
	syscalls_close(t->calls_made);
	for (uint32_t i = 0; i < t->n_threads; i++)
		strbuf_release(&t->thread[i].text);
	for (size_t i = 0; i < STRACE_RENAMES; i++) {
		FREE_EACH(t->renamed[i].from, t->renamed[i].to);
		t->renamed[i] = (struct strace_rename){NULL, NULL};
	}
	u64_map_release(&t->thread_of);
}

void strace_state_reset(struct strace *t)
{
	const struct syscalls_sink sink = {.context = t, .object = foreign_object_sink,
					   .heap = foreign_heap_sink, .renamed = rename_follow,
					   .keep_unfinished = true, .from_text = true,
					   .size = strace_size, .made = strace_made,
					   .page_bytes = 4096};
	struct syscalls *before = t->calls_made;
	t->calls_made = NULL;
	threads_release(t);
	t->calls_made = syscalls_open(&sink, &t->base.queue);
	if (before) /* the next pass knows all links from its begin on */
		syscalls_links_take(t->calls_made, before);
	syscalls_close(before);
	strace_sizes_release(&t->sizes);
	t->n_threads = t->cloning = t->n_orphans = 0;
	t->n_renames = t->n_unreturned = 0;
	t->n_unseen = 0;
	t->moved = false;
}

void strace_state_release(struct strace *t)
{
	threads_release(t);
	free(t->thread);
	strace_sizes_release(&t->sizes);
	for (size_t i = 0; i < SYSCALL_MEMORIES; i++)
		strbuf_release(&t->memory[i]);
	processes_release(&t->processes);
	processes_release(&t->created);
	strace_async_release(&t->async);
	files_release(&t->before);
	strace_links_release(&t->links);
	FREE_EACH(t->listed.entry, t->listed.detail, t->extra);
	strbuf_release(&t->path);
	strbuf_release(&t->cut);
	strbuf_release(&t->start);
}

static void strace_release(struct foreign *f)
{
	strace_state_release((struct strace *)f);
}

void strace_state_init(struct strace *t)
{
	name_table_add_constants(&t->names);
	static const char *const others[] = {"stat",	 "lstat", "fstat",  "fstatat64",
					     "sendfile", "pread", "pwrite", NULL};
	const struct syscall_row *row;
	for (row = syscall_rows; row->name; row++)
		name_table_add(&t->calls, row->name, (intptr_t)row);
	for (const char *const *name = others; *name; name++)
		name_table_add(&t->calls, *name,
			       (intptr_t)syscall_row_of_name(*name, strlen(*name)));
	for (row = strace_rows; row->name; row++)
		name_table_add(&t->calls, row->name, (intptr_t)row);
	strbuf_init(&t->path);
	strbuf_init(&t->cut);
	for (size_t i = 0; i < SYSCALL_MEMORIES; i++)
		strbuf_init(&t->memory[i]);
	strace_state_reset(t);
	strbuf_init(&t->start);
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
	int ret = foreign_open(out, &reader, path, o, e);
	const char *dot = strrchr(path, '.');
	if (ret)
		return ret;
	struct strace *t = (struct strace *)*out;
	t->threads.first = t->number_met;
	if (dot && !t->has_pids) { /* FILE.PID of strace -ff: its lines do not contain the thread */
		const char *s = dot + 1, *end = path + strlen(path);
		uint64_t v;
		if (scan_u64(&s, end, &v) && s == end && v <= UINT32_MAX) {
			t->threads.first = (uint32_t)v;
			t->missing.of_one_thread = true;
		}
	}
	return 0;
}

/* Whether a call, or another text that strace prints after a stamp, begins here. */
static bool is_strace(const char *s, const char *end)
{
	s = strace_skip_marks(s, end);
	const char *open = s;
	while (open < end &&
	       (*open == '_' || (*open >= 'a' && *open <= 'z') || (*open >= '0' && *open <= '9')))
		open++;
	return (open > s && open < end && *open == '(') || begins_with(s, end, "<... ") ||
	       begins_with(s, end, "+++ ") || begins_with(s, end, "--- ");
}

/* Whether this is a known call with its result. Without a time, it is also output of strace, and
 * reading it then fails with a helpful message. */
static bool is_timeless(const char *s, const char *end)
{
	const char *open = memchr(s, '(', (size_t)(end - s));
	return open && strace_call_find(s, (size_t)(open - s)) &&
	       (memmem(open, (size_t)(end - open), ") = ", 4) ||
		memmem(open, (size_t)(end - open), ")  ", 3));
}

/* Decides whether the first line of a call has a stamp. */
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
