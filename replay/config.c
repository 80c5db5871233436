/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/options_describe.h"
#include "common/placement.h"
#include "common/processors.h"
#include "common/scheduling.h"
#include "common/units.h"
#include "common/wait.h"
#include "common/xalloc.h"
#include "replay/adapters/adapter.h"
#include "replay/balloon.h"
#include "replay/cache/reads.h"
#include "replay/gaps.h"
#include "replay/load/load.h"
#include "replay/mutant.h"
#include "replay/order/order.h"
#include "replay/pinning.h"
#include "replay/replay.h"

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
	block_options_init(&c->block);
	c->parallel = (struct parallel_options){.launcher = NULL};
	c->adapter = (struct adapter_options){ADAPTER_OPTIONS_STANDARD};
}

static const char *const payload_names[] = {"buffer", "random", "zero", "captured", NULL}; /* enum replay_payload */

#define FIELD(name) offsetof(struct replay_config, name)
#define BLOCK(name) offsetof(struct replay_config, block.name)
#define PARALLEL(name) offsetof(struct replay_config, parallel.name)
#define ADAPTER(name) offsetof(struct replay_config, adapter.name)
const struct option_spec replay_options[] = {
	{.name = "order", .type = OPT_CHOICE, .offset = FIELD(order), .arg = "ORDER", .choices = replay_order_names,
	 .help = "what a request waits for (temporal)"},
	{.name = "timing", .type = OPT_CHOICE, .offset = FIELD(timing), .arg = "TIMING", .choices = replay_timing_names,
	 .help = "when a request is issued (fullspeed)"},
	{.name = "speed", .type = OPT_DOUBLE, .offset = FIELD(speed), .arg = "FACTOR", .min = 1e-6, .max = 1e6,
	 .help = "traced times and gaps are divided by this (1)"},
	{.name = "max-gap", .type = OPT_DURATION, .offset = FIELD(max_gap_ns), .arg = "TIME",
	 .max = NO_LIMIT, .flags = OPT_NONE,
	 .help = "refuse a timed replay that would wait longer than this for one request, or 1000 "
		 "times as long for all (1h; none: never)"},
	{.name = "fs-rules", .type = OPT_STRING, .offset = FIELD(fs_rules), .arg = "RULES",
	 .help = "rules of order fs: names with commas between, or with - in front those left out of all "
		 "(descriptor, position, name, directory, data, size, attribute, process)"},
	{.name = "wait", .type = OPT_CHOICE, .offset = FIELD(wait), .arg = "METHOD", .choices = wait_method_names,
	 .help = "how a time is waited for (hybrid)"},
	{.name = "pre-spin", .type = OPT_FLAG, .offset = FIELD(pre_spin),
	 .help = "who spins for its time wakes the thread that is due next, and no more spin than have a processor (yes)"},
	{.name = "scheduler", .type = OPT_STRING, .offset = FIELD(scheduler), .arg = "POLICY",
	 .help = "of the workers: other, batch, idle, fifo:N, rr:N, deadline or deadline:RUNTIME/PERIOD (unchanged)"},
	{.name = "spin", .type = OPT_DURATION, .offset = FIELD(spin_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "how long another request is waited for by spinning, before yielding and sleeping (5us)"},
	{.name = "placement", .type = OPT_CHOICE, .offset = FIELD(placement), .arg = "KIND", .choices = placement_names,
	 .help = "where buffers lie in memory, alike for program and replay (offset)"},
	{.name = "processes", .type = OPT_FLAG, .offset = FIELD(processes),
	 .help = "a process for each traced process, with descriptors of its own (otherwise all are threads of one)"},
	{.name = "pin", .type = OPT_FLAG, .offset = FIELD(pin), .help = "worker i on the i-th processor it may use"},
	{.name = "cpus", .type = OPT_STRING, .offset = FIELD(cpus), .arg = "LIST",
	 .help = "worker i on the i-th of these processors, round and round: numbers and ranges, as 0,2-3 (in a protocol 0+2-3); traced: each "
		 "where its thread was kept"},
	{.name = "workers", .type = OPT_UINT, .offset = FIELD(n_workers), .arg = "N", .max = REPLAY_MAX_THREADS,
	 .help = "workers of order none (0: as many as there were threads at one time), and of engine block (0: one)"},
	{.name = "reads", .type = OPT_CHOICE, .offset = FIELD(reads), .arg = "HOW", .choices = replay_reads_names,
	 .help = "what decides which pages reads get from storage: the cache as it is, or as it was when captured (slice --join); "
		 "none: nothing but changes of state (current)"},
	{.name = "balloon", .type = OPT_STRING, .offset = FIELD(balloon), .arg = "MEMORY",
	 .help = "anonymous memory that replay and a locked balloon have together: off, traced (as much as the program had, over "
		 "time) or a size (off)"},
	{.name = "payload", .type = OPT_CHOICE, .offset = FIELD(payload), .arg = "KIND", .choices = payload_names,
	 .help = "what is written: what lies in the worker's buffer; content made before each write, as for the files of --prepare; "
		 "captured: what the program wrote, where capture app --content has kept it (buffer)"},
	{.name = "compressible", .type = OPT_RATIO, .offset = FIELD(compressible), .arg = "SHARE", .max = 1,
	 .help = "how much of the content of payload random a compressor can take off (0%)"},
	{.name = "duplicates", .type = OPT_RATIO, .offset = FIELD(duplicates), .arg = "SHARE", .max = 1,
	 .help = "how many of its blocks of 4 KiB are one of a few that are alike (0%)"},
	{.name = "memory", .type = OPT_SIZE, .offset = FIELD(memory_bytes), .arg = "SIZE", .min = 1, .max = NO_LIMIT, .flags = OPT_NONE,
	 .help = "engine event: of requests, order and outcomes that take more than this, what comes next is read ahead from a scratch "
		 "file into locked memory of this size (64MiB; none: all of it in memory)"},
	{.name = "stop-on-mismatch", .type = OPT_FLAG, .offset = FIELD(stop_on_mismatch),
	 .help = "stop at the first return value that differs from the traced one"},
	{.name = "watchdog", .type = OPT_DURATION, .offset = FIELD(watchdog_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "end a replay in which no request has ended for so long, naming the one that blocks (60s; 0: never)"},
	{.name = "mutant", .type = OPT_STRING, .offset = FIELD(mutant), .arg = "FAULT[:SIZE]",
	 .help = "a deliberate fault, to test what judges replayers (--list-mutants)"},
	{.name = "mode", .type = OPT_CHOICE, .offset = BLOCK(mode), .arg = "MODE", .choices = block_mode_names,
	 .help = "engine block: when a request is issued: at its traced time with so many in flight as then, as fast as possible, with the "
		 "traced number in flight, or after what it depended on (hf). Engine parallel: after computing and waiting for other "
		 "nodes, as fast as possible, after the traced pauses, or at its traced time (causal)"},
	{.name = "backend", .type = OPT_CHOICE, .offset = BLOCK(backend), .arg = "NAME", .choices = block_backend_names,
	 .help = "engine block: how requests reach the kernel (auto: io_uring where it may be used)"},
	{.name = "in-flight", .type = OPT_CHOICE, .offset = BLOCK(limit), .arg = "LIMIT", .choices = block_limit_names,
	 .help = "mode hf: how many may be in flight: as many as in the trace at that instant, that rounded up to a power of two, the most within "
		 "100 ms of it rounded up, or any (rounded)"},
	{.name = "bundle", .type = OPT_DURATION, .offset = BLOCK(bundle_ns), .arg = "TIME", .max = NO_LIMIT,
	 .help = "modes hf and dep: requests closer than this are handed over together (what a submission costs, measured)"},
	{.name = "bundle-max", .type = OPT_UINT, .offset = BLOCK(bundle_max), .arg = "N", .min = 1, .max = BLOCK_BUNDLE_MAX,
	 .help = "engine block: requests handed over together at most (256)"},
	{.name = "depth", .type = OPT_UINT, .offset = BLOCK(depth), .arg = "N", .max = BLOCK_DEPTH_MAX,
	 .help = "engine block: requests in flight at most (0: what the mode needs; afap: 128)"},
	{.name = "follow", .type = OPT_CHOICE, .offset = BLOCK(follow), .arg = "PARENTS", .choices = block_follow_names,
	 .help = "mode dep: a request follows each of its parents by the traced gap, all of them by that of the one that ended last in the "
		 "trace, that one alone, or whichever ends are as many as there were in the trace (each)"},
	{.name = "think-scale", .type = OPT_DOUBLE, .offset = BLOCK(think_scale), .arg = "FACTOR", .min = 1e-6, .max = 1e6,
	 .help = "mode dep: traced think times are divided by this (1)"},
	{.name = "device-scale", .type = OPT_DOUBLE, .offset = BLOCK(device_scale), .arg = "FACTOR", .max = 1e6,
	 .help = "mode dep: a device so many times faster than the traced one, by making a faster target wait (0: the target as it is)"},
	{.name = "think-time", .type = OPT_STRING, .offset = BLOCK(think_time), .arg = "TIME",
	 .help = "mode dep: the shortest time in which a program can follow an end with a request that depends on it (10us); auto: the "
		 "smallest of the trace"},
	{.name = "sq-poll", .type = OPT_FLAG, .offset = BLOCK(sq_poll), .help = "io_uring: a thread of the kernel looks for requests"},
	{.name = "registered", .type = OPT_FLAG, .offset = BLOCK(registered), .help = "io_uring: register file and buffers (yes)"},
	{.name = "harvester", .type = OPT_FLAG, .offset = BLOCK(harvester),
	 .help = "engine block: a thread of its own fetches the completions of each worker; not with --discards"},
	{.name = "discards", .type = OPT_FLAG, .offset = BLOCK(discards), .help = "engine block: replay discards as well"},
	{.name = "read-only", .type = OPT_FLAG, .offset = BLOCK(read_only),
	 .help = "engine block: read where the trace writes; engine exec: the command writes "
		 "nothing to the device"},
	{.name = "dry-run", .type = OPT_FLAG, .offset = BLOCK(dry_run), .flags = OPT_CLI_ONLY,
	 .help = "engine block: make no request; print which would be made, what of the device they would change, and whether that is refused"},
	{.name = "beyond", .type = OPT_CHOICE, .offset = BLOCK(beyond), .arg = "HOW", .choices = block_beyond_names,
	 .help = "engine block: requests beyond the device's end are an error, or moved: modulo its size, or all scaled to it (error)"},
	{.name = "unaligned", .type = OPT_CHOICE, .offset = BLOCK(unaligned), .arg = "HOW", .choices = block_unaligned_names,
	 .help = "engine block: requests that are no whole blocks of the device are an error, or rounded to the blocks around them (error)"},
	{.name = "cc", .type = OPT_STRING, .offset = FIELD(cc), .arg = "COMMAND",
	 .help = "C compiler of engine compiled (cc)"},
	{.name = "unroll", .type = OPT_FLAG, .offset = FIELD(unroll),
	 .help = "engine compiled: each request as code of its own, not as a row of a table; slow to compile"},
	{.name = "launcher", .type = OPT_STRING, .offset = PARALLEL(launcher), .arg = "COMMAND",
	 .help = "engine parallel: the command that starts the ranks; {n} is their number, -n N is appended where it is not named "
		 "(mpirun, with the options it needs here)"},
	{.name = "compute", .type = OPT_CHOICE, .offset = PARALLEL(compute), .arg = "HOW", .choices = parallel_compute_names,
	 .help = "engine parallel: computing keeps a processor busy, or sleeps (spin)"},
	{.name = "clock", .type = OPT_CHOICE, .offset = PARALLEL(clock), .arg = "CLOCK", .choices = parallel_clock_names,
	 .help = "engine parallel: computing is counted in time on the processor, or as it passes; auto: as the trace says, and on the processor "
		 "where there are more threads than processors (auto)"},
	ADAPTER_OPTION_ROWS(ADAPTER),
	{.name = "blank", .type = OPT_FLAG, .offset = FIELD(blank), .flags = OPT_CLI_ONLY,
	 .help = "no call is made between the stamps: what is measured then is the replay itself"},
	{.name = "engine", .letter = 'e', .type = OPT_STRING, .offset = FIELD(engine), .arg = "NAME", .flags = OPT_CLI_ONLY,
	 .help = "what replays: event (default), coordinator, compiled, parallel, block (default with --device); --list-engines tells more"},
	{.name = "dir", .letter = 'd', .type = OPT_STRING, .offset = FIELD(dir), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "target directory; nothing outside it is touched"},
	{.name = "device", .type = OPT_STRING, .offset = FIELD(device), .arg = "DEVICE", .flags = OPT_CLI_ONLY,
	 .help = "engine block: the block device to make the requests on, or a regular file; what it holds is overwritten where the trace writes"},
	{.name = "destructive", .type = OPT_FLAG, .offset = FIELD(destructive), .flags = OPT_CLI_ONLY,
	 .help = "engine block: what is on the device may be overwritten"},
	{.name = "own-device", .type = OPT_FLAG, .offset = FIELD(own_device), .flags = OPT_CLI_ONLY,
	 .help = "engine block: the device is a volume (validate volume), and may carry a file system; no other may"},
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = FIELD(output), .arg = "TRACE", .flags = OPT_CLI_ONLY,
	 .help = "the replay trace to write (none)"},
	{.name = "scratch", .type = OPT_STRING, .offset = FIELD(scratch), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "where that scratch file is (the directory of -o, else $TMPDIR or /var/tmp)"},
	{.name = "prepare", .type = OPT_FLAG, .offset = FIELD(prepare), .flags = OPT_CLI_ONLY,
	 .help = "first make the files that the trace needs, or put their content back"},
	{.name = "cache", .type = OPT_CHOICE, .offset = FIELD(cache), .arg = "STATE",
	 .choices = replay_cache_names, .flags = OPT_CLI_ONLY,
	 .help = "cold: write the target's file system back and evict, just before the first "
		 "request; as root all caches of the machine, with dentries and inodes, else only "
		 "the pages of the trace's files (as-is)"},
	{.name = "keep", .type = OPT_FLAG, .offset = FIELD(keep), .flags = OPT_CLI_ONLY,
	 .help = "the trace's files stay in --dir as the replay left them; --no-keep, with --prepare: they are removed, and what it made, when it ends, "
		 "is interrupted or fails (yes)"},
	{.name = "no-sync-output", .type = OPT_FLAG, .offset = FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	 .help = "do not wait until the replay trace is on disk"},
	{.name = "prepare-only", .type = OPT_FLAG, .offset = FIELD(prepare_only), .flags = OPT_CLI_ONLY,
	 .help = "make the files that the trace needs in --dir, as --prepare does, and end"},
	{.name = "compile-only", .type = OPT_FLAG, .offset = FIELD(compile_only), .flags = OPT_CLI_ONLY,
	 .help = "engine compiled: make and keep the program, and replay nothing"},
	{.name = "keep-source", .type = OPT_STRING, .offset = FIELD(keep_source), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "engine compiled: make the program in this directory and leave it there, with its source (none)"},
	{.name = "program-cache", .type = OPT_STRING, .offset = FIELD(program_cache), .arg = "DIR", .flags = OPT_CLI_ONLY,
	 .help = "engine compiled: where programs are kept (validate/programs in $XDG_CACHE_HOME or ~/.cache)"},
	{.name = "list-engines", .type = OPT_FLAG, .offset = FIELD(list_engines), .flags = OPT_CLI_ONLY,
	 .help = "print the engines and end"},
	{.name = "list-mutants", .type = OPT_FLAG, .offset = FIELD(list_mutants), .flags = OPT_CLI_ONLY,
	 .help = "print the deliberate faults and end"},
	{.name = NULL},
};

const struct replay_engine *replay_engine_find(const char *name)
{
	for (const struct replay_engine *const *g = replay_engines; *g; g++)
		if (!strcmp((*g)->name, name))
			return *g;
	return NULL;
}

struct replay_config replay_settled(const struct replay_config *c)
{
	const struct replay_engine *g = replay_engine_find(c->engine ? c->engine : "");
	struct replay_config settled = *c;
	if (g && g->settle)
		g->settle(&settled);
	return settled;
}

enum trace_level replay_engine_level(const struct replay_engine *g)
{
	return g->adapter ? g->adapter->level : g->level;
}

static int engine_check(const struct replay_config *c, struct err *e)
{
	const char *name = c->engine ? c->engine : "";
	const struct replay_engine *g = replay_engine_find(name);
	if (g && c->processes && !g->processes)
		return err_set(e, EINVAL, "processes: the %s engine has threads only (event, coordinator and compiled have both)", name);
	if (g)
		return g->check(c, e);
	size_t n = 0;
	while (replay_engines[n])
		n++;
	const char **names = xcalloc(n + 1, sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = replay_engines[i]->name;
	const char *near = nearest_name(name, names);
	int ret = near ? err_set(e, ENOENT, "unknown engine \"%s\" (did you mean \"%s\"?)", name, near)
		       : err_set(e, ENOENT, "unknown engine \"%s\" (--list-engines lists them)", name);
	free(names);
	return ret;
}

static int cpus_check(const struct replay_config *c, struct err *e)
{
	struct processor_list list = {.cpu = NULL};
	if (!c->cpus)
		return 0;
	if (c->pin)
		return err_set(e, EINVAL, "cpus and pin: both say where workers run");
	if (pinning_is_traced(c)) {
		const bool own = c->engine && (!strcmp(c->engine, "event") || !strcmp(c->engine, "compiled"));
		return own && c->order != ORDER_NONE ? 0
						      : err_set(e, EINVAL, "cpus traced: engines event and compiled have a worker for each thread "
								"in any order but none; elsewhere workers issue anybody's requests");
	}
	int ret = processors_parse(&list, c->cpus, e);
	processors_release(&list);
	return ret ? err_context(e, "cpus") : 0;
}

static int payload_check(const struct replay_config *c, struct err *e)
{
	if (c->payload != PAYLOAD_RANDOM && (c->compressible > 0 || c->duplicates > 0))
		return err_set(e, EINVAL, "compressible, duplicates: they are of payload random");
	if (c->payload != PAYLOAD_BUFFER && c->mutant && *c->mutant)
		return err_set(e, EINVAL, "payload: with a mutant only what lies in the buffers is written");
	const bool writes = c->engine && (!strcmp(c->engine, "event") || !strcmp(c->engine, "coordinator") || !strcmp(c->engine, "compiled"));
	if (c->payload == PAYLOAD_CAPTURED && !writes)
		return err_set(e, EINVAL, "payload captured: engines event, coordinator and compiled write it");
	return 0;
}

static int cache_check(const struct replay_config *c, struct err *e)
{
	const struct replay_engine *g = replay_engine_find(c->engine ? c->engine : "");
	if (c->cache != REPLAY_CACHE_AS_IS && g && g->replay)
		return err_set(e, EINVAL,
			       "cache: engine %s opens the files itself; drop the caches before it "
			       "is started",
			       g->name);
	if (c->cache != REPLAY_CACHE_AS_IS && c->blank)
		return err_set(e, EINVAL, "cache: a blank replay makes no call and reads no file");
	return 0;
}

static int keep_check(const struct replay_config *c, struct err *e)
{
	if (!c->keep && (!c->prepare || c->prepare_only || c->compile_only))
		return err_set(e, EINVAL, "no-keep: it removes what --prepare and the replay have made, and goes with both");
	return 0;
}

/* What only other people's replayers have: our own would pass over it. */
static int foreign_check(const struct replay_config *c, struct err *e)
{
	const size_t first = offsetof(struct replay_config, adapter), end = first + sizeof c->adapter;
	struct replay_config standard;
	const struct option_spec *o = replay_options;
	replay_config_init(&standard);
	for (; (o = options_changed(o, c, &standard)); o++)
		if (o->offset >= first && o->offset < end)
			return err_set(e, EINVAL, "%s: engine %s has no such option, which is for other people's replayers", o->name, c->engine);
	return 0;
}

int replay_check(const struct replay_config *c, struct err *e)
{
	struct mutant m;
	unsigned int rules;
	const struct replay_engine *g = replay_engine_find(c->engine ? c->engine : "");
	if (g && g->adapter)
		return g->check(c, e);
	int ret = g ? foreign_check(c, e) : 0;
	if (ret)
		return ret;
	ret = fs_rules_parse(&rules, c->fs_rules, e);
	if (ret)
		return err_context(e, "fs-rules");
	ret = mutant_parse(&m, c->mutant, e);
	ret = ret ? ret : cpus_check(c, e);
	ret = ret ? ret : keep_check(c, e);
	ret = ret ? ret : cache_check(c, e);
	ret = ret ? ret : balloon_text_check(c->balloon, e);
	struct scheduling scheduling = {.set = false};
	if (!ret && c->scheduler)
		ret = scheduling_parse(c->scheduler, &scheduling, e);
	ret = ret ? ret : scheduling_check(&scheduling, c->pin || c->cpus, e);
	ret = ret ? ret : payload_check(c, e);
	if (ret)
		return ret;
	const struct fault *f = mutant_fault(m.kind);
	bool pool = c->order == ORDER_NONE || m.kind == FAULT_DOUBLE;
	if (!(c->speed > 0) || !isfinite(c->speed) || c->spin_ns < 0 || c->n_workers > REPLAY_MAX_THREADS)
		return err_set(e, EINVAL, "speed, spin or workers: out of range");
	if (f && c->blank)
		return err_set(e, EINVAL, "blank: nothing is called that mutant %s could spoil", f->name);
	if (c->blank && c->stop_on_mismatch)
		return err_set(e, EINVAL, "blank: nothing is called, so no result can differ (stop-on-mismatch)");
	if (pool && c->timing == TIMING_THINK)
		return err_set(e, EINVAL, "timing think needs the order of each thread: order none has no such thing (use thread)");
	if (pool && c->processes)
		return err_set(e, EINVAL, "processes: %s lets any worker issue any request, so that none belongs to a process",
			       f && f->kind == FAULT_DOUBLE ? "mutant double" : "order none");
	if (!strcmp(c->engine ? c->engine : "", "block"))
		return engine_check(c, e);
	if (!strcmp(c->engine ? c->engine : "", "parallel"))
		return engine_check(c, e);
	if (!parallel_options_are_standard(&c->parallel))
		return err_set(e, EINVAL, "launcher, compute and clock are for engine parallel");
	if (!block_options_are_standard(&c->block) || c->device)
		return err_set(e, EINVAL, "mode, device and what goes with them are for engine block (mode: and parallel)");
	if (f && f->timed && c->timing == TIMING_FULLSPEED)
		return err_set(e, EINVAL, "mutant %s is a fault of waiting for times: it needs timing timestamp or think", f->name);
	if (c->n_workers && !pool)
		return err_set(e, EINVAL, "workers: only order none has a choice; the others have one for each traced thread");
	return engine_check(c, e);
}
