/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other replayers as engines: the input of each, its command, and how the times of its requests are
 * measured.
 *
 * An adapter is one file: a `const struct adapter`, and the row of an engine that points to it
 * (ADAPTER_ENGINE), which the table of registry.c lists. The core does the rest: it exports the
 * trace; starts the replayer in a scratch directory, watches it, and ends it with all its children;
 * matches the observed requests to those of the input; writes the output, whose record i replays
 * record i of the input. doc/adapters.md explains how to add one. */
#pragma once

#include "replay/engines/adapters/inputs.h"
#include "replay/options/engine.h"
#include "replay/result/summary.h"

/* What measures the times. */
enum adapter_times {
	ADAPTER_SELF = 1,    /* the replayer writes the times of each request; `parse` reads them */
	ADAPTER_PRELOAD = 2, /* the preloaded library traces its calls */
	ADAPTER_BLOCK = 4,   /* tracepoints of the kernel on the target device */
	ADAPTER_UNTIMED = 8, /* no times; all adapters have it */
};

/* One replay, as the hooks of an adapter see it. Strings are borrowed and valid until the replay
 * ends. */
struct adapter_run {
	const struct replay_config *config;
	const struct adapter *adapter;
	char *target;  /* absolute path of the directory, or of the device; {target} */
	/* absolute path of the device or file, NULL if the target is a directory; {device} */
	char *device;
	/* scratch directory and working directory of this run, removed afterwards; {scratch} */
	char *scratch;
	char *binary;  /* absolute path of the replayer; the command's first word */
	/* {output}: the file for the times that the replayer reports. If no word of the command
	 * names it, it receives the standard output */
	char *output;
	/* file with the standard output and standard error of the replayer, truncated to a limit;
	 * valid after the run */
	char *printed;
	struct trace *input; /* call trace_rewind() before use; see inputs_is_left_out() */
	uint64_t n_requests; /* exported requests */
	struct inputs inputs;
	/* absolute path of a link to the target, which `ready` makes; the replayer uses the files
	 * below it. NULL: the replayer uses the target itself */
	char *root;
	/* start and end of the replayer's process, CLOCK_MONOTONIC; valid after the run */
	int64_t started_ns, ended_ns;
	int status;	     /* of waitpid. After the run */
	/* the replayer was killed because it used no CPU time for quiet_ns; valid after the run */
	bool quiet;
	void *own;	     /* state of the common part */
};

/* One request as the replayer reports it. Initialise it with ADAPTER_REQUEST_INIT: everything
 * unknown. */
struct adapter_request {
	uint64_t seq;	     /* number of the request in r->input; ADAPTER_NONE: unknown */
	/* OP_PREAD, OP_PWRITE, OP_FSYNC, ...; OP_INVALID: unknown, taken from the next request of
	 * the input */
	enum trace_op op;
	/* path below the target; NULL: the device, or the object that the input has */
	const char *object;
	uint64_t offset, length; /* bytes */
	int64_t begin_ns, end_ns; /* in any epoch, the same for all requests; TIME_NONE: unknown */
	int64_t rvalue;	     /* result or -errno; ADAPTER_AS_TRACED: the request succeeded */
	uint32_t tid;	     /* 0: as in the input */
};
#define ADAPTER_NONE UINT64_MAX
#define ADAPTER_AS_TRACED INT64_MIN
#define ADAPTER_REQUEST_INIT									   \
	{ADAPTER_NONE, OP_INVALID, NULL, OFFSET_NONE, 0, TIME_NONE, TIME_NONE, ADAPTER_AS_TRACED, 0}

struct adapter {
	const char *name;	  /* of the engine */
	/* program name, searched in PATH unless the variable VALIDATE_NAME (the name in capitals, -
	 * becomes _) contains the path */
	const char *program;
	const char *format;	  /* of its input (capture/format.h) */
	const char *suffix;	  /* suffix of the exported file, with its dot; "" none */
	enum adapter_per per;
	/* the words after the program, with placeholders; NULL-terminated */
	const char *const *command;
	/* NAME=VALUE with placeholders, NULL-terminated; NULL none */
	const char *const *environment;
	unsigned int times;	  /* possible enum adapter_times, a bit set */
	enum adapter_times usual; /* default of --times */
	const char *unversioned;  /* version of a replayer that does not print one; NULL: it does */
	bool timed;		  /* the replayer issues requests at their traced times */
	/* the working directory is the target directory, because names in the input are relative to
	 * it; otherwise it is the scratch directory */
	bool in_target;
	/* the standard input is the exported file; otherwise it is empty */
	bool stdin_trace;
	/* resolution of the times that `parse` reads, for the metadata; 0: the resolution of the
	 * clock */
	int64_t resolution_ns;
	/* not 0: the replayer may hang after its last request. It is killed, and `quiet` is set, if
	 * it has used no CPU time for this long after the span of the input. Then `ended` decides
	 * whether the run was good */
	int64_t quiet_ns;
	/* names of the replay options that it has in addition to those of all adapters;
	 * NULL-terminated, NULL none */
	const char *const *takes;

	/* Hooks; each may be NULL. An error has a message and fails the replay. */

	/* Checks the adapter's options, without the trace. Errors: EINVAL. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* Called after the export and before the start. Writes further input files into r->scratch,
	 * and refuses unsuitable traces. Errors: EINVAL with a sentence. */
	int (*ready)(struct adapter_run *r, struct err *e);
	/* Appends words to the command by adapter_word(). Placeholders in them are replaced,
	 * too. */
	int (*words)(struct adapter_run *r, struct err *e);
	/* Called after each run, whatever its exit status. 0: the run is good (some replayers
	 * return a nonzero status after a complete run). A negative errno with the reason: the run
	 * failed (some replayers return 0 after a failure). -EAGAIN without a message: the core
	 * decides by the status and the option accept-status. */
	int (*ended)(struct adapter_run *r, struct err *e);
	/* With times self: reads the replayer's output and passes each request to adapter_seen().
	 * The output is untrusted. Errors: EBADMSG with file, line and value. */
	int (*parse)(struct adapter_run *r, struct err *e);
	/* Appends the replayer's version on one line. NULL: `unversioned`, otherwise the first line
	 * that `program --version` prints. `user`: the user that runs the command; NULL: the user
	 * of this process. */
	int (*version)(const char *binary, const char *user, struct strbuf *out, struct err *e);
};

/* --- functions for adapters ---------------------------------------------- */

/* Appends a word to the command. */
void adapter_word(struct adapter_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Defines a placeholder of the adapter: {name} in words that are appended later. */
void adapter_placeholder(struct adapter_run *r, const char *name, const char *value);
/* A path in the scratch directory. The caller frees. */
char *adapter_path(const struct adapter_run *r, const char *name);
/* Adds a request that the replayer reports. Errors: EBADMSG if the request ends before it begins,
 * or if its times are out of range. */
int adapter_seen(struct adapter_run *r, const struct adapter_request *q, struct err *e);
/* Parses a decimal number, as programs print times and offsets, in units of 10^-digits: ("1.25", 6)
 * gives 1250000. `*end`: the text after it. Errors: EBADMSG: nan, inf, no number, or too large a
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
/* Returns what measures the times with these options, which must have been checked. */
enum adapter_times adapter_times_of(const struct adapter *a, const struct replay_config *c);

/* LEVEL: level of the traces that the adapter replays; 0: both, as far as the export format and the
 * target allow. */
#define ADAPTER_ENGINE(NAME, LEVEL, HELP)							   \
	const struct replay_engine engine_##NAME = {						   \
		.name = #NAME, .help = HELP, .check = adapter_check, .replay = adapter_replay,	   \
		.level = LEVEL, .adapter = &adapter_##NAME,					   \
		.options = adapter_option_table}

/* The path of an adapter's program. Errors: NULL and ENOENT with the names of the variable and of
 * the program. The caller frees. */
char *adapter_binary(const struct adapter *a, struct err *e);
