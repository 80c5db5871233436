/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A protocol file, read and resolved: what is measured, by which replayers, how often, and the
 * limits.
 *
 * The file is INI (inih), similar to a fio job file: [protocol], [target NAME], [workload NAME],
 * [replayer NAME], [accept], [compare], [claim NAME]. Lists of values make a grid: workloads become
 * scenarios, replayers become variants. The option tables are the grammar: the keys of [workload]
 * are options of microbench, those of [replayer] options of replay. */
#pragma once

#include "common/options.h"
#include "validate/components/list.h"
#include "validate/protocol/measure.h"

enum keep_traces { KEEP_NONE, KEEP_FAILED, KEEP_ALL };
enum on_failure { ON_FAILURE_CONTINUE, ON_FAILURE_STOP };
enum reference_kind { REFERENCE_RERUN, REFERENCE_TRACE };
/* Temporal pairing of the runs of a group (protocol/pairing.h): in slices if possible; in slices,
 * else an error; one run after another. */
enum pairing { PAIRING_AUTO, PAIRING_SLICES, PAIRING_RUNS };
/* How a process pauses between its slices. GATE: it pauses itself between two requests. SIGNAL:
 * SIGSTOP. AUTO: GATE for programs of this project, SIGNAL for others. */
enum pause_by { PAUSE_AUTO, PAUSE_GATE, PAUSE_SIGNAL };
/* Regression of ln(replay/program) on the CPU time used by other processes
 * (analysis/covariate.h). */
enum covariate_kind { COVARIATE_NONE, COVARIATE_OTHERS };
enum cache_state { CACHE_COLD, CACHE_WARM, CACHE_AS_IS };
/* How caches are made cold. FADVISE: posix_fadvise() on each file. DROP: drop_caches every time,
 * which evicts the page cache of the machine and takes 200 ms or more on a busy one. AUTO: fadvise,
 * and drop_caches if pages remain and the privilege exists. ALL: also dentries and inodes; with the
 * other methods, calls on names find those that the preparation of the files left in memory. */
enum evict_method { EVICT_AUTO, EVICT_FADVISE, EVICT_DROP, EVICT_ALL };
enum responsiveness { RESPONSIVENESS_AUTO, RESPONSIVENESS_YES, RESPONSIVENESS_NO };
/* The sequence of the reordering component. AUTO: ALL for replayers that promise a total order
 * (temporal, temporal-serial), THREAD for others, which may reorder between threads. */
enum reorder_scope { SCOPE_AUTO, SCOPE_ALL, SCOPE_THREAD, SCOPE_OBJECT };

/* Source of the times of a run's requests, the same for program and replayers (protocol_observe.c):
 * their own stamps; the preload library (metrics/observed.h); the device
 * (metrics/observed_device.h). AUTO is resolved by reading. */
enum observe { OBSERVE_AUTO, OBSERVE_OWN, OBSERVE_PRELOAD, OBSERVE_BLOCK };
enum observe_from { OBSERVE_FROM_DISPATCH, OBSERVE_FROM_QUEUE };

struct adapter;

/* One key of a section, passed to the program as --key=value. */
struct setting {
	char *key, *value;
};

struct selector { /* selects scenarios or replayers (protocol/selector.h) */
	struct setting *term; /* key "": the name of the section */
	size_t n_terms;
};

/* A published number, and the case here with which it is compared. */
struct published_value {
	char *source; /* "Table II" */
	enum measure measure;
	char *operation; /* NULL: all requests */
	struct selector scenario, replayer;
	/* in the measure's unit; uncertainty as a share of the value (a ratio); NaN: not
	 * published */
	double value, uncertainty;
};

enum claim_direction { CLAIM_LARGER, CLAIM_SMALLER, CLAIM_ALIKE };

/* A claim of the literature: a measure is larger (smaller, alike) here than there. */
struct claim {
	/* published: the numbers in words; NULL */
	char *name, *text, *source, *published;
	char *reproduce; /* commands that show it by hand; NULL none */
	char *measure_name;
	enum measure measure;
	char *operation;
	/* as in the file */
	char *scenario_text, *replayer_text, *than_scenario_text, *than_text, *margin_text;
	struct selector scenario, replayer;
	struct selector than_scenario; /* no terms: the same scenario */
	struct selector than;	       /* no terms: the same replayer, or `limit` */
	/* a number to compare with, in the measure's unit; NaN: compare with `than` */
	double limit;
	int direction;		       /* enum claim_direction */
	double margin;		       /* of CLAIM_ALIKE */
};

struct target {
	char *name;
	/* as in the file, relative to the parent of the results directory; NULL: a new one inside
	 * it */
	char *dir;
	uint64_t cache_budget_bytes; /* page-cache budget of the memory cgroup; 0: none */
	/* of the memory cgroup, equal for program and replayers; 0: none */
	uint64_t memory_limit_bytes;
	int cache;                   /* enum cache_state before each run */
	int evict;                   /* enum evict_method */
	/* device queue settings during the campaign: "none,nr_requests=64,nomerges=2"; NULL */
	char *queue;
	/* number of times the files are overwritten before the campaign */
	uint64_t precondition_passes;
	/* workloads below the file system need a device or a volume: */
	char *device; /* block device, or a file */
	/* service model (microbench/volume/service.h) of a volume that the campaign creates */
	char *volume;
	uint64_t size_bytes; /* of the volume */
	bool volume_file; /* requests go to the volume's file, without a loop device */
	bool destructive; /* the device may be overwritten */
	/* enum responsiveness: half of the blocks use a slower volume (protocol_slows) */
	int responsiveness;
};

#define SCENARIO_TRACE "trace" /* an existing trace, without a program */
/* a program captured by capture app; its script prepares and runs it */
#define SCENARIO_PROGRAM "program"
/* an application of several nodes, captured with the dependencies between them */
#define SCENARIO_PARALLEL "parallel"

/* Options of the capture of a parallel application (validate capture causality). */
struct scenario_parallel {
	bool is;
	/* 0: the script decides */
	uint64_t n_ranks;
	/* delay every Nth request of a delayed node; 0: found by halving */
	uint64_t period;
	uint64_t n_throttled; /* delayed nodes, drawn; 0: all */
	double error;	      /* ends the search for a period */
	const char *compute;  /* static text; NULL: default of capture */
	int64_t capture_timeout_ns; /* of all runs of one recording */
	/* index of the scenario whose recordings it uses: itself, or an earlier one with the same
	 * recording */
	size_t recording;
};

struct scenario {
	/* "random-read level=2 pause=10us": workload section and varying factors */
	char *name;
	char *workload;         /* section name */
	char *type;             /* row of the workload registry, or SCENARIO_PROGRAM */
	struct setting *option; /* [n_options], for microbench */
	size_t n_options;
	size_t target;  /* index */
	/* target of its recordings; `target` unless the protocol names another */
	size_t recorded_on;
	/* threads of a built-in workload, for linearity; 1 for captured programs */
	uint64_t level;
	size_t group;   /* scenarios that differ only in the level share a group */
	/* Script of a captured program (type program or parallel), relative to the protocol's
	 * directory; borrowed from the options; NULL: a workload of microbench. */
	const char *script;
	uint64_t size;	    /* argument of the script */
	/* file of type trace, relative to the protocol's directory; borrowed from the options; else
	 * NULL */
	const char *trace;
	struct scenario_parallel parallel;
	int observe, observe_from; /* enum observe, enum observe_from */
	const char *observe_why;   /* static text */
};

struct replayer {
	char *name; /* "event order=fs": section and varying factors; unique */
	char *section;
	/* row of the engine registry, or "program": the program in the replayer's place (A/A) */
	char *engine;
	struct setting *option; /* for replay */
	size_t n_options;
	/* it promises a total order (order temporal or temporal-serial) */
	bool total_order;
	bool timed;       /* timing timestamp or think: issue error is assessed */
	/* key `optional`: if it is missing, the others are judged without it */
	bool optional;
	/* key `control`: its bias is shown beside replayers that differ from a recording */
	bool control;
	/* key `comparison`: its verdicts are shown, and count neither in the headline nor in the
	 * exit status */
	bool comparison;
	/* why replayers_find() did not find it, so that it replays nothing; NULL: present, or not
	 * searched */
	char *absent;
	/* [n_scenarios]: it replays this scenario (key `workloads`); cells exist only for these */
	bool *applies;
	/* [n_scenarios]: its mutant, if any, acts there (key `mutant-workloads`) */
	bool *mutant_acts;
};

/* The deciding distribution of the number in flight: over time, over arriving requests, or both. */
enum concurrency_by { CONCURRENCY_BY_TIME, CONCURRENCY_BY_REQUEST, CONCURRENCY_BY_BOTH };

/* Comparison of U with its limit: the bias separately, or |bias| added to U. */
enum uncertainty_bias { UNCERTAINTY_BIAS_APART, UNCERTAINTY_BIAS_ADDED };

/* Ratios: 0.10 is 10 %. NaN (-1 in ns, UINT64_MAX in counts): no limit, only shown. 0 also means no
 * limit, except for reordered and n_mismatched, where it allows none. */
struct accept_limits {
#define LIMIT(KIND, row, name, limit, type, ...) limit_##type limit;
	COMPONENT_LIST(LIMIT) /* one per component, with the names of components/list.h */
#undef LIMIT
	int reorder_scope;
	double execution_time_timed; /* replaces execution_time for timed replays */
	/* coefficient of variation of the replays, if one recording is the reference of all */
	double repeatability;
	/* of the bias rule, in expanded uncertainties of the bias */
	double guard_band;
	int uncertainty_bias; /* enum uncertainty_bias */
	int concurrency_by;   /* enum concurrency_by */
};
/* Limits without [accept]. */
extern const struct accept_limits accept_defaults;
/* Limit of a component in its unit; NaN none. */
double accept_limit(const struct accept_limits *l, enum component_kind k);
double accept_limit_of(const struct accept_limits *l, enum component_kind k, bool timed);
/* [COMPONENT_N] names: "bias", "precision_ratio", "n_mismatched", ... */
extern const char *const accept_limit_names[];

/* Permitted changes between two versions of a replayer ([compare]). Ratios: 0.10 is 10 %; NaN
 * (UINT64_MAX in counts): only shown. */
struct compare_limits {
	/* two-sided changes of replay over program: means and quantiles of the response times,
	 * execution time, mean number in flight */
	double response_time, typical_response, tail, median, p90, p99, p999, execution_time,
	    in_flight;
	/* new over old, two-sided */
	double precision_ratio, uncertainty_ratio;
	/* change of a difference of distributions; of a share; of a distance of distributions */
	double shape, reordered, concurrency;
	/* change of the lost, extra and mismatched requests per run */
	uint64_t n_mismatched;
	/* members of the environment that must be equal: "kernel, machine.cpu_model"; NULL none */
	char *environment;
	/* replayers of this protocol to compare with each other; NULL none */
	char *old, *new;
};
extern const struct compare_limits compare_defaults;

struct protocol {
	/* title: from the file, or its name without .conf */
	char *path, *title;
	/* for certificates: who issues them and where; the certified standard behind the
	 * measurement; NULL: not stated */
	char *issuer, *place, *standard;
	/* name of the file without .conf, for directories */
	char *name;
	char *replicates;                            /* as in the file: "20", "10..60" */
	/* the text read instead of the file (protocol_read_with); NULL: the file's */
	char *text;
	/* "p99 within 10 %, IOPS within 2 %", or NULL: the verdict is about this claim alone */
	char *claimed;
	uint64_t n_replicates_min, n_replicates_max; /* equal: one look */
	/* [n_looks] replicate counts of the verdicts, ascending; the last is the maximum */
	unsigned int look[8], n_looks;
	/* permits fewer replicates than acceptance needs, for descriptions */
	bool allow_undecidable;
	/* time of the whole campaign; 0: none. With a budget, replicates are the fewest and most
	 * pairs of a scenario */
	int64_t budget_ns;
	uint64_t n_bank;               /* reference traces per scenario; 0: one per block */
	uint64_t seed;
	int64_t min_duration_ns; /* 0: request counts are fixed */
	int64_t timeout_ns;      /* of one run */
	/* fixed time from the eviction of caches to the start of the run */
	int64_t settle_ns;
	int keep, on_failure, reference;
	int covariate; /* enum covariate_kind */
	int pairing, pause; /* enum pairing, enum pause_by */
	int64_t slice_ns;   /* length of a slice */
	/* number of groups of consecutive blocks, for repeatability and reproducibility; 0: one per
	 * start or resume of the campaign */
	uint64_t n_sessions;
	/* NULL: chosen, if possible on another device than the target */
	char *scratch;
	char *cpus;      /* "0,1" or NULL */
	char *scheduler; /* "other", "fifo:10", "rr:10", "batch" or NULL */
	struct target *target;
	struct scenario *scenario;
	struct replayer *replayer;
	size_t n_targets, n_scenarios, n_replayers;
	char *published_file;		   /* NAME.csv beside the protocol file; NULL none */
	struct published_value *published; /* in the order of the file */
	size_t n_published;
	struct claim *claim; /* [claim NAME] */
	size_t n_claims;
	struct accept_limits accept;
	struct compare_limits compare;
};

extern const char *const keep_names[],
    *const on_failure_names[],
	*const reference_names[],
	    *const covariate_names[],
		*const cache_state_names[],
		    *const evict_names[],
			*const responsiveness_names[],
			    *const reorder_scope_names[],
				*const uncertainty_bias_names[],
				    *const concurrency_by_names[],
					*const claim_direction_names[],
					    *const observe_names[],
						*const observe_from_names[],
						    *const pairing_names[],
							*const
							    pause_by_names[]; /* by enum,
										 NULL-terminated */

/* Keys of the sections that are not options of a program, for the reader and the manual. The
 * offsets of [protocol], [accept] and [compare] are in struct protocol, those of [target] in struct
 * target, of [claim] in struct claim. */
extern const struct option_spec protocol_keys[], target_keys[], accept_keys[], compare_keys[],
    claim_keys[];

/* Reads and checks PATH, and the file of published values that it names. Starts and changes
 * nothing. Errors: EINVAL with "path:line: reason" and the nearest valid key or value; of the
 * system, with the path. Ownership: protocol_release(). */
int protocol_read(struct protocol *p, const char *path, struct err *e);

/* Changes of a protocol by the command line; NULL: none. */
struct protocol_given {
	const char *replicates, *budget; /* values of these keys of [protocol] */
	const char *claim;		 /* its key `claim`; [accept] and [compare] are left out */
	/* names of the sections [replayer NAME] that remain; NULL-terminated */
	const char *const *replayers;
	const char *sections; /* text added at the end */
};

/* As protocol_read(), with changes of the text. Errors: as for the file itself, then for the
 * changed text, whose line numbers may differ. */
int protocol_read_with(struct protocol *p, const char *path, const struct protocol_given *g,
		       struct err *e);
/* Changes the text of a protocol. */
void protocol_text_change(struct strbuf *text, const struct protocol_given *g);
/* Whether the text has a section [kind name]. */
bool protocol_text_has(const char *text, const char *kind, const char *name);
void protocol_release(struct protocol *p);

/* Largest number of cases (a replayer in a scenario) with all details. A larger campaign, or one
 * with so many runs, would take minutes and gigabytes to report. It omits the courses over the time
 * of a run (metrics/pace.h) and the propagation of distributions, unless a claim or a published
 * value needs the course. */
#define PROTOCOL_DETAIL_CASES 256
bool protocol_in_detail(const struct protocol *p);

/* True if half of the blocks slow this target's volume by SLOW_FACTOR, so that the response of a
 * replay to its storage can be judged. Default (auto): yes if nothing else changes, that is for
 * built-in workloads without an arrival rate, replays at full speed, at least 6 replicates, no
 * claims, no key `claim` and no published values. */
#define SLOW_FACTOR 1.5
bool protocol_slows(const struct protocol *p, size_t target);

/* Path of the file of published values, which must be named. The caller frees. */
char *published_path(const struct protocol *p);

/* True if its requests go to a device rather than to files. A parallel application uses files of a
 * file system on the device. */
bool scenario_is_below(const struct protocol *p, const struct scenario *s);
/* The scenario whose recordings scenario i replays: i, unless it shares those of a parallel
 * application. */
size_t scenario_recording(const struct protocol *p, size_t i);
/* True for the same parallel application, wherever and however it was recorded or runs. */
bool scenario_same_application(const struct scenario *a, const struct scenario *b);

/* Path of the script of a scenario. The caller frees. */
char *scenario_script_path(const struct protocol *p, const struct scenario *s);

/* Path of the trace of a scenario. The caller frees. */
char *scenario_trace_path(const struct protocol *p, const struct scenario *s);

/* Number of blocks, 0 included; of traces in the bank; of all planned runs. */
uint64_t protocol_n_blocks(const struct protocol *p);
uint64_t protocol_n_bank(const struct protocol *p);
uint64_t protocol_n_runs(const struct protocol *p);

/* Prints the protocol with expanded grids as a protocol file: one section per scenario and per
 * replayer variant. */
void protocol_print_resolved(const struct protocol *p, struct strbuf *out);

/* True for engine parallel with mode causal: it replays parallel applications with the dependencies
 * of their nodes. */
bool replayer_is_causal(const struct replayer *r);

/* Adapter of another project's replayer; NULL for engines of this program and for the program. */
const struct adapter *replayer_adapter(const struct replayer *r);
bool replayer_is_of_nodes(const struct replayer *r); /* engine parallel */
/* Value of a key of its section; NULL: not set. */
const char *replayer_option(const struct replayer *r, const char *key);
/* Value of the setting option[n] with this key; NULL: not set. */
const char *setting_find(const struct setting *option, size_t n, const char *key);
/* True if option i is in force in a scenario: a mutant may act in some scenarios only. */
bool replayer_option_acts(const struct replayer *r, size_t i, size_t scenario);

/* Looks for the programs of other projects' replayers. A missing replayer that is optional replays
 * nothing from then on. Errors: ENOENT naming a missing one that is not; EINVAL if a workload has
 * no replayer left. */
int replayers_find(struct protocol *p, struct err *e);
/* Removes replayer i with the reason `why`, found at the start of the campaign. */
void replayer_leave_out(struct protocol *p, size_t i, const char *why);

/* Finds the replayer of this name, or the only variant of the section of this name. Errors: ENOENT
 * with the existing names. */
int protocol_replayer_find(const struct protocol *p, const char *name, size_t *index,
			   struct err *e);

/* Settings of a scenario or replayer as a configuration of the program. Strings are borrowed from
 * the scenario or replayer. */
struct microbench_config;
struct replay_config;
int scenario_config(const struct scenario *s, struct microbench_config *c, struct err *e);
int replayer_config(const struct replayer *r, struct replay_config *c, struct err *e);
