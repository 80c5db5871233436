/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

#include <spawn.h>
#include <sys/wait.h>

#include "common/companion.h"
#include "common/files.h"
#include "common/processors.h"

#define LIBRARY "libvalidate-replay.a"
#ifndef PROGRAM_FLAGS /* compiler flags of validate that its library needs as well: sanitizers */
#define PROGRAM_FLAGS ""
#endif
#define SHELL_NOT_FOUND 127 /* exit status of sh and xargs */

extern char **environ;

const char build_flags[] = "-std=c11 -O2 -D_GNU_SOURCE -pthread -I. " PROGRAM_FLAGS;

char *build_library_find(struct err *e)
{
	return companion_find(LIBRARY, "compiled programs are linked with it", e);
}

/* Appends the words of a command, each quoted for a shell. */
static void words_add(struct strbuf *out, const char *text)
{
	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		size_t len = strcspn(text, " ");
		char *word = xasprintf("%.*s", (int)len, text);
		shell_word(out, word);
		strbuf_addch(out, ' ');
		free(word);
		text += len;
	}
}

/* Writes the build script. A single file is compiled and linked at once; several files are compiled
 * in parallel. */
static int script_write(const char *dir, const struct source_files *files, const char *cc,
			const char *library, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	strbuf_addstr(&text, "#!/bin/sh\n# builds `program` from the sources in this directory\n"
			     "set -e\ncd \"$(dirname \"$0\")\"\n");
	for (size_t i = 0; i < files->n && files->n > 1; i++)
		strbuf_addf(&text, "%s%s", i ? " " : "printf '%s\\n' ", files->name[i]);
	if (files->n > 1) {
		strbuf_addf(&text, " | xargs -P %d -n 1 ", processors_allowed());
		words_add(&text, cc);
		strbuf_addf(&text, "%s -c\n", build_flags);
	}
	words_add(&text, cc);
	strbuf_addf(&text, "%s -Wl,--gc-sections -o program", build_flags);
	for (size_t i = 0; i < files->n; i++)
		strbuf_addf(&text, files->n == 1 ? " %.*sc" : " %.*so",
			    (int)strlen(files->name[i]) - 1, files->name[i]);
	strbuf_addch(&text, ' ');
	shell_word(&text, library);
	strbuf_addstr(&text, " -lm\n");
	SCOPED_FREE char *path = xasprintf("%s/build.sh", dir);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
	int ret = fd < 0 ? -errno : write_all(fd, text.s, text.len);
	if (fd >= 0 && close(fd) < 0 && !ret)
		ret = -errno;
	ret = ret ? err_sys(e, -ret, "cannot write %s", path) : 0;
	return ret;
}

static int script_run(const char *dir, const char *cc, struct err *e)
{
	char *const argv[] = {"sh", "-c", "cd \"$0\" && exec sh build.sh </dev/null >messages 2>&1",
			      (char *)dir, NULL};
	pid_t pid;
	int status;
	int code = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, environ);
	if (code)
		return err_sys(e, code, "cannot start the compiler \"%s\"", cc);
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	if (WIFEXITED(status) && WEXITSTATUS(status) == SHELL_NOT_FOUND)
		return err_set(e, ENOENT, "engine compiled needs a C compiler, and \"%s\" was not "
			"found (choose another with --cc)", cc);
	if (!status)
		return 0;
	/* report the first line of the compiler's output that has an error, otherwise its first
	 * line */
	SCOPED_STRBUF all = STRBUF_INIT;
	SCOPED_FREE char *log = xasprintf("%s/messages", dir);
	(void)file_read(log, &all, 1 << 20, NULL);
	const char *at = strstr(all.s, "undefined reference");
	at = at ? at : strstr(all.s, "error");
	while (at && at > all.s && at[-1] != '\n')
		at--;
	at = at ? at : all.s;
	const int len = (int)strcspn(at, "\n");
	return err_set(e, EIO, "the compiler \"%s\" failed%s%.*s", cc, len ? ": " : "", len, at);
}

int build_program(const char *dir, const struct source_files *files, const char *cc,
		  const char *library, struct err *e)
{
	SCOPED_FREE char *program = xasprintf("%s/program", dir);
	unlink(program);
	int ret = script_write(dir, files, cc, library, e);
	ret = ret ? ret : script_run(dir, cc, e);
	if (!ret && access(program, X_OK) < 0)
		ret = err_sys(e, errno, "the compiler \"%s\" reported success, but made no "
			"program (choose another with --cc)", cc);
	return ret;
}
