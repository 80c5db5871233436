/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/formats/text_input.h"

#include "common/files.h"

#define CHUNK (256u << 10)
#define CAP (TEXT_LINE_MAX + CHUNK)
#define CAP_MIN 4095u

int text_input_open(struct text_input *in, const char *path, struct err *e)
{
	memset(in, 0, sizeof *in);
	in->path = xstrdup(path);
	in->fd = file_open_regular(path, O_RDONLY, e);
	if (in->fd < 0)
		return in->fd;
	struct stat st; /* a small file gets a small buffer */
	size_t size = fstat(in->fd, &st) || st.st_size >= (off_t)CAP ? CAP : (size_t)st.st_size + 1;
	in->cap = size < CAP_MIN ? CAP_MIN : size;
	in->buf = xmalloc(in->cap + 1);
	return 0;
}

void text_input_close(struct text_input *in)
{
	if (in->path && in->fd >= 0)
		close(in->fd);
	FREE_EACH(in->buf, in->path);
	memset(in, 0, sizeof *in);
	in->fd = -1;
}

int text_input_rewind(struct text_input *in, struct err *e)
{
	if (lseek(in->fd, 0, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: cannot return to the start of the file", in->path);
	in->at = in->len = 0;
	in->eof = in->has_cr = in->after_cr = in->skipping = false;
	in->line = in->offset = 0;
	return 0;
}

/* Moves the unconsumed bytes to the front and reads more; sets eof at the end. */
static int buffer_fill(struct text_input *in, struct err *e)
{
	memmove(in->buf, in->buf + in->at, in->len - in->at);
	in->offset += in->at;
	in->len -= in->at;
	in->at = 0;
	if (in->len == in->cap && in->cap < CAP) { /* the file has grown since it was opened */
		in->cap = CAP;
		in->buf = xrealloc(in->buf, CAP + 1);
	}
	size_t room = in->cap - in->len;
	const ssize_t got =
	    TEMP_FAILURE_RETRY(read(in->fd, in->buf + in->len, room < CHUNK ? room : CHUNK));
	if (got < 0)
		return err_sys(e, errno, "cannot read %s", in->path);
	in->eof = !got;
	in->has_cr = memchr(in->buf, '\r', in->len + (size_t)got) != NULL;
	in->len += (size_t)got;
	in->buf[in->len] = '\n';
	return 0;
}

/* The end of the line that begins at buf[from], or NULL if it is not in the buffer. */
static char *line_end(const struct text_input *in, size_t from)
{
	char *lf = memchr(in->buf + from, '\n', in->len - from);
	if (!in->has_cr)
		return lf;
	char *cr = memchr(in->buf + from, '\r',
			  (size_t)((lf ? lf : in->buf + in->len) - (in->buf + from)));
	return cr ? cr : lf;
}

int text_input_line(struct text_input *in, const char **s, size_t *len, struct err *e)
{
	size_t seen = 0; /* bytes from `at` on without a line end */
	/* skip a byte order mark of UTF-8 */
	if (!in->line && !in->at && !in->offset) {
		int ret = in->len ? 0 : buffer_fill(in, e);
		if (ret)
			return ret;
		in->at = in->len >= 3 && !memcmp(in->buf, "\xef\xbb\xbf", 3) ? 3 : 0;
	}
	for (;;) {
		if (in->after_cr && in->at < in->len) { /* skip the LF of CR LF */
			in->at += in->buf[in->at] == '\n';
			in->after_cr = false;
		}
		char *end = in->at + seen < in->len ? line_end(in, in->at + seen) : NULL;
		if (!end && in->eof && in->at < in->len)
			end = in->buf + in->len; /* the last line has no line end */
		if (end) {
			*s = in->buf + in->at;
			*len = (size_t)(end - *s);
			in->after_cr = end < in->buf + in->len && *end == '\r';
			in->at += *len + (end < in->buf + in->len);
			if (!in->skipping) {
				in->line++;
				return 1;
			}
			in->skipping = false; /* the rest of a line that is too long ends here */
			seen = 0;
			continue;
		}
		if (in->eof)
			return 0;
		if (in->skipping)
			in->at = in->len;
		seen = in->len - in->at;
		if (seen >= TEXT_LINE_MAX) {
			in->skipping = true;
			in->line++;
			in->at = in->len;
			return err_set(e, EMSGSIZE, "line %llu is longer than %u bytes",
				       (unsigned long long)in->line, TEXT_LINE_MAX);
		}
		int ret = buffer_fill(in, e);
		if (ret)
			return ret;
	}
}

int text_input_peek(struct text_input *in, size_t want, const char **s, size_t *len, struct err *e)
{
	while (in->len - in->at < want && !in->eof) {
		int ret = buffer_fill(in, e);
		if (ret)
			return ret;
	}
	*s = in->buf + in->at;
	*len = in->len - in->at;
	return 0;
}
