/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From outcomes back to a trace: record i of the replay trace replays record i of the input. And
 * the summary. */
#ifndef REPLAY_OUTPUT_H
#define REPLAY_OUTPUT_H

#include <jansson.h>

#include "capture/trace.h"
#include "common/err.h"
#include "replay/load/load.h"
#include "replay/plan/plan.h"
#include "replay/options/config.h"
#include "replay/result/summary.h"

/* Refuses an output that is the input itself, or the file that stands for a device (`device`, NULL
 * none), or cannot be written, before anything is replayed. Leaves no file behind. */
int output_check(const char *input, const char *output, const char *device, struct err *e);

struct output_outcome {
	struct outcome outcome;	 /* begin_ticks 0: it was not issued */
	uint64_t dispatch_ticks; /* 0: not known */
	int64_t success;	 /* what the record returns where the outcome is no failure */
};

struct output_fate { /* what became of one record */
	struct output_outcome first, again; /* again: the second copy that a mutant issued */
	int64_t intended_ns;		    /* after the start; TIME_NONE: no time was meant */
	/* traced result or negative errno, as outcome_differs wants it */
	int64_t expected;
	bool passed;
	bool held; /* its time was waited for, and the machine held it up: OUTCOME_HELD */
};

/* Where outcomes come from: an engine's own memory. */
struct output_source {
	const void *ctx;
	const struct replay_config *config;
	/* Record i; *r is the output's so far, `fate` changes in it what was asked for otherwise
	 * than in the trace. *f is as if it had not been issued. */
	void (*fate)(const struct output_source *o, uint64_t i, const struct trace_record *traced,
		     struct trace_record *r, struct output_fate *f);
	const struct clock *clock;
	uint64_t start_ticks;
	uint64_t n_records, n_requests; /* of the input; issued or not, at most */
	enum trace_level level;
	const char *root;
	bool timed; /* requests have times that they were meant for */
	bool tells_held; /* and fates tell which of them were held up */
	/* nobody looked: none has a begin, and intended times are kept all the same */
	bool untimed;
	int64_t input_first_ns;
	struct run_facts facts;
	uint64_t n_workers, n_futex_sleeps, n_timed_sleeps, n_late_wakes;
	uint64_t n_events_lost; /* by who observed the replay, beside those of the input */
	/* Requests that the input does not have: the next one, which begin and end at ticks like
	 * outcomes, with the input's object; 1, 0 at the end, or a negative errno. NULL: none. */
	int (*extra)(const struct output_source *o, struct trace_record *r,
		     struct output_outcome *got, struct err *e);
	json_t *more; /* further members of the metadata's "replay", borrowed; NULL none */
};
/* With timing timestamp: requests that are late mostly because one before them in their lane was
 * held up were held up, too. To be done once, before output_write. */
void output_spread_held(struct replay_plan *p);
struct output_source output_of_plan(const struct replay_plan *p, const struct replay_config *c,
				    int64_t input_first_ns);

/* Walks the input again beside the outcomes: completes `s`, and writes c->output unless it is NULL.
 * A failed output is removed. Errors: of writing; EIO when the input changed meanwhile. */
int output_write(struct trace *input, const char *input_path, const struct output_source *from,
		 const struct replay_config *c, struct replay_summary *s, struct err *e);

#endif
