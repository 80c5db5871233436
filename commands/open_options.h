/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options for reading a foreign trace, as rows of a command's table. */
#pragma once

#include "capture/format.h"
#include "common/options.h"

struct open_options {
	const char *from, *mapping;
	uint64_t n_lenient;
	bool queue;
	int as, wait_unit; /* indices into the choices */
};

extern const char *const open_as_names[], *const open_wait_unit_names[];

#define OPEN_AT(AT, field) ((AT) + offsetof(struct open_options, field))
#define OPEN_OPTION_ROWS(AT) \
	OPTION(STRING, "from", OPEN_AT(AT, from), .group = "Input", .arg = "FORMAT",		\
	       .help = "format of the input; \"validate import --from list\" prints all formats " \
	       "(default: detected from its first bytes)"),				\
	OPTION(STRING, "mapping", OPEN_AT(AT, mapping), .arg = "FILE",				\
	       .help = "read delimited text; mapping file FILE describes its columns"),	\
	OPTION(UINT, "lenient", OPEN_AT(AT, n_lenient), .arg = "N",				\
	       .help = "skip up to N unreadable lines or records, and print the number of " \
	       "skipped lines or records (default 0)"),	\
	OPTION(FLAG, "queue", OPEN_AT(AT, queue), .help = "for block events: a request " \
	       "begins when it enters the queue (event Q), not when it is issued to the " \
	       "device (event D)"),	\
	OPTION(CHOICE, "as", OPEN_AT(AT, as), .arg = "OP", .choices = open_as_names,		\
	       .flags = OPT_UNSET,								\
	       .help = "operation of all requests of an oracleGeneral file, which needs " \
	       "this option; other formats ignore it"),	\
	OPTION(CHOICE, "wait-unit", OPEN_AT(AT, wait_unit), .arg = "UNIT",			\
	       .choices = open_wait_unit_names, .flags = OPT_UNSET,				\
	       .help = "unit of the times in wait lines of a fio iolog of version 2 (no default)")

/* Opens `path`, and further files `more` of the same trace if its format has several. Warns if the
 * trace has no end. Errors: ENOENT: unknown format; as trace_open_with. */
int open_trace(struct trace **t, const struct open_options *o, const char *path,
	       const char *const *more, size_t n_more, struct err *e);

/* The default name of the output: PATH with ".SUFFIX" in place of its last suffix. Errors: EINVAL:
 * PATH is standard input; EEXIST, because a default name must not overwrite a file. Ownership: the
 * caller frees *output. */
int output_default(char **output, const char *path, const char *suffix, struct err *e);

/* Prints one line on standard error, with escaped names. A very long line is cut, and the cut is
 * marked. */
void notice_print(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Prints a warning if `cut` (trace_meta) is set. open_trace() calls it; other callers that open
 * traces must call it themselves. */
static inline void warn_of_cut(const char *path, bool cut)
{
	if (cut)
		notice_print("%s: the trace is incomplete: this trace, or the trace from which it "
			     "was made, has no end (its writer was killed or ran out of space, or "
			     "the file was truncated); the complete part is used", path);
}

/* Finds the format `name`. `option` is the option as the user typed it, for the message. Errors:
 * ENOENT; the message suggests the nearest name. */
int find_format(const struct trace_format **f, const char *option, const char *name, struct err *e);

/* Prints all formats and their capabilities. */
void list_formats(void);
