/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instrumented reference workloads. A run prepares files, draws offsets, places and pre-faults
 * buffers, and starts the threads together. It takes stamps directly before and after every call,
 * stores them in preallocated memory, and then writes the trace.
 *
 * The trace contains only the requests of the measured region. For a workload with one kind of
 * call, these are its reads or writes, the lseek to the start of the file, and the fsync of
 * --fsync-end. Its files are opened before the region; the metadata list the descriptors
 * (extra_json, "descriptors"). The trace of a workload with a script (script.h) has all its calls,
 * including opens and closes.
 *
 * Source: metrology paper, section III-D (workloads, levels, pauses). In contrast to the paper's
 * program, only the call is between the stamps. */
#pragma once

#include "capture/trace.h"
#include "common/options.h"

#define MICROBENCH_MAX_LEVEL 1024
/* a result must fit into 32 bits; Linux transfers less than 2 GiB per call anyway */
#define MICROBENCH_MAX_BLOCK_BYTES ((uint64_t)1 << 30)

struct microbench_config {
	/* The work. Each of these members is also a key of a protocol's [workload NAME]. */
	uint64_t level;          /* --level: threads; ranks */
	/* --requests: requests of each thread; for scripts, units (rounds, transactions) */
	uint64_t n_requests;
	/* --min-duration: each thread continues after --requests until this time; 0: no minimum */
	int64_t min_duration_ns;
	uint64_t block_bytes;    /* --block-size */
	uint64_t file_bytes;     /* --file-size, for each thread */
	int64_t pause_ns;        /* --pause: between requests */
	int pause_by;            /* --pause-by hybrid|nanosleep|spin (wait.h) */
	/* --scheduler: policy of the threads (scheduling.h); NULL: unchanged */
	const char *scheduler;
	/* --think fixed|exponential|lognormal|uniform: distribution of the pause with mean
	 * --pause */
	int think;
	uint64_t seed;     /* --seed: seed of offsets, think times and written content */
	bool direct, sync; /* --direct (O_DIRECT), --sync (O_SYNC) */
	/* --fsync-end: an fsync for each thread, which is the last request of its trace */
	bool fsync_end;
	int placement;     /* --placement: addresses of buffers, see doc/buffer-placement.md */
	bool pin;          /* --pin: binds thread i to the i-th permitted CPU */
	/* --anon-memory: memory that is held and touched during the whole run */
	uint64_t anon_bytes;
	/* for workloads with scripts; 0 for others */
	/* --fileset-seed: layout and sizes of the initial files */
	uint64_t fileset_seed;
	uint64_t n_files;        /* --files */
	uint64_t min_file_bytes; /* --min-file-size: for postmark; file_bytes is the largest size */
	uint64_t append_bytes;   /* --append-size: mean */
	uint64_t dir_width;      /* --dir-width: mean number of entries of a directory */
	/* --size-shape: shape of the gamma distribution of sizes, whose mean is file_bytes */
	double size_shape;
	uint64_t n_subdirs;      /* --subdirs */
	/* --read-share, --create-share: shares of the transactions */
	double read_share, create_share;
	uint64_t n_headers, n_include_dirs, n_includes; /* --headers, --include-dirs, --includes */
	/* for workloads below the file system; 0 for others (they also use read_share) */
	uint64_t queue_depth; /* --queue-depth: requests in flight of each thread */
	/* --rate: requests/s of all threads together, independent of completions; 0: closed loop */
	double rate;
	int arrivals;	      /* --arrivals fixed|poisson */
	uint64_t burst;	      /* --burst: requests with the same due time */
	const char *sizes;    /* --sizes: "4K:70%,64K:30%"; NULL: block_bytes */
	uint64_t span_bytes;  /* --span: part of the device that is used, from its start; 0: all */
	const char *backend;  /* --backend auto|io_uring|libaio|psync */
	/* for parallel applications; 0 for others */
	int64_t compute_ns;   /* --compute: CPU time of a computation */
	/* --launcher: command that starts the ranks (mpi_launch.h); NULL: mpirun */
	const char *launcher;
	/* Target and output, which only the command line sets. */
	const char *dir;     /* --dir: target directory; no file outside it is changed */
	/* --device: block device or file, for workloads below the file system */
	const char *device;
	bool destructive;    /* --destructive: the device may be overwritten */
	bool own_device;     /* --own-device: a volume of this program may have a signature */
	const char *output;  /* -o: the trace */
	/* --prepare: create the files first (default); --no-prepare: they must exist */
	bool prepare;
	bool prepare_only;   /* --prepare-only: create the files, then exit */
	bool remove;         /* --remove: remove the files afterwards */
	bool no_sync_output; /* --no-sync-output: do not fsync the trace */
	/* --print-command: print the command of a parallel application's ranks, then exit */
	bool print_command;
	bool list;           /* --list: print the workloads and exit */
};

enum block_arrivals { ARRIVALS_FIXED, ARRIVALS_POISSON };

struct bench_thread; /* loop.h */
struct script;       /* script.h */
struct workload;

void microbench_config_init(struct microbench_config *c); /* sets the defaults of most workloads */
/* Sets the defaults of a workload. Call it before options or keys are read. */
void workload_config_init(const struct workload *w, struct microbench_config *c);
extern const struct option_spec microbench_options[];
/* Options that only some workloads have; NULL-terminated. */
extern const char *const special_options[];
bool workload_has_option(const struct workload *w, const char *name);

/* Additional row for a workload with scripts. */
struct workload_script {
	/* the workload's directory in --dir; files in it from earlier runs are removed */
	const char *top;
	const char *unit; /* unit of --requests in messages, for example "rounds" */
	unsigned int n_per_unit; /* approximate number of calls in a unit */
	bool direct; /* --direct uses whole blocks; other scripts transfer any number of bytes */
	bool finite; /* the script has an end, so it cannot continue for a duration */
	bool fsync_end; /* has --fsync-end */
	bool parallel; /* its threads are the ranks of an MPI job (parallel/rank_loop.h) */
	/* uses MPI's own file functions, so it has no script (`write` NULL) and no trace */
	bool inside_mpi;
	int (*check)(const struct microbench_config *c, struct err *e);
	/* NULL-terminated names of files in `top`; each rank has a part of --file-size in each */
	const char *const *rank_files;
	/* Appends the initial files to an empty set. NULL with rank_files. */
	void (*files)(const struct microbench_config *c, struct fileset *s);
	/* Writes `n_units` units for one thread. Equal seeds and levels give equal units. A longer
	 * script begins with the same units. */
	void (*write)(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
		      struct script *s);
	/* lower bound of a unit's time; NULL: unknown */
	double (*fastest_ns)(const struct microbench_config *c);
};

/* A workload, as a table row. */
struct workload_default {
	const char *option, *value;
};

struct workload {
	const char *name; /* "random-read"; `alias` is the short name in the paper: "rr" */
	const char *alias;
	const char *help;
	enum trace_op op; /* operation of its requests; OP_INVALID: several operations */
	/* `reads` and `writes`: files are opened for reading and writing */
	bool reads, writes, sequential;
	bool warm; /* files to read are brought into the page cache when they are created */
	/* options whose defaults differ from those of most workloads, ending with a row without
	 * name; or NULL */
	const struct workload_default *defaults;
	/* NULL-terminated names of its special options, or NULL */
	const char *const *own_options;
	/* loop.h: one request, and the measured loop of a thread */
	ssize_t (*call)(int fd, void *buffer, size_t n_bytes, uint64_t offset);
	void (*loop)(struct bench_thread *t);
	/* NULL: one kind of call. Otherwise op, sequential and call are not used */
	const struct workload_script *script;
	bool block; /* below the file system (block/block_load.h): `call` is not used */
};
extern const struct workload *const workloads[]; /* all workloads, NULL-terminated */
/* The workload with this name or alias, or NULL. */
const struct workload *workload_find(const char *name_or_alias);

/* Makes the set of files that a run needs, relative to --dir. Ownership:
 * microbench_files_release. */
int microbench_files(const struct workload *w, const struct microbench_config *c, struct fileset *s,
		     struct err *e);
void microbench_files_release(struct fileset *s);

/* Removes files in `dir_fd` that an earlier run left beside its files `s`. Call it before
 * fileset_restore. Only workloads with scripts leave files. Errors: EPERM: the workload cannot have
 * made one of the files, and nothing is removed; of the system. */
int microbench_clear(const struct workload *w, const struct fileset *s, int dir_fd, struct err *e);

/* Checks the configuration (block size with --direct, sizes, level) before anything is changed.
 * Errors: EINVAL. */
int microbench_check(const struct workload *w, const struct microbench_config *c, struct err *e);

/* Results for the terminal. All can be computed from the trace. */
struct microbench_outcome {
	uint64_t n_requests;     /* records of the trace */
	double mean_response_ns; /* of all records; NaN if there are none */
	int64_t elapsed_ns;      /* from the first begin to the last end */
	/* a thread stopped before --min-duration because its memory was full */
	bool capacity_reached;
};

/* Runs the workload and writes the trace. Errors: of the system, with the path; EIO: a request was
 * short or failed (the trace is written); EINTR: SIGINT, SIGTERM or SIGHUP (no trace). `o` may be
 * NULL. */
int microbench_run(const struct workload *w, const struct microbench_config *c,
		   struct microbench_outcome *o, struct err *e);
