/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Several traces that are used as one: opened, put on one time line, with common metadata. For
 * import and slice. */
#pragma once

#include <jansson.h>

#include "commands/open_options.h"

struct trace_set {
	struct trace **t;
	const char **path;
	int64_t *shift_ns; /* added to the times of each trace */
	size_t n;
	char **given; /* given[n_given]: file names, owned */
	size_t n_given;
	char *names; /* names of the formats */
};

/* Opens n files. If there is no file of a name, opens the parts FILE.000, FILE.001 ... of a
 * capture. The files of a multi-file format (blktrace) become one trace. Other files are one trace
 * each, put on one time line: by the wall clock if all traces state it; otherwise by the monotonic
 * clock if all state it; otherwise all begin at 0. `output` is the file to write. Errors: as
 * trace_open; EINVAL: `output` is one of the files, or the traces have different levels or names
 * relative to different directories. Ownership: trace_set_close, also after an error. */
int trace_set_open(struct trace_set *m, const struct open_options *o, const char *const *path,
		   size_t n, const char *output, struct err *e);
void trace_set_close(struct trace_set *m);

/* Metadata of the first trace, with the clock of the lowest resolution of all traces. The initial
 * files are unknown, unless the first `n` traces state the same files. Strings are borrowed from
 * the set. */
void trace_set_meta(const struct trace_set *m, size_t n, struct trace_meta *meta);
uint64_t trace_set_events_lost(const struct trace_set *m);
const char *trace_set_format_names(struct trace_set *m);
/* Returns the extra facts of a trace; an empty object if it has none. New reference. */
json_t *trace_extra(const struct trace *t);
/* Replaces "processes" and "threads" of `top` by those of the first `n` traces, in the time of the
 * first trace. `retime` changes each list (`x` is its argument); NULL: no change. Returns whether
 * there are any. Some formats know the lists only after reading. */
bool trace_set_kin(const struct trace_set *m, size_t n, json_t *top,
		   void (*retime)(json_t *rows, const void *x), const void *x);
/* Adds the inherited descriptors and the CPU sets of the first `n` traces to `top`, the extra facts
 * of the first trace. Removes facts of the first trace that are not true for all of them: memory,
 * complete list of initial files. */
void trace_set_facts(const struct trace_set *m, size_t n, json_t *top);
/* Adds the counts of what the first `n` traces lack (capture/unseen.h) to `top`, the extra facts of
 * the first trace. Call it after reading. */
void trace_set_unseen(const struct trace_set *m, size_t n, json_t *top);
/* Text of the extra facts of the first trace, with the processes of all traces and the member
 * "imported": counts and warnings of the reading. Call it after reading. The caller frees it. */
char *trace_set_extra_json(const struct trace_set *m);
