/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A protocol file, read and resolved: what is measured, by which replayers, how often, and with
 * which limits.
 *
 * The file is INI (inih), similar to a fio job file: [protocol], [target NAME], [workload NAME],
 * [replayer NAME], [accept], [compare], [claim NAME]. Lists of values make a grid: workloads become
 * scenarios, replayers become variants. The option tables are the grammar: the keys of [workload]
 * are options of microbench, those of [replayer] options of replay. */
#pragma once

#include "common/options.h"
#include "validate/protocol/component_list.h"
#include "validate/protocol/measure.h"

enum keep_traces { KEEP_NONE, KEEP_FAILED, KEEP_ALL };
enum on_failure { ON_FAILURE_CONTINUE, ON_FAILURE_STOP };
enum reference_kind { REFERENCE_RERUN, REFERENCE_TRACE };
/* Temporal pairing of the runs of a group (protocol/pairing.h). AUTO: in slices if possible.
 * SLICES: in slices; an error if that is impossible. RUNS: one run after another. */
enum pairing { PAIRING_AUTO, PAIRING_SLICES, PAIRING_RUNS };
/* How a process pauses between its slices. GATE: it pauses itself between two requests. SIGNAL:
 * SIGSTOP. AUTO: GATE for programs of this project, SIGNAL for others. */
enum pause_by { PAUSE_AUTO, PAUSE_GATE, PAUSE_SIGNAL };
/* Regression of ln(replay/program) on the CPU time that other processes used
 * (evidence/covariate.h). */
enum covariate_kind { COVARIATE_NONE, COVARIATE_OTHERS };
enum cache_state { CACHE_COLD, CACHE_WARM, CACHE_AS_IS };
/* How caches are made cold. FADVISE: posix_fadvise() on each file. DROP: drop_caches every time,
 * which evicts the page cache of the machine and takes 200 ms or more on a busy machine. AUTO:
 * fadvise, and drop_caches if pages remain and the privilege exists. ALL: also evicts dentries and
 * inodes; with the other methods, these remain in memory from the preparation of the files. */
enum evict_method { EVICT_AUTO, EVICT_FADVISE, EVICT_DROP, EVICT_ALL };
enum responsiveness { RESPONSIVENESS_AUTO, RESPONSIVENESS_YES, RESPONSIVENESS_NO };
/* The sequence of the reordering component. AUTO: ALL for replayers that promise a total order
 * (temporal, temporal-serial), THREAD for other replayers, which may reorder between threads. */
enum reorder_scope { REORDER_AUTO, REORDER_ALL, REORDER_THREAD, REORDER_OBJECT };

/* Source of the times of a run's requests, the same for program and replayers (protocol_observe.c).
 * OWN: their own stamps. PRELOAD: the preload library (metrics/observed.h). BLOCK: the device
 * (metrics/observed_device.h). AUTO is resolved when the protocol is read. */
enum observe { OBSERVE_AUTO, OBSERVE_OWN, OBSERVE_PRELOAD, OBSERVE_BLOCK };
enum observe_why { /* reason of the choice */
	OBSERVE_UNRESOLVED,
	OBSERVE_SET,	  /* by the protocol */
	OBSERVE_RANKS,	  /* nodes of a parallel application are stamped around their calls */
	OBSERVE_CAPTURED, /* the program is captured there */
	OBSERVE_FOREIGN,  /* a replayer does not take stamps as the program does */
	OBSERVE_ALIKE,	  /* all take stamps in the same way */
};
enum observe_from { OBSERVE_FROM_DISPATCH, OBSERVE_FROM_QUEUE };

struct adapter;

/* A key of a section, passed to the program as --key=value. */
struct setting {
	char *key, *value;
};

struct selector { /* selects scenarios or replayers (protocol/selector.h) */
	struct setting *term; /* key "": the name of the section */
	size_t n_terms;
};

/* A published number, and the case of this campaign with which it is compared. */
struct published_value {
	char *source; /* "Table II" */
	enum measure measure;
	char *operation; /* NULL: all requests */
	struct selector scenario, replayer;
	/* the value is in the measure's unit; uncertainty is a share of the value (a ratio); NaN:
	 * not published */
	double value, uncertainty;
};

enum claim_direction { CLAIM_LARGER, CLAIM_SMALLER, CLAIM_ALIKE };

/* A claim of the literature: a measure in the cases of one selector is larger than, smaller than,
 * or like that in other cases. */
struct claim {
	/* published: the published numbers in words; NULL */
	char *name, *text, *source, *published;
	char *reproduce; /* commands that show the claim by hand; NULL none */
	char *measure_name;
	enum measure measure;
	char *operation;
	/* as in the file */
	char *scenario_text, *replayer_text, *than_scenario_text, *than_text, *margin_text;
	struct selector scenario, replayer;
	struct selector than_scenario; /* no terms: the same scenario */
	struct selector than;	       /* without terms: the same replayer, or `limit` */
	/* a number to compare with, in the measure's unit; NaN: compare with `than` */
	double limit;
	int direction;		       /* enum claim_direction */
	double margin;		       /* of CLAIM_ALIKE */
};

struct target {
	char *name;
	/* path as in the file, relative to the parent of the results directory; NULL: a new
	 * directory inside it */
	char *dir;
	uint64_t cache_budget_bytes; /* page-cache budget of the memory cgroup; 0: none */
	/* limit of the memory cgroup, equal for program and replayers; 0: none */
	uint64_t memory_limit_bytes;
	int cache;                   /* enum cache_state before each run */
	int evict;                   /* enum evict_method */
	/* settings of the device's queue during the campaign: "none,nr_requests=64,nomerges=2";
	 * NULL */
	char *queue;
	/* how often the files are overwritten before the campaign */
	uint64_t precondition_passes;
	/* for workloads below the file system, which need a device or a volume */
	char *device; /* block device, or a file */
	/* service model (microbench/volume/service.h) of the volume that the campaign creates */
	char *volume;
	uint64_t size_bytes; /* of the volume */
	bool volume_file; /* requests go to the volume's file, without a loop device */
	bool destructive; /* the device may be overwritten */
	/* enum responsiveness: in half of the blocks the volume is slower (protocol_slows) */
	int responsiveness;
};

#define SCENARIO_TRACE "trace" /* an existing trace, without a program */
/* a program that capture app captures; its script prepares and runs it */
#define SCENARIO_PROGRAM "program"
/* an application with several nodes, which is captured with the dependencies between them */
#define SCENARIO_PARALLEL "parallel"

/* Options of the capture of a parallel application (validate capture causality). */
struct scenario_parallel {
	bool is;
	/* 0: the script decides */
	uint64_t n_ranks;
	/* delay every Nth request of a delayed node; 0: the period is searched by halving */
	uint64_t period;
	uint64_t n_throttled; /* delayed nodes, drawn; 0: all */
	double error;	      /* ends the search for a period */
	const char *compute;  /* static text; NULL: the default of capture */
	int64_t capture_timeout_ns; /* of all runs of one recording */
	/* index of the scenario whose recordings it uses: itself, or an earlier scenario with the
	 * same recording */
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
	/* target of its recordings; equals `target` unless the protocol names another target */
	size_t recorded_on;
	/* number of threads of a built-in workload, for linearity; 1 for captured programs */
	uint64_t level;
	size_t group;   /* scenarios that differ only in the level share a group */
	/* Script of a captured program (type program or parallel), relative to the protocol's
	 * directory; borrowed from the options; NULL: the scenario is a workload of microbench. */
	const char *script;
	uint64_t size;	    /* argument of the script */
	/* file of type trace, relative to the protocol's directory; borrowed from the options;
	 * otherwise NULL */
	const char *trace;
	struct scenario_parallel parallel;
	int observe, observe_from; /* enum observe, enum observe_from */
	enum observe_why observe_why;
};

struct replayer {
	char *name; /* "event order=fs": section and varying factors; unique */
	char *section;
	/* row of the engine registry, or "program": the program runs in place of the replayer
	 * (A/A) */
	char *engine;
	struct setting *option; /* for replay */
	size_t n_options;
	/* the replayer promises a total order (order temporal or temporal-serial) */
	bool total_order;
	bool timed;       /* timing timestamp or think: issue error is assessed */
	/* key `optional`: if the replayer is missing, the others are judged without it */
	bool optional;
	/* key `control`: its bias is shown beside that of replayers that differ from a recording */
	bool control;
	/* key `comparison`: its verdicts are shown, but count neither in the headline nor in the
	 * exit status */
	bool comparison;
	/* why replayers_find() did not find it; in this case it replays nothing. NULL: present, or
	 * not searched */
	char *absent;
	/* [n_scenarios]: the replayer replays this scenario (key `workloads`); only then is there a
	 * cell */
	bool *applies;
	/* [n_scenarios]: the mutant, if there is one, acts in this scenario (key
	 * `mutant-workloads`) */
	bool *mutant_acts;
};

/* Which distribution of the number in flight decides: over time, over arriving requests, or
 * both. */
enum concurrency_by { CONCURRENCY_BY_TIME, CONCURRENCY_BY_REQUEST, CONCURRENCY_BY_BOTH };

/* How U is compared with its limit. APART: the bias is judged separately. ADDED: |bias| is added to
 * U. */
enum uncertainty_bias { UNCERTAINTY_BIAS_APART, UNCERTAINTY_BIAS_ADDED };

/* Ratios: 0.10 is 10 %. NaN (-1 in ns, UINT64_MAX in counts): no limit, the quantity is only shown.
 * 0 also means no limit, except for reordered and n_mismatched, where it permits none. */
struct accept_limits {
#define LIMIT(KIND, row, name, limit, type, ...) limit_##type limit;
	COMPONENT_LIST(LIMIT) /* one for each component, named as in component_list.h */
#undef LIMIT
	int reorder_scope;
	double execution_time_timed; /* replaces execution_time for timed replays */
	/* coefficient of variation of the replays, if one recording is the reference of all
	 * replays */
	double repeatability;
	/* guard band for the bias, in expanded uncertainties of the bias */
	double guard_band;
	int uncertainty_bias; /* enum uncertainty_bias */
	int concurrency_by;   /* enum concurrency_by */
};
/* Limits without [accept]. */
extern const struct accept_limits accept_defaults;
/* Returns the limit of a component in its unit; NaN none. */
double accept_limit(const struct accept_limits *l, enum component_kind k);
double accept_limit_of(const struct accept_limits *l, enum component_kind k, bool timed);
/* [COMPONENT_N] names: "bias", "precision_ratio", "n_mismatched", ... */
extern const char *const accept_limit_names[];

/* Permitted changes between two versions of a replayer ([compare]). Ratios: 0.10 is 10 %; NaN
 * (UINT64_MAX in counts): the change is only shown. */
struct compare_limits {
	/* two-sided changes of replay over program: means and quantiles of the response times,
	 * execution time, mean number in flight */
	double response_time, typical_response, tail, median, p90, p99, p999, execution_time,
	    in_flight;
	/* new over old, two-sided */
	double precision_ratio, uncertainty_ratio;
	/* change of a difference of distributions; of a share; of a distance of distributions */
	double shape, reordered, concurrency;
	/* change of the number of lost, extra and mismatched requests per run */
	uint64_t n_mismatched;
	/* members of the environment that must be equal: "kernel, machine.cpu_model"; NULL none */
	char *environment;
	/* replayers of this protocol that are compared with each other; NULL none */
	char *old, *new;
};
extern const struct compare_limits compare_defaults;

#define PROTOCOL_LOOKS_MAX 8
struct protocol {
	/* title: from the file, or the file's name without .conf */
	char *path, *title;
	/* for certificates: the issuer and the place; the certified standard with which the
	 * measurement was compared; NULL: not stated */
	char *issuer, *place, *standard;
	/* name of the file without .conf, for the names of directories */
	char *name;
	char *replicates;                            /* as in the file: "20", "10..60" */
	/* the text that was read instead of the file (protocol_read_with); NULL: the file's text */
	char *text;
	/* "p99 within 10 %, IOPS within 2 %": the verdict is only about this claim; NULL none */
	char *claimed;
	uint64_t n_replicates_min, n_replicates_max; /* equal: one look */
	/* [n_looks] numbers of replicates at which there are verdicts, ascending; the last is the
	 * maximum */
	unsigned int look[PROTOCOL_LOOKS_MAX], n_looks;
	/* permits fewer replicates than acceptance needs, for campaigns that only describe */
	bool allow_undecidable;
	/* time of the whole campaign; 0: none. With a budget, `replicates` are the smallest and
	 * largest number of pairs of a scenario */
	int64_t budget_ns;
	/* number of reference traces for each scenario; 0: one for each block */
	uint64_t n_bank;
	uint64_t seed;
	int64_t min_duration_ns; /* 0: request counts are fixed */
	int64_t timeout_ns;      /* of one run */
	/* fixed time from the eviction of caches to the start of the run */
	int64_t settle_ns;
	int keep, on_failure, reference;
	int covariate; /* enum covariate_kind */
	int pairing, pause; /* enum pairing, enum pause_by */
	int64_t slice_ns;   /* length of a slice */
	/* number of groups of consecutive blocks, for repeatability and reproducibility; 0: a group
	 * for each start or resume of the campaign */
	uint64_t n_sessions;
	/* NULL: chosen, if possible on a device that no target uses */
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
							    /* names of the enum, NULL-terminated */
							    pause_by_names[];

/* Keys of the sections that are not options of a program, for the reader and the manual. The
 * offsets of [protocol], [accept] and [compare] are in struct protocol, those of [target] in struct
 * target, and those of [claim] in struct claim. */
extern const struct option_spec protocol_keys[], target_keys[], accept_keys[], compare_keys[],
    claim_keys[];

/* Reads and checks PATH, and the file of published values that it names. Starts and changes
 * nothing. Errors: EINVAL with "path:line: reason" and the nearest valid key or value; from the
 * system, with the path. Ownership: protocol_release(). */
int protocol_read(struct protocol *p, const char *path, struct err *e);

/* Changes of a protocol by the command line; NULL: none. */
struct protocol_given {
	const char *replicates, *budget; /* values of these keys of [protocol] */
	/* value of the key `claim`; the sections [accept] and [compare] are removed */
	const char *claim;
	/* names of the sections [replayer NAME] that remain; NULL-terminated */
	const char *const *replayers;
	const char *sections; /* text added at the end */
	/* value of key `hosts` of every parallel application */
	const char *rank_hosts;
	/* values of key `launcher`: a command with {host} of every parallel application with hosts;
	 * a command without {host} of every replayer and built-in workload that starts ranks */
	struct option_list launchers;
};

/* Like protocol_read(), with changes of the text. Errors: of the file itself, then of the changed
 * text, whose line numbers may differ. */
int protocol_read_with(struct protocol *p, const char *path, const struct protocol_given *g,
		       struct err *e);
/* Appends " --device NAME,...", which permits a campaign to overwrite the devices of the protocol;
 * nothing if it has none. */
void protocol_add_devices(struct strbuf *out, const struct protocol *p);
/* Changes the text of a protocol, except for hosts and launchers. `n_bank` and `n_sessions`: the
 * protocol's numbers of recordings and of sessions (0: not set). A larger number than the
 * replicates permit is reduced. */
void protocol_text_change(struct strbuf *text, const struct protocol_given *g, uint64_t n_bank,
			  uint64_t n_sessions);
/* Sets hosts and launchers in the text of protocol p. Errors: EINVAL: an invalid value, two
 * launchers of one kind, or a protocol to which a value does not apply. */
int protocol_text_launch(struct strbuf *text, const struct protocol *p,
			 const struct protocol_given *g, struct err *e);
/* Returns a command as the text of a value: in double quotes if possible, else as a list with a
 * word on each line. Errors: NULL for an invalid command. The caller frees. */
char *protocol_command_value(const char *command, struct err *e);
/* Whether the text has a section [kind name]. */
bool protocol_text_has(const char *text, const char *kind, const char *name);
void protocol_release(struct protocol *p);

/* Largest number of cases (a replayer in a scenario) with all details. A report of a larger
 * campaign, or of one with so many runs, would take minutes and gigabytes with all details. It
 * omits the courses over the time of a run (metrics/pace.h) and the propagation of distributions,
 * unless a claim or a published value needs the course. */
#define PROTOCOL_DETAIL_CASES 256
bool protocol_in_detail(const struct protocol *p);

/* Whether this target's volume is slower by SLOW_FACTOR in half of the blocks, so that the response
 * of a replay to its storage can be judged. Default (auto): yes if nothing else changes, that is,
 * for built-in workloads without an arrival rate, replays at full speed, at least 6 replicates, no
 * claims, no key `claim` and no published values. */
#define SLOW_FACTOR 1.5
bool protocol_slows(const struct protocol *p, size_t target);

/* Returns the path of the file of published values, which the protocol must name. The caller
 * frees. */
char *published_path(const struct protocol *p);

/* Whether its requests go to a device instead of files. A parallel application uses files of a file
 * system on the device. */
bool scenario_is_below(const struct protocol *p, const struct scenario *s);
/* Returns the scenario whose recordings scenario i replays: i, unless it shares the recordings of a
 * parallel application. */
size_t scenario_recording(const struct protocol *p, size_t i);
/* Whether both are the same parallel application, wherever and however it was recorded or runs. */
bool scenario_same_application(const struct scenario *a, const struct scenario *b);
/* The hosts of a parallel application as a text for hosts_parse(); NULL: this host. The caller
 * frees. */
char *scenario_hosts(const struct scenario *s);
/* The command that starts a collector on a host; NULL: the default of `capture causality`. */
const char *scenario_launcher(const struct scenario *s);

/* Path of the script of a scenario. The caller frees. */
char *scenario_script_path(const struct protocol *p, const struct scenario *s);

/* Path of the trace of a scenario. The caller frees. */
char *scenario_trace_path(const struct protocol *p, const struct scenario *s);

/* Number of blocks, including block 0; of traces in the bank; of all planned runs. */
uint64_t protocol_n_blocks(const struct protocol *p);
uint64_t protocol_n_bank(const struct protocol *p);
uint64_t protocol_n_runs(const struct protocol *p);

/* Prints the protocol with expanded grids as a protocol file: a section for each scenario and for
 * each replayer variant. */
void protocol_print_resolved(const struct protocol *p, struct strbuf *out);

/* Whether this is engine parallel with mode causal: it replays parallel applications with the
 * dependencies of their nodes. */
bool replayer_is_causal(const struct replayer *r);

/* Returns the adapter of a replayer of another project; NULL for engines of this program and for
 * the program. */
const struct adapter *replayer_adapter(const struct replayer *r);
/* Whether the campaign runs a replayer of another project under the preloaded library: with
 * observe = preload, unless the key "times" names another source or the adapter lacks this one. */
bool replayer_is_preloaded(const struct replayer *r, const struct scenario *s);
bool replayer_is_of_nodes(const struct replayer *r); /* engine parallel */
/* Returns the value of a key of its section; NULL: not set. */
const char *replayer_option(const struct replayer *r, const char *key);
/* Returns the value of the setting in option[n] with this key; NULL: not set. */
const char *setting_find(const struct setting *option, size_t n, const char *key);
/* Whether option i is in effect in a scenario: a mutant may act in some scenarios only. */
bool replayer_option_acts(const struct replayer *r, size_t i, size_t scenario);

/* Looks for the programs of replayers of other projects. From then on, a missing replayer that is
 * optional replays nothing. Errors: ENOENT with a missing replayer that is not optional; EINVAL if
 * a workload has no replayer left. */
int replayers_find(struct protocol *p, struct err *e);
/* Removes replayer i for the reason `why`, which was found at the start of the campaign. */
void replayer_leave_out(struct protocol *p, size_t i, const char *why);

/* Finds the replayer with this name, or the only variant of the section with this name. Errors:
 * ENOENT with the existing names. */
int protocol_replayer_find(const struct protocol *p, const char *name, size_t *index,
			   struct err *e);

struct microbench_config;
struct replay_config;
/* Returns the settings of a scenario or replayer as a configuration of the program. Strings are
 * borrowed from the scenario or replayer. */
int scenario_config(const struct scenario *s, struct microbench_config *c, struct err *e);
int replayer_config(const struct replayer *r, struct replay_config *c, struct err *e);
