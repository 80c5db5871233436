/* SPDX-License-Identifier: GPL-3.0-or-later */
/* During a capture, waits for the end of a command, a time limit, or a signal. */
#pragma once

#include "common/std.h"

struct watched_options {
	/* argv, NULL-terminated; NULL: waits for the time limit or a signal */
	char **command;
	const char *file; /* the program that is executed; NULL: command[0], found as in a shell */
	/* runs in a child instead of the command and returns its exit status; NULL: runs the
	 * command */
	int (*start)(void *ctx);
	void *start_ctx;
	/* runs in the child before the command or `start`; must be async-signal-safe if this
	 * process has several threads; returns 0 or an errno; NULL: nothing */
	int (*prelude)(void *ctx);
	void *prelude_ctx;
	pid_t pid;	     /* without a command: waits for the end of this process; 0: none */
	int64_t duration_ns; /* 0: no limit */
	int64_t linger_ns;   /* additional time after the command's end */
	const sigset_t *before; /* signal mask of the command; NULL: the current one */
};

struct watched {
	bool has_status; /* the command has ended */
	int status;	 /* wait status of the command */
	bool interrupted;
};

/* Starts the command, or o->start, in a child with this signal mask. Errors: of starting the
 * command, with its name. */
int watched_start(const struct watched_options *o, const sigset_t *mask, pid_t *pid, struct err *e);

/* Starts the command, if there is one, and waits. SIGINT, SIGTERM and SIGHUP end the wait. After a
 * signal or the time limit, the command gets SIGTERM, and SIGKILL one second later. The command is
 * not started if a signal is pending. Errors: of starting the command, with its name. */
int watched_run(const struct watched_options *o, struct watched *w, struct err *e);
