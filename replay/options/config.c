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
	       .arg = "MODE", .choices = block_mode_names, .help = "mode of engine "		\
	       "block (hf, afap, load or dep; default hf), or of engine parallel (causal, "	\
	       "afap, think-limited or timing-accurate; default causal); see the manual page")
#define BLOCK_ROWS										   \
	OPTION(CHOICE, "backend", BLOCK(backend), .arg = "NAME", .choices = block_backend_names,\
	       .help = "engine block: interface to the kernel (default auto: io_uring, or "	\
	       "libaio if io_uring is forbidden or would use kernel threads)"),			\
	OPTION(CHOICE, "in-flight", BLOCK(limit), .arg = "LIMIT", .choices = block_limit_names,	\
	       .help = "mode hf: rule that sets the largest number of requests in flight; see "	\
	       "the manual page (default slack)"),					\
	OPTION(DURATION, "bundle", BLOCK(bundle_ns), .arg = "TIME", .max = NO_LIMIT,		\
	       .help = "modes hf and dep: submit requests in one system call if they are due " \
	       "within this time after the first request of the call (default: the measured " \
	       "time of a call)"),						\
	OPTION(UINT, "bundle-max", BLOCK(bundle_max), .arg = "N", .min = 1,			\
	       .max = BLOCK_BUNDLE_MAX, .help = "engine block: largest number of requests " \
	       "that one system call submits (default 256)"), \
	OPTION(UINT, "depth", BLOCK(depth), .arg = "N", .max = BLOCK_DEPTH_MAX,			\
	       .help = "engine block: largest number of requests in flight; in mode dep, for " \
	       "each worker. The value 0 stands for 128 in mode afap; in the other modes " \
	       "it sets no limit (default 0)"), \
	OPTION(CHOICE, "follow", BLOCK(follow), .arg = "PARENTS", .choices = block_follow_names,\
	       .help = "mode dep: rule that sets when a request is due after its parents (the "	\
	       "requests on which it depends); see the manual page (default each)"),		\
	OPTION(DOUBLE, "think-scale", BLOCK(think_scale), .arg = "FACTOR", .min = 1e-6,		\
	       .max = 1e6, .help = "mode dep: divide the traced gaps by FACTOR "		\
	       "(default 1)"),	\
	OPTION(DOUBLE, "device-scale", BLOCK(device_scale), .arg = "FACTOR", .max = 1e6,	\
	       .help = "mode dep: emulate a device FACTOR times as fast as the traced "		\
	       "device, on an even faster target. A request counts as ended only when its "	\
	       "traced response time, divided by FACTOR, has passed since its start "	\
	       "(default 0: no emulation)"),	\
	OPTION(STRING, "think-time", BLOCK(think_time), .arg = "TIME",				\
	       .help = "mode dep: a request depends only on requests that ended at least this " \
	       "long before its start; auto: the shortest period of the trace in which no " \
	       "request is in flight, or 10us if the trace has fewer than 100 such periods "	\
	       "(default 10us)"),	\
	OPTION(FLAG, "sq-poll", BLOCK(sq_poll),							\
	       .help = "io_uring: let a kernel thread poll for requests; this thread keeps " \
	       "a CPU busy"),			\
	OPTION(FLAG, "registered", BLOCK(registered),						\
	       .help = "io_uring: register the device's file and the buffers with the "		\
	       "kernel (default yes)"),			\
	OPTION(FLAG, "harvester", BLOCK(harvester), .help = "engine block: fetch the "		\
	       "completions of each worker in a second thread; not with --discards"), \
	OPTION(FLAG, "discards", BLOCK(discards), .help = "engine block: also replay discards"),\
	OPTION(FLAG, "read-only", BLOCK(read_only), .help = "engine block: issue a read in " \
	       "place of each traced write; engine exec: declare that the replayer does not " \
	       "write to the device"),	\
	OPTION(FLAG, "dry-run", BLOCK(dry_run), .flags = OPT_CLI_ONLY,				\
	       .help = "engine block: issue no request; print the number of requests, the " \
	       "bytes that they would overwrite, and whether the device would be "		\
	       "refused"),			\
	OPTION(CHOICE, "beyond", BLOCK(beyond), .arg = "HOW", .choices = block_beyond_names,	\
	       .help = "engine block: requests beyond the end of the device. error: refuse " \
	       "the trace; modulo: take their offsets modulo the size of the device; "		\
	       "scale: scale all offsets to the device (default error)"),	\
	OPTION(CHOICE, "unaligned", BLOCK(unaligned), .arg = "HOW",				\
	       .choices = block_unaligned_names, .help = "engine block: requests that are " \
	       "not whole blocks of the device. error: refuse the trace; round: extend " \
	       "them to whole blocks (default error)")
#define COMPILED_FILE_ROWS									   \
	OPTION(FLAG, "compile-only", COMPILED(compile_only),					\
	       .group = "Compiled programs (engine compiled)", .flags = OPT_CLI_ONLY,		\
	       .help = "engine compiled: compile and store the program, but replay "		\
	       "nothing"),	\
	OPTION(STRING, "keep-source", COMPILED(keep_source), .arg = "DIR", .flags = OPT_CLI_ONLY, \
	       .help = "engine compiled: compile in DIR and leave the source there "		\
	       "(default: no source is kept)"), \
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
	       .help = "engine parallel: command that starts the ranks; {n} stands for " \
	       "the number of ranks; without {n}, \"-n N\" is appended (default mpirun on " \
	       "this host)"), \
	OPTION(CHOICE, "compute", PARALLEL(compute), .arg = "HOW",				\
	       .choices = parallel_compute_names,						\
	       .help = "engine parallel: what a thread of the replay does during the traced " \
	       "computing time. spin: keep a CPU busy; sleep: leave the CPU free (default spin)"),\
	OPTION(CHOICE, "clock", PARALLEL(clock), .arg = "CLOCK", .choices = parallel_clock_names, \
	       .help = "engine parallel: clock that measures computing. cpu: CPU time; wall: " \
	       "elapsed time; auto: cpu if a machine has more threads of the replay than CPUs, " \
	       "else as the trace states (default auto)")
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
	       .help = "target directory; the engines of validate make no request "
		       "that changes anything outside it"),
	OPTION(STRING, "device", FIELD(device), .arg = "DEVICE", .flags = OPT_CLI_ONLY,
	       .help = "block device or regular file that receives the requests; traced writes "
	       "overwrite its content"),
	OPTION(FLAG, "destructive", FIELD(destructive), .flags = OPT_CLI_ONLY,
	       .help = "permit overwriting the content of the device"),
	OPTION(FLAG, "own-device", FIELD(own_device), .flags = OPT_CLI_ONLY,
	       .help = "permit writing to a device with a file system or another signature, if "
	       "\"validate volume\" made the device"),
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "OUT",
	       .flags = OPT_CLI_ONLY, .help = "write the replay trace to OUT (default: no "
	       "trace)"),
	OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR", .flags = OPT_CLI_ONLY,
	       .help = "directory for the scratch file of --memory, and for the plan of a replay "
	       "by engine parallel (default: directory of -o; without -o, $TMPDIR; if neither is "
	       "given, /var/tmp for the scratch file and /tmp for the plan)"),
	OPTION(FLAG, "prepare", FIELD(prepare), .group = "Files and caches", .flags = OPT_CLI_ONLY,
	       .help = "before the replay, create or restore the files that the trace needs, and "
	       "remove files and directories that the trace will create; refuse if a directory to "
	       "be removed contains other files"),
	OPTION(CHOICE, "cache", FIELD(cache), .arg = "STATE", .choices = replay_cache_names,
	       .flags = OPT_CLI_ONLY, .help = "state of the caches at the first request. as-is: "
	       "unchanged; cold: evicted just before (as root all caches, with dentries and "
	       "inodes; else only the pages of the trace's files) (default as-is)"),
	OPTION(FLAG, "keep", FIELD(keep), .flags = OPT_CLI_ONLY, .help = "leave the trace's "
	       "files in --dir (default yes). --no-keep (needs --prepare): remove them at the "
	       "end, even after a failure or an interruption"),
	OPTION(FLAG, "no-sync-output", FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	       .help = "do not wait until the replay trace is on disk"),
	OPTION(FLAG, "prepare-only", FIELD(prepare_only), .flags = OPT_CLI_ONLY,
	       .help = "only create the files that the trace needs, as --prepare does, and exit"),
	COMPILED_FILE_ROWS,
	OPTION(FLAG, "list-engines", FIELD(list_engines), .group = "Lists and self-measurement",
	       .flags = OPT_CLI_ONLY, .help = "print the engines and exit"),
	OPTION(FLAG, "list-mutants", FIELD(list_mutants), .flags = OPT_CLI_ONLY,
	       .help = "print the deliberate faults of --mutant and exit"),
	OPTION(FLAG, "blank", FIELD(blank), .flags = OPT_CLI_ONLY,
	       .help = "make no calls, to measure the time of the replayer itself"),
	OPTION(CHOICE, "order", FIELD(order), .group = "Order and timing", .arg = "ORDER",
	       .choices = replay_order_names,
	       .help = "which earlier requests a request waits for. temporal: the end of "
	       "requests that, in the trace, ended before this request began, and the start of "
	       "requests that were then in flight; temporal-serial: all earlier requests; fs: "
	       "requests on which it depends by the rules of the file system; thread: the previous "
	       "request of its thread; none: no request (default temporal)"),
	OPTION(CHOICE, "timing", FIELD(timing), .arg = "TIMING", .choices = replay_timing_names,
	       .help = "when a request is issued. fullspeed: as soon as its order permits; "
	       "timestamp: at its traced time; think: when its traced pause has passed since "
	       "the end of the previous request of its thread (default fullspeed)"),
	OPTION(DOUBLE, "speed", FIELD(speed), .arg = "FACTOR", .min = 1e-6, .max = 1e6,
	       .help = "divide the traced times and pauses of a timed replay by FACTOR "
	       "(default 1)"),
	OPTION(DURATION, "max-gap", FIELD(max_gap_ns), .arg = "TIME", .max = NO_LIMIT,
	       .flags = OPT_NONE, .help = "refuse a timed replay if the gap before a "
	       "request exceeds TIME, or if the replay would last longer than 1000 times TIME; "
	       "none: no limit (default 1h)"),
	OPTION(STRING, "fs-rules", FIELD(fs_rules), .arg = "RULES",
	       .help = "rules of order fs, separated by commas (default all: descriptor, "
	       "position, name, directory, data, size, attribute, process). With a minus sign "
	       "before each name: all rules except these, such as -data,-size"),
	OPTION(CHOICE, "wait", FIELD(wait), .group = "Waiting and CPUs", .arg = "METHOD",
	       .choices = wait_method_names,
	       .help = "how a worker waits until its request is due. hybrid: sleep, then spin "
	       "(default hybrid)"),
	OPTION(FLAG, "pre-spin", FIELD(pre_spin), .help = "with --wait hybrid: a spinning "
	       "worker wakes the worker that is due next, so that it is awake in time; at most one "
	       "worker per CPU spins (default yes)"),
	OPTION(STRING, "scheduler", FIELD(scheduler), .arg = "POLICY",
	       .help = "scheduling policy of the workers: other, batch, idle, fifo:N, rr:N, "
	       "deadline or deadline:RUNTIME/PERIOD (default unchanged)"),
	OPTION(DURATION, "spin", FIELD(spin_ns), .arg = "TIME", .max = NO_LIMIT,
	       .help = "time for which a worker spins while its request waits for another request; "
	       "then the worker yields the CPU and sleeps (default 5us)"),
	OPTION(CHOICE, "placement", FIELD(placement), .arg = "KIND", .choices = placement_names,
	       .help = "place of the buffers in memory. offset: at a fixed offset in a page; page: "
	       "at the start of a page; rotate: many buffers in turn. Use the same place as in "
	       "the run of the program; microbench has the same option (default offset)"),
	OPTION(FLAG, "processes", FIELD(processes), .help = "replay each traced process in a "
	       "process with its own descriptors (default: in threads of one process)"),
	OPTION(FLAG, "pin", FIELD(pin), .help = "pin worker i to the i-th CPU that the process "
	       "may use; further workers begin again at the first CPU"),
	OPTION(STRING, "cpus", FIELD(cpus), .arg = "LIST", .help = "pin worker i to the i-th CPU "
	       "of LIST, such as 0,2-3 (in a protocol file: 0+2-3); further workers begin again at "
	       "the first CPU. traced: pin each worker to the CPUs of its traced thread"),
	OPTION(UINT, "workers", FIELD(n_workers), .arg = "N", .max = REPLAY_MAX_THREADS,
	       .help = "number of workers, for order none (default 0: largest number of threads "
	       "in the trace at one time) and engine block (default 0: one)"),
	OPTION(CHOICE, "reads", FIELD(reads), .group = "Cache, memory and content", .arg = "HOW",
	       .choices = replay_reads_names, .help = "which pages the replay reads from storage. "
	       "current: pages that are not cached now; original: pages that were not cached "
	       "during the capture (needs a trace from \"validate capture vfs\" or \"validate "
	       "slice --join\"); none: make no reads (default current)"),
	OPTION(STRING, "balloon", FIELD(balloon), .arg = "MEMORY", .help = "lock additional "
	       "memory, so that the replay holds this much anonymous memory in total. MEMORY: a "
	       "size; or traced: as much as the program held; or off: lock nothing (default off)"),
	OPTION(CHOICE, "payload", FIELD(payload), .arg = "KIND", .choices = payload_names,
	       .help = "content of writes. buffer: the worker's buffer, which is pseudo-random "
		       "until a read overwrites it; random: pseudo-random content, generated "
		       "before each write; zero: zeros; captured: the program's data, from "
		       "\"validate capture app --content\". With random and zero, --prepare fills "
		       "files with the same kind of content (default buffer)"),
	OPTION(RATIO, "compressible", FIELD(compressible), .arg = "SHARE", .max = 1,
	       .help = "payload random: share of the content that a compressor can remove (default "
	       "0%)"),
	OPTION(RATIO, "duplicates", FIELD(duplicates), .arg = "SHARE", .max = 1,
	       .help = "payload random: share of 4 KiB blocks that repeat one of 16 fixed "
	       "blocks (default 0%)"),
	OPTION(SIZE, "memory", FIELD(memory_bytes), .arg = "SIZE", .min = 1, .max = NO_LIMIT,
	       .flags = OPT_NONE, .help = "engine event: maximum memory for requests, their order "
	       "and results. The replay stores a larger trace in a scratch file, and prefetches it "
	       "into locked memory; none: no limit (default 64M)"),
	OPTION(FLAG, "stop-on-mismatch", FIELD(stop_on_mismatch),
	       .group = "Checks and deliberate faults",
	       .help = "stop at the first return value that differs from the traced value"),
	OPTION(DURATION, "watchdog", FIELD(watchdog_ns), .arg = "TIME", .max = NO_LIMIT,
	       .help = "fail if no request ends within this time; the message names a request that "
	       "does not return. While a worker waits until its request is due, the time does not "
	       "count. 0: never fail (default 60s)"),
	OPTION(STRING, "mutant", FIELD(mutant), .arg = "FAULT[:SIZE]",
	       .help = "add a deliberate fault, to test methods that judge replayers (see "
	       "--list-mutants)"),
	MODE_ROW,
	BLOCK_ROWS,
	COMPILED_ROWS,
	PARALLEL_ROWS,
	ADAPTER_OPTION_ROWS(ADAPTER),
	{.name = NULL},
};

int replay_config_send(struct replay_config_sent *to, const struct replay_config *c,
		       const char *engine, struct err *e)
{
	const char *cpus = c->cpus ? c->cpus : "", *scheduler = c->scheduler ? c->scheduler : "";
	if (strlen(cpus) >= sizeof to->cpus || strlen(scheduler) >= sizeof to->scheduler)
		return err_set(e, E2BIG,
			       "engine %s accepts at most %zu bytes in the value of cpus, and at "
			       "most %zu bytes in the value of scheduler",
			       engine, sizeof to->cpus - 1, sizeof to->scheduler - 1);
	to->config = *c;
	for (const struct option_spec *o = replay_options; o->name; o++)
		if (o->type == OPT_STRING)
			*(const char **)(void *)((char *)&to->config + o->offset) = NULL;
	to->config.row = NULL;
	strcpy(to->cpus, cpus);
	strcpy(to->scheduler, scheduler);
	return 0;
}
