/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the beginning of a line of strace: the thread, the time, and marks before the call. */

#include "capture/formats/blanks.h"
#include "capture/formats/strace_private.h"
#include "capture/number.h"

/* --- the thread ---------------------------------------------------------- */

enum strace_naming strace_take_pid(const char **at, const char *end, uint32_t *tid)
{
	const char *s = *at;
	bool bracket = begins_with(s, end, "[pid ");
	uint64_t v;
	if (bracket)
		s = skip_blanks(s + 5, end);
	if (!scan_u64(&s, end, &v) || v > UINT32_MAX)
		return STRACE_UNNAMED;
	if (s < end && *s == '<') {
		const char *close = memchr(s, '>', (size_t)(end - s));
		s = close ? close + 1 : s;
	}
	if (s == end || *s != (bracket ? ']' : ' '))
		return STRACE_UNNAMED;
	*tid = (uint32_t)v;
	*at = skip_blanks(s + 1, end);
	return bracket ? STRACE_BRACKET : STRACE_COLUMN;
}

static bool is_attached(const struct strace_threads *t, uint32_t tid)
{
	for (unsigned int i = 0; i < t->n_attached; i++)
		if (t->attached[i] == tid)
			return true;
	return false;
}

static void thread_begins(struct strace_threads *t, uint32_t tid)
{
	t->n_alive++;
	t->alive_sum += tid;
}

void strace_thread_over(struct strace_threads *t, uint32_t tid)
{
	if (!t->n_alive)
		return;
	t->n_alive--;
	t->alive_sum -= tid;
}

/* "strace: Process 15015 attached", "... attached with 4 threads", "... detached" */
void strace_notice(struct strace_threads *t, const char *s, const char *end)
{
	static const char process[] = "strace: Process ";
	uint64_t tid;
	if (!begins_with(s, end, process))
		return;
	s += sizeof process - 1;
	if (!scan_u64(&s, end, &tid) || tid > UINT32_MAX)
		return;
	if (begins_with(s, end, " detached"))
		strace_thread_over(t, (uint32_t)tid);
	if (!begins_with(s, end, " attached"))
		return;
	if (!t->found && t->n_attached < STRACE_ATTACHED_MAX)
		t->attached[t->n_attached++] = (uint32_t)tid;
	thread_begins(t, (uint32_t)tid);
}

uint32_t strace_thread(struct strace_threads *t, enum strace_naming how, uint32_t tid)
{
	if (how == STRACE_COLUMN)
		return tid;
	if (how == STRACE_UNNAMED) {
		if (!t->n_alive)
			thread_begins(t, t->first);
		t->any_unnamed = true;
		return t->n_alive == 1 ? (uint32_t)t->alive_sum : t->first;
	}
	if (!t->found && !is_attached(t, tid)) {
		t->found = true;
		t->first_number = tid;
		if (!t->any_unnamed)
			thread_begins(t, t->first);
	}
	return t->found && tid == t->first_number ? t->first : tid;
}

void strace_threads_reset(struct strace_threads *t)
{
	*t = (struct strace_threads){.first = t->first};
}

/* --- the time ------------------------------------------------------------ */

/* Whether the stamp is a difference (strace -r). Such a stamp is padded to six digits and has few
 * digits; an absolute time has more. */
static bool is_difference(const char *line, const char *s, const char *end)
{
	const char *p = s;
	uint64_t seconds;
	if (!scan_u64(&p, end, &seconds) || p - s > 5 || p == end || *p != '.')
		return false;
	while (s > line && s[-1] == ' ')
		s--;
	return p - s >= (s > line ? 7 : 6); /* a blank follows the thread's number */
}

/* "1795227730.673998 ", "14:02:11.673998 " or "     0.000285 " (-r), in ns; the number of decimals
 * gives the resolution. */
bool strace_take_stamp(struct strace *t, const char *line, const char **at, const char *end,
		       int64_t *ns)
{
	const char *s = *at;
	uint64_t hours = 0, minutes = 0;
	unsigned int digits = 0;
	const char *p = s;
	bool of_day =
	    end - s > 2 && (s[1] == ':' || s[2] == ':') && scan_u64(&p, end, &hours) && *p == ':';
	if (of_day) {
		p++;
		if (!scan_u64(&p, end, &minutes) || p == end || *p != ':' || hours > 23 ||
		    minutes > 59)
			return false;
		s = p + 1;
	}
	if (!scan_decimal(&s, end, 1000000000, ns, &digits) || s == end || *s != ' ')
		return false;
	if (of_day && *ns >= INT64_C(61) * 1000000000)
		return false;
	if (of_day)
		*ns += (int64_t)(hours * 3600 + minutes * 60) * 1000000000;
	if (!t->has_first) {
		t->time_of_day = of_day;
		t->differences = !of_day && is_difference(line, *at, end);
		double step = 1e9;
		for (unsigned int i = 0; i < digits && i < 9; i++)
			step /= 10;
		t->base.base.meta.meta.clock_resolution_ns = step;
		t->base.base.meta.meta.wall_epoch_ns =
		    t->time_of_day || t->differences || *ns > TRACE_WALL_MAX ? 0 : *ns;
		t->first_ns = t->last_ns = t->differences ? 0 : *ns;
		t->has_first = true;
	}
	const int64_t day = 86400LL * 1000000000;
	while (t->time_of_day && *ns < t->last_ns - day / 2) /* after midnight */
		*ns += day;
	if (t->differences && __builtin_add_overflow(t->last_ns, *ns, ns))
		return false;
	t->last_ns = *ns;
	*ns -= t->first_ns;
	*at = skip_blanks(s, end);
	return true;
}

/* --- marks before the call ----------------------------------------------- */

const char *strace_skip_marks(const char *s, const char *end)
{
	if (begins_with(s, end, "(+")) { /* -r together with another stamp */
		const char *close = memchr(s, ')', (size_t)(end - s));
		s = close ? skip_blanks(close + 1, end) : s;
	}
	while (s < end && *s == '[') { /* -n: "[  59]", -i: "[00007f420e150ad7]" */
		const char *p = s + 1;
		while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f') ||
				   *p == ' ' || *p == '?'))
			p++;
		if (p + 1 >= end || *p != ']' || p[1] != ' ')
			break;
		s = skip_blanks(p + 1, end);
	}
	return s;
}

bool strace_beside_calls(const char *s, const char *end)
{
	return begins_with(s, end, "strace: ") || begins_with(s, end, "> ") ||
	       begins_with(s, end, "| ") || begins_with(s, end, "* ") ||
	       begins_with(s, end, "% time ");
}

const char *strace_cut_by_notice(const char *s, const char *end)
{
	static const char mark[] = "strace: Process ";
	/* "attached", "detached", "threads" */
	if (end - s < (ptrdiff_t)sizeof mark || (end[-1] != 'd' && end[-1] != 's'))
		return NULL;
	const char *at = memmem(s, (size_t)(end - s), mark, sizeof mark - 1);
	while (at && at < end) { /* finds the last one, because a path may contain this text */
		const char *next = memmem(at + 1, (size_t)(end - at - 1), mark, sizeof mark - 1);
		if (!next)
			break;
		at = next;
	}
	const char *p = at ? at + sizeof mark - 1 : end;
	uint64_t tid;
	return at && at > s && scan_u64(&p, end, &tid) &&
		       (begins_with(p, end, " attached") || begins_with(p, end, " detached"))
		   ? at
		   : NULL;
}
