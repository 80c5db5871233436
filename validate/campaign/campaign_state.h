/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the campaign; not included elsewhere.
 *
 *   campaign.c            the loop over the plan, and the sessions
 *   campaign_dir.c        the results directory, created or resumed
 *   campaign_setup.c      the directories and devices of runs, and their cleanup
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
	/* number of requests per thread, equal for recording, reruns and replays */
	uint64_t n_requests;
	int64_t execution_ns; /* of a run with that count */
	uint64_t trace_bytes; /* of a run's trace */
	/* [0] program, [1 + i] replayer i: anonymous memory during the requests and in total; 0
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

struct spent { /* time spent on the groups of a scenario in this session */
	double seconds;
	size_t n_runs;
};

struct campaign {
	const struct protocol *protocol;
	const struct campaign_options *options;
	struct design plan;
	struct run *run;    /* [plan.n_runs] */
	char *dir, *parent; /* results directory and its parent, resolved */
	/* length of the part of options->dir that existed before the campaign */
	size_t existing_len;
	/* random letters and digits; part of all names outside the results directory */
	char token[12];
	/* file name of the protocol at the start; a resumed protocol is named protocol.conf */
	char *name;
	struct journal journal;
	/* {"plan.json": SHA-256, ...}: digests of the files at the start */
	json_t *files;
	bool files_late; /* the digests were computed after the first run */
	bool heal;          /* the journal has new damaged lines */
	json_t *environment;
	struct cpu_ticks ticks_at_start;
	int64_t started_ns, started_wall_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */

	sigset_t old_signals;
	int signal_fd;
	bool interrupted;

	struct places places;
	struct scratch scratch;
	/* directory of compiled programs: in scratch, or in the results if scratch forbids
	 * execution */
	char *programs;
	struct cgroup_place cgroups;
	char cgroup_name[40];
	bool drop_caches;
	json_t *queues_before; /* array, to be restored */
	cpu_set_t cpus;
	struct scheduling scheduling;

	struct campaign_calibration *calibration; /* [n_scenarios] */
	/* [scenario * n_bank + bank]: the trace was verified in this session */
	bool *bank_known;
	/* number of blocks to make; a look that decides all cases reduces it */
	uint64_t stop_replicates;
	unsigned int n_looks_done;
	/* with a budget: the budget (0: none), and the time that earlier sessions spent */
	int64_t budget_ns, spent_before_ns;
	/* an earlier session ended because all cases were decided or the time was used */
	bool budget_over;
	/* number of groups beyond the minimum number of pairs */
	uint64_t n_choices;
	/* [plan.n_runs]: replays of decided cases, which are not made */
	bool *left_out;
	/* state at the last look: [scenario * n_replayers + replayer] */
	struct look_case *look_case;
	struct spent *spent;		    /* [n_scenarios] */
	struct progress progress;
	struct time_use time; /* of this session */
	/* "time" of environment.json of earlier sessions; NULL none */
	json_t *time_before;

	/* [plan.n_runs], during a resume: the run was journalled with the whole group */
	bool *whole;
	char *earlier_cgroup; /* cgroup of a killed session, from the journal */
	bool ended;           /* the last session ended normally */
	bool ready;           /* set up, with a written environment */
	bool left_behind;     /* something could not be removed or restored; the journal names it */
};

/* --- campaign_setup.c ---------------------------------------------------- */
/* Checks, before a resume, that no other campaign uses the same names. A copied results directory
 * names the resources of the original campaign. Errors: EBUSY if the original campaign is active;
 * nothing is changed. */
int setup_check_unused(const struct campaign *c, struct err *e);
/* Sets up the places of the runs. Everything that must be restored later is journalled first. */
int setup_begin(struct campaign *c, struct err *e);
/* Takes over what a killed session left behind, so that setup_end() removes it. Creates nothing. */
int setup_adopt(struct campaign *c, struct err *e);
/* Moves the scratch directory if it has too little space for the bank. Call it after
 * calibration. */
int setup_check_space(struct campaign *c, struct err *e);
/* Restores and removes everything. Continues after errors, and journals what remains. */
void setup_end(struct campaign *c);

/* --- campaign_dir.c ------------------------------------------------------ */
/* Creates the results directory with its protocol, plan and journal. Errors: EEXIST if it is not
 * empty; of writing. dir_resume() opens that of an earlier session, reads its journal and locks it.
 * Errors: ENOENT without a journal; those of journal_open(). */
int dir_begin(struct campaign *c, struct err *e);
int dir_resume(struct campaign *c, struct err *e);
/* Removes what dir_begin() and a session without runs made, so that the same command starts
 * again. */
void dir_unmake(const struct campaign *c);

/* --- campaign_facts.c ---------------------------------------------------- */
void facts_begin(struct campaign *c);    /* facts known before the setup */
void facts_describe(struct campaign *c); /* facts known after it */
/* Adds the program of a replayer of another project to "replayers", once for each program, as the
 * trace of a run names it. If the file differs from that of earlier runs, notes a limitation. */
void facts_note_replayer(struct campaign *c, int32_t role, const char *trace);
/* Writes environment.json with the facts known so far. Errors: of writing. */
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
	/* Members of a step in a group with slices; 0 for a single run. */
	size_t seat;   /* index of the set of the scenario's files */
	size_t member; /* number in the group, which names resources of this member */
	int pause_fd;  /* descriptor of the pause page; 0 none */
	/* Members for parallel applications. A recording has a directory for its runs, and a period
	 * of delayed requests. A replay has where_recorded set if it runs on the target that was
	 * recorded. */
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
	/* CPU time of the run while others were sampled; 0: all of its CPU time */
	double own_s;
	char reason[500]; /* why it failed; "" on success */
	/* the campaign lacks space: repeat the step when there is more */
	bool no_space;
};
/* Returns the command that continues the campaign, with the necessary --device options. The caller
 * frees. */
char *resume_command(const struct campaign *c);
/* Sets the error of a step that lacks space, which ends the campaign. Returns -ENOSPC. */
int no_space(const char *reason, struct err *e);
/* Whether the reason says that a disk is full. */
bool is_about_space(const char *reason);
/* A step in progress. */
struct step_process {
	struct words_list words;
	struct launch_spec spec;
	struct launched launched;
	struct cgroup cgroup;
	int64_t before_ns;
	/* listing of the scratch directory before a replayer of another project starts */
	struct listing scratch;
	/* negative errno: preparation or start failed, and *why has the reason */
	int failed;
	struct err why;
};
/* The parts of step_make(), for concurrent steps. Errors end the campaign. If the step itself
 * fails, x->failed is set. Every prepared step must be concluded. */
int step_prepare(struct campaign *c, const struct step *s, struct step_process *x,
		 struct step_result *r, struct err *e);
void step_begin(struct campaign *c, const struct step *s, struct step_process *x,
		struct step_result *r);
/* Waits for the end of the step, if it was started. Returns -EINTR if the campaign must end. */
int step_conclude(struct campaign *c, const struct step *s, struct step_process *x,
		  struct step_result *r);

/* Compiles the program of a replay, if its engine needs a program and it does not exist. Runs
 * outside the memory cgroup, and never during a measurement. Errors: the reason why it cannot be
 * compiled; EINTR. */
int step_compile(struct campaign *c, const struct step *s, struct err *e);
/* Returns how many programs the replayer makes from a trace: 0 none, 2 if a replay and its blank
 * differ. */
size_t step_n_programs(const struct campaign *c, const struct step *s);
/* Prepares the step, starts it and waits. Returns 0 with a reason if the run failed, -EINTR if the
 * campaign must end. */
int step_make(struct campaign *c, const struct step *s, struct step_result *r, struct err *e);
/* Whether the role is the program itself, or engine "program" in place of a replayer. */
bool role_is_program(const struct campaign *c, int32_t role);
/* Limit of the memory cgroup of a run, 0: none. step_page_cache(): the page cache that this limit
 * leaves to every role of the scenario. */
uint64_t step_limit(const struct campaign *c, size_t scenario, int32_t role);
uint64_t step_page_cache(const struct campaign *c, size_t scenario);
/* Returns the target of the step. Recordings may be made on another target. */
size_t step_target(const struct campaign *c, const struct step *s);
/* Returns the path of a file in the scratch directory. The caller frees it. */
char *scratch_path(const struct campaign *c, const char *name);

/* --- campaign_parallel.c ------------------------------------------------- */
/* Expected seconds that a run of a parallel application needs in addition, as measured: making the
 * file system, starting the ranks. */
#define RANKS_OVERHEAD_S 0.8
/* Expected seconds of a recording of an application that runs for run_s: for each period tried, a
 * run without delays and a run for each delayed node. */
double recording_seconds(const struct scenario_parallel *s, double run_s);
/* Like step_make(), for the recording of a parallel application for run r. */
int parallel_record(struct campaign *c, struct run *r, struct step *s, struct step_result *result,
		    struct err *e);
/* Returns the directory in the results for recordings of parallel applications, which keeps them
 * after an interruption. The caller frees. */
char *recordings_dir(const struct campaign *c);

/* --- campaign_words.c ---------------------------------------------------- */
/* Makes the command line of a step. */
void words_make(struct words_list *w, const struct campaign *c, const struct step *s);
/* Makes the command line that compiles the program of the step. */
void compile_words_make(struct words_list *w, const struct campaign *c, const struct step *s);
/* Makes the command line that calls the script of the scenario with this verb. */
void script_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
		       const char *verb);
/* Makes the command line that makes, in `dir`, the files of the trace that the step replays. */
void prepare_words_make(struct words_list *w, const struct campaign *c, const struct step *s,
			const char *dir);

/* --- campaign_summary.c -------------------------------------------------- */
struct summary_work {
	const struct campaign *campaign;
	struct run *run;
	const char *trace, *input;
	const char *blank; /* trace of the replay without calls; NULL none */
	const struct slices *slices; /* of the run; NULL none */
	bool observed;	   /* the run was observed; the observer's trace is TRACE.side */
	/* path at which the observed trace is kept; NULL: it is not kept */
	const char *keep;
	struct summary_seal {
		char file[FILE_DIGEST_HEX], line[FILE_DIGEST_HEX];
	} seal; /* SHA-256 of the files that were written */
};
/* Makes and writes the summary of a run. It is work for helper_do(), so that a damaged trace
 * cannot harm the campaign. `context` is a struct summary_work. Errors: of the traces;
 * ENOTRECOVERABLE: the results directory cannot be written. */
int summary_make(void *context, struct err *e);

/* --- bank, runs and looks ------------------------------------------------ */
/* Calibrates every scenario without a calibration. Errors: of the runs; EINTR.
 * calibration_from_event() restores a calibration from the journal; EINVAL if the event is
 * invalid. */
int calibrate_all(struct campaign *c, struct err *e);
int calibration_from_event(struct campaign *c, const json_t *event);
/* --- campaign_bank.c ----------------------------------------------------- */
/* Returns the path of a reference trace. The caller frees. */
char *bank_path(const struct campaign *c, uint32_t scenario, uint32_t bank);
/* Makes a recording the reference trace of its run. */
int bank_take(struct campaign *c, const struct run *r, const char *recording, struct err *e);
/* Ensures that the scratch directory exists, and the reference trace `bank` that run r replays.
 * Returns 0 with a reason if this fails; errors end the campaign. */
int run_input_ensure(struct campaign *c, struct run *r, const char *bank, char *reason, size_t size,
		     struct err *e);
/* Copies a file to the disk. Errors: of reading and writing. */
int file_copy(const char *from, const char *to, struct err *e);

/* --- campaign_run.c ------------------------------------------------------ */
/* Returns the step of a role in run `r`. Borrows `input` and `output`. */
struct step step_of_run(const struct campaign *c, const struct run *r, int32_t role,
			const char *input, const char *output);
/* Sets the service times of the volume for run `r`. In a slow block they are longer for all runs.
 * Recordings use the times of the model. Stores the factor in `r`. Errors: those of
 * device_slow(). */
int run_service_set(struct campaign *c, struct run *r, int32_t role, struct err *e);
/* Makes the step of run r, or of its recording. Errors: those of step_make(). */
int run_step(struct campaign *c, struct run *r, int32_t role, const char *input, const char *output,
	     struct step_result *result, struct err *e);
/* Stores outcome, blank replay and summary of run r from its step. `slices`: those of the run;
 * NULL: it ran in one piece. Errors: those of run_make(). */
int run_take(struct campaign *c, struct run *r, const struct step_result *result,
	     const char *output, const struct slices *slices, struct err *e);
/* Keeps the trace if the protocol says so, and writes the run to the journal. */
int run_journal(struct campaign *c, const struct run *r, const char *output, struct err *e);
/* launch_helper(), with the signals of the campaign. -EINTR also sets c->interrupted. */
int helper_do(struct campaign *c, int (*work)(void *context, struct err *e), void *context,
	      size_t size, struct err *e);
/* Marks the run as failed, with a copy of the reason in one line. */
void run_fail(struct run *r, const char *reason);
/* Removes OUTPUT.side, the requests that the device observed. */
void side_remove(const char *output);
/* Makes run `id` and writes it to the journal. Errors: -EINTR: interrupted; other errors end the
 * campaign. */
int run_make(struct campaign *c, uint32_t id, struct err *e);
/* Called after a failed run. Returns 0, or -ECANCELED if the protocol says that the campaign
 * stops. */
int failed_run(struct campaign *c, size_t id, struct err *e);
/* Analyses the results after block b if a look is planned. Sets stop_replicates if all cases are
 * decided. */
int look_after(struct campaign *c, uint64_t block, struct err *e);
/* Sets look_case (the decided cases) from the summaries in memory. */
int look_cases(struct campaign *c, struct err *e);

/* --- campaign_group.c ---------------------------------------------------- */
/* Whether the run must be made. A group consists of the runs of one scenario in one block: program
 * and replayers, which are contiguous in the plan. */
static inline bool run_is_wanted(const struct campaign *c, size_t id)
{
	return c->run[id].state == RUN_PENDING && !(c->left_out && c->left_out[id]);
}
/* Whether the groups of a scenario are made in slices: scenario_is_sliced(), and there is room for
 * the copies of the files. */
bool group_is_sliced(const struct campaign *c, size_t scenario, const char **replayer,
		     struct err *e);
/* Makes all wanted runs of the group plan.run[first..first+n). Errors: those of run_make(). */
int group_make(struct campaign *c, size_t first, size_t n, struct err *e);

/* --- campaign_budget.c --------------------------------------------------- */
/* Returns the first run of the group of run `id`; *n: number of runs. */
size_t group_find(const struct campaign *c, size_t id, size_t *n);
/* Makes groups until all cases are decided or the budget is used. Errors: those of group_make(). */
int budget_runs_make(struct campaign *c, struct err *e);
/* On a resume, from the journal. */
void choice_resume(struct campaign *c, const json_t *event);
void budget_resume(struct campaign *c, const json_t *event);

/* Whether a signal to end has arrived. */
bool campaign_interrupted(struct campaign *c);
/* Expected seconds of a run. */
double run_seconds(const struct campaign *c, const struct design_run *r);
