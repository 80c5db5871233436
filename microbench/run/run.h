/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run: set up, started and recorded. Private to microbench. */
#pragma once

#include <pthread.h>

#include "capture/run_facts.h"
#include "common/block/probe.h"
#include "common/device.h"
#include "common/scheduling.h"
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
	int cpu;         /* CPU to run on; -1: any */
	int64_t wait_ns; /* run-queue delay during the loop; -1: unknown */
	int open_flags;
	struct vm_region samples, blocks, think;
	struct script script; /* for workloads with a script */
};

/* Gate at which the workers wait, so that they all start at the same time. */
struct gate {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned int n_ready;
	bool open, cancelled;
	int error, scheduling_error; /* errors of a worker whose setup failed */
};

struct bench_run {
	const struct workload *workload;
	const struct microbench_config *config;
	struct fileset files;
	int dir_fd; /* -1 none */
	int tree;   /* `tree` of no_devices_open; -1: none */
	struct clock clock;
	struct scheduling scheduling; /* policy of each worker */
	struct placement placement;
	struct worker *worker; /* worker[n_workers] */
	unsigned int n_workers, n_started;
	struct script_names names; /* paths that the scripts use */
	struct device device; /* for workloads below the file system */
	uint64_t span_bytes;  /* used part of the device */
	struct block_choice backend; /* backend of the device's requests; without a device: NULL */
	bool refused;	      /* the device must not be written to */
	struct vm_region anonymous; /* --anon-memory */
	/* at the start and at the end of the region; 0: unknown */
	uint64_t anonymous_bytes, anonymous_after_bytes;
	struct gate gate;
	uint64_t start; /* ticks: the common start, which is also the trace's epoch */
	int64_t wall_epoch_ns;
	struct pause pause; /* its word ends the run */
	atomic_uint n_running;
	int finished_fd; /* an eventfd: signalled when the last worker has finished */
	struct run_facts facts;
	sigset_t held; /* signals that are read from signal_fd */
};

/* setup.c: opens files, draws random choices and touches every page that the run uses. Errors: of
 * the system, with the path; EINVAL for a wrong file. */
int bench_setup(struct bench_run *r, struct err *e);
/* Sets up one worker: its file or script, and memory for its samples. */
int bench_worker_setup(struct bench_run *r, struct worker *w, struct err *e);
void bench_teardown(struct bench_run *r);
/* Fills written content: not zeros, and the same on every machine. */
void bench_content_fill(void *base, size_t n_bytes, uint64_t seed);

/* Number of requests of one thread (units of a script) for which there is room: at least
 * --requests. For --min-duration, the number that the fastest machine could make, limited by
 * `memory_bytes` in total. */
uint64_t bench_capacity(const struct workload *w, const struct microbench_config *c,
			uint64_t memory_bytes);

/* files.c: opens the file of a worker. */
int bench_file_open(struct bench_run *r, struct worker *w, struct err *e);
/* Checks that the files of a script are as it expects, and that there are no other files. Errors:
 * ENOENT, EEXIST, EINVAL, EPERM with the path. */
int bench_files_check(const struct bench_run *r, struct err *e);

/* threads.c: starts the workers together and waits for them. Errors: EINTR: a signal on `signal_fd`
 * ended the run. */
int bench_measure(struct bench_run *r, int signal_fd, struct err *e);

/* record.c: merges the workers' samples by start and writes the trace. Removes the output after an
 * error. */
int bench_record(struct bench_run *r, int signal_fd, struct microbench_outcome *o, struct err *e);
/* The first request that was short or failed: returns EIO with a message, or 0. */
int bench_failure(const struct bench_run *r, struct err *e);
/* Takes a pending signal: returns EINTR with its name, or 0 if there is none. */
int bench_interrupted(int signal_fd, struct err *e);

/* block_setup.c: makes the checks that need no device. */
int block_check(const struct workload *w, const struct microbench_config *c, struct err *e);

/* Opens the device for all threads; sets up one thread. Errors: of opening (device.h), of the
 * queue, ENOMEM. */
int block_device_open(struct bench_run *r, struct err *e);
int block_setup(struct bench_run *r, struct worker *w, struct err *e);
void block_release(struct worker *w);

/* Opens the queue in the submitting thread, before the start and after the calibration of the
 * clock. Returns 0 or a positive errno, with a message in load->err. */
int block_begin(const struct bench_run *r, struct bench_thread *t);
/* Closes the queue in the thread that opened it. */
void block_end(struct bench_thread *t);
