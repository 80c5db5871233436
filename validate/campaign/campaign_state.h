/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the campaign share; nobody else includes this.
 *
 *   campaign.c            the loop over the plan, and the sessions around it
 *   campaign_dir.c        the results directory, begun or resumed
 *   campaign_setup.c      where runs happen and what is put back afterwards
 *   campaign_facts.c      environment.json
 *   campaign_calibrate.c  request counts and memory per scenario
 *   campaign_words.c      the command lines of a step
 *   campaign_step.c       one process started under controlled conditions
 *   campaign_parallel.c   recordings of parallel applications
 *   observe.c             runs seen by others
 *   campaign_summary.c    the summary of a run
 *   campaign_bank.c       reference traces
 *   campaign_run.c        one run of the plan: its step, its summary, its line in the journal
 *   campaign_group.c      the runs of one scenario in one block, in slices where that is possible
 *   campaign_look.c       planned looks, and which cases are decided
 *   campaign_budget.c     the loop over groups where there is a budget
 *   choice.c              which scenario is next there
 *   campaign_dry_run.c    what would be done */
#ifndef VALIDATE_CAMPAIGN_STATE_H
#define VALIDATE_CAMPAIGN_STATE_H

#include <signal.h>

#include "common/progress.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/cgroup.h"
#include "validate/campaign/environment.h"
#include "validate/results/journal.h"
#include "validate/campaign/launch.h"
#include "validate/campaign/others.h"
#include "validate/campaign/design.h"
#include "validate/campaign/prepare.h"
#include "validate/results/results_file.h"
#include "validate/campaign/storage.h"
#include "validate/campaign/time_use.h"
#include "validate/campaign/untouched.h"

#define TOKEN_LETTERS "abcdefghijkmnopqrstuvwxyz23456789"

struct campaign_calibration { /* of one scenario */
	bool done;
	uint64_t n_requests;  /* per thread, the same for recording, reruns and replays */
	int64_t execution_ns; /* of a run with that count */
	uint64_t trace_bytes; /* of its trace */
	struct own_memory {
		uint64_t run_bytes, peak_bytes;
	} * memory; /* [0] program, [1 + i] replayer i: anonymous, while its requests run and ever;
		       0 unknown */
	char *failure; /* why it could not be done; NULL */
};

struct look_case { /* of a scenario and a replayer, as the last look found it */
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
	struct run *run;    /* run[plan.n_runs] */
	char *dir, *parent; /* results directory and where it lies, resolved */
	/* random, in the names of all that is made outside the results directory */
	char token[12];
	/* of the protocol as it was given at the start; a resumed one is called protocol.conf */
	char *name;
	struct journal journal;
	/* {"plan.json": SHA-256, ...}: what the campaign was begun with; NULL of an earlier
	 * version's */
	json_t *files;
	bool heal;          /* the journal has damaged lines since the last session */
	json_t *environment;
	struct cpu_ticks ticks_at_start;
	int64_t started_ns, started_wall_ns; /* CLOCK_MONOTONIC, CLOCK_REALTIME */

	sigset_t old_signals;
	int signal_fd;
	bool interrupted;

	struct places places;
	struct scratch scratch;
	/* directory of compiled programs: in scratch, or in the results where scratch may not
	 * execute */
	char *programs;
	struct cgroup_place cgroups;
	char cgroup_name[40];
	bool drop_caches;
	json_t *queues_before; /* array, to be put back */
	cpu_set_t cpus;
	struct scheduling scheduling;

	struct campaign_calibration *calibration; /* calibration[n_scenarios] */
	/* [scenario * n_bank + bank]: whole, seen in this session */
	bool *bank_known;
	/* blocks to be made: less than planned after a look that decided everything */
	uint64_t stop_replicates;
	unsigned int n_looks_done;
	/* of a campaign with a budget: */
	int64_t budget_ns, spent_before_ns; /* 0: no budget; by earlier sessions */
	/* an earlier session ended since nothing was left to do, or no time */
	bool budget_over;
	uint64_t n_choices;		    /* groups beyond the least number of pairs */
	/* [plan.n_runs]: replays of decided cases, which are not made */
	bool *left_out;
	struct look_case *look_case;	    /* [scenario * n_replayers + replayer] */
	struct spent *spent;		    /* [n_scenarios] */
	struct progress progress;
	struct time_use time; /* of this session */
	json_t *time_before;  /* of the earlier ones, "time" of environment.json; NULL */

	/* while a campaign is resumed, [plan.n_runs]: journalled with all of its group */
	bool *whole;
	char *earlier_cgroup; /* of a session that was killed, from the journal */
	bool ended;           /* the last session came to its end */
	bool ready;           /* this session is set up, and its environment is written */
};

/* --- campaign_setup.c ---------------------------------------------------- */
/* Before a campaign is gone on with: a results directory that was copied has the names of what the
 * campaign made outside it. Errors: EBUSY where that one is at work; nothing was touched. */
int setup_nobody_else(const struct campaign *c, struct err *e);
/* Makes ready where runs happen; everything that must be put back is journalled before it is done.
 */
int setup_begin(struct campaign *c, struct err *e);
/* Takes over what a killed session left, for setup_end to remove; makes nothing. */
int setup_adopt(struct campaign *c, struct err *e);
/* After calibration: is there room for the bank? Moves the scratch directory where not. */
int setup_check_space(struct campaign *c, struct err *e);
/* Puts back and removes everything; goes on after errors and journals what stayed. */
void setup_end(struct campaign *c);

/* --- campaign_dir.c ------------------------------------------------------ */
int dir_begin(struct campaign *c, struct err *e);
int dir_resume(struct campaign *c, struct err *e);

/* --- campaign_facts.c ---------------------------------------------------- */
void facts_begin(struct campaign *c);    /* what is known before anything is set up */
void facts_describe(struct campaign *c); /* and after that */
/* Which program somebody else's replayer was in a run, as its trace tells: a member of "replayers",
 * once for each. Another file than in earlier runs is noted as what could not be had: one program.
 */
void facts_note_replayer(struct campaign *c, int32_t role, const char *trace);
int environment_save(struct campaign *c, struct err *e);

/* --- campaign_step.c ----------------------------------------------------- */
struct step {
	size_t scenario;
	int32_t role; /* ROLE_... or a replayer */
	uint64_t seed, n_requests;
	const char *input; /* trace to replay, NULL for the program */
	const char *output;
	uint64_t limit_bytes; /* of the memory cgroup, 0: none */
	bool watch_memory;
	bool blank; /* a replay without its calls: nothing is prepared for it */
	/* of a step of a group that is made in slices; 0 of one that is made alone */
	size_t seat;   /* which set of the scenario's files */
	size_t member; /* number in its group, for what each member has of its own */
	int pause_fd;  /* of the page by which it is paused, 0 none */
	/* of parallel applications: where a recording keeps its runs, and each how-many-th request
	 * it holds back; a replay on the target that was recorded on */
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
	double own_s; /* processor time of its own while others were watched; 0: all of it */
	char reason[500]; /* why it failed, "" when it went well */
	/* for want of space that the campaign must have: the step is to be made again, with more */
	bool no_space;
};
/* The command that continues the campaign, with the devices that it must name. Ownership: the
 * caller's. */
char *resume_command(const struct campaign *c);
/* The error of such a step, which ends the campaign. Returns -ENOSPC. */
int no_space(const struct campaign *c, const char *reason, struct err *e);
/* Does a reason tell of a full disk? */
bool is_about_space(const char *reason);
struct words { /* v[n], NULL at the end; words_free */
	char **v;
	size_t n, cap;
};
/* A step under way. */
struct step_process {
	struct words words;
	struct launch_spec spec;
	struct launched launched;
	struct cgroup cgroup;
	int64_t before_ns;
	/* of the step of another project's replayer, before it was started */
	struct listing scratch;
	int failed; /* negative errno: it could not be prepared or started; *why */
	struct err why;
};
/* The parts of step_make, for steps that go on at the same time. Errors: that end the campaign;
 * whatever goes wrong with the step is in x->failed. Every step that was prepared must be
 * concluded. */
int step_prepare(struct campaign *c, const struct step *s, struct step_process *x,
		 struct step_result *r, struct err *e);
/* Waits until so long after the eviction of caches as the protocol says. */
void step_settle(const struct campaign *c, const struct step *s, const struct step_process *x,
		 struct step_result *r);
void step_begin(struct campaign *c, const struct step *s, struct step_process *x,
		struct step_result *r);
/* Waits for its end where it was begun. -EINTR: the campaign is to end. */
int step_conclude(struct campaign *c, const struct step *s, struct step_process *x,
		  struct step_result *r);

/* Makes the program that a replay is to run, if its engine makes one and it is not there yet: never
 * while anything is measured, and outside the memory cgroup. Errors: why it cannot be made; EINTR.
 */
int step_compile(struct campaign *c, const struct step *s, struct err *e);
/* How many programs its replayer makes of a trace: 0 where it makes none; 2 where a replay and its
 * blank are two. */
size_t step_n_programs(const struct campaign *c, const struct step *s);
/* Prepares, starts, waits. 0 with a reason for whatever went wrong with the run, -EINTR when the
 * campaign is to end. */
int step_make(struct campaign *c, const struct step *s, struct step_result *r, struct err *e);
/* The program takes part in a role: it is itself, or "program" in a replayer's place. */
bool role_is_program(const struct campaign *c, int32_t role);
/* Limit of the memory cgroup for a run, 0 for none; and the page cache that this leaves to every
 * role of the scenario.
 */
uint64_t step_limit(const struct campaign *c, size_t scenario, int32_t role);
uint64_t step_page_cache(const struct campaign *c, size_t scenario);
/* The target it happens on: recordings may be made on another one than everything else. */
size_t step_target(const struct campaign *c, const struct step *s);
char *scratch_path(const struct campaign *c, const char *name);

/* --- campaign_parallel.c ------------------------------------------------- */
/* Whether what replays parallel applications is there, before anything is started. Errors: ENOENT,
 * with what to install. */
int parallel_possible(const struct protocol *p, struct err *e);
/* Expected seconds beside a run of a parallel application: a file system made anew, and ranks that
 * are started, as measured. */
#define RANKS_OVERHEAD_S 1.2
/* Expected seconds of a recording, of an application that runs for run_s: a run without delays, one
 * for each node that is delayed, and all of that for each period that is tried. */
double recording_seconds(const struct scenario_parallel *s, double run_s);
/* As step_make, of a step that records a parallel application for run r. */
int parallel_record(struct campaign *c, struct run *r, struct step *s, struct step_result *result,
		    struct err *e);
/* Where recordings of parallel applications are kept while the campaign lasts, in the results
 * directory: they are too dear to be lost when it is interrupted. The caller frees. */
char *recordings_dir(const struct campaign *c);

/* --- campaign_words.c ---------------------------------------------------- */
void words_make(struct words *w, const struct campaign *c, const struct step *s);
/* To compile what the step is to run. */
void compile_words_make(struct words *w, const struct campaign *c, const struct step *s);
void script_words_make(struct words *w, const struct campaign *c, const struct step *s,
		       const char *verb);
/* To make the files of the trace that the step is to replay, in `dir`. */
void prepare_words_make(struct words *w, const struct campaign *c, const struct step *s,
			const char *dir);
void words_free(struct words *w);

/* --- campaign_summary.c -------------------------------------------------- */
struct summary_work {
	const struct campaign *campaign;
	struct run *run;
	const char *trace, *input;
	const char *blank; /* trace of the replay without calls, NULL none */
	const struct slices *slices; /* that it was made in, NULL none */
	bool observed;	   /* by others, whose trace is TRACE.side */
	const char *keep;  /* where the observed trace goes afterwards, NULL nowhere */
	struct summary_seal {
		char file[FILE_DIGEST_HEX], line[FILE_DIGEST_HEX];
	} *seal; /* SHA-256 of the files that were written; in memory that both processes share */
};
/* Makes and writes the summary of a run: work for launch_helper, so that what a damaged trace does
 * to it, it does not do to the campaign. `context` is a struct summary_work. ENOTRECOVERABLE: the
 * results directory cannot be written. */
int summary_make(void *context, struct err *e);

/* --- the others ---------------------------------------------------------- */
int calibrate_all(struct campaign *c, struct err *e);
int calibration_from_event(struct campaign *c, const json_t *event);
/* --- campaign_bank.c ----------------------------------------------------- */
/* Where a reference trace lies. The caller frees. */
char *bank_path(const struct campaign *c, uint32_t scenario, uint32_t bank);
/* A recording becomes the reference trace of its run. */
int bank_take(struct campaign *c, const struct run *r, const char *recording, struct err *e);
/* Makes sure that the scratch directory is there, and the reference trace `bank` that run r
 * replays: 0 with a reason where it cannot be had; errors end the campaign. */
int run_input_ensure(struct campaign *c, struct run *r, const char *bank, char *reason, size_t size,
		     struct err *e);
int file_copy(const char *from, const char *to, struct err *e);

/* --- campaign_run.c ------------------------------------------------------ */
struct step step_of_run(const struct campaign *c, const struct run *r, int32_t role,
			const char *input, const char *output);
/* Sets the service times of the volume that run `r` is about to be made on: those of a slow block
 * are longer for all of its runs; recordings are made as the model has it. The factor is kept in
 * `r`. Errors: of device_slow. */
int run_service_set(struct campaign *c, struct run *r, int32_t role, struct err *e);
/* The step of run r, or of its recording. Errors: as step_make. */
int run_step(struct campaign *c, struct run *r, int32_t role, const char *input, const char *output,
	     struct step_result *result, struct err *e);
/* What a step came to: outcome, blank replay and summary of run r. `slices`: that it was made in;
 * NULL: in one piece. Errors: as run_make. */
int run_take(struct campaign *c, struct run *r, const struct step_result *result,
	     const char *output, const struct slices *slices, struct err *e);
/* Keeps the trace as the protocol says, and journals the run. */
int run_journal(struct campaign *c, const struct run *r, const char *output, struct err *e);
void run_fail(struct run *r, const char *reason);
void side_remove(const char *output);
/* Makes run `id` and journals it. -EINTR: interrupted; other errors end the campaign. */
int run_make(struct campaign *c, uint32_t id, struct err *e);
/* Whether the replays of run r are also made without their calls: those of the first blocks
 * (DESIGN_BLANK_BLOCKS). */
bool blank_wanted(const struct campaign *c, const struct run *r);
/* On a failed run: 0, or -ECANCELED where the protocol says to stop. */
int failed_run(struct campaign *c, size_t id, struct err *e);
/* After block b: analyses where a look is planned. Sets stop_replicates when everything is decided.
 */
int look_after(struct campaign *c, uint64_t block, struct err *e);
/* Finds out which cases are decided, from the summaries in memory: fills look_case. */
int look_cases(struct campaign *c, struct err *e);

/* --- campaign_group.c ---------------------------------------------------- */
/* A group is the runs of one scenario in one block: the program and the replayers, contiguous in
 * the plan. */
static inline bool run_is_wanted(const struct campaign *c, size_t id)
{
	return c->run[id].state == RUN_PENDING && !(c->left_out && c->left_out[id]);
}
/* Whether the groups of a scenario are made in slices: as scenario_is_sliced(), and the copies of
 * the files fit. */
bool group_is_sliced(const struct campaign *c, size_t scenario, const char **why,
		     const char **replayer);
/* Makes all wanted runs of plan.run[first..first+n), which are a group. Errors: as run_make(). */
int group_make(struct campaign *c, size_t first, size_t n, struct err *e);

/* --- campaign_budget.c --------------------------------------------------- */
/* The first run of the group that run `id` belongs to; *n: how many runs it has. */
size_t group_find(const struct campaign *c, size_t id, size_t *n);
/* A replay whose case was found to be decided, beyond the least number of pairs. */
bool case_is_decided(const struct campaign *c, const struct design_run *r);
/* Makes groups until everything is decided or the budget is used. Errors: as group_make(). */
int budget_runs_make(struct campaign *c, struct err *e);
/* Seconds since the campaign began, of all its sessions. */
double budget_spent_s(const struct campaign *c);
/* From the journal, when a campaign is resumed. */
void choice_resume(struct campaign *c, const json_t *event);
void budget_resume(struct campaign *c, const json_t *event);

/* Has a signal to end arrived? */
bool campaign_interrupted(struct campaign *c);
/* Expected seconds of a run. */
double run_seconds(const struct campaign *c, const struct design_run *r);

#endif
