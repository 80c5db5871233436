/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/pool/hosts.h"

#include <spawn.h>
#include <sys/wait.h>

#include "common/embed.h"
#include "common/files.h"
#include "common/hosts.h"
#include "common/options.h"
#include "common/text.h"

#define LOG_BYTES (1 << 20)

/* --- one host ------------------------------------------------------------ */

char *hosts_results(const char *dir, const char *host)
{
	return xasprintf("%s/hosts/%s", dir, host);
}

static void words_add(struct strbuf *script, char *const *words)
{
	for (; *words; words++) {
		strbuf_addch(script, ' ');
		shell_word(script, *words);
	}
	strbuf_addch(script, '\n');
}

EMBED(host_script, "validate/pool/host.sh");

static void variable_add(struct strbuf *script, const char *name, const char *text)
{
	strbuf_addf(script, "%s=", name);
	shell_word(script, text);
	strbuf_addch(script, '\n');
}

/* Makes the script. The shell reads the whole group of commands before it starts. `mark`: a file
 * that a host sees only if the storage is shared. */
static void script_make(struct strbuf *script, const struct hosts_spec *s, const char *host,
			const char *mark)
{
	SCOPED_FREE char *results = hosts_results(s->dir, host);
	strbuf_addstr(script, "{\n");
	variable_add(script, "results", results);
	variable_add(script, "program", s->program);
	variable_add(script, "mark", mark);
	strbuf_addstr(script, "set -- ");
	shell_word(script, s->protocol);
	words_add(script, s->options);
	if (s->resume_options) {
		strbuf_addstr(script, "[ ! -e \"$results/journal\" ] || set -- --resume");
		words_add(script, s->resume_options);
	}
	strbuf_addf(script, "%s}\n", host_script);
}

struct host {
	const char *name;
	/* pid 0: none. When its input ends, the campaign of the host ends */
	struct host_process process;
};

static int file_make(const char *path, struct err *e)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? err_sys(e, errno, "cannot create %s", path) : fd;
}

static int host_begin(const struct hosts_spec *s, struct host *h, const char *mark, struct err *e)
{
	SCOPED_STRBUF script = STRBUF_INIT;
	SCOPED_FREE char *results = hosts_results(s->dir, h->name);
	SCOPED_FREE char *archive = xasprintf("%s.back", results);
	SCOPED_FREE char *log = xasprintf("%s.log", results);
	script_make(&script, s, h->name, mark);
	const int output = file_make(archive, e), messages = output < 0 ? -1 : file_make(log, e);
	const int ret = messages < 0 ? -e->code
				     : host_start(&h->process, s->launcher, h->name, script.s,
						  output, messages, e);
	fd_close(output);
	fd_close(messages);
	return ret;
}

/* --- its end ------------------------------------------------------------- */

/* Finds the first message of validate in the log, otherwise the first line with text. */
static void reason_find(const char *log, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	const char *found = NULL;
	file_read(log, &text, LOG_BYTES, NULL);
	char *rest = text.s;
	for (char *line; (line = strsep(&rest, "\n"));)
		if (!strncmp(line, "validate: ", 10)) {
			found = line;
			break;
		} else if (!found && line[strspn(line, " \t\r-")]) {
			found = line;
		}
	err_set(e, EIO, "%s", found ? found : "the launcher failed and printed nothing");
	text_make_line(e->msg);
}

static int archive_unpack(const char *archive, const char *results, struct err *e)
{
	char *const argv[] = {"sh", "-c", "base64 -di <\"$0\" | tar -xzf - -C \"$1\"",
			      (char *)archive, (char *)results, NULL};
	pid_t pid;
	int status;
	int ret = dir_remove_tree(results, e);
	ret = ret ? ret : dir_create(results, e);
	if (ret)
		return ret;
	const int code = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	if (code)
		return err_sys(e, code, "cannot start sh");
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	return status ? err_set(e, EIO, "cannot unpack the archive of the results, "
					"%s", archive) : 0;
}

static int host_end(const struct hosts_spec *s, struct host *h, int status, struct err *e)
{
	SCOPED_FREE char *results = hosts_results(s->dir, h->name);
	SCOPED_FREE char *archive = xasprintf("%s.back", results);
	SCOPED_FREE char *log = xasprintf("%s.log", results);
	struct stat st;
	int ret = 0;
	h->process.pid = 0;
	if (status)
		reason_find(log, e);
	else if (!stat(archive, &st) && st.st_size)
		ret = archive_unpack(archive, results, e);
	unlink(archive);
	return status ? -EIO : ret;
}

/* --- all hosts ----------------------------------------------------------- */

static void end_report(const struct hosts_spec *s, const char *host, bool failed, struct err *e)
{
	if (s->ended)
		s->ended(s->ctx, host, failed ? e->msg : NULL);
	err_clear(e);
}

/* Waits for the next launcher that ends. Returns its index; n: none is left. */
static size_t next_end(const struct host *host, size_t n, int *status)
{
	for (;;) {
		const pid_t pid = wait(status);
		if (pid < 0 && errno != EINTR)
			return n;
		for (size_t i = 0; i < n && pid > 0; i++)
			if (host[i].process.pid == pid)
				return i;
	}
}

int hosts_run(const struct hosts_spec *s, const struct words_list *names, bool *failed,
	      struct err *e)
{
	SCOPED_FREE char *dir = hosts_results(s->dir, "");
	SCOPED_FREE char *mark = xasprintf("%s.shared-XXXXXX", dir);
	int ret = host_launcher_check(s->launcher, e);
	ret = ret ? ret : dir_create(dir, e);
	if (ret)
		return ret;
	const int fd = mkostemp(mark, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot create %s", mark);
	close(fd);
	SCOPED_FREE struct host *host = xcalloc(names->n, sizeof *host);
	size_t n_running = 0;
	for (size_t i = 0; i < names->n; i++) {
		host[i] = (struct host){names->v[i], {0, -1}};
		failed[i] = host_begin(s, &host[i], mark, e) < 0;
		n_running += !failed[i];
		if (failed[i])
			end_report(s, host[i].name, true, e);
	}
	while (n_running--) {
		int status;
		const size_t i = next_end(host, names->n, &status);
		if (i == names->n)
			break;
		failed[i] = host_end(s, &host[i], status, e) < 0;
		end_report(s, host[i].name, failed[i], e);
	}
	for (size_t i = 0; i < names->n; i++)
		fd_close(host[i].process.input);
	unlink(mark);
	return 0;
}
