/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate selftest: measures how often verdicts are wrong. */

#include "commands/commands.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "reports/selftest/selftest.h"
#include "validate/campaign/environment.h"
#include "validate/selftest/calibration.h"
#include "validate/selftest/machine.h"
#include "validate/selftest/simulate.h"

struct selftest_config {
	const char *dir, *target, *methods;
	bool resume, quick, quiet, json, keep;
	uint64_t campaigns, sizes, aa, permutations, replicates, simulated, seed, jobs;
	int64_t run_ns;
};

#define FIELD(name) offsetof(struct selftest_config, name)
static const struct option_spec selftest_options[] = {
	OPTION(FLAG, "quick", FIELD(quick), .help = "use few campaigns and runs; takes about a "
	       "minute"),
	OPTION(STRING, "output", FIELD(dir), .letter = 'o', .arg = "PATH",
	       .flags = OPT_NOT_STDOUT,
	       .help = "replay: directory of the runs and plots (default: temporary, removed at "
	       "the end); stats: directory of the plots (default: no plots); capture: file of the "
	       "calibration"),
	OPTION(STRING, "target", FIELD(target), .arg = "DIR", .help = "directory whose file "
	       "system is measured (replay: default the directory of -o; capture: default "
	       "the working directory)"),
	OPTION(FLAG, "resume", FIELD(resume), .help = "continue an interrupted selftest in the "
	       "directory of -o; --quick, --replicates, --run-duration, --permutations, --target "
	       "and --seed must be given as before"),
	OPTION(UINT, "campaigns", FIELD(campaigns), .arg = "N", .max = 100000,
	       .help = "replay: number of campaigns that test each deliberate fault at its largest "
	       "size. The same number of campaigns test replayers that report invented response "
	       "times (default 59; quick: 1)"),
	OPTION(UINT, "campaigns-all-sizes", FIELD(sizes), .arg = "N", .max = 100000,
	       .help = "replay: how many of the campaigns of --campaigns also test each fault at "
	       "its two smaller sizes (default 20; quick: 0)"),
	OPTION(UINT, "campaigns-aa", FIELD(aa), .arg = "N", .max = 100000,
	       .help = "replay: number of campaigns with the program in place of the replayer "
	       "(default 10; quick: 1)"),
	OPTION(UINT, "permutations", FIELD(permutations), .arg = "N", .max = 1000000,
	       .help = "replay: number of permutations in each of the campaigns of --campaigns-aa. "
	       "A permutation exchanges the labels \"program\" and \"replay\" in random blocks "
	       "(default 100; quick: 20)"),
	OPTION(UINT, "replicates", FIELD(replicates), .arg = "N", .min = 3, .max = 1000,
	       .help = "replay: number of blocks of a campaign, in each of which program and "
	       "replayer run once (default 20); capture: number of runs with each method (default "
	       "10; quick: 3)"),
	OPTION(DURATION, "run-duration", FIELD(run_ns), .arg = "TIME", .min = 1e6, .max = 60e9,
	       .help = "replay: minimum duration of a run (default 10ms). Runs take at least 4 "
	       "times as long in campaigns that replay at the traced times, and 20 times as long "
	       "in campaigns whose replayers report invented response times"),
	OPTION(UINT, "simulated", FIELD(simulated), .arg = "N", .min = 10, .max = 1e8,
	       .help = "stats: number of simulated campaigns of a faultless replayer; also the "
	       "number of samples simulated for each statistical test and interval. Some "
	       "simulations use smaller numbers (default 10000; quick: 300)"),
	OPTION(UINT, "seed", FIELD(seed), .arg = "N", .max = 1e12,
	       .help = "seed of the simulations, workloads and plans (default 1)"),
	OPTION(UINT, "jobs", FIELD(jobs), .letter = 'j', .arg = "N", .max = 1024,
	       .help = "stats: number of processes that simulate at the same time; the results "
	       "do not depend on it (default 0: one per CPU)"),
	OPTION(STRING, "methods", FIELD(methods), .arg = "LIST",
	       .help = "capture: methods to examine, separated by commas: app, vfs, strace "
	       "(default: all available methods)"),
	OPTION(FLAG, "keep", FIELD(keep), .help = "keep the results directory of every campaign"),
	OPTION(FLAG, "json", FIELD(json), .help = "print JSON"),
	OPTION(FLAG, "quiet", FIELD(quiet), .letter = 'q', .help = "print no progress"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "[--quick] [stats|replay|capture] [-o PATH] [--resume] [options]";
static const char about[] =
	"Measures error rates: how often verdicts are wrong. Without an argument, runs\n"
	"the parts stats and replay. Each output line with one rate also shows the 95 %\n"
	"interval of this rate, and the bound that the documentation promises, if any.\n"
	"Tables with several rates in a line show neither; --json has both.\n"
	"\n"
	"stats: simulates campaigns, without storage. Equal seeds give equal numbers.\n"
	"replay: runs campaigns on this machine, with the program in place of the\n"
	"replayer, and with deliberately faulty replayers.\n"
	"capture: compares each capture method with the program's own record of the same\n"
	"calls. For each kind of call, this part prints the number of missed calls, the\n"
	"bias and scatter of the response times, and how much the capture slows the\n"
	"program down. With -o FILE, it also writes a calibration for \"validate slice\n"
	"--calibration\".\n"
	"\n"
	"Exit status: 0 no bound is broken, 1 a bound is broken, 2 wrong usage, 3 failed.";

enum { PART_STATS = 1, PART_REPLAY = 2, PART_CAPTURE = 4 };

static int parts_choose(const char *word, int *parts, struct err *e)
{
	*parts = PART_STATS | PART_REPLAY;
	if (!word)
		return 0;
	if (!strcmp(word, "stats"))
		*parts = PART_STATS;
	else if (!strcmp(word, "replay"))
		*parts = PART_REPLAY;
	else if (!strcmp(word, "capture"))
		*parts = PART_CAPTURE;
	else
		return err_set(e, EINVAL,
			"unknown part \"%s\": the parts are stats, replay and capture", word);
	return 0;
}

static uint64_t or_default(uint64_t given, bool quick, uint64_t whole, uint64_t little)
{
	return given != UINT64_MAX ? given : quick ? little : whole;
}

static int replay_part(const struct selftest_config *c, const char *dir, struct rates *rates,
		       struct err *e)
{
	SCOPED_FREE char *self = program_path(e);
	if (!self)
		return -e->code;
	struct machine_options o = {
		.dir = dir, .self = self, .target = c->target, .resume = c->resume,
		.quiet = c->quiet, .keep = c->keep, .quick = c->quick,
		.n_aa = or_default(c->aa, c->quick, 10, 1),
		.n_largest = or_default(c->campaigns, c->quick, 59, 1),
		.n_all_sizes = or_default(c->sizes, c->quick, 20, 0),
		.n_permutations = or_default(c->permutations, c->quick, 100, 20),
		.n_replicates = or_default(c->replicates, c->quick, 20, 20), .run_ns = c->run_ns,
		.seed = c->seed,
	};
	uint64_t n_runs;
	double seconds;
	if (o.n_all_sizes > o.n_largest)
		o.n_all_sizes = o.n_largest;
	machine_expect(&o, &n_runs, &seconds);
	if (!c->quiet)
		fprintf(stderr, "replay: will make %llu runs in directory %s; they take about "
			"%.0f %s\n",
			(unsigned long long)n_runs, dir, seconds < 100 ? seconds : seconds / 60,
			seconds < 100 ? "s" : "min");
	return machine_selftest(&o, rates, e);
}

static int stats_part(const struct selftest_config *c, struct rates *rates, struct err *e)
{
	struct simulate_options o = {
		.n_campaigns = or_default(c->simulated, c->quick, 10000, 300), .seed = c->seed,
		.n_processes = (unsigned int)c->jobs, .quiet = c->quiet, .quick = c->quick,
	};
	return simulate_selftest(&o, rates, e);
}

static int parts_run(const struct selftest_config *c, int parts, struct rates *rates, struct err *e)
{
	char temporary[] = "validate-selftest-XXXXXX";
	const char *dir = c->dir;
	int ret = parts & PART_STATS ? stats_part(c, rates, e) : 0;
	if (!ret && parts & PART_REPLAY) {
		if (!dir && !(dir = leftover_directory(temporary)))
			return err_sys(e, errno,
				"cannot create a directory for the runs in the working directory "
				"(-o DIR names another)");
		ret = replay_part(c, dir, rates, e);
		if (!c->dir) {
			struct err second = ERR_INIT;
			if (dir_remove_tree(dir, &second) < 0 && !ret) {
				*e = second;
				ret = -second.code;
			}
			if (ret == -EINTR)
				err_set(e, EINTR,
					"interrupted; runs can be resumed only with -o DIR");
		}
	}
	return ret;
}

/* Measures the capture methods, prints the result and writes the calibration. */
static int capture_part(const struct selftest_config *c, struct err *e)
{
	SCOPED(capture_trial_release) struct capture_trial t = {0};
	struct capture_trial_options o = {
		.target = c->target, .methods = c->methods,
		.n_runs = or_default(c->replicates, c->quick, 10, 3), .seed = c->seed,
		.quick = c->quick, .quiet = c->quiet,
	};
	SCOPED_FREE char *self = program_path(e);
	if (!self)
		return EXIT_FAILED;
	o.self = self;
	/* recorded before the runs, which load the machine */
	json_auto_t *environment = environment_make(self);
	int ret = capture_trial_run(&t, &o, e);
	json_auto_t *all = ret ? NULL : selftest_capture_json(&t, environment);
	SCOPED_FREE char *text =
	    all ? json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
	if (!ret && c->dir)
		ret = file_write_atomic(c->dir, text, strlen(text), e);
	if (text && c->json)
		puts(text);
	else if (text)
		selftest_capture_print(&t, stdout);
	if (!ret && c->dir && !c->json)
		printf("\ncalibration: %s\n", c->dir);
	return ret ? EXIT_FAILED : EXIT_OK;
}

static int selftest_run(int argc, char **argv, struct err *e)
{
	struct selftest_config c = {.run_ns = 10000000,
				    .seed = 1, .campaigns = UINT64_MAX, .sizes = UINT64_MAX,
				    .aa = UINT64_MAX, .permutations = UINT64_MAX,
				    .replicates = UINT64_MAX,
				    .simulated = UINT64_MAX};
	SCOPED(rates_release) struct rates rates = {0};
	int n_positional, parts;
	int status = command_parse(&cmd_selftest, synopsis, about, selftest_options, &c, argc, argv,
				   0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	if (parts_choose(n_positional ? argv[1] : NULL, &parts, e) < 0)
		return EXIT_USAGE;
	if (c.methods && parts != PART_CAPTURE)
		return command_fail(EXIT_USAGE, e, EINVAL, "--methods applies only to the part "
							   "capture");
	if (c.resume && (!c.dir || !(parts & PART_REPLAY)))
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "--resume needs -o DIR and the part replay");
	if (parts == PART_CAPTURE)
		return capture_part(&c, e);
	int ret = parts_run(&c, parts, &rates, e);
	if (rates.n) /* results before an interruption are also printed */
		c.json ? selftest_print_json(&rates, stdout) : selftest_print_text(&rates, stdout);
	if (!ret && c.dir)
		ret = selftest_plot(&rates, c.dir, e);
	status = ret                                    ? EXIT_FAILED
		 : rates_count(&rates, STANDING_BROKEN) ? EXIT_NOT_TRUSTED
							: EXIT_OK;
	return status;
}

const struct command cmd_selftest = {"selftest", "measure how often verdicts are wrong",
				     selftest_run};
