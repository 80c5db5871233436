/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting while something is watched: for a command to end, a time to pass, or a signal. */
#ifndef CAPTURE_KERNEL_WATCHED_H
#define CAPTURE_KERNEL_WATCHED_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/err.h"

/* From here on SIGINT, SIGTERM and SIGHUP wait, and end the next watched_run(): so that what has
 * been set up to watch with is put away again. `before`: for watched_release(), and for the
 * options. */
void watched_hold(sigset_t *before);
void watched_release(const sigset_t *before);

struct watched_options {
	/* argv, NULL-terminated; NULL: none, until the time is over or a signal comes */
	char **command;
	/* done by a process of its own instead of starting the command: its exit status; NULL:
	 * start it */
	int (*start)(void *ctx);
	void *start_ctx;
	int (*prelude)(void *ctx); /* done in the process that becomes the command,
				      async-signal-safe: 0 or an errno; NULL: nothing */
	void *prelude_ctx;
	pid_t pid;	     /* without a command: until this process ends; 0 none */
	int64_t duration_ns; /* 0 no limit */
	int64_t linger_ns;   /* waited after the command's end */
	const sigset_t *before; /* what the command has blocked; NULL: what is blocked now */
};

struct watched {
	bool has_status; /* the command ended */
	int status;	 /* as waitpid gives it */
	bool interrupted;
};

/* Starts the command, if any, and waits. SIGINT, SIGTERM and SIGHUP end the waiting; the command
 * gets SIGTERM, and after a second SIGKILL, when it outlasts the time or a signal came; it is not
 * started when one has come already. Errors: of starting it, with its name. */
int watched_run(const struct watched_options *o, struct watched *w, struct err *e);

#endif
