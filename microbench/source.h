/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One worker's samples as records of a trace, in its own order. Samples hold only what the clock
 * and the kernel said; the rest follows from the drawn blocks or from the script. */
#ifndef MICROBENCH_SOURCE_H
#define MICROBENCH_SOURCE_H

#include "microbench/run.h"

/* What records refer to for the paths of scripts, by number of the name. */
struct script_refs {
	uint32_t *object, *heap; /* heap: the path as the second one of a rename */
	uint64_t *n_bytes;       /* size of the file so far: where an O_APPEND write lands */
};
int script_refs_make(struct script_refs *s, const struct bench_run *r, struct trace_writer *w,
		     struct err *e);
void script_refs_release(struct script_refs *s);

struct source {
	const struct worker *worker;
	const struct bench_sample *next, *end;
	uint64_t k;     /* requests of the workload so far; steps of a script */
	uint64_t block; /* where a sequential workload stands */
	uint32_t object;
	const struct script_refs *refs;
	struct source_slot {
		uint64_t position;
		uint32_t name;
		int32_t fd;
		bool appends;
	} slot[SCRIPT_SLOTS];
};

int source_open(struct source *s, const struct bench_run *r, unsigned int worker,
		const struct script_refs *refs, struct trace_writer *w, struct err *e);
/* The next one; there must be one. */
void source_take(struct source *s, const struct bench_run *r, struct trace_record *out);

/* ns since the common begin. */
int64_t source_time(const struct bench_run *r, uint64_t ticks);
/* The path that step `k` of a thread's script works on, for messages. */
const char *source_step_path(const struct bench_thread *t, size_t k);

#endif
