/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One replay by somebody else's replayer, from end to end: the parts of the core. */
#ifndef REPLAY_ADAPTER_PRIVATE_H
#define REPLAY_ADAPTER_PRIVATE_H

#include <sched.h>

#include "common/words.h"
#include "replay/engines/adapters/adapter.h"
#include "replay/engines/adapters/child.h"
#include "replay/engines/adapters/inputs.h"
#include "replay/engines/adapters/surroundings.h"
#include "replay/engines/adapters/times.h"

struct outcome_slot { /* of one request of the input; all bytes 0: it was not seen */
	uint64_t begin;	       /* outcome_begin() of CLOCK_MONOTONIC */
	int64_t took_ns;
	int64_t dispatched_ns; /* after begin; -1: not known */
	int64_t rvalue;	       /* or -errno; ADAPTER_AS_TRACED */
};
static inline uint64_t outcome_begin(int64_t ns)
{
	return (uint64_t)ns + (UINT64_C(1) << 63);
}
static inline int64_t outcome_begin_ns(const struct outcome_slot *o)
{
	return (int64_t)(o->begin - (UINT64_C(1) << 63));
}

struct adapter_state {
	struct adapter_run run; /* what the hooks see: first */
	const char *input_path;
	struct times_how times;
	const struct trace_format *format;
	enum adapter_per per;
	char *target, *device, *scratch, *binary, *output, *printed, *start_in;
	struct inputs inputs;
	struct placeholders placeholders;
	struct words_list command, environment; /* placeholders replaced */
	struct words_list more;			/* words of the hooks */
	cpu_set_t cpus;
	bool has_cpus, writes_output; /* a word of the command names {output} */
	struct surroundings before, after;
	struct file_mark target_before, input_before, program_before;
	struct child_result *result;
	struct pause pause; /* by the campaign that pauses the replayer, if one does */
	struct strbuf version, notes;
	char digest[65];

	/* what was seen */
	char *seen_path;	     /* a trace of it */
	struct trace_writer *writer; /* of times self */
	uint64_t n_seen;	     /* records of it */
	int64_t first_seen_ns;	     /* of times self: the least begin */
	uint64_t n_events_lost;
	bool numbered, unnumbered;   /* times self: it told numbers; it did not */
	bool in_order;		     /* and neither what it did: the k-th is the k-th */

	/* what became of each request: outcome[n], in a file without a name */
	struct outcome_slot *outcome;
	uint64_t n_outcomes;
	uint64_t n_matched, n_extra, n_other; /* other: calls that are no requests of a device */
	uint64_t n_ambiguous;
	bool ambiguous_at_least;
	int64_t shift_ns; /* from the times of what was seen to CLOCK_MONOTONIC */
	uint8_t *is_matched; /* bit of each seen record */
};

/* adapter_command.c: program, words, environment. */
int command_make(struct adapter_state *a, struct err *e);
/* What can be said of the options before a trace is there. */
int command_check(const struct adapter *a, const struct replay_config *c, struct err *e);

/* adapter_run.c: runs it, observed as it is to be; what was seen is in a->seen_path. Errors: with
 * what it did. */
int adapter_start(struct adapter_state *a, struct err *e);

/* adapter_seen.c: the trace of times self. */
int seen_open(struct adapter_state *a, struct err *e);
int seen_close(struct adapter_state *a, int ret, struct err *e);

/* adapter_pieces.c: of what was seen of a device, those that make up a longer request of the input
 * become it. Errors: of reading and writing. */
int seen_join(struct adapter_state *a, struct err *e);

/* adapter_match.c: which request of the input each one seen is. */
int seen_match(struct adapter_state *a, struct err *e);
void seen_release(struct adapter_state *a);

/* adapter_output.c: the replay trace and the summary. */
int adapter_output_write(struct adapter_state *a, struct replay_summary *s, struct err *e);

#endif
