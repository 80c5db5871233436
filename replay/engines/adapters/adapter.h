/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other people's replayers as engines: how each is given its input, how it is started, and how the
 * times of the requests that it made come back.
 *
 * An adapter is one file: a `const struct adapter`, and the row of an engine that points to it
 * (ADAPTER_ENGINE), which engine.c has in its table. Everything else is the same for all, and is
 * not the adapter's business: the trace is exported, the replayer is started in a scratch directory
 * of its own, watched, and ended with all that it started; the requests that were seen are matched
 * to those of the input; record i of the output replays record i of the input. doc/adapters.md
 * walks through adding one. */
#ifndef REPLAY_ADAPTER_H
#define REPLAY_ADAPTER_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "common/strbuf.h"
#include "replay/options/engine.h"
#include "replay/result/summary.h"

/* How times come back. */
enum adapter_times {
	ADAPTER_SELF = 1,    /* it writes the times of each request, which `parse` reads */
	ADAPTER_PRELOAD = 2, /* our library sees its calls */
	ADAPTER_BLOCK = 4,   /* the kernel's tracepoints on the target device */
	ADAPTER_UNTIMED = 8, /* nobody: who asked looks himself. Every adapter can */
};

/* One input file for the whole trace, or one for each of its threads, processes or devices, in the
 * order of their first request. */
enum adapter_per { ADAPTER_PER_TRACE, ADAPTER_PER_THREAD, ADAPTER_PER_PROCESS, ADAPTER_PER_DEVICE };

/* What the hooks of an adapter may know of one replay. Strings are borrowed until it is over. */
struct adapter_run {
	const struct replay_config *config;
	const struct adapter *adapter;
	const char *target;  /* absolute path of the directory, or of the device; {target} */
	/* absolute path of the device or file, NULL where the target is a directory; {device} */
	const char *device;
	/* a directory of this run's own, which is removed afterwards; {scratch}, and where it is
	 * started */
	const char *scratch;
	const char *binary;  /* absolute path of the replayer; the command's first word */
	/* where it is to write its own times, if it does; {output}. Its standard output, where no
	 * word names it */
	const char *output;
	/* what it printed, standard output and errors together: bounded. After the run */
	const char *printed;
	struct trace *input; /* rewind before use; adapter_is_exported() says which of it is */
	uint64_t n_requests; /* of it that are exported */
	uint32_t n_threads, n_processes, n_devices;
	/* trace[n_traces]: the exported files; {trace} is the first, the word {traces} all of them
	 */
	char *const *trace;
	size_t n_traces;
	/* an absolute path by which it names the target: a link to it, which `ready` made. The core
	 * frees. NULL: by its own */
	char *root;
	uint64_t max_in_flight; /* of the input: {in_flight} */
	int64_t first_ns, last_ns; /* first begin and last end of it */
	/* of the replayer's process, CLOCK_MONOTONIC. After the run */
	int64_t started_ns, ended_ns;
	int status;	     /* as waitpid gives it. After the run */
	/* it was killed because it had fallen quiet (quiet_ns). After the run */
	bool quiet;
	void *own;	     /* the core's */
};

/* One request as the replayer tells it. All that is not set is not known: ADAPTER_REQUEST_INIT. */
struct adapter_request {
	uint64_t seq;	     /* its number in r->input, ADAPTER_NONE: not told */
	/* OP_PREAD, OP_PWRITE, OP_FSYNC, ...; OP_INVALID: not told, it is the next of the input */
	enum trace_op op;
	const char *object;  /* path below the target; NULL: the device, or as in the input */
	uint64_t offset, length; /* bytes */
	int64_t begin_ns, end_ns; /* of any epoch, the same for all; TIME_NONE: not known */
	int64_t rvalue;	     /* result or -errno; ADAPTER_AS_TRACED: a success */
	uint32_t tid;	     /* 0: as in the input */
};
#define ADAPTER_NONE UINT64_MAX
#define ADAPTER_AS_TRACED INT64_MIN
#define ADAPTER_REQUEST_INIT                                                                                                       \
	{ADAPTER_NONE, OP_INVALID, NULL, OFFSET_NONE, 0, TIME_NONE, TIME_NONE, ADAPTER_AS_TRACED, 0}

struct adapter {
	const char *name;	  /* of the engine */
	/* looked for in PATH, unless the variable VALIDATE_NAME (capitals, - is _) holds its path
	 */
	const char *program;
	/* of the traces it replays; 0: either, as its export format and target say */
	enum trace_level level;
	const char *format;	  /* that it reads (capture/format.h) */
	const char *suffix;	  /* of the exported file's name, with its dot; "" none */
	enum adapter_per per;
	/* the words behind the program, with placeholders; NULL-terminated */
	const char *const *command;
	/* NAME=VALUE with placeholders, NULL-terminated; NULL none */
	const char *const *environment;
	unsigned int times;	  /* enum adapter_times that it can: several */
	enum adapter_times usual; /* where --times does not say */
	bool timed;		  /* it means to issue requests at their traced times */
	/* it is started in the target directory, as names in its input count from there; else in
	 * the scratch directory */
	bool in_target;
	bool stdin_trace;	  /* its standard input is the exported file; else there is none */
	/* of the times that `parse` gives, for the metadata; 0: they are as good as the clock */
	int64_t resolution_ns;
	int64_t quiet_ns; /* not 0: it may hang behind its last request. When it has used no
			   * processor time for so long, and the input's span is over, it is killed
			   * with `quiet` set; `ended` says whether that was good */
	/* names of the replay options it heeds beside those of all adapters and cpus;
	 * NULL-terminated, NULL none */
	const char *const *takes;

	/* All may be NULL. Errors: with a message; the replay fails, and nothing is left running.
	 */

	/* Checks its options, without the trace. Errors: EINVAL. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* Before it is started, the export done: writes further input files into r->scratch,
	 * refuses traces that it cannot take (EINVAL with a sentence). */
	int (*ready)(struct adapter_run *r, struct err *e);
	/* Appends further words behind those of `command`, by adapter_word(). Placeholders are
	 * replaced in them as well. */
	int (*words)(struct adapter_run *r, struct err *e);
	/* After each run, whatever its status: 0 where the run is good (some end with another
	 * status than 0 after a complete one); a negative errno with why it failed (some end with 0
	 * although they failed); -EAGAIN without a message where the core is to judge by the
	 * status, and those that options accept. */
	int (*ended)(struct adapter_run *r, struct err *e);
	/* times self: reads what it wrote and gives each request to adapter_seen(). Every byte of
	 * it is a stranger's. Errors: EBADMSG naming file, line and value. */
	int (*parse)(struct adapter_run *r, struct err *e);
	/* Its version on one line, by asking it; NULL: the first line that `program --version`
	 * prints. */
	/* user: as whom it runs, NULL as who asks */
	int (*version)(const char *binary, const char *user, struct strbuf *out, struct err *e);
};

/* --- for adapters -------------------------------------------------------- */

/* Appends a word to the command. */
void adapter_word(struct adapter_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sets a placeholder of the adapter's own: {name} in later words. */
void adapter_placeholder(struct adapter_run *r, const char *name, const char *value);
/* A path in the scratch directory. The caller frees. */
char *adapter_path(const struct adapter_run *r, const char *name);
/* Takes in a request that it says it made. Errors: EBADMSG for one that ends before it begins or
 * whose times cannot be. */
int adapter_seen(struct adapter_run *r, const struct adapter_request *q, struct err *e);
/* Whether the i-th record of r->input is in the exported files. */
bool adapter_is_exported(const struct adapter_run *r, uint64_t i);
/* A decimal number as programs print times and offsets, in units of 10^-digits: ("1.25", 6) is
 * 1250000. `*end`: behind it. Errors: EBADMSG for nan, inf, no number, too large a one, saying
 * which. */
int adapter_number(const char *text, unsigned int digits, int64_t *value, const char **end,
		   struct err *e);
/* A sentence for the terminal and the metadata, as of what was done without. */
void adapter_note(struct adapter_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- engines ------------------------------------------------------------- */

int adapter_check(const struct replay_config *c, struct err *e);
int adapter_replay(const char *trace_path, const struct replay_config *c, struct replay_summary *s,
		   struct err *e);

/* Whether it is to issue requests at their traced times with these options. */
bool adapter_is_timed(const struct adapter *a, const struct replay_config *c);
/* How times come back with these options, which have been checked. */
enum adapter_times adapter_times_of(const struct adapter *a, const struct replay_config *c);

#define ADAPTER_ENGINE(NAME, HELP)                                                                                                 \
	const struct replay_engine engine_##NAME = {                                                                               \
		.name = #NAME, .help = HELP, .check = adapter_check, .replay = adapter_replay, .adapter = &adapter_##NAME, \
		.options = adapter_option_table}

/* The file that an adapter's program is, or NULL with why there is none: ENOENT naming the variable
 * and the name looked for. The caller frees. */
char *adapter_binary(const struct adapter *a, struct err *e);

#endif
