/* SPDX-License-Identifier: GPL-3.0-or-later */

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

/* Reads the next line without its line end. Returns 1, or 0 at the end of the file. */
static int line_next(FILE *f, char *line, struct err *e)
{
	size_t n = 0;
	int c;
	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (!c || n == LINE_BYTES_MAX)
			return err_set(e, EBADMSG,
				       c ? "the line has more than %u bytes" :
				       	"the line contains a NUL byte",
				       LINE_BYTES_MAX);
		line[n++] = (char)c;
	}
	n -= n && line[n - 1] == '\r';
	line[n] = 0;
	if (ferror(f))
		return err_set(e, EIO, "the rest of the file cannot be read");
	return n || c != EOF;
}

int lines_read(const char *path, int (*one)(void *ctx, char *line, struct err *e), void *ctx,
	       struct err *e)
{
	SCOPED_FILE FILE *f = text_open(path, e);
	if (!f)
		return -e->code;
	char *line = xmalloc(LINE_BYTES_MAX + 1);
	unsigned long long number = 0;
	int ret;
	do {
		number++;
		ret = line_next(f, line, e);
		ret = ret > 0 ? one(ctx, line, e) : ret ? ret : 1;
	} while (!ret);
	free(line);
	return ret < 0 ? err_context(e, "%s, line %llu", path, number) : 0;
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
	char *all = xmalloc(SAID_BYTES + 1);
	size_t len = fread(all, 1, SAID_BYTES, f);
	all[len] = 0;
	const char *at = text_find(all, len, text, unless);
	if (at && line) {
		at += strlen(text);
		strbuf_reset(line);
		strbuf_add(line, at, strcspn(at, "\r\n"));
	}
	free(all);
	return at;
}

bool printed_says(const struct adapter_run *r, const char *text, const char *unless,
		  struct strbuf *line)
{
	return file_says(r->printed, text, unless, line) ||
	       file_says(r->output, text, unless, line);
}

static char *trimmed(char *s)
{
	s += strspn(s, " \t");
	size_t len = strlen(s);
	while (len && (s[len - 1] == ' ' || s[len - 1] == '\t'))
		s[--len] = 0;
	return s;
}

unsigned int line_fields(char *line, char separator, char **field, unsigned int max)
{
	unsigned int n = 0;
	while (line && n < max) {
		char *next = n + 1 < max ? strchr(line, separator) : NULL;
		if (next)
			*next++ = 0;
		field[n++] = trimmed(line);
		line = next;
	}
	return n;
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
