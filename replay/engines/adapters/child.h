/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs an unknown program, which may hang, crash, leave processes behind, or print without end.
 *
 * A keeper process starts the program in its own process group and waits for it. The keeper adopts
 * orphans, so that after the program's end it can name and kill every process that the program
 * started. */
#pragma once

#include <sched.h>

#include "common/pause.h"

struct child_spec {
	char *const *argv;	  /* argv[0] is the file */
	/* NAME=VALUE, NULL-terminated, added to the variables of this process; NULL none */
	char *const *environment;
	const char *dir;	  /* working directory */
	const char *input;	  /* file for its standard input; NULL: empty */
	const char *user;	  /* NULL: the user of this process */
	const cpu_set_t *cpus;	  /* NULL: all of them */
	int64_t time_limit_ns;	  /* afterwards SIGKILL is sent: the program may ignore SIGTERM */
	/* the program is killed if it uses no CPU time for quiet_ns, but not before quiet_from_ns
	 * after its start; quiet_ns 0: never */
	int64_t quiet_ns;
	int64_t quiet_from_ns;
	/* a file that appears when the program is about to end. CHILD_ENDED_NS later the program is
	 * killed. NULL none */
	const char *ended;
	const char *output;	  /* file for its standard output; NULL: `printed` */
	/* a file that the program writes itself and whose size counts toward the limit; NULL
	 * none */
	const char *watched;
	uint64_t output_limit_bytes;
	/* for a campaign that pauses the program (common/pause.h): limits count active time only;
	 * NULL none */
	struct pause *pause;
	/* file for the printed text: the first and the last CHILD_PRINTED_BYTES are kept */
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
	uint32_t n_left;	 /* number of processes that remained after the program's end */
	char left[300];		 /* the first of these processes, by name and number */
	uint64_t n_printed_bytes;
	/* errno of a failed write of the program's output, for example on a full disk: the program
	 * was killed, or its output is incomplete */
	int output_error;
};

/* Memory for a result. Ownership: child_result_free. */
struct child_result *child_result_make(struct err *e);
void child_result_free(struct child_result *r);

/* Runs the program as its keeper. Call it in a forked process, which the parent may end with
 * SIGTERM. When it returns, all processes that the program started have ended. Returns 0, or 1 if
 * the program was not started. */
int child_keep(const struct child_spec *s, struct child_result *r);

/* Changes the user of the calling process, which was just forked. Returns 0 or an errno. */
int child_user_become(const char *name);

/* Finds the user and group ids of a user. Errors: ENOENT; EACCES if this process is not root and so
 * cannot become that user. */
int child_user_find(const char *name, uid_t *uid, gid_t *gid, struct err *e);

/* Functions on the children of this process (from /proc): in a subreaper these include the
 * remaining processes of a program. */

/* Appends "name (number), ..." for as many children as fit. Returns the number of all children
 * except zombies. */
uint32_t child_left_name(char *text, size_t size);
/* Sends SIGKILL to each child. This process then adopts their children. */
void child_left_kill(void);
/* Kills children until none is left. The process must have no other children. */
void child_left_end(void);

/* Reads the standard output and standard error of a program concurrently, and keeps a bounded
 * part. */

struct child_output {
	int out, out_end, printed, printed_end; /* ends of pipes to read and to write; -1 none */
	int file, printed_file;
	uint64_t limit_bytes;
	uint64_t n_taken, n_printed; /* bytes of the output and of the printed text */
	int error; /* errno of reading or writing the output, which is then incomplete */
	char *tail;		     /* ring of the last CHILD_PRINTED_BYTES */
};

/* Opens files and pipes. If `output` is NULL, standard output goes to `printed` as well. Returns -1
 * with errno after an error. */
int child_output_open(struct child_output *o, const char *output, const char *printed,
		      uint64_t limit_bytes);
/* Closes the program's ends of the pipes. Call it when the program has started. */
void child_output_started(struct child_output *o);
/* Reads available data; waits up to timeout_ms for data or a signal. */
void child_output_wait(struct child_output *o, int signal_fd, int timeout_ms);
/* Reads the remaining data and completes the files. */
void child_output_close(struct child_output *o);
