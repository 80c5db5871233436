/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of a replay and its option table. Options of one engine have their own struct
 * and table (block_options.h etc.). doc/replay-engines.md defines the policies. */
#pragma once

#include "common/options.h"
#include "replay/options/adapter_options.h"
#include "replay/options/block_options.h"

/* Options of engine `parallel`. doc/parallel.md defines them. */
enum parallel_compute { COMPUTE_SPIN, COMPUTE_SLEEP };
enum parallel_clock { COMPUTE_AUTO, COMPUTE_CPU, COMPUTE_WALL };
extern const char *const parallel_compute_names[]; /* "spin", "sleep", NULL */
extern const char *const parallel_clock_names[];   /* "auto", "cpu", "wall", NULL */

struct parallel_options {
	const char *launcher; /* --launcher: command that starts the ranks; NULL: mpirun */
	int compute;	      /* --compute: enum parallel_compute */
	int clock;	      /* --clock: enum parallel_clock, the clock of computing */
};

/* Options of engine `compiled`. */
struct compiled_options {
	const char *cc;		   /* --cc, NULL "cc" */
	bool unroll;		   /* --unroll: generate code for each request */
	bool compile_only;	   /* --compile-only: no replay */
	const char *keep_source;   /* --keep-source, NULL none */
	const char *program_cache; /* --program-cache, NULL the user's cache directory */
};

enum replay_order { ORDER_TEMPORAL, ORDER_TEMPORAL_SERIAL, ORDER_FS, ORDER_THREAD, ORDER_NONE };
enum replay_payload { PAYLOAD_BUFFER, PAYLOAD_RANDOM, PAYLOAD_ZERO, PAYLOAD_CAPTURED };
enum replay_timing { TIMING_FULLSPEED, TIMING_TIMESTAMP, TIMING_THINK };
enum replay_cache { REPLAY_CACHE_AS_IS, REPLAY_CACHE_COLD };
enum replay_reads { READS_CURRENT, READS_ORIGINAL, READS_NONE }; /* load/reads.h */
/* "temporal", "temporal-serial", "fs", "thread", "none", NULL */
extern const char *const replay_order_names[];
extern const char *const replay_timing_names[]; /* "fullspeed", "timestamp", "think", NULL */
extern const char *const replay_cache_names[];	/* "as-is", "cold", NULL */
extern const char *const replay_reads_names[];	/* "current", "original", "none", NULL */

/* Baselines of the clock's calibration, for all replays and for timed replays. An instant is exact
 * to a few ns. With the longer baseline the rate is exact to 0.05 ppm, and due times to 0.1 us in a
 * run of some seconds. */
#define REPLAY_CALIBRATION_NS 5000000
#define REPLAY_TIMED_BASELINE_NS 100000000

#define REPLAY_MAX_THREADS 30000u
#define REPLAY_MAX_GAP_NS INT64_C(3600000000000) /* --max-gap */
#define REPLAY_MEMORY_BYTES (UINT64_C(64) << 20) /* --memory */

struct replay_engine; /* engine.h */

struct replay_config {
	/* each of the following members is also a key of a protocol's [replayer NAME] */
	int order, timing;	 /* --order, --timing */
	double speed;		 /* --speed: 2 halves the traced gaps (timestamp, think) */
	int64_t max_gap_ns;	 /* --max-gap: longest wait of a timed replay; -1 no limit */
	const char *fs_rules;	 /* --fs-rules: rules of order fs (order.h), NULL all */
	int wait;		 /* --wait: enum wait_method */
	bool pre_spin;		 /* --pre-spin: spinning workers wake the next one (wait_group.h) */
	const char *scheduler;	 /* --scheduler: policy of the workers, NULL unchanged */
	int64_t spin_ns;	 /* --spin: time to spin for a predecessor before yielding */
	int placement;		 /* --placement: enum placement_kind */
	bool processes;		 /* --processes: one process for each traced process */
	bool pin;		 /* --pin: worker i on the i-th permitted CPU */
	/* --cpus: worker i runs on the i-th of these CPUs, beginning again after the last; or
	 * "traced" (pinning.h), which is replaced by a list when the trace is loaded; NULL: not
	 * pinned */
	const char *cpus;
	/* --workers: for order none; 0: as many as traced threads at the same time */
	uint64_t n_workers;
	int reads;		 /* --reads: enum replay_reads (load/reads.h) */
	const char *balloon;	 /* --balloon off|traced|SIZE (balloon.h); NULL off */
	int payload;		 /* --payload: enum replay_payload */
	double compressible, duplicates; /* --compressible, --duplicates: shares of the payload */
	/* --memory: a plan that is larger than this is in a file; UINT64_MAX: never */
	uint64_t memory_bytes;
	bool stop_on_mismatch;	 /* --stop-on-mismatch */
	const char *mutant;	 /* --mutant FAULT[:SIZE] (mutant.h), NULL none */
	int64_t watchdog_ns;	 /* --watchdog: longest time without progress; 0 no limit */
	struct block_options block;	  /* engine block */
	struct compiled_options compiled; /* engine compiled */
	struct parallel_options parallel; /* engine parallel */
	struct adapter_options adapter;	  /* replayers of other projects */
	bool blank;		 /* --blank: no calls, to measure the replayer itself */

	/* only on the command line */
	const char *engine;	 /* --engine */
	const char *dir;	 /* --dir: the target directory */
	const char *device;	 /* --device: engine block: a block device or a regular file */
	bool destructive;	 /* --destructive: the device may be overwritten */
	bool own_device;	 /* --own-device: permit a signature on a reference volume */
	/* --scratch: directory of the file with the plan; NULL: that of the output, $TMPDIR or
	 * /var/tmp */
	const char *scratch;
	const char *output;	 /* -o; NULL: no replay trace is written */
	bool prepare;		 /* --prepare: restore the trace's files first */
	int cache;		 /* --cache: enum replay_cache */
	bool keep;		 /* --keep: do not remove the trace's files at the end */
	bool no_sync_output;	 /* --no-sync-output */
	bool prepare_only;	 /* --prepare-only */
	bool list_engines, list_mutants; /* for the command */

	/* set by replay_settled() */
	const struct replay_engine *row; /* of `engine` */
	bool causes; /* also replay computing, signals and waits */
};

void replay_config_init(struct replay_config *c);
extern const struct option_spec replay_options[]; /* all options */
/* Options of one engine, or of one kind of engine. */
extern const struct option_spec block_option_table[], parallel_option_table[],
    compiled_option_table[], adapter_option_table[];

/* A configuration that goes to another process: without its strings, except for two. */
struct replay_config_sent {
	struct replay_config config;
	char cpus[16384], scheduler[256]; /* empty for NULL */
};
/* Errors: E2BIG with `engine`. */
int replay_config_send(struct replay_config_sent *to, const struct replay_config *c,
		       const char *engine, struct err *e);
/* Restores the two strings in the other process. */
static inline void replay_config_receive(struct replay_config_sent *s)
{
	s->config.cpus = *s->cpus ? s->cpus : NULL;
	s->config.scheduler = *s->scheduler ? s->scheduler : NULL;
}
