/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an exported trace goes: a file that appears whole or not at all, or standard output; and
 * the walk over the trace. */
#ifndef CAPTURE_FORMATS_SINK_H
#define CAPTURE_FORMATS_SINK_H

#include "capture/format.h"
#include "common/strbuf.h"

struct sink {
	const char *path; /* for messages */
	char *temporary;  /* what is renamed at the end, or NULL */
	int fd;
	struct strbuf out; /* what is to be written next: append to it */
};

/* Writes all of `t` to `path` ("-": standard output). `one` appends a request to s->out: 1, or 0
 * with `why` (a literal) where the format cannot hold it, or a negative errno. `head` and `tail`
 * (NULL: none) write what stands before and behind. Damaged blocks of the input are left out, and
 * then EBADMSG is returned although the rest is written. */
struct sink_writer {
	int (*head)(void *ctx, struct sink *s, struct err *e);
	int (*one)(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		   struct err *e);
	int (*tail)(void *ctx, struct sink *s, struct err *e);
	/* the format holds what a parallel application has beside requests; else it is left out */
	bool causes;
};
int sink_write_trace(const struct sink_writer *w, void *ctx, struct trace *t, const char *path,
		     struct trace_export_report *report, struct err *e);

void sink_u64(struct sink *s, uint64_t v);
/* `v` in units of 10^-digits of what is written: sink_decimal(s, 1500, 3) is "1.500". */
void sink_decimal(struct sink *s, int64_t v, unsigned int digits);
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void sink_json_string(struct sink *s, const char *text);

/* Whether the request read or wrote data of a known object at a known offset: what block formats
 * can hold. *why if not.
 */
bool sink_is_transfer(const struct trace *t, const struct trace_record *r, bool *is_write,
		      const char **why);

#endif
