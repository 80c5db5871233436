/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts outcomes to a replay trace, in which record i replays record i of the input, and to a
 * summary. */
#pragma once

#include "replay/plan/plan.h"
#include "replay/result/summary.h"

/* Checks the output before the replay: refuses an output that is the input, or the file that is
 * used as a device (`device`, NULL none), or that cannot be written. Leaves no new file behind. */
int output_check(const char *input, const char *output, const char *device, struct err *e);

struct output_outcome {
	struct outcome outcome;	 /* begin_ticks 0: not issued */
	uint64_t dispatch_ticks; /* 0: unknown */
	int64_t success;	 /* return value of the record if the request succeeded */
};

struct output_result { /* outcome of one record */
	/* again: outcome of the second copy of mutant `repeat` */
	struct output_outcome first, again;
	int64_t intended_ns;		    /* due time after the start; TIME_NONE: none */
	int64_t expected;		    /* for outcome_differs */
	bool skipped;
	bool cpu_delayed;		    /* OUTCOME_CPU_DELAYED */
};

/* The source of outcomes: memory of an engine. */
struct output_source {
	const void *ctx;
	const struct replay_config *config;
	/* Sets *f for record i. At first *f says that the record was not issued. *r is the record
	 * of the output; `outcome_get` sets the arguments that differ from the trace. */
	void (*outcome_get)(const struct output_source *o, uint64_t i,
			    const struct trace_record *traced, struct trace_record *r,
			    struct output_result *f);
	const struct clock *clock;
	uint64_t start_ticks;
	/* number of records of the input; upper limit of its requests */
	uint64_t n_records, n_requests;
	enum trace_level level;
	const char *root;
	bool timed; /* requests have due times */
	bool reports_cpu_delay; /* outcomes have `cpu_delayed` */
	/* the replay was not observed: starts are unknown, but the intended times are kept */
	bool untimed;
	int64_t input_first_ns;
	struct run_facts facts;
	uint64_t n_workers, n_futex_sleeps, n_timed_sleeps, n_late_wakes;
	uint64_t n_events_lost; /* lost while the replay was observed */
	/* Gets the next request that the input lacks, with object numbers of the input. Returns 1,
	 * 0 at the end, or a negative errno. NULL: there are no such requests. */
	int (*extra)(const struct output_source *o, struct trace_record *r,
		     struct output_outcome *got, struct err *e);
	json_t *more; /* further members of the metadata's "replay"; borrowed; NULL none */
};
/* Timing timestamp: also marks requests that are late mostly because an earlier request of their
 * lane was CPU-delayed. Call it once before output_write. */
void output_spread_cpu_delay(struct replay_plan *p);
/* `outcome_get` of a source whose `ctx` is a plan after its replay. */
void output_plan_outcome(const struct output_source *o, uint64_t i,
			 const struct trace_record *traced, struct trace_record *r,
			 struct output_result *f);

/* Reads the input again together with the outcomes: completes `s`, and writes c->output unless it
 * is NULL. A failed output is removed. Errors: of writing; EIO if the input has changed. */
int output_write(struct trace *input, const char *input_path, const struct output_source *from,
		 const struct replay_config *c, struct replay_summary *s, struct err *e);

/* Writes the metadata of a replay trace: the command line that repeats the replay, and a JSON
 * object with "replay" (engine, options, input, counts), "facts", and the parts of the input's
 * metadata that also apply to its replay ("descriptors", "workload"). Opens *w if it is NULL. Call
 * it again when the counts are complete. `c`: the configuration as given. */
int output_meta_put(struct trace_writer **w, struct trace *input, const char *input_path,
		    const struct output_source *from, const struct replay_config *c,
		    const struct replay_summary *s, struct err *e);
