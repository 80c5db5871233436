/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running a program of which nothing is known: it may hang, crash, leave processes behind, or print
 * without end.
 *
 * A keeper, a process of its own, starts it in a process group of its own and waits. Whoever loses
 * its parent becomes the keeper's child, so that everything that the program started can be found
 * when it has ended, is named, and ended. */
#ifndef REPLAY_CHILD_H
#define REPLAY_CHILD_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"
#include "common/pause.h"

struct child_spec {
	char *const *argv;	  /* argv[0] is the file */
	/* NAME=VALUE, NULL-terminated, beside those there are; NULL none */
	char *const *environment;
	const char *dir;	  /* where it is started */
	const char *input;	  /* file that is its standard input; NULL: none */
	const char *user;	  /* NULL: as who asks */
	const cpu_set_t *cpus;	  /* NULL: all of them */
	int64_t time_limit_ns;	  /* then SIGKILL, for SIGTERM may be ignored */
	/* without processor time for so long it is killed, if so much time has passed since its
	 * start; 0: never */
	int64_t quiet_ns;
	int64_t quiet_from_ns;
	/* a file that tells that it is about to end: after CHILD_ENDED_NS more it is killed; NULL
	 * none */
	const char *ended;
	const char *output;	  /* file for its standard output; NULL: that is printed */
	/* a file that it writes itself, and that counts for the limit; NULL none */
	const char *watched;
	uint64_t output_limit_bytes;
	/* by which a campaign pauses it (common/pause.h): limits count active time; NULL none */
	struct pause *pause;
	/* file for what it prints: the first and the last CHILD_PRINTED_BYTES */
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
	int error;	/* errno where it could not be started */
	char step[100]; /* and what could not be done */
	int status;	/* as waitpid gives it */
	int64_t started_ns, ended_ns; /* CLOCK_MONOTONIC */
	int64_t user_ns, system_ns;   /* of it and all it started */
	uint64_t peak_bytes;	      /* resident, of the largest of them */
	uint64_t n_minor, n_major, n_voluntary, n_involuntary, bytes_read, bytes_written;
	uint32_t n_left;	 /* processes still there when it had ended */
	char left[300];		 /* the first of them, by name and number */
	uint64_t n_printed_bytes;
	/* errno where its output could not be written, as on a full disk: then it was ended, or its
	 * output is not whole */
	int output_error;
};

/* Memory for a result. Ownership: child_result_free. */
struct child_result *child_result_make(struct err *e);
void child_result_free(struct child_result *r);

/* The keeper's work: for a process of its own, made by fork, whose parent may end it with SIGTERM.
 * Everything that it started has ended when it returns. Returns 0, or 1 where the program was not
 * even started. */
int child_keep(const struct child_spec *s, struct child_result *r);

/* The calling process, just made by fork, becomes that user. 0, or an errno. */
int child_user_become(const char *name);

/* The user's numbers. Errors: ENOENT; EACCES where only root could become it. */
int child_user_find(const char *name, uid_t *uid, gid_t *gid, struct err *e);

/* The children of this process, from /proc: what a program has left behind with a subreaper. */

/* "name (number), ...": as many as fit. Gives how many there are; those that have ended already are
 * none. */
uint32_t child_left_name(char *text, size_t size);
/* SIGKILL to each. Their own children become ours then. */
void child_left_kill(void);
/* Until there is none any more, of a process that has no others. */
void child_left_end(void);

/* What a program writes to its standard output and errors, taken as fast as it comes and kept
 * within bounds. */

struct child_output {
	int out, out_end, printed, printed_end; /* ends of pipes to read and to write; -1 none */
	int file, printed_file;
	uint64_t limit_bytes;
	uint64_t n_taken, n_printed; /* bytes, of the output and of what is printed */
	int error; /* errno where the output could not be read or written, and is not whole */
	char *tail;		     /* ring of the last CHILD_PRINTED_BYTES */
};

/* `output` NULL: standard output is printed as well. -1 with errno. */
int child_output_open(struct child_output *o, const char *output, const char *printed,
		      uint64_t limit_bytes);
/* The program has its ends. */
void child_output_started(struct child_output *o);
/* Takes what there is, waiting so long for something to come, or for a signal. */
void child_output_wait(struct child_output *o, int signal_fd, int timeout_ms);
/* Takes what is left, and completes the files. */
void child_output_close(struct child_output *o);

#endif
