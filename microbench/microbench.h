/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instrumented reference workloads. One run: files prepared, offsets drawn, buffers placed and pre-faulted, threads
 * started together, every call stamped just around it into preallocated memory; then the trace is written.
 *
 * The trace holds the requests of the measured region and nothing else: what a thread reads or writes, the lseek with
 * which a sequential workload goes back to the start of its file, and the fsync of --fsync-end. Files are opened before
 * the region; which descriptor stood for which file is told in the metadata (extra_json, "descriptors").
 *
 * Source: metrology paper, section III-D (workloads, levels, pauses). Unlike the paper's program nothing but the call
 * lies between the stamps. */
#ifndef MICROBENCH_MICROBENCH_H
#define MICROBENCH_MICROBENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/fileset.h"
#include "capture/trace.h"
#include "common/err.h"
#include "common/options.h"

struct microbench_config {
	/* what is done: every one of these is also a key of a protocol's [workload NAME] */
	uint64_t level;          /* --level: threads, one file each */
	uint64_t n_requests;     /* --requests: per thread */
	int64_t min_duration_ns; /* --min-duration: each thread goes on past --requests until this has passed; 0: not */
	uint64_t block_bytes;    /* --block-size */
	uint64_t file_bytes;     /* --file-size, per thread */
	int64_t pause_ns;        /* --pause: between requests */
	int pause_by;            /* --pause-by sleep|spin|hybrid (enum wait_method order: see wait.h) */
	int think;         /* --think fixed|exponential|lognormal|uniform: distribution of the pause, mean = --pause */
	uint64_t seed;     /* --seed: offsets and think times; written content too */
	bool direct, sync; /* --direct (O_DIRECT), --sync (O_SYNC) */
	bool fsync_end;    /* --fsync-end: one fsync per thread, the last request of its trace */
	int placement;     /* --placement: where buffers lie; see doc/buffer-placement.md */
	bool pin;          /* --pin: thread i on the i-th processor it may use */
	/* where, and what becomes of it: command line only */
	const char *dir;     /* --dir: the target directory; nothing outside it is touched */
	const char *output;  /* -o: the trace */
	bool prepare;        /* --prepare: make the files before running (default yes; --no-prepare: they must fit) */
	bool prepare_only;   /* --prepare-only: make them and stop */
	bool remove;         /* --remove: remove the files afterwards */
	bool no_sync_output; /* --no-sync-output: scratch trace, leave out the fsync */
	bool list;           /* --list: print the workloads and end */
};

void microbench_config_init(struct microbench_config *c); /* the defaults */
extern const struct option_spec microbench_options[];

struct bench_thread; /* loop.h */

/* One workload: what it calls, as a table row. */
struct workload {
	const char *name; /* "random-read"; the paper's short name in `alias`: "rr" */
	const char *alias;
	const char *help;
	enum trace_op op; /* of its requests */
	bool writes, sequential;
	/* loop.h: one request, and the measured loop of one thread around it */
	ssize_t (*call)(int fd, void *buffer, size_t n_bytes, uint64_t offset);
	void (*loop)(struct bench_thread *t);
};
extern const struct workload *const workloads[]; /* NULL-terminated */
const struct workload *workload_find(const char *name_or_alias);

/* The files a run with this configuration needs, relative to --dir. Ownership: fileset strings and array are freed with
 * microbench_files_release. */
int microbench_files(const struct workload *w, const struct microbench_config *c, struct fileset *s, struct err *e);
void microbench_files_release(struct fileset *s);

/* Checks the configuration (block size against --direct, sizes, level) before anything is touched. Errors: EINVAL. */
int microbench_check(const struct workload *w, const struct microbench_config *c, struct err *e);

/* What a run came to, for the terminal; everything here can be computed from the trace too. */
struct microbench_outcome {
	uint64_t n_requests;     /* records of the trace */
	double mean_response_ns; /* of all of them; NaN when there are none */
	int64_t elapsed_ns;      /* first begin to last end */
	bool capacity_reached;   /* a thread stopped before --min-duration: there was no room for more requests */
};

/* Runs and writes the trace. Errors: of the system, with the path; EIO where a request came back short or failed (the
 * trace is still written); EINTR for SIGINT, SIGTERM or SIGHUP (there is no trace). `o` may be NULL. */
int microbench_run(const struct workload *w, const struct microbench_config *c, struct microbench_outcome *o,
		   struct err *e);

#endif
