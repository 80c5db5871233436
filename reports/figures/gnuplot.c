/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figures/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "reports/escape.h"
#include "reports/figures/figure.h"

/* The full name of gnuplot; the caller frees. NULL: there is none. */
static char *find_gnuplot(void)
{
	const char *path = getenv("PATH");
	while (path && *path) {
		size_t len = strcspn(path, ":");
		char *name = xasprintf("%.*s%sgnuplot", (int)len, path, len ? "/" : "./");
		struct stat st;
		/* only absolute entries: the child runs in another directory */
		if (name[0] == '/' && stat(name, &st) == 0 && S_ISREG(st.st_mode) && access(name, X_OK) == 0)
			return name;
		free(name);
		path += len + (path[len] == ':');
	}
	return NULL;
}

bool figure_gnuplot_found(void)
{
	char *name = find_gnuplot();
	free(name);
	return name != NULL;
}

/* Waits by looking every few milliseconds: the caller may have children and signals of its own. */
static int wait_for(pid_t pid, unsigned int timeout_s, int *status)
{
	for (unsigned long ms = 0; ms < timeout_s * 1000ul; ms += 5) {
		pid_t done = waitpid(pid, status, WNOHANG);
		if (done == pid)
			return 0;
		if (done < 0 && errno != EINTR)
			return -errno;
		nanosleep(&(struct timespec){0, 5000000}, NULL);
	}
	kill(pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return -ETIMEDOUT;
}

static int spawn_in(const char *program, const char *dir, char *const *argv, int log_fd, pid_t *pid)
{
	char *path = xasprintf("PATH=%s", getenv("PATH"));
	char locale[] = "LC_ALL=C.UTF-8", term[] = "TERM=dumb";
	char *env[] = {path, locale, term, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigfillset(&defaults);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	/* Without one of these gnuplot would write into another directory. */
	int code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	code = code ? code : posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (!code && log_fd >= 0)
		code = posix_spawn_file_actions_adddup2(&actions, log_fd, 2);
	else if (!code)
		code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	code = code ? code : posix_spawn_file_actions_addchdir_np(&actions, dir);
	code = code ? code : posix_spawn(pid, program, &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	free(path);
	return -code;
}

/* The line of the log that names the error, on one line. */
static void read_complaint(int fd, char *text, size_t size)
{
	ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : 0;
	text[n > 0 ? n : 0] = 0;
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
}

int gnuplot_run(const char *dir, char *const *scripts, size_t n, unsigned int timeout_s, struct err *e)
{
	char *program = find_gnuplot();
	if (!program)
		return err_set(e, ENOENT, "gnuplot was not found");
	char **argv = xcalloc(n + 3, sizeof *argv);
	char name[] = "gnuplot", defaults[] = "-d", complaint[8192] = "";
	argv[0] = name;
	argv[1] = defaults;
	memcpy(argv + 2, scripts, n * sizeof *argv);
	int log_fd = memfd_create("gnuplot", MFD_CLOEXEC), status = 0;
	pid_t pid;
	int ret = spawn_in(program, dir, argv, log_fd, &pid);
	if (ret) {
		ret = err_sys(e, -ret, "cannot start %s", program);
		goto out;
	}
	ret = wait_for(pid, timeout_s, &status);
	if (ret == -ETIMEDOUT) {
		ret = err_set(e, ETIMEDOUT, "gnuplot did not end within %u s", timeout_s);
	} else if (ret) {
		ret = err_sys(e, -ret, "cannot wait for gnuplot");
	} else {
		read_complaint(log_fd, complaint, sizeof complaint);
	}
	/* gnuplot leaves out a file that it cannot read, and ends with 0 */
	const char *unread = strstr(complaint, "Cannot find or open file"), *text = unread ? unread : complaint + strspn(complaint, " ");
	if (!ret && (!WIFEXITED(status) || WEXITSTATUS(status) || unread))
		ret = err_set(e, EIO, "gnuplot failed: %.280s", *text ? text : "no reason given");
out:
	if (log_fd >= 0)
		close(log_fd);
	free(argv);
	free(program);
	return ret;
}
