/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run, inside microbench: set up, started, recorded. Nobody else needs this. */
#ifndef MICROBENCH_RUN_H
#define MICROBENCH_RUN_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "capture/run_facts.h"
#include "common/device.h"
#include "common/scheduling.h"
#include "common/vm.h"
#include "microbench/loop.h"
#include "microbench/microbench.h"
#include "microbench/script.h"

struct bench_run;

struct worker {
	struct bench_thread bench;
	struct bench_run *run;
	pthread_t id;
	uint32_t pid;
	pid_t tid;
	int cpu;         /* to run on, -1 any */
	int64_t wait_ns; /* runnable but not running, over the loop; -1 unknown */
	int open_flags;
	struct vm_region samples, blocks, think;
	struct script script; /* of a workload that plays one */
};

/* Where the workers wait until all are ready, so that they begin together. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned int n_ready;
	bool open, cancelled;
	int error, scheduling_error; /* of a worker that could not get ready */
};

struct bench_run {
	const struct workload *workload;
	const struct microbench_config *config;
	struct fileset files;
	int dir_fd; /* -1 none */
	int tree;   /* of no_devices_open, -1 none */
	struct clock clock;
	struct scheduling scheduling; /* of each worker */
	struct placement placement;
	struct worker *worker; /* worker[n_workers] */
	unsigned int n_workers, n_started;
	struct script_names names; /* paths of the scripts */
	struct device device; /* of a workload below the file system */
	uint64_t span_bytes;  /* what is used of it */
	bool refused;	      /* it is not to be written to */
	struct vm_region anonymous; /* --anon-memory */
	/* when the region began, and ended; 0 unknown */
	uint64_t anonymous_bytes, anonymous_after_bytes;
	struct gate gate;
	uint64_t start; /* ticks: the common begin, and the trace's epoch */
	int64_t wall_epoch_ns;
	struct pause pause; /* its end stops the run */
	atomic_uint n_running;
	int finished_fd; /* eventfd: the last worker is done */
	struct run_facts facts;
	sigset_t held; /* signals that are read from signal_fd, not delivered */
};

/* setup.c: opens the files, draws what is to be drawn and makes every page present that the run
 * will touch. Errors: of the system, with the path; EINVAL for a file that does not fit. */
int bench_setup(struct bench_run *r, struct err *e);
/* Of it, what one worker of `r->worker` needs: its file or script, and memory for its samples. */
int bench_worker_setup(struct bench_run *r, struct worker *w, struct err *e);
void bench_teardown(struct bench_run *r);
/* Written content: no zeros, and the same on every machine. */
void bench_content_fill(void *base, size_t n_bytes, uint64_t seed);

/* Room for the requests of one thread (units, where it plays a script): at least --requests, and
 * for --min-duration what the fastest machine could do in it, as far as `memory_bytes` in all
 * reach. */
uint64_t bench_capacity(const struct workload *w, const struct microbench_config *c,
			uint64_t memory_bytes);

/* files.c: opens the worker's own file. */
int bench_file_open(struct bench_run *r, struct worker *w, struct err *e);
/* Whether what a script needs is there as it must be, and nothing else. Errors: ENOENT, EEXIST,
 * EINVAL, EPERM with the path. */
int bench_files_check(const struct bench_run *r, struct err *e);

/* threads.c: starts the workers together and waits for them. `signal_fd` tells of a signal that
 * ends the run: EINTR. */
int bench_measure(struct bench_run *r, int signal_fd, struct err *e);

/* record.c: merges the workers' samples by begin and writes the trace. The output is removed again
 * when that fails. */
int bench_record(struct bench_run *r, int signal_fd, struct microbench_outcome *o, struct err *e);
/* The first request that came back short or failed; 0 when there is none, else EIO. */
int bench_failure(const struct bench_run *r, struct err *e);
/* Removes a pending signal and names it: EINTR, or 0 when there is none. */
int bench_interrupted(int signal_fd, struct err *e);

#endif
