/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate run: runs a campaign from a protocol and gives a verdict. */

#include "commands/commands.h"
#include "common/files.h"
#include "common/words.h"
#include "reports/escape.h"
#include "reports/forms.h"
#include "reports/plan/plan.h"
#include "reports/reasons.h"
#include "reports/words.h"
#include "validate/analysis/analysis.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/certified.h"
#include "validate/campaign/chances.h"
#include "validate/campaign/devices.h"
#include "validate/results/results_file.h"

struct run_settings {
	const char *dir, *device, *format, *scatter, *replicates, *hosts, *rank_hosts;
	struct option_list launchers;
	int64_t budget_ns;
	bool resume, dry_run, quiet;
};

#define FIELD(name) offsetof(struct run_settings, name)
static const struct option_spec run_options[] = {
	OPTION(STRING, "output", FIELD(dir), .letter = 'o', .arg = "DIR",
	       .flags = OPT_NOT_STDOUT,
	       .help = "results directory, new or empty (default results-NAME-DATE-TIME)"),
	OPTION(FLAG, "resume", FIELD(resume), .help = "continue the campaign in the directory of "
	       "-o from its first unfinished run"),
	OPTION(STRING, "replicates", FIELD(replicates), .arg = "N|A..B",
	       .help = "number of blocks (in a block, the program and each replayer run once), or "
	       "smallest and largest number; overrides the key \"replicates\" of the protocol"),
	OPTION(DURATION, "budget", FIELD(budget_ns), .arg = "TIME", .min = 1e6, .max = 30 * 86400e9,
	       .help = "maximum time of the campaign; overrides the key \"budget\" of the "
	       "protocol. With --resume, a larger budget continues a campaign that has used its "
	       "budget"),
	OPTION(FLAG, "dry-run", FIELD(dry_run),
	       .help = "print scenarios, runs, expected time and space, and change nothing"),
	OPTION(STRING, "scatter", FIELD(scatter), .arg = "RATIO|DIR",
	       .help = "with --dry-run: compute the plan for this scatter between blocks: RATIO (a "
	       "relative standard deviation), or the scatter that was measured in the results "
	       "directory DIR; see the manual page (default 10%)"),
	OPTION(STRING, "device", FIELD(device), .arg = "NAME", .help = "permit overwriting this "
	       "device, which must be a target of the protocol; separate several devices by "
	       "commas"),
	OPTION(STRING, "format", FIELD(format), .arg = "FORM", .help = "output format at the end, "
	       "see \"validate report --list\" (default terminal)"),
	OPTION(STRING, "hosts", FIELD(hosts), .arg = "LIST|FILE",
	       .help = "run the protocol on each of these hosts (such as node[01-12]), each with "
	       "its own storage, and pool the results into one report"),
	OPTION(STRING, "rank-hosts", FIELD(rank_hosts), .arg = "LIST|FILE",
	       .help = "run one campaign whose parallel applications use all of these hosts; "
	       "overrides the key \"hosts\" of the protocol"),
	OPTION(LIST, "launcher", FIELD(launchers), .arg = "COMMAND",
	       .help = "a COMMAND without {host}, such as \"srun -n {n}\", starts the {n} ranks of "
	       "a parallel application or of its replay; a COMMAND with {host} starts a program on "
	       "that host (default \"ssh {host}\"). Overrides the key \"launcher\"; see the "
	       "manual page"),
	OPTION(FLAG, "quiet", FIELD(quiet), .letter = 'q', .help = "print no progress"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "PROTOCOL [-o DIR] [--replicates N] [--budget TIME] [--dry-run] "
	"[--device NAME] [--format FORM] [--quiet]\n"
	"[PROTOCOL] -o DIR --resume [--budget TIME] [--device NAME]\n"
	"PROTOCOL [--rank-hosts LIST|FILE] [--launcher COMMAND]... [-o DIR [--resume]]\n"
	"PROTOCOL --hosts LIST|FILE [--launcher COMMAND] [-o DIR [--resume]]";
static const char about[] =
	"Runs the campaign of a protocol: records each program, runs program and\n"
	"replayers in random order, and judges the replayers. All output goes to the\n"
	"results directory DIR; the report is DIR/report/index.html. --resume continues\n"
	"an interrupted or killed campaign. \"validate init\" writes a protocol.\n"
	"\n"
	"Exit status: 0 every replayer is trusted, 1 a replayer is not trusted, 2 wrong\n"
	"usage or bad protocol, 3 failed, 4 inconclusive, 5 not comparable, 6 refused\n"
	"for safety. Status 5: with --hosts, the protocols, settings or requests of the\n"
	"hosts differ; or the key \"standard\" of the protocol names a certificate of\n"
	"another machine, kernel or version of validate.";

char *run_default_dir(const char *name)
{
	char when[40];
	struct tm tm;
	time_t now = time(NULL);
	localtime_r(&now, &tm);
	strftime(when, sizeof when, "%Y%m%d-%H%M%S", &tm);
	return xasprintf("results-%s-%s", name, when);
}

/* Analyses the results directory, writes the report and prints the chosen form. */
static int campaign_conclude(const char *dir, const struct report_form *form, int *status,
			     struct err *e)
{
	SCOPED(results_release) struct results r = {0};
	SCOPED(analysis_release) struct analysis a = {0};
	int ret = results_load(&r, dir, e);
	if (ret)
		return ret;
	ret = analysis_compute(&a, &r, e);
	if (ret)
		return ret;
	analysis_propagate(&a);
	analysis_word(&a);
	ret = analysis_describe(&a, e);
	ret = ret ? ret : report_write_all(&a, dir, e);
	ret = ret ? ret : form->print(&a, stdout, e);
	ret = ret ? ret : seal_require(&r.seal, dir, e);
	*status = a.verdict == VERDICT_TRUSTED ? EXIT_OK
		: a.verdict == VERDICT_NOT_TRUSTED ? EXIT_NOT_TRUSTED : EXIT_INCONCLUSIVE;
	if (!ret && strcmp(form->name, "terminal")) /* the terminal form itself names the report */
		fprintf(stderr, "report: %s/report/index.html\n", dir);
	return ret;
}

int run_consent(const struct protocol *p, const char *device, struct err *e)
{
	SCOPED(words_list_release) struct words_list named = {0};
	const int standard = certified_check(p, e);
	if (standard)
		return standard == -EXDEV ? EXIT_NOT_COMPARABLE : EXIT_FAILED;
	if (device && words_split(&named, device, e))
		return err_context(e, "--device"), EXIT_USAGE;
	bool refused;
	int ret = devices_consent(p, (const char *const *)named.v, named.n, &refused, e);
	return refused ? EXIT_REFUSED : ret ? EXIT_FAILED : EXIT_OK;
}

int run_possible(const struct protocol *p, const char *dir, struct err *e)
{
	SCOPED_FREE char *self = program_path(e);
	return !self || launchers_possible(p, false, e) ||
	       (dir && directories_possible(p, dir, e)) || privileges_possible(p, self, e)
		   ? EXIT_FAILED
		   : EXIT_OK;
}

/* Chooses the available replayers: those that are available now, or those of the interrupted
 * campaign. */
static int replayers_choose(struct protocol *p, const struct run_settings *config, struct err *e)
{
	if (!config->resume)
		return replayers_find(p, e);
	SCOPED_FREE char *path = results_path(config->dir, "plan.json");
	json_auto_t *plan = NULL;
	/* if the file is invalid, campaign_run reports the error */
	if (json_read_file(path, &plan, NULL) || !design_leave_out(p, plan, e))
		return 0;
	return err_context(e, "%s does not match the campaign in %s (omit the argument PROTOCOL to "
		"continue with %s/protocol.conf)", p->path, config->dir, config->dir);
}

static void time_print(const json_t *time)
{
	SCOPED_STRBUF line = STRBUF_INIT, out = STRBUF_INIT;
	words_add_time(&line, time, 0.01);
	if (!line.len)
		return;
	strbuf_addstr(&out, "time: ");
	text_paragraph(&out, line.s, out.len, out.len, 80);
	fputs(out.s, stderr);
}

int run_campaign(const struct protocol *p, const struct campaign_options *given,
		 const struct report_form *form, struct err *e)
{
	const char *dir = given->dir;
	SCOPED_FREE char *self = program_path(e);
	if (!self)
		return EXIT_FAILED;
	struct campaign_options o = *given;
	o.self = self;
	o.time_print = o.quiet ? NULL : time_print;
	int status = EXIT_OK, ret = campaign_run(p, &o, e);
	if (ret == -ECANCELED) { /* earlier results are printed nevertheless */
		struct err second = ERR_INIT;
		campaign_conclude(dir, form, &status, &second);
		return EXIT_FAILED;
	}
	if (ret || campaign_conclude(dir, form, &status, e) < 0)
		return EXIT_FAILED;
	err_clear(e); /* a verdict is not an error */
	return status;
}

static int usage_fail(struct err *e, const char *what)
{
	return command_fail(EXIT_USAGE, e, EINVAL, "%s", what);
}

/* Prints a note about a replay on one host of an application on several hosts. */
static void one_host_note(const struct protocol *p)
{
	for (size_t i = 0; i < p->n_replayers; i++)
		for (size_t k = 0; k < p->n_scenarios; k++) {
			const struct replayer *r = &p->replayer[i];
			SCOPED_FREE char *hosts = scenario_hosts(&p->scenario[k]);
			if (!hosts || !r->applies[k] || !replayer_is_of_nodes(r) ||
			    replayer_option(r, "launcher"))
				continue;
			fprintf(stderr, "note: [workload %s] has hosts, but [replayer %s] has no "
				"launcher: its replays run on this host only\n",
				p->scenario[k].workload, r->section);
			return;
		}
}

static int dry_run(const struct protocol *p, const struct run_settings *config, const char *dir,
		   struct err *e)
{
	int ret = plan_print(p, config->scatter, stdout, e);
	const int status = ret == -EINVAL ? EXIT_USAGE : ret ? EXIT_FAILED
							     : run_consent(p, config->device, e);
	return status == EXIT_OK ? run_possible(p, config->resume ? NULL : dir, e) : status;
}

/* Runs a campaign on each of several hosts. */
static int hosts_run_them(const struct run_settings *c, const char *protocol, struct err *e)
{
	if (!protocol)
		return usage_fail(e, "--hosts needs the protocol, even with --resume");
	if (c->dry_run)
		return usage_fail(e, "--dry-run describes the campaign of one host: omit --hosts");
	if (c->rank_hosts)
		return usage_fail(e, "--hosts runs a campaign on each host, --rank-hosts a single "
				     "campaign on all hosts: omit one of the options");
	if (c->launchers.n > 1)
		return usage_fail(e, "--hosts takes one --launcher, which must contain {host}");
	SCOPED_FREE char *dir = c->dir ? xstrdup(c->dir) : run_default_dir("hosts");
	const struct run_hosts r = {.hosts = c->hosts, .launcher = c->launchers.text[0],
		.protocol = protocol, .dir = dir, .format = c->format, .replicates = c->replicates,
		.device = c->device, .budget_ns = c->budget_ns, .resume = c->resume,
		.quiet = c->quiet};
	return run_hosts(&r, e);
}

static int run_run(int argc, char **argv, struct err *e)
{
	struct run_settings config = {.format = "terminal"};
	const struct report_form *form;
	SCOPED(protocol_release) struct protocol p = {0};
	int n_positional;
	int status = command_parse(&cmd_run, synopsis, about, run_options, &config, argc, argv, 0,
				   1, &n_positional, e);
	if (status >= 0)
		return status;
	if (config.resume && !config.dir)
		return usage_fail(e, "--resume needs -o DIR, the results directory to continue");
	if (config.resume && config.replicates)
		return usage_fail(e, "--replicates cannot change a campaign that has begun: omit "
				     "it with --resume");
	if (config.scatter && !config.dry_run)
		return usage_fail(e, "--scatter needs --dry-run");
	if (config.hosts)
		return hosts_run_them(&config, n_positional ? argv[1] : NULL, e);
	if (n_positional < 1 && !config.resume)
		return usage_fail(e, "the argument PROTOCOL is missing: usage is validate run "
				     "PROTOCOL (\"validate init\" writes one to begin with)");
	if (report_form_choose(config.format, &form, e) < 0) /* fail before hours of measurement */
		return EXIT_USAGE;
	SCOPED_FREE char *path =
	    n_positional ? xstrdup(argv[1]) : xasprintf("%s/protocol.conf", config.dir);
	int ret = config.resume ? results_links_refuse(config.dir, e) : 0;
	const struct protocol_given given = {.replicates = config.replicates, .rank_hosts =
		config.rank_hosts, .launchers = config.launchers};
	ret = ret ? ret : protocol_read_with(&p, path, &given, e);
	if (ret)
		return config.resume && results_change_find(config.dir, e) ? EXIT_FAILED
									   : EXIT_USAGE;
	if (replayers_choose(&p, &config, e) < 0)
		return EXIT_FAILED;
	if (config.budget_ns && !p.budget_ns)
		return usage_fail(e, "--budget needs a protocol with the key \"budget\": add this "
				     "key to the protocol");
	SCOPED_FREE char *dir = config.dir ? xstrdup(config.dir) : run_default_dir(p.name);
	one_host_note(&p);
	struct protocol limited = p; /* --budget does not change the protocol of the campaign */
	limited.budget_ns = config.budget_ns ? config.budget_ns : p.budget_ns;
	limited.allow_undecidable |= config.resume; /* its runs exist already */
	if (config.dry_run)
		status = dry_run(&limited, &config, dir, e);
	else
		status = chances_check(&limited, e) ? EXIT_USAGE
						    : run_consent(&p, config.device, e);
	if (status == EXIT_OK && !config.dry_run) {
		const struct campaign_options o = {.dir = dir, .resume = config.resume,
						   .budget_ns = config.budget_ns,
						   .quiet = config.quiet};
		status = run_campaign(&p, &o, form, e);
	}
	return status;
}

const struct command cmd_run = {"run", "run a protocol: record, replay, judge and report", run_run};
