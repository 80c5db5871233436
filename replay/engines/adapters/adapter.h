/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other replayers as engines: the input of each, its command, and how the times of its requests are
 * measured.
 *
 * An adapter is one file: a `const struct adapter`, and the row of an engine that points to it
 * (ADAPTER_ENGINE), which the table of engine.c lists. The core does the rest: it exports the
 * trace; starts the replayer in a scratch directory, watches it, and ends it with all its children;
 * matches the observed requests to those of the input; writes the output, whose record i replays
 * record i of the input. doc/adapters.md explains how to add one. */
#pragma once

#include "capture/trace.h"
#include "replay/options/engine.h"
#include "replay/result/summary.h"

/* Who measures the times. */
enum adapter_times {
	ADAPTER_SELF = 1,    /* the replayer writes the times of each request; `parse` reads them */
	ADAPTER_PRELOAD = 2, /* the preloaded library traces its calls */
	ADAPTER_BLOCK = 4,   /* tracepoints of the kernel on the target device */
	ADAPTER_UNTIMED = 8, /* no times; all adapters have it */
};

/* One input file for the whole trace, or one for each of its threads, processes or devices, in the
 * order of their first request. */
enum adapter_per { ADAPTER_PER_TRACE, ADAPTER_PER_THREAD, ADAPTER_PER_PROCESS, ADAPTER_PER_DEVICE };

/* One replay, for the hooks of an adapter. Strings are borrowed until its end. */
struct adapter_run {
	const struct replay_config *config;
	const struct adapter *adapter;
	const char *target;  /* absolute path of the directory, or of the device; {target} */
	/* absolute path of the device or file, NULL if the target is a directory; {device} */
	const char *device;
	/* scratch directory and working directory of this run, removed afterwards; {scratch} */
	const char *scratch;
	const char *binary;  /* absolute path of the replayer; the command's first word */
	/* file for its own times; {output}. Its standard output, if no word of the command names
	 * it */
	const char *output;
	/* file with its standard output and errors, truncated to a limit. Valid after the run */
	const char *printed;
	struct trace *input; /* rewind before use; see adapter_is_exported() */
	uint64_t n_requests; /* exported requests */
	uint32_t n_threads, n_processes, n_devices;
	/* trace[n_traces]: the exported files; {trace}: the first, the word {traces}: all */
	char *const *trace;
	size_t n_traces;
	/* absolute path of a link to the target, made by `ready`; the replay uses files below it.
	 * The core frees it. NULL: the target itself */
	char *root;
	uint64_t max_in_flight; /* of the input: {in_flight} */
	int64_t first_ns, last_ns; /* first begin and last end of the input */
	/* of the replayer's process, CLOCK_MONOTONIC. Valid after the run */
	int64_t started_ns, ended_ns;
	int status;	     /* of waitpid. After the run */
	/* it was killed because it no longer used CPU time (quiet_ns). Valid after the run */
	bool quiet;
	void *own;	     /* the core's */
};

/* One request as the replayer reports it. Start with ADAPTER_REQUEST_INIT: all unknown. */
struct adapter_request {
	uint64_t seq;	     /* its number in r->input; ADAPTER_NONE: unknown */
	/* OP_PREAD, OP_PWRITE, OP_FSYNC, ...; OP_INVALID: unknown, the next one of the input */
	enum trace_op op;
	const char *object;  /* path below the target; NULL: the device, or as in the input */
	uint64_t offset, length; /* bytes */
	int64_t begin_ns, end_ns; /* of any epoch, the same for all; TIME_NONE: unknown */
	int64_t rvalue;	     /* result or -errno; ADAPTER_AS_TRACED: a success */
	uint32_t tid;	     /* 0: as in the input */
};
#define ADAPTER_NONE UINT64_MAX
#define ADAPTER_AS_TRACED INT64_MIN
#define ADAPTER_REQUEST_INIT									   \
	{ADAPTER_NONE, OP_INVALID, NULL, OFFSET_NONE, 0, TIME_NONE, TIME_NONE, ADAPTER_AS_TRACED, 0}

struct adapter {
	const char *name;	  /* of the engine */
	/* searched in PATH, unless the variable VALIDATE_NAME (in capitals, - becomes _) has its
	 * path */
	const char *program;
	const char *format;	  /* of its input (capture/format.h) */
	const char *suffix;	  /* of the exported file, with its dot; "" none */
	enum adapter_per per;
	/* the words after the program, with placeholders; NULL-terminated */
	const char *const *command;
	/* NAME=VALUE with placeholders, NULL-terminated; NULL none */
	const char *const *environment;
	unsigned int times;	  /* possible enum adapter_times, a bit set */
	enum adapter_times usual; /* default of --times */
	bool timed;		  /* it issues requests at their traced times */
	/* its working directory is the target directory, because names in its input are relative to
	 * that directory; else the scratch directory */
	bool in_target;
	bool stdin_trace;	  /* its standard input is the exported file; else empty */
	/* resolution of the times that `parse` reads, for the metadata; 0: that of the clock */
	int64_t resolution_ns;
	/* not 0: it may hang after its last request. If it has used no CPU time for this time after
	 * the span of the input, it is killed and `quiet` is set; `ended` decides whether the run
	 * was good */
	int64_t quiet_ns;
	/* names of its replay options beside those of all adapters; NULL-terminated, NULL none */
	const char *const *takes;

	/* Hooks; each may be NULL. Errors: with a message; the replay fails. */

	/* Checks its options, without the trace. Errors: EINVAL. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* After the export, before the start: writes further input files into r->scratch; refuses
	 * unsuitable traces (EINVAL with a sentence). */
	int (*ready)(struct adapter_run *r, struct err *e);
	/* Appends words to the command by adapter_word(). Placeholders in them are replaced,
	 * too. */
	int (*words)(struct adapter_run *r, struct err *e);
	/* After each run, whatever its exit status. 0: the run is good (some replayers return a
	 * nonzero status after a complete run); a negative errno with the reason: the run failed
	 * (some replayers return 0 after a failure); -EAGAIN without a message: the core decides by
	 * the status and the option accept-status. */
	int (*ended)(struct adapter_run *r, struct err *e);
	/* times self: reads its output and passes each request to adapter_seen(). The output is
	 * untrusted. Errors: EBADMSG with file, line and value. */
	int (*parse)(struct adapter_run *r, struct err *e);
	/* Its version on one line. NULL: the first line that `program --version` prints. `user`:
	 * user of the command, NULL: the user of this process. */
	int (*version)(const char *binary, const char *user, struct strbuf *out, struct err *e);
};

/* --- for adapters -------------------------------------------------------- */

/* Appends a word to the command. */
void adapter_word(struct adapter_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets a placeholder of the adapter: {name} in later words. */
void adapter_placeholder(struct adapter_run *r, const char *name, const char *value);
/* A path in the scratch directory. The caller frees. */
char *adapter_path(const struct adapter_run *r, const char *name);
/* Adds a request that the replayer reports. Errors: EBADMSG: it ends before it begins, or its times
 * are out of range. */
int adapter_seen(struct adapter_run *r, const struct adapter_request *q, struct err *e);
/* Whether the i-th record of r->input is in the exported files. */
bool adapter_is_exported(const struct adapter_run *r, uint64_t i);
/* A decimal number, as programs print times and offsets, in units of 10^-digits: ("1.25", 6) gives
 * 1250000. `*end`: the text after it. Errors: EBADMSG: nan, inf, no number, or too large a
 * number. */
int adapter_number(const char *text, unsigned int digits, int64_t *value, const char **end,
		   struct err *e);
/* Adds a sentence for the terminal and the metadata, for example about a missing feature. */
void adapter_note(struct adapter_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- engines ------------------------------------------------------------- */

int adapter_check(const struct replay_config *c, struct err *e);
int adapter_replay(const char *trace_path, const struct replay_config *c, struct replay_summary *s,
		   struct err *e);

/* Whether the adapter issues requests at their traced times with these options. */
bool adapter_is_timed(const struct adapter *a, const struct replay_config *c);
/* What measures the times with these options, which have been checked. */
enum adapter_times adapter_times_of(const struct adapter *a, const struct replay_config *c);

/* LEVEL: of the traces that it replays; 0: both, as its export format and target allow. */
#define ADAPTER_ENGINE(NAME, LEVEL, HELP)							   \
	const struct replay_engine engine_##NAME = {						   \
		.name = #NAME, .help = HELP, .check = adapter_check, .replay = adapter_replay,	   \
		.level = LEVEL, .adapter = &adapter_##NAME,					   \
		.options = adapter_option_table}

/* The path of an adapter's program, or NULL with ENOENT, naming the variable and the program. The
 * caller frees. */
char *adapter_binary(const struct adapter *a, struct err *e);
