/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing strace: a request as the text of a call. Private to the writers of strace and ARTC. */
#ifndef CAPTURE_FORMATS_STRACE_LINE_H
#define CAPTURE_FORMATS_STRACE_LINE_H

#include "capture/formats/strace_private.h"

struct strace_line {
	struct trace *t;
	const char *root;   /* that names of the trace lie below; borrowed */
	/* as ARTC reads it: no names beside descriptors, and calls by their older names */
	bool old;
	struct strbuf text; /* is added to */
	int failed;	    /* 0, or a negative errno: a record's heap item could not be read */
	struct err *err;    /* why; borrowed, NULL is fine */
};

/* The call to print a request by; NULL: strace has none, or `old`, ARTC is not known to take it. */
const struct strace_call *strace_row_of(const struct trace_record *r, bool old);
/* The arguments, up to the closing parenthesis; false: one is not known, or `failed` is set, and
 * there may be part of them. */
bool strace_add_args(struct strace_line *x, const struct trace_record *r,
		     const struct strace_call *c);
/* ") = 4</a>", ") = -1 ENOENT (No such file or directory)" */
void strace_add_result(struct strace_line *x, const struct trace_record *r);

#endif
