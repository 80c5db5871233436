/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instrumented reference workloads. One run: files prepared, offsets drawn, buffers placed and
 * pre-faulted, threads started together, every call stamped just around it into preallocated
 * memory; then the trace is written.
 *
 * The trace holds the requests of the measured region and nothing else. A workload of one kind of
 * call has what its threads read or write, the lseek with which a sequential one goes back to the
 * start of its file, and the fsync of
 * --fsync-end; its files are opened before the region, and which descriptor stood for which file is
 * told in the metadata (extra_json, "descriptors"). A workload that plays a script (script.h) has
 * all its calls in the trace, opens and closes among them.
 *
 * Source: metrology paper, section III-D (workloads, levels, pauses). Unlike the paper's program
 * nothing but the call lies between the stamps. */
#ifndef MICROBENCH_MICROBENCH_H
#define MICROBENCH_MICROBENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/fileset/fileset.h"
#include "capture/trace.h"
#include "common/err.h"
#include "common/options.h"

struct microbench_config {
	/* what is done: every one of these is also a key of a protocol's [workload NAME] */
	uint64_t level;          /* --level: threads; ranks */
	/* --requests: per thread; units (rounds, transactions) where it plays a script */
	uint64_t n_requests;
	/* --min-duration: each thread goes on past --requests until this has passed; 0: not */
	int64_t min_duration_ns;
	uint64_t block_bytes;    /* --block-size */
	uint64_t file_bytes;     /* --file-size, per thread */
	int64_t pause_ns;        /* --pause: between requests */
	int pause_by;            /* --pause-by hybrid|nanosleep|spin (wait.h) */
	/* --scheduler: policy of the threads (scheduling.h), NULL as it is */
	const char *scheduler;
	/* --think fixed|exponential|lognormal|uniform: distribution of the pause, mean = --pause */
	int think;
	uint64_t seed;     /* --seed: offsets and think times; written content too */
	bool direct, sync; /* --direct (O_DIRECT), --sync (O_SYNC) */
	bool fsync_end;    /* --fsync-end: one fsync per thread, the last request of its trace */
	int placement;     /* --placement: where buffers lie; see doc/buffer-placement.md */
	bool pin;          /* --pin: thread i on the i-th processor it may use */
	uint64_t anon_bytes; /* --anon-memory: held and touched from before the run to its end */
	/* of the workloads that play scripts; 0 in the others */
	/* --fileset-seed: layout and sizes of the files that are there at first */
	uint64_t fileset_seed;
	uint64_t n_files;        /* --files */
	uint64_t min_file_bytes; /* --min-file-size: postmark, with file_bytes as the largest */
	uint64_t append_bytes;   /* --append-size: mean */
	uint64_t dir_width;      /* --dir-width: mean number of entries of a directory */
	/* --size-shape: of the gamma distribution of sizes, whose mean is file_bytes */
	double size_shape;
	uint64_t n_subdirs;      /* --subdirs */
	double read_share, create_share; /* --read-share, --create-share: of the transactions */
	uint64_t n_headers, n_include_dirs, n_includes; /* --headers, --include-dirs, --includes */
	/* of those below the file system; 0 in the others (read_share: they have it, too) */
	uint64_t queue_depth; /* --queue-depth: requests in flight of a thread */
	/* --rate: requests/s of all threads, whether others have ended or not; 0: as fast as they
	 * end */
	double rate;
	int arrivals;	      /* --arrivals fixed|poisson */
	uint64_t burst;	      /* --burst: requests due at one instant */
	const char *sizes;    /* --sizes: "4K:70%,64K:30%"; NULL: block_bytes */
	uint64_t span_bytes;  /* --span: of the device, from its begin; 0: all */
	const char *backend;  /* --backend auto|io_uring|libaio|psync */
	/* of parallel applications; 0 in the others */
	int64_t compute_ns;   /* --compute: on the processor, between requests */
	const char *launcher; /* --launcher: what starts the ranks (mpi_launch.h); NULL: mpirun */
	/* where, and what becomes of it: command line only */
	const char *dir;     /* --dir: the target directory; nothing outside it is touched */
	/* --device: of workloads below the file system: a block device, or a file */
	const char *device;
	bool destructive;    /* --destructive: it may be overwritten */
	bool own_device;     /* --own-device: a volume of ours may have a signature */
	const char *output;  /* -o: the trace */
	/* --prepare: make the files before running (default yes; --no-prepare: they must fit) */
	bool prepare;
	bool prepare_only;   /* --prepare-only: make them and stop */
	bool remove;         /* --remove: remove the files afterwards */
	bool no_sync_output; /* --no-sync-output: scratch trace, leave out the fsync */
	bool print_command;  /* --print-command: of a parallel application's ranks; and end */
	bool list;           /* --list: print the workloads and end */
};

enum block_arrivals { ARRIVALS_FIXED, ARRIVALS_POISSON };

struct bench_thread; /* loop.h */
struct script;       /* script.h */
struct workload;

void microbench_config_init(struct microbench_config *c); /* the defaults of most workloads */
/* The defaults of one. Whoever reads options or keys for a workload begins with these. */
void workload_config_init(const struct workload *w, struct microbench_config *c);
extern const struct option_spec microbench_options[];
/* Options that only some workloads have; NULL-terminated. */
extern const char *const special_options[];
bool workload_has_option(const struct workload *w, const char *name);

/* What a workload that plays scripts adds to its row. */
struct workload_script {
	/* the directory of --dir that is the workload's: what its runs leave there is cleared
	 * away */
	const char *top;
	const char *unit; /* "rounds": what --requests counts, for messages */
	unsigned int n_per_unit; /* calls, about */
	bool direct; /* --direct makes its requests whole blocks; others move bytes of any number */
	bool finite; /* its end belongs to it: it cannot go on for a duration */
	bool parallel; /* its threads are the ranks of an MPI job (parallel/rank_loop.h) */
	bool inside_mpi; /* by MPI's own file functions: no script (`write` NULL), and no trace */
	int (*check)(const struct microbench_config *c, struct err *e);
	/* Appends what is there at first to an empty set. */
	int (*files)(const struct microbench_config *c, struct fileset *s, struct err *e);
	/* Writes `n_units` units for one thread, the same ones for the same seeds and level; more
	 * begin alike. */
	int (*write)(const struct microbench_config *c, unsigned int thread, uint64_t n_units,
		     struct script *s, struct err *e);
	/* no machine makes a unit in less; NULL: unknown */
	double (*fastest_ns)(const struct microbench_config *c);
};

/* One workload: what it calls, as a table row. */
struct workload {
	const char *name; /* "random-read"; the paper's short name in `alias`: "rr" */
	const char *alias;
	const char *help;
	enum trace_op op; /* of its requests; OP_INVALID: several */
	bool reads, writes, sequential; /* `reads` beside `writes`: files are open for both */
	bool warm; /* what is read is brought into the page cache when the files are made */
	/* changes those that differ from most, or NULL */
	void (*defaults)(struct microbench_config *c);
	/* NULL-terminated: names of those that most do not have, or NULL */
	const char *const *own_options;
	/* loop.h: one request, and the measured loop of one thread around it */
	ssize_t (*call)(int fd, void *buffer, size_t n_bytes, uint64_t offset);
	void (*loop)(struct bench_thread *t);
	/* NULL: one call again and again. Else op, sequential, call: unused */
	const struct workload_script *script;
	bool block; /* below the file system (block/block_load.h): call unused */
};
extern const struct workload *const workloads[]; /* NULL-terminated */
const struct workload *workload_find(const char *name_or_alias);

/* The files a run with this configuration needs, relative to --dir. Ownership: fileset strings and
 * array are freed with microbench_files_release. */
int microbench_files(const struct workload *w, const struct microbench_config *c, struct fileset *s,
		     struct err *e);
void microbench_files_release(struct fileset *s);

/* Clears away what an earlier run left beside its files `s` in `dir_fd`; comes before
 * fileset_restore. Only workloads that play scripts leave anything. Errors: EPERM for what the
 * workload cannot have made: then nothing is removed; of the system. */
int microbench_clear(const struct workload *w, const struct fileset *s, int dir_fd, struct err *e);

/* Checks the configuration (block size against --direct, sizes, level) before anything is touched.
 * Errors: EINVAL. */
int microbench_check(const struct workload *w, const struct microbench_config *c, struct err *e);

/* What a run came to, for the terminal; everything here can be computed from the trace too. */
struct microbench_outcome {
	uint64_t n_requests;     /* records of the trace */
	double mean_response_ns; /* of all of them; NaN when there are none */
	int64_t elapsed_ns;      /* first begin to last end */
	/* a thread stopped before --min-duration: there was no room for more requests */
	bool capacity_reached;
};

/* Runs and writes the trace. Errors: of the system, with the path; EIO where a request came back
 * short or failed (the trace is still written); EINTR for SIGINT, SIGTERM or SIGHUP (there is no
 * trace). `o` may be NULL. */
int microbench_run(const struct workload *w, const struct microbench_config *c,
		   struct microbench_outcome *o, struct err *e);

#endif
