/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/progress.h"

#include <sys/ioctl.h>

#include "common/clock.h"
#include "common/units.h"

#define TERMINAL_STEP_NS 100000000
#define LOG_STEP_NS 10000000000

void progress_start(struct progress *p, uint64_t n_total, double work_total, bool enabled)
{
	*p = (struct progress){.enabled = enabled, .n_total = n_total, .work_total = work_total};
	const char *term = getenv("TERM");
	p->terminal = isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb");
	p->work_before = -1;
	p->start_ns = clock_monotonic_ns();
	p->last_ns = p->start_ns;
}

static size_t terminal_columns(void)
{
	struct winsize size;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 2)
		return 80;
	return size.ws_col;
}

/* Number of bytes of `s` that fill at most `columns`. Continuation bytes of UTF-8 take no
 * column. */
static size_t cut_at(const char *s, size_t columns)
{
	size_t i = 0;
	for (; s[i]; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80 && !columns--)
			break;
	return i;
}

static void add_line(struct strbuf *line, const struct progress *p, const char *what)
{
	double share = p->work_total > 0 ? p->work_done / p->work_total : 0;
	if (!(share >= 0) || share > 1)
		share = share > 1 ? 1 : 0;
	strbuf_addf(line, "%3.0f%%", floor(100 * share));
	if (p->n_total != PROGRESS_UNKNOWN)
		strbuf_addf(line, "  %llu/%llu", (unsigned long long)p->n_done,
			    (unsigned long long)p->n_total);
	double passed_ns = (double)(p->last_ns - p->start_ns), done = p->work_done - p->work_before;
	if (p->n_total != PROGRESS_UNKNOWN && done > 0 && share < 1) {
		strbuf_addstr(line, "  ");
		double left_ns = passed_ns * (p->work_total - p->work_done) / done;
		format_duration(line, left_ns < 1e9 ? 1e9 : round(left_ns / 1e9) * 1e9);
		strbuf_addstr(line, " left");
	}
	strbuf_addstr(line, "  ");
	size_t from = line->len;
	strbuf_addstr(line, what ? what : "");
	for (char *s = line->s + from; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			*s = '?';
}

void progress_step(struct progress *p, uint64_t n_done, double work_done, const char *what)
{
	p->n_done = n_done;
	p->work_done = work_done;
	if (p->work_before < 0)
		p->work_before = work_done;
	if (!p->enabled)
		return;
	int64_t now = clock_monotonic_ns();
	bool last = n_done >= p->n_total;
	if (p->shown && !last && now - p->last_ns < (p->terminal ? TERMINAL_STEP_NS : LOG_STEP_NS))
		return;
	p->last_ns = now;
	p->shown = true;
	SCOPED_STRBUF line = STRBUF_INIT;
	add_line(&line, p, what);
	/* keeps the last column free, because some terminals wrap when it is filled */
	if (p->terminal)
		fprintf(stderr, "\r%.*s\033[K", (int)cut_at(line.s, terminal_columns() - 1),
			line.s);
	else
		fprintf(stderr, "%s\n", line.s);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->enabled && p->terminal && p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->shown = false;
}
