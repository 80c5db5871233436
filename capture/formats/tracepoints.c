/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the kernel's tracepoints as text: ftrace's files trace and trace_pipe, trace-cmd report,
 * perf script. doc/formats/tracepoints.md.
 *
 * cat-2991 [000] d..2. 15645.804220: sys_enter: NR 12 (0, 7fff7d4dd94c, 0, 37f, 0, 0) cat 2991
 * [000] 15645.804220: raw_syscalls:sys_enter: NR 12 (0, 7fff7d4dd94c, 0, 37f, 0, 0) */

#include "capture/formats/blanks.h"
#include "capture/formats/kernel_text.h"
#include "capture/number.h"

struct tracepoints_event {
	uint32_t tid;
	int64_t ns;
	struct text name, args;
};

/* --- a line -------------------------------------------------------------- */

/* Reads the thread, which precedes the CPU: "cat-2991", "cat 2991", "cat 2991/2992", "cat-2991 (
 * 2991)". */
static bool take_thread(const char *s, const char *end, uint32_t *tid)
{
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end > s && end[-1] == ')') { /* skip the process, which other forms do not print */
		while (end > s && *end != '(')
			end--;
		while (end > s && end[-1] == ' ')
			end--;
	}
	const char *digits = end;
	while (digits > s && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	uint64_t v;
	bool good = digits > s && (digits[-1] == '-' || digits[-1] == ' ' || digits[-1] == '/') &&
		    scan_u64(&digits, end, &v) && v <= UINT32_MAX;
	*tid = good ? (uint32_t)v : 0;
	return good;
}

/* Finds the CPU, such as "[000]". */
static const char *find_cpu(const char *s, const char *end, const char **behind)
{
	for (const char *at = s; (at = memmem(at, (size_t)(end - at), " [", 2)); at++) {
		const char *p = at + 2;
		uint64_t cpu;
		if (scan_u64(&p, end, &cpu) && p < end && *p == ']') {
			*behind = p + 1;
			return at;
		}
	}
	return NULL;
}

/* "15645.804220:" */
static bool take_time(const char **at, const char *end, int64_t *ns, unsigned int *digits)
{
	const char *s = *at;
	if (!scan_decimal(&s, end, 1000000000, ns, digits) || s == end || *s != ':')
		return false;
	*at = skip_blanks(s + 1, end);
	return true;
}

/* Finds "1..... ", CPU and flags as `trace-cmd report -l` prints them, at the end of the text.
 * Returns their position, or `end`. */
static const char *latency_flags(const char *s, const char *end)
{
	const char *stop = end, *word, *flags;
	while (stop > s && stop[-1] == ' ')
		stop--;
	for (word = stop; word > s && word[-1] != ' '; word--)
		;
	for (flags = word; flags < stop && *flags >= '0' && *flags <= '9'; flags++)
		;
	return flags > word && stop - flags >= 4 && strchr(".dDXb#", *flags) ? word : end;
}

/* Reads thread, CPU and time. Moves *at after them. */
static bool take_head(const char *s, const char *end, const char **at, struct tracepoints_event *v,
		      unsigned int *digits)
{
	const char *behind, *cpu = find_cpu(s, end, &behind);
	if (cpu && take_thread(s, cpu, &v->tid)) {
		*at = skip_blanks(behind, end);
		if (take_time(at, end, &v->ns, digits))
			return true;
		*at = skip_blanks(word_end(*at, end), end); /* skip flags: "d..2." */
		if (take_time(at, end, &v->ns, digits))
			return true;
	}
	/* for one thread, perf script prints no CPU: the time is the first word that follows a
	 * thread and has the form of a time */
	for (const char *word = skip_blanks(word_end(skip_blanks(s, end), end), end); word < end;
	     word = skip_blanks(word_end(word, end), end)) {
		*at = word;
		if (take_time(at, end, &v->ns, digits))
			return memchr(word, '.', (size_t)(*at - word)) &&
			       take_thread(s, latency_flags(s, word), &v->tid);
	}
	return false;
}

static bool take_line(const char *s, const char *end, struct tracepoints_event *v,
		      unsigned int *digits)
{
	const char *at;
	if (!take_head(s, end, &at, v, digits))
		return false;
	if (end - at > 2 && at[0] == '(' && at[1] == '+') { /* "(+1803)" of --ts-diff */
		const char *close = memchr(at, ')', (size_t)(end - at));
		at = skip_blanks(close ? close + 1 : end, end);
	}
	const char *stop = at;
	while (stop < end && *stop != ' ' && *stop != '(')
		stop++;
	v->name = (struct text){at, stop};
	if (stop > at && stop[-1] == ':')
		v->name.end--;
	const char *group = memchr(v->name.s, ':', (size_t)(v->name.end - v->name.s));
	if (group)
		v->name.s = group + 1;
	v->args = (struct text){skip_blanks(stop, end), end};
	return v->name.s < v->name.end;
}

/* --- system calls -------------------------------------------------------- */

static bool event_is(const struct tracepoints_event *v, const char *name)
{
	return (size_t)(v->name.end - v->name.s) == strlen(name) &&
	       !memcmp(v->name.s, name, strlen(name));
}

/* Finds the call by "NR 12", or by "id=12" (trace-cmd report -R). */
static const struct syscall_row *raw_row(const struct tracepoints_event *v)
{
	struct text number = text_after(v->args, "NR");
	if (number.s == number.end)
		number = text_after(v->args, "id");
	return number.s == number.end ? NULL
				      : syscall_row_of_number((int64_t)text_number(number, 10));
}

/* Reads "args=ARRAY[9c, ff, ff, ff, 00, ...]": bytes in memory order. The byte order must be that
 * of this machine. */
static bool array_take(struct text args, uint64_t arg[SYSCALL_ARGS])
{
	static const char mark[] = "ARRAY[";
	const char *s = memmem(args.s, (size_t)(args.end - args.s), mark, sizeof mark - 1);
	unsigned char *to = (unsigned char *)arg;
	if (!s)
		return false;
	s += sizeof mark - 1;
	for (size_t i = 0; i < SYSCALL_ARGS * sizeof *arg && s; i++) {
		to[i] = (unsigned char)text_number(
		    (struct text){skip_blanks(s, args.end), args.end}, 16);
		s = memchr(s, ',', (size_t)(args.end - s));
		s = s ? s + 1 : NULL;
	}
	return true;
}

/* "NR 12 (0, 7fff7d4dd94c, ...)" */
static int raw_enter(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	uint64_t arg[SYSCALL_ARGS] = {0};
	const struct syscall_row *row = raw_row(v);
	const char *s = memchr(v->args.s, '(', (size_t)(v->args.end - v->args.s));
	k->raw = true;
	if (row && array_take(v->args, arg))
		return kernel_text_enter(k, v->tid, v->ns, row, arg, e);
	if (!row || !s) {
		k->base.base.notes.n_not_requests++;
		return 0;
	}
	for (int i = 0; i < SYSCALL_ARGS && s; i++) {
		const struct text one = {skip_blanks(s + 1, v->args.end), v->args.end};
		arg[i] = text_number(one, 16);
		s = memchr(one.s, ',', (size_t)(one.end - one.s));
	}
	return kernel_text_enter(k, v->tid, v->ns, row, arg, e);
}

static int raw_exit(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	const struct syscall_row *row = raw_row(v);
	struct text value = text_after(v->args, "ret"); /* -R; otherwise "NR 12 = 3" */
	const char *s = value.s < value.end
			    ? value.s
			    : memchr(v->args.s, '=', (size_t)(v->args.end - v->args.s));
	if (!row || !s)
		return 0;
	if (s != value.s)
		value = (struct text){skip_blanks(s + 1, v->args.end), v->args.end};
	return kernel_text_exit(k, v->tid, v->ns, row, (int64_t)text_number(value, 10),
				(struct text){NULL, NULL}, e);
}

/* Reads the arguments in their order, from "dfd: 0xffffff9c, filename: 0x7ff1, flags: 0x80000" or
 * from "__syscall_nr=257 dfd=0xffffff9c ..." (-R). */
static int named_enter(struct kernel_text *k, const struct tracepoints_event *v,
		       const struct syscall_row *row, struct err *e)
{
	uint64_t arg[SYSCALL_ARGS] = {0};
	const char *s = v->args.s;
	const bool fields = text_starts(v->args, "__syscall_nr=");
	const char mark = fields ? '=' : ':', separator = fields ? ' ' : ',';
	if (fields)
		s = word_end(s, v->args.end);
	for (int i = 0; i < SYSCALL_ARGS; i++) {
		const char *colon = memchr(s, mark, (size_t)(v->args.end - s));
		if (!colon)
			break;
		const struct text one = {skip_blanks(colon + 1, v->args.end), v->args.end};
		arg[i] = text_number(one, 16);
		const char *comma = memchr(one.s, separator, (size_t)(one.end - one.s));
		s = comma ? comma + 1 : v->args.end;
	}
	return kernel_text_enter(k, v->tid, v->ns, row, arg, e);
}

/* Reads sys_enter_openat, sys_exit_openat, and ftrace's "sys_openat(dfd: ...)" and "sys_openat ->
 * 0x3". Returns 1 if the event was one of these. */
static int named_call(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	const size_t len = (size_t)(v->name.end - v->name.s);
	const bool enter = text_starts(v->name, "sys_enter_"),
		   exit = text_starts(v->name, "sys_exit_");
	const size_t skipped = enter ? 10 : exit ? 9 : 4;
	const bool arrow = text_starts(v->args, "->");
	if (!text_starts(v->name, "sys_") || len <= skipped)
		return 0;
	const struct syscall_row *row = syscall_row_of_name(v->name.s + skipped, len - skipped);
	if (k->raw || !row) {
		k->base.base.notes.n_not_requests += !row;
		return 1;
	}
	int ret;
	if (exit || arrow) {
		struct text value = text_after(v->args, "ret");
		if (value.s == value.end)
			value = (struct text){skip_blanks(v->args.s + (arrow ? 2 : 0), v->args.end),
					      v->args.end};
		ret = kernel_text_exit(k, v->tid, v->ns, row, (int64_t)text_number(value, 16),
				       (struct text){NULL, NULL}, e);
	} else {
		ret = named_enter(k, v, row, e);
	}
	return ret ? ret : 1;
}

/* --- threads and pages --------------------------------------------------- */

static int task_event(struct kernel_text *k, const struct tracepoints_event *v)
{
	if (event_is(v, "task_newtask")) {
		k->has_tasks = true;
		syscalls_cloned(k->calls, v->tid, (uint32_t)text_number(text_after(v->args, "pid"),
			10), text_number(text_after(v->args, "clone_flags"), 16));
	} else if (event_is(v, "sched_process_fork") && !k->has_tasks) {
		syscalls_cloned(k->calls, v->tid,
				(uint32_t)text_number(text_after(v->args, "child_pid"), 10), 0);
	} else if (event_is(v, "sched_process_exec")) {
		syscalls_executed(k->calls, (uint32_t)text_number(text_after(v->args, "pid"), 10),
				  (uint32_t)text_number(text_after(v->args, "old_pid"), 10));
	} else if (event_is(v, "sched_process_exit")) {
		syscalls_ended(k->calls, v->tid);
	} else {
		return 0;
	}
	return 1;
}

/* "dev 254:0 ino 1a2b pfn=0x1 ofs=8192 order=0", "dev=254:0 ino=1a2b ofs=0-65535" */
static int page_event(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	const bool add = event_is(v, "mm_filemap_add_to_page_cache"),
		   handled = event_is(v, "mm_filemap_fault");
	const struct text device = text_after(v->args, "dev"), place = text_after(v->args, "ofs");
	if (!add && !handled && !event_is(v, "mm_filemap_map_pages"))
		return 0;
	const char *colon = memchr(device.s, ':', (size_t)(device.end - device.s));
	const uint64_t minor = colon ? text_number((struct text){colon + 1, device.end}, 10) : 0,
		       first = text_number(place, 10) / 4096;
	struct page_event p = {.tid = v->tid,
			       .ns = v->ns,
			       .device = text_number(device, 10) << 20 | minor,
			       .handled = handled,
			       .inode = text_number(text_after(v->args, "ino"), 16),
			       .first = first,
			       .n = 1};
	const char *to = place.s;
	while (to < place.end && *to >= '0' && *to <= '9')
		to++;
	const uint64_t last = to < place.end && *to == '-'
				  ? text_number((struct text){to + 1, place.end}, 10) / 4096
				  : first;
	p.n = last >= first ? last - first + 1 : 1;
	if (add)
		p.n = UINT64_C(1) << (text_number(text_after(v->args, "order"), 10) & 31);
	k->has_calls = true;
	int ret = add ? syscalls_page_add(k->calls, &p, e) : syscalls_fault(k->calls, &p, e);
	return ret ? ret : 1;
}

/* --- block events -------------------------------------------------------- */

/* "254,0 R 4096 () 123 + 8 none,0,0 [cat]", "254,0 R () 123 + 8 [0]", "254,0 R 123 + 8 [cat]" */
static int block_event(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	static const struct {
		const char *name;
		enum pair_event_kind kind;
	} known[] = {{"block_rq_issue", EVENT_ISSUE},      {"block_rq_complete", EVENT_COMPLETE},
		     {"block_bio_queue", EVENT_QUEUE},     {"block_rq_requeue", EVENT_REQUEUE},
		     {"block_bio_backmerge", EVENT_MERGE}, {"block_bio_frontmerge", EVENT_MERGE}};
	struct pair_event b = {.kind = EVENT_OTHER, .ns = v->ns, .pid = v->tid};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (event_is(v, known[i].name))
			b.kind = known[i].kind;
	const char *s = v->args.s, *end = v->args.end;
	uint64_t major, minor, n = 0;
	if (b.kind == EVENT_OTHER)
		return 0;
	const char *device = s;
	if (!scan_u64(&s, end, &major) || s == end || *s++ != ',' || !scan_u64(&s, end, &minor))
		return foreign_at(&k->base, s, e, "a device such as 254,0 is missing");
	int ret =
	    foreign_object(&k->base, OBJECT_DEVICE, device, (size_t)(s - device), &b.object, e);
	b.device = (uint32_t)(major << 20 | (minor & 0xfffff));
	const char *rwbs = skip_blanks(s, end), *rwbs_end = word_end(rwbs, end),
		   *plus = memmem(rwbs_end, (size_t)(end - rwbs_end), " + ", 3);
	if (ret || !plus)
		return ret ? ret : 1;
	s = plus + 3;
	if (!scan_u64(&s, end, &n) || n > UINT32_MAX)
		return foreign_at(&k->base, plus, e, "the number of sectors after + is missing");
	while (plus > rwbs_end && plus[-1] >= '0' && plus[-1] <= '9')
		plus--;
	if (!scan_u64(&plus, end, &b.sector))
		return foreign_at(&k->base, plus, e, "the sector before + is missing");
	b.bytes = n * 512;
	b.op = block_event_op(rwbs, (size_t)(rwbs_end - rwbs), n, &b.flags);
	const char *bracket = b.kind == EVENT_COMPLETE ? memchr(s, '[', (size_t)(end - s)) : NULL;
	const int64_t error =
	    bracket ? (int64_t)text_number((struct text){bracket + 1, end}, 10) : 0;
	b.error = error >= -4095 && error <= 4095 ? (int)error : EIO;
	k->has_block = true;
	/* if a file has calls of programs and requests of devices, only the calls are read */
	if (k->base.base.meta.meta.level == LEVEL_SYSCALL) {
		k->base.base.notes.n_not_requests++;
		return 1;
	}
	ret = block_pairs_take(&k->pairs, &k->base, &b, e);
	return ret ? ret : 1;
}

/* --- the file ------------------------------------------------------------ */

static int event_take(struct kernel_text *k, const struct tracepoints_event *v, struct err *e)
{
	/* perf script --show-lost-events: "PERF_RECORD_LOST lost 17" */
	if (text_starts(v->name, "PERF_RECORD_LOST")) {
		foreign_lost(&k->base, text_number(text_after(v->args, "lost"), 10));
		return 0;
	}
	int ret = block_event(k, v, e);
	if (ret || k->base.base.meta.meta.level == LEVEL_BLOCK) {
		k->base.base.notes.n_not_requests += !ret;
		return ret < 0 ? ret : 0;
	}
	if (event_is(v, "sys_enter"))
		return raw_enter(k, v, e);
	if (event_is(v, "sys_exit"))
		return raw_exit(k, v, e);
	ret = named_call(k, v, e);
	ret = ret ? ret : task_event(k, v);
	ret = ret ? ret : page_event(k, v, e);
	k->base.base.notes.n_not_requests += !ret;
	return ret < 0 ? ret : 0;
}

/* Recognises stack frames: "\t 7f420e150ad7 read+0x17 (/lib/...)" of perf script, " => vfs_read" of
 * the kernel. */
static bool is_frame(const char *s, const char *at, const char *end)
{
	const bool hex = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'f');
	return (*s == '\t' && hex) || text_starts((struct text){at, end}, "=> ");
}

/* Recognises lines that are not events: comments, headings, and reports of lost events such as
 * "CPU:1 [LOST 17 EVENTS]" (kernel) and "CPU:1 [17 EVENTS DROPPED]" (trace-cmd). Such reports may
 * have no number. */
static bool is_between(struct foreign *f, const char *at, const char *end)
{
	const struct text all = {at, end},
			  written = text_after(all, "entries-in-buffer/entries-written");
	const char *slash, *open;
	if (text_starts(all, "cpus=") || text_starts(all, "version = "))
		return true;
	if (*at == '#' && written.s < end &&
	    (slash = memchr(written.s, '/', (size_t)(end - written.s)))) {
		const uint64_t n = text_number(written, 10),
			       n_written = text_number((struct text){slash + 1, end}, 10);
		/* the oldest events were overwritten */
		foreign_lost(f, n_written > n ? n_written - n : 0);
	}
	if (*at == '#' || !text_starts(all, "CPU"))
		return *at == '#';
	open = memchr(at, '[', (size_t)(end - at));
	if (open && memmem(open, (size_t)(end - open), "EVENTS", 6)) {
		while (open < end && !(*open >= '0' && *open <= '9'))
			open++;
		foreign_lost(f, open < end ? text_number((struct text){open, end}, 10) : 1);
	}
	return true;
}

static int tracepoints_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct kernel_text *k = (struct kernel_text *)f;
	const char *end = s + len;
	struct tracepoints_event v;
	unsigned int digits = 0;
	const char *at = skip_blanks(s, end);
	if (at == end)
		return 0;
	/* tries an event first, because a thread may have the name "CPU 0/KVM" */
	const bool event = *at != '#' && take_line(s, end, &v, &digits);
	if (!event && (is_between(f, at, end) || (k->n_lines && is_frame(s, at, end))))
		return 0;
	if (!event)
		return foreign_at(f, at, e, "not an event: it needs thread, [CPU], time and name");
	if (!k->has_first) {
		double step = 1e9;
		for (unsigned int i = 0; i < digits && i < 9; i++)
			step /= 10;
		f->base.meta.meta.clock_resolution_ns = step;
	}
	k->n_lines++;
	int ret = kernel_text_time(k, at, digits, &v.ns, e);
	return ret ? ret : event_take(k, &v, e);
}

static const struct foreign_reader reader = {.clock = "tracefs",
					     .captured_by = "kernel tracepoints (read from text)",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct kernel_text),
					     .setup = kernel_text_setup,
					     .line = tracepoints_line,
					     .end = kernel_text_end,
					     .reset = kernel_text_reset,
					     .release = kernel_text_release};

static int tracepoints_bid(const unsigned char *head, size_t len, const char *path)
{
	const char *s = (const char *)head, *end = s + len;
	struct tracepoints_event v;
	unsigned int digits;
	(void)path;
	if (text_starts((struct text){s, end}, "# tracer: "))
		return 80;
	for (int i = 0; i < 4 && s < end; i++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		stop = stop ? stop : end;
		if (take_line(s, stop, &v, &digits))
			return 55;
		s = stop < end ? stop + 1 : end;
	}
	return 0;
}

const struct trace_format format_tracepoints = {
    .name = "tracepoints",
    .help = "kernel tracepoints as text: ftrace, trace-cmd report, perf script",
    .bid = tracepoints_bid,
    .reader = &reader,
};
