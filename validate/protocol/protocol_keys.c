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
	   .help = "place of the measurement on the certificates (default: not stated)"),
    OPTION(STRING, "standard", FIELD(standard), .arg = "TEXT",
	   .help =
	       "certified standard behind "
	       "the measurement, with the number of its certificate; NAME.json: a certificate of "
	       "\"validate standard certify\", which is checked (default: none)"),
    OPTION(STRING, "replicates", FIELD(replicates), .arg = "N|A..B",
	   .help =
	       "number of blocks; A..B: at least A, at most B, with looks at 10, 14, 20, 28, "
	       "40 and 60 in that range (default 20). With a budget: fewest and most pairs of a "
	       "scenario (default 8..60)"),
    OPTION(DURATION, "budget", FIELD(budget_ns), .arg = "TIME",
	   .help = "time of the whole "
		   "campaign; undecided scenarios share it, decided ones stop; 0: none (default 0)",
	   .max = 30 * 86400e9),
    OPTION(STRING, "claim", FIELD(claimed), .arg = "TEXT",
	   .help =
	       "judge only this claim: \"mean "
	       "response time within 5 %, p99 within 10 %\"; no other limit has a default (default "
	       "none)"),
    OPTION(FLAG, "allow-undecidable", FIELD(allow_undecidable),
	   .help = "permit fewer replicates than a verdict needs; the report then only describes "
		   "(default no)"),
    OPTION(UINT, "bank", FIELD(n_bank), .arg = "K",
	   .help = "reference traces recorded per scenario, used in turn (default: one per block)",
	   .max = 100000),
    OPTION(UINT, "seed", FIELD(seed), .arg = "N",
	   .help = "seed of the random plan and of every workload (default 1)",
	   .max = 9007199254740992.0),
    OPTION(DURATION, "min-duration", FIELD(min_duration_ns), .arg = "TIME",
	   .help = "raise the number of requests until a run lasts this long; 0: keep the number "
		   "(default 200ms)",
	   .max = 3600e9),
    OPTION(DURATION, "timeout", FIELD(timeout_ns), .arg = "TIME",
	   .help = "end a longer run and count it as failed (default 60s)", .min = 1e6,
	   .max = 86400e9),
    OPTION(DURATION, "settle", FIELD(settle_ns), .arg = "TIME",
	   .help = "fixed time from the eviction of caches to the start of the run (default 10ms)",
	   .max = 60e9),
    OPTION(CHOICE, "keep", FIELD(keep), .arg = "WHICH", .choices = keep_names,
	   .help = "traces to keep in the results directory (default none)"),
    OPTION(CHOICE, "on-failure", FIELD(on_failure), .arg = "WHAT", .choices = on_failure_names,
	   .help = "what follows a failed run (default continue)"),
    OPTION(CHOICE, "reference", FIELD(reference), .arg = "WHAT", .choices = reference_names,
	   .help = "run the program again in each block, or use the times of the recorded trace "
		   "(default rerun)"),
    OPTION(CHOICE, "covariate", FIELD(covariate), .arg = "WHAT", .choices = covariate_names,
	   .help = "others: regress response and execution times on CPU time that other programs "
		   "used or the hypervisor stole (default none)"),
    OPTION(UINT, "sessions", FIELD(n_sessions), .arg = "N",
	   .help = "groups of consecutive blocks, "
		   "for repeatability and reproducibility (default: one per start or resume of the "
		   "campaign)",
	   .max = 10000),
    OPTION(STRING, "scratch", FIELD(scratch), .arg = "DIR",
	   .help = "directory of the runs' "
		   "traces, best on another device than the target (default /dev/shm)"),
    OPTION(STRING, "cpus", FIELD(cpus), .arg = "LIST",
	   .help = "CPUs of program and replayers, \"0,2-3\" (default all)"),
    OPTION(CHOICE, "pairing", FIELD(pairing), .arg = "HOW", .choices = pairing_names,
	   .help =
	       "slices: program and replayers of a block run alternately, one slice each; "
	       "runs: one run after another; auto: slices if program and replayers can be paused "
	       "(default auto)"),
    OPTION(DURATION, "slice", FIELD(slice_ns), .arg = "TIME",
	   .help = "length of a slice (default 5ms)", .min = 1e6, .max = 10e9),
    OPTION(CHOICE, "pause", FIELD(pause), .arg = "HOW", .choices = pause_by_names,
	   .help = "gate: a process pauses itself between two requests; signal: SIGSTOP stops it; "
		   "auto: gate for programs of this package, signal for others (default auto)"),
    OPTION(STRING, "published", FIELD(published_file), .arg = "NAME.csv",
	   .help = "file in the protocol's directory with published values, shown with the "
		   "measured values "
		   "(default none)"),
    OPTION(STRING, "scheduler", FIELD(scheduler), .arg = "LIST",
	   .help =
	       "scheduling policy of "
	       "program and replayers: other, batch, idle, fifo:N or rr:N; of several, the first "
	       "permitted (default unchanged)"),
    {.name = NULL},
};

#undef FIELD
#define FIELD(field) offsetof(struct target, field)

const struct option_spec target_keys[] = {
    OPTION(STRING, "dir", FIELD(dir), .arg = "DIR", .help = "directory in which a fresh directory "
           "for the files is made and removed at the end; relative to the parent of the results "
           "directory (default: inside the results directory)"),
    OPTION(CHOICE, "cache", FIELD(cache), .arg = "STATE", .choices = cache_state_names,
           .help = "state of the page cache before each run (default cold)"),
    OPTION(CHOICE, "evict", FIELD(evict), .arg = "HOW", .choices = evict_names,
           .help = "fadvise: evict only the files' pages; drop: the page cache of the machine, as "
           "root; auto: drop if fadvise leaves pages; all: drop, with dentries and inodes (default "
           "auto)"),
    OPTION(SIZE, "cache-budget", FIELD(cache_budget_bytes), .arg = "SIZE",
           .help = "page cache of a run, limited by a memory cgroup; 0: no limit (default 0)",
           .max = 1e15),
    OPTION(SIZE, "memory-limit", FIELD(memory_limit_bytes), .arg = "SIZE",
           .help = "limit of page cache and other memory of a run together, the same for program "
		   "and replayers; excludes cache-budget; 0: no limit (default 0)", .max = 1e15),
    OPTION(STRING, "queue", FIELD(queue), .arg = "SETTINGS", .help = "request-queue settings of "
           "the underlying device, restored afterwards: \"none,nr_requests=64,nomerges=2\" "
           "(default unchanged)"),
    OPTION(UINT, "precondition", FIELD(precondition_passes), .arg = "N",
           .help = "number of times the files are overwritten before the campaign (default 0)",
           .max = 100),
    OPTION(STRING, "device", FIELD(device), .arg = "DEVICE",
           .help = "block-* workloads: block device or file that receives the requests"),
    OPTION(FLAG, "destructive", FIELD(destructive), .help = "permit overwriting the content of the "
           "device; the command line must name it too (--device)"),
    OPTION(STRING, "volume", FIELD(volume), .arg = "MODEL", .help = "block-* workloads: a volume "
           "with this service time (\"validate help volume\"), created for the campaign and "
           "removed at its end"),
    OPTION(SIZE, "size", FIELD(size_bytes), .arg = "SIZE",
           .help = "size of the volume, in memory (default 256M)", .min = 4096, .max = 1e15),
    OPTION(FLAG, "volume-file", FIELD(volume_file), .help = "requests go to the volume's file, "
           "without a loop device (default: as root, to a loop device)"),
    OPTION(CHOICE, "responsiveness", FIELD(responsiveness), .arg = "WHETHER",
           .choices = responsiveness_names, .help = "the volume serves 1.5 times as slowly in half "
						    "of the blocks, and the replay must slow down "
						    "equally; auto: yes for built-in workloads at "
						    "full speed with at least 6 replicates and no "
						    "findings (default auto)"),
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
           .choices = concurrency_by_names, .help = "distribution that decides: number in flight "
           "weighted by time, number found by arriving requests, or both (default time)"),
    OPTION(CHOICE, "reorder-scope", FIELD(reorder_scope), .arg = "SCOPE",
           .choices = reorder_scope_names, .help = "sequences that must not be reordered; auto: "
           "all if a total order is promised, else thread"),
    OPTION(RATIO, "execution-time-timed", FIELD(execution_time_timed), .arg = "RATIO",
           .help = "execution-time limit of timed replays (default: as execution-time if given, "
           "else 1%)", .min = 1e-6, .max = 0.99, .flags = OPT_NONE),
    OPTION(RATIO, "repeatability", FIELD(repeatability), .arg = "RATIO",
           .help = "largest coefficient of variation of the replays, if one recording is the "
           "reference of all (default none)", .min = 1e-6, .max = 100, .flags = OPT_NONE),
    OPTION(DOUBLE, "guard-band", FIELD(guard_band), .arg = "X", .help = "guard band of the bias "
           "rule, in units of the bias's expanded uncertainty; 1 is that of JCGM 106 (default "
           "none)", .min = 0, .max = 100, .flags = OPT_NONE),
    OPTION(CHOICE, "uncertainty-bias", FIELD(uncertainty_bias), .arg = "HOW",
           .choices = uncertainty_bias_names, .help = "state the bias apart from U, or add it to U "
           "before the comparison with the limit (default apart)"),
    {.name = NULL},
};
