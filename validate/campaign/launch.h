/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts a program or a replayer, both in the same way, and waits for its end without disturbing
 * it. */
#pragma once

#include <sched.h>

#include "common/scheduling.h"

/* `file` of a launch_spec that starts the running program, even if its file has been replaced. */
#define LAUNCH_OWN_PROGRAM "/proc/self/exe"

struct launch_spec {
	char *const *argv;        /* NULL-terminated */
	/* executed file; NULL: argv[0], a path */
	const char *file;
	/* file through which the process enters a cgroup before exec(); NULL none */
	const char *cgroup_procs;
	const cpu_set_t *cpus;    /* NULL: all CPUs of the campaign */
	struct scheduling scheduling;
	int64_t timeout_ns; /* then SIGTERM, then SIGKILL */
	/* signalfd of SIGCHLD, SIGINT, SIGTERM and SIGHUP, which the caller blocks. -1: these
	 * signals are not blocked, so a signal ends the caller, and the kernel kills the child */
	int signal_fd;
	int pause_fd;	    /* page through which the process is paused (common/pause.h); 0 none */
	/* samples the child's anonymous memory every few ms; not for measured runs */
	bool watch_memory;
};

struct memory_sample {
	int64_t ns;     /* CLOCK_MONOTONIC */
	uint64_t bytes; /* anonymous memory and page tables */
};

enum launch_end { LAUNCH_EXITED, LAUNCH_SIGNALLED, LAUNCH_TIMED_OUT, LAUNCH_INTERRUPTED };

struct launch_result {
	enum launch_end end;
	int status;                   /* exit status or signal number */
	int64_t run_ns;               /* from start to end of the process */
	/* user and system time, including descendants that were waited for */
	int64_t cpu_ns;
	uint64_t peak_bytes;	      /* resident memory of the largest process */
	/* [n_memory] samples if `watch_memory`; the caller frees */
	struct memory_sample *memory;
	size_t n_memory, cap_memory;
	char said[300];	  /* first lines of output, as one line */
	/* why the exit status is not 0, with the first lines of output; "" on success */
	char reason[400];
};

struct launched { /* a running process */
	pid_t pid;
	int log;
	int64_t start_ns, deadline_ns; /* CLOCK_MONOTONIC */
};

/* Starts a process. Errors: those of launch_run(); then there is no process. Ownership: always call
 * launch_wait() afterwards. */
int launch_begin(const struct launch_spec *s, struct launched *l, struct err *e);
/* Waits for the end of the process. `interrupted`: kills it first. */
void launch_wait(const struct launch_spec *s, struct launched *l, bool interrupted,
		 struct launch_result *r);

/* Starts a process and waits for it. Returns 0 if a process ran, however it ended.
 * LAUNCH_INTERRUPTED: a signal to end the campaign arrived, and the child was killed. Output is
 * kept in memory; its first lines become part of the reason. Errors: of the start (E2BIG, ENOMEM,
 * EACCES of affinity, scheduler or cgroup), with the failed step. The child leads a separate
 * process group, which no longer exists on return. The child is killed if the campaign dies. */
int launch_run(const struct launch_spec *s, struct launch_result *r, struct err *e);

/* Runs `work` in a forked process, so that a crash does not affect the campaign. Its error is
 * passed on in `e`, and its changes to the first `size` bytes of the context (at most 4096) are
 * passed on, too. Errors: EINTR: a signal to end the campaign arrived, and the work was
 * completed. ENOMEM: also if the process ended in out_of_memory(). */
int launch_helper(int (*work)(void *context, struct err *e), void *context, size_t size,
		  int signal_fd, struct err *e);

/* Blocks SIGCHLD and the signals that end a campaign, and creates the signalfd. *old is for
 * signals_restore(). */
int signals_take(sigset_t *old, int *fd, struct err *e);
void signals_restore(const sigset_t *old, int fd);
/* Whether a signal to end the campaign has arrived. Clears the signal, so only one caller sees
 * it. */
bool signals_pending(int fd);
