/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/tool.h"

#include <ctype.h>
#include <poll.h>
#include <sys/wait.h>

#include "capture/app/app.h"
#include "common/clock.h"

#define VERSION_LIMIT_NS 5000000000
#define VERSION_BYTES 200

char *binary_find(const char *name, struct err *e)
{
	char *found = app_command_find(name, e),
	     *here = found && *found != '/' ? getcwd(NULL, 0) : NULL;
	if (!here)
		/* links are not resolved: the behaviour of some programs depends on the name by
		 * which they are started */
		return found;
	char *whole = xasprintf("%s/%s", here, found);
	FREE_EACH(found, here);
	return whole;
}

char *adapter_binary(const struct adapter *a, struct err *e)
{
	SCOPED_FREE char *variable = xasprintf("VALIDATE_%s", a->name);
	for (char *p = variable; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	const char *given = getenv(variable);
	char *found = binary_find(given && *given ? given : a->program, e);
	if (!found && given && *given)
		err_context(e, "%s", variable);
	else if (!found)
		err_set(e, ENOENT, "%s was not found: PATH has no program \"%s\"; install it, or "
			"set the environment variable %s to its path", a->name, a->program,
			variable);
	return found;
}

/* --- version ------------------------------------------------------------- */

/* Reads until the end of the first line or until the time limit. */
static size_t line_read(int fd, char *line, size_t size)
{
	int64_t until_ns = clock_monotonic_ns() + VERSION_LIMIT_NS;
	size_t n = 0;
	while (n < size - 1 && !memchr(line, '\n', n)) {
		int64_t left_ms = (until_ns - clock_monotonic_ns()) / 1000000;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (left_ms <= 0 || poll(&p, 1, (int)left_ms) <= 0)
			break;
		ssize_t got = read(fd, line + n, size - 1 - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	line[n] = 0;
	return n;
}

int binary_first_line(char *const *argv, const char *user, struct strbuf *out, struct err *e)
{
	char line[VERSION_BYTES];
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, errno, "cannot create a pipe");
	/* `--version` runs an untrusted program, so it runs as `user` */
	pid_t pid = tool_start(argv, NULL, user, ends[1], false);
	int code = errno;
	close(ends[1]);
	if (pid > 0) {
		line_read(ends[0], line, sizeof line);
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	close(ends[0]);
	if (pid < 0)
		return err_sys(e, code, "cannot start %s", argv[0]);
	line[strcspn(line, "\r\n")] = 0;
	if (!*line)
		return err_set(e, ENODATA, "%s does not report its version", argv[0]);
	for (const char *p = line; *p; p++)
		strbuf_addch(out, (unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e ? '?' : *p);
	return 0;
}
