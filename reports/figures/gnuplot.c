/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/figures/figure.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "common/files.h"

#define OUTPUT_MAX_BYTES (256l << 20)

/* Finds gnuplot in an absolute directory of $PATH; a relative directory may belong to another user.
 * The caller frees the name. NULL: there is none. */
static char *find_gnuplot(void)
{
	char *name = getenv("PATH") ? command_path("gnuplot") : NULL;
	if (!name || name[0] == '/')
		return name;
	free(name);
	return NULL;
}

bool figure_gnuplot_found(void)
{
	SCOPED_FREE char *name = find_gnuplot();
	return name;
}

/* Polls every few milliseconds, because the caller may have other children and signal handlers. */
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
	TEMP_FAILURE_RETRY(waitpid(pid, status, 0));
	return -ETIMEDOUT;
}

static int spawn_on(const char *program, char *const *argv, const int fd[3], pid_t *pid)
{
	SCOPED_FREE char *path = xasprintf("PATH=%s", getenv("PATH"));
	char locale[] = "LC_ALL=C.UTF-8", term[] = "TERM=dumb";
	char *env[] = {path, locale, term, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigfillset(&defaults);
	posix_spawnattr_init(&attributes); /* in glibc only adding actions can fail, with ENOMEM */
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	int code = posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3 && !code; i++)
		code = posix_spawn_file_actions_adddup2(&actions, fd[i], i);
	code = code ? code : posix_spawn(pid, program, &actions, &attributes, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return -code;
}

void gnuplot_add_data(struct strbuf *script, const struct strbuf *data)
{
	strbuf_addstr(script, "$data << END_OF_DATA\n");
	strbuf_add(script, data->s, data->len);
	strbuf_addstr(script, data->len && data->s[data->len - 1] != '\n' ? "\nEND_OF_DATA\n"
									  : "END_OF_DATA\n");
}

/* Appends the command that prints a mark before plot i. The mark for i = n shows that gnuplot
 * reached the end. */
static void add_mark(struct strbuf *out, size_t i)
{
	strbuf_addf(out, "<!-- plot %zu -->", i);
}

static int write_scripts(int fd, const struct gnuplot_plot *plots, size_t n)
{
	SCOPED_STRBUF all = STRBUF_INIT;
	strbuf_addstr(&all, "set print '-'\n");
	for (size_t i = 0; i <= n; i++) {
		strbuf_addstr(&all, "print '");
		add_mark(&all, i);
		strbuf_addstr(&all, "'\n");
		if (i < n)
			strbuf_add(&all, plots[i].script.s, plots[i].script.len);
	}
	return write_all(fd, all.s, all.len);
}

/* Appends the text between two marks to the plot between them. */
static int split_output(int fd, struct gnuplot_plot *plots, size_t n, struct err *e)
{
	struct stat st;
	int ret = 0;
	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "cannot read the output of gnuplot");
	if (st.st_size > OUTPUT_MAX_BYTES)
		return err_set(e, EFBIG, "gnuplot wrote %lld bytes, more than the limit of %ld",
			       (long long)st.st_size, OUTPUT_MAX_BYTES);
	char *text = xcalloc(1, (size_t)st.st_size + 1), *from = text;
	for (off_t done = 0; done < st.st_size && !ret;) {
		ssize_t got = pread(fd, text + done, (size_t)(st.st_size - done), done);
		done += got > 0 ? got : 0;
		if (got == 0 || (got < 0 && errno != EINTR))
			ret =
			    err_sys(e, got < 0 ? errno : EIO, "cannot read the output of gnuplot");
	}
	SCOPED_STRBUF mark = STRBUF_INIT;
	for (size_t i = 0; i <= n && !ret; i++) {
		strbuf_reset(&mark);
		add_mark(&mark, i);
		char *at = strstr(from, mark.s);
		if (!at)
			ret = err_set(e, EIO, "gnuplot failed: it ended before the last plot");
		else if (i)
			strbuf_add(&plots[i - 1].text, from, (size_t)(at - from));
		from = at ? at + mark.len + (at[mark.len] == '\n') : from;
	}
	free(text);
	return ret;
}

static int program_run(const char *program, const int fd[3], unsigned int timeout_s, struct err *e)
{
	/* pass the script as a file: gnuplot stops at the first error in a file, but not on
	 * standard input */
	char name[] = "gnuplot", defaults[] = "-d", script[] = "/dev/stdin", complaint[8192],
	     *argv[] = {name, defaults, script, NULL};
	int status = 0;
	pid_t pid;
	int ret = spawn_on(program, argv, fd, &pid);
	if (ret)
		return err_sys(e, -ret, "cannot start %s", program);
	ret = wait_for(pid, timeout_s, &status);
	if (ret == -ETIMEDOUT)
		return err_set(e, ETIMEDOUT, "gnuplot did not end within %u s", timeout_s);
	if (ret)
		return err_sys(e, -ret, "cannot wait for gnuplot");
	/* find the line of the log that names the error */
	const ssize_t n =
	    fd[2] < 0 ? 0
		      : TEMP_FAILURE_RETRY(pread(fd[2], complaint, sizeof complaint - 1, 0));
	complaint[n > 0 ? n : 0] = 0;
	for (char *p = complaint; *p; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	const char *text = complaint + strspn(complaint, " ");
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return err_set(e, EIO, "gnuplot failed: %.280s", *text ? text : "no reason given");
	return 0;
}

int gnuplot_run(struct gnuplot_plot *plots, size_t n, unsigned int timeout_s, struct err *e)
{
	static const char *const names[3] = {"gnuplot-script", "gnuplot-plots", "gnuplot-messages"};
	int fd[3] = {-1, -1, -1};
	SCOPED_FREE char *program = find_gnuplot();
	int ret = program ? 0 : err_set(e, ENOENT, "gnuplot was not found");
	for (int i = 0; i < 3 && !ret; i++)
		if ((fd[i] = memfd_create(names[i], MFD_CLOEXEC)) < 0)
			ret = err_sys(e, errno, "cannot create a file in memory for gnuplot");
	int put = ret ? 0 : write_scripts(fd[0], plots, n);
	if (put)
		ret = err_sys(e, -put, "cannot write the script of gnuplot");
	ret = ret ? ret : program_run(program, fd, timeout_s, e);
	ret = ret ? ret : split_output(fd[1], plots, n, e);
	for (int i = 0; i < 3; i++)
		fd_close(fd[i]);
	return ret;
}
