/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes an exported trace: to a file that appears complete or not at all, or to standard output.
 */
#pragma once

#include "capture/format.h"

struct sink {
	const char *path; /* for messages */
	char *temporary;  /* renamed to `path` at the end, or NULL */
	int fd;
	struct strbuf out; /* pending output; callbacks append to it */
};

/* Callbacks of a format. `one` appends a request to s->out and returns 1, or returns 0 with `why`
 * (a literal) if the format cannot hold it, or a negative errno. */
struct sink_writer {
	const char *header, *footer; /* fixed text before and after all; NULL: none */
	/* write what precedes and follows the requests; NULL: nothing */
	int (*head)(void *ctx, struct sink *s, struct err *e);
	int (*one)(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
		   struct err *e);
	int (*tail)(void *ctx, struct sink *s, struct err *e);
	bool causes; /* the format holds records of FAMILY_CAUSE; otherwise they are left out */
};
/* Writes all of `t` to `path` ("-": standard output). Damaged blocks of the input are left out;
 * EBADMSG is then returned although the rest is written. */
int sink_write_trace(const struct sink_writer *w, void *ctx, struct trace *t, const char *path,
		     struct trace_export_report *report, struct err *e);

void sink_u64(struct sink *s, uint64_t v);
/* Writes v * 10^-digits: sink_decimal(s, 1500, 3) is "1.500". */
void sink_decimal(struct sink *s, int64_t v, unsigned int digits);
/* Writes a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void sink_json_string(struct sink *s, const char *text);

/* Whether the request read or wrote data of a known object at a known offset; *why says why not. */
bool sink_is_transfer(const struct trace *t, const struct trace_record *r, bool *is_write,
		      const char **why);
