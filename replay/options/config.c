/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/options/config.h"

#include "common/placement.h"
#include "common/wait.h"

const char *const replay_order_names[] = {"temporal", "temporal-serial", "fs", "thread", "none",
					  NULL};
const char *const replay_timing_names[] = {"fullspeed", "timestamp", "think", NULL};
const char *const replay_cache_names[] = {"as-is", "cold", NULL};
const char *const replay_reads_names[] = {"current", "original", "none", NULL};
/* enum replay_payload */
static const char *const payload_names[] = {"buffer", "random", "zero", "captured", NULL};

const char *const block_mode_names[] = {
    "hf", "afap", "load", "dep", "causal", "think-limited", "timing-accurate", NULL};
const char *const block_backend_names[] = {"auto", "io_uring", "libaio", "psync", NULL};
const char *const block_limit_names[] = {"rounded", "instant", "exact", "none", "slack", NULL};
const char *const block_beyond_names[] = {"error", "modulo", "scale", NULL};
const char *const block_follow_names[] = {"each", "all", "nearest", "count", NULL};
const char *const block_unaligned_names[] = {"error", "round", NULL};
const char *const parallel_compute_names[] = {"spin", "sleep", NULL};
const char *const parallel_clock_names[] = {"auto", "cpu", "wall", NULL};
const char *const artc_order_names[] = {"root", "temporal", "none", "single", NULL};
const char *const beefs_policy_names[] = {"faster", "conservative", "teka", "tbbtcon", NULL};
const char *const blkreplay_conflicts_names[] = {"partial", "allowed", "dropped", "ordered", NULL};
const char *const fio_ioengine_names[] = {"psync", "libaio", "io_uring", NULL};
const char *const fio_direct_names[] = {"auto", "yes", "no", NULL};
const char *const hfplayer_mode_names[] = {"hf", "dep", "afap", "load", NULL};

#define NO_LIMIT -1 /* as a row's max: below any min */

void replay_config_init(struct replay_config *c)
{
	*c = (struct replay_config){
		.order = ORDER_TEMPORAL,
		.timing = TIMING_FULLSPEED,
		.speed = 1,
		.max_gap_ns = REPLAY_MAX_GAP_NS,
		.wait = WAIT_HYBRID,
		.pre_spin = true,
		.keep = true,
		.spin_ns = 5000,
		.placement = PLACEMENT_DEFAULT,
		.memory_bytes = REPLAY_MEMORY_BYTES,
		.watchdog_ns = 60000000000,
		.engine = "event",
	};
	c->block = (struct block_options){
		.mode = MODE_HF,
		.limit = LIMIT_SLACK,
		.bundle_ns = -1,
		.bundle_max = BLOCK_BUNDLE_MAX,
		.think_scale = 1,
		.registered = true,
		.beyond = BEYOND_ERROR,
		.unaligned = UNALIGNED_ERROR,
	};
	c->parallel = (struct parallel_options){.launcher = NULL};
	c->adapter = (struct adapter_options){ADAPTER_OPTIONS_STANDARD};
}

#define FIELD(name) offsetof(struct replay_config, name)
#define BLOCK(name) offsetof(struct replay_config, block.name)
#define PARALLEL(name) offsetof(struct replay_config, parallel.name)
#define COMPILED(name) offsetof(struct replay_config, compiled.name)
#define ADAPTER(name) offsetof(struct replay_config, adapter.name)

/* Options that several engines have: rows of the tables of these engines and of replay_options. */
#define MODE_ROW										   \
	OPTION(CHOICE, "mode", BLOCK(mode), .group = "Block devices (engine block)",		\
	       .arg = "MODE", .choices = block_mode_names, .help = "engine block: hf "	\
	       "(traced times and number in flight), afap (as fast as possible), load (traced "	\
	       "number in flight) or dep (after dependencies), default hf. Engine parallel: "	\
	       "causal (after computing and waiting for other nodes), afap, think-limited "	\
	       "(traced pauses) or timing-accurate (traced times), default causal")
#define BLOCK_ROWS										   \
	OPTION(CHOICE, "backend", BLOCK(backend), .arg = "NAME", .choices = block_backend_names,\
	       .help = "engine block: interface to the kernel (default auto: io_uring, or "	\
	       "libaio if io_uring is forbidden or would use kernel threads)"),			\
	OPTION(CHOICE, "in-flight", BLOCK(limit), .arg = "LIMIT", .choices = block_limit_names,	\
	       .help = "mode hf: limit of requests in flight: exact (traced number), instant "	\
	       "(rounded up to a power of two), rounded (maximum within 100 ms, rounded up), "	\
	       "slack (as rounded, but up to 128 during a short stall), none (default slack)"),	\
	OPTION(DURATION, "bundle", BLOCK(bundle_ns), .arg = "TIME", .max = NO_LIMIT,		\
	       .help = "modes hf and dep: submit requests closer than this together (default: "	\
	       "the measured cost of a submission)"),						\
	OPTION(UINT, "bundle-max", BLOCK(bundle_max), .arg = "N", .min = 1,			\
	       .max = BLOCK_BUNDLE_MAX, .help = "engine block: largest number of requests "	\
	       "submitted together (default 256)"),						\
	OPTION(UINT, "depth", BLOCK(depth), .arg = "N", .max = BLOCK_DEPTH_MAX,			\
	       .help = "engine block: largest number of requests in flight (default 0: as the "	\
	       "mode needs; afap: 128)"),							\
	OPTION(CHOICE, "follow", BLOCK(follow), .arg = "PARENTS", .choices = block_follow_names,\
	       .help = "mode dep: when a request is due. each: a traced gap after each request "\
	       "on which it depends; all: after the end of all these; nearest: after the one "	\
	       "that ended last in the trace; count: after as many completions as in the "	\
	       "trace (default each)"),					\
	OPTION(DOUBLE, "think-scale", BLOCK(think_scale), .arg = "FACTOR", .min = 1e-6,		\
	       .max = 1e6, .help = "mode dep: divide traced think times by this (default 1)"),	\
	OPTION(DOUBLE, "device-scale", BLOCK(device_scale), .arg = "FACTOR", .max = 1e6,	\
	       .help = "mode dep: emulate a device this many times faster than the traced "	\
	       "device, by delaying a faster target (default 0: no delay)"),			\
	OPTION(STRING, "think-time", BLOCK(think_time), .arg = "TIME",				\
	       .help = "mode dep: shortest think time between a request and a request that "	\
	       "depends on it; auto: the shortest gap in the trace (default 10us)"),		\
	OPTION(FLAG, "sq-poll", BLOCK(sq_poll),							\
	       .help = "io_uring: a kernel thread polls for submissions"),			\
	OPTION(FLAG, "registered", BLOCK(registered),						\
	       .help = "io_uring: register file and buffers (default yes)"),			\
	OPTION(FLAG, "harvester", BLOCK(harvester), .help = "engine block: a second thread per "\
	       "worker fetches completions; not with --discards"),				\
	OPTION(FLAG, "discards", BLOCK(discards), .help = "engine block: also replay discards"),\
	OPTION(FLAG, "read-only", BLOCK(read_only), .help = "engine block: read where the trace " \
	       "writes; engine exec: declare that the command does not write to the device"),	\
	OPTION(FLAG, "dry-run", BLOCK(dry_run), .flags = OPT_CLI_ONLY,				\
	       .help = "engine block: issue no request; print the requests, what they would "	\
	       "change on the device, and whether they would be refused"),			\
	OPTION(CHOICE, "beyond", BLOCK(beyond), .arg = "HOW", .choices = block_beyond_names,	\
	       .help = "engine block: requests beyond the end of the device are an error, are "	\
	       "moved modulo its size, or all offsets are scaled to it (default error)"),	\
	OPTION(CHOICE, "unaligned", BLOCK(unaligned), .arg = "HOW",				\
	       .choices = block_unaligned_names, .help = "engine block: requests that are not "	\
	       "whole device blocks are an error, or are rounded outwards to blocks (default "	\
	       "error)")
#define COMPILED_FILE_ROWS									   \
	OPTION(FLAG, "compile-only", COMPILED(compile_only),					\
	       .group = "Compiled programs (engine compiled)", .flags = OPT_CLI_ONLY,		\
	       .help = "engine compiled: compile and cache the program, without a replay"),	\
	OPTION(STRING, "keep-source", COMPILED(keep_source), .arg = "DIR", .flags = OPT_CLI_ONLY, \
	       .help = "engine compiled: build in DIR and keep the source there (default none)"), \
	OPTION(STRING, "program-cache", COMPILED(program_cache), .arg = "DIR",			\
	       .flags = OPT_CLI_ONLY, .help = "engine compiled: directory of compiled programs "\
	       "(default validate/programs in $XDG_CACHE_HOME or ~/.cache)")
#define COMPILED_ROWS										   \
	OPTION(STRING, "cc", COMPILED(cc),							\
	       .group = "Compiled programs and parallel applications", .arg = "COMMAND",	\
	       .help = "C compiler of engine compiled (default cc)"),				\
	OPTION(FLAG, "unroll", COMPILED(unroll), .help = "engine compiled: generate code for "	\
	       "each request instead of a table row; slow to compile")
#define PARALLEL_ROWS										   \
	OPTION(STRING, "launcher", PARALLEL(launcher), .arg = "COMMAND",			\
	       .help = "engine parallel: command that starts the ranks; {n} is their number, "	\
	       "and without {n} \"-n N\" is appended (default mpirun, with the options needed "	\
	       "here)"),									\
	OPTION(CHOICE, "compute", PARALLEL(compute), .arg = "HOW",				\
	       .choices = parallel_compute_names,						\
	       .help = "engine parallel: computing keeps a CPU busy, or sleeps (default spin)"),\
	OPTION(CHOICE, "clock", PARALLEL(clock), .arg = "CLOCK", .choices = parallel_clock_names, \
	       .help = "engine parallel: clock of computing, CPU time or elapsed time; auto: as " \
	       "the trace states, and cpu if there are more threads than CPUs (default auto)")
const struct option_spec block_option_table[] = {MODE_ROW, BLOCK_ROWS, {.name = NULL}};
const struct option_spec parallel_option_table[] = {MODE_ROW, PARALLEL_ROWS, {.name = NULL}};
const struct option_spec compiled_option_table[] = {COMPILED_FILE_ROWS, COMPILED_ROWS,
{.name = NULL}};
const struct option_spec adapter_option_table[] = {ADAPTER_OPTION_ROWS(ADAPTER), {.name = NULL}};

const struct option_spec replay_options[] = {
	OPTION(STRING, "engine", FIELD(engine), .group = "Engine, target and output", .letter = 'e',
	       .arg = "NAME", .flags = OPT_CLI_ONLY, .help = "replay engine: event (default), "
	       "coordinator, compiled, parallel, block (default with --device); see "
	       "--list-engines"),
	OPTION(STRING, "dir", FIELD(dir), .letter = 'd', .arg = "DIR", .flags = OPT_CLI_ONLY,
	       .help = "target directory; nothing outside it is changed"),
	OPTION(STRING, "device", FIELD(device), .arg = "DEVICE", .flags = OPT_CLI_ONLY,
	       .help = "engine block: block device or regular file that receives the requests; "
	       "traced writes overwrite its content"),
	OPTION(FLAG, "destructive", FIELD(destructive), .flags = OPT_CLI_ONLY,
	       .help = "engine block: permit overwriting the content of the device"),
	OPTION(FLAG, "own-device", FIELD(own_device), .flags = OPT_CLI_ONLY,
	       .help = "engine block: permit a file system on the device, which must be a volume "
	       "(validate volume)"),
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "OUT",
	       .flags = OPT_CLI_ONLY, .help = "write the replay trace to OUT (default none)"),
	OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR", .flags = OPT_CLI_ONLY,
	       .help = "directory of the scratch file of --memory, and of the plan of engine "
	       "parallel (default: directory of -o, else $TMPDIR or /var/tmp, parallel: /tmp)"),
	OPTION(FLAG, "prepare", FIELD(prepare), .group = "Files and caches", .flags = OPT_CLI_ONLY,
	       .help = "first create the files that the trace needs, or restore their content"),
	OPTION(CHOICE, "cache", FIELD(cache), .arg = "STATE", .choices = replay_cache_names,
	       .flags = OPT_CLI_ONLY, .help = "cold: just before the first request, write back and "
	       "evict; as root all caches including dentries and inodes, else only pages of the "
	       "trace's files (default as-is)"),
	OPTION(FLAG, "keep", FIELD(keep), .flags = OPT_CLI_ONLY, .help = "leave the trace's files "
	       "in --dir; with --no-keep and --prepare, files and directories made by the replay "
	       "are removed at its end, also after an interrupt or failure (default yes)"),
	OPTION(FLAG, "no-sync-output", FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	       .help = "do not wait until the replay trace is on disk"),
	OPTION(FLAG, "prepare-only", FIELD(prepare_only), .flags = OPT_CLI_ONLY,
	       .help = "only create the files that the trace needs, as --prepare does, and exit"),
	COMPILED_FILE_ROWS,
	OPTION(FLAG, "list-engines", FIELD(list_engines), .group = "Lists and self-measurement",
	       .flags = OPT_CLI_ONLY, .help = "print the engines and exit"),
	OPTION(FLAG, "list-mutants", FIELD(list_mutants), .flags = OPT_CLI_ONLY,
	       .help = "print the deliberate faults and exit"),
	OPTION(FLAG, "blank", FIELD(blank), .flags = OPT_CLI_ONLY,
	       .help = "make no call between the time stamps, to measure the replay itself"),
	OPTION(CHOICE, "order", FIELD(order), .group = "Order and timing", .arg = "ORDER",
	       .choices = replay_order_names,
	       .help = "which requests each request waits for (default temporal)"),
	OPTION(CHOICE, "timing", FIELD(timing), .arg = "TIMING", .choices = replay_timing_names,
	       .help = "when a request is issued (default fullspeed)"),
	OPTION(DOUBLE, "speed", FIELD(speed), .arg = "FACTOR", .min = 1e-6, .max = 1e6,
	       .help = "divide the traced times and gaps by this (default 1)"),
	OPTION(DURATION, "max-gap", FIELD(max_gap_ns), .arg = "TIME", .max = NO_LIMIT,
	       .flags = OPT_NONE, .help = "refuse a timed replay that would wait longer than this "
	       "for one request, or 1000 times as long for all; none: no limit (default 1h)"),
	OPTION(STRING, "fs-rules", FIELD(fs_rules), .arg = "RULES",
	       .help = "rules of order fs, separated by commas; a leading - excludes rules instead "
	       "(default: descriptor, position, name, directory, data, size, attribute, process)"),
	OPTION(CHOICE, "wait", FIELD(wait), .group = "Waiting and CPUs", .arg = "METHOD",
	       .choices = wait_method_names,
	       .help = "how a worker waits for an instant (default hybrid)"),
	OPTION(FLAG, "pre-spin", FIELD(pre_spin), .help = "a spinning worker wakes the worker "
		     "that is due next, and at most one worker per CPU spins (default yes)"),
	OPTION(STRING, "scheduler", FIELD(scheduler), .arg = "POLICY",
	       .help = "scheduling policy of the workers: other, batch, idle, fifo:N, rr:N, "
	       "deadline or deadline:RUNTIME/PERIOD (default unchanged)"),
	OPTION(DURATION, "spin", FIELD(spin_ns), .arg = "TIME", .max = NO_LIMIT,
	       .help = "time to spin for another request before yielding and sleeping (default "
	       "5us)"),
	OPTION(CHOICE, "placement", FIELD(placement), .arg = "KIND", .choices = placement_names,
	       .help = "placement of buffers in memory; use the same for program and replay "
		       "(default offset)"),
	OPTION(FLAG, "processes", FIELD(processes), .help = "use one process per traced process, "
	       "each with its own descriptors (default: threads of one process)"),
	OPTION(FLAG, "pin", FIELD(pin), .help = "pin worker i to the i-th permitted CPU"),
	OPTION(STRING, "cpus", FIELD(cpus), .arg = "LIST", .help = "pin worker i to the i-th of "
	       "these CPUs, in turn: numbers and ranges such as 0,2-3 (in a protocol 0+2-3); "
	       "traced: the CPUs to which the traced thread was pinned"),
	OPTION(UINT, "workers", FIELD(n_workers), .arg = "N", .max = REPLAY_MAX_THREADS,
	       .help = "workers of order none (default 0: the traced maximum of concurrent "
	       "threads) and of engine block (default 0: one)"),
	OPTION(CHOICE, "reads", FIELD(reads), .group = "Cache, memory and content", .arg = "HOW",
	       .choices = replay_reads_names, .help = "which pages reads fetch from storage. "
						      "current: pages that are not cached now; "
						      "original: pages that were not cached at "
						      "capture (slice --join); none: make no "
						      "reads (default current)"),
	OPTION(STRING, "balloon", FIELD(balloon), .arg = "MEMORY", .help = "anonymous memory of "
	       "replay and a locked balloon together: off, traced (the program's use over time) or "
	       "a size (default off)"),
	OPTION(CHOICE, "payload", FIELD(payload), .arg = "KIND", .choices = payload_names,
	       .help = "content of writes. buffer: the worker's buffer; random, zero: generated "
		       "content, also in the files of --prepare; captured: the program's data, "
		       "from capture app --content (default buffer)"),
	OPTION(RATIO, "compressible", FIELD(compressible), .arg = "SHARE", .max = 1,
	       .help = "payload random: share of the content that a compressor can remove (default "
	       "0%)"),
	OPTION(RATIO, "duplicates", FIELD(duplicates), .arg = "SHARE", .max = 1,
	       .help = "payload random: share of 4 KiB blocks that repeat one of a few blocks "
	       "(default 0%)"),
	OPTION(SIZE, "memory", FIELD(memory_bytes), .arg = "SIZE", .min = 1, .max = NO_LIMIT,
	       .flags = OPT_NONE, .help = "engine event: if requests, order and outcomes need more "
	       "memory, read them ahead from a scratch file into locked memory of this size; none: "
	       "keep all in memory (default 64MiB)"),
	OPTION(FLAG, "stop-on-mismatch", FIELD(stop_on_mismatch),
	       .group = "Checks and deliberate faults",
	       .help = "stop at the first return value that differs from the traced value"),
	OPTION(DURATION, "watchdog", FIELD(watchdog_ns), .arg = "TIME", .max = NO_LIMIT,
	       .help = "end a replay in which no request completes for this time, and name the "
	       "request that blocks; 0: never (default 60s)"),
	OPTION(STRING, "mutant", FIELD(mutant), .arg = "FAULT[:SIZE]",
	       .help = "deliberate fault, to test how replayers are judged (see --list-mutants)"),
	MODE_ROW,
	BLOCK_ROWS,
	COMPILED_ROWS,
	PARALLEL_ROWS,
	ADAPTER_OPTION_ROWS(ADAPTER),
	{.name = NULL},
};

void replay_config_drop_texts(struct replay_config *c)
{
	for (const struct option_spec *o = replay_options; o->name; o++)
		if (o->type == OPT_STRING)
			*(const char **)(void *)((char *)c + o->offset) = NULL;
	c->row = NULL;
}
