/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a request as the text of a call. Private to the writers of strace and ARTC. */
#ifndef CAPTURE_FORMATS_STRACE_LINE_H
#define CAPTURE_FORMATS_STRACE_LINE_H

#include "capture/formats/strace_private.h"

struct strace_line {
	struct trace *t;
	const char *root;   /* directory of relative names; borrowed */
	/* for ARTC: no names after descriptors, and the older names of calls */
	bool old;
	struct strbuf text; /* output */
	int failed;	    /* 0, or a negative errno: a record's heap item could not be read */
	struct err *err;    /* the reason; borrowed, NULL is fine */
};

/* The row of the call that expresses a request. NULL: strace has none, or with `old` ARTC does not
 * support it. */
const struct strace_call *strace_row_of(const struct trace_record *r, bool old);
/* Appends the arguments. False: an argument is unknown, or `failed` is set; part of them may be
 * appended. */
bool strace_add_args(struct strace_line *x, const struct trace_record *r,
		     const struct strace_call *c);
/* Appends ") = 4</a>" or ") = -1 ENOENT (No such file or directory)". */
void strace_add_result(struct strace_line *x, const struct trace_record *r);

#endif
