/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/embed.h"
#include "validate/judge/judge.h"

/* Returns the part of `path` after `base` and a slash; NULL: `path` is not within `base`. */
static const char *path_within(const char *path, const char *base)
{
	const size_t len = strlen(base);
	if (strncmp(path, base, len) != 0 || (path[len] && path[len] != '/'))
		return NULL;
	return path + len + (path[len] == '/');
}

/* Whether the path has no ".." and the like: a trace is untrusted, and a copy of /x/../.. would
 * leave the target. */
static bool is_plain_path(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *at = path; *at; at += strcspn(at, "/")) {
		at += strspn(at, "/");
		const size_t len = strcspn(at, "/");
		if ((len == 1 && at[0] == '.') || (len == 2 && at[0] == '.' && at[1] == '.'))
			return false;
	}
	return true;
}

int rerun_read(struct rerun *r, const char *trace, const struct trace_meta *meta, struct err *e)
{
	*r = (struct rerun){0};
	int ret = captured_command_read(&r->command, meta, e);
	if (ret)
		return err_context(e, "%s: --rerun", trace);
	r->trace = xstrdup(trace);
	r->whole = !meta->root || !strcmp(meta->root, "/");
	r->base = xstrdup(r->whole ? r->command.dir : meta->root);
	const char *below = path_within(r->command.dir, r->base);
	r->below = xstrdup(below ? below : "");
	if (!is_plain_path(r->base) || !is_plain_path(r->command.dir))
		return err_set(e, EINVAL, "%s: --rerun: the root and the working directory in its "
			"metadata must be absolute paths that have no component \".\" or \"..\"",
			trace);
	if (!strcmp(r->base, "/"))
		return err_set(e, EINVAL, "%s: --rerun: the command ran in / and its root is /: a "
			"copy of the whole file system would be needed. Capture it in a directory "
			"of its own, or with --root DIR", trace);
	return 0;
}

void rerun_release(struct rerun *r)
{
	captured_command_release(&r->command);
	FREE_EACH(r->trace, r->base, r->below);
	*r = (struct rerun){.trace = NULL};
}

/* Adds a word, always quoted: so an empty word stays a word, and a name with = does not become an
 * assignment. */
static void quoted_add(struct strbuf *out, const char *text, size_t len)
{
	strbuf_addch(out, '\'');
	for (size_t i = 0; i < len; i++)
		strbuf_addf(out, text[i] == '\'' ? "'\\''" : "%c", text[i]);
	strbuf_addch(out, '\'');
}

static bool is_name_char(char c)
{
	return c && (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.",
		c) || (unsigned char)c >= 0x80);
}

/* Whether a path begins at `at` in `text` and is `base` or within it. */
static bool is_base(const char *text, const char *at, const char *base)
{
	const char after = at[strlen(base)];
	return (at == text || (!is_name_char(at[-1]) && at[-1] != '/')) && !is_name_char(after);
}

/* Adds "NAME='TEXT'" and a newline. */
static void variable_add(struct strbuf *out, const char *name, const char *text)
{
	strbuf_addf(out, "%s=", name);
	quoted_add(out, text, strlen(text));
	strbuf_addch(out, '\n');
}

/* Adds the program. It is not copied, because a copy may lack its content. */
static void program_add(struct strbuf *out, const struct rerun *r)
{
	const char *program = r->command.argv[0];
	SCOPED_FREE char *path = strchr(program, '/') && program[0] != '/'
				     ? xasprintf("%s/%s", r->command.dir, program)
				     : xstrdup(program);
	quoted_add(out, path, strlen(path));
}

EMBED(rerun_body, "validate/judge/rerun.sh");

void rerun_script(struct strbuf *out, const struct rerun *r, const char *files)
{
	strbuf_addstr(out, "#!/bin/sh\nset -eu\n");
	variable_add(out, "base", r->base);
	variable_add(out, "in_home", r->whole ? r->base : "");
	variable_add(out, "below", r->below);
	variable_add(out, "files", files ? files : "");
	variable_add(out, "trace", r->trace);
	strbuf_addf(out, "status_captured=%d\ncommand_again() {\n\t", r->command.status);
	program_add(out, r);
	for (size_t i = 1; i < r->command.n; i++) {
		strbuf_addch(out, ' ');
		/* add a word of the command, with the copy in place of the original directory */
		const char *from = r->command.argv[i];
		for (const char *at = r->command.argv[i]; (at = strstr(at, r->base)); at++) {
			if (!is_base(r->command.argv[i], at, r->base))
				continue;
			quoted_add(out, from, (size_t)(at - from));
			strbuf_addstr(out, "\"$home\"");
			from = at + strlen(r->base);
		}
		quoted_add(out, from, strlen(from));
	}
	strbuf_addf(out, "\n}\n%s", rerun_body);
}
