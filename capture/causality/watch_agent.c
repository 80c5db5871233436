/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watchdog on one of several hosts. Reports its findings to the collector and follows its
 * instructions (agent.h). */
#include <poll.h>

#include "capture/causality/agent.h"
#include "capture/causality/watch_private.h"
#include "common/clock.h"
#include "common/files.h"

__attribute__((format(printf, 2, 3)))
static void message_send(struct watch *w, const char *format, ...);
static void message_send(struct watch *w, const char *format, ...)
{
	char line[80];
	va_list ap;
	va_start(ap, format);
	const int n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (write_all(STDOUT_FILENO, line, (size_t)n) < 0)
		w->peer.is_over = true;
}

static void command_do(struct watch *w, const char *line, int64_t now)
{
	struct watch_peer *p = &w->peer;
	unsigned long long number = 0;
	long long at, settle_ns;
	if (!strncmp(line, AGENT_CLOCK, sizeof AGENT_CLOCK - 1)) {
		message_send(w, AGENT_CLOCK " %" PRId64 "\n", clock_monotonic_ns());
		/* the application has not begun, or has ended */
		w->progress_ns = w->looked_ns = now;
	} else if (sscanf(line, AGENT_LOOK " %llu", &number) == 1) {
		p->hold = number;
		p->looks = true;
		p->quiet = p->confirms = false;
		watch_look_begin(w, now);
	} else if (sscanf(line, AGENT_CONFIRM " %llu %lld", &number, &settle_ns) == 2) {
		p->round = number;
		p->confirms = p->quiet;
		p->confirm_ns = now + settle_ns;
	} else if (sscanf(line, AGENT_RELEASE " %lld", &at) == 1) {
		watch_release(w, now, at);
		p->looks = p->told = p->quiet = p->confirms = false;
	} else if (!strncmp(line, AGENT_END, sizeof AGENT_END - 1)) {
		p->is_over = true;
	}
}

/* Reads commands for up to `nap_ns`. */
static void commands_take(struct watch *w, int64_t nap_ns)
{
	struct watch_peer *p = &w->peer;
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	const struct timespec nap = {0, nap_ns};
	if (p->is_over) {
		nanosleep(&nap, NULL);
		return;
	}
	if (ppoll(&in, 1, &nap, NULL) <= 0)
		return;
	const ssize_t got = read(STDIN_FILENO, p->line + p->n, sizeof p->line - 1 - p->n);
	if (got <= 0) { /* the connection to the collector was lost */
		p->is_over = got == 0 || errno != EINTR;
		return;
	}
	p->n += (size_t)got;
	p->line[p->n] = 0;
	for (char *end; (end = strchr(p->line, '\n'));) {
		command_do(w, p->line, clock_monotonic_ns());
		p->n -= (size_t)(end + 1 - p->line);
		memmove(p->line, end + 1, p->n + 1);
	}
	p->n = p->n < sizeof p->line - 1 ? p->n : 0; /* invalid: no command is this long */
}

static void state_report(struct watch *w, int64_t now)
{
	struct watch_peer *p = &w->peer;
	const bool all = watch_all_wait(w, now);
	/* a quiet period ends only if the state of a thread changes */
	if (p->quiet && !w->quiet_since_ns) {
		p->quiet = p->confirms = false;
		message_send(w, AGENT_ACTIVE " %" PRIu64 "\n", p->hold);
	} else if (!p->quiet && all) {
		p->quiet = true;
		message_send(w, AGENT_QUIET " %" PRIu64 "\n", p->hold);
	} else if (p->confirms && all && now >= p->confirm_ns) {
		p->confirms = false;
		message_send(w, AGENT_CONFIRMED " %" PRIu64 " %d\n", p->round, watch_some_start(w));
	}
}

void watch_exchange(struct watch *w, int64_t nap_ns)
{
	struct watch_peer *p = &w->peer;
	const bool held = atomic_load(&w->page->held) != atomic_load(&w->page->released);
	const bool was_over = p->is_over;
	if (held && !p->told) {
		p->told = true;
		message_send(w, AGENT_HELD "\n");
	}
	if (p->looks)
		state_report(w, clock_monotonic_ns());
	commands_take(w, nap_ns);
	if (p->is_over && !was_over)
		w->config.over(w->config.over_ctx);
}
