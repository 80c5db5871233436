/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replaying a trace: engines, order policies, timing policies.
 *
 * An engine takes a prepared plan (plan.h: hot requests and dependencies) and fills in outcomes; what is common (loading the
 * trace, opening files inside the target directory, writing the replay trace) is not the engine's business. What the
 * policies mean exactly: doc/replay-engines.md.
 * Source: metrology paper III-B (policies); doc/file-replay.md for the exact orders. */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"
#include "common/options.h"
#include "replay/options/adapter_options.h"
#include "replay/engines/block/block.h"
#include "replay/options/block_options.h"
#include "replay/content/captured.h"
#include "replay/target/evict.h"
#include "replay/load/load.h"
#include "replay/options/parallel_options.h"

enum replay_order { ORDER_TEMPORAL, ORDER_TEMPORAL_SERIAL, ORDER_FS, ORDER_THREAD, ORDER_NONE };
enum replay_payload { PAYLOAD_BUFFER, PAYLOAD_RANDOM, PAYLOAD_ZERO, PAYLOAD_CAPTURED };
enum replay_timing { TIMING_FULLSPEED, TIMING_TIMESTAMP, TIMING_THINK };
extern const char *const replay_order_names[];	/* "temporal", "temporal-serial", "fs", "thread", "none", NULL */
extern const char *const replay_timing_names[]; /* "fullspeed", "timestamp", "think", NULL */

struct replay_config {
	/* how: every one of these is also a key of a protocol's [replayer NAME] */
	int order, timing;	 /* --order, --timing */
	double speed;		 /* --speed: 2 halves the traced gaps (timestamp, think) */
	/* --max-gap: a timed replay that would wait longer between two requests is refused; -1 never */
	int64_t max_gap_ns;
	const char *fs_rules;	 /* --fs-rules: those of order fs that count, NULL all (order.h) */
	int wait;		 /* --wait hybrid|nanosleep|spin: how a time is waited for */
	bool pre_spin;		 /* --pre-spin: who spins for its time wakes the thread that is due next (wait_group.h) */
	const char *scheduler;	 /* --scheduler: policy of the workers (scheduling.h), NULL as it is */
	int64_t spin_ns;	 /* --spin: how long a predecessor is waited for by spinning before the futex */
	int placement;		 /* --placement: where buffers lie, as in microbench */
	bool processes;		 /* --processes: a process for each traced process */
	bool pin;		 /* --pin: worker i on the i-th processor it may use */
	const char *cpus;	 /* --cpus: worker i on the i-th of these, round and round; "traced" (pinning.h), and then, once the trace is
				  * loaded, what that means; NULL: wherever the kernel puts it */
	uint64_t n_workers;	 /* --workers: of order none; 0: as many as there were threads at one time */
	int reads;		 /* --reads: enum replay_reads (replay/load/reads.h) */
	const char *balloon;	 /* --balloon off|traced|SIZE: anonymous memory held for the program's (balloon.h); NULL off */
	int payload;		 /* --payload: enum replay_payload: what is written */
	double compressible, duplicates; /* --compressible, --duplicates: shares of what is made for it */
	uint64_t memory_bytes;	 /* --memory: a plan that takes more is held in parts; UINT64_MAX: never */
	bool stop_on_mismatch;	 /* --stop-on-mismatch */
	const char *mutant;	 /* --mutant FAULT[:SIZE]: a deliberate fault (mutant.h), NULL none */
	int64_t watchdog_ns;	 /* --watchdog: how long nothing may end before a blocked request is told; 0: for ever */
	struct block_options block; /* of engine block */
	struct parallel_options parallel; /* of engine parallel */
	struct adapter_options adapter; /* of the engines that are other people's replayers */
	bool blank;		 /* --blank: everything but the calls; what the stamps then see is the replayer's own */
	const char *cc;		 /* --cc: of engine compiled, NULL "cc" */
	bool unroll;		 /* --unroll: of engine compiled, each request as code */
	/* where: command line only */
	const char *engine;	 /* --engine */
	const char *dir;	 /* --dir: the target directory; nothing outside it is touched */
	const char *device;	 /* --device: of engine block, a block device or a regular file */
	bool destructive;	 /* --destructive: what is on the device may be overwritten */
	bool own_device;	 /* --own-device: a volume of ours may have a signature */
	const char *scratch;	 /* --scratch: where a plan is that is held in parts; NULL: beside the output, else $TMPDIR or /var/tmp */
	const char *output;	 /* -o, NULL: no replay trace is written */
	bool prepare;		 /* --prepare: restore the trace's files first */
	int cache;		 /* --cache: enum replay_cache: what is evicted before the first request */
	bool keep;		 /* --keep: the trace's files stay where they are; otherwise they are removed at the end, however that comes */
	bool no_sync_output;	 /* --no-sync-output */
	bool prepare_only;	 /* --prepare-only: the trace's files, and no replay */
	bool compile_only;	 /* --compile-only: what the engine makes before a replay, and no replay */
	const char *keep_source; /* --keep-source, NULL none */
	const char *program_cache; /* --program-cache, NULL the user's own */
	bool list_engines, list_mutants; /* for the command */
	/* neither: an engine's own (settle) */
	bool causes; /* what nodes compute, signal and wait for is replayed, too */
};

/* The clock's first baseline; and the one when times are to be met: an anchor is good to a few ns, so that the rate is good to
 * 0.05 ppm and the error of an intended time stays below 0.1 us in a run of some seconds. */
#define REPLAY_CALIBRATION_NS 5000000
#define REPLAY_TIMED_BASELINE_NS 100000000

#define REPLAY_MEMORY_BYTES (UINT64_C(64) << 20) /* --memory */

void replay_config_init(struct replay_config *c);
extern const struct option_spec replay_options[];

struct replay_plan; /* plan.h */
struct replay_summary;

struct adapter; /* replay/engines/adapters/adapter.h */
struct slots;	/* replay/load/slots.h */

struct replay_engine {
	const char *name, *help;
	enum trace_level level; /* of the traces it replays; of adapters: replay_engine_level() */
	const struct adapter *adapter; /* somebody else's replayer; NULL: ours */
	bool bounded;	/* it can run from a plan in a file (--memory) */
	bool processes; /* it can replay with a process for each traced process */
	bool opens;	/* its processes open the descriptors that were there before the first request */
	/* Errors: EINVAL for a combination this engine cannot do. */
	int (*check)(const struct replay_config *c, struct err *e);
	/* What the engine's own options mean for the plan; NULL: they mean what they say. */
	void (*settle)(struct replay_config *c);
	/* What else it needs of the load, which is freed afterwards; NULL nothing. The plan is made. Errors: its own. */
	int (*lay)(struct replay_plan *p, const struct replay_config *c, const struct load *l, const struct slots *s, struct trace *t,
		   struct err *e);
	/* Makes what can be made before files are touched; NULL where there is nothing to make. Errors: its own. */
	int (*prepare)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* Runs every request of the plan; returns when all have ended. Errors: of threads and memory; a failed request is an
	 * outcome, not an error. */
	int (*run)(struct replay_plan *p, const struct replay_config *c, struct err *e);
	/* Of an engine that has no use for that plan: all of replay_run_summary but the check; `run` is NULL. */
	int (*replay)(const char *trace_path, const struct replay_config *c, struct replay_summary *s, struct err *e);
};
extern const struct replay_engine *const replay_engines[]; /* NULL-terminated */
const struct replay_engine *replay_engine_find(const char *name);
/* The configuration as the engine takes it. */
struct replay_config replay_settled(const struct replay_config *c);
/* LEVEL_SYSCALL: calls on files in a directory; LEVEL_BLOCK: requests on a device; 0: either, as the target says. */
enum trace_level replay_engine_level(const struct replay_engine *g);

#define REPLAY_MISMATCHES_SHOWN 10

struct adapter_summary { /* of engines that are other people's replayers */
	const char *times;   /* whose times these are; NULL: another engine */
	char version[200];   /* as the replayer tells it, "" not at all */
	char notes[1000];    /* sentences, a line each */
	uint64_t n_seen;     /* requests and other calls that were seen */
	uint64_t n_ambiguous; /* requests of the input that have the same operation, object, offset and length as another */
	uint64_t n_left_out; /* the replayer's format has no place for them: skipped */
	int64_t cpu_ns;      /* user and system, of the replayer and all it started */
	uint64_t peak_bytes; /* resident, of the largest of them */
};

struct parallel_summary { /* of engine parallel */
	char launcher[400]; /* as it was started; empty: another engine */
	const char *mode;
	uint32_t n_ranks, n_hosts;
	uint32_t n_crowded; /* ranks on machines with more threads of the replay than processors: they give way when they wait */
	uint64_t n_signals, n_waits;
	int64_t uncertainty_ns; /* largest of what the clocks differ by, half width */
};

struct replay_mismatch {
	uint64_t seq;
	uint16_t op;		  /* enum trace_op */
	int64_t expected, actual; /* result, or a negative errno; 0 for a success whose result is not compared */
	char path[256];		  /* as traced; its end where it is longer; empty: none */
};

struct replay_memory { /* of a replay of system calls */
	uint64_t plan_bytes;  /* requests, order, times, outcomes */
	uint64_t ahead_bytes; /* what of it was held at a time; 0: all of it */
	uint64_t locked_bytes;
	uint64_t peak_bytes;  /* largest resident set of the process while requests ran; 0 unknown */
	uint64_t n_chunks, n_late_chunks; /* read ahead for the workers; that one of them had to wait for */
	const char *whole;    /* why it was all held, although that is more than the limit; NULL */
	bool scratch_in_memory; /* the scratch file lies in memory, too */
};

/* What a replay came to, for the terminal. Everything here can be computed from the two traces as well. */
struct replay_summary {
	uint64_t n_records;    /* of the input */
	uint64_t n_issued;     /* requests issued, repetitions by a mutant not counted */
	uint64_t n_repeated;   /* extra copies issued by a mutant */
	uint64_t n_failed;     /* issued requests that returned an error, expected or not */
	uint64_t n_mismatches; /* issued requests whose return value differs from the traced one */
	uint64_t n_unknown_fd; /* requests on a descriptor whose file the trace does not tell: they fail with EBADF */
	uint64_t first_mismatch_seq; /* meaningful when n_mismatches > 0 */
	int64_t first_mismatch_expected, first_mismatch_actual; /* result, or a negative errno */
	struct replay_mismatch mismatch[REPLAY_MISMATCHES_SHOWN]; /* the first of them, in the order of the file */
	uint64_t n_mismatches_of[OP_N];
	uint64_t n_mismatches_privileged; /* refused to the traced program, and not to root */
	uint64_t n_touches, n_touches_writing; /* pages of mapped files that were touched, of the issued ones; how many of them written */
	/* pages, with --reads original: missed when captured, and so read from storage, but for those that stayed in the cache; found then, and
	 * touched where they are cached now, or left alone */
	uint64_t n_pages_read, n_pages_stayed, n_pages_touched, n_pages_left;
	uint64_t n_clones_copied; /* clones (FICLONE) that were copies: the target shares no blocks */
	uint64_t n_responses; /* issued requests that are no touches: what the mean response is of */
	uint64_t n_passed; /* requests that are skipped: pipes, devices and the like; not among the issued */
	uint64_t n_passed_of[PASS_N];
	/* calls on devices, FIFOs and sockets that the trace reached: failed with EPERM; the replay
	 * fails */
	uint64_t n_refused;
	uint32_t refused_mode; /* of the first of them: its type (S_IFMT) */
	char refused_path[160]; /* and path */
	bool stopped;	       /* by --stop-on-mismatch */
	bool input_incomplete; /* no end block: a killed writer's; or made of such a trace */
	uint64_t n_input_lost; /* events, when it was captured */
	uint64_t n_threads, n_workers;
	uint64_t n_processes; /* that they were threads of: 1 without --processes */
	double mean_response_ns, traced_mean_response_ns; /* NaN when nothing was issued */
	int64_t elapsed_ns, traced_elapsed_ns;		  /* first begin to last end */
	uint64_t n_timed;				  /* requests with an intended time; what is below are meaningful then */
	double issue_error_p50_ns, issue_error_p99_ns, issue_error_p999_ns, issue_error_max_ns; /* begin - intended */
	uint64_t n_held;				  /* of those, held up by the machine (wait.h); file-level engines tell */
	double held_ns, held_max_ns;			  /* how late these were, all together and at most */
	double others_p99_ns, others_max_ns;		  /* issue error of the others; NaN: there is none */
	int64_t input_first_ns; /* first begin in the trace */
	struct block_summary block; /* of engine block */
	struct parallel_summary parallel;
	struct adapter_summary adapter;
	uint64_t own_memory_bytes; /* anonymous memory of the replay itself, where there is a balloon */
	uint64_t balloon_least_bytes, balloon_most_bytes; /* held beside it; most 0: none, as the replay itself has as much */
	bool balloon;
	enum metadata_state metadata;
	struct replay_memory memory;
	struct captured_summary captured; /* with payload captured */
	char scheduling_note[300]; /* what a real-time scheduler means here, "" nothing */
};

/* As replay_run, and tells more. EPERM with n_refused: it ran to its end, and the summary is
 * complete. */
int replay_run_summary(const char *trace_path, const struct replay_config *c, struct replay_summary *s, struct err *e);

/* Loads TRACE, replays it, writes the replay trace (record i replays record i). The number of
 * requests whose return value differs from the traced one goes to *n_mismatches. Stopping on a
 * mismatch is not an error. Errors: EPERM where the trace reached for a device, FIFO or socket in
 * the directory, after the replay trace was written. */
int replay_run(const char *trace_path, const struct replay_config *c, uint64_t *n_mismatches, struct err *e);

/* What --prepare does, and nothing else: makes the files of TRACE in c->dir. For engines that have no use for the plan. Errors: EINVAL for
 * a trace of requests on a device; ENOSPC before anything is written; of the system, with the path. */
int replay_files_prepare(const char *trace_path, const struct replay_config *c, struct err *e);

/* Takes back what --prepare and a replay of TRACE have made in c->dir: the trace's files, and whatever has a name that the trace makes.
 * Directories that hold anything else stay. Errors: as replay_files_prepare; of the system. */
int replay_files_remove(const char *trace_path, const struct replay_config *c, struct err *e);

/* Checks what can be checked without the trace: engine, mutant, combinations. Errors: EINVAL, ENOENT. */
int replay_check(const struct replay_config *c, struct err *e);

#endif
