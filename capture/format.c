/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/formats/mapping.h"
#include "capture/trace_private.h"
#include "common/strbuf.h"

const struct trace_format *const trace_formats[] = {
    &format_trace,
    &format_csv,
    &format_msr,
    &format_snia,
    &format_alibaba,
    &format_tencent,
    &format_spc,
    &format_systor,
    &format_fiu,
    &format_blktrace,
    &format_blkparse,
    &format_strace,
    &format_parallel,
    &format_tracepoints,
    &format_perf_trace,
    &format_iolog,
    &format_dxt,
    &format_oraclegeneral,
    &format_btrecord,
    &format_blkreplay,
    &format_events,
    &format_artc,
    &format_artc_init,
    &format_perfetto,
    &format_mapping,
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
	return trace_open_with(t, f, path, NULL, e);
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

int trace_format_detect(const struct trace_format **best, const char *path, struct err *e)
{
	unsigned char head[FORMAT_HEAD_BYTES];
	int best_bid = 0;
	*best = NULL;
	ssize_t len = read_head(path, head, sizeof head);
	if (len == -ESPIPE)
		return err_set(e, ESPIPE, "%s: a trace must be a file that can be read twice, not a pipe", path);
	if (len < 0)
		return err_sys(e, (int)-len, "cannot read the trace %s", path);
	if (!len)
		return err_set(e, EILSEQ, "%s: no trace: the file is empty", path);
	for (const struct trace_format *const *f = trace_formats; *f; f++) {
		int bid = (*f)->open ? (*f)->bid(head, (size_t)len, path) : 0;
		if (bid > best_bid) {
			best_bid = bid;
			*best = *f;
		}
	}
	if (*best)
		return 0;
	struct strbuf names = STRBUF_INIT;
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		if ((*f)->open)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", (*f)->name);
	int rc = err_set(e, EILSEQ, "%s: no trace: its beginning fits none of the formats known (%s)", path, names.s);
	strbuf_release(&names);
	return rc;
}

int trace_open_with(struct trace **t, const struct trace_format *f, const char *path,
		    const struct trace_open_options *o, struct err *e)
{
	static const struct trace_open_options none;
	int rc = 0;
	*t = NULL;
	o = o ? o : &none;
	if (!f && o->mapping)
		f = &format_mapping;
	if (!f)
		rc = trace_format_detect(&f, path, e);
	if (rc)
		return rc;
	if (!f->open)
		return err_set(e, ENOTSUP, "%s: the format %s can only be written", path, f->name);
	rc = f->open(t, path, o, e);
	if (!rc)
		(*t)->format = f;
	return rc;
}

int trace_open(struct trace **t, const char *path, struct err *e)
{
	return trace_open_with(t, NULL, path, NULL, e);
}

/* --- what a reader noticed ---------------------------------------------------------------------------------------- */

const struct trace_notes *trace_notes(const struct trace *t)
{
	return &t->notes;
}

const char *trace_note(const struct trace *t, unsigned int i, char *buf, size_t size)
{
	const struct trace_notes *n = &t->notes;
	unsigned int found = 0; /* each condition that holds is one more */
#define NOTE_IF(condition, ...)                                                                                        \
	do {                                                                                                           \
		if ((condition) && found++ == i) {                                                                     \
			snprintf(buf, size, __VA_ARGS__);                                                              \
			return buf;                                                                                    \
		}                                                                                                      \
	} while (0)
	NOTE_IF(n->n_skipped, "unreadable lines or records left out: %" PRIu64 "; the first: %s", n->n_skipped,
		n->first_skipped);
	NOTE_IF(n->one_cpu_of_many, "this is one processor's file of several that lie beside it: give all of them, or "
				    "merge them with blkparse -d");
	NOTE_IF(n->n_without_end, "requests that begin and never end: %" PRIu64, n->n_without_end);
	NOTE_IF(n->n_without_begin, "ends of requests whose beginning is not in the trace: %" PRIu64,
		n->n_without_begin);
	NOTE_IF(n->n_without_issue, "requests queued (Q) and completed (C) with no issue (D) seen: %" PRIu64
				    "; --queue begins them when they were queued", n->n_without_issue);
	NOTE_IF(n->n_queued && n->mean_queue_ns > 0,
		"requests wait %.3g us in the mean from queueing (Q) to issue (D): say which of them is the begin "
		"(--queue: Q)",
		n->mean_queue_ns / 1000);
	NOTE_IF(n->n_unknown_fd, "calls on descriptors that were neither opened in the trace nor named: %" PRIu64,
		n->n_unknown_fd);
	NOTE_IF(n->n_passed_over, "events and calls that are no requests, passed over: %" PRIu64, n->n_passed_over);
#undef NOTE_IF
	return NULL;
}
