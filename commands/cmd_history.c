/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate history: shows results over months, and their changes. */
#include "commands/commands.h"
#include "reports/history/history_report.h"
#include "reports/output.h"

struct history_config {
	const char *label, *output, *format, *replayer, *scenario, *host;
	uint64_t baseline, from;
};

#define FIELD(name) offsetof(struct history_config, name)
static const struct option_spec history_options[] = {
	OPTION(STRING, "label", FIELD(label), .arg = "TEXT",
	       .help = "add: label of this campaign, such as a commit or a month"),
	OPTION(STRING, "replayer", FIELD(replayer), .arg = "NAME",
	       .help = "add or show only the cases of this replayer (default all)"),
	OPTION(STRING, "scenario", FIELD(scenario), .arg = "NAME",
	       .help = "show: print only this scenario (default all)"),
	OPTION(STRING, "host", FIELD(host), .arg = "NAME",
	       .help = "show: print only campaigns of this host (default all)"),
	OPTION(UINT, "baseline", FIELD(baseline), .arg = "N", .min = HISTORY_BASELINE_MIN,
	       .max = 1000000,
	       .help = "show: number of entries from which the limits of the control charts are "
	       "computed, at least 8; see the manual page (default 20)"),
	OPTION(UINT, "from", FIELD(from), .arg = "N", .min = 1, .max = 1e15,
	       .help = "show: leave out campaigns with a number below N (\"add\" prints the "
	       "numbers), for example those before an intended change (default 1)"),
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "DIR",
	       .flags = OPT_NOT_STDOUT,
	       .help = "show: also write a report (page, plots, tables and JSON) into the "
	       "directory DIR"),
	OPTION(STRING, "format", FIELD(format), .letter = 'f', .arg = "FORM",
	       .help = "show: output format: terminal, html, csv, latex or json (default "
	       "terminal)"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "add DB PATH [--label TEXT] [--replayer NAME]\n"
			       "show DB [--replayer NAME] [--scenario NAME] [--host NAME] "
			       "[--baseline N] [--from N] [-o DIR] [--format FORM]";
static const char about[] =
	"add: adds a campaign to the database DB, which is created if missing. PATH is a\n"
	"results directory or a baseline (\"validate baseline save\"). Entries are never\n"
	"changed or removed, and a campaign can be added only once.\n"
	"show: prints shifts, drifts and outliers of each replayer in each scenario,\n"
	"with their dates and possible causes. Option -o writes a page with control\n"
	"charts, whose limits come from the first entries (--baseline).\n"
	"\n"
	"Exit status: 0 done, 2 wrong usage, 3 failed.";

static int campaign_add(const struct history_config *c, const char *db, const char *path,
			struct err *e)
{
	SCOPED(baseline_release) struct baseline b = {0};
	struct history_added added = {0};
	SCOPED_STRBUF line = STRBUF_INIT;
	int ret = baseline_input(&b, path, e);
	if (ret)
		return ret;
	if (c->replayer)
		ret = baseline_choose(&b, c->replayer, e);
	ret = ret ? ret : history_add(db, &b, c->label, &added, e);
	if (!ret) {
		strbuf_addf(&line, "added to %s as number %lld: %zu %s of campaign %s, %s\n", db,
			    added.number, added.n_entries, added.n_entries == 1 ? "case" : "cases",
			    b.campaign, b.date ? b.date : "an unknown date");
		if (added.later_date)
			strbuf_addf(&line, "Warning: the date of this campaign, %s, is earlier "
				"than %s, the date of number %lld, which was added before. "
				"Entries are shown in the order of their dates\n", b.date,
				added.later_date, added.later_number);
		ret = output_stream(stdout, &line, e);
	}
	free(added.later_date);
	return ret;
}

static int study_show(const struct history_config *c, const char *db, struct err *e)
{
	const struct history_filter filter = {c->scenario, c->replayer, (long long)c->from,
					      c->host};
	SCOPED(history_release) struct history h = {0};
	SCOPED(history_study_release) struct history_study study = {0};
	int ret = history_load(&h, db, &filter, e);
	if (ret)
		return ret;
	history_study_make(&study, &h, (size_t)c->baseline);
	if (c->output)
		ret = study_write(&history_form, &study, c->output, e);
	ret = ret ? ret : study_print(&history_form, &study, c->format, stdout, e);
	return ret;
}

static int wrong_usage(struct err *e, const char *what)
{
	return command_fail(EXIT_USAGE, e, EINVAL, "%s", what);
}

static int history_run(int argc, char **argv, struct err *e)
{
	struct history_config config = {.format = "terminal", .baseline = HISTORY_BASELINE,
	    .from = 1};
	int n_positional;
	int status = command_parse(&cmd_history, synopsis, about, history_options, &config, argc,
				   argv, 0, 3, &n_positional, e);
	if (status >= 0)
		return status;
	bool adds = n_positional == 3 && !strcmp(argv[1], "add"),
	     shows = n_positional == 2 && !strcmp(argv[1], "show");
	if (!adds && !shows)
		return wrong_usage(e, "wrong arguments: usage is validate history add DB PATH or "
				      "validate history show DB");
	if (adds &&
	    (config.output || config.scenario || config.host || strcmp(config.format, "terminal") ||
	     config.baseline != HISTORY_BASELINE || config.from != 1))
		return wrong_usage(e, "--output, --format, --scenario, --host, --baseline and "
				      "--from are options of \"show\"");
	if (shows && config.label)
		return wrong_usage(e, "--label is an option of \"add\"");
	if (study_form_check(config.format, e))
		return EXIT_USAGE;
	return (adds ? campaign_add(&config, argv[2], argv[3], e) : study_show(&config, argv[2], e))
		   ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_history = {"history", "store results over months, and find changes",
					history_run};
