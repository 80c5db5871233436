/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the campaign; not included elsewhere.
 *
 *   campaign.c            the loop over the plan, and the sessions
 *   campaign_dir.c        the results directory, created or resumed
 *   campaign_setup.c      where runs happen, and its cleanup
 *   campaign_facts.c      environment.json
 *   campaign_calibrate.c  request counts and memory per scenario
 *   campaign_words.c      the command lines of a step
 *   campaign_step.c       one process under controlled conditions
 *   campaign_parallel.c   recordings of parallel applications
 *   observe.c             runs observed by the library or at the device
 *   campaign_summary.c    the summary of a run
 *   campaign_bank.c       reference traces
 *   campaign_run.c        one run of the plan: step, summary, line in the journal
 *   campaign_group.c      the runs of one scenario in one block, in slices if possible
 *   campaign_look.c       planned looks, and the decided cases
 *   campaign_budget.c     the loop over groups with a budget
 *   choice.c              the choice of the next scenario with a budget */
#pragma once

#include "common/progress.h"
#include "common/words.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/cgroup.h"
#include "validate/campaign/environment.h"
#include "validate/results/journal.h"
#include "validate/campaign/launch.h"
#include "validate/campaign/others.h"
#include "validate/results/results_file.h"
#include "validate/campaign/storage.h"
#include "validate/campaign/time_use.h"
#include "validate/campaign/untouched.h"

#define TOKEN_LETTERS "abcdefghijkmnopqrstuvwxyz23456789"

struct campaign_calibration { /* of one scenario */
	bool done;
	uint64_t n_requests;  /* per thread, equal for recording, reruns and replays */
	int64_t execution_ns; /* of a run with that count */
	uint64_t trace_bytes; /* of a run's trace */
	/* [0] program, [1 + i] replayer i: anonymous, during its requests and in total; 0
	 * unknown */
	struct own_memory {
		uint64_t run_bytes, peak_bytes;
	} *memory;
	char *failure; /* why it failed; NULL */
};

struct look_case { /* state of a scenario and replayer at the last look */
	bool decided;
	uint64_t n_further; /* expected further pairs; 0 unknown */
};

struct spent { /* on the groups of a scenario in this session */
	double seconds;
	size_t n_runs;
};

struct campaign {
	const struct protocol *protocol;
	const struct campaign_options *options;
	struct design plan;
	struct run *run;    /* [plan.n_runs] */
	char *dir, *parent; /* results directory and its parent, resolved */
	/* random; part of all names outside the results directory */
	char token[12];
	/* of the protocol at the start; a resumed protocol is named protocol.conf */
	char *name;
	struct journal journal;
	/* {"plan.json": SHA-256, ...}: files at the start */
	json_t *files;
	bool files_late; /* the digests are of a later time than the first run */
	bool heal;          /* the journal has new damaged lines */
	json_t *environment;
	struct cpu_ticks ticks_at_start;
	int64_t started_ns, started_wall_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */

	sigset_t old_signals;
	int signal_fd;
	bool interrupted;

	struct places places;
	struct scratch scratch;
	/* of compiled programs: in scratch, or in the results if scratch forbids execution */
	char *programs;
	struct cgroup_place cgroups;
	char cgroup_name[40];
	bool drop_caches;
	json_t *queues_before; /* array, to be restored */
	cpu_set_t cpus;
	struct scheduling scheduling;

	struct campaign_calibration *calibration; /* [n_scenarios] */
	/* [scenario * n_bank + bank]: verified in this session */
	bool *bank_known;
	/* blocks to make; a look that decides everything lowers it */
	uint64_t stop_replicates;
	unsigned int n_looks_done;
	/* with a budget: budget (0: none), and the time spent by earlier sessions */
	int64_t budget_ns, spent_before_ns;
	/* an earlier session ended because nothing was left to do, or the time was used */
	bool budget_over;
	uint64_t n_choices;		    /* groups beyond the minimum number of pairs */
	/* [plan.n_runs]: replays of decided cases, not made */
	bool *left_out;
	struct look_case *look_case;	    /* [scenario * n_replayers + replayer] */
	struct spent *spent;		    /* [n_scenarios] */
	struct progress progress;
	struct time_use time; /* of this session */
	/* of earlier sessions, "time" of environment.json; NULL */
	json_t *time_before;

	/* during a resume, [plan.n_runs]: journalled with the whole group */
	bool *whole;
	char *earlier_cgroup; /* of a killed session, from the journal */
	bool ended;           /* the last session ended normally */
	bool ready;           /* set up, with a written environment */
};

/* --- campaign_setup.c ---------------------------------------------------- */
/* Before a resume: checks that no other campaign uses the same names. A copied results directory
 * names the resources of the original campaign. Errors: EBUSY if that one is active; nothing is
 * changed. */
int setup_check_unused(const struct campaign *c, struct err *e);
/* Sets up the places of the runs. Everything to be restored is journalled first. */
int setup_begin(struct campaign *c, struct err *e);
/* Takes over what a killed session left, so that setup_end() removes it. Creates nothing. */
int setup_adopt(struct campaign *c, struct err *e);
/* After calibration: moves the scratch directory if it has too little space for the bank. */
int setup_check_space(struct campaign *c, struct err *e);
/* Restores and removes everything. Continues after errors and journals what remains. */
void setup_end(struct campaign *c);

/* --- campaign_dir.c ------------------------------------------------------ */
int dir_begin(struct campaign *c, struct err *e);
int dir_resume(struct campaign *c, struct err *e);

/* --- campaign_facts.c ---------------------------------------------------- */
void facts_begin(struct campaign *c);    /* facts known before the setup */
void facts_describe(struct campaign *c); /* facts known after it */
/* Adds the program of another project's replayer to "replayers", once per program, as the trace of
 * a run names it. If the file differs from that of earlier runs, notes a limitation. */
void facts_note_replayer(struct campaign *c, int32_t role, const char *trace);
int environment_save(struct campaign *c, struct err *e);

/* --- campaign_step.c ----------------------------------------------------- */
struct step {
	size_t scenario;
	/* ROLE_... or index of a replayer */
	int32_t role;
	uint64_t seed, n_requests;
	const char *input; /* trace to replay; NULL: the program runs */
	const char *output;
	uint64_t limit_bytes; /* of the memory cgroup; 0: none */
	bool watch_memory;
	bool blank; /* a replay without calls: no preparation */
	/* For a step in a group with slices; 0 for a single run. */
	size_t seat;   /* number of the set of the scenario's files */
	size_t member; /* number in the group, for resources of one member */
	int pause_fd;  /* descriptor of the pause page; 0 none */
	/* Parallel applications. A recording: the directory of its runs, and the period of delayed
	 * requests. A replay: it runs on the target that was recorded on. */
	const char *runs_dir;
	uint64_t period;
	bool where_recorded;
};
struct step_result {
	struct prepared prepared;
	struct launch_result launch;
	int64_t started_ns; /* CLOCK_REALTIME */
	double preparation_s;
	uint64_t cgroup_peak_bytes;
	struct others_use others;
	/* its CPU time while others were sampled; 0: all of it */
	double own_s;
	char reason[500]; /* why it failed; "" on success */
	/* the campaign lacks space: repeat the step with more */
	bool no_space;
};
/* The command that continues the campaign, with the necessary --device options. The caller
 * frees. */
char *resume_command(const struct campaign *c);
/* Sets the error of a step without space, which ends the campaign. Returns -ENOSPC. */
int no_space(const struct campaign *c, const char *reason, struct err *e);
/* True if the reason says that a disk is full. */
bool is_about_space(const char *reason);
/* A step in progress. */
struct step_process {
	struct words_list words;
	struct launch_spec spec;
	struct launched launched;
	struct cgroup cgroup;
	int64_t before_ns;
	/* listing of scratch before another project's replayer starts */
	struct listing scratch;
	/* negative errno: preparation or start failed, for the reason in *why */
	int failed;
	struct err why;
};
/* The parts of step_make(), for concurrent steps. Errors end the campaign; a failure of the step is
 * in x->failed. Every prepared step must be concluded. */
int step_prepare(struct campaign *c, const struct step *s, struct step_process *x,
		 struct step_result *r, struct err *e);
void step_begin(struct campaign *c, const struct step *s, struct step_process *x,
		struct step_result *r);
/* Waits for the end of the step, if it started. -EINTR: the campaign must end. */
int step_conclude(struct campaign *c, const struct step *s, struct step_process *x,
		  struct step_result *r);

/* Compiles the program of a replay, if its engine needs one and it does not exist. Runs outside the
 * memory cgroup, and never during a measurement. Errors: why it cannot be compiled; EINTR. */
int step_compile(struct campaign *c, const struct step *s, struct err *e);
/* Programs that the replayer makes of a trace: 0 none, 2 if a replay and its blank differ. */
size_t step_n_programs(const struct campaign *c, const struct step *s);
/* Prepares, starts, waits. Returns 0 with a reason if the run failed, -EINTR if the campaign must
 * end. */
int step_make(struct campaign *c, const struct step *s, struct step_result *r, struct err *e);
/* True for the program itself, and for engine "program" in a replayer's place. */
bool role_is_program(const struct campaign *c, int32_t role);
/* Limit of the memory cgroup of a run, 0: none. step_page_cache(): the page cache that it leaves to
 * every role of the scenario. */
uint64_t step_limit(const struct campaign *c, size_t scenario, int32_t role);
uint64_t step_page_cache(const struct campaign *c, size_t scenario);
/* The target of the step. Recordings may be made on another target. */
size_t step_target(const struct campaign *c, const struct step *s);
char *scratch_path(const struct campaign *c, const char *name);

/* --- campaign_parallel.c ------------------------------------------------- */
/* Checks, before anything starts, that the replayer of parallel applications is installed. Errors:
 * ENOENT, with the packages to install. */
int parallel_possible(const struct protocol *p, struct err *e);
/* Expected seconds beyond a run of a parallel application, measured: making the file system,
 * starting the ranks. */
#define RANKS_OVERHEAD_S 1.2
/* Expected seconds of a recording of an application that runs for run_s: one run without delays,
 * and one for each delayed node, for each period tried. */
double recording_seconds(const struct scenario_parallel *s, double run_s);
/* As step_make(), for the recording of a parallel application for run r. */
int parallel_record(struct campaign *c, struct run *r, struct step *s, struct step_result *result,
		    struct err *e);
/* Directory in the results for recordings of parallel applications, so that an interruption does
 * not lose them. The caller frees. */
char *recordings_dir(const struct campaign *c);

/* --- campaign_words.c ---------------------------------------------------- */
void words_make(struct words_list *w, const struct campaign *c, const struct step *s);
/* Command line that compiles the program of the step. */
void compile_words_make(struct words_list *w, const struct campaign *c, const struct step *s);
void script_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
		       const char *verb);
/* Command line that makes, in `dir`, the files of the trace that the step replays. */
void prepare_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
			const char *dir);

/* --- campaign_summary.c -------------------------------------------------- */
struct summary_work {
	const struct campaign *campaign;
	struct run *run;
	const char *trace, *input;
	const char *blank; /* trace of the replay without calls; NULL none */
	const struct slices *slices; /* of the run; NULL none */
	bool observed;	   /* observed: the observer's trace is TRACE.side */
	/* destination of the observed trace; NULL: not kept */
	const char *keep;
	struct summary_seal {
		char file[FILE_DIGEST_HEX], line[FILE_DIGEST_HEX];
	} *seal; /* SHA-256 of the files that were written; in memory that both processes share */
};
/* Makes and writes the summary of a run. Work for launch_helper(), so that a damaged trace cannot
 * harm the campaign. `context` is a struct summary_work. ENOTRECOVERABLE: the results directory
 * cannot be written. */
int summary_make(void *context, struct err *e);

/* --- bank, runs and looks ------------------------------------------------ */
int calibrate_all(struct campaign *c, struct err *e);
int calibration_from_event(struct campaign *c, const json_t *event);
/* --- campaign_bank.c ----------------------------------------------------- */
/* Path of a reference trace. The caller frees. */
char *bank_path(const struct campaign *c, uint32_t scenario, uint32_t bank);
/* Makes a recording the reference trace of its run. */
int bank_take(struct campaign *c, const struct run *r, const char *recording, struct err *e);
/* Ensures that the scratch directory exists, and the reference trace `bank` that run r replays.
 * Returns 0 with a reason if it cannot; errors end the campaign. */
int run_input_ensure(struct campaign *c, struct run *r, const char *bank, char *reason, size_t size,
		     struct err *e);
int file_copy(const char *from, const char *to, struct err *e);

/* --- campaign_run.c ------------------------------------------------------ */
struct step step_of_run(const struct campaign *c, const struct run *r, int32_t role,
			const char *input, const char *output);
/* Sets the service times of the volume for run `r`. In a slow block they are longer for all runs;
 * recordings use the model's times. Stores the factor in `r`. Errors: of device_slow(). */
int run_service_set(struct campaign *c, struct run *r, int32_t role, struct err *e);
/* The step of run r, or of its recording. Errors: as step_make(). */
int run_step(struct campaign *c, struct run *r, int32_t role, const char *input, const char *output,
	     struct step_result *result, struct err *e);
/* Takes the outcome, blank replay and summary of run r from its step. `slices` of the run; NULL: in
 * one piece. Errors: as run_make(). */
int run_take(struct campaign *c, struct run *r, const struct step_result *result,
	     const char *output, const struct slices *slices, struct err *e);
/* Keeps the trace if the protocol says so, and journals the run. */
int run_journal(struct campaign *c, const struct run *r, const char *output, struct err *e);
void run_fail(struct run *r, const char *reason);
void side_remove(const char *output);
/* Makes run `id` and journals it. -EINTR: interrupted; other errors end the campaign. */
int run_make(struct campaign *c, uint32_t id, struct err *e);
/* After a failed run: 0, or -ECANCELED if the protocol says to stop. */
int failed_run(struct campaign *c, size_t id, struct err *e);
/* Analyses after block b if a look is planned. Sets stop_replicates when all is decided. */
int look_after(struct campaign *c, uint64_t block, struct err *e);
/* Sets look_case, the decided cases, from the summaries in memory. */
int look_cases(struct campaign *c, struct err *e);

/* --- campaign_group.c ---------------------------------------------------- */
/* A group is the runs of one scenario in one block: program and replayers, contiguous in the
 * plan. */
static inline bool run_is_wanted(const struct campaign *c, size_t id)
{
	return c->run[id].state == RUN_PENDING && !(c->left_out && c->left_out[id]);
}
/* True if the groups of a scenario are made in slices: scenario_is_sliced(), and the copies of the
 * files fit. */
bool group_is_sliced(const struct campaign *c, size_t scenario, const char **why,
		     const char **replayer);
/* Makes all wanted runs of the group plan.run[first..first+n). Errors: as run_make(). */
int group_make(struct campaign *c, size_t first, size_t n, struct err *e);

/* --- campaign_budget.c --------------------------------------------------- */
/* First run of the group of run `id`; *n: number of runs. */
size_t group_find(const struct campaign *c, size_t id, size_t *n);
/* Makes groups until everything is decided or the budget is used. Errors: as group_make(). */
int budget_runs_make(struct campaign *c, struct err *e);
/* On a resume, from the journal. */
void choice_resume(struct campaign *c, const json_t *event);
void budget_resume(struct campaign *c, const json_t *event);

/* True if a signal to end has arrived. */
bool campaign_interrupted(struct campaign *c);
/* Expected seconds of a run. */
double run_seconds(const struct campaign *c, const struct design_run *r);
