/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting a program or a replayer as a process of its own, alike for both, and waiting for its end
 * without disturbing it. */
#ifndef VALIDATE_LAUNCH_H
#define VALIDATE_LAUNCH_H

#include <sched.h>
#include <stdbool.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/scheduling.h"

/* "0,2-5" to a set of processors. Errors: EINVAL. */
int cpus_parse(const char *text, cpu_set_t *set, struct err *e);

/* "fifo:10, other": policies in the order of preference, each as scheduling_parse takes it. The
 * policy "deadline" is refused: a process that has it can start no thread. Errors: EINVAL.
 * Ownership: the caller frees *list[*n]. */
int launch_scheduling_parse(const char *text, struct scheduling **list, size_t *n, struct err *e);

/* The program that asks, as it was when it was started, whatever lies in its file's place by now: a
 * launch_spec's `file`. */
#define LAUNCH_OWN_PROGRAM "/proc/self/exe"

struct launch_spec {
	char *const *argv;        /* NULL-terminated */
	const char *file;         /* what is executed; NULL: argv[0], a path */
	const char *cgroup_procs; /* file to enter a cgroup by, before exec; NULL none */
	const cpu_set_t *cpus;    /* NULL: all the campaign may use */
	struct scheduling scheduling;
	int64_t timeout_ns; /* then SIGTERM, then SIGKILL */
	/* signalfd of SIGCHLD, SIGINT, SIGTERM, SIGHUP, which are blocked in the caller */
	int signal_fd;
	int pause_fd;	    /* of the page by which it is paused (common/pause.h), 0 none */
	/* look at the child's anonymous memory every few ms: never while it is measured */
	bool watch_memory;
};

struct memory_sample {
	int64_t ns;     /* CLOCK_MONOTONIC */
	uint64_t bytes; /* anonymous, with page tables */
};

enum launch_end { LAUNCH_EXITED, LAUNCH_SIGNALLED, LAUNCH_TIMED_OUT, LAUNCH_INTERRUPTED };

struct launch_result {
	enum launch_end end;
	int status;                   /* exit status or signal number */
	int64_t run_ns;               /* from start to end of the process */
	/* of it and of those that it started and waited for, user and system */
	int64_t cpu_ns;
	uint64_t peak_bytes;	      /* resident memory of the largest of them */
	struct memory_sample *memory; /* memory[n_memory] when watched; the caller frees */
	size_t n_memory, cap_memory;
	char said[300];	  /* the first lines it printed, as one */
	/* why it did not end with status 0, with the first lines it printed; "" when it did */
	char reason[400];
};

struct launched { /* a process under way */
	pid_t pid;
	int log;
	int64_t start_ns, deadline_ns; /* CLOCK_MONOTONIC */
};

/* Starts a process. Errors: as launch_run; then there is none. Ownership: launch_wait, always. */
int launch_begin(const struct launch_spec *s, struct launched *l, struct err *e);
/* Waits for its end; `interrupted`: ends it at once. */
void launch_wait(const struct launch_spec *s, struct launched *l, bool interrupted,
		 struct launch_result *r);

/* Returns 0 when there was a process, however it ended. LAUNCH_INTERRUPTED: a signal to end the
 * campaign arrived, and the child was ended. What it prints is kept in memory, the first lines
 * become part of the reason. Errors: of starting it (E2BIG, ENOMEM, EACCES of affinity, scheduler
 * or cgroup), with the step that failed. The child leads its own process group, which is gone when
 * this returns, and it is killed when the campaign dies. */
int launch_run(const struct launch_spec *s, struct launch_result *r, struct err *e);

/* Runs `work` in a forked process, so that whatever becomes of it the campaign goes on; its error
 * arrives in `e`. EINTR when a signal to end the campaign arrived meanwhile (the work was finished
 * all the same); ENOMEM also where the process ended in out_of_memory(). */
int launch_helper(int (*work)(void *context, struct err *e), void *context, int signal_fd,
		  struct err *e);

/* Blocks the signals and makes the signalfd; *old is for signals_restore. */
int signals_take(sigset_t *old, int *fd, struct err *e);
void signals_restore(const sigset_t *old, int fd);
/* Has a signal to end the campaign arrived? It stays "arrived" only for the caller who asked. */
bool signals_pending(int fd);

#endif
