/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a worker's samples to trace records, in the order of the worker. Samples contain only
 * times and results; the other members come from the drawn blocks or the script. */
#pragma once

#include "microbench/run/run.h"

/* For each name of a script: references to its path in the trace. */
struct script_refs {
	uint32_t *object, *heap; /* heap: the path as the new name of a rename */
	uint64_t *n_bytes;       /* current size of the file, for the offset of O_APPEND writes */
};
int script_refs_make(struct script_refs *s, const struct bench_run *r, struct trace_writer *w,
		     struct err *e);
void script_refs_release(struct script_refs *s);

struct source {
	const struct worker *worker;
	const struct bench_sample *next, *end;
	uint64_t k;     /* number of requests so far; for scripts, of steps */
	uint64_t block; /* block position of a sequential workload */
	uint32_t object;
	const struct script_refs *refs;
	struct source_slot {
		uint64_t position;
		uint32_t name;
		int32_t fd;
		bool appends;
	} slot[SCRIPT_SLOTS];
};

/* Begins with the first sample of a worker. Errors: of the writer. There is nothing to release. */
int source_open(struct source *s, const struct bench_run *r, unsigned int worker,
		const struct script_refs *refs, struct trace_writer *w, struct err *e);
/* Converts the next sample. There must be one. */
void source_take(struct source *s, const struct bench_run *r, struct trace_record *out);

/* Nanoseconds since the common start. */
int64_t source_time(const struct bench_run *r, uint64_t ticks);
/* The path of step `k` of a thread's script, for messages. */
const char *source_step_path(const struct bench_thread *t, size_t k);
