/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/tool.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "common/files.h"
#include "replay/engines/adapters/child.h"

#define LOG_BYTES 400

pid_t tool_start(char *const *argv, const char *dir, const char *user, int out, bool tells)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid) {
		if (pid > 0)
			/* both processes call it, because either may run first */
			setpgid(pid, pid);
		return pid;
	}
	int in = open("/dev/null", O_RDONLY);
	setpgid(0, 0);
	if (in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		_exit(127);
	int code = dir && chdir(dir) < 0 ? errno : user ? child_user_become(user) : 0;
	if (!code) {
		execvp(argv[0], argv);
		code = errno;
	}
	if (tells)
		dprintf(2, "%s\n", strerror(code));
	_exit(127);
}

/* Appends the end of the program's printed text, on a single line. */
static void log_end(const char *log, struct strbuf *out)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	if (!file_read(log, &all, 1 << 20, NULL))
		strbuf_addstr(out, all.len > LOG_BYTES ? all.s + all.len - LOG_BYTES : all.s);
	while (out->len && strchr(" \r\n", out->s[out->len - 1]))
		out->s[--out->len] = 0;
	for (size_t i = 0; i < out->len; i++)
		if ((unsigned char)out->s[i] < ' ')
			out->s[i] = ' ';
}

/* 0 when it has ended. */
static int tool_wait(pid_t pid, int64_t limit_ns, int *status)
{
	struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	int64_t ms = limit_ns / 1000000;
	int ready = ended.fd < 0 ? 1 : poll(&ended, 1, ms > INT32_MAX ? INT32_MAX : (int)ms);
	fd_close(ended.fd);
	if (ready < 1)
		kill(-pid, SIGKILL);
	TEMP_FAILURE_RETRY(waitpid(pid, status, 0));
	return ready < 1 ? -ETIMEDOUT : 0;
}

int tool_run(char *const *argv, const char *dir, const char *log, const char *user,
	     int64_t limit_ns, struct err *e)
{
	int status = 0, out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (out < 0)
		return err_sys(e, errno, "cannot create %s", log);
	pid_t pid = tool_start(argv, dir, user, out, true);
	int code = errno;
	close(out);
	if (pid < 0)
		return err_sys(e, code, "%s cannot be started", argv[0]);
	if (tool_wait(pid, limit_ns, &status))
		return err_set(e, ETIMEDOUT, "%s did not end within %lld s", argv[0],
			       (long long)(limit_ns / 1000000000));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	SCOPED_STRBUF end = STRBUF_INIT;
	log_end(log, &end);
	err_set(e, EPROTO, "%s ended %s %d: %s", argv[0],
		WIFSIGNALED(status) ? "by signal" : "with status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
		end.len ? end.s : "it printed nothing");
	return -EPROTO;
}
