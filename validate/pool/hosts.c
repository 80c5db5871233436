/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/pool/hosts.h"

#include <ctype.h>
#include <spawn.h>
#include <sys/wait.h>

#include "common/files.h"
#include "common/options_describe.h"
#include "common/text.h"
#include "common/units.h"

#define HOST_CHARACTERS                                                                            \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@:"
#define LOG_BYTES (1 << 20)

/* --- the list ------------------------------------------------------------ */

static int name_add(struct words_list *names, const char *name, struct err *e)
{
	if (!*name || name[strspn(name, HOST_CHARACTERS)] || strchr("-.", *name))
		return err_set(e, EINVAL, "\"%s\" is not the name of a host", name);
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return err_set(e, EINVAL, "the host %s occurs twice", name);
	if (names->n == HOSTS_MAX)
		return err_set(e, EINVAL, "more than %d hosts", HOSTS_MAX);
	words_list_add(names, name);
	return 0;
}

static int pattern_add(struct words_list *names, const char *pattern, struct err *e);

/* `range`: a number, or two with "-" between. Numbers have at least the digits of the first. */
static int range_add(struct words_list *names, const char *before, const char *range,
		     const char *after, struct err *e)
{
	const int digits = (int)strspn(range, "0123456789");
	const char *last = range[digits] == '-' ? range + digits + 1 : range;
	char *end;
	const unsigned long first = strtoul(range, NULL, 10), to = strtoul(last, &end, 10);
	if (!digits || !isdigit((unsigned char)*last) || *end || digits > 9 || to < first)
		return err_set(e, EINVAL, "[%s] is no list of numbers such as [01-12,20]", range);
	int ret = 0;
	for (unsigned long i = first; i <= to && !ret; i++) {
		SCOPED_FREE char *name = xasprintf("%s%0*lu%s", before, digits, i, after);
		ret = pattern_add(names, name, e);
	}
	return ret;
}

/* Expands the first [...], and then the others. */
static int pattern_add(struct words_list *names, const char *pattern, struct err *e)
{
	const char *open = strchr(pattern, '['), *close = open ? strchr(open, ']') : NULL;
	if (!open)
		return name_add(names, pattern, e);
	if (!close)
		return err_set(e, EINVAL, "\"%s\" has no ]", pattern);
	SCOPED_FREE char *before = xasprintf("%.*s", (int)(open - pattern), pattern);
	SCOPED_FREE char *inside = xasprintf("%.*s", (int)(close - open - 1), open + 1);
	char **range = NULL;
	size_t n = 0;
	int ret = split_list(inside, &range, &n, e);
	for (size_t i = 0; i < n && !ret; i++)
		ret = range_add(names, before, range[i], close + 1, e);
	list_free(range, n);
	return ret;
}

static int file_add(struct words_list *names, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = file_read(path, &text, LOG_BYTES, e);
	char *rest = text.s;
	for (char *line; !ret && (line = strsep(&rest, "\n"));) {
		line[strcspn(line, "#")] = 0;
		const char *word = strtok(line, " \t\r");
		ret = word ? pattern_add(names, word, e) : 0;
	}
	return ret ? err_context(e, "%s", path) : 0;
}

int hosts_parse(const char *text, struct words_list *names, struct err *e)
{
	char **pattern = NULL;
	size_t n = 0;
	*names = (struct words_list){NULL, 0, 0};
	const bool is_file = access(text, F_OK) == 0 || strchr(text, '/');
	int ret = is_file ? file_add(names, text, e) : split_list(text, &pattern, &n, e);
	for (size_t i = 0; i < n && !ret; i++)
		ret = pattern_add(names, pattern[i], e);
	list_free(pattern, n);
	if (ret)
		words_list_release(names);
	return ret;
}

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

/* The shell reads the whole group before it starts. `mark` is a file that only a host with shared
 * storage sees. */
static void script_make(struct strbuf *script, const struct hosts_spec *s, const char *host,
			const char *mark)
{
	SCOPED_FREE char *results = hosts_results(s->dir, host);
	strbuf_addstr(script, "{\nresults=");
	shell_word(script, results);
	strbuf_addstr(script, "\nmkdir -p \"${results%/*}\" || exit 3\nset -- ");
	shell_word(script, s->protocol);
	words_add(script, s->options);
	if (s->resume_options) {
		strbuf_addstr(script, "[ ! -e \"$results/journal\" ] || set -- --resume");
		words_add(script, s->resume_options);
	}
	strbuf_addstr(script, "exec 3<&0\n");
	shell_word(script, s->program);
	strbuf_addstr(script, " run \"$@\" -o \"$results\" --quiet >/dev/null </dev/null 3<&- &\ncampaign=$!\n"
			      "(read -r end; kill $campaign) <&3 >/dev/null 2>&1 &\nwatch=$!\n"
			      "wait $campaign\nstatus=$?\nkill $watch\n"
			      "case $status in 0 | 1 | 4) ;; *) exit 3 ;; esac\n[ -e ");
	shell_word(script, mark);
	/* text, because mpirun connects a terminal */
	strbuf_addstr(script, " ] || tar -czf - -C \"$results\" . | base64\nexit\n}\n");
}

struct host {
	const char *name;
	pid_t pid;  /* of the launcher; 0: none */
	int script; /* kept open: its end ends the campaign of the host */
};

static int file_make(const char *path, struct err *e)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return fd < 0 ? err_sys(e, errno, "%s", path) : fd;
}

static int launcher_spawn(struct host *h, char *const *command, const int *fd, struct err *e)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		posix_spawn_file_actions_adddup2(&actions, fd[i], i);
	const int code = posix_spawnp(&h->pid, command[0], &actions, &attributes, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	if (code)
		h->pid = 0;
	return code ? err_sys(e, code, "cannot start %s", command[0]) : 0;
}

static int host_start(const struct hosts_spec *s, struct host *h, const char *mark, struct err *e)
{
	SCOPED_STRBUF script = STRBUF_INIT;
	SCOPED_FREE char *results = hosts_results(s->dir, h->name);
	SCOPED_FREE char *archive = xasprintf("%s.back", results);
	SCOPED_FREE char *log = xasprintf("%s.log", results);
	struct words_list given = {NULL, 0, 0}, command = {NULL, 0, 0};
	struct placeholders known = {NULL, 0, 0};
	int pipe_fd[2] = {-1, -1}, fd[3] = {-1, -1, -1};
	script_make(&script, s, h->name, mark);
	placeholders_set(&known, "host", h->name);
	int ret = words_parse(&given, s->launcher, e);
	for (size_t i = 0; i < given.n && !ret; i++) {
		char *word = NULL;
		ret = placeholders_replace(&known, given.v[i], &word, e);
		if (!ret)
			words_list_take(&command, word);
	}
	ret = ret ? err_context(e, "launcher") : 0;
	words_list_add_all(&command, "sh", "-s", NULL);
	if (!ret && pipe2(pipe_fd, O_CLOEXEC) < 0)
		ret = err_sys(e, errno, "cannot make a pipe");
	/* the script is shorter than the buffer of a pipe */
	if (!ret && (ret = write_all(pipe_fd[1], script.s, script.len)) < 0)
		err_sys(e, -ret, "cannot write into a pipe");
	if (!ret) {
		h->script = pipe_fd[1];
		fd[0] = pipe_fd[0];
		fd[1] = file_make(archive, e);
		fd[2] = fd[1] < 0 ? -1 : file_make(log, e);
		ret = fd[2] < 0 ? -e->code : launcher_spawn(h, command.v, fd, e);
	}
	fd_close(pipe_fd[0]);
	fd_close(fd[1]);
	fd_close(fd[2]);
	placeholders_release(&known);
	words_list_release(&given);
	words_list_release(&command);
	return ret;
}

/* --- its end ------------------------------------------------------------- */

/* The first message of validate in the log, else the first line with text. */
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
	err_set(e, EIO, "%s", found ? found : "the launcher printed nothing");
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
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status ? err_set(e, EIO, "%s: cannot be unpacked", archive) : 0;
}

static int host_end(const struct hosts_spec *s, struct host *h, int status, struct err *e)
{
	SCOPED_FREE char *results = hosts_results(s->dir, h->name);
	SCOPED_FREE char *archive = xasprintf("%s.back", results);
	SCOPED_FREE char *log = xasprintf("%s.log", results);
	struct stat st;
	int ret = 0;
	h->pid = 0;
	if (status)
		reason_find(log, e);
	else if (!stat(archive, &st) && st.st_size)
		ret = archive_unpack(archive, results, e);
	unlink(archive);
	return status ? -EIO : ret;
}

/* --- all hosts ----------------------------------------------------------- */

static void end_tell(const struct hosts_spec *s, const char *host, bool failed, struct err *e)
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
			if (host[i].pid == pid)
				return i;
	}
}

int hosts_run(const struct hosts_spec *s, const struct words_list *names, bool *failed,
	      struct err *e)
{
	SCOPED_FREE char *dir = hosts_results(s->dir, ""), *mark = xasprintf("%s.shared-XXXXXX", dir);
	if (!strstr(s->launcher, "{host}"))
		return err_set(e, EINVAL, "launcher: {host} is missing, the name of a host");
	int ret = dir_create(dir, e);
	if (ret)
		return ret;
	const int fd = mkostemp(mark, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "%s", mark);
	close(fd);
	SCOPED_FREE struct host *host = xcalloc(names->n, sizeof *host);
	size_t n_running = 0;
	for (size_t i = 0; i < names->n; i++) {
		host[i] = (struct host){.name = names->v[i], .script = -1};
		failed[i] = host_start(s, &host[i], mark, e) < 0;
		n_running += !failed[i];
		if (failed[i])
			end_tell(s, host[i].name, true, e);
	}
	while (n_running--) {
		int status;
		const size_t i = next_end(host, names->n, &status);
		if (i == names->n)
			break;
		failed[i] = host_end(s, &host[i], status, e) < 0;
		end_tell(s, host[i].name, failed[i], e);
	}
	for (size_t i = 0; i < names->n; i++)
		fd_close(host[i].script);
	unlink(mark);
	return 0;
}
