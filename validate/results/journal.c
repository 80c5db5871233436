/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/journal.h"

#include "common/crc32c.h"
#include "common/files.h"

#define MARK ",\"crc\":\""
#define LINE_MAX_BYTES (1u << 20) /* far above any event */
#define FILE_MAX_BYTES (INT64_C(1) << 30)
#define TAIL_LEN (sizeof MARK - 1 + 8 + 2) /* mark, eight digits, quote and brace */
#define AFTER ",\"after\":\""
#define AFTER_LEN (sizeof AFTER - 1 + 8 + 1) /* mark, eight digits and quote */

/* --- lines --------------------------------------------------------------- */

int journal_line_add(struct strbuf *out, const json_t *event, struct err *e)
{
	const size_t start = out->len;
	char *text = json_dumps(event, JSON_COMPACT | JSON_PRESERVE_ORDER);
	if (!text)
		return err_set(e, EINVAL, "an event cannot be written as JSON");
	size_t len = strlen(text) - 1; /* without the closing brace */
	strbuf_add(out, text, len);
	free(text);
	strbuf_addf(out, MARK "%08x\"}\n", crc32c(0, out->s + start, out->len - start));
	return 0;
}

/* Returns the length of the part of a line that its checksum covers, which is everything before
 * `,"crc":...}`; 0 if the checksum is wrong. Does not parse the content. */
static size_t journal_line_body(const char *line, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	if (len < TAIL_LEN + 1 || memcmp(line + len - TAIL_LEN, MARK, sizeof MARK - 1) ||
	    memcmp(line + len - 2, "\"}", 2))
		return 0;
	uint32_t crc = crc32c(0, line, len - TAIL_LEN);
	for (size_t i = 0; i < 8; i++, crc <<= 4)
		if (line[len - 10 + i] != digits[crc >> 28])
			return 0;
	return len - TAIL_LEN;
}

/* Checks that the line follows the previous line. Lines of earlier versions have no "after", and
 * such a line may not follow a line that has one. After a damaged line the link is unknown; the
 * damage is counted when that line is read. */
static void link_check(struct journal_reading *r, const char *line, size_t len)
{
	const size_t body = len <= LINE_MAX_BYTES ? journal_line_body(line, len) : 0;
	const char *after = body > AFTER_LEN ? line + body - AFTER_LEN : NULL;
	const bool linked = after && !memcmp(after, AFTER, sizeof AFTER - 1);
	const bool follows = !body || r->any_link || (linked ? !memcmp(after + sizeof AFTER - 1,
		r->link, JOURNAL_LINK - 1) : !r->linked);
	r->n_lines++;
	if (!follows && !r->first_unlinked)
		r->first_unlinked = r->n_lines;
	r->linked |= linked;
	r->any_link = !body;
	memcpy(r->link, body ? line + len - 10 : "00000000", JOURNAL_LINK - 1);
}

json_t *journal_parse_line(const char *line, size_t len)
{
	if (!journal_line_body(line, len))
		return NULL;
	json_t *o = json_loadb(line, len, 0, NULL);
	if (o && json_is_string(json_object_get(o, "event")) &&
	    json_is_integer(json_object_get(o, "seq")))
		return o;
	json_decref(o);
	return NULL;
}

/* --- reading ------------------------------------------------------------- */

/* Reads lines through a buffer that has room for any valid line. */
struct journal_lines {
	FILE *in;
	char *text;
	size_t at, have; /* bytes not yet returned */
};

#define LINES_CHUNK (1u << 18)

static int line_take(const char *line, size_t len, struct journal_reading *r,
	int (*on_event)(const json_t *, void *, struct err *), void *context, struct err *e)
{
	json_t *o = len <= LINE_MAX_BYTES ? journal_parse_line(line, len) : NULL;
	if (!o) {
		r->n_damaged++;
		r->first_damaged = r->first_damaged ? r->first_damaged : r->n_lines;
		return 0;
	}
	json_int_t seq = json_integer_value(json_object_get(o, "seq"));
	if (seq >= 0 && (uint64_t)seq >= r->next_seq)
		r->next_seq = (uint64_t)seq + 1;
	int ret = on_event ? on_event(o, context, e) : 0;
	json_decref(o);
	return ret;
}

/* Sets *line to the next line without its newline; if a line is too long, its beginning is lost.
 * Returns its full length, or -1 at the end. */
static ssize_t line_get(struct journal_lines *l, const char **line, struct journal_reading *r)
{
	size_t left_out = 0, seen = 0, n;
	for (;;) {
		const char *from = l->text + l->at,
			   *end = memchr(from + seen, '\n', l->have - l->at - seen);
		if (end) {
			*line = from;
			l->at += (size_t)(end - from) + 1;
			r->whole_bytes += (off_t)(left_out + (size_t)(end - from)) + 1;
			return (ssize_t)(left_out + (size_t)(end - from));
		}
		l->have -= l->at;
		memmove(l->text, from, l->have);
		l->at = 0;
		if (l->have > LINE_MAX_BYTES) {
			left_out += l->have;
			l->have = 0;
		}
		seen = l->have;
		n = fread(l->text + l->have, 1, LINES_CHUNK, l->in);
		if (n == 0)
			break;
		l->have += n;
	}
	r->torn = left_out + l->have > 0;
	return -1;
}

static int journal_open_read(const char *path, FILE **in, struct err *e)
{
	struct stat st;
	int fd = file_open_regular(path, O_RDONLY, e);
	if (fd < 0)
		return fd;
	int ret = 0;
	*in = fdopen(fd, "r");
	if (!*in || fstat(fd, &st) < 0)
		ret = err_sys(e, errno, "cannot read %s", path);
	else if (st.st_size > FILE_MAX_BYTES)
		ret = err_set(e, EFBIG, "%s is too large for a journal: it is damaged, or it is "
					"another file", path);
	if (!ret)
		return 0;
	if (*in)
		fclose(*in);
	else
		close(fd);
	return ret;
}

int journal_read_some(const char *path, bool (*is_wanted)(const char *line, size_t len,
	void *context), int (*on_event)(const json_t *event, void *context, struct err *e),
	void *context, struct journal_reading *r, struct err *e)
{
	struct journal_lines l = {0};
	const char *line;
	ssize_t len;
	*r = (struct journal_reading){.link = "00000000"};
	int ret = journal_open_read(path, &l.in, e);
	if (ret)
		return ret;
	l.text = xmalloc(LINE_MAX_BYTES + LINES_CHUNK);
	while (!ret && (len = line_get(&l, &line, r)) >= 0) {
		link_check(r, line, (size_t)len);
		const bool too_long = len > LINE_MAX_BYTES;
		if (!is_wanted ||
		    is_wanted(too_long ? "" : line, too_long ? 0 : (size_t)len, context))
			ret = line_take(line, (size_t)len, r, on_event, context, e);
	}
	if (!ret && ferror(l.in))
		ret = err_sys(e, errno, "cannot read %s", path);
	free(l.text);
	fclose(l.in);
	return ret;
}

int journal_read(const char *path, int (*on_event)(const json_t *event, void *context,
	struct err *e), void *context, struct journal_reading *r, struct err *e)
{
	return journal_read_some(path, NULL, on_event, context, r, e);
}

/* --- writing ------------------------------------------------------------- */

int journal_open(struct journal *j, const char *path, int create, struct err *e)
{
	struct journal_reading r;
	*j = (struct journal){.fd = -1, .path = xstrdup(path)};
	if (create)
		j->fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_CREAT | O_EXCL, 0666);
	else
		j->fd = file_open_regular(path, O_RDWR | O_NOFOLLOW, e);
	int ret = j->fd >= 0 ? 0 : create ? err_sys(e, errno, "cannot create %s", path) : j->fd;
	if (!ret && file_lock(j->fd) < 0)
		ret =
		    errno == EWOULDBLOCK
			? err_set(e, EBUSY, "%s is in use: another campaign is running there", path)
			: err_sys(e, errno, "cannot lock %s", path);
	ret = ret ? ret : journal_read(path, NULL, NULL, &r, e);
	/* the bytes after the last newline are an unfinished line */
	if (!ret && r.torn && (ftruncate(j->fd, r.whole_bytes) < 0 || fsync(j->fd) < 0))
		ret = err_sys(e, errno, "cannot remove the incomplete last line of %s", path);
	if (!ret) {
		j->end = r.whole_bytes;
		j->next_seq = r.next_seq;
		memcpy(j->link, r.link, sizeof j->link);
		return 0;
	}
	journal_close(j);
	return ret;
}

void journal_close(struct journal *j)
{
	if (j->path && j->fd >= 0)
		close(j->fd);
	free(j->path);
	*j = (struct journal){.fd = -1};
}

int journal_append(struct journal *j, json_t *event, struct err *e)
{
	SCOPED_STRBUF line = STRBUF_INIT;
	json_auto_t *o = json_object();
	json_object_set_new(o, "seq", json_integer((json_int_t)j->next_seq));
	json_object_update(o, event);
	json_object_set_new(o, "after", json_string(j->link));
	int ret = journal_line_add(&line, o, e);
	if (ret)
		return ret;
	ret = write_all_at(j->fd, line.s, line.len, (uint64_t)j->end);
	if (ret)
		err_sys(e, -ret, "cannot write to the journal %s", j->path);
	if (!ret && fdatasync(j->fd) < 0)
		ret = err_sys(e, errno, "cannot sync the journal %s", j->path);
	if (ret) {
		/* if that fails, the next journal_open() does it */
		(void)!ftruncate(j->fd, j->end);
		return ret;
	}
	j->end += (off_t)line.len;
	j->next_seq++;
	/* before quote, brace and newline */
	memcpy(j->link, line.s + line.len - 11, JOURNAL_LINK - 1);
	return 0;
}

int journal_append_new(struct journal *j, json_t *event, struct err *e)
{
	int ret = journal_append(j, event, e);
	json_decref(event);
	return ret;
}
