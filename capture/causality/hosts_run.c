/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collector's part of a run on several hosts. */
#include <dirent.h>
#include <ftw.h>
#include <poll.h>
#include <sys/wait.h>

#include "capture/app/app.h"
#include "capture/app/app_private.h"
#include "capture/causality/agent.h"
#include "capture/causality/thread_look.h"
#include "capture/causality/watch_private.h"
#include "capture/preload/log.h"
#include "common/clock.h"
#include "common/files.h"
#include "common/hosts.h"
#include "common/options.h"
#include "common/sort.h"
#include "common/text.h"

enum {
	READY_MS = 120000, /* limit for the start of an agent */
	ANSWER_MS = 30000,
	POLL_MS = 50,
	PINGS = 100,
	/* A large message between hosts takes three passages: a request, its answer, the data. */
	PASSAGES = 4,
	END_S = 10, /* seconds that an application has to end after SIGTERM */
};

struct agent_peer { /* an agent */
	const char *host;
	struct host_process process;
	int out; /* standard output of the agent */
	char line[128];
	size_t n;
	bool quiet, confirmed, starts, gone, done;
};

struct hosts_run {
	const struct run_config *config;
	char *path; /* path of the files of the run, without suffix */
	char *link;
	struct agent_peer *peer;
	size_t n;
	struct host_clock *clock;
	uint64_t hold, round;
	int64_t confirm_ns; /* start of the round of confirmations; 0: none */
	int64_t settle_ns;
	bool looks;
	pid_t application;
	bool ended, killed;
	int status;
	char **name; /* files that existed below the root before the run, ascending */
	size_t n_names, cap_names;
};

/* --- files before the run ------------------------------------------------ */

static int names_walk(struct hosts_run *h, const char *dir, const char *below, struct err *e)
{
	DIR *d = opendir(dir);
	int code = 0;
	if (!d)
		return err_sys(e, errno, "cannot open directory %s", dir);
	int ret = 0;
	for (struct dirent *entry; !ret && (entry = dir_next(d, &code));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		SCOPED_FREE char *path = xasprintf("%s/%s", dir, entry->d_name);
		struct stat st;
		GROW(h->name, h->n_names, h->cap_names);
		char *name = h->name[h->n_names++] =
		    xasprintf("%s%s%s", below, *below ? "/" : "", entry->d_name);
		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			ret = names_walk(h, path, name, e);
	}
	closedir(d);
	return ret ? ret : code ? err_sys(e, code, "cannot read directory %s", dir) : 0;
}

/* --- messages ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3)))
static void message_send(struct agent_peer *p, const char *format, ...);
static void message_send(struct agent_peer *p, const char *format, ...)
{
	char line[80];
	va_list ap;
	va_start(ap, format);
	const int n = vsnprintf(line, sizeof line, format, ap);
	va_end(ap);
	if (p->process.input >= 0 && write_all(p->process.input, line, (size_t)n) < 0) {
		/* the agent has ended, but its last messages may not have been read yet */
		fd_close(p->process.input);
		p->process.input = -1;
	}
}

/* Takes the next complete line of the received bytes. A terminal on the way may have added a CR. */
static bool line_take(struct agent_peer *p, char *line, size_t size)
{
	char *end = memchr(p->line, '\n', p->n);
	if (!end && p->n == sizeof p->line)
		p->n = 0; /* invalid: no message is this long */
	if (!end)
		return false;
	const size_t len = (size_t)(end - p->line);
	snprintf(line, size, "%.*s", (int)len, p->line);
	line[strcspn(line, "\r")] = 0;
	p->n -= len + 1;
	memmove(p->line, end + 1, p->n);
	return true;
}

static void peer_read(struct agent_peer *p)
{
	const ssize_t got = read(p->out, p->line + p->n, sizeof p->line - p->n);
	if (got > 0)
		p->n += (size_t)got;
	else if (!got || errno != EINTR)
		p->gone = true;
}

/* Waits for the message `what`, and ignores other messages. Returns the text after `what`. */
static const char *answer_await(struct agent_peer *p, const char *what, char *line, size_t size,
				int timeout_ms)
{
	const int64_t until = clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
	struct pollfd in = {.fd = p->out, .events = POLLIN};
	for (;;) {
		while (line_take(p, line, size)) {
			p->done |= !strcmp(line, AGENT_DONE);
			if (!strncmp(line, what, strlen(what)))
				return line + strlen(what);
		}
		const int64_t left = (until - clock_monotonic_ns()) / 1000000;
		if (p->gone || left <= 0 || poll(&in, 1, (int)left) == 0)
			return NULL;
		peer_read(p);
	}
}

/* Reports the agent's own message from its log, or the status of its launcher. */
static int agent_failed(const struct hosts_run *h, struct agent_peer *p, struct err *e)
{
	int status = 0;
	SCOPED_FREE char *log = agent_path(h->path, p->host, ".log");
	SCOPED_STRBUF text = STRBUF_INIT;
	fd_close(p->process.input);
	p->process.input = -1;
	/* an agent that ends closes its output before it writes its message */
	if (p->gone && waitpid(p->process.pid, &status, 0) == p->process.pid)
		p->process.pid = 0;
	file_read(log, &text, 1 << 16, NULL);
	while (text.len && text.s[text.len - 1] == '\n')
		text.s[--text.len] = 0;
	const char *own = strstr(text.s, "validate: ");
	own = own ? own + strlen("validate: ") : text.s;
	err_set(e, ECHILD, "host %s: the process that watches the ranks there %s: %s", p->host,
		p->gone ? "has ended" : "does not answer", *own ? own : "it printed nothing");
	text_make_line(e->msg);
	if (WIFSIGNALED(status))
		phrase_add(e->msg, sizeof e->msg, " (signal %d)", WTERMSIG(status));
	else if (status)
		phrase_add(e->msg, sizeof e->msg, " (status %d)", WEXITSTATUS(status));
	return -ECHILD;
}

/* --- agents -------------------------------------------------------------- */

static int given_write(struct hosts_run *h, struct err *e)
{
	const struct run_config *c = h->config;
	const struct watch_config *w = &c->watch;
	SCOPED_FREE struct agent_given *g = xcalloc(1, sizeof *g);
	SCOPED_FREE char *to = xasprintf("%s.given", h->path);
	SCOPED_FREE char *root = realpath(c->root, NULL);
	SCOPED_STRBUF b = STRBUF_INIT;
	if (!root)
		return err_sys(e, errno, "--root %s", c->root);
	snprintf(g->version, sizeof g->version, "%s", VALIDATE_VERSION);
	g->size = sizeof *g + sizeof *w->known;
	snprintf(g->root, sizeof g->root, "%s", root);
	snprintf(g->scratch, sizeof g->scratch, "%s", c->scratch ? c->scratch : "");
	snprintf(g->link, sizeof g->link, "%s", h->link);
	g->has_scratch = c->scratch != NULL;
	g->snapshot = c->snapshot;
	g->throttled = w->throttled;
	g->period = w->period;
	g->factor = w->factor;
	g->compute_floor_ns = w->compute_floor_ns;
	g->quiet_ns = w->quiet_ns;
	g->n_known = w->n_known;
	strbuf_add(&b, g, sizeof *g);
	strbuf_add(&b, w->known, w->n_known * sizeof *w->known);
	return file_write_atomic(to, b.s, b.len, e);
}

static int agent_start(struct hosts_run *h, struct agent_peer *p, const char *self, struct err *e)
{
	SCOPED_STRBUF script = STRBUF_INIT;
	SCOPED_FREE char *log = agent_path(h->path, p->host, ".log");
	int pipe_fd[2];
	strbuf_addstr(&script, "exec ");
	shell_word(&script, self);
	strbuf_addstr(&script, " capture causality --agent ");
	shell_word(&script, h->path);
	strbuf_addf(&script, " %s\n", p->host);
	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return err_sys(e, errno, "cannot create a pipe");
	p->out = pipe_fd[0];
	const int messages = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	const int ret = messages < 0 ? err_sys(e, errno, "cannot create %s", log)
				    : host_start(&p->process, h->config->launcher, p->host,
						 script.s, pipe_fd[1], messages, e);
	close(pipe_fd[1]);
	fd_close(messages);
	return ret;
}

static int agents_start(struct hosts_run *h, struct err *e)
{
	SCOPED_FREE char *self = program_path(e);
	char line[128];
	int ret = self ? given_write(h, e) : -e->code;
	for (size_t i = 0; i < h->n && !ret; i++)
		ret = agent_start(h, &h->peer[i], self, e);
	for (size_t i = 0; i < h->n && !ret; i++)
		if (!answer_await(&h->peer[i], AGENT_READY, line, sizeof line, READY_MS))
			ret = agent_failed(h, &h->peer[i], e);
	return ret;
}

/* Measures the clock of a host. Its error is at most half of the fastest round trip, even if the
 * two directions differ. */
static int clock_ask(struct hosts_run *h, size_t i, int k, struct err *e)
{
	struct host_clock *c = &h->clock[i];
	char line[128];
	const int64_t before = clock_monotonic_ns();
	message_send(&h->peer[i], AGENT_CLOCK "\n");
	const char *at = answer_await(&h->peer[i], AGENT_CLOCK, line, sizeof line, ANSWER_MS);
	const int64_t after = clock_monotonic_ns();
	if (!at && h->ended && h->peer[i].done) {
		h->killed = true; /* its agent ended at the same time as the application */
		return 0;
	}
	if (!at)
		return agent_failed(h, &h->peer[i], e);
	if ((after - before) / 2 >= c->bound_ns[k])
		return 0;
	c->at_ns[k] = strtoll(at, NULL, 10);
	c->bound_ns[k] = (after - before) / 2;
	c->ahead_ns[k] = c->at_ns[k] - (before + (after - before) / 2);
	return 0;
}

/* Asks the hosts in turn, because an agent without messages takes the application for stuck. */
static int clocks_measure(struct hosts_run *h, int k, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < h->n; i++)
		h->clock[i].bound_ns[k] = INT64_MAX;
	for (int n = 0; n < PINGS; n++)
		for (size_t i = 0; i < h->n && !ret && !h->killed; i++)
			ret = clock_ask(h, i, k, e);
	return ret;
}

/* Finds the time in which any message between two hosts arrives. A message between the collector
 * and a host takes about half of the fastest round trip. */
static void settle_find(struct hosts_run *h)
{
	int64_t most[2] = {0, 0};
	for (size_t i = 0; i < h->n; i++) {
		const int64_t ns = h->clock[i].bound_ns[0];
		most[1] = ns > most[0] ? most[0] : ns > most[1] ? ns : most[1];
		most[0] = ns > most[0] ? ns : most[0];
	}
	h->settle_ns = PASSAGES * (most[0] + most[1]);
	if (h->settle_ns < AGENT_SETTLE_NS)
		h->settle_ns = AGENT_SETTLE_NS;
}

/* --- the application ----------------------------------------------------- */

static void application_start(struct hosts_run *h, const char *file, const char *library)
{
	const struct run_config *c = h->config;
	h->application = fork();
	if (h->application)
		return;
	/* mpirun passes these variables to its ranks; srun passes all variables */
	if (run_output_redirect(c->log) || setenv("LD_PRELOAD", library, 1) ||
	    setenv(LOG_DIR_VARIABLE, h->link, 1) ||
	    setenv("OMPI_MCA_mca_base_env_list", "LD_PRELOAD;" LOG_DIR_VARIABLE, 1))
		_exit(126);
	signal(SIGPIPE, SIG_DFL);
	execv(file, c->command);
	fprintf(stderr, "%s: %s\n", file, strerror(errno));
	_exit(127);
}

static void application_look(struct hosts_run *h)
{
	if (!h->ended && waitpid(h->application, &h->status, WNOHANG) == h->application)
		h->ended = true;
}

static void application_kill(struct hosts_run *h)
{
	h->killed = true;
	kill(h->application, SIGTERM); /* a launcher that ends also ends its ranks */
	for (int i = 0; i < END_S * 100 && !h->ended; i++) {
		const struct timespec pause = {0, 10000000};
		nanosleep(&pause, NULL);
		application_look(h);
	}
	if (h->ended)
		return;
	kill(h->application, SIGKILL);
	waitpid(h->application, &h->status, 0);
	h->ended = true;
}

/* --- held threads ------------------------------------------------------- */

static void others_look(struct hosts_run *h)
{
	h->hold++;
	h->looks = true;
	h->confirm_ns = 0;
	for (size_t i = 0; i < h->n; i++) {
		h->peer[i].quiet = h->peer[i].confirmed = false;
		message_send(&h->peer[i], AGENT_LOOK " %" PRIu64 "\n", h->hold);
	}
}

static void quiet_count(struct hosts_run *h)
{
	for (size_t i = 0; i < h->n; i++)
		if (!h->peer[i].quiet)
			return;
	h->round++;
	h->confirm_ns = clock_monotonic_ns();
	for (size_t i = 0; i < h->n; i++) {
		h->peer[i].confirmed = false;
		message_send(&h->peer[i], AGENT_CONFIRM " %" PRIu64 " %" PRId64 "\n", h->round,
			     h->settle_ns);
	}
}

static void confirmed_count(struct hosts_run *h)
{
	bool starts = false;
	for (size_t i = 0; i < h->n; i++) {
		if (!h->peer[i].confirmed)
			return;
		starts |= h->peer[i].starts;
	}
	h->looks = false;
	for (size_t i = 0; i < h->n; i++)
		message_send(&h->peer[i], AGENT_RELEASE " %" PRId64 "\n",
			     starts ? 0 : h->confirm_ns + h->settle_ns / 2);
}

static void message_take(struct hosts_run *h, struct agent_peer *p, const char *line)
{
	uint64_t number;
	int starts;
	if (!strcmp(line, AGENT_HELD)) {
		others_look(h);
	} else if (!strcmp(line, AGENT_DONE)) {
		p->done = true;
	} else if (sscanf(line, AGENT_QUIET " %" SCNu64, &number) == 1) {
		p->quiet = number == h->hold && h->looks;
		if (p->quiet)
			quiet_count(h);
	} else if (sscanf(line, AGENT_ACTIVE " %" SCNu64, &number) == 1) {
		p->quiet = p->confirmed = false;
	} else if (sscanf(line, AGENT_CONFIRMED " %" SCNu64 " %d", &number, &starts) == 2) {
		p->confirmed = number == h->round && h->looks && p->quiet;
		p->starts = starts;
		if (p->confirmed)
			confirmed_count(h);
	}
}

/* Serves the agents until the application has ended. */
static void application_serve(struct hosts_run *h)
{
	SCOPED_FREE struct pollfd *in = xcalloc(h->n, sizeof *in);
	for (size_t i = 0; i < h->n; i++)
		in[i] = (struct pollfd){.fd = h->peer[i].out, .events = POLLIN};
	while (!h->ended) {
		const int n = poll(in, h->n, POLL_MS);
		for (size_t i = 0; i < h->n && n > 0; i++) {
			char line[128];
			if (in[i].revents)
				peer_read(&h->peer[i]);
			while (line_take(&h->peer[i], line, sizeof line))
				message_take(h, &h->peer[i], line);
			/* the agent has ended the run, which got stuck or failed */
			if ((h->peer[i].gone || h->peer[i].done) && !h->killed)
				application_kill(h);
		}
		application_look(h);
	}
}

/* --- results of the agents ---------------------------------------------- */

static void outcome_add(struct watch_outcome *to, const struct watch_outcome *o)
{
	to->n_held += o->n_held;
	to->held_ns += o->held_ns;
	to->n_async += o->n_async;
	to->n_ranks = o->n_ranks > to->n_ranks ? o->n_ranks : to->n_ranks;
	to->too_many |= o->too_many;
	to->stuck |= o->stuck;
	if (!*to->stuck_at)
		memcpy(to->stuck_at, o->stuck_at, sizeof to->stuck_at);
	if (!*to->runs_on)
		memcpy(to->runs_on, o->runs_on, sizeof to->runs_on);
	if (!*to->stopped)
		memcpy(to->stopped, o->stopped, sizeof to->stopped);
}

static int seen_load(const struct hosts_run *h, uint32_t i, struct watch *w, uint64_t *n_lost,
		     struct err *e)
{
	SCOPED_FREE char *path = agent_path(h->path, h->peer[i].host, ".seen");
	SCOPED_STRBUF b = STRBUF_INIT;
	struct agent_seen seen = {.n_threads = 0};
	int ret = file_read(path, &b, 0, e);
	if (!ret && b.len >= sizeof seen)
		memcpy(&seen, b.s, sizeof seen);
	const size_t threads = seen.n_threads * sizeof *w->list;
	if (!ret && b.len != sizeof seen + threads + seen.n_waits * sizeof *w->wait)
		ret = err_set(e, EILSEQ, "%s is damaged, or host %s has another version of "
				"validate: install the same version on all hosts", path,
			      h->peer[i].host);
	if (ret)
		return ret;
	outcome_add(&w->outcome, &seen.outcome);
	*n_lost += seen.n_lost;
	w->list = xreallocarray(w->list, w->n_list + seen.n_threads + 1, sizeof *w->list);
	w->wait = xreallocarray(w->wait, w->n_waits + seen.n_waits + 1, sizeof *w->wait);
	memcpy(w->list + w->n_list, b.s + sizeof seen, threads);
	memcpy(w->wait + w->n_waits, b.s + sizeof seen + threads, seen.n_waits * sizeof *w->wait);
	const uint32_t host = i << AGENT_PID_SHIFT;
	for (uint32_t k = w->n_list; k < w->n_list + seen.n_threads; k++) {
		w->list[k].pid |= host;
		w->list[k].tid |= host;
		w->list[k].parent |= host;
	}
	for (uint64_t k = w->n_waits; k < w->n_waits + seen.n_waits; k++) {
		struct watch_wait *x = &w->wait[k];
		x->waiter += w->n_list;
		x->throttled += x->throttled == WAIT_THROTTLED_ELSEWHERE ? 0 : w->n_list;
		x->woken_ns = x->woken_ns ? host_clock_common(&h->clock[i], x->woken_ns) : 0;
	}
	w->n_list += seen.n_threads;
	w->n_waits += seen.n_waits;
	return 0;
}

ORDER_BY(by_instant, struct watch_wait, at_ns)

static int found_join(const struct hosts_run *h, struct watch *w, uint64_t *n_lost, struct err *e)
{
	const struct run_config *c = h->config;
	uint32_t throttled = 0;
	int ret = 0;
	for (uint32_t i = 0; i < h->n && !ret; i++)
		ret = seen_load(h, i, w, n_lost, e);
	while (!ret && throttled < w->n_list && w->list[throttled].key != c->watch.throttled)
		throttled++;
	for (uint64_t k = 0; k < w->n_waits && !ret; k++)
		if (w->wait[k].throttled == WAIT_THROTTLED_ELSEWHERE)
			w->wait[k].throttled = throttled;
	if (w->n_waits && !ret)
		qsort(w->wait, w->n_waits, sizeof *w->wait, by_instant);
	return ret;
}

/* --- a run -------------------------------------------------------------- */

static void hosts_release(struct hosts_run *h)
{
	static const char *const endings[] = {".raw", ".seen", NULL};
	for (size_t i = 0; i < h->n; i++) {
		struct agent_peer *p = &h->peer[i];
		fd_close(p->process.input); /* at the end of its input, the agent ends */
		if (p->process.pid > 0)
			waitpid(p->process.pid, NULL, 0);
		fd_close(p->out);
		for (const char *const *ending = endings; *ending; ending++) {
			SCOPED_FREE char *path = agent_path(h->path, p->host, *ending);
			unlink(path);
		}
	}
	SCOPED_FREE char *given = xasprintf("%s.given", h->path);
	unlink(given);
	for (size_t i = 0; i < h->n_names; i++)
		free(h->name[i]);
	FREE_EACH(h->path, h->link, h->peer, h->clock, h->name);
}

static int run_all(struct hosts_run *h, const char *file, const char *library, struct err *e)
{
	const struct run_config *c = h->config;
	char line[128];
	int ret = c->snapshot ? names_walk(h, c->root, "", e) : 0;
	if (h->n_names)
		qsort(h->name, h->n_names, sizeof *h->name, order_text);
	ret = ret ? ret : agents_start(h, e);
	ret = ret ? ret : clocks_measure(h, 0, e);
	if (ret)
		return ret;
	settle_find(h);
	application_start(h, file, library);
	if (h->application < 0)
		return err_sys(e, errno, "cannot start %s", file);
	application_serve(h);
	ret = clocks_measure(h, 1, e);
	for (size_t i = 0; i < h->n; i++)
		message_send(&h->peer[i], AGENT_END "\n");
	for (size_t i = 0; i < h->n && !ret; i++)
		if (!h->peer[i].done &&
		    !answer_await(&h->peer[i], AGENT_DONE, line, sizeof line, INT_MAX))
			ret = agent_failed(h, &h->peer[i], e);
	return ret;
}

/* The absolute path of the run's files without ".raw", because agents start in another
 * directory. */
static char *path_of(const char *raw)
{
	SCOPED_FREE char *cwd = *raw == '/' ? xstrdup("") : getcwd(NULL, 0);
	return xasprintf("%s%s%.*s", cwd ? cwd : "", *raw == '/' ? "" : "/",
			 (int)(strlen(raw) - strlen(".raw")), raw);
}

int hosts_run_once(const struct run_config *c, struct run_result *r, struct app_outcome *o,
		   const char *file, struct err *e)
{
	struct hosts_run h = {.config = c, .n = c->hosts->n, .path = path_of(c->raw)};
	SCOPED_FREE char *library = app_library_find(true, e);
	h.link = xasprintf("%s/validate-hosts-%ld-%" PRIx64, c->scratch ? c->scratch : "/dev/shm",
			   (long)getpid(), (uint64_t)clock_realtime_ns());
	h.peer = xcalloc(h.n, sizeof *h.peer);
	h.clock = xcalloc(h.n, sizeof *h.clock);
	for (size_t i = 0; i < h.n; i++)
		h.peer[i] = (struct agent_peer){
		    .host = c->hosts->v[i], .process = {0, -1}, .out = -1};
	int ret = library ? run_all(&h, file, library, e) : -e->code;
	ret = ret ? ret : found_join(&h, r->watch, &o->n_lost, e);
	o->status = h.status;
	if (!ret && !h.killed)
		ret = hosts_join(h.path, c->hosts, h.clock, c->snapshot ? h.name : NULL, h.n_names,
				 c->raw, e);
	for (size_t i = 0; i < h.n && !ret; i++)
		r->clock_bound_ns = h.clock[i].bound_ns[0] > r->clock_bound_ns
					? h.clock[i].bound_ns[0]
					: r->clock_bound_ns;
	hosts_release(&h);
	return ret;
}
