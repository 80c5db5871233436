/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of [protocol], [target] and [accept], with their defaults. */
#include "validate/protocol/protocol.h"

const char *const keep_names[] = {"none", "failed", "all", NULL};
const char *const on_failure_names[] = {"continue", "stop", NULL};
const char *const reference_names[] = {"rerun", "trace", NULL};
const char *const covariate_names[] = {"none", "others", NULL};
const char *const cache_state_names[] = {"cold", "warm", "as-is", NULL};
const char *const evict_names[] = {"auto", "fadvise", "drop", "all", NULL};
const char *const responsiveness_names[] = {"auto", "yes", "no", NULL};
const char *const reorder_scope_names[] = {"auto", "all", "thread", "object", NULL};
const char *const uncertainty_bias_names[] = {"apart", "added", NULL};
const char *const concurrency_by_names[] = {"time", "request", "both", NULL};

#define LIMIT(KIND, row, name, limit, type, fallback, ...) .limit = fallback,
const struct accept_limits accept_defaults = {COMPONENT_LIST(LIMIT).execution_time_timed = 0.01,
					      .repeatability = NAN, .guard_band = NAN};
#undef LIMIT

#define LIMIT(KIND, row, name, limit, ...) [COMPONENT_##KIND] = #limit,
const char *const accept_limit_names[] = {COMPONENT_LIST(LIMIT)};
#undef LIMIT

double accept_limit(const struct accept_limits *l, enum component_kind k)
{
	const struct option_spec *key = &accept_keys[k];
	const void *field = (const char *)l + (key->offset - offsetof(struct protocol, accept));
	double limit;
	if (key->type == OPT_UINT)
		limit =
		    *(const uint64_t *)field == UINT64_MAX ? NAN : (double)*(const uint64_t *)field;
	else if (key->type == OPT_DURATION)
		limit = (double)*(const int64_t *)field;
	else
		limit = *(const double *)field;
	return limit > 0 || (limit == 0 && !(key->min > 0)) ? limit : NAN;
}

double accept_limit_of(const struct accept_limits *l, enum component_kind k, bool timed)
{
	if (timed && k == COMPONENT_EXECUTION_TIME)
		return l->execution_time_timed > 0 ? l->execution_time_timed : NAN;
	return accept_limit(l, k);
}

#define FIELD(field) offsetof(struct protocol, field)

const struct option_spec protocol_keys[] = {
    OPTION(STRING, "title", FIELD(title), .arg = "TEXT",
	   .help = "heading of the report (default: name of the file)"),
    OPTION(STRING, "issuer", FIELD(issuer), .arg = "TEXT",
	   .help = "person or organisation that issues the certificates (default: not stated)"),
    OPTION(STRING, "place", FIELD(place), .arg = "TEXT",
	   .help = "place of the measurement, for the certificates (default: not stated)"),
    OPTION(STRING, "standard", FIELD(standard), .arg = "TEXT",
	   .help =
	       "certified standard to which the measurement is traceable, as text with the number "
	       "of its certificate; or NAME.json, a file from \"validate standard certify\": the "
	       "campaign then checks whether this certificate applies (default: none)"),
    OPTION(STRING, "replicates", FIELD(replicates), .arg = "N|A..B",
	   .help =
	       "number of blocks (default 20); in a block, program and replayers run once in each "
	       "scenario. A..B: at most B blocks; the campaign ends earlier if every case is "
	       "decided after 10, 14, 20, 28, 40 or 60 blocks, but not before A. With a budget: "
	       "smallest and largest number of pairs of program and replay in a scenario "
	       "(default 8..60)"),
    OPTION(DURATION, "budget", FIELD(budget_ns), .arg = "TIME",
	   .help = "maximum time of the whole campaign. Every scenario gets the smallest number "
	       "of pairs; then only inconclusive scenarios get more. 0: no limit (default 0)",
	   .max = 30 * 86400e9),
    OPTION(STRING, "claim", FIELD(claimed), .arg = "TEXT",
	   .help =
	       "judge only this claim: \"mean response time within 5 %, p99 within 10 %\"; other "
	       "components then have no default limit (default none)"),
    OPTION(FLAG, "allow-undecidable", FIELD(allow_undecidable),
	   .help = "run with fewer replicates or a smaller budget than a verdict needs; the "
	       "report then has numbers, but no verdict (default no)"),
    OPTION(UINT, "bank", FIELD(n_bank), .arg = "K",
	   .help = "number of recordings of each scenario, which the blocks use in turn. Default: "
	       "one for each block. If all workloads are parallel applications or traces, the "
	       "default is 1 with reference = trace, and 4 (at most the number of blocks) with "
	       "reference = rerun",
	   .max = 100000),
    OPTION(UINT, "seed", FIELD(seed), .arg = "N",
	   .help = "seed of the random order of runs and of every workload (default 1)",
	   .max = 9007199254740992.0),
    OPTION(DURATION, "min-duration", FIELD(min_duration_ns), .arg = "TIME",
	   .help = "increase the number of requests until a run lasts this long; 0: keep the "
	       "number (default 200ms)",
	   .max = 3600e9),
    OPTION(DURATION, "timeout", FIELD(timeout_ns), .arg = "TIME",
	   .help = "time limit of a run; a longer run is ended and fails (default "
	       "60s)", .min = 1e6,
	   .max = 86400e9),
    OPTION(DURATION, "settle", FIELD(settle_ns), .arg = "TIME",
	   .help = "time from the eviction of caches to the start of a run (default 10ms)",
	   .max = 60e9),
    OPTION(CHOICE, "keep", FIELD(keep), .arg = "WHICH", .choices = keep_names,
	   .help = "runs whose traces stay in the results directory (default none)"),
    OPTION(CHOICE, "on-failure", FIELD(on_failure), .arg = "WHAT", .choices = on_failure_names,
	   .help = "what the campaign does after a failed run (default continue)"),
    OPTION(CHOICE, "reference", FIELD(reference), .arg = "WHAT", .choices = reference_names,
	   .help = "rerun: the program runs again in each block, and its times are the "
	       "reference; trace: the recorded times are the reference (default rerun)"),
    OPTION(CHOICE, "covariate", FIELD(covariate), .arg = "WHAT", .choices = covariate_names,
	   .help = "others: the analysis corrects response times and execution times for the CPU "
	       "time that other programs used or the hypervisor took (default none)"),
    OPTION(UINT, "sessions", FIELD(n_sessions), .arg = "N",
	   .help = "number of groups of consecutive blocks, for repeatability and "
	       "reproducibility (default: one for each start or resumption of the campaign)",
	   .max = 10000),
    OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR",
	   .help = "directory for the traces of runs (default: the first of /dev/shm, $TMPDIR, "
	       "/tmp and /var/tmp that has enough space and is not on a target's device; otherwise "
	       "the results directory)"),
    OPTION(STRING, "cpus", FIELD(cpus), .arg = "LIST",
	   .help = "CPUs of program and replayers, such as \"0,2-3\" (default all)"),
    OPTION(CHOICE, "pairing", FIELD(pairing), .arg = "HOW", .choices = pairing_names,
	   .help =
	       "slices: program and replayers of a block run alternately, a slice each; runs: "
	       "they run one after another; auto: slices if all of them can be paused (default "
	       "auto)"),
    OPTION(DURATION, "slice", FIELD(slice_ns), .arg = "TIME",
	   .help = "length of a slice (default 5ms)", .min = 1e6, .max = 10e9),
    OPTION(CHOICE, "pause", FIELD(pause), .arg = "HOW", .choices = pause_by_names,
	   .help = "how a process is paused. gate: the process pauses itself between two "
	       "requests; signal: SIGSTOP stops the process; auto: gate for programs of this "
	       "package, signal for replayers of other projects (default auto)"),
    OPTION(STRING, "published", FIELD(published_file), .arg = "NAME.csv",
	   .help = "file in the protocol's directory with published values, which the report "
	       "shows beside the measured values (default none)"),
    OPTION(STRING, "scheduler", FIELD(scheduler), .arg = "LIST",
	   .help =
	       "scheduling policy of program and replayers: other, batch, idle, fifo:N or rr:N; "
	       "in a list, the first permitted policy is used (default unchanged)"),
    {.name = NULL},
};

#undef FIELD
#define FIELD(field) offsetof(struct target, field)

const struct option_spec target_keys[] = {
    OPTION(STRING, "dir", FIELD(dir), .arg = "DIR", .help = "directory on the storage to "
	       "measure, relative to the directory that contains the results directory; files are "
	       "made in a fresh directory below it, and the fresh directory is removed at the end "
	       "(default: the results directory)"),
    OPTION(CHOICE, "cache", FIELD(cache), .arg = "STATE", .choices = cache_state_names,
           .help = "state of the page cache before each run (default cold)"),
    OPTION(CHOICE, "evict", FIELD(evict), .arg = "HOW", .choices = evict_names,
           .help = "how caches become cold. fadvise: evict only the files' pages; drop: drop the "
	       "page cache of the machine, as root; auto: drop if fadvise leaves pages; all: "
	       "also drop dentries and inodes (default auto)"),
    OPTION(SIZE, "cache-budget", FIELD(cache_budget_bytes), .arg = "SIZE",
           .help = "size of the page cache that a run may use, limited by a memory cgroup; 0: no "
	       "limit (default 0)",
           .max = 1e15),
    OPTION(SIZE, "memory-limit", FIELD(memory_limit_bytes), .arg = "SIZE",
           .help = "limit of the sum of page cache and other memory of a run, the same for "
	       "program and replayers; not with cache-budget; 0: no limit (default "
	       "0)", .max = 1e15),
    OPTION(STRING, "queue", FIELD(queue), .arg = "SETTINGS", .help = "settings of the device's "
	       "request queue, restored at the end: an I/O scheduler and NAME=VALUE, such as "
	       "\"none,nr_requests=64,nomerges=2\" (default unchanged)"),
    OPTION(UINT, "precondition", FIELD(precondition_passes), .arg = "N",
           .help = "number of times that the files are overwritten before the campaign (default "
	       "0)",
           .max = 100),
    OPTION(STRING, "device", FIELD(device), .arg = "DEVICE",
           .help = "block device or file that gets the requests of block-* workloads, captured "
	       "programs, block traces or parallel applications (default none)"),
    OPTION(FLAG, "destructive", FIELD(destructive), .help = "permit overwriting the content of the "
           "device; the command line must name it too (--device)"),
    OPTION(STRING, "volume", FIELD(volume), .arg = "MODEL", .help = "instead of a device: service "
	       "model of a volume (\"validate help volume\"), which the campaign creates, and "
	       "removes at its end (default none)"),
    OPTION(SIZE, "size", FIELD(size_bytes), .arg = "SIZE",
           .help = "size of the volume, which is in memory (default "
	       "256M)", .min = 4096, .max = 1e15),
    OPTION(FLAG, "volume-file", FIELD(volume_file), .help = "send the requests to the volume's "
	       "file, without a loop device (default: through a loop device if root runs the "
	       "campaign)"),
    OPTION(CHOICE, "responsiveness", FIELD(responsiveness), .arg = "WHETHER",
           .choices = responsiveness_names, .help = "in half of the blocks, the volume's service "
	       "times are 1.5 times as long, and the replay must slow down as the program does; "
	       "auto: yes if all workloads of the target are built in, the protocol has at least "
	       "6 replicates, and it has none of these: key \"rate\", timed replays, claims, "
	       "published values (default auto)"),
    {.name = NULL},
};

#undef FIELD
#define FIELD(field) offsetof(struct protocol, accept.field)

#define ARG_OPT_RATIO "RATIO"
#define ARG_OPT_DOUBLE "X"
#define ARG_OPT_UINT "N"
#define ARG_OPT_DURATION "TIME"

/* First the limits of the components by kind, then the other parameters of decisions. */
const struct option_spec accept_keys[] = {
#define LIMIT(KIND, row, called, limit, value, fallback, key, least, most, text)                   \
	[COMPONENT_##KIND] = {.name = key,                                                         \
			      .type = value,                                                       \
			      .offset = FIELD(limit),                                              \
			      .arg = ARG_##value,                                                  \
			      .help = text,                                                        \
			      .min = least,                                                        \
			      .max = most,                                                         \
			      .flags = OPT_NONE},
    COMPONENT_LIST(LIMIT)
#undef LIMIT
    OPTION(CHOICE, "concurrency-by", FIELD(concurrency_by), .arg = "WHAT",
           .choices = concurrency_by_names, .help = "how the component \"concurrency\" "
	       "weights the numbers of requests in flight: by time, by request, or both (default "
	       "time)"),
    OPTION(CHOICE, "reorder-scope", FIELD(reorder_scope), .arg = "SCOPE",
           .choices = reorder_scope_names, .help = "sequences that must keep the traced order. "
	       "all: one sequence of all requests; thread, object: one sequence for each thread, "
	       "or for each file or device; auto: all for replayers that promise a total order, "
	       "else thread (default auto)"),
    OPTION(RATIO, "execution-time-timed", FIELD(execution_time_timed), .arg = "RATIO",
           .help = "limit of execution-time for timed replays (default: the value of the key "
	       "\"execution-time\" if given, else 1%)",
	   .min = 1e-6, .max = 0.99, .flags = OPT_NONE),
    OPTION(RATIO, "repeatability", FIELD(repeatability), .arg = "RATIO",
           .help = "largest coefficient of variation of the mean response times of the replays, "
	       "if one recording is the reference of all replays (default none)",
	   .min = 1e-6, .max = 100, .flags = OPT_NONE),
    OPTION(DOUBLE, "guard-band", FIELD(guard_band), .arg = "X", .help = "distance "
	       "that the bias must have from its limit before the bias is accepted or rejected, in "
	       "units of the expanded uncertainty of the bias; 1 is the guard band of JCGM 106 "
	       "(default none)", .min = 0, .max = 100, .flags = OPT_NONE),
    OPTION(CHOICE, "uncertainty-bias", FIELD(uncertainty_bias), .arg = "HOW",
           .choices = uncertainty_bias_names, .help = "state the bias apart from U, or add it to U "
           "before the comparison with the limit (default apart)"),
    {.name = NULL},
};
