/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/hosts.h"

#include <ctype.h>
#include <spawn.h>

#include "common/files.h"

#define HOST_CHARACTERS                                                                            \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@:"
#define FILE_BYTES (1 << 20)

/* --- the list ------------------------------------------------------------ */

static int name_add(struct words_list *names, const char *name, struct err *e)
{
	if (!*name || name[strspn(name, HOST_CHARACTERS)] || strchr("-.", *name))
		return err_set(e, EINVAL, "\"%s\" is not the name of a host", name);
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return err_set(e, EINVAL, "the host %s occurs twice", name);
	if (names->n == HOSTS_MAX)
		return err_set(e, EINVAL, "more than %d hosts are named", HOSTS_MAX);
	words_list_add(names, name);
	return 0;
}

static int pattern_add(struct words_list *names, const char *pattern, struct err *e);

/* Adds the names of `range`: a number, or two numbers with "-" between them. The numbers have at
 * least as many digits as the first number. */
static int range_add(struct words_list *names, const char *before, const char *range,
		     const char *after, struct err *e)
{
	const int digits = (int)strspn(range, "0123456789");
	const char *last = range[digits] == '-' ? range + digits + 1 : range;
	char *end;
	const unsigned long first = strtoul(range, NULL, 10), to = strtoul(last, &end, 10);
	if (!digits || !isdigit((unsigned char)*last) || *end || digits > 9 || to < first)
		return err_set(e, EINVAL, "[%s] is not a list of numbers such as [01-12,20]",
			       range);
	int ret = 0;
	for (unsigned long i = first; i <= to && !ret; i++) {
		SCOPED_FREE char *name = xasprintf("%s%0*lu%s", before, digits, i, after);
		ret = pattern_add(names, name, e);
	}
	return ret;
}

/* Expands the first [...], then calls itself for the others. */
static int pattern_add(struct words_list *names, const char *pattern, struct err *e)
{
	const char *open = strchr(pattern, '['), *close = open ? strchr(open, ']') : NULL;
	if (!open)
		return name_add(names, pattern, e);
	if (!close)
		return err_set(e, EINVAL, "\"%s\" has no ]", pattern);
	SCOPED_FREE char *before = xasprintf("%.*s", (int)(open - pattern), pattern);
	SCOPED_FREE char *inside = xasprintf("%.*s", (int)(close - open - 1), open + 1);
	SCOPED(words_list_release) struct words_list range;
	int ret = words_split(&range, inside, e);
	for (size_t i = 0; i < range.n && !ret; i++)
		ret = range_add(names, before, range.v[i], close + 1, e);
	return ret;
}

static int file_add(struct words_list *names, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	int ret = file_read(path, &text, FILE_BYTES, e);
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
	SCOPED(words_list_release) struct words_list pattern = {0};
	*names = (struct words_list){NULL, 0, 0};
	const bool is_file = access(text, F_OK) == 0 || strchr(text, '/');
	int ret = is_file ? file_add(names, text, e) : words_split(&pattern, text, e);
	for (size_t i = 0; i < pattern.n && !ret; i++)
		ret = pattern_add(names, pattern.v[i], e);
	if (ret)
		words_list_release(names);
	return ret;
}

/* --- a launcher ---------------------------------------------------------- */

static int launcher_words(struct words_list *command, const char *launcher, const char *host,
			  struct err *e)
{
	SCOPED(words_list_release) struct words_list given;
	SCOPED(placeholders_release) struct placeholders known = {NULL, 0, 0};
	int ret = words_parse_value(&given, launcher, e);
	placeholders_set(&known, "host", host);
	for (size_t i = 0; i < given.n && !ret; i++) {
		char *word = NULL;
		ret = placeholders_replace(&known, given.v[i], &word, e);
		if (!ret)
			words_list_take(command, word);
	}
	words_list_add_all(command, "sh", "-s", NULL);
	return ret ? err_context(e, "launcher") : 0;
}

int host_launcher_check(const char *launcher, struct err *e)
{
	SCOPED(words_list_release) struct words_list command = {NULL, 0, 0};
	if (!strstr(launcher, "{host}"))
		return err_set(e, EINVAL, "launcher: the command \"%s\" lacks {host}, which stands "
			"for the name of the host", launcher);
	return launcher_words(&command, launcher, "host", e);
}

int host_launcher_find(const char *launcher, struct err *e)
{
	SCOPED(words_list_release) struct words_list command = {NULL, 0, 0};
	const int ret = launcher_words(&command, launcher, "host", e);
	SCOPED_FREE char *file = ret ? NULL : command_path(command.v[0]);
	return ret || file ? ret : err_set(e, ENOENT, "launcher: cannot find the program %s",
		command.v[0]);
}

static int launcher_spawn(char *const *command, const int *fd, pid_t *pid, struct err *e)
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
	const int code = posix_spawnp(pid, command[0], &actions, &attributes, command, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return code ? err_sys(e, code, "cannot start %s", command[0]) : 0;
}

int host_start(struct host_process *p, const char *launcher, const char *host, const char *script,
	       int output, int messages, struct err *e)
{
	SCOPED(words_list_release) struct words_list command = {NULL, 0, 0};
	int pipe_fd[2] = {-1, -1};
	*p = (struct host_process){0, -1};
	int ret = launcher_words(&command, launcher, host, e);
	if (!ret && pipe2(pipe_fd, O_CLOEXEC) < 0)
		ret = err_sys(e, errno, "cannot create a pipe");
	/* does not block: the script is shorter than the buffer of a pipe */
	if (!ret && (ret = write_all(pipe_fd[1], script, strlen(script))) < 0)
		err_sys(e, -ret, "cannot write into a pipe");
	ret = ret ? ret
		  : launcher_spawn(command.v, (int[]){pipe_fd[0], output, messages}, &p->pid, e);
	fd_close(pipe_fd[0]);
	if (ret)
		fd_close(pipe_fd[1]);
	else
		p->input = pipe_fd[1];
	return ret;
}
