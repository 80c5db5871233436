/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces that are taken together: opened, put on one time line, described as one. For import and
 * slice. */
#ifndef COMMANDS_TRACE_SET_H
#define COMMANDS_TRACE_SET_H

#include <jansson.h>

#include "commands/open_options.h"

struct trace_set {
	struct trace **t;
	const char **path;
	int64_t *shift_ns; /* what is added to the times of each */
	size_t n;
	char **given; /* given[n_given]: names of files, owned */
	size_t n_given;
	char *names; /* of the formats */
	char *captured_by;
};

/* Opens n files, or the parts FILE.000, FILE.001 ... of a capture where there is no file of that
 * name: as one trace where their format takes several files (blktrace), else each for itself, on
 * one time line: by the wall clock where all tell it, else by the monotonic clock where all tell
 * that, else all beginning at 0. `output` is the file that will be written. Errors: as trace_open;
 * EINVAL where `output` is one of the files. Ownership: trace_set_close, also after an error. */
int trace_set_open(struct trace_set *m, const struct open_options *o, const char *const *path,
		   size_t n, const char *output, struct err *e);
void trace_set_close(struct trace_set *m);

/* Metadata of the whole: the first's, with the coarsest clock. Strings are borrowed from the
 * set. */
void trace_set_meta(struct trace_set *m, struct trace_meta *meta);
uint64_t trace_set_events_lost(const struct trace_set *m);
const char *trace_set_format_names(struct trace_set *m);
/* New references. The extra facts of a trace, an empty object where it has none; the rows of
 * "processes" of the first `n` traces, as one list in the time of the first, NULL where they tell
 * of less than two. Traces of some formats know them when they have been read. */
json_t *trace_extra(const struct trace *t);
json_t *trace_set_processes(const struct trace_set *m, size_t n);
/* The first's extra facts, the processes of all of them, and one more, `key`: what was read and
 * what was noticed. To be asked for when all is read. The caller frees. */
char *trace_set_extra_json(const struct trace_set *m, const char *key);

#endif
