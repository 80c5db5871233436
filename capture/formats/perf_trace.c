/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the output of perf trace: one call on each line, arguments by name (except arguments that
 * are 0), flags without their prefixes; doc/formats/tracepoints.md.
 *
 * 0.754 ( 0.019 ms): sh/2921 openat(dfd: CWD, filename: "x", flags: RDONLY|CLOEXEC) = 4 */
#include <sched.h>

#include "capture/formats/blanks.h"
#include "capture/formats/kernel_text.h"
#include "capture/number.h"

#define STACK_INDENT 30 /* number of blanks before a stack frame; a call has fewer blanks */

struct perf_line {
	int64_t begin_ns, end_ns; /* end_ns is TIME_NONE if the call continues on another line */
	uint32_t tid;
	struct text name, args, result;
	bool continued;
};

/* --- a line -------------------------------------------------------------- */

/* Reads "sh/2921 ", "2921 " (--no-comm), or nothing if perf traces one thread. Returns the rest of
 * the line. The name of a program may contain a slash. */
static const char *take_thread(const char *s, const char *end, uint32_t *tid)
{
	const char *open = s < end ? memchr(s, '(', (size_t)(end - s)) : NULL,
		   *stop = open ? open : end;
	for (const char *p = s; p < stop; p++) {
		const char *at = p + (*p == '/');
		uint64_t n;
		if ((*p == '/' || p == s) && scan_u64(&at, end, &n) && at < end && *at == ' ' &&
		    n <= UINT32_MAX) {
			*tid = (uint32_t)n;
			return skip_blanks(at, end);
		}
	}
	static const char *const others[] = {"... [continued]: ", "minfault [", "majfault [", NULL};
	const char *p = s;
	*tid = 0;
	for (const char *const *other = others; *other; other++)
		if (text_starts((struct text){s, end}, *other))
			return s;
	while (p < stop && (*p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9')))
		p++;
	return open && p == open && p > s ? s : NULL;
}

/* Reads "0.754 ( 0.019 ms): sh/2921 ". Returns the rest of the line, or NULL if it has another
 * form. *known: the line has a begin. */
static const char *take_head(const char *s, const char *end, struct perf_line *l, bool *known)
{
	int64_t duration_ns = 0;
	s = skip_blanks(s, end);
	*known = s < end && *s != '?';
	if (!*known)
		s++;
	else if (!scan_decimal(&s, end, 1000000, &l->begin_ns, NULL))
		return NULL;
	s = skip_blanks(s, end);
	if (s >= end || *s != '(')
		return NULL;
	const char *close = memchr(s, ')', (size_t)(end - s)), *d = skip_blanks(s + 1, end);
	if (!close || close + 1 >= end || close[1] != ':')
		return NULL;
	bool measured = scan_decimal(&d, close, 1000000, &duration_ns, NULL);
	if (measured && __builtin_add_overflow(l->begin_ns, duration_ns, &l->end_ns))
		return NULL;
	if (!measured)
		l->end_ns = TIME_NONE;
	return take_thread(skip_blanks(close + 2, end), end, &l->tid);
}

/* Finds the parenthesis that ends the arguments. Strings may contain any character. */
static const char *args_end(const char *s, const char *end)
{
	unsigned int depth = 0;
	for (; s < end; s++) {
		if (*s == '"') {
			const char *close = memchr(s + 1, '"', (size_t)(end - s - 1));
			s = close ? close : s;
		} else if (*s == '(' || *s == '{') {
			depth++;
		} else if ((*s == ')' || *s == '}') && !depth--) {
			return s;
		}
	}
	return NULL;
}

/* Reads "openat(...) = 4" or "... [continued]: openat()) = 4". */
static bool take_call(const char *s, const char *end, struct perf_line *l)
{
	static const char mark[] = "... [continued]: ";
	const struct text rest = {s, end};
	l->continued = text_starts(rest, mark);
	if (l->continued)
		s += sizeof mark - 1;
	const char *open = memchr(s, '(', (size_t)(end - s));
	if (!open || open == s)
		return false;
	l->name = (struct text){s, open};
	const char *close = args_end(open + 1, end);
	l->args = (struct text){open + 1, close ? close : end};
	s = close ? close + 1 : end;
	s += s < end && *s == ')'; /* after "[continued]" */
	s = skip_blanks(s, end);
	l->result = s < end && *s == '=' ? (struct text){skip_blanks(s + 1, end), end}
					 : (struct text){end, end};
	return close || text_starts((struct text){end - 3 < s ? s : end - 3, end}, "...");
}

/* --- arguments ----------------------------------------------------------- */

/* Letters of a row (syscall_table.h) that an argument of this name may have. */
static const char *letters_of(const char *name, size_t len)
{
	static const char *const known[][2] = {
	    {"fd", "f"},       {"fildes", "f"},   {"oldfd", "f"},    {"newfd", "n"},
	    {"dfd", "D"},      {"olddfd", "D"},   {"newdfd", "d"},   {"filename", "p"},
	    {"pathname", "p"}, {"path", "p"},     {"oldname", "pT"}, {"newname", "Pp"},
	    {"name", "N"},     {"count", "s"},    {"len", "s"},      {"length", "s"},
	    {"size", "s"},     {"nbytes", "s"},   {"bufsiz", "s"},   {"old_len", "s"},
	    {"pos", "o"},      {"pos_l", "o"},    {"offset", "o"},   {"off", "o"},
	    {"whence", "w"},   {"flags", "OAvM"}, {"flag", "A"},     {"mode", "m"},
	    {"prot", "R"},     {"cmd", "c"},      {"arg", "a"},      {"advice", "v"},
	    {"behavior", "v"}, {"addr", "B"},     {"start", "B"},    {"fd_in", "f"},
	    {"fd_out", "X"},   {"in_fd", "f"},    {"out_fd", "X"},   {"user", "u"},
	    {"group", "g"},    {"mask", "s"},     {"vlen", "_"},     {"dev", "V"},
	    {"max_fd", "l"}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strlen(known[i][0]) == len && !memcmp(known[i][0], name, len))
			return known[i][1];
	return "";
}

/* The prefix that perf omits from the names of constants. */
static const char *prefix_of(char letter, enum trace_op op)
{
	switch (letter) {
	case 'O':
		return "O_";
	case 'R':
		return "PROT_";
	case 'M':
		return "MAP_";
	case 'w':
		return "SEEK_";
	case 'c':
		return "F_";
	case 'v':
		return op == OP_FADVISE     ? "POSIX_FADV_"
		       : op == OP_FALLOCATE ? "FALLOC_FL_"
		       : op == OP_FLOCK     ? "LOCK_"
					    : "";
	default:
		return "AT_";
	}
}

static uint64_t value_of(struct kernel_text *k, struct text v, char letter, enum trace_op op)
{
	uint64_t all = 0;
	while (v.s < v.end) {
		char name[64];
		int64_t value = 0;
		const char *stop = v.s;
		while (stop < v.end && *stop != '|' && *stop != ',')
			stop++;
		const size_t len = (size_t)(stop - v.s);
		const bool number = (*v.s >= '0' && *v.s <= '9') || *v.s == '-';
		const char *prefix = prefix_of(letter, op);
		if (number) {
			const char *p = v.s + (*v.s == '-');
			uint64_t u = 0;
			value = scan_c_u64(&p, stop, &u) ? (int64_t)(*v.s == '-' ? 0 - u : u) : 0;
		} else if (letter == 'D' || letter == 'd') {
			value = AT_FDCWD; /* "CWD" */
		} else if (letter == 'm' && op == OP_ACCESS) {
			value = (memchr(v.s, 'R', len) ? 4 : 0) | (memchr(v.s, 'W', len) ? 2 : 0) |
				(memchr(v.s, 'X', len) ? 1 : 0);
		} else if (len + strlen(prefix) < sizeof name) {
			strcpy(name, prefix);
			memcpy(name + strlen(prefix), v.s, len);
			if (!name_table_find(&k->names, name, strlen(prefix) + len, &value) &&
			    !name_table_find(&k->names, v.s, len, &value))
				value = 0;
		}
		all |= (uint64_t)value;
		if (stop == v.end || *stop == ',')
			break;
		v.s = stop + 1;
	}
	return all;
}

static void args_take(struct kernel_text *k, const struct syscall_row *row, struct text args,
		      uint64_t arg[SYSCALL_ARGS])
{
	const char *s = args.s;
	/* perf omits arguments that are 0. It always prints pointers that are not NULL */
	for (const char *letter = row->args; *letter; letter++)
		if (strchr("pPTN", *letter))
			arg[letter - row->args] = 1;
	while (s < args.end) {
		const char *name = skip_blanks(s, args.end),
			   *colon = memchr(name, ':', (size_t)(args.end - name));
		if (!colon)
			return;
		const char *v = skip_blanks(colon + 1, args.end), *at = NULL;
		for (const char *l = letters_of(name, (size_t)(colon - name)); *l && !at; l++)
			at = strchr(row->args, *l);
		const char *stop = v;
		if (stop < args.end && *stop == '"') {
			const char *close = memchr(stop + 1, '"', (size_t)(args.end - stop - 1));
			stop = close ? close + 1 : args.end;
		} else if (at && !strchr("pPTN", *at)) {
			arg[at - row->args] = value_of(k, (struct text){v, args.end}, *at, row->op);
		}
		const char *comma = memchr(stop, ',', (size_t)(args.end - stop));
		s = comma ? comma + 1 : args.end;
	}
}

/* --- results ------------------------------------------------------------- */

/* Reads a result: "4", "0x7f22", "-1 ENOENT (No such file or directory)", "2921 (sh)". */
static int64_t result_of(const struct kernel_text *k, struct text t)
{
	int64_t code;
	const int64_t v = (int64_t)text_number(t, 10);
	if (v != -1)
		return v;
	const char *s = memchr(t.s, 'E', (size_t)(t.end - t.s)), *stop = s;
	while (stop && stop < t.end && *stop != ' ')
		stop++;
	return s && name_table_find(&k->names, s, (size_t)(stop - s), &code) && code > 0 &&
		       code < 4096
		   ? -code
		   : -EIO;
}

static void made_thread(struct kernel_text *k, const struct perf_line *l)
{
	const size_t len = (size_t)(l->name.end - l->name.s);
	const bool clone = len >= 5 && !memcmp(l->name.s, "clone", 5),
		   fork = len >= 4 && !memcmp(l->name.end - 4, "fork", 4);
	if (!clone && !fork)
		return;
	const int64_t child = (int64_t)text_number(l->result, 10);
	bool thread = memmem(l->args.s, (size_t)(l->args.end - l->args.s), "THREAD", 6) != NULL;
	if (child > 0 && child <= UINT32_MAX)
		syscalls_cloned(k->calls, l->tid, (uint32_t)child,
				thread ? CLONE_THREAD | CLONE_FILES : 0);
}

/* --- the file ------------------------------------------------------------ */

static int call_take(struct kernel_text *k, const struct perf_line *l, struct err *e)
{
	const struct syscall_row *row =
	    syscall_row_of_name(l->name.s, (size_t)(l->name.end - l->name.s));
	uint64_t arg[SYSCALL_ARGS] = {0};
	if (!row || (l->result.s < l->result.end && *l->result.s == '?')) {
		if (!row && text_starts(l->name, "execve") && l->result.s < l->result.end &&
		    *l->result.s == '0')
			syscalls_executed(k->calls, l->tid, l->tid);
		made_thread(k, l);
		k->base.base.notes.n_not_requests++;
		return 0;
	}
	int ret = 0;
	if (!l->continued) {
		args_take(k, row, l->args, arg);
		ret = kernel_text_enter(k, l->tid, l->begin_ns, row, arg, e);
	}
	if (ret || l->end_ns == TIME_NONE || l->result.s == l->result.end)
		return ret;
	return kernel_text_exit(k, l->tid, l->end_ns, row, result_of(k, l->result), l->args, e);
}

static int perf_trace_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct kernel_text *k = (struct kernel_text *)f;
	const char *end = s + len, *first = skip_blanks(s, end);
	struct perf_line l = {.begin_ns = 0};
	bool known;
	while (end > first && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	k->over |= text_starts((struct text){first, end}, "Summary of events:");
	const struct text all = {first, end};
	if (first == end || *first == '#' || k->over)
		return 0;
	if (text_starts(all, "LOST ")) { /* "LOST 23 events!" */
		foreign_lost(f, text_number(text_after(all, "LOST"), 10));
		return 0;
	}
	const char *call = take_head(s, end, &l, &known);
	if (!call && k->n_lines && first - s >= STACK_INDENT) /* a frame of --call-graph */
		return 0;
	k->n_lines++;
	if (!call)
		return foreign_at(f, first, e,
			"neither a call nor an event: expected \"TIME (DURATION): "
			"PROGRAM/THREAD\"");
	if (!known || !take_call(call, end, &l)) { /* page faults, and calls without a begin */
		f->base.notes.n_not_requests++;
		return 0;
	}
	if (l.begin_ns > TRACE_TIME_MAX || (l.end_ns != TIME_NONE && l.end_ns > TRACE_TIME_MAX))
		return foreign_at(f, first, e,
				  "a time exceeds the limit of the trace format (2^61 ns, 73 "
				  "years)");
	return call_take(k, &l, e);
}

static void perf_trace_setup(struct foreign *f, const struct trace_open_options *o)
{
	kernel_text_setup(f, o);
	f->base.meta.meta.clock_resolution_ns = 1000;
}

static const struct foreign_reader reader = {.clock = "perf",
					     .captured_by = "perf trace",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct kernel_text),
					     .setup = perf_trace_setup,
					     .line = perf_trace_line,
					     .end = kernel_text_end,
					     .reset = kernel_text_reset,
					     .release = kernel_text_release};

static int perf_trace_bid(const unsigned char *head, size_t len, const char *path)
{
	const char *s = (const char *)head, *end = s + len;
	(void)path;
	for (int i = 0; i < 3 && s < end; i++) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		struct perf_line l = {.begin_ns = 0};
		bool known;
		stop = stop ? stop : end;
		if (take_head(s, stop, &l, &known))
			return 60;
		s = stop < end ? stop + 1 : end;
	}
	return 0;
}

const struct trace_format format_perf_trace = {
    .name = "perf-trace",
    .help = "output of perf trace",
    .bid = perf_trace_bid,
    .reader = &reader,
};
