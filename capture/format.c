/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/trace_private.h"
#include "common/strbuf.h"

const struct trace_format *const trace_formats[] = {
    &format_trace,
    &format_csv,
    NULL,
};

const struct trace_format *format_find(const char *name)
{
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		if (!strcmp((*f)->name, name))
			return *f;
	return NULL;
}

int trace_open_as(struct trace **t, const struct trace_format *f, const char *path, struct err *e)
{
	int rc = f->open(t, path, e);
	if (!rc)
		(*t)->format = f;
	return rc;
}

const struct trace_format *trace_format_of(const struct trace *t)
{
	return t->format;
}

/* O_NONBLOCK: looking at a FIFO must not wait for its writer. */
static ssize_t read_head(const char *path, unsigned char *head, size_t cap)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	size_t len = 0;
	ssize_t got;
	while (len < cap && (got = pread(fd, head + len, cap - len, (off_t)len)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			got = -errno;
			close(fd);
			return got;
		}
		len += (size_t)got;
	}
	close(fd);
	return (ssize_t)len;
}

int trace_open(struct trace **t, const char *path, struct err *e)
{
	unsigned char head[FORMAT_HEAD_BYTES];
	const struct trace_format *best = NULL;
	int best_bid = 0;
	*t = NULL;
	ssize_t len = read_head(path, head, sizeof head);
	if (len == -ESPIPE)
		return err_set(e, ESPIPE, "%s: a trace must be a file that can be read twice, not a pipe", path);
	if (len < 0)
		return err_sys(e, (int)-len, "cannot read the trace %s", path);
	if (!len)
		return err_set(e, EILSEQ, "%s: no trace: the file is empty", path);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		int bid = (*f)->bid(head, (size_t)len, path);
		if (bid > best_bid) {
			best_bid = bid;
			best = *f;
		}
	}
	if (best)
		return trace_open_as(t, best, path, e);
	struct strbuf names = STRBUF_INIT;
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		strbuf_addf(&names, "%s%s", f == trace_formats ? "" : ", ", (*f)->name);
	int rc = err_set(e, EILSEQ, "%s: no trace: its beginning fits none of the formats known (%s)", path, names.s);
	strbuf_release(&names);
	return rc;
}
