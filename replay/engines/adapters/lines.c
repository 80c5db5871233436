/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "capture/formats/text_input.h"
#include "common/files.h"
#include "replay/engines/adapters/outputs.h"

FILE *text_open(const char *path, struct err *e)
{
	int fd = file_open_regular(path, O_RDONLY | O_CLOEXEC, e);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !f) {
		err_sys(e, errno, "cannot open %s", path);
		close(fd);
	}
	return f;
}

int request_seen(void *run, const struct adapter_request *q, struct err *e)
{
	return adapter_seen(run, q, e);
}

int lines_read(const char *path, int (*one)(void *ctx, char *line, struct err *e), void *ctx,
	       struct err *e)
{
	struct text_input in;
	const char *s;
	size_t len;
	int ret = text_input_open(&in, path, e);
	while (!ret && (ret = text_input_line(&in, &s, &len, e)) == 1) {
		SCOPED_FREE char *line = xasprintf("%.*s", (int)len, s);
		ret = strlen(line) < len ? err_set(e, EBADMSG, "the line contains a NUL byte")
					 : one(ctx, line, e);
		if (ret)
			err_context(e, "%s, line %llu", path, (unsigned long long)in.line);
	}
	text_input_close(&in);
	return ret == -EMSGSIZE ? err_set(e, EBADMSG, "%s: %s", path, e->msg) : ret;
}

#define SAID_BYTES 262144u /* longer than the part of the printed text that is kept */

/* The first occurrence of `text` at or after `from` at which the text `unless` does not begin. */
static const char *text_find(const char *from, size_t len, const char *text, const char *unless)
{
	const char *end = from + len, *at;
	while ((at = memmem(from, (size_t)(end - from), text, strlen(text)))) {
		if (!unless || (size_t)(end - at) < strlen(unless) ||
		    memcmp(at, unless, strlen(unless)))
			return at;
		from = at + strlen(text);
	}
	return NULL;
}

static bool file_says(const char *path, const char *text, const char *unless, struct strbuf *line)
{
	SCOPED_FILE FILE *f = path ? text_open(path, NULL) : NULL;
	if (!f)
		return false;
	SCOPED_FREE char *all = xmalloc(SAID_BYTES + 1);
	size_t len = fread(all, 1, SAID_BYTES, f);
	all[len] = 0;
	const char *at = text_find(all, len, text, unless);
	if (at && line) {
		at += strlen(text);
		strbuf_reset(line);
		strbuf_add(line, at, strcspn(at, "\r\n"));
	}
	return at;
}

bool printed_says(const struct adapter_run *r, const char *text, const char *unless,
		  struct strbuf *line)
{
	return file_says(r->printed, text, unless, line) ||
	       file_says(r->output, text, unless, line);
}

static char *blanks_trim(char *s)
{
	s += strspn(s, " \t");
	size_t len = strlen(s);
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		s[--len] = 0;
	return s;
}

bool line_fields(char *line, char separator, char **field, unsigned int min, unsigned int max)
{
	unsigned int n = 1;
	for (const char *s = line; (s = strchr(s, separator)); s++)
		n++;
	if (n < min)
		return false;
	n = 0;
	while (line && n < max) {
		char *next = n + 1 < max ? strchr(line, separator) : NULL;
		if (next)
			*next++ = 0;
		field[n++] = blanks_trim(line);
		line = next;
	}
	return true;
}

int field_number(const char *field, const char *what, unsigned int digits, int64_t *value,
		 struct err *e)
{
	const char *end;
	int ret = adapter_number(field, digits, value, &end, e);
	if (!ret && *end)
		ret = err_set(e, EBADMSG, "\"%.60s\" is not a number", field);
	return ret ? err_context(e, "%s", what) : 0;
}
