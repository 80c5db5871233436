/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A protocol file, read and resolved: what is measured, by which replayers, how often, and what is
 * good enough.
 *
 * The file is INI (inih), read like a fio job file: [protocol], [target NAME], [workload NAME],
 * [replayer NAME], [accept], [compare], [claim NAME]. Values that are lists make a grid: workloads
 * become scenarios, replayers become variants. Every key of [workload] is an option of microbench,
 * every key of [replayer] one of replay, so the option tables are the grammar. Source: DESIGN
 * sections 9 and 10. */
#ifndef VALIDATE_PROTOCOL_H
#define VALIDATE_PROTOCOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"
#include "common/options.h"
#include "common/strbuf.h"
#include "validate/components/list.h"
#include "validate/protocol/measure.h"

enum keep_traces { KEEP_NONE, KEEP_FAILED, KEEP_ALL };
enum on_failure { ON_FAILURE_CONTINUE, ON_FAILURE_STOP };
enum reference_kind { REFERENCE_RERUN, REFERENCE_TRACE };
/* How the runs of a group are brought together in time (protocol/pairing.h): in slices where that
 * is possible; in slices, or it is an error; one after another. */
enum pairing { PAIRING_AUTO, PAIRING_SLICES, PAIRING_RUNS };
/* How a process is paused between its slices: between its requests, by itself; by SIGSTOP; our
 * programs by the former, others by the latter. */
enum pause_by { PAUSE_AUTO, PAUSE_GATE, PAUSE_SIGNAL };
/* Whether ln(replay/program) is regressed on the processor time that others used
 * (analysis/covariate.h). */
enum covariate_kind { COVARIATE_NONE, COVARIATE_OTHERS };
enum cache_state { CACHE_COLD, CACHE_WARM, CACHE_AS_IS };
/* How cold is made: posix_fadvise on each file, and drop_caches where pages stay and the privilege
 * is there; only the former; or drop_caches every time (the machine's page cache: on a busy machine
 * that alone takes 200 ms and more), and with EVICT_ALL dentries and inodes, too: with the other
 * methods calls on names find what preparing the files left in memory.
 */
enum evict_method { EVICT_AUTO, EVICT_FADVISE, EVICT_DROP, EVICT_ALL };
enum responsiveness { RESPONSIVENESS_AUTO, RESPONSIVENESS_YES, RESPONSIVENESS_NO };
/* Which sequence decides the reordering component (REORDER section 1): `auto` is `all` for
 * replayers that promise a total order (temporal, temporal-serial) and `thread` for the others, for
 * whom the freedom between threads is legitimate. */
enum reorder_scope { SCOPE_AUTO, SCOPE_ALL, SCOPE_THREAD, SCOPE_OBJECT };

/* Whose times are those of a run's requests, alike for the program and every replayer
 * (protocol_observe.c): their own stamps; the preloaded library's (metrics/observed.h); the
 * device's (metrics/observed_device.h). Protocols that were read have no AUTO. */
enum observe { OBSERVE_AUTO, OBSERVE_OWN, OBSERVE_PRELOAD, OBSERVE_BLOCK };
enum observe_from { OBSERVE_FROM_DISPATCH, OBSERVE_FROM_QUEUE };

struct adapter;

struct setting { /* one key of a section, as it will be handed to the program: --key=value */
	char *key, *value;
};

struct selector { /* which scenarios or replayers (protocol/selector.h) */
	struct setting *term; /* key "" is the section's name */
	size_t n_terms;
};

/* A number that somebody published, and the case here that it is put beside. */
struct published_value {
	char *source; /* "Table II" */
	enum measure measure;
	char *operation; /* NULL: all requests */
	struct selector scenario, replayer;
	/* in the measure's unit, and as a share of the value (a ratio): NaN where none was
	 * published */
	double value, uncertainty;
};

enum claim_direction { CLAIM_LARGER, CLAIM_SMALLER, CLAIM_ALIKE };

/* A finding of the literature: a measure is larger (smaller, alike) here than there. */
struct claim {
	char *name, *text, *source, *published; /* published: the numbers in words; NULL */
	char *reproduce; /* commands that show it by hand; NULL none */
	char *measure_name;
	enum measure measure;
	char *operation;
	/* as given */
	char *scenario_text, *replayer_text, *than_scenario_text, *than_text, *margin_text;
	struct selector scenario, replayer;
	struct selector than_scenario; /* no terms: the same scenario */
	struct selector than;	       /* no terms: the same replayer, or `limit` */
	/* a number to compare with, in the measure's unit; NaN: than */
	double limit;
	int direction;		       /* enum claim_direction */
	double margin;		       /* of CLAIM_ALIKE */
};

struct target {
	char *name;
	/* as given, relative to the results directory's parent; NULL: a fresh one inside it */
	char *dir;
	uint64_t cache_budget_bytes; /* page-cache budget of the memory cgroup; 0: none */
	/* of the memory cgroup, the same for program and replayers; 0: none */
	uint64_t memory_limit_bytes;
	int cache;                   /* enum cache_state before each run */
	int evict;                   /* enum evict_method */
	char *queue; /* "none,nr_requests=64,nomerges=2": device queue settings for the campaign,
			put back after; NULL */
	/* times the files are overwritten before the campaign begins */
	uint64_t precondition_passes;
	/* of workloads below the file system, which need one of these two: */
	char *device; /* a block device, or a file */
	/* a service model (microbench/volume/service.h): the campaign makes a volume for itself */
	char *volume;
	uint64_t size_bytes; /* of the volume */
	bool destructive; /* the device may be overwritten */
	/* enum responsiveness: half of the blocks find the volume slower (protocol_slows) */
	int responsiveness;
};

#define SCENARIO_TRACE "trace" /* a trace that there is; nothing is run again */
/* captured by capture app; its script makes what it needs, and runs it */
#define SCENARIO_PROGRAM "program"
/* likewise, an application of several nodes, captured with what makes them wait */
#define SCENARIO_PARALLEL "parallel"

/* How a parallel application is captured (validate capture causality). */
struct scenario_parallel {
	bool is;
	uint64_t n_ranks;     /* 0: as many as its script starts by itself */
	/* each so many-th request of a delayed node is held back; 0: to be found, by halving */
	uint64_t period;
	uint64_t n_throttled; /* nodes that are delayed, drawn; 0: all */
	double error;	      /* that ends the search for a period */
	const char *compute;  /* static text; NULL: as capture chooses */
	int64_t capture_timeout_ns; /* of all runs of a recording together */
	/* index of the scenario whose recordings it is given: itself, or one before it that is
	 * recorded in the same way */
	size_t recording;
};

struct scenario {
	/* "random-read level=2 pause=10us": workload section and the factors that vary */
	char *name;
	char *workload;         /* section name */
	char *type;             /* row of the workload registry, or SCENARIO_PROGRAM */
	struct setting *option; /* option[n_options], for microbench */
	size_t n_options;
	size_t target;  /* index */
	/* of the target that its recordings are made on; target, but where that says otherwise */
	size_t recorded_on;
	/* threads of a built-in workload, for linearity; 1 of what is captured, however many it has
	 */
	uint64_t level;
	size_t group;   /* scenarios equal but for the level share a group */
	const char *script; /* of a program that is captured (type program or parallel), relative to
			       the protocol's directory; borrowed from the options; NULL: a workload
			       of microbench */
	uint64_t size;	    /* handed to the script */
	/* of type trace: its file, relative to the protocol's directory; borrowed from the options;
	 * else NULL */
	const char *trace;
	struct scenario_parallel parallel;
	int observe, observe_from; /* enum observe, enum observe_from */
	const char *observe_why;   /* static text */
};

struct replayer {
	char *name; /* "event order=fs": section and the factors that vary; unique */
	char *section;
	/* row of the engine registry, or "program": the program itself in the replayer's place
	 * (A/A) */
	char *engine;
	struct setting *option; /* for replay */
	size_t n_options;
	bool total_order; /* it promises one (order temporal or temporal-serial) */
	bool timed;       /* timing timestamp or think: issue error is assessed */
	bool optional;	  /* key `optional`: where it is not found, the others are judged */
	bool control; /* key `control`: its bias is shown beside that of replayers that differ from
			 a recording */
	/* why it is not found on this machine, where that was asked (replayers_find): it replays
	 * nothing; NULL there */
	char *absent;
	bool *applies; /* applies[n_scenarios]: it replays this scenario; cells exist only where
			  this holds (key `workloads`) */
	/* mutant_acts[n_scenarios]: its mutant, if any, acts there (key `mutant-workloads`) */
	bool *mutant_acts;
};

/* Which distribution of the number in flight decides: over time, over the requests that found it,
 * or both. */
enum concurrency_by { CONCURRENCY_BY_TIME, CONCURRENCY_BY_REQUEST, CONCURRENCY_BY_BOTH };

/* How U is compared with its limit: the bias is a component of its own, or |bias| is added to U. */
enum uncertainty_bias { UNCERTAINTY_BIAS_APART, UNCERTAINTY_BIAS_ADDED };

/* Ratios: 0.10 is 10 %. A limit of "none" is NaN (-1 of ns, UINT64_MAX of counts): what it would
 * judge is shown only. So is one of 0, but for reordered and n_mismatched, of which none at all may
 * be allowed. */
struct accept_limits {
#define LIMIT(KIND, row, name, limit, type, ...) limit_##type limit;
	COMPONENT_LIST(LIMIT) /* one for each component, by the names of components/list.h */
#undef LIMIT
	int reorder_scope;
	double execution_time_timed; /* instead of execution_time, for timed replays */
	/* coefficient of variation of the replays, where one recording is the reference of all */
	double repeatability;
	/* of the bias rule, in units of the expanded uncertainty of the bias */
	double guard_band;
	int uncertainty_bias; /* enum uncertainty_bias */
	int concurrency_by;   /* enum concurrency_by */
};
/* What holds where [accept] says nothing. */
extern const struct accept_limits accept_defaults;
/* A component's limit in its unit; NaN none. The second: for a replayer that is timed, or not. */
double accept_limit(const struct accept_limits *l, enum component_kind k);
double accept_limit_of(const struct accept_limits *l, enum component_kind k, bool timed);
/* [COMPONENT_N]: "bias", "precision_ratio", "n_mismatched", ... */
extern const char *const accept_limit_names[];

/* How much may change between two versions of a replayer before it matters ([compare]). Ratios:
 * 0.10 is 10 %; NaN (UINT64_MAX of counts): shown, not judged. */
struct compare_limits {
	/* change of replay over program, either way: means and quantiles of the response times,
	 * execution time, mean number in flight */
	double response_time, typical_response, tail, median, p90, p99, p999, execution_time,
	    in_flight;
	double precision_ratio, uncertainty_ratio; /* new over old, either way */
	/* change of a difference of distributions; of a share; of a distance of distributions */
	double shape, reordered, concurrency;
	/* change of the lost, extra and mismatched requests of a run */
	uint64_t n_mismatched;
	/* list of what must be the same of the environment: "kernel, machine.cpu_model"; NULL none
	 */
	char *environment;
	/* names of replayers of this protocol that are compared within it; NULL none */
	char *old, *new;
};
extern const struct compare_limits compare_defaults;

struct protocol {
	/* title: as given, or the file's name without .conf */
	char *path, *title;
	/* the file's name without .conf: for directories */
	char *name;
	char *replicates;                            /* as given: "20", "10..60" */
	bool replicates_given;                       /* by protocol_read_with(), not by the file */
	uint64_t n_replicates_min, n_replicates_max; /* equal: one look */
	/* replicate counts at which verdicts are made, ascending; last = max */
	unsigned int look[8], n_looks;
	/* fewer replicates than any acceptance needs: for protocols that describe */
	bool allow_undecidable;
	/* time of the whole campaign; 0: none. With one, replicates are the least and the most of a
	 * scenario */
	int64_t budget_ns;
	uint64_t n_bank;               /* reference traces per scenario; 0: one per block */
	uint64_t seed;
	int64_t min_duration_ns; /* 0: request counts are taken as they are */
	int64_t timeout_ns;      /* of one run */
	/* from the eviction of caches to the start of the run, always the same */
	int64_t settle_ns;
	int keep, on_failure, reference;
	int covariate; /* enum covariate_kind */
	int pairing, pause; /* enum pairing, enum pause_by */
	int64_t slice_ns;   /* length of a slice */
	uint64_t n_sessions; /* consecutive blocks make so many groups, for repeatability and
				reproducibility; 0: the times that  the campaign was started or
				resumed */
	char *scratch;   /* NULL: chosen (a device other than the target's, where there is one) */
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

/* The keys of the sections that are not options of a program, for the reader and for the manual.
 * [protocol], [accept] and [compare] are fields of struct protocol (offsets from its start),
 * [target] of struct target, [claim] of struct claim; observe_keys, those of [workload], of struct
 * scenario. */
extern const struct option_spec protocol_keys[], target_keys[], accept_keys[], compare_keys[],
    claim_keys[], observe_keys[];
/* Keys of [workload] with type = parallel. */
extern const struct option_spec parallel_options[];

/* Reads and checks PATH, and the file of published values that it names. Errors: EINVAL with
 * "path:line: what is wrong" and the nearest valid key or value; system errors with the path.
 * Nothing is started or touched. Ownership: protocol_release. */
int protocol_read(struct protocol *p, const char *path, struct err *e);

/* As protocol_read, with `replicates` ("20", "10..60") instead of the key of the file; NULL: the
 * key. */
int protocol_read_with(struct protocol *p, const char *path, const char *replicates, struct err *e);
void protocol_release(struct protocol *p);

/* Cases, a replayer in a scenario, up to which everything is kept and shown of each; of more, or a
 * campaign with so many runs would take minutes and gigabytes to report on, the courses over the
 * time of a run (metrics/pace.h) and the propagation of distributions are left out, unless a
 * finding or a published value is about the course. */
#define PROTOCOL_DETAIL_CASES 256
bool protocol_in_detail(const struct protocol *p);

/* Whether half of the blocks find this target's volume SLOW_FACTOR times as slow, so that the
 * response of a replay to its storage can be judged. By default (auto) where that changes nothing
 * else: built-in workloads without a rate of arrivals, replays at full speed, at least 6
 * replicates, no findings and no published values. */
#define SLOW_FACTOR 1.5
bool protocol_slows(const struct protocol *p, size_t target);

/* Where the file of published values lies, which must be named; the caller frees. */
char *published_path(const struct protocol *p);

/* Whether it is about requests on a device, and not about calls on files: those of a parallel
 * application are on the files of a file system on it. */
bool scenario_is_below(const struct protocol *p, const struct scenario *s);
/* The scenario whose recordings the replays of scenario i are given: i, but where it shares those
 * of a parallel application. */
size_t scenario_recording(const struct protocol *p, size_t i);
/* Both are the same parallel application, however and wherever it was recorded or runs. */
bool scenario_same_application(const struct scenario *a, const struct scenario *b);

/* The script of a scenario, where it lies; the caller frees. */
char *scenario_script_path(const struct protocol *p, const struct scenario *s);

/* The file of a scenario that is a trace; the caller frees. */
char *scenario_trace_path(const struct protocol *p, const struct scenario *s);

/* Blocks 0..n that may be run, the bank's size in traces, and all planned runs. */
uint64_t protocol_n_blocks(const struct protocol *p);
uint64_t protocol_n_bank(const struct protocol *p);
uint64_t protocol_n_runs(const struct protocol *p);

/* The protocol with its grids expanded, as a protocol file again: one scenario and one replayer
 * variant a section. */
void protocol_print_resolved(const struct protocol *p, struct strbuf *out);

/* It replays parallel applications as their nodes wait for each other: engine parallel, mode
 * causal. */
bool replayer_is_causal(const struct replayer *r);

/* How somebody else's replayer is run; NULL for ours and for the program. */
const struct adapter *replayer_adapter(const struct replayer *r);
bool replayer_is_of_nodes(const struct replayer *r); /* its engine replays parallel applications */
/* The value of a key of its section; NULL: it is not there. */
const char *replayer_option(const struct replayer *r, const char *key);
/* Whether option i is in force in a scenario: a mutant may act in some only. */
bool replayer_option_acts(const struct replayer *r, size_t i, size_t scenario);

/* Looks for the programs of others' replayers; those that are optional and not found replay nothing
 * from then on. Errors: ENOENT for one that is not, naming it; EINVAL where none is left for a
 * workload. */
int replayers_find(struct protocol *p, struct err *e);
/* The same from what a campaign found at its start: takes replayer i out, with why. */
void replayer_leave_out(struct protocol *p, size_t i, const char *why);

/* The replayer of that name, or the only variant of the section of that name. Errors: ENOENT naming
 * those there are. */
int protocol_replayer_find(const struct protocol *p, const char *name, size_t *index,
			   struct err *e);

/* A scenario's or a replayer's settings as the program would have them; strings are borrowed from
 * the scenario or replayer. */
struct microbench_config;
struct replay_config;
int scenario_config(const struct scenario *s, struct microbench_config *c, struct err *e);
int replayer_config(const struct replayer *r, struct replay_config *c, struct err *e);

#endif
