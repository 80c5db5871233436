/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration of a replay and its option table. Each engine's own options are a struct and a
 * table of their own (block_options.h and its like). doc/replay-engines.md defines the policies. */
#ifndef REPLAY_CONFIG_H
#define REPLAY_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "common/options.h"
#include "replay/options/adapter_options.h"
#include "replay/options/block_options.h"
#include "replay/options/compiled_options.h"
#include "replay/options/parallel_options.h"

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

/* The clock's first baseline; and the one when times are to be met: an anchor is good to a few ns,
 * so that the rate is good to 0.05 ppm and the error of an intended time stays below 0.1 us in a
 * run of some seconds. */
#define REPLAY_CALIBRATION_NS 5000000
#define REPLAY_TIMED_BASELINE_NS 100000000

#define REPLAY_MAX_THREADS 30000u
#define REPLAY_MAX_GAP_NS INT64_C(3600000000000) /* --max-gap */
#define REPLAY_MEMORY_BYTES (UINT64_C(64) << 20) /* --memory */

struct replay_engine; /* engine.h */

struct replay_config {
	/* how: every one of these is also a key of a protocol's [replayer NAME] */
	int order, timing;	 /* --order, --timing */
	double speed;		 /* --speed: 2 halves the traced gaps (timestamp, think) */
	/* --max-gap: a timed replay that would wait longer between two requests is refused; -1
	 * never */
	int64_t max_gap_ns;
	const char *fs_rules;	 /* --fs-rules: those of order fs that count, NULL all (order.h) */
	int wait;		 /* --wait hybrid|nanosleep|spin: how a time is waited for */
	/* --pre-spin: who spins for its time wakes the thread that is due next (wait_group.h) */
	bool pre_spin;
	/* --scheduler: policy of the workers (scheduling.h), NULL as it is */
	const char *scheduler;
	/* --spin: how long a predecessor is waited for by spinning before the futex */
	int64_t spin_ns;
	int placement;		 /* --placement: where buffers lie, as in microbench */
	bool processes;		 /* --processes: a process for each traced process */
	bool pin;		 /* --pin: worker i on the i-th processor it may use */
	const char *cpus;        /* --cpus: worker i on the i-th of these, round and round; "traced"
				  * (pinning.h), and then, once the trace is        loaded, what that
				  * means; NULL:        wherever the kernel puts it */
	/* --workers: of order none; 0: as many as there were threads at one time */
	uint64_t n_workers;
	int reads;		 /* --reads: enum replay_reads (replay/load/reads.h) */
	/* --balloon off|traced|SIZE: anonymous memory held for the program's (balloon.h); NULL off
	 */
	const char *balloon;
	int payload;		 /* --payload: enum replay_payload: what is written */
	/* --compressible, --duplicates: shares of what is made for it */
	double compressible, duplicates;
	/* --memory: a plan that takes more is held in parts; UINT64_MAX: never */
	uint64_t memory_bytes;
	bool stop_on_mismatch;	 /* --stop-on-mismatch */
	/* --mutant FAULT[:SIZE]: a deliberate fault (mutant.h), NULL none */
	const char *mutant;
	/* --watchdog: how long nothing may end before a blocked request is told; 0: for ever */
	int64_t watchdog_ns;
	struct block_options block; /* of engine block */
	struct compiled_options compiled; /* of engine compiled */
	struct parallel_options parallel; /* of engine parallel */
	struct adapter_options adapter; /* of the engines that are other people's replayers */
	/* --blank: everything but the calls; what the stamps then see is the replayer's own */
	bool blank;
	/* where: command line only */
	const char *engine;	 /* --engine */
	const char *dir;	 /* --dir: the target directory; nothing outside it is touched */
	const char *device;	 /* --device: of engine block, a block device or a regular file */
	bool destructive;	 /* --destructive: what is on the device may be overwritten */
	bool own_device;	 /* --own-device: a volume of ours may have a signature */
	/* --scratch: where a plan is that is held in parts; NULL: beside the output, else $TMPDIR
	 * or /var/tmp */
	const char *scratch;
	const char *output;	 /* -o, NULL: no replay trace is written */
	bool prepare;		 /* --prepare: restore the trace's files first */
	/* --cache: enum replay_cache: what is evicted before the first request */
	int cache;
	/* --keep: the trace's files stay where they are; otherwise they are removed at the end,
	 * however that comes */
	bool keep;
	bool no_sync_output;	 /* --no-sync-output */
	bool prepare_only;	 /* --prepare-only: the trace's files, and no replay */
	bool list_engines, list_mutants; /* for the command */
	/* neither: replay_settled() sets them */
	const struct replay_engine *row; /* of `engine` */
	bool causes; /* what nodes compute, signal and wait for is replayed, too */
};

void replay_config_init(struct replay_config *c);
extern const struct option_spec replay_options[]; /* all of them */
/* Those of one engine, or of one kind of engines. */
extern const struct option_spec block_option_table[], parallel_option_table[],
    compiled_option_table[], adapter_option_table[];
/* Sets every text of it to NULL, for a copy that another process reads. */
void replay_config_drop_texts(struct replay_config *c);

#endif
