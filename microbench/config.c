/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>

#include "common/mpi_launch.h"
#include "common/placement.h"
#include "common/scheduling.h"
#include "common/units.h"
#include "common/wait.h"
#include "common/words.h"
#include "microbench/draw.h"
#include "microbench/microbench.h"

#define NO_LIMIT -1			    /* value of `max` in a row: no limit */

void microbench_config_init(struct microbench_config *c)
{
	*c = (struct microbench_config){
		.level = 1, .n_requests = 5000, .block_bytes = 4096,
		.file_bytes = (uint64_t)16 << 20, .pause_by = WAIT_NANOSLEEP, .think = THINK_FIXED,
		.seed = 1, .placement = PLACEMENT_DEFAULT, .prepare = true,
	};
}

static const char *const arrivals_names[] = {"fixed", "poisson", NULL};

#define FIELD(name) offsetof(struct microbench_config, name)
const struct option_spec microbench_options[] = {
	OPTION(STRING, "dir", FIELD(dir), .group = "Target and output", .letter = 'd', .arg = "DIR",
	       .flags = OPT_CLI_ONLY, .help = "target directory; nothing outside it is changed"),
	OPTION(STRING, "device", FIELD(device), .arg = "DEVICE", .flags = OPT_CLI_ONLY,
	       .help = "block-*: block device or file that receives the requests"),
	OPTION(FLAG, "destructive", FIELD(destructive), .flags = OPT_CLI_ONLY,
	       .help = "block-*: permit overwriting the content of the device"),
	OPTION(FLAG, "own-device", FIELD(own_device), .flags = OPT_CLI_ONLY,
	       .help = "block-*: permit writing to a device with a file system or another "
	       "signature, if \"validate volume\" made the device"),
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "TRACE",
	       .flags = OPT_CLI_ONLY, .help = "write the trace to TRACE"),
	OPTION(FLAG, "prepare", FIELD(prepare), .flags = OPT_CLI_ONLY,
	       .help = "create the files before the run, or restore their content (default yes); "
	       "with --no-prepare they must exist"),
	OPTION(FLAG, "prepare-only", FIELD(prepare_only), .flags = OPT_CLI_ONLY,
	       .help = "create the files and exit"),
	OPTION(FLAG, "remove", FIELD(remove), .flags = OPT_CLI_ONLY,
	       .help = "remove the files of the workload after the run"),
	OPTION(FLAG, "print-command", FIELD(print_command), .flags = OPT_CLI_ONLY,
	       .help = "parallel applications: print the command that starts the ranks, quoted for "
	       "a shell, and exit"),
	OPTION(FLAG, "no-sync-output", FIELD(no_sync_output), .flags = OPT_CLI_ONLY,
	       .help = "do not wait until the trace is on disk"),
	OPTION(FLAG, "list", FIELD(list), .flags = OPT_CLI_ONLY,
	       .help = "print the workloads and exit"),
	OPTION(UINT, "level", FIELD(level), .group = "Requests", .arg = "N", .min = 1,
	       .max = MICROBENCH_MAX_LEVEL,
	       .help = "number of threads, each with its own file (default 1); parallel "
	       "applications: number of ranks (default: see the manual page)"),
	OPTION(UINT, "requests", FIELD(n_requests), .arg = "N", .min = 1, .max = 1e12,
	       .help = "number of requests of each thread (default 5000). In some workloads, N "
	       "counts other units for each thread or rank: rounds (fileserver, "
	       "shared-polling), transactions (postmark), compilations (compile), files "
	       "(createfiles, copyfiles), iterations (earthquake), or blocks (other parallel "
	       "applications)"),
	OPTION(DURATION, "min-duration", FIELD(min_duration_ns), .arg = "TIME", .max = NO_LIMIT,
	       .help = "minimum duration of the run: after the number of requests set by "
	       "--requests, make further requests until this time has passed since the start "
	       "(default 0)"),
	OPTION(SIZE, "block-size", FIELD(block_bytes), .arg = "SIZE", .min = 1,
	       .max = (double)MICROBENCH_MAX_BLOCK_BYTES, .help = "size of a request (default "
	       "4K)"),
	OPTION(SIZE, "file-size", FIELD(file_bytes), .arg = "SIZE", .min = 1, .max = NO_LIMIT,
	       .help = "size of each thread's file (default 16M); fileserver, createfiles, "
	       "copyfiles, compile: mean size of a file; postmark: largest size; parallel "
	       "applications: size of each rank's part of the file"),
	OPTION(DURATION, "pause", FIELD(pause_ns), .group = "Pauses and threads", .arg = "TIME",
	       .max = NO_LIMIT, .help = "pause between two requests of a thread, or "
	       "between two units (see --requests) (default 0)"),
	OPTION(CHOICE, "pause-by", FIELD(pause_by), .arg = "METHOD", .choices = wait_method_names,
	       .help = "how a thread waits during a pause. hybrid: sleep, then spin (default "
	       "nanosleep)"),
	OPTION(STRING, "scheduler", FIELD(scheduler), .arg = "POLICY",
	       .help = "scheduling policy of the threads: other, batch, idle, fifo:N, rr:N, "
	       "deadline or deadline:RUNTIME/PERIOD (default unchanged)"),
	OPTION(CHOICE, "think", FIELD(think), .arg = "DISTRIBUTION", .choices = think_names,
	       .help = "distribution of the pauses, with mean --pause (default fixed)"),
	OPTION(UINT, "seed", FIELD(seed), .arg = "N", .help = "seed of offsets, pauses and "
	       "content; with equal options, equal seeds give the same sequence of requests, and "
	       "a longer run begins with the requests of a shorter run (default 1)"),
	OPTION(FLAG, "direct", FIELD(direct), .help = "bypass the page cache (O_DIRECT)"),
	OPTION(FLAG, "sync", FIELD(sync), .help = "return from a write only when its data are on "
	       "disk (O_SYNC)"),
	OPTION(FLAG, "fsync-end", FIELD(fsync_end),
	       .help = "random-*, sequential-*, cached-pread: each thread calls fsync after its "
	       "last request; checkpoint*, earthquake: each rank calls fsync after its last "
	       "write. This call is in the trace. Other workloads refuse the option"),
	OPTION(CHOICE, "placement", FIELD(placement), .arg = "KIND", .choices = placement_names,
	       .help = "place of the buffers in memory. offset: at a fixed offset in a page; page: "
	       "at the start of a page; rotate: many buffers in turn. With --direct, every buffer "
	       "begins at the start of a page. Use the same place for the replay (default "
	       "offset)"),
	OPTION(FLAG, "pin", FIELD(pin), .help = "pin thread i to the i-th CPU that the process "
	       "may use; further threads begin again at the first CPU"),
	OPTION(SIZE, "anon-memory", FIELD(anon_bytes), .arg = "SIZE",
	       .help = "anonymous memory that the workload holds (default 0; fileserver: 84M, as "
	       "much as filebench)"),
	OPTION(UINT, "fileset-seed", FIELD(fileset_seed), .group = "Workloads of many files",
	       .arg = "N", .help = "fileserver, createfiles, copyfiles, compile: seed of the "
	       "layout and sizes of the initial files (default 1)"),
	OPTION(UINT, "files", FIELD(n_files), .arg = "N", .max = 1e8,
	       .help = "number of files of all threads together: fileserver (default 1000), "
	       "postmark (20000), createfiles (50000), copyfiles (100000), source files of "
	       "compile (100)"),
	OPTION(SIZE, "min-file-size", FIELD(min_file_bytes), .arg = "SIZE",
	       .help = "postmark: smallest size of a new file (default 512); --file-size is the "
	       "largest size"),
	OPTION(SIZE, "append-size", FIELD(append_bytes), .arg = "SIZE", .max = 1 << 29,
	       .help = "fileserver: mean size of an append (default 16K)"),
	OPTION(UINT, "dir-width", FIELD(dir_width), .arg = "N", .max = 1e6,
	       .help = "mean number of entries of a directory: fileserver, copyfiles (default "
	       "20), createfiles (100)"),
	OPTION(DOUBLE, "size-shape", FIELD(size_shape), .arg = "X", .max = 1e6,
	       .help = "fileserver, createfiles, copyfiles, compile: shape of the gamma "
	       "distribution of file sizes. Their standard deviation is their mean divided by the "
	       "square root of X (default 1.5)"),
	OPTION(UINT, "subdirs", FIELD(n_subdirs), .arg = "N", .max = 1e6,
	       .help = "postmark: number of subdirectories for each thread's files (default 0: the "
	       "files are in the thread's directory)"),
	OPTION(RATIO, "read-share", FIELD(read_share), .arg = "RATIO", .max = 1,
	       .help = "postmark: each transaction reads a file or appends to it; share of the "
	       "transactions that read (default 50%). block-*: share of requests that read; the "
	       "others write (default 100%)"),
	OPTION(RATIO, "create-share", FIELD(create_share), .arg = "RATIO", .max = 1,
	       .help = "postmark: each transaction also creates or deletes a file; share of "
	       "the transactions that create (default 50%)"),
	OPTION(UINT, "headers", FIELD(n_headers), .arg = "N", .max = 1e6,
	       .help = "compile: number of headers (default 400)"),
	OPTION(UINT, "include-dirs", FIELD(n_include_dirs), .arg = "N", .max = 1000,
	       .help = "compile: number of directories that are searched for a header (default 8)"),
	OPTION(UINT, "includes", FIELD(n_includes), .arg = "N", .max = 1e6,
	       .help = "compile: mean number of headers that a source file includes (default "
	       "20)"),
	OPTION(UINT, "queue-depth", FIELD(queue_depth), .group = "Block devices (block-*)",
	       .arg = "N", .max = 1024,
	       .help = "block-*: largest number of requests that each thread has in flight "
	       "(default 32)"),
	OPTION(DOUBLE, "rate", FIELD(rate), .arg = "N", .max = 1e9,
	       .help = "block-*: requests per second of all threads together (default 0: a thread "
	       "issues its next request when a request ends). A request is issued when it is due, "
	       "unless its thread already has --queue-depth requests in flight; then it waits"),
	OPTION(CHOICE, "arrivals", FIELD(arrivals), .arg = "KIND", .choices = arrivals_names,
	       .help = "block-*, with --rate: times at which requests are due: fixed intervals "
	       "or a Poisson process (default fixed)"),
	OPTION(UINT, "burst", FIELD(burst), .arg = "N", .max = 1e6,
	       .help = "block-*, with --rate: number of requests of a thread that are due at the "
	       "same time (default 1)"),
	OPTION(STRING, "sizes", FIELD(sizes), .arg = "SIZE:SHARE,...",
	       .help = "block-*: sizes of requests with their shares, such as 4K:70%,64K:30% "
	       "(default: --block-size)"),
	OPTION(SIZE, "span", FIELD(span_bytes), .arg = "SIZE", .max = NO_LIMIT,
	       .help = "block-*: use only this many bytes at the start of the device (default 0: "
	       "all)"),
	OPTION(STRING, "backend", FIELD(backend), .arg = "NAME", .help = "block-*: interface to "
	       "the kernel, io_uring, libaio or psync (default auto: chosen by a test of the "
	       "device)"),
	OPTION(DURATION, "compute", FIELD(compute_ns), .group = "Parallel applications",
	       .arg = "TIME", .max = 2e9, .help = "checkpoint-compute: CPU time after each "
	       "block that a rank reads; earthquake: mean CPU time of an iteration (default "
	       "1ms)"),
	OPTION(STRING, "launcher", FIELD(launcher), .arg = "COMMAND",
	       .help = "parallel applications: " MPI_LAUNCHER_HELP),
	{.name = NULL},
};

void workload_config_init(const struct workload *w, struct microbench_config *c)
{
	microbench_config_init(c);
	c->file_bytes = w->block ? 0 : c->file_bytes;
	for (const struct workload_default *d = w->defaults; d && d->option; d++) {
		int ret = options_set(microbench_options, c, d->option, d->value, NULL);
		assert(!ret);
		(void)ret;
	}
}

const char *const special_options[] = {"files", "min-file-size", "append-size", "dir-width",
    "size-shape", "subdirs", "read-share", "create-share", "headers", "include-dirs", "includes",
    "fileset-seed", "queue-depth", "rate", "arrivals", "burst", "sizes", "span", "backend",
    "compute", "launcher", NULL};

bool workload_has_option(const struct workload *w, const char *name)
{
	return !word_in(name, special_options) || word_in(name, w->own_options);
}
