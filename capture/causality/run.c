/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/causality/agent.h"

#include <sys/wait.h>

#include "capture/app/app.h"
#include "capture/causality/thread_look.h"
#include "common/clock.h"
#include "common/mpi_leftovers.h"

struct run_start {
	const struct run_config *config;
	struct watch *watch;
	char *file;
};

int run_output_redirect(const char *log)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC),
	    to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	bool ok =
	    null >= 0 && to >= 0 && dup2(null, 0) >= 0 && dup2(to, 1) >= 0 && dup2(to, 2) >= 0;
	return ok ? 0 : -errno;
}

/* Runs in the child process. */
static int command_start(void *ctx)
{
	const struct run_start *s = ctx;
	if (run_output_redirect(s->config->log))
		return 126;
	watch_output(s->watch, STDOUT_FILENO);
	execv(s->file, s->config->command);
	int code = errno;
	fprintf(stderr, "%s: %s\n", s->file, strerror(code));
	return code == ENOENT ? 127 : 126;
}

static int before_run(const char *line, const char *log, struct err *e)
{
	int status;
	pid_t pid = line ? fork() : 0;
	if (!line)
		return 0;
	if (pid < 0)
		return err_sys(e, errno, "cannot start the command given with --before");
	if (!pid) {
		run_output_redirect(log);
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_sys(e, errno, "cannot wait for the command given with --before");
	if (status)
		return err_set(
		    e, ECHILD, "--before \"%s\" ended with status %d; its output is in %s", line,
		    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), log);
	return 0;
}

/* Kills processes left over from an interrupted application, because a second signal ends the
 * capture first. */
static void leave_nothing(void)
{
	for (int i = 0; i < 200; i++) {
		descendants_kill();
		pid_t got;
		while ((got = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (got < 0)
			return;
		const struct timespec pause = {0, 10000000};
		nanosleep(&pause, NULL);
	}
}

static int outcome_judge(const struct run_config *c, const struct app_outcome *o,
			 const struct run_result *r, struct err *e)
{
	if (o->n_stops)
		return err_set(e, EINTR, "interrupted by a signal");
	if (r->seen.runs_on[0])
		return err_set(e, EILSEQ,
			       "the application does not make the same requests in each run: "
			       "while one request was delayed, %s",
			       r->seen.runs_on);
	if (r->seen.stopped[0])
		return err_set(e, ECHILD,
			       "the capture ended the application, because no traced thread made a "
			       "request for at least 10 s. A signal such as SIGSTOP suspended "
			       "these processes: %s. The output of the application is in %s",
			       r->seen.stopped, c->log);
	if (r->seen.stuck)
		return err_set(e, EDEADLK,
			       "the capture ended the application, because no traced thread made a "
			       "request for a long time in a run that delays requests (%s). With "
			       "larger values of --factor and --floor, the capture waits longer",
			       r->seen.stuck_at);
	if (WIFSIGNALED(o->status))
		return err_set(e, ECHILD,
			       "the application was killed by signal %d (%s); its output is in %s",
			       WTERMSIG(o->status), strsignal(WTERMSIG(o->status)), c->log);
	if (WEXITSTATUS(o->status))
		return err_set(e, ECHILD,
			       "the application ended with status %d; its output is in %s",
			       WEXITSTATUS(o->status), c->log);
	if (r->seen.too_many)
		return err_set(e, E2BIG, "the application has too many threads: at most %u on "
			"each host are possible",
			       CAUSALITY_THREADS_MAX);
	if (r->seen.n_async)
		return err_set(e, ENOTSUP,
			       "the application makes asynchronous requests (%" PRIu32
			       "; libaio, POSIX AIO, io_uring): dependencies can be found only "
			       "between calls that block a thread",
			       r->seen.n_async);
	if (o->n_lost)
		return err_set(
		    e, EOVERFLOW,
		    "%" PRIu64
		    " requests were not recorded. Usual causes: a limit on the program's memory or "
		    "file size, a seccomp filter, or a full scratch directory (--scratch)",
		    o->n_lost);
	return 0;
}

int run_once(const struct run_config *c, struct run_result *r, struct err *e)
{
	struct app_config app;
	struct app_outcome o = {.status = 0};
	struct run_start s = {.config = c};
	struct mpi_leftovers leftovers;
	*r = (struct run_result){NULL};
	int ret = before_run(c->before, c->log, e);
	s.file = ret ? NULL : app_command_find(c->command[0], e);
	if (!s.file)
		return ret ? ret : -e->code;
	app_config_init(&app);
	app.output = c->raw;
	app.command = c->command;
	app.scratch = c->scratch;
	app.causes = true;
	app.snapshot = c->snapshot;
	app.root = c->root ? c->root : app.root;
	app.start = command_start;
	app.start_ctx = &s;
	watch_open(&r->watch, &c->watch);
	s.watch = r->watch;
	app.prepare = watch_prepare;
	app.prepare_ctx = r->watch;
	mpi_leftovers_note(&leftovers);
	const int64_t begin = clock_monotonic_ns();
	ret = c->hosts ? hosts_run_once(c, r, &o, s.file, e) : app_capture(&app, &o, e);
	r->took_ns = clock_monotonic_ns() - begin;
	watch_end(r->watch, &r->seen);
	leave_nothing();
	mpi_leftovers_remove(&leftovers);
	r->interrupted = o.n_stops > 0;
	if (!ret || o.n_stops)
		ret = outcome_judge(c, &o, r, e);
	app_outcome_release(&o);
	free(s.file);
	return ret;
}
