/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs an unknown program, which may hang, crash, leave processes behind, or print without end.
 *
 * A keeper process starts it in its own process group and waits. The keeper adopts orphans, so that
 * after the program's end it can name and end every process that the program started. */
#pragma once

#include <sched.h>

#include "common/pause.h"

struct child_spec {
	char *const *argv;	  /* argv[0] is the file */
	/* NAME=VALUE, NULL-terminated, in addition to the present ones; NULL none */
	char *const *environment;
	const char *dir;	  /* working directory */
	const char *input;	  /* file for its standard input; NULL: empty */
	const char *user;	  /* NULL: the user of this process */
	const cpu_set_t *cpus;	  /* NULL: all of them */
	int64_t time_limit_ns;	  /* then SIGKILL: it may ignore SIGTERM */
	/* it is killed if it uses no CPU time for this time, not earlier than this time after its
	 * start; 0: never */
	int64_t quiet_ns;
	int64_t quiet_from_ns;
	/* a file that appears when the program is about to end: the program is killed
	 * CHILD_ENDED_NS later; NULL none */
	const char *ended;
	const char *output;	  /* file for its standard output; NULL: `printed` */
	/* a file that the program writes itself, and that counts toward the limit; NULL none */
	const char *watched;
	uint64_t output_limit_bytes;
	/* for a campaign that pauses it (common/pause.h): limits count active time; NULL none */
	struct pause *pause;
	/* file for its printed text: the first and the last CHILD_PRINTED_BYTES */
	const char *printed;
};
#define CHILD_PRINTED_BYTES 65536u
#define CHILD_ENDED_NS INT64_C(5000000000)

enum child_end {
	CHILD_NOT_STARTED,
	CHILD_EXITED,
	CHILD_QUIET,
	CHILD_TIMED_OUT,
	CHILD_TOO_MUCH_OUTPUT,
	CHILD_INTERRUPTED
};

struct child_result { /* in memory shared with the keeper */
	enum child_end end;
	int error;	/* errno of a failed start */
	char step[100]; /* the failed step */
	int status;	/* of waitpid */
	int64_t started_ns, ended_ns; /* CLOCK_MONOTONIC */
	int64_t user_ns, system_ns;   /* of it and its descendants */
	uint64_t peak_bytes;	      /* resident, of the largest of them */
	uint64_t n_minor, n_major, n_voluntary, n_involuntary, bytes_read, bytes_written;
	uint32_t n_left;	 /* number of processes that remained after its end */
	char left[300];		 /* the first of these processes, by name and number */
	uint64_t n_printed_bytes;
	/* errno of writing its output, for example on a full disk: it was ended, or its output is
	 * incomplete */
	int output_error;
};

/* Memory for a result. Ownership: child_result_free. */
struct child_result *child_result_make(struct err *e);
void child_result_free(struct child_result *r);

/* The keeper: call it in a forked process, which the parent may end with SIGTERM. When it returns,
 * all processes that it started have ended. Returns 0, or 1: the program was not started. */
int child_keep(const struct child_spec *s, struct child_result *r);

/* Changes the user of the calling process, just forked. Returns 0 or an errno. */
int child_user_become(const char *name);

/* The ids of a user. Errors: ENOENT; EACCES: only root can become that user. */
int child_user_find(const char *name, uid_t *uid, gid_t *gid, struct err *e);

/* The children of this process, from /proc: remaining processes of a program, in a subreaper. */

/* "name (number), ...": as many as fit. Returns their total number, without zombies. */
uint32_t child_left_name(char *text, size_t size);
/* SIGKILL to each. This process then adopts their children. */
void child_left_kill(void);
/* Kills processes and waits until none remains; the process has no other children. */
void child_left_end(void);

/* Reads the standard output and errors of a program at once, and keeps a bounded part. */

struct child_output {
	int out, out_end, printed, printed_end; /* ends of pipes to read and to write; -1 none */
	int file, printed_file;
	uint64_t limit_bytes;
	uint64_t n_taken, n_printed; /* bytes of the output and of the printed text */
	int error; /* errno of reading or writing the output, which is then incomplete */
	char *tail;		     /* ring of the last CHILD_PRINTED_BYTES */
};

/* `output` NULL: standard output goes to `printed`, too. -1 with errno. */
int child_output_open(struct child_output *o, const char *output, const char *printed,
		      uint64_t limit_bytes);
/* The program has started: closes its ends. */
void child_output_started(struct child_output *o);
/* Reads available data; waits up to timeout_ms for data or a signal. */
void child_output_wait(struct child_output *o, int signal_fd, int timeout_ms);
/* Reads the remaining data and completes the files. */
void child_output_close(struct child_output *o);
