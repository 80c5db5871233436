/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What strace writes, with -f, -ttt or the like, and preferably -T and -y: lines, threads, and calls that another
 * thread's lines interrupt. doc/formats/strace.md; strace 6.1 is what it was tried with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/formats/number.h"
#include "capture/formats/strace_private.h"

/* What strace's own work adds to each call's time, as far as it was measured: 7.37 us told for calls that take 0.51 us.
 */
#define STRACE_COST_NS 7000

static bool starts(const char *s, const char *end, const char *with)
{
	size_t len = strlen(with);
	return (size_t)(end - s) >= len && !memcmp(s, with, len);
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/* --- the beginning of a line -------------------------------------------------------------------------------------- */

/* "22034 ", "22034<name> ", "[pid 22034] ", or nothing. */
static bool take_pid(const char **at, const char *end, uint32_t *tid)
{
	const char *s = *at;
	bool bracket = starts(s, end, "[pid ");
	uint64_t v;
	if (bracket)
		s = skip_blanks(s + 5, end);
	if (!scan_u64(&s, end, &v) || v > UINT32_MAX)
		return false;
	if (s < end && *s == '<') {
		const char *close = memchr(s, '>', (size_t)(end - s));
		s = close ? close + 1 : s;
	}
	if (s == end || *s != (bracket ? ']' : ' '))
		return false;
	*tid = (uint32_t)v;
	*at = skip_blanks(s + 1, end);
	return true;
}

static void first_stamp(struct strace *t, int64_t ns, unsigned int digits, bool of_day)
{
	double step = 1e9;
	for (unsigned int i = 0; i < digits && i < 9; i++)
		step /= 10;
	t->base.base.meta.meta.clock_resolution_ns = step;
	t->base.base.meta.meta.wall_epoch_ns = of_day ? 0 : ns;
	t->first_ns = t->last_ns = ns;
	t->time_of_day = of_day;
	t->has_first = true;
}

/* "1795227730.673998 " or "14:02:11.673998 ", in ns; digits behind the point give the resolution. */
static bool take_stamp(struct strace *t, const char **at, const char *end, int64_t *ns)
{
	const char *s = *at;
	uint64_t hours = 0, minutes = 0;
	unsigned int digits = 0;
	const char *p = s;
	bool of_day = end - s > 2 && (s[1] == ':' || s[2] == ':') && scan_u64(&p, end, &hours) && *p == ':';
	if (of_day) {
		p++;
		if (!scan_u64(&p, end, &minutes) || p == end || *p != ':' || hours > 23 || minutes > 59)
			return false;
		s = p + 1;
	}
	if (!scan_decimal(&s, end, 1000000000, ns, &digits) || s == end || *s != ' ')
		return false;
	if (of_day)
		*ns += (int64_t)(hours * 3600 + minutes * 60) * 1000000000;
	if (!t->has_first)
		first_stamp(t, *ns, digits, of_day);
	const int64_t day = 86400LL * 1000000000;
	while (t->time_of_day && *ns < t->last_ns - day / 2) /* past midnight */
		*ns += day;
	t->last_ns = *ns;
	*ns -= t->first_ns;
	*at = skip_blanks(s, end);
	return true;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static const struct strace_call *call_find(const struct strace *t, const char *s, size_t len)
{
	int64_t i;
	return name_table_find(&t->calls, s, len, &i) ? &strace_calls[i] : NULL;
}

/* The call whose name and parenthesis begin at s, TEXT_SLACK bytes readable there; *open: the parenthesis. *open NULL:
 * there is none. */
static const struct strace_call *call_at(struct strace *t, const char *s, const char *end, const char **open)
{
	uint64_t first;
	memcpy(&first, s, sizeof first);
	unsigned int i = (unsigned int)(first * 0x9e3779b97f4a7c15u >> 58);
	const struct strace_call *recent = t->recent[i].call;
	size_t len = t->recent[i].len;
	*open = s + len;
	if (recent && len < (size_t)(end - s) && s[len] == '(' && !memcmp(s, recent->name, len))
		return recent;
	*open = memchr(s, '(', (size_t)(end - s));
	if (!*open || *open == s)
		return NULL;
	const struct strace_call *call = call_find(t, s, (size_t)(*open - s));
	if (call) {
		t->recent[i].call = call;
		t->recent[i].len = (size_t)(*open - s);
	}
	return call;
}

/* A call that begins and is interrupted. It has its place in the trace from now on. */
static int take_unfinished(struct strace *t, struct traced_thread *th, const struct strace_call *call, const char *name,
			   size_t name_len, const char *text, const char *end, int64_t begin_ns)
{
	if (th->pending && th->has_ticket) /* it never came back */
		foreign_unfinished(&t->base, th->ticket);
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
	int64_t fd = call->op == OP_CLOSE ? strace_first_fd(text, end) : -1;
	struct open_file *f = descriptor_get(th, fd);
	if (f) {
		open_file_put(th->closing);
		th->closing = f;
		f->refs++;
		descriptor_set(th, fd, NULL, false);
	}
	return 0;
}

/* "<... pread64 resumed>, "..."..., 4096, 8192) = 4096 <0.000021>" */
static int take_resumed(struct strace *t, struct traced_thread *th, const char *s, const char *end, int64_t stamp_ns,
			struct err *e)
{
	static const char slack[TEXT_SLACK];
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
	th->pending = false;
	if (!th->call) {
		t->base.base.notes.n_passed_over++;
		return 0;
	}
	strbuf_add(&th->text, rest + 8, (size_t)(end - rest - 8));
	size_t len = th->text.len;
	strbuf_add(&th->text, slack, sizeof slack);
	th->text.len = len;
	struct call_line l = {.call = th->call, .text = th->text.s, .end = th->text.s + th->text.len,
			      .begin_ns = th->begin_ns, .stamp_ns = stamp_ns, .resumed = true};
	struct err why; /* ERR_INIT would fill all of it, for every line */
	err_clear(&why);
	int rc = strace_take_call(t, th, &l, &why);
	if (rc) { /* where in the text that was put together means nothing to the reader */
		record_queue_drop(&t->base.queue, th->ticket);
		return foreign_at(&t->base, rest + 8, e, "%s", why.msg);
	}
	return 0;
}

static int take_call(struct strace *t, struct traced_thread *th, const char *s, const char *end, int64_t stamp_ns,
		     struct err *e)
{
	static const char mark[] = "<unfinished ...>";
	const char *open;
	const struct strace_call *call = call_at(t, s, end, &open);
	if (!open || open == s)
		return foreign_at(&t->base, s, e, "neither a call nor a signal");
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if ((size_t)(end - s) > sizeof mark && !memcmp(end - (sizeof mark - 1), mark, sizeof mark - 1))
		return take_unfinished(t, th, call, s, (size_t)(open - s), open + 1, end - (sizeof mark - 1), stamp_ns);
	if (!call) {
		t->base.base.notes.n_passed_over++;
		return 0;
	}
	if (th->pending && th->has_ticket)
		foreign_unfinished(&t->base, th->ticket);
	th->pending = false;
	struct call_line l = {.call = call, .text = open + 1, .end = end, .begin_ns = stamp_ns, .stamp_ns = stamp_ns};
	return strace_take_call(t, th, &l, e);
}

static void thread_over(struct strace *t, struct traced_thread *th)
{
	if (th->pending && th->has_ticket)
		foreign_unfinished(&t->base, th->ticket);
	traced_thread_exited(&t->system, th);
}

static int strace_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct strace *t = (struct strace *)f;
	const char *end = s + len;
	uint32_t tid = t->file_tid;
	int64_t ns;
	s = skip_blanks(s, end);
	if (s == end || starts(s, end, "strace: "))
		return 0;
	bool named = take_pid(&s, end, &tid);
	const char *stamp = s;
	if (starts(s, end, "strace: "))
		return 0;
	if (!take_stamp(t, &s, end, &ns))
		return foreign_at(f, stamp, e, "no time (strace needs -ttt, -tt or --absolute-timestamps)");
	if (ns > TRACE_TIME_MAX || ns < -TRACE_TIME_MAX)
		return foreign_at(f, stamp, e, "a time beyond what a trace can hold");
	t->has_pids |= named;
	struct traced_thread *th = traced_thread_of(&t->system, tid);
	if (!th->process->noted) {
		processes_see(&t->processes, th->process->pid, th->process->parent, ns);
		th->process->noted = true;
	}
	if (starts(s, end, "--- "))
		return 0;
	if (starts(s, end, "+++ ")) {
		if (!starts(s, end, "+++ superseded"))
			thread_over(t, th);
		return 0;
	}
	if (starts(s, end, "<... "))
		return take_resumed(t, th, s, end, ns, e);
	return take_call(t, th, s, end, ns, e);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void strace_end(struct foreign *f)
{
	struct strace *t = (struct strace *)f;
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (struct traced_thread *th = t->system.slot[i]; th; th = th->next)
			if (th->pending && th->has_ticket) {
				foreign_unfinished(f, th->ticket);
				th->pending = false;
			}
	json_t *list = processes_list(&t->processes), *top = list ? json_pack("{s:o}", "processes", list) : NULL;
	free(t->extra);
	t->extra = top ? json_dumps(top, JSON_COMPACT) : NULL;
	f->base.meta.meta.extra_json = t->extra;
	json_decref(top);
}

static void strace_reset(struct foreign *f)
{
	struct strace *t = (struct strace *)f;
	traced_system_release(&t->system);
	processes_release(&t->processes);
	processes_init(&t->processes);
	f->base.meta.meta.extra_json = NULL;
	t->has_first = t->time_of_day = false;
}

void strace_state_release(struct strace *t)
{
	traced_system_release(&t->system);
	processes_release(&t->processes);
	free(t->extra);
	strbuf_release(&t->path);
	strbuf_release(&t->base_path);
	strbuf_release(&t->joined);
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
	strbuf_init(&t->base_path);
	strbuf_init(&t->joined);
	t->base.base.meta.meta.root = "/";
}

static void setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	strace_state_init((struct strace *)f);
	f->base.meta.meta.clock_read_cost_ns = STRACE_COST_NS;
}

static const struct foreign_reader reader = {.clock = "strace",
					     .captured_by = "strace",
					     .level = LEVEL_SYSCALL,
					     .line = strace_line,
					     .end = strace_end,
					     .reset = strace_reset,
					     .release = strace_release};

static int strace_open(struct trace **out, const char *path, const struct trace_open_options *o, struct err *e)
{
	int rc = foreign_open(out, sizeof(struct strace), &reader, path, o, setup, e);
	const char *dot = strrchr(path, '.');
	if (!rc && dot) { /* FILE.PID of strace -ff: no column tells the thread */
		struct strace *t = (struct strace *)*out;
		const char *s = dot + 1, *end = path + strlen(path);
		uint64_t v;
		if (!t->has_pids && scan_u64(&s, end, &v) && s == end && v <= UINT32_MAX)
			t->file_tid = (uint32_t)v;
	}
	return rc;
}

/* The first whole line has a stamp, and a call or what else strace prints. */
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
		if (!starts(p, stop, "strace: ")) {
			take_pid(&p, stop, &tid);
			if (!take_stamp(&t, &p, stop, &ns))
				return 0;
			const char *open = p;
			while (open < stop &&
			       (*open == '_' || (*open >= 'a' && *open <= 'z') || (*open >= '0' && *open <= '9')))
				open++;
			bool call = open > p && open < stop && *open == '(';
			return call || starts(p, stop, "<... ") || starts(p, stop, "+++ ") || starts(p, stop, "--- ")
				   ? 50
				   : 0;
		}
		s = next;
	}
	return 0;
}



const struct trace_format format_strace = {
    .name = "strace",
    .help = "what strace -f -ttt -T -y -o FILE writes",
    .bid = strace_bid,
    .open = strace_open,
    .write = strace_write,
};
