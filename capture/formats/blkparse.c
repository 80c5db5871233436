/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blkparse's text output: device, CPU, sequence number, time, pid, action, RWBS, sector + sectors
 * [command]; doc/formats/blktrace.md. "  8,0    3        1     0.000000000   697  Q   W 223490 + 8
 * [kjournald]" */

#include "capture/formats/blanks.h"
#include "capture/formats/block_pairs.h"
#include "capture/number.h"

struct blkparse {
	struct foreign base;
	struct block_pairs pairs;
	struct blkparse_device {
		const char *end;
		char name[24];
		size_t len;
		uint32_t number, object;
	} last;
	bool over; /* the summary at the end has begun */
	uint64_t n_events;
};

static enum pair_event_kind kind_of(const char *s, size_t len)
{
	if (len != 1)
		return EVENT_OTHER;
	switch (*s) {
	case 'Q':
		return EVENT_QUEUE;
	case 'M':
	case 'F':
		return EVENT_MERGE;
	case 'R':
		return EVENT_REQUEUE;
	case 'D':
		return EVENT_ISSUE;
	case 'C':
		return EVENT_COMPLETE;
	default:
		return EVENT_OTHER;
	}
}

static int take_device(struct blkparse *t, const char **at, const char *end, struct pair_event *v,
		       struct err *e)
{
	const char *s = *at;
	uint64_t major, minor;
	while (s < end && *s != ' ')
		s++;
	size_t len = (size_t)(s - *at);
	if (len != t->last.len || memcmp(t->last.name, *at, len) || !len) {
		const char *p = *at;
		if (!scan_u64(&p, s, &major) || p == s || *p++ != ',' || !scan_u64(&p, s, &minor) ||
		    p != s || major > 4095 || minor > 1048575 || len >= sizeof t->last.name)
			return foreign_at(&t->base, *at, e, "a device such as 8,0 is missing");
		int ret = foreign_object(&t->base, OBJECT_DEVICE, *at, len, &t->last.object, e);
		if (ret)
			return ret;
		memcpy(t->last.name, *at, len);
		t->last.len = len;
		t->last.number = (uint32_t)(major << 20 | minor);
	}
	v->device = t->last.number;
	v->object = t->last.object;
	*at = skip_blanks(s, end);
	return 0;
}

/* Parses "223490 + 8 [kjournald]", or the error of a completion, as in "[0]". blkparse prints the
 * error as 16 bits without a sign: "[65531]" is -5. For an empty flush, it prints no sector until
 * the completion: "[kjournald]", then "0 [0]". */
static int take_extent(struct blkparse *t, const char *s, const char *end, const char *rwbs,
		       size_t rwbs_len, struct pair_event *v, struct err *e)
{
	uint64_t n = 0;
	const char *p = s;
	int64_t error;
	if (!scan_u64(&p, end, &v->sector)) {
		if (s < end && (*s == '[' || *s == '('))
			v->op = block_event_op(rwbs, rwbs_len, 0, &v->flags);
		if (v->op != OP_FDATASYNC)
			v->op = OP_INVALID; /* a message, or another event without sectors */
		if (s < end && *s >= '0' && *s <= '9')
			return foreign_at(&t->base, s, e, "the sector number is 2^64 or larger");
		return 0;
	}
	p = skip_blanks(p, end);
	if (p < end && *p == '+') {
		p = skip_blanks(p + 1, end);
		if (!scan_u64(&p, end, &n) || n > UINT32_MAX)
			return foreign_at(&t->base, p, e,
					  "the number of sectors after + is missing");
		p = skip_blanks(p, end);
	}
	v->bytes = n * 512;
	v->op = block_event_op(rwbs, rwbs_len, n, &v->flags);
	if (p < end && *p == '(') { /* -t: the duration is printed */
		const char *close = memchr(p, ')', (size_t)(end - p));
		p = close ? skip_blanks(close + 1, end) : p;
	}
	if (v->kind == EVENT_COMPLETE && p < end && *p == '[') {
		p++;
		if (scan_i64(&p, end, &error) && p < end && *p == ']' && error >= INT16_MIN &&
		    error <= UINT16_MAX)
			v->error = (int16_t)error;
	}
	return 0;
}

/* Parses a number that is followed by a blank. Moves *at to the next word; on failure, *at does not
 * change. */
static bool take_number(const char **at, const char *end, uint64_t max, uint64_t *v)
{
	const char *s = *at;
	if (!scan_u64(&s, end, v) || *v > max || s == end || (*s != ' ' && *s != '\t'))
		return false;
	*at = skip_blanks(s, end);
	return true;
}

static bool take_time(const char **at, const char *end, int64_t *ns)
{
	const char *s = *at;
	if (!scan_decimal(&s, end, 1000000000, ns, NULL) || *ns > TRACE_TIME_MAX || s == end ||
	    (*s != ' ' && *s != '\t'))
		return false;
	*at = skip_blanks(s, end);
	return true;
}

static int event_line(struct blkparse *t, const char *s, const char *end, struct err *e)
{
	struct pair_event v = {.kind = EVENT_OTHER};
	uint64_t cpu, sequence, pid;
	const char *at = s;
	int ret = take_device(t, &at, end, &v, e);
	if (ret)
		return ret;
	if (!take_number(&at, end, UINT64_MAX, &cpu))
		return foreign_at(&t->base, at, e, "the CPU number is missing");
	if (!take_number(&at, end, UINT64_MAX, &sequence))
		return foreign_at(&t->base, at, e, "the sequence number is missing");
	if (!take_time(&at, end, &v.ns))
		return foreign_at(&t->base, at, e, "the time in seconds is missing");
	if (!take_number(&at, end, UINT32_MAX, &pid))
		return foreign_at(&t->base, at, e, "the process number is missing");
	const char *action = at;
	at = word_end(at, end);
	if (at == action)
		return foreign_at(&t->base, at, e, "the action is missing");
	v.kind = kind_of(action, (size_t)(at - action));
	v.pid = (uint32_t)pid;
	const char *rwbs = at = skip_blanks(at, end);
	at = word_end(at, end);
	size_t rwbs_len = (size_t)(at - rwbs);
	ret = v.kind == EVENT_OTHER
		 ? 0
		 : take_extent(t, skip_blanks(at, end), end, rwbs, rwbs_len, &v, e);
	return ret ? ret : block_pairs_take(&t->pairs, &t->base, &v, e);
}

/* "Input file sda.blktrace.0 added": buffering puts this line before or after the events. */
static bool is_about_input(const char *s, const char *end)
{
	static const char input[] = "Input file ", added[] = " added";
	return end - s > (ptrdiff_t)sizeof input + (ptrdiff_t)sizeof added &&
	       !memcmp(s, input, sizeof input - 1) &&
	       !memcmp(end - (sizeof added - 1), added, sizeof added - 1);
}

/* Whether the summary begins here: "CPU0 (8,0):", "Total"; with -s, "fio (123)" or "fio (123,
 * ...)". */
static bool begins_figures(const char *s, const char *end)
{
	if ((end - s > 4 && !memcmp(s, "CPU", 3)) || (end - s >= 5 && !memcmp(s, "Total", 5)))
		return true;
	const char *open = end > s && end[-1] == ')' ? memrchr(s, '(', (size_t)(end - s)) : NULL;
	uint64_t pid;
	if (!open || open < s + 2 || open[-1] != ' ' || (open++, !scan_u64(&open, end, &pid)))
		return false;
	return open == end - 1 || (end - open == 6 && !memcmp(open, ", ...)", 6));
}

/* "Skips: 2 forward (17 - 6.6%)" in the summary of a device: 17 sequence numbers are missing. */
static void take_skips(struct foreign *f, const char *s, const char *end)
{
	static const char skips[] = "Skips: ";
	const char *open = memchr(s, '(', (size_t)(end - s));
	uint64_t n = 0;
	if ((size_t)(end - s) < sizeof skips || memcmp(s, skips, sizeof skips - 1) || !open)
		return;
	/* the locale may group the digits */
	for (s = open + 1; s < end && *s != ' ' && n < UINT64_MAX / 10 - 10; s++)
		if (*s >= '0' && *s <= '9')
			n = n * 10 + (uint64_t)(*s - '0');
	foreign_lost(f, n);
}

static int blkparse_line(struct foreign *f, const char *s, size_t len, struct err *e)
{
	struct blkparse *t = (struct blkparse *)f;
	const char *end = s + len;
	s = skip_blanks(s, end);
	if (t->over)
		take_skips(f, s, end);
	if (s == end || t->over)
		return 0;
	if (*s < '0' || *s > '9') {
		if (is_about_input(s, end))
			return 0;
		t->over = t->n_events && begins_figures(s, end);
		if (t->over)
			return 0;
	}
	int ret = event_line(t, s, end, e);
	t->n_events += !ret;
	return ret;
}

static void blkparse_end(struct foreign *f)
{
	block_pairs_end(&((struct blkparse *)f)->pairs, f);
}

static void blkparse_reset(struct foreign *f)
{
	struct blkparse *t = (struct blkparse *)f;
	block_pairs_reset(&t->pairs);
	t->last.len = 0;
	t->over = false;
	t->n_events = 0;
}

static void blkparse_release(struct foreign *f)
{
	block_pairs_release(&((struct blkparse *)f)->pairs);
}

static void blkparse_setup(struct foreign *f, const struct trace_open_options *o)
{
	((struct blkparse *)f)->pairs.by_queue = o->pair_queue;
	f->base.meta.meta.clock_resolution_ns = 1;
}

static const struct foreign_reader reader = {.clock = "blktrace",
					     .captured_by = "blktrace (read from blkparse's text)",
					     .level = LEVEL_BLOCK,
					     .size = sizeof(struct blkparse),
					     .setup = blkparse_setup,
					     .line = blkparse_line,
					     .end = blkparse_end,
					     .reset = blkparse_reset,
					     .release = blkparse_release};

/* Whether the first line looks like "8,0  3  1  0.000000000  697  Q". */
static int blkparse_bid(const unsigned char *head, size_t len, const char *path)
{
	const char *s = (const char *)head, *end = s + len;
	uint64_t v;
	int64_t ns;
	(void)path;
	for (;;) {
		while (s < end && (*s == ' ' || *s == '\n' || *s == '\r'))
			s++;
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		if (!stop || !is_about_input(s, stop))
			break;
		s = stop;
	}
	if (!scan_u64(&s, end, &v) || s == end || *s++ != ',' || !scan_u64(&s, end, &v) ||
	    s == end || *s != ' ')
		return 0;
	for (int i = 0; i < 2; i++) {
		s = skip_blanks(s, end);
		if (!scan_u64(&s, end, &v) || s == end || *s != ' ')
			return 0;
	}
	s = skip_blanks(s, end);
	if (!scan_decimal(&s, end, 1000000000, &ns, NULL) || s == end || *s != ' ')
		return 0;
	s = skip_blanks(s, end);
	if (!scan_u64(&s, end, &v) || s == end || *s != ' ')
		return 0;
	s = skip_blanks(s, end);
	return s < end && ((*s >= 'A' && *s <= 'Z') || *s == 'm') ? 60 : 0;
}

const struct trace_format format_blkparse = {
    .name = "blkparse",
    .help = "text output of blkparse",
    .bid = blkparse_bid,
    .reader = &reader,
};
