/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/companion.h"
#include "common/files.h"
#include "common/options_describe.h"
#include "common/processors.h"
#include "common/strbuf.h"
#include "common/xalloc.h"

#define LIBRARY "libvalidate-replay.a"
#ifndef PROGRAM_FLAGS /* those of this program that its library needs as well: sanitizers */
#define PROGRAM_FLAGS ""
#endif
#define MAX_COMPILERS 8

extern char **environ;

const char build_flags[] = "-std=c11 -O2 -D_GNU_SOURCE -pthread -I. " PROGRAM_FLAGS;

char *build_library_find(struct err *e)
{
	return companion_find(LIBRARY, "which compiled programs are linked with", e);
}

/* --- commands ------------------------------------------------------------ */

struct command {
	char **word; /* word[n + 1], NULL at the end */
	size_t n, cap;
};

static void word_add(struct command *c, char *word)
{
	while (c->n + 1 >= c->cap) {
		c->cap = c->cap ? 2 * c->cap : 16;
		c->word = xreallocarray(c->word, c->cap, sizeof *c->word);
	}
	c->word[c->n++] = word;
	c->word[c->n] = NULL;
}

static void words_add(struct command *c, const char *text)
{
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");
		word_add(c, xasprintf("%.*s", (int)len, text));
		text += len;
	}
}

static void command_release(struct command *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->word[i]);
	free(c->word);
	*c = (struct command){.n = 0};
}

static struct command compile_command(const char *cc, const char *file)
{
	struct command c = {.n = 0};
	words_add(&c, cc);
	words_add(&c, build_flags);
	word_add(&c, xstrdup("-c"));
	word_add(&c, xstrdup(file));
	return c;
}

/* Where there is one file, it is compiled and linked at once. */
static struct command link_command(const char *cc, const struct source_files *files,
				   const char *library)
{
	struct command c = {.n = 0};
	words_add(&c, cc);
	words_add(&c, build_flags);
	words_add(&c, "-Wl,--gc-sections -o program");
	for (size_t i = 0; i < files->n; i++)
		word_add(&c, files->n == 1 ? xstrdup(files->name[i])
					   : xasprintf("%.*so", (int)strlen(files->name[i]) - 1,
						       files->name[i]));
	word_add(&c, xstrdup(library));
	word_add(&c, xstrdup("-lm"));
	return c;
}

/* --- running them -------------------------------------------------------- */

/* Its first line that tells of an error, else its first line. */
static void message_find(const char *log, struct strbuf *out)
{
	struct strbuf all = STRBUF_INIT;
	if (!file_read(log, &all, 1 << 20, NULL)) {
		const char *at = strstr(all.s, "undefined reference");
		at = at ? at : strstr(all.s, "error");
		while (at && at > all.s && at[-1] != '\n')
			at--;
		at = at ? at : all.s;
		strbuf_add(out, at, strcspn(at, "\n"));
	}
	strbuf_release(&all);
}

static int command_failed(const struct command *c, const char *log, int status, struct err *e)
{
	struct strbuf said = STRBUF_INIT;
	message_find(log, &said);
	const char *colon = said.len ? ": " : "";
	int ret = WIFSIGNALED(status)
		      ? err_set(e, EIO, "the compiler %s was ended by signal %d%s%s", c->word[0],
				WTERMSIG(status), colon, said.s)
		      : err_set(e, EIO, "the compiler %s failed%s%s", c->word[0], colon, said.s);
	strbuf_release(&said);
	return ret;
}

static int command_start(const struct command *c, const char *dir, const char *log, pid_t *pid,
			 struct err *e)
{
	const char *name = c->n ? c->word[0] : "";
	const int append = O_WRONLY | O_CREAT | O_APPEND;
	posix_spawn_file_actions_t actions;
	/* Without one of these the compiler would write elsewhere. They fail with ENOMEM. */
	int code = posix_spawn_file_actions_init(&actions);
	if (code)
		return err_sys(e, code, "starting the compiler \"%s\"", name);
	code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	code = code ? code
		    : posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, append, 0600);
	code =
	    code ? code : posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	code = code ? code : posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (!code)
		code =
		    c->n ? posix_spawnp(pid, c->word[0], &actions, NULL, c->word, environ) : ENOENT;
	posix_spawn_file_actions_destroy(&actions);
	if (!code)
		return 0;
	/* EACCES: a directory of PATH that may not be entered */
	if ((code == ENOENT || code == EACCES) && path_exists(dir))
		return err_set(e, ENOENT,
			       "engine compiled needs a C compiler, and \"%s\" was not found (--cc "
			       "names another)",
			       name);
	return err_sys(e, code, "starting the compiler \"%s\"", name);
}

struct running {
	pid_t pid;
	struct command command;
};

/* Waits for one of ours and makes room for the next. */
static int one_ends(struct running *r, const char *log, struct err *e)
{
	int status;
	while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
		;
	int ret = status ? command_failed(&r->command, log, status, e) : 0;
	command_release(&r->command);
	r->pid = 0;
	return ret;
}

static int compile_all(const char *dir, const char *log, const struct source_files *files,
		       const char *cc, struct err *e)
{
	struct running running[MAX_COMPILERS] = {{0}};
	const int n = processors_allowed();
	const uint32_t room = n > MAX_COMPILERS ? MAX_COMPILERS : (uint32_t)n;
	struct err later = ERR_INIT;
	int ret = 0;
	for (size_t i = 0; i < files->n && files->n > 1 && !ret; i++) {
		struct running *r = &running[i % room];
		if (r->pid)
			ret = one_ends(r, log, e);
		if (ret)
			break;
		r->command = compile_command(cc, files->name[i]);
		ret = command_start(&r->command, dir, log, &r->pid, e);
		if (ret) {
			command_release(&r->command);
			r->pid = 0;
		}
	}
	for (uint32_t i = 0; i < room; i++)
		if (running[i].pid) {
			int ended = one_ends(&running[i], log, ret ? &later : e);
			ret = ret ? ret : ended;
		}
	return ret;
}

static int script_write(const char *dir, const struct source_files *files, const char *cc,
			const char *library, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addstr(&text, "#!/bin/sh\n# makes `program` of the sources in this directory\nset "
			     "-e\ncd \"$(dirname \"$0\")\"\n");
	for (size_t i = files->n == 1; i <= files->n; i++) {
		struct command c = i < files->n ? compile_command(cc, files->name[i])
						: link_command(cc, files, library);
		for (size_t k = 0; k < c.n; k++) {
			strbuf_addstr(&text, k ? " " : "");
			shell_word(&text, c.word[k]);
		}
		strbuf_addch(&text, '\n');
		command_release(&c);
	}
	char *path = xasprintf("%s/build.sh", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
	int ret = fd < 0 ? -errno : write_all(fd, text.s, text.len);
	if (fd >= 0 && close(fd) < 0 && !ret)
		ret = -errno;
	ret = ret ? err_sys(e, -ret, "%s", path) : 0;
	free(path);
	strbuf_release(&text);
	return ret;
}

int build_program(const char *dir, const struct source_files *files, const char *cc,
		  const char *library, struct err *e)
{
	struct running linker = {.pid = 0};
	char *real = realpath(dir, NULL);
	if (!real)
		return err_sys(e, errno, "%s", dir);
	char *log = xasprintf("%s/messages", real);
	char *program = xasprintf("%s/program", real);
	unlink(log);
	unlink(program);
	int ret = script_write(real, files, cc, library, e);
	if (!ret)
		ret = compile_all(real, log, files, cc, e);
	if (!ret) {
		linker.command = link_command(cc, files, library);
		ret = command_start(&linker.command, real, log, &linker.pid, e);
		if (linker.pid && !ret)
			ret = one_ends(&linker, log, e);
		command_release(&linker.command);
	}
	if (!ret && access(program, X_OK) < 0)
		ret = err_sys(e, errno, "the compiler \"%s\" made no program", cc);
	free(program);
	free(log);
	free(real);
	return ret;
}
