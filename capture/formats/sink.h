/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes an exported trace: to a file that appears when it is complete, or to standard output. */
#pragma once

#include "capture/format.h"

struct sink {
	const char *path; /* for messages */
	char *temporary;  /* renamed to `path` at the end, or NULL */
	int fd;
	struct strbuf out; /* pending output; callbacks append to it */
};

/* Callbacks of a format. `one` appends a request to s->out and returns 1. If the format cannot
 * represent the request, it returns 0 and sets `why` (a literal). It returns a negative errno after
 * an error. */
struct sink_writer {
	/* fixed text before the first request and after the last; NULL: none */
	const char *header, *footer;
	/* write the parts before and after the requests; NULL: nothing */
	int (*head)(void *ctx, struct sink *s, struct err *e);
	int (*one)(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		   struct err *e);
	int (*tail)(void *ctx, struct sink *s, struct err *e);
	/* the format can represent records of FAMILY_CAUSE; otherwise they are left out */
	bool causes;
};
/* Writes all of `t` to `path` ("-": standard output). Errors: EBADMSG: damaged blocks of the input
 * were left out; the rest is written. */
int sink_write_trace(const struct sink_writer *w, void *ctx, struct trace *t, const char *path,
		     struct trace_export_report *report, struct err *e);

/* The parts of sink_write_trace, for a format with several files. Opens the output: a regular file
 * is written under a temporary name, a pipe or device in place. sink_close() must follow, also
 * after an error. */
int sink_open(struct sink *s, const char *path, struct err *e);
int sink_flush(struct sink *s, struct err *e);
/* Completes the file, or removes it if `ret` is an error. Returns the first error. */
int sink_close(struct sink *s, const char *path, int ret, struct err *e);

/* Writes a decimal number. */
void sink_u64(struct sink *s, uint64_t v);
/* Writes v * 10^-digits: sink_decimal(s, 1500, 3) is "1.500". */
void sink_decimal(struct sink *s, int64_t v, unsigned int digits);
/* Writes a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void sink_json_string(struct sink *s, const char *text);

/* Whether the request read or wrote data of a known object at a known offset. If not, *why is the
 * reason. */
bool sink_is_transfer(const struct trace *t, const struct trace_record *r, bool *is_write,
		      const char **why);
