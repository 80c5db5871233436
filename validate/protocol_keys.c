/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of [protocol], [target] and [accept] with their defaults in words. */
#include <stddef.h>

#include "validate/protocol.h"

const char *const keep_names[] = {"none", "failed", "all", NULL};
const char *const on_failure_names[] = {"continue", "stop", NULL};
const char *const reference_names[] = {"rerun", "trace", NULL};
const char *const cache_state_names[] = {"cold", "warm", "as-is", NULL};
const char *const evict_names[] = {"auto", "fadvise", "drop", NULL};
const char *const reorder_scope_names[] = {"auto", "all", "thread", "object", NULL};

#define FIELD(field) offsetof(struct protocol, field)

const struct option_spec protocol_keys[] = {
	{.name = "title", .type = OPT_STRING, .offset = FIELD(title), .arg = "TEXT",
	 .help = "heading of the report (default: the file's name)"},
	{.name = "replicates", .type = OPT_STRING, .offset = FIELD(replicates), .arg = "N|A..B",
	 .help = "blocks that count; A..B: looks at those of 10, 14, 20, 28, 40 and 60 between (default 20)"},
	{.name = "bank", .type = OPT_UINT, .offset = FIELD(n_bank), .arg = "K",
	 .help = "reference traces recorded per scenario, used in turn (default one per block)", .max = 100000},
	{.name = "seed", .type = OPT_UINT, .offset = FIELD(seed), .arg = "N",
	 .help = "of the randomised plan and of every workload (default 1)", .max = 9007199254740992.0},
	{.name = "min-duration", .type = OPT_DURATION, .offset = FIELD(min_duration_ns), .arg = "TIME",
	 .help = "request counts are raised until a run lasts this long; 0: taken as they are (default 200ms)",
	 .max = 3600e9},
	{.name = "timeout", .type = OPT_DURATION, .offset = FIELD(timeout_ns), .arg = "TIME",
	 .help = "a run that lasts longer is ended and failed (default 60s)", .min = 1e6, .max = 86400e9},
	{.name = "settle", .type = OPT_DURATION, .offset = FIELD(settle_ns), .arg = "TIME",
	 .help = "from the eviction of caches to the start of the run, always the same (default 10ms)", .max = 60e9},
	{.name = "keep", .type = OPT_CHOICE, .offset = FIELD(keep), .arg = "WHICH", .choices = keep_names,
	 .help = "traces kept in the results directory (default none)"},
	{.name = "on-failure", .type = OPT_CHOICE, .offset = FIELD(on_failure), .arg = "WHAT",
	 .choices = on_failure_names, .help = "what follows a failed run (default continue)"},
	{.name = "reference", .type = OPT_CHOICE, .offset = FIELD(reference), .arg = "WHAT", .choices = reference_names,
	 .help = "the program run again in each block, or the recorded trace's own times (default rerun)"},
	{.name = "scratch", .type = OPT_STRING, .offset = FIELD(scratch), .arg = "DIR",
	 .help = "where traces of runs are written, best on another device than the target (default /dev/shm)"},
	{.name = "cpus", .type = OPT_STRING, .offset = FIELD(cpus), .arg = "LIST",
	 .help = "processors that program and replayers may use, \"0,2-3\" (default all)"},
	{.name = "scheduler", .type = OPT_STRING, .offset = FIELD(scheduler), .arg = "POLICY",
	 .help = "other, batch, idle, fifo:N or rr:N, alike for program and replayers (default unchanged)"},
	{.name = NULL},
};

#undef FIELD
#define FIELD(field) offsetof(struct target, field)

const struct option_spec target_keys[] = {
	{.name = "dir", .type = OPT_STRING, .offset = FIELD(dir), .arg = "DIR",
	 .help = "where the files are made, in a fresh directory that is removed at the end; relative to where the results "
		 "directory lies (default: inside the results directory)"},
	{.name = "cache", .type = OPT_CHOICE, .offset = FIELD(cache), .arg = "STATE", .choices = cache_state_names,
	 .help = "of the page cache before each run (default cold)"},
	{.name = "evict", .type = OPT_CHOICE, .offset = FIELD(evict), .arg = "HOW", .choices = evict_names,
	 .help = "fadvise: the files' pages only; drop: all caches of the machine, by root; auto: the latter only where the former "
		 "leaves pages (default auto)"},
	{.name = "cache-budget", .type = OPT_SIZE, .offset = FIELD(cache_budget_bytes), .arg = "SIZE",
	 .help = "page cache that a run may use, by a memory cgroup; 0: no limit (default 0)", .max = 1e15},
	{.name = "queue", .type = OPT_STRING, .offset = FIELD(queue), .arg = "SETTINGS",
	 .help = "of the device below, put back afterwards: \"none,nr_requests=64,nomerges=2\" (default unchanged)"},
	{.name = "precondition", .type = OPT_UINT, .offset = FIELD(precondition_passes), .arg = "N",
	 .help = "times the files are overwritten before the campaign begins (default 0)", .max = 100},
	{.name = NULL},
};

#undef FIELD
#define FIELD(field) offsetof(struct protocol, accept.field)

const struct option_spec accept_keys[] = {
	{.name = "bias", .type = OPT_RATIO, .offset = FIELD(bias), .arg = "RATIO",
	 .help = "largest relative bias, either way (default 10%)", .min = 1e-6, .max = 0.99},
	{.name = "precision-ratio", .type = OPT_DOUBLE, .offset = FIELD(precision_ratio), .arg = "X",
	 .help = "largest ratio of the replayer's standard deviation to the program's (default 2)", .min = 1, .max = 1e6},
	{.name = "uncertainty", .type = OPT_RATIO, .offset = FIELD(uncertainty), .arg = "RATIO",
	 .help = "largest expanded uncertainty U (default 20%)", .min = 1e-6, .max = 100},
	{.name = "reordered", .type = OPT_RATIO, .offset = FIELD(reordered), .arg = "RATIO",
	 .help = "largest share of Type-P-Reordered requests (default 1%)", .max = 1},
	{.name = "execution-time", .type = OPT_RATIO, .offset = FIELD(execution_time), .arg = "RATIO",
	 .help = "largest relative deviation of the execution time, either way (default 1%)", .min = 1e-6, .max = 0.99},
	{.name = "concurrency", .type = OPT_RATIO, .offset = FIELD(concurrency), .arg = "RATIO",
	 .help = "largest distance of the concurrency CDFs (default 0.10)", .min = 1e-6, .max = 1},
	{.name = "mismatches", .type = OPT_UINT, .offset = FIELD(n_mismatched), .arg = "N",
	 .help = "lost, extra and mismatched requests a run may have (default 0)"},
	{.name = "reorder-scope", .type = OPT_CHOICE, .offset = FIELD(reorder_scope), .arg = "SCOPE",
	 .choices = reorder_scope_names,
	 .help = "which sequences must not be reordered; auto: all where a total order is promised, else thread"},
	{.name = NULL},
};
