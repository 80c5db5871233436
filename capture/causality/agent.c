/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/agent.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "capture/app/app.h"
#include "common/files.h"
#include "common/leftovers.h"

char *agent_path(const char *path, const char *host, const char *ending)
{
	return xasprintf("%s.%s%s", path, host, ending);
}

struct agent {
	struct agent_given given;
	struct watch_thread *known;
	struct watch *watch;
	int end[2]; /* a pipe: closing it ends the child that represents the application */
};

static int given_read(struct agent *a, const char *path, struct err *e)
{
	SCOPED_FREE char *from = xasprintf("%s.given", path);
	SCOPED_STRBUF b = STRBUF_INIT;
	struct agent_given *g = &a->given;
	int ret = file_read(from, &b, 0, e);
	if (ret)
		return ret;
	if (b.len >= sizeof *g)
		memcpy(g, b.s, sizeof *g);
	if (b.len < sizeof *g || strncmp(g->version, VALIDATE_VERSION, sizeof g->version) ||
	    g->size != sizeof *g + sizeof *a->known ||
	    b.len != sizeof *g + g->n_known * sizeof *a->known)
		return err_set(e, EPROTO, "%s was written by another version of validate: install "
			"the same version on all hosts", from);
	a->known = xcalloc((size_t)g->n_known + 1, sizeof *a->known);
	memcpy(a->known, b.s + sizeof *g, g->n_known * sizeof *a->known);
	return 0;
}

static int application_await(void *ctx)
{
	struct agent *a = ctx;
	char c;
	close(a->end[1]);
	while (read(a->end[0], &c, 1) < 0 && errno == EINTR)
		;
	return 0;
}

/* Ends the command by a byte. The pipe stays open: a command that is forked at this instant may get
 * a copy of the pipe and a changed end[1], and would then wait for its own copy. */
static void application_over(void *ctx)
{
	struct agent *a = ctx;
	write_all(a->end[1], "", 1);
}

/* Renames the scratch directory to the name that all hosts use. */
static int agent_prepare(void *ctx, const char *dir, struct err *e)
{
	struct agent *a = ctx;
	int ret = watch_prepare(a->watch, dir, e);
	if (!ret && symlink(dir, a->given.link) < 0)
		ret = err_sys(e, errno,
			      "cannot create the symbolic link %s (if two hosts of --hosts "
			      "are the same machine, name only one of them)",
			      a->given.link);
	if (!ret && write_all(STDOUT_FILENO, AGENT_READY "\n", sizeof AGENT_READY) < 0)
		ret = err_set(e, EPIPE,
			      "lost the connection to the host on which the capture was started");
	return ret;
}

static int seen_write(struct agent *a, const char *path, const struct app_outcome *o, struct err *e)
{
	SCOPED_STRBUF b = STRBUF_INIT;
	struct agent_seen seen = {.n_lost = o->n_lost};
	watch_end(a->watch, &seen.outcome);
	const bool by_watchdog =
	    seen.outcome.stuck || *seen.outcome.runs_on || *seen.outcome.stopped;
	if (WIFSIGNALED(o->status) && !by_watchdog)
		return err_set(e, EINTR, "signal %d (%s) ended the recording on this host before "
					 "the application ended",
			       WTERMSIG(o->status), strsignal(WTERMSIG(o->status)));
	const struct watch_thread *t = watch_threads(a->watch, &seen.n_threads);
	const struct watch_wait *w = watch_waits(a->watch, &seen.n_waits);
	strbuf_add(&b, &seen, sizeof seen);
	strbuf_add(&b, t, seen.n_threads * sizeof *t);
	strbuf_add(&b, w, seen.n_waits * sizeof *w);
	return file_write_atomic(path, b.s, b.len, e);
}

int agent_run(const char *path, const char *host, struct err *e)
{
	struct agent a = {.end = {-1, -1}};
	struct app_config app;
	struct app_outcome o = {.status = 0};
	char *command[] = {"sh", NULL};
	SCOPED_FREE char *raw = agent_path(path, host, ".raw"),
			 *seen = agent_path(path, host, ".seen");
	int ret = given_read(&a, path, e);
	if (!ret && pipe2(a.end, O_CLOEXEC) < 0)
		ret = err_sys(e, errno, "cannot create a pipe");
	if (!ret) {
		const struct agent_given *g = &a.given;
		const struct watch_config watch = {.root = g->root,
						   .throttled = g->throttled,
						   .period = g->period,
						   .known = a.known,
						   .n_known = g->n_known,
						   .factor = g->factor,
						   .compute_floor_ns = g->compute_floor_ns,
						   .quiet_ns = g->quiet_ns,
						   .by_agent = true,
						   .over = application_over,
						   .over_ctx = &a};
		watch_open(&a.watch, &watch);
		app_config_init(&app);
		app.output = raw;
		app.root = g->root;
		app.scratch = g->has_scratch ? g->scratch : NULL;
		app.snapshot = g->snapshot;
		app.causes = true;
		app.command = command;
		app.start = application_await;
		app.start_ctx = &a;
		app.prepare = agent_prepare;
		app.prepare_ctx = &a;
		ret = app_capture(&app, &o, e);
		unlink(g->link);
		ret = ret ? ret : seen_write(&a, seen, &o, e);
		if (!ret && write_all(STDOUT_FILENO, AGENT_DONE "\n", sizeof AGENT_DONE) < 0)
			ret = err_set(e, EPIPE, "lost the connection to the host on which the "
						"capture was started");
		watch_close(a.watch);
		app_outcome_release(&o);
	}
	fd_close(a.end[0]);
	fd_close(a.end[1]);
	free(a.known);
	return ret;
}
