/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/watched.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/clock.h"
#include "common/signals.h"

#define GRACE_NS 1000000000

/* Runs in the child. */
static void child_run(const struct watched_options *o, const sigset_t *mask, const int failed[2])
{
	sigprocmask(SIG_SETMASK, mask, NULL);
	int code = o->prelude ? o->prelude(o->prelude_ctx) : 0;
	if (!code && o->start) { /* it executes no program, which would close the pipe */
		close(failed[0]);
		close(failed[1]);
		_exit(o->start(o->start_ctx));
	}
	if (!code) {
		signal(SIGPIPE, SIG_DFL);
		/* like a shell, executes a script without an interpreter line by /bin/sh */
		execvp(o->file ? o->file : o->command[0], o->command);
		code = errno;
	}
	(void)!write(failed[1], &code, sizeof code);
	_exit(127);
}

int watched_start(const struct watched_options *o, const sigset_t *mask, pid_t *pid, struct err *e)
{
	int failed[2], code = 0;
	if (pipe2(failed, O_CLOEXEC) < 0)
		return err_sys(e, errno, "cannot start %s", o->command[0]);
	fflush(NULL);
	*pid = fork();
	if (*pid == 0)
		child_run(o, mask, failed);
	if (*pid < 0)
		code = errno;
	close(failed[1]);
	if (*pid > 0 &&
	    TEMP_FAILURE_RETRY(read(failed[0], &code, sizeof code)) == sizeof code) {
		waitpid(*pid, NULL, 0);
		*pid = -1;
	}
	close(failed[0]);
	return code ? err_sys(e, code, "cannot start %s", o->command[0]) : 0;
}

/* The next of the blocked signals; 0 at the time limit (end_ns 0: no limit). */
static int signal_wait(const sigset_t *ours, int64_t end_ns)
{
	for (;;) {
		int64_t left = end_ns ? end_ns - clock_monotonic_ns() : 0;
		if (end_ns && left <= 0)
			return 0;
		const struct timespec limit = {left / 1000000000, left % 1000000000};
		int got = sigtimedwait(ours, NULL, end_ns ? &limit : NULL);
		if (got > 0)
			return got;
		if (errno != EINTR && errno != EAGAIN)
			return SIGTERM;
	}
}

/* Whether a signal arrived before the command was started. */
static bool signal_came(const sigset_t *ours)
{
	const struct timespec now = {0, 0};
	int got;
	while ((got = sigtimedwait(ours, NULL, &now)) == SIGCHLD)
		;
	return got > 0;
}

/* Whether the child has ended. Continues a child of this process that was stopped, because nothing
 * else would wake it. */
static bool has_ended(const struct watched_options *o, pid_t pid, struct watched *w)
{
	int status;
	if (pid <= 0 || w->has_status ||
	    waitpid(pid, &status, WNOHANG | (o->start ? WUNTRACED : 0)) != pid)
		return w->has_status;
	if (WIFSTOPPED(status)) {
		kill(pid, SIGCONT);
		return false;
	}
	w->status = status;
	w->has_status = true;
	return true;
}

static void command_end(const struct watched_options *o, pid_t pid, const sigset_t *ours,
			struct watched *w)
{
	int64_t end_ns = clock_monotonic_ns() + GRACE_NS;
	kill(pid, SIGTERM);
	while (!has_ended(o, pid, w) && clock_monotonic_ns() < end_ns)
		signal_wait(ours, end_ns);
	if (has_ended(o, pid, w))
		return;
	kill(pid, SIGKILL);
	w->has_status = waitpid(pid, &w->status, 0) == pid;
}

static void linger_until(const sigset_t *ours, int64_t end_ns)
{
	while (signal_wait(ours, end_ns) == SIGCHLD)
		; /* another child has ended */
}

#define LOOK_NS 50000000

/* Waits for a process that is not a child. */
static void process_wait(const struct watched_options *o, const sigset_t *ours, int64_t end_ns,
			 struct watched *w)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, o->pid, 0), .events = POLLIN};
	while (p.fd >= 0 ? poll(&p, 1, 0) == 0 : kill(o->pid, 0) == 0 || errno == EPERM) {
		int64_t now = clock_monotonic_ns(), next = now + LOOK_NS;
		if (end_ns && now >= end_ns)
			break;
		int got = signal_wait(ours, end_ns && end_ns < next ? end_ns : next);
		if (got && got != SIGCHLD) {
			w->interrupted = true;
			break;
		}
	}
	fd_close(p.fd);
}

static void command_wait(const struct watched_options *o, pid_t pid, const sigset_t *ours,
			 int64_t end_ns, struct watched *w)
{
	while ((o->command || o->pid <= 0) && !has_ended(o, pid, w)) {
		int got = signal_wait(ours, end_ns);
		if (got == SIGCHLD)
			continue;
		w->interrupted = got != 0;
		break;
	}
}

int watched_run(const struct watched_options *o, struct watched *w, struct err *e)
{
	sigset_t ours, before;
	pid_t pid = -1;
	*w = (struct watched){.has_status = false};
	signals_hold(&ours, true, &before);
	w->interrupted = signal_came(&ours);
	int ret =
	    o->command && !w->interrupted
		? watched_start(o, o->before ? o->before : &before, &pid, e)
		: 0;
	int64_t end_ns = o->duration_ns ? clock_monotonic_ns() + o->duration_ns : 0;
	if (!w->interrupted && !o->command && o->pid > 0)
		process_wait(o, &ours, end_ns, w);
	if (!w->interrupted && !ret)
		command_wait(o, pid, &ours, end_ns, w);
	if (pid > 0 && !w->has_status)
		command_end(o, pid, &ours, w);
	else if (!ret && o->linger_ns && !w->interrupted)
		linger_until(&ours, clock_monotonic_ns() + o->linger_ns);
	signals_release(&before, w->interrupted);
	return ret;
}
