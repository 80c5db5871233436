/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a replayer: the trace in its format, in one file or several. */
#pragma once

#include "capture/format.h"
#include "common/words.h"

/* One input file for the whole trace, or one for each of its threads, processes or devices, in the
 * order of their first request. */
enum adapter_per { ADAPTER_PER_TRACE, ADAPTER_PER_THREAD, ADAPTER_PER_PROCESS, ADAPTER_PER_DEVICE };

struct inputs {
	/* exported files: {trace} is the first file, the word {traces} all files */
	struct words_list file;
	uint64_t n_records;	  /* of the trace */
	uint64_t n_left_out;	  /* number of skipped requests: the format cannot represent them */
	char why[200];		  /* for the first of them */
	uint8_t *left_out;	  /* bit i of byte i / 8: record i */
	uint64_t n_of[OP_N];	  /* exported, by operation */
	uint32_t n_threads, n_processes;
	uint64_t max_in_flight; /* {in_flight} */
	/* first start and last end; TIME_NONE: no times */
	int64_t first_ns, last_ns;
};

/* Parses --export: "FORMAT" or "FORMAT/thread". Errors: EINVAL; ENOENT with the nearest name, or if
 * the format has no writer. */
int inputs_format_parse(const char *text, const struct trace_format **f, enum adapter_per *per,
			struct err *e);

/* Reads the trace and counts threads, requests and so on. Errors: of reading; ENOMEM. */
int inputs_count(struct inputs *in, struct trace *t, struct err *e);
/* Writes the trace in format `f` to files in `dir` whose names end in `suffix`. Errors: of reading
 * and writing; EINVAL with the reason if nothing can be exported. */
int inputs_export(struct inputs *in, struct trace *t, const struct trace_format *f,
		  enum adapter_per per, const char *dir, const char *suffix, struct err *e);
void inputs_release(struct inputs *in);

/* Whether the i-th record of the trace is in none of the exported files. */
static inline bool inputs_is_left_out(const struct inputs *in, uint64_t i)
{
	return in->left_out[i / 8] >> i % 8 & 1;
}
