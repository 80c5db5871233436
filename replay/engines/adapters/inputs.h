/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a replayer is given: the trace in its format, in one file or in several. */
#ifndef REPLAY_ADAPTER_INPUTS_H
#define REPLAY_ADAPTER_INPUTS_H

#include <stdint.h>

#include "capture/format.h"
#include "capture/trace.h"
#include "common/err.h"
#include "common/words.h"
#include "replay/engines/adapters/adapter.h"

struct inputs {
	struct words_list file;	  /* those exported */
	uint64_t n_records;	  /* of the trace */
	uint64_t n_left_out;	  /* not exported, for the format cannot hold them: skipped */
	char why[200];		  /* the first of them */
	uint8_t *left_out;	  /* bit i of byte i / 8: record i */
	uint64_t n_of[OP_N];	  /* exported, by operation */
	uint32_t n_threads, n_processes, n_devices;
	uint64_t max_in_flight;
	int64_t first_ns, last_ns; /* TIME_NONE: no times */
};

/* "FORMAT" or "FORMAT/thread" of --export. Errors: EINVAL, ENOENT with the nearest name; a format
 * that is only read. */
int inputs_format_parse(const char *text, const struct trace_format **f, enum adapter_per *per,
			struct err *e);

/* Looks through the trace: how many threads there are, and so on. Errors: of reading; ENOMEM. */
int inputs_count(struct inputs *in, struct trace *t, struct err *e);
/* Writes the files into `dir`, named after `suffix`. Errors: of reading and writing; EINVAL where
 * nothing can be exported, saying why. */
int inputs_export(struct inputs *in, struct trace *t, const struct trace_format *f,
		  enum adapter_per per, const char *dir, const char *suffix, struct err *e);
void inputs_release(struct inputs *in);

static inline bool inputs_is_left_out(const struct inputs *in, uint64_t i)
{
	return in->left_out[i / 8] >> i % 8 & 1;
}

#endif
